"""After inplace.rules a program computes what it computed, and every input that was written is where the report says."""

import collections
import copy
import os
import subprocess
import unittest

try:
    import pytest
    import torch
except ImportError as missing:
    raise unittest.SkipTest(f"needs torch: {missing}")

import harness
import inplace_cases
import random_writes
import traced

if harness.program() is None:
    missing = "needs a built fxrules: set FXRULES or build the release preset"
    raise FileNotFoundError(missing) if os.environ.get("CI") == "true" else unittest.SkipTest(missing)

RULES = [harness.rule_file("inplace.rules")]
MODES = ("return", "copy_back", "drop")


def eager_fails(text, inputs):
    try:
        harness.run(text, inputs)
    except (RuntimeError, IndexError, TypeError, ValueError):
        return True
    return False


def stays_and_fails(before, inputs):
    try:
        return eager_fails(harness.apply(RULES, before, ["--mutated-inputs", "copy_back"]).text, inputs)
    except harness.Refused:
        return False


def check(before, inputs, mode, attributes=None):
    """Runs both graphs and compares what a caller can observe; the applied rules."""
    applied = harness.apply(RULES, before, ["--mutated-inputs", mode])
    shown = f"{mode}\n--- before\n{before}\n--- after\n{applied.text}"
    old = harness.run(before, inputs, attributes)
    try:
        new = harness.run(applied.text, inputs, attributes)
    except Exception as failure:
        raise AssertionError(f"{failure}\n{shown}") from failure
    given_up = [name for name in inputs if _changed(inputs[name], old.inputs[name])] if mode == "drop" else []
    entries = applied.report["mutated_inputs"]
    assert harness.differences_of_writes(old, new, entries, given_up) == [], shown
    where = {"return": (False, True), "copy_back": (True, False), "drop": None}[mode]
    for entry in entries:
        if entry["input"] in inputs:
            assert (entry["copied_back"], entry["output"] is not None) == where, shown
    return applied


def _changed(old, new):
    return isinstance(old, torch.Tensor) and not (old.shape == new.shape and torch.equal(old.nan_to_num(), new.nan_to_num()))


def cases():
    for label, case in inplace_cases.CASES.items():
        for mode in MODES:
            for metadata in (True, False):
                if mode == "copy_back" and (case.reshapes is True or (case.reshapes and not metadata)):
                    continue
                name = f"{label}, {mode}" + ("" if metadata else ", plain")
                yield pytest.param(case, mode, metadata, id=name)


@pytest.mark.parametrize("case, mode, metadata", cases())
def test_case(case, mode, metadata):
    inputs = harness.make_inputs(case.inputs)
    before = traced.text(traced.trace(case.function, inputs), metadata)
    refused = case.refused if metadata else case.plain or case.refused
    if not refused:
        check(before, inputs, mode)
    elif mode == "copy_back" and stays_and_fails(before, inputs):
        pass  # a last copy_ into an input stays, and fails as it did
    elif metadata or case.plain or not eager_fails(before, inputs):  # what only shapes and dtypes show, a plain dump does not
        with pytest.raises(harness.Refused) as refusal:
            harness.apply(RULES, before, ["--mutated-inputs", mode])
        assert refused in refusal.value.kinds


def test_a_dict_takes_no_further_values():
    inputs = harness.make_inputs("x=f32[3]")
    before = traced.text(traced.trace(lambda x: {"a": x.add_(1).neg()}, inputs))
    with pytest.raises(harness.Refused) as refusal:
        check(before, inputs, "return")
    assert refusal.value.kinds == ["mutated-input"]
    for mode in ("copy_back", "drop"):
        check(before, inputs, mode)


def test_ints_never_require_a_gradient():
    inputs = harness.make_inputs("x=i64[3]")
    before = traced.text(traced.trace(lambda x: x.requires_grad_(False).neg(), inputs))
    assert check(before, inputs, "return").counts() == {"same_grad": 1}


