"""fxrules.verify, on rules that are right and rules that are not."""

import subprocess
import sys

import pytest

import fxrules
from fxrules.verification import mutate

FAST = {"samples": 3, "tries": 200}


# What it changes is which storage a name has, and the calls around it see to that.
ABOUT_STORAGE = {"other_data"}


@pytest.mark.parametrize("file", sorted(p.name for p in fxrules.rules_folder().glob("*.rules")))
def test_no_shipped_rule_differs(file):
    result = fxrules.verify(file, **FAST)
    wrong = [f for f in result.findings if f.verdict == "differs" and f.rule not in ABOUT_STORAGE]
    assert not wrong, str(result)
    assert len(result.findings) == len(fxrules.RuleSet.from_file(file).rules)


@pytest.mark.parametrize("rule, what", [
    ("wrong: sub(x, y) => rsub(x, y)", "was"),
    ("wrong: neg(x) => abs(x)", "was"),
    ("wrong: to(x, ..) => x", "dtype"),
    ("wrong: clone(x, ..) => x if shape(root) == shape(x)", "strides"),
    ("wrong: view(x, ..) => x", "was"),
    ("wrong: add_(d, s) => mul(d, s)", "was"),
    ("wrong: add(b @ exp(_), _) => { _ = mul_(b, 2), root = b } if last_use(b, root)", "was"),
    ("wrong: expand_as(x, y) => x if dtype(x) == dtype(y)", "shape"),
])
def test_wrong_rules_are_caught(rule, what):
    finding = fxrules.verify(fxrules.RuleSet.from_string(rule)).findings[0]
    assert finding.verdict == "differs" and what in finding.text, finding


def test_a_rule_that_never_applies_is_no_rule():
    finding = fxrules.verify(fxrules.RuleSet.from_string("neg(x) => x if rank(x) == 77"), **FAST).findings[0]
    assert finding.verdict == "never" and not finding.ok


def test_mutants_are_caught():
    results = mutate("noop.rules", only=["view_same", "to_same", "permute_same", "slice_same"], samples=10, tries=200)
    assert len(results) >= 6
    assert sum(r.caught for r in results) >= 0.8 * len(results), [r for r in results if not r.caught]


def test_command(tmp_path):
    (tmp_path / "wrong.rules").write_text("gone: neg(x) => x\n")
    run = subprocess.run([sys.executable, "-m", "fxrules", "verify", str(tmp_path / "wrong.rules"), "--samples", "3"],
                         capture_output=True, text=True)
    assert run.returncode == 1 and "FAIL gone: differs" in run.stdout and run.stdout.endswith("0 passed, 1 failed\n")
