"""Random small graphs of copies, views and in-place writes: where a removed copy would show, it shows here.

Every call runs in eager PyTorch while the graph grows, so the printed metadata is what torch computes.
"""

import random

import torch

import captures

aten = torch.ops.aten
END = 2**63 - 1
INPUTS = "x=f32[2,3]\ny=f32[3,2]\nz=f32[2,6] strides=(1,2)\ni=i64[1]\nf=f64[2,3]\n"


def method(name, *arguments, **keywords):
    return lambda pick: ("call_method", name, (pick(), *arguments), keywords)


def function(target, *arguments, **keywords):
    return lambda pick: ("call_function", target, (pick(), *arguments), keywords)


def in_pair(target, *arguments):
    return lambda pick: ("call_function", target, (pick(), pick(), *arguments), {})


def index_update(pick):
    return "call_function", aten.index_put.default, (pick(), [pick(torch.int64)], pick()), {}


def write(name):
    return lambda pick: ("call_method", name, (pick(), pick()), {})


CALLS = [
    function(aten.mul.Tensor, 2), in_pair(aten.add.Tensor), in_pair(torch.maximum), function(aten.relu.default),
    method("clone"), function(aten.clone.default), method("clone", memory_format=torch.contiguous_format),
    function(aten.alias.default), method("detach"), method("to", torch.float32), method("to", torch.float64),
    method("to", torch.float32, copy=True), method("to", "cpu"), function(aten._to_copy.default, dtype=torch.float32),
    function(aten._to_copy.default), method("t"), function(aten.permute.default, [0, 1]), function(aten.permute.default, [1, 0]),
    function(aten.permute_copy.default, [0, 1]), method("view", -1), method("view", 2, 3), method("view", torch.int32), method("reshape", 3, 2),
    method("reshape", 2, 3), function(aten.view_copy.default, [2, 3]), method("expand", 2, 3), method("expand", -1, -1),
    function(aten.expand_copy.default, [2, 3]), function(aten.slice.Tensor, 0, 0, END), function(aten.slice.Tensor, 1, 0, 2),
    function(aten.slice.Tensor, 0, -1, END), function(aten.slice_copy.Tensor, 0, 0, END), function(aten.slice_copy.Tensor, 1, 1, END),
    function(aten.select.int, 0, 0), method("unsqueeze", 0), method("squeeze", 0), in_pair(aten.slice_scatter.default, 0, 0, END),
    in_pair(aten.slice_scatter.default, 1, 0, 2), index_update, in_pair(aten.copy.default),
    lambda pick: ("call_function", aten.cat.default, ([pick()],), {}),
    lambda pick: ("call_function", torch.cat, ([pick(), pick()], -1), {}),
    write("add_"), write("copy_"), write("mul_"), method("add_", 1), function(aten.zero_.default), function(aten.fill_.Scalar, 3),
]


class Builder:
    """Grows a graph by calls that eager accepts."""

    def __init__(self, seed, inputs):
        self.random = random.Random(seed)
        self.graph, self.values = torch.fx.Graph(), {}
        for name, value in inputs.items():
            self.values[self.graph.placeholder(name)] = value

    def pick(self, dtype=None):
        """A value, the newer the likelier, so that chains grow."""
        fitting = [node for node, value in self.values.items() if (value.dtype == torch.int64) == (dtype == torch.int64)]
        return fitting[max(self.random.randrange(len(fitting)), self.random.randrange(len(fitting)))]

    def grow(self):
        opcode, target, arguments, keywords = self.random.choice(CALLS)(self.pick)
        operands = torch.fx.map_arg(arguments, lambda node: self.values[node])
        try:
            call = getattr(operands[0], target) if opcode == "call_method" else target
            value = call(*(operands[1:] if opcode == "call_method" else operands), **keywords)
        except (RuntimeError, IndexError):
            return
        node = self.graph.create_node(opcode, target, arguments, keywords)
        node.meta["val"] = value
        self.values[node] = value

    def finish(self):
        """Returns some of the values, some of them more than once; returns the text."""
        for _ in range(self.random.randint(0, 2)):
            self.grow()
        kept = [self.pick() for _ in range(self.random.randint(1, 3))]
        self.graph.output(tuple(kept))
        return captures.with_metadata(self.graph)


def random_graph(seed, inputs, calls=12):
    """The text of a graph over these inputs, which are consumed."""
    builder = Builder(seed, inputs)
    for _ in range(calls):
        builder.grow()
    return builder.finish()