@pytest.mark.parametrize("label", [label for label, case in inplace_cases.CASES.items() if case.reshapes is True])
def test_no_copy_gives_an_input_another_shape(label):
    case = inplace_cases.CASES[label]
    before = traced.text(traced.trace(case.function, harness.make_inputs(case.inputs)))
    with pytest.raises(harness.Refused):
        harness.apply(RULES, before, ["--mutated-inputs", "copy_back"])


# ---------------------------------------------------------------- random numbers

DISTRIBUTIONS = [
    ("bernoulli_", (0.3,)), ("bernoulli_", ("probabilities",)), ("normal_", (1.5, 2.0)), ("normal_", ()),
    ("uniform_", (-1.0, 3.0)), ("uniform_", ()), ("exponential_", (0.7,)), ("cauchy_", (0.5, 2.0)),
    ("log_normal_", (0.2, 0.5)), ("random_", (2, 9)), ("random_", (5,)), ("geometric_", (0.4,)),
]  # fmt: skip


@pytest.mark.parametrize("dtype", ("f32", "f64"))
@pytest.mark.parametrize("name, arguments", DISTRIBUTIONS)
def test_random_writes_keep_their_distribution(name, arguments, dtype):
    count = 50_000
    inputs = harness.make_inputs(f"x={dtype}[{count}]\np=f64[{count}]\n", p=torch.full((count,), 0.7, dtype=torch.float64))
    graph = traced.trace(lambda x, p: getattr(x, name)(*(p if a == "probabilities" else a for a in arguments)), inputs)
    applied = harness.apply(RULES, traced.text(graph))
    assert f"target={name}]" not in applied.text
    (old,), (new,) = (harness.run(text, inputs).outputs for text in (traced.text(graph), applied.text))
    assert (old.dtype, old.shape) == (new.dtype, new.shape)
    assert largest_gap(old, new) < 0.015, "the Kolmogorov-Smirnov distance of equal distributions is below 0.0126 in 999 of 1000"


def largest_gap(a, b):
    """Between the two distribution functions."""
    a, b = a.double().sort().values, b.double().sort().values
    below = [torch.searchsorted(values, torch.cat([a, b]), right=True) / len(values) for values in (a, b)]
    return (below[0] - below[1]).abs().max().item()


# ---------------------------------------------------------------- random programs


def reshapes(graph, inputs):
    after = harness.run(traced.text(graph), inputs).inputs
    return any(after[name].shape != value.shape for name, value in inputs.items())


def verdict(graph, inputs, mode, metadata):
    """"equal", the names of the diagnostics that refused the graph, or what is wrong."""
    try:
        check(traced.text(graph, metadata), inputs, mode)
    except harness.Refused as refusal:
        return ", ".join(sorted(set(refusal.kinds))) or f"wrong: {refusal}"
    except (AssertionError, RuntimeError, IndexError, TypeError, subprocess.TimeoutExpired) as failure:
        if eager_fails(traced.text(graph, metadata), inputs):
            return "fails as it is"
        return f"wrong: {failure}"
    return "equal"


def test_random_programs():
    rounds = int(os.environ.get("FXRULES_ROUNDS", 5000 if os.environ.get("FXRULES_FULL") else 300))
    verdicts = collections.Counter()
    for seed in range(rounds):
        inputs = harness.make_inputs(random_writes.INPUTS, seed)
        graph = traced.with_values(random_writes.random_program(seed, copy.deepcopy(inputs)), inputs)
        mode, metadata = MODES[seed % 3], seed % 4 != 3
        if mode == "copy_back" and reshapes(graph, inputs):
            mode = "return"
        found = verdict(graph, inputs, mode, metadata)
        if found.startswith("wrong"):
            fails = lambda smaller: verdict(smaller, inputs, mode, metadata).startswith("wrong")  # noqa: E731
            least = random_writes.smallest(graph, inputs, fails)
            found = f"{verdict(least, inputs, mode, metadata)}\n(seed {seed})\n"
        verdicts[found] += 1
    print(verdicts)
    failures = [found for found in verdicts if found.startswith("wrong")]
    assert not failures, f"{len(failures)} of {rounds} are wrong\n" + "\n".join(failures[:20])
    assert verdicts["equal"] > rounds // 3, verdicts
