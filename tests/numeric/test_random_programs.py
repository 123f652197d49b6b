"""Random programs of every form of writing: none wrong, and what is refused counted by construct and by reason.

Each construct occurs in at least 2 % of the programs, and in at most 5 % of its programs is one refused. Programs that
eager refuses at their end are counted apart: the rules must refuse them, or leave what fails as well.
"""

import collections
import copy
import os
import subprocess
import unittest

try:
    import pytest
    import torch
except ImportError as missing:
    raise unittest.SkipTest(f"needs pytest and torch: {missing}")

import harness
import random_programs
import test_inplace_numeric
import test_nested
import traced

COUNT = 20_000 if os.environ.get("FXRULES_FULL") == "1" else int(os.environ.get("FXRULES_ROUNDS", 1000))
PART = 5_000  # the bounds hold in every part, and parts run side by side
LEAST, MOST = 0.02, 0.05
FAILS = "eager refuses it, and so do the rules"


def reason(refusal):
    """The first error, without the names of nodes and numbers."""
    line = next((line for line in str(refusal).splitlines() if "error:" in line), str(refusal).splitlines()[0])
    text = line.partition("error:")[2].strip()
    return "".join("N" if c.isdigit() else c for c in text)


def checked(seed, program, inputs):
    """Runs the program before and after; raises what is wrong with it."""
    if program.nested:
        module = torch.fx.GraphModule(program.attributes, program.graph)
        return test_nested.check(module, inputs, ("return", "copy_back")[seed // 5 % 2], not program.plain)
    graph = traced.with_values(program.graph, inputs, copy.deepcopy(program.attributes))
    symbols = random_programs.SYMBOLS
    text = traced.symbolic_text(graph, symbols) if program.symbolic else traced.text(graph, not program.plain)
    mode = test_inplace_numeric.MODES[seed % 3]
    if program.fails:
        return expect_failure(text, inputs, mode, program.attributes)
    return test_inplace_numeric.check(text, inputs, mode, program.attributes)


def expect_failure(text, inputs, mode, attributes):
    """Rules that cannot tell leave a program that fails as it did."""
    applied = harness.apply(test_inplace_numeric.RULES, text, ["--mutated-inputs", mode])
    with pytest.raises((RuntimeError, IndexError, TypeError, ValueError)):
        harness.run(applied.text, inputs, attributes)


def judge(seed):
    """The program's constructs, and why it was refused, if it was."""
    inputs = harness.make_inputs(random_programs.inputs_of(seed), seed)
    program = random_programs.random_program(seed, copy.deepcopy(inputs))
    try:
        checked(seed, program, inputs)
    except harness.Refused as refusal:
        assert refusal.kinds, f"seed {seed}: no diagnostic names why\n{refusal}"
        return program.constructs, FAILS if program.fails else reason(refusal)
    except (Exception, subprocess.TimeoutExpired, pytest.fail.Exception) as failure:
        raise AssertionError(f"seed {seed}: {sorted(program.constructs)}\n{failure}") from failure
    return program.constructs, FAILS if program.fails else None


@pytest.mark.parametrize("start", range(0, COUNT, PART))
def test_random_programs(start):
    seeds = range(start, min(start + PART, COUNT))
    occurs, refused, reasons, wrong = collections.Counter(), collections.Counter(), collections.Counter(), []
    for seed in seeds:
        try:
            constructs, why = judge(seed)
        except AssertionError as failure:
            wrong.append(str(failure))
            continue
        occurs.update(constructs)
        reasons.update([why] if why else ())
        refused.update(constructs if why and why != FAILS else ())
    for why, count in reasons.most_common():
        print(f"{count:5} refused: {why}")
    for name in random_programs.ALL:
        print(f"{occurs[name]:5} of {len(seeds)}, {refused[name]:4} refused: {name}")
    assert not wrong, f"{len(wrong)} of {len(seeds)} are wrong\n" + "\n\n".join(wrong[:10])
    rare = {name: occurs[name] for name in random_programs.ALL if occurs[name] < LEAST * len(seeds)}
    assert not rare, f"of {len(seeds)} programs: {rare}"
    often = {name: f"{refused[name]} of {occurs[name]}" for name in occurs if refused[name] > MOST * occurs[name]}
    assert not often, f"{often}\n{reasons}"
