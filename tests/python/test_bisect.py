import subprocess
import sys

import torch
from torch.fx.experimental.proxy_tensor import make_fx

import fxrules

WRONG = """
good: neg(neg(x)) => x
also: relu(r @ relu(_)) => r
bad:  exp(x) => exp(mul(x, 1.5))  if occurrences(root, x) == 1 and op(x) == "sin"
"""


def module(trace=lambda f: make_fx(f)(torch.randn(8))):
    def f(x):
        for i in range(20):
            x = torch.relu(torch.relu(-(-x)))
            x = torch.exp(torch.sin(x)) if i == 13 else torch.exp(x) * 0.1
        return x

    return trace(f)


def test_the_culprit_is_found():
    gm = module()
    before = gm.code
    culprit = fxrules.bisect(gm, fxrules.RuleSet.from_string(WRONG), (torch.randn(8),))
    assert culprit.application.rule == "bad" and "was" in culprit.difference
    assert culprit.runs <= 9 and gm.code == before
    assert culprit.application.root in {n.name for n in gm.graph.nodes}
    assert "rule bad at" in str(culprit)


def test_no_culprit():
    assert fxrules.bisect(module(), fxrules.RuleSet.from_string("neg(neg(x)) => x"), (torch.randn(8),)) is None


def test_command(tmp_path):
    torch.save(module(torch.fx.symbolic_trace), tmp_path / "m.pt")
    torch.save((torch.randn(8),), tmp_path / "in.pt")
    (tmp_path / "wrong.rules").write_text(WRONG)
    run = subprocess.run([sys.executable, "-m", "fxrules", "bisect", str(tmp_path / "wrong.rules"), str(tmp_path / "m.pt"),
                          "--inputs", str(tmp_path / "in.pt")], capture_output=True, text=True)
    assert run.returncode == 1 and "rule bad at" in run.stdout, run.stderr
