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
