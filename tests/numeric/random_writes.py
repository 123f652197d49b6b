"""Random programs of in-place writes, views of views and reads of both, in any order; and their smallest failing part.

Every call runs in eager PyTorch while the program grows, so that only what eager accepts stays.
"""

import builtins
import operator
import random

import torch

import traced

aten = torch.ops.aten
INPUTS = "x=f32[2,3]\ny=f32[3]\nz=f32[3,2] strides=(1,3)\nb=bf16[2,3]\ni=i64[2,3]\nm=b8[2,3]\ns=f32[]\n"


def method(name, *arguments, **keywords):
    return lambda pick: ("call_method", name, (pick(), *arguments), keywords)


def function(target, *arguments, **keywords):
    return lambda pick: ("call_function", target, (pick(), *arguments), keywords)


def pair(name, **keywords):
    return lambda pick: ("call_method", name, (pick(), pick()), keywords)


def pair_function(target, **keywords):
    return lambda pick: ("call_function", target, (pick(), pick()), keywords)


def index(*item):
    return function(operator.getitem, item if len(item) > 1 else item[0])


def out(target):
    return lambda pick: ("call_function", target, (pick(), pick()), {"out": pick()})


def lists(target, *arguments):
    return lambda pick: ("call_function", target, ([pick(), pick()], *arguments), {})


VIEWS = [
    method("view", -1), method("view", 3, 2), method("select", 0, 0), method("select", 1, -1), index(0), index(-1),
    index(slice(1, None)), index(slice(None), 1), index(slice(None, None, 2)), index(Ellipsis, slice(0, 2)), index(None),
    method("movedim", 0, 1), method("swapaxes", 0, 1), method("flatten"), method("ravel"), method("reshape", -1), method("detach"),
    method("unflatten", 0, (1, -1)), method("unfold", 0, 2, 2), method("expand", 2, 3), method("view", 6), method("reshape", 2, 3),
    function(builtins.getattr, "T"), function(builtins.getattr, "mT"), function(builtins.getattr, "data"), method("adjoint"),
    function(aten.as_strided.default, [2], [1]), function(aten.view.default, [-1]), function(aten.diagonal.default, 1),
    method("transpose", 0, 1), method("t"), method("unsqueeze", 0), method("unsqueeze", -1), method("squeeze", 0),
    method("diagonal"), method("narrow", 0, 0, 1), method("permute", 1, 0), function(torch.transpose, 0, 1),
    function(aten.slice.Tensor, 1, 1, 3), function(aten.select.int, 0, 1), function(aten.alias.default),
    method("reshape", -1), method("detach"), method("expand", 2, 3), method("expand_as"), method("flatten"),
]  # fmt: skip
READS = [
    method("neg"), method("clone"), pair("add"), pair("mul"), pair_function(torch.sub), method("sum", 0), method("abs"),
    pair_function(operator.add), function(aten.mul.Tensor, 2), method("to", torch.float32), method("to", torch.bfloat16),
    method("contiguous"), method("float"), pair("eq"), method("new_zeros", (2, 3)), function(torch.zeros_like),
]  # fmt: skip
WRITES = [
    pair("add_"), pair("mul_"), pair("sub_", alpha=2), pair("copy_"), pair("copy_"), pair("lt_"), pair("logical_and_"),
    method("add_", 1), method("mul_", 0.5), method("fill_", 3), method("zero_"), method("neg_"), method("abs_"),
    method("clamp_", -1, 1), method("clamp_", min=0), method("bitwise_not_"), pair("fill_"), pair("masked_fill_"),
    function(torch.relu_), function(torch.neg_), pair_function(aten.add_.Tensor, alpha=3), function(aten.fill_.Scalar, 2),
    function(aten.copy_.default, 1), pair_function(operator.iadd), pair_function(operator.imul), pair_function(operator.isub),
    function(torch.nn.functional.relu, inplace=True), function(torch.nn.functional.leaky_relu, 0.1, True),
    out(torch.add), out(torch.mul), out(aten.sub.out), lists(torch._foreach_add_, 1), lists(torch._foreach_neg_),
    lambda pick: ("call_function", torch._foreach_mul_, ([pick(), pick()], [pick(), pick()]), {}),
    lambda pick: ("call_method", "masked_fill_", (pick(), pick(torch.bool), 2), {}),
    lambda pick: ("call_method", "addcmul_", (pick(), pick(), pick()), {"value": 2}),
    lambda pick: ("call_function", operator.setitem, (pick(), 0, pick()), {}),
    lambda pick: ("call_function", operator.setitem, (pick(), slice(1, None), pick()), {}),
    lambda pick: ("call_function", operator.setitem, (pick(), pick(torch.bool), 1.5), {}),
    method("t_"), method("unsqueeze_", 0), method("squeeze_", 0), method("transpose_", 0, 1),
]  # fmt: skip


