"""The shape functions of rules/shapes.rules against FakeTensorMode: dtypes and sizes are torch's or unknown, and
unknown only where that is listed; strides are torch's or unknown."""

import collections
import logging
import os
import re
import subprocess
import unittest

try:
    import pytest
    import torch
except ImportError as missing:
    raise unittest.SkipTest(f"needs torch: {missing}")

import fx_text
import harness
from shape_calls import Calls, draws, list_draws

if harness.program() is None:
    missing = "needs a built fxrules: set FXRULES or build the release preset"
    raise FileNotFoundError(missing) if os.environ.get("CI") == "true" else unittest.SkipTest(missing)

# How many calls, of more kinds than so many; for so many of them strides are known, of lists those of every item.
CALLS = {"single": (draws, 2400, 120, 0.8), "lists": (list_draws, 200, 4, 0.6)}
UNKNOWN = set()  # calls whose dtype or sizes may be unknown

TENSOR = re.compile(r"(\w+|\?)(?:\[(.*?)\])?(?:\[(.*?)\])?([a-z]+(?::\d+)?)?")


def add_call(graph, inputs, drawn):
    callee, args, kwargs = drawn

    def node(value):
        return torch.fx.node.map_aggregate(value, lambda v: inputs[id(v)] if isinstance(v, torch.Tensor) else v)

    if isinstance(callee, str):
        return graph.call_method(callee, node(args), node(kwargs))
    return graph.call_function(callee, node(args), node(kwargs))


def evaluate(drawn):
    callee, args, kwargs = drawn
    return getattr(args[0], callee)(*args[1:], **kwargs) if isinstance(callee, str) else callee(*args, **kwargs)


def draw_calls(table, count):
    logging.getLogger("torch._subclasses.fake_tensor").setLevel(logging.CRITICAL)  # refusals are expected
    calls = Calls(20261130)
    graph, inputs, specs, expected = torch.fx.Graph(), {}, [], {}
    names = list(table)
    for k in range(10 * count):
        if len(expected) == count:
            break
        name = names[k % len(names)]
        calls.inputs = []
        drawn = table[name](calls)
        try:
            with calls.mode:
                value = evaluate(drawn)
        except Exception:  # torch refuses these operands
            continue
        for fake in calls.inputs:
            placeholder = graph.placeholder(f"x{len(specs)}")
            inputs[id(fake)] = placeholder
            specs.append((placeholder.name, fake))
        call = add_call(graph, inputs, drawn)
        expected[call.name] = (name, value, drawn)
    graph.output(None)
    return graph, specs, expected


def sizes(text):
    return None if text is None else [s.strip() for s in text.split(",") if s.strip()]


def differences(said, value):
    """What is said against what torch gives: (wrong, unknown), names of facts."""
    if isinstance(value, (tuple, list)) and not isinstance(value, torch.Size):
        parts = fx_text.split_items(said[1:-1].rstrip(",")) if said.startswith("(") else None
        if parts is None:
            return [], ["dtype", "shape"]
        if len(parts) != len(value):
            return [f"{len(parts)} results"], []
        found = [differences(part.strip(), v) for part, v in zip(parts, value)]
        return [w for wrong, _ in found for w in wrong], [u for _, unknown in found for u in unknown]
    if isinstance(value, torch.Size):
        value, said = tuple(value), said.replace("Sym(", "").replace(")", "").replace("(", "").rstrip(",")
        return ([], []) if said == ", ".join(map(str, value)) else ([f"size {said}"], [])
    if isinstance(value, int):
        return ([], []) if said == f"Sym({value})" else ([], ["value"]) if said == "?" else ([f"value {said}"], [])
    dtype, shape, strides, device = TENSOR.fullmatch(said).groups()
    wrong, unknown = [], []
    if dtype == "?":
        unknown.append("dtype")
    elif fx_text.dtype_of(dtype) != value.dtype:
        wrong.append(f"dtype {dtype} for {value.dtype}")
    shape, strides = sizes(shape), sizes(strides)
    if shape is None or "?" in shape:
        unknown.append("shape")
    if shape is not None and (len(shape) != value.dim() or any(s not in ("?", str(n)) for s, n in zip(shape, value.shape))):
        wrong.append(f"shape {shape} for {list(value.shape)}")
    if strides is None or "?" in strides:
        unknown.append("strides")
    if strides is not None and (len(strides) != value.dim() or
                                any(s not in ("?", str(n)) for s, n in zip(strides, value.stride()))):
        wrong.append(f"strides {strides} for {list(value.stride())}")
    if device is not None and device != value.device.type:
        wrong.append(f"device {device}")
    return wrong, unknown


def described(value):
    if isinstance(value, torch.Tensor):
        return f"{str(value.dtype)[6:]}{list(value.shape)}{list(value.stride())}"
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(map(described, value)) + "]"
    return repr(value)


@pytest.fixture(scope="module", params=CALLS)
def inferred(request, tmp_path_factory):
    table, count, *_ = CALLS[request.param]
    graph, specs, expected = draw_calls(table(), count)
    folder = tmp_path_factory.mktemp("shapes")
    (folder / "graph.txt").write_text(str(graph) + "\n")
    (folder / "inputs.txt").write_text("".join(
        f"{name}={fake.dtype}{list(fake.shape)} strides=({','.join(map(str, fake.stride()))}) device=cpu\n"
        for name, fake in specs))
    run = subprocess.run([harness.program(), "infer", folder / "graph.txt", "--inputs", folder / "inputs.txt"],
                         capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    said = dict(line.split(" = ", 1) for line in run.stdout.splitlines())
    return [(name, said[node], value, drawn) for node, (name, value, drawn) in expected.items()]


def test_enough_calls(inferred, request):
    _, count, kinds, _ = CALLS[request.node.callspec.params["inferred"]]
    assert len(inferred) == count
    assert len({name for name, *_ in inferred}) > kinds


def test_what_is_said_is_what_torch_gives(inferred):
    wrong = []
    for name, said, value, drawn in inferred:
        found, _ = differences(said, value)
        if found:
            wrong.append(f"{name}: {'; '.join(found)}\n    {drawn[0]} {described(drawn[1])} {drawn[2]} -> {described(value)}")
    assert not wrong, f"{len(wrong)} of {len(inferred)}\n" + "\n".join(wrong[:60])


def test_dtypes_and_sizes_are_known(inferred):
    unknown = collections.Counter()
    examples = {}
    for name, said, value, drawn in inferred:
        _, found = differences(said, value)
        if "dtype" in found or "shape" in found or "value" in found:
            unknown[name] += 1
            examples[name] = f"{drawn[0]} {described(drawn[1])} {drawn[2]} -> {described(value)}: {said}"
    assert set(unknown) <= UNKNOWN, "\n".join(f"{n} {unknown[n]}: {examples[n]}" for n in unknown)


def test_most_strides_are_known(inferred, request):
    *_, share = CALLS[request.node.callspec.params["inferred"]]
    known = sum("strides" not in differences(said, value)[1] for _, said, value, _ in inferred)
    assert known >= share * len(inferred), f"{known} of {len(inferred)}"
