"""Random programs of every form of writing: none wrong, and what is refused counted by construct and by reason."""

import collections
import copy
import os
import subprocess
import unittest

try:
    import pytest
except ImportError as missing:
    raise unittest.SkipTest(f"needs pytest: {missing}")

import harness
import random_programs
import test_inplace_numeric
import traced

COUNT = 20_000 if os.environ.get("FXRULES_FULL") == "1" else int(os.environ.get("FXRULES_ROUNDS", 1000))
PARTS = 2


def reason(refusal):
    """The first error, without the names of nodes and numbers."""
    line = next((line for line in str(refusal).splitlines() if "error:" in line), str(refusal).splitlines()[0])
    text = line.partition("error:")[2].strip()
    return "".join("N" if c.isdigit() else c for c in text)


def judge(seed):
    """The program's constructs, and why it was refused, if it was."""
    inputs = harness.make_inputs(random_programs.INPUTS, seed)
    program = random_programs.random_program(seed, copy.deepcopy(inputs))
    graph = traced.with_values(program.graph, inputs)
    text = traced.text(graph)
    if test_inplace_numeric.eager_fails(text, inputs):
        return program.constructs, "eager"
    try:
        test_inplace_numeric.check(text, inputs, ("return", "copy_back")[seed % 2])
    except harness.Refused as refusal:
        return program.constructs, reason(refusal)
    except (AssertionError, RuntimeError, subprocess.TimeoutExpired) as failure:
        raise AssertionError(f"seed {seed}: {sorted(program.constructs)}\n{failure}") from failure
    return program.constructs, None


@pytest.mark.parametrize("part", range(PARTS))
def test_random_programs(part):
    seeds = range(part * COUNT // PARTS, (part + 1) * COUNT // PARTS)
    occurs, refused, reasons = collections.Counter(), collections.Counter(), collections.Counter()
    programs = 0
    for seed in seeds:
        constructs, why = judge(seed)
        if why == "eager":
            continue
        programs += 1
        occurs.update(constructs)
        if why is not None:
            refused.update(constructs)
            reasons[why] += 1
    for why, count in reasons.most_common():
        print(f"{count:5} refused: {why}")
    rare = {name: occurs[name] for name in random_programs.ALL if occurs[name] < 0.02 * programs}
    assert not rare, f"of {programs} programs: {rare}"
    often = {name: f"{refused[name]} of {occurs[name]}" for name in occurs if refused[name] > max(0.05 * occurs[name], 1)}
    assert not often, f"{often}\n{reasons}"
