"""Writes docs/functionaliser.md: what torch.func.functionalize, AOTAutograd and inplace.rules make of each program."""

import copy
import pathlib
import warnings

import torch
from torch.fx.experimental.proxy_tensor import make_fx
from torch.utils import _pytree as pytree

import functional_captures
import functional_programs
import harness

RULES = [harness.rule_file("inplace.rules")]
PAGE = harness.ROOT / "docs/functionaliser.md"


def calls(graph):
    return sum(node.op.startswith("call") for node in graph.nodes)


def observe(function, inputs):
    """What a caller sees: the values of the result and of the inputs afterwards."""
    inputs = copy.deepcopy(list(inputs.values()))
    with torch.no_grad():
        result = function(*inputs)
    return [value.clone() if isinstance(value, torch.Tensor) else value for value in pytree.tree_leaves((result, inputs))]


def same(left, right):
    return len(left) == len(right) and all(
        torch.equal(a.nan_to_num(), b.nan_to_num()) and a.dtype == b.dtype if isinstance(a, torch.Tensor) else a == b
        for a, b in zip(left, right))


def close(left, right):
    return len(left) == len(right) and all(
        a.shape == b.shape and a.dtype == b.dtype and torch.allclose(a, b, 1e-5, 1e-6, equal_nan=True)
        if isinstance(a, torch.Tensor) else a == b for a, b in zip(left, right))


def verdict(run):
    """(word, calls in the graph) of a function that gives what a caller sees and the graph."""
    try:
        right, graph = run()
    except Exception:  # whatever it is, there is no graph
        return "refused", None
    return ("right" if right else "wrong"), calls(graph)


def by_functionalize(program, inputs):
    module = make_fx(torch.func.functionalize(program.function))(*copy.deepcopy(list(inputs.values())))
    return close(observe(module, inputs), observe(program.function, inputs)), module.graph


def by_aot_autograd(program, inputs):
    graphs = []

    def compiler(module, _):
        graphs.append(module.graph)
        return module

    from functorch.compile import aot_function, make_boxed_func

    compiled = aot_function(program.function, fw_compiler=lambda m, a: make_boxed_func(compiler(m, a)))
    return close(observe(compiled, inputs), observe(program.function, inputs)), graphs[0]


def by_rules(program, inputs):
    import fx_text

    capture = functional_captures.by_make_fx(program.function, inputs)
    applied = harness.apply(RULES, capture.text())
    old = harness.run(capture.text(), capture.inputs, capture.attributes)
    new = harness.run(applied.text, capture.inputs, capture.attributes)
    found = harness.differences_of_writes(old, new, applied.report["mutated_inputs"], tolerance=1e-5)
    return not found, fx_text.read_graph(applied.text)


TOOLS = {"torch.func.functionalize": by_functionalize, "AOTAutograd": by_aot_autograd, "inplace.rules": by_rules}


def rows():
    for name, program in functional_programs.PROGRAMS.items():
        inputs = harness.make_inputs(program.inputs)
        yield name, [verdict(lambda tool=tool: tool(program, inputs)) for tool in TOOLS.values()]


def page():
    table, counts = [], {tool: {} for tool in TOOLS}
    for name, found in rows():
        cells = [word if size is None else f"{word}, {size}" for word, size in found]
        table.append(f"| {name.replace('_', ' ')} | " + " | ".join(cells) + " |")
        for tool, (word, _) in zip(TOOLS, found):
            counts[tool][word] = counts[tool].get(word, 0) + 1
    total = [f"| **all** | " + " | ".join(
        ", ".join(f"{counts[tool].get(word, 0)} {word}" for word in ("right", "wrong", "refused")) for tool in TOOLS) + " |"]
    head = [
        "# Functionalisers side by side", "",
        f"Programs of `tests/numeric/functional_programs.py` against eager PyTorch {torch.__version__.split('+')[0]}: whether what a caller sees is",
        "the same, and how many calls the graph has. A refusal is an error at capture or a diagnostic. Written by",
        "`python tests/numeric/functional_table.py`.", "",
        "| program | " + " | ".join(TOOLS) + " |", "|---|" + "---|" * len(TOOLS)]
    return "\n".join(head + total + table) + "\n"


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    PAGE.write_text(page())
