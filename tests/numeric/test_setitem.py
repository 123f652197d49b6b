"""Index assignments of every form, against eager PyTorch; what is refused, is refused by name."""

import collections
import operator
import os
import unittest

try:
    import pytest
    import torch
except ImportError as missing:
    raise unittest.SkipTest(f"needs torch: {missing}")

import harness
import random_indices
import test_inplace_numeric
import traced

COUNT = 20_000 if os.environ.get("FXRULES_FULL") == "1" else int(os.environ.get("FXRULES_ROUNDS", 300))
SLICES = 10


def programs(first, last):
    for seed in range(first, last):
        made = random_indices.Assignment(seed)
        specs = [f"b={made.dtype}{made.shape}".replace(" ", "")]
        names = []
        given = {}
        for position, tensor in enumerate(made.tensors):
            names.append(f"i{position}")
            kind = "b8" if tensor.dtype == torch.bool else "i64"
            specs.append(f"i{position}={kind}{list(tensor.shape)}".replace(" ", ""))
            given[names[-1]] = tensor
        base = harness.make_inputs(specs[0])["b"]
        try:
            region = base[made.index].shape
        except (IndexError, TypeError, ValueError):
            continue
        value = made.value(region)
        if isinstance(value, str):
            specs.append(f"v={value}")
        inputs = harness.make_inputs("\n".join(specs), seed=seed, **given)
        yield seed, graph_of(made, names, value, inputs), inputs


def graph_of(made, names, value, inputs):
    """`b[index] = value; return b` with the inputs as placeholders."""
    graph = torch.fx.Graph()
    nodes = {name: graph.placeholder(name) for name in inputs}
    tensors = {id(tensor): nodes[name] for tensor, name in zip(made.tensors, names)}

    def item(x):
        return tensors.get(id(x), x)

    index = tuple(map(item, made.index)) if isinstance(made.index, tuple) else item(made.index)
    graph.call_function(operator.setitem, (nodes["b"], index, nodes["v"] if isinstance(value, str) else value))
    graph.output(nodes["b"])
    return traced.with_values(graph, inputs)


def shown(inputs):
    return ", ".join(f"{name} {tuple(x.shape)} {x.dtype}" for name, x in inputs.items())


@pytest.mark.parametrize("part", range(SLICES))
def test_random_assignments(part):
    refused = collections.Counter()
    count = 0
    for seed, graph, inputs in programs(part * COUNT // SLICES, (part + 1) * COUNT // SLICES):
        before = traced.text(graph)
        if test_inplace_numeric.eager_fails(before, inputs):
            continue
        count += 1
        try:
            test_inplace_numeric.check(before, inputs, "return")
        except harness.Refused as refusal:
            refused[f"{refusal.kinds} {str(refusal).splitlines()[1][:160]}"] += 1
        except AssertionError as error:
            raise AssertionError(f"seed {seed}: {shown(inputs)}\n{error}") from None
    assert sum(refused.values()) <= 0.05 * count, refused


# What only a run needs to know of the inputs of a case.
UNSAID = {"C17": "b=f32[6,2]\nv=f64[2]", "C26": "v=f32[3,2]", "C45": "b=f32[2,3]\nm=b8[2,3]"}
CASES = sorted((harness.ROOT / "tests/cases/setitem").glob("*.case"))


@pytest.mark.parametrize("path", CASES, ids=lambda path: path.stem)
def test_cases(path):
    """Each case file: the graph that must come out does what the one that went in does."""
    head, *sections = path.read_text().split("--- ")
    graphs = dict(section.split("\n", 1) for section in sections)
    number = head[2:].split(".")[0]
    specs = head.partition("options:")[2].split("\n")[0].replace("--input ", "").split()
    inputs = harness.make_inputs("\n".join([*specs, *UNSAID.get(number, "").split()]))
    if number == "C26":
        inputs["s"] = 1
    if number == "C43":  # as many as there are values
        inputs["m"] = torch.tensor([[True, False, True], [False, True, False]])
    if "after" not in graphs:
        assert test_inplace_numeric.eager_fails(graphs["before"], inputs)
        return
    old, new = (harness.run(graphs[name], inputs) for name in ("before", "after"))
    buffer = next(iter(inputs))
    assert harness.differences(old, new, {buffer: 0}) == []
