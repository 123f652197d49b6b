"""inplace.rules on programs whose nested graphs write: nothing is left in place, and eager PyTorch computes the same."""

import collections
import copy
import itertools
import os
import unittest

try:
    import pytest
    import torch
except ImportError as missing:
    raise unittest.SkipTest(f"needs torch: {missing}")

from torch.utils import _pytree as pytree

import harness
import nested_programs

if harness.program() is None:
    missing = "needs a built fxrules: set FXRULES or build the release preset"
    raise FileNotFoundError(missing) if os.environ.get("CI") == "true" else unittest.SkipTest(missing)

RULES = [harness.rule_file("inplace.rules")]


def observe(module, inputs, names):
    """The leaves of the result, and each input afterwards."""
    inputs = copy.deepcopy(list(inputs.values()))
    torch.manual_seed(0)
    with torch.no_grad():
        result = module(*inputs)
    return result, dict(zip(names, inputs))


def same(a, b):
    if not isinstance(a, torch.Tensor) or not isinstance(b, torch.Tensor):
        return a is b
    return a.dtype == b.dtype and a.shape == b.shape and torch.equal(a.nan_to_num(), b.nan_to_num())


def variants(inputs):
    """The inputs with each value of a condition."""
    conditions = [name for name, value in inputs.items() if isinstance(value, torch.Tensor) and value.dtype == torch.bool and value.dim() == 0]
    for values in itertools.product((True, False), repeat=len(conditions)):
        yield {**inputs, **{name: torch.tensor(value) for name, value in zip(conditions, values)}}


def check(module, inputs, mode="return", metadata=True):
    before = nested_programs.text(nested_programs.with_values(module, inputs), metadata)
    applied = harness.apply(RULES, before, ["--mutated-inputs", mode])
    shown = f"--- before\n{before}\n--- after\n{applied.text}"
    assert not any(f"{name}_(" in applied.text for name in ("add", "mul", "sub", "copy", "neg", "zero")) or mode == "copy_back", shown
    old, new = nested_programs.read(before), nested_programs.read(applied.text)
    names, entries = list(inputs), applied.report["mutated_inputs"]
    for values in variants(inputs):
        expected, state = observe(old, values, names)
        try:
            found, state_after = observe(new, values, names)
        except Exception as failure:
            raise AssertionError(f"{failure}\n{shown}") from failure
        for entry in entries:
            if entry["output"] is not None:
                state_after[entry["input"]] = found[entry["output"]] if isinstance(found, (tuple, list)) else found
        appended = sum(entry["appended"] for entry in entries)
        if appended:
            found = found[: len(found) - appended]
            expected = () if expected is None else expected if isinstance(expected, (tuple, list)) else (expected,)
        left, right = pytree.tree_leaves(found), pytree.tree_leaves(expected)
        assert len(left) == len(right), shown
        for a, b in zip(left + [state_after[n] for n in names], right + [state[n] for n in names]):
            assert same(a, b), f"{a} is not {b}\n{shown}"
    return applied


def module_of(name):
    program = nested_programs.PROGRAMS[name]
    inputs = harness.make_inputs(program.inputs)
    return nested_programs.module_of(program.function, program.bodies, len(inputs)), inputs


@pytest.mark.parametrize("metadata", (True, False))
@pytest.mark.parametrize("mode", ("return", "copy_back"))
@pytest.mark.parametrize("name", nested_programs.PROGRAMS)
def test_program(name, mode, metadata):
    module, inputs = module_of(name)
    refused = nested_programs.PROGRAMS[name].refused
    if not refused:
        try:
            check(module, inputs, mode, metadata)
        except harness.Refused:
            if metadata:  # what only shapes tell, a plain dump does not
                raise
        return
    with pytest.raises(harness.Refused) as refusal:
        check(module, inputs, mode, metadata)
    assert refused in refusal.value.kinds


def verdict(module, inputs, mode, metadata):
    try:
        check(module, inputs, mode, metadata)
    except harness.Refused as refusal:
        return ", ".join(sorted(set(refusal.kinds)))
    except AssertionError as failure:
        return f"wrong: {failure}"
    return "equal"


def test_random_programs():
    rounds = int(os.environ.get("FXRULES_ROUNDS", 3000 if os.environ.get("FXRULES_FULL") else 150))
    verdicts = collections.Counter()
    for seed in range(rounds):
        module, inputs = nested_programs.random_nested(seed)
        found = verdict(module, inputs, ("return", "copy_back")[seed % 2], seed % 4 != 3)
        verdicts[f"{found} (seed {seed})" if found.startswith("wrong") else found] += 1
    print(verdicts)
    wrong = [found for found in verdicts if found.startswith("wrong")]
    assert not wrong, f"{len(wrong)} of {rounds} are wrong\n" + "\n".join(wrong[:5])
    assert verdicts["equal"] > rounds // 3, verdicts