class Builder:
    def __init__(self, seed, inputs):
        self.random = random.Random(seed)
        self.graph, self.values = torch.fx.Graph(), {}
        for name, value in inputs.items():
            self.values[self.graph.placeholder(name)] = value

    def pick(self, dtype=None):
        """A value, the newer the likelier; half of the time a float, which fits more often."""
        dtypes = {dtype} if dtype else {torch.float32} if self.random.random() < 0.5 else {v.dtype for v in self.values.values()}
        fitting = [node for node, value in self.values.items() if value.dtype in dtypes]
        return fitting[max(self.random.randrange(len(fitting)), self.random.randrange(len(fitting)))]

    def grow(self, calls, pick=None):
        try:
            opcode, target, arguments, keywords = self.random.choice(calls)(pick or self.pick)
        except ValueError:  # no value has the dtype
            return False
        operands, options = torch.fx.map_arg((arguments, keywords), lambda node: self.values[node])
        try:
            call = getattr(operands[0], target) if opcode == "call_method" else target
            value = call(*(operands[1:] if opcode == "call_method" else operands), **options)
        except (RuntimeError, IndexError, TypeError, ValueError):
            return False
        node = self.graph.create_node(opcode, target, arguments, keywords)
        if isinstance(value, torch.Tensor):
            self.values[node] = value
        return True

    def views_of_views(self):
        """A view of a view, a write through one of them, and a read of each."""
        base = self.pick()
        upper = self.grow_on(base, VIEWS)
        lower = upper and self.grow_on(upper, VIEWS)
        if not lower:
            return False
        places = [base, upper, lower]
        self.grow_on(self.random.choice(places), WRITES)
        return all([self.grow_on(place, READS) for place in places])

    def grow_on(self, node, calls):
        """The new value of some call on the node, or None."""
        before = len(self.values)
        first = iter([node])
        for _ in range(20):
            if self.grow(calls, lambda dtype=None: next(first, None) or self.pick(dtype)):
                return list(self.values)[-1] if len(self.values) > before else node
            first = iter([node])
        return None

    def step(self):
        if self.random.random() < 0.15:
            return self.views_of_views()
        kind = self.random.choices((VIEWS, READS, WRITES), (4, 2, 4))[0]
        return any(self.grow(kind) for _ in range(20))

    def finish(self):
        kept = [self.pick() for _ in range(self.random.randint(1, 3))]
        forms = (kept[0], tuple(kept), list(kept), (kept, {"k": kept[0]}), (kept[-1],))
        self.graph.output(self.random.choice(forms) if self.random.random() < 0.9 else None)
        return self.graph


def random_program(seed, inputs):
    """A graph over these inputs, which are consumed."""
    builder = Builder(seed, inputs)
    for _ in range(builder.random.randint(2, 10)):
        builder.step()
    return builder.finish()


def smallest(graph, inputs, fails):
    """The graph without what its failure does not need. `fails` takes a graph."""
    shorter = True
    while shorter:
        shorter = False
        for node in reversed(graph.nodes):
            smaller = without(graph, node.name)
            if smaller is not None and fails(traced.with_values(smaller, inputs)):
                graph, shorter = smaller, True
                break
    return graph


def without(graph, name):
    """A copy of the graph in which the node's first operand stands for it, or the output holds one value less."""
    copy = torch.fx.Graph()
    copy.output(copy.graph_copy(graph, {}))
    (node,) = (node for node in copy.nodes if node.name == name)
    if node.op == "output":
        value = node.args[0]
        if isinstance(value, (tuple, list)) and len(value) > 1:
            node.args = (value[:-1],)
            return copy
        return None
    operand = next(iter(node.all_input_nodes), None)
    if node.op == "placeholder" or operand is None:
        return None
    node.replace_all_uses_with(operand)
    copy.erase_node(node)
    return copy
