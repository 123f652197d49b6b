"""The in-place to out-of-place pass as its documentation tells it, over torch.fx: what fxrules is measured against.

For each in-place call, in program order: a call of the functional form takes its place, and a walk over every later
node exchanges the old value for the new one, however deep it stands in arguments. That walk is what makes the whole
quadratic: writes times nodes. Only what the benchmarks need of the documented forms is here: in-place methods by
their name, `copy_`, and `setitem` with an int or a slice.
"""

import operator

import torch
from torch.fx import GraphModule, Node


def exchanged(value, old, new):
    """`value` with `new` wherever `old` stands, in tuples, lists and dicts too."""
    if value is old:
        return new
    if isinstance(value, (tuple, list)):
        return type(value)(exchanged(v, old, new) for v in value)
    if isinstance(value, dict):
        return {k: exchanged(v, old, new) for k, v in value.items()}
    return value


def move_later_uses(graph, old, new):
    behind = False
    for node in graph.nodes:
        if behind and node.op in ("call_method", "call_function", "output"):
            node.args = exchanged(node.args, old, new)
            node.kwargs = exchanged(node.kwargs, old, new)
        behind = behind or node is new


def is_in_place_method(node):
    return node.op == "call_method" and node.target.endswith("_") and not node.target.endswith("__")


def scattered(graph, buffer, index, value):
    """The call that gives the buffer with the value in place, or None where this form is not wanted here."""
    if isinstance(index, int):
        if not isinstance(value, Node):
            region = graph.call_function(torch.select, (buffer, 0, index))
            value = graph.call_function(torch.full_like, (region,), {"fill_value": value})
        return graph.call_function(torch.select_scatter, (buffer, value), {"dim": 0, "index": index})
    if isinstance(index, slice) and index.step is None and isinstance(value, Node):
        place = {"dim": 0, "start": index.start, "end": index.stop}
        return graph.call_function(torch.slice_scatter, (buffer, value), place)
    return None


def out_of_place(gm: GraphModule) -> int:
    """Rewrites the graph; how many calls were converted."""
    graph, converted = gm.graph, 0
    for node in list(graph.nodes):
        buffer, new = node.args[0] if node.args else None, None
        if is_in_place_method(node) and node.target != "copy_":
            node.target, new = node.target[:-1], node
        elif is_in_place_method(node) or node.target is operator.setitem:
            with graph.inserting_before(node):
                if node.target is operator.setitem:
                    new = scattered(graph, *node.args)
                else:
                    source = graph.call_method("expand_as", (node.args[1], buffer))
                    new = graph.call_function(torch.slice_scatter, (buffer, source))
            if new is None:
                continue
            node.replace_all_uses_with(new)
            graph.erase_node(node)
        if new is not None:
            new.name = f"{buffer.name.split('_modified')[0]}_modified_{converted}"
            move_later_uses(graph, buffer, new)
            converted += 1
    return converted
