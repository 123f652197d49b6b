"""Steps of real models after inplace.rules: nothing is left in place, and over several calls they compute the same."""

import copy
import functools
import operator
import os
import unittest
import warnings

try:
    import pytest
    import torch
except ImportError as missing:
    raise unittest.SkipTest(f"needs torch: {missing}")

from torch.fx.experimental.proxy_tensor import make_fx
from torch.utils import _pytree as pytree

import functional_captures
import fx_text
import harness
import model_programs

if harness.program() is None:
    missing = "needs a built fxrules: set FXRULES or build the release preset"
    raise FileNotFoundError(missing) if os.environ.get("CI") == "true" else unittest.SkipTest(missing)

warnings.filterwarnings("ignore")
RULES = [harness.rule_file("inplace.rules")]
CACHES = [name for name, model in model_programs.MODELS.items() if model.cache]
STEPS = 3


@functools.lru_cache(maxsize=None)
def fresh(name):
    return model_programs.fresh(name)


def capture_of(module, values):
    names = [node.name for node in module.graph.nodes if node.op == "placeholder"]
    return functional_captures.Capture(module, dict(zip(names, values)))


def writes(node):
    if node.op == "call_method":
        return node.target.endswith("_") and not node.target.endswith("__")
    if node.op != "call_function":
        return False
    schema = getattr(node.target, "_schema", None)
    if schema is not None:
        return schema.is_mutable
    named = node.target.__name__
    in_place = node.target in (operator.setitem, operator.iadd, operator.isub, operator.imul, operator.itruediv)
    return in_place or "out" in node.kwargs or node.kwargs.get("inplace") or (named.endswith("_") and not named.endswith("__"))


def leaves(value):
    return [v.clone() if isinstance(v, torch.Tensor) else v for v in pytree.tree_leaves(value)]


def same(left, right):
    torch.testing.assert_close(left, right, rtol=1e-5, atol=1e-6, equal_nan=True)


def handed_back(result, entries):
    """What the caller stores: new values of inputs, by name; and the result without those that were appended."""
    values = {entry["input"]: result[entry["output"]] for entry in entries}
    appended = sum(entry["appended"] for entry in entries)
    return values, result[: len(result) - appended] if appended else result


@pytest.mark.parametrize("name", model_programs.MODELS)
def test_steps(name):
    module, state, places, calls = fresh(name)
    capture = capture_of(module, state)
    applied = harness.apply(RULES, capture.text())
    left = [node.name for node in fx_text.read_graph(applied.text).nodes if writes(node)]
    assert not left, applied.text
    entries = applied.report["mutated_inputs"]
    assert entries
    before, after = (fx_text.read_module(text, capture.attributes) for text in (capture.text(), applied.text))
    old, new = copy.deepcopy(state), copy.deepcopy(state)
    names = list(capture.inputs)
    for arguments in calls[:STEPS]:
        for place, argument in zip(places, arguments):
            if place is None:
                continue
            old[place], new[place] = argument.clone(), argument.clone()
        with torch.no_grad():
            expected, found = (torch.fx.Interpreter(m).run(*values) for m, values in ((before, old), (after, new)))
        values, found = handed_back(found, entries)
        same(leaves(found), leaves(expected))
        for input_name, value in values.items():
            new[names.index(input_name)] = value.clone()
        same(new, old)


# ---------------------------------------------------------------- no bloat

SCATTERS = ("select_scatter", "slice_scatter", "diagonal_scatter", "as_strided_scatter")


def views_and_scatters(graph):
    count = 0
    for node in graph.nodes:
        schema = getattr(node.target, "_schema", None)
        if schema is None:
            continue
        aliases = any(a.alias_info and not a.alias_info.is_write for a in schema.arguments)
        count += aliases or node.target.overloadpacket.__name__ in SCATTERS
    return count


def by_aot_autograd(module, values):
    from functorch.compile import aot_function, make_boxed_func

    graphs = []

    def compiler(inner, _):
        graphs.append(inner.graph)
        return make_boxed_func(inner)

    with torch.no_grad():
        aot_function(module.forward, fw_compiler=compiler)(*copy.deepcopy(values))
    return graphs[0]


@pytest.mark.parametrize("name", CACHES)
def test_caches_take_no_more_views_than_in_aot_autograd(name):
    module, state, _, _ = fresh(name)
    with torch.no_grad():
        in_place = make_fx(module)(*copy.deepcopy(state))
    applied = harness.apply(RULES, capture_of(in_place, state).text())
    ours, theirs = views_and_scatters(fx_text.read_graph(applied.text)), views_and_scatters(by_aot_autograd(module, state))
    assert ours <= theirs, f"{ours} views and scatters, {theirs} with AOTAutograd\n{applied.text}"
