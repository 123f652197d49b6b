"""The models behind the dumps, and how a graph becomes text. One function makes one or several files."""

import functools
import os
import random
import sys
import warnings

import torch
from torch.utils._dtype_abbrs import dtype_abbrs

# Dynamo reads bytecode and prints what Python's own `repr` says: the names in a dump depend on both.
TORCH_SERIES, PYTHON_SERIES = "2.13", "3.11"
_makers = {}


def capture(*names):
    """Registers a function that returns the texts of these files, in this order."""

    def register(maker):
        maker = functools.lru_cache(maxsize=None)(maker)
        for position, name in enumerate(names):
            _makers[name] = (maker, position)
        return maker

    return register


def names():
    return sorted(_makers)


def supported():
    return torch.__version__.startswith(TORCH_SERIES + ".") and sys.version.startswith(PYTHON_SERIES + ".")


def origin():
    return f"torch {TORCH_SERIES} on Python {PYTHON_SERIES}"


def text(name):
    """The bytes of one dump; the same in every process."""
    if not supported():
        raise SystemExit(f"the dumps come from {origin()}; this is torch {torch.__version__}, Python {sys.version.split()[0]}")
    maker, position = _makers[name]
    result = _quietly(maker)
    return (result if isinstance(result, tuple) else (result,))[position]


def _quietly(maker):
    random.seed(0)
    torch.manual_seed(0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return maker()


def plain(graph):
    """What print(graph) shows."""
    return f"{graph}\n"


def with_metadata(graph):
    """Graph.__str__ has no option for metadata, the node has: same header, indent and return line."""
    lines = [node.format_node(include_tensor_metadata=True) for node in graph.nodes]
    return "graph():\n" + "".join(f"    {line}\n" for line in lines)


def both(graph):
    return plain(graph), with_metadata(graph)


def input_specs(graph):
    """One line an input, in the notation of `fxrules apply --inputs`."""
    lines = [f"{node.name}={_spec(node)}\n" for node in graph.nodes if node.op == "placeholder"]
    return "".join(lines)


def _spec(node):
    value = node.meta.get("val", node.meta.get("example_value"))
    if not isinstance(value, torch.Tensor):
        return "int" if isinstance(value, (int, torch.SymInt)) else "none"
    sizes, strides = (",".join(map(str, numbers)) for numbers in (value.shape, value.stride()))
    comma = "," if value.dim() == 1 else ""
    return f"{dtype_abbrs[value.dtype]}[{sizes}] strides=({strides}{comma}) device={value.device}"


def dynamo(function, *arguments, **options):
    """The single graph that torch.compile hands to its backend."""
    graphs = []

    def backend(module, _):
        graphs.append(module)
        return module.forward

    torch._dynamo.reset()
    torch.compile(function, backend=backend, fullgraph=True, **options)(*arguments)
    (module,) = graphs
    return module


def exported(module, arguments, decompositions=0, **options):
    """torch.export's program after so many runs of the default decompositions."""
    program = torch.export.export(module, arguments, strict=False, **options)
    for _ in range(decompositions):
        program = program.run_decompositions()
    return program


os.environ.setdefault("TORCH_LOGS", "-all")
