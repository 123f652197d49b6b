"""Python functions as graphs of methods and functions, with the metadata that eager PyTorch gives each value.

torch prints no metadata for inputs; fxrules reads it there too, so `text` writes it for every node.
"""

import copy

import torch
from torch.utils import _pytree as pytree
from torch.utils._dtype_abbrs import dtype_abbrs


def call(target, *arguments, **keywords):
    """A call of a function that a proxy does not record by itself, as operator.iadd or operator.setitem."""
    proxies = [leaf for leaf in pytree.tree_leaves((arguments, keywords)) if isinstance(leaf, torch.fx.Proxy)]
    return proxies[0].tracer.create_proxy("call_function", target, arguments, keywords)


def trace(function, inputs):
    """The graph of `function`, each node with a picture of its value; where eager fails, only nodes before it."""
    graph = torch.fx.symbolic_trace(function).graph
    return with_values(graph, inputs)


def with_values(graph, inputs, attributes=None):
    try:
        _Picture(torch.fx.GraphModule(dict(attributes or {}), graph)).run(*copy.deepcopy(list(inputs.values())))
    except (RuntimeError, IndexError, TypeError, ValueError):
        pass  # the caller meets the same failure where it counts
    return graph


class _Picture(torch.fx.Interpreter):
    def run_node(self, node):
        value = super().run_node(node)
        node.meta["val"] = pytree.tree_map_only(torch.Tensor, picture, value)
        return value


def picture(value):
    """What metadata says of a tensor now: a later write may change its strides."""
    return torch.empty_strided(value.shape, value.stride(), dtype=value.dtype, device=value.device)


def text(graph, metadata=True):
    """As torch prints the graph; with metadata, inputs have it as well."""
    return "graph():\n" + "".join(f"    {_line(node, metadata)}\n" for node in graph.nodes)


def symbolic_text(graph, symbols):
    """With metadata of the inputs alone, their sizes symbols where `symbols` has them. The inputs are contiguous."""
    lines = []
    for node in graph.nodes:
        line, value = node.format_node(), node.meta.get("val")
        if node.op == "placeholder" and isinstance(value, torch.Tensor):
            sizes = [str(symbols.get(size, size)) for size in value.shape]
            strides = ["*".join(sizes[i + 1 :]) or "1" for i in range(len(sizes))]
            annotation = f'Tensor "{dtype_abbrs[value.dtype]}[{", ".join(sizes)}][{", ".join(strides)}]{value.device}"'
            line = line.replace(" : [num_users", f" : {annotation}[num_users", 1)
        lines.append(f"    {line}\n")
    return "graph():\n" + "".join(lines)


def _line(node, metadata):
    line = node.format_node(include_tensor_metadata=metadata and node.op.startswith("call"))
    value = node.meta.get("val")
    if metadata and node.op in ("placeholder", "get_attr") and isinstance(value, torch.Tensor):
        sizes, strides = (", ".join(map(str, numbers)) for numbers in (value.shape, value.stride()))
        annotation = f'Tensor "{dtype_abbrs[value.dtype]}[{sizes}][{strides}]{value.device}"'
        line = line.replace(" : [num_users", f" : {annotation}[num_users", 1)
    return line
