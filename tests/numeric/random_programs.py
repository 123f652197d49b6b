"""Random programs in which every form of writing occurs: index assignments, in-place methods, functions, operators,
`out=`, lists, views. Each says of which constructs it is made, so that refusals can be counted by construct.

Every call runs in eager PyTorch while the program grows, so that only what eager accepts stays.
"""

import operator
import random

import torch

aten = torch.ops.aten
F = torch.nn.functional
INPUTS = (
    "x=f32[4,5]\ny=f32[4,4,5]\nb=bf16[4,5]\nn=i64[4,5]\nc=b8[4,5]\nr=b8[4]\nh=f32[]\nv=f32[5]\n"
    "i=i64[3]\nj=i64[3]\nk=int\nd=f32[4,5]\ne=f32[4,5]\n"
)
INDEXED, VALUED, WRITING, VIEWING = {}, {}, {}, {}


def construct(table, name):
    def register(function):
        table[name] = function
        return function

    return register


class Program:
    """A graph that grows; `constructs` are the names of what it is made of."""

    def __init__(self, seed, inputs):
        self.rng = random.Random(seed)
        self.graph, self.values, self.constructs = torch.fx.Graph(), {}, set()
        self.named = {}
        for name, value in inputs.items():
            self.named[name] = self.graph.placeholder(name, int if isinstance(value, int) else None)
            self.values[self.named[name]] = value

    # ---- values

    def pick(self, *dtypes, rank=None):
        """A tensor of one of these types, the newer the likelier."""
        fitting = [
            node
            for node, value in self.values.items()
            if isinstance(value, torch.Tensor) and value.numel() and (not dtypes or value.dtype in dtypes) and (rank is None or value.dim() >= rank)
        ]
        return fitting[max(self.rng.randrange(len(fitting)), self.rng.randrange(len(fitting)))]

    def call(self, opcode, target, *arguments, **keywords):
        operands, options = torch.fx.map_arg((arguments, keywords), lambda node: self.values[node])
        function = getattr(operands[0], target) if opcode == "call_method" else target
        value = function(*(operands[1:] if opcode == "call_method" else operands), **options)
        node = self.graph.create_node(opcode, target, arguments, keywords)
        if isinstance(value, (torch.Tensor, int)) and not isinstance(value, bool):
            self.values[node] = value
        return node

    def method(self, name, *arguments, **keywords):
        return self.call("call_method", name, *arguments, **keywords)

    def function(self, target, *arguments, **keywords):
        return self.call("call_function", target, *arguments, **keywords)

    # ---- growing

    def add(self, table, name):
        """Whether eager takes one more construct."""
        known = set(self.graph.nodes)
        try:
            used = table[name](self)
        except (RuntimeError, IndexError, TypeError, ValueError, AttributeError):
            for node in reversed([node for node in self.graph.nodes if node not in known]):
                if not node.users:
                    self.values.pop(node, None)
                    self.graph.erase_node(node)
            return False
        self.constructs |= {name, *(used if isinstance(used, tuple) else ())}
        return True

    def setitem(self, buffer, index, value):
        self.function(operator.setitem, buffer, index, value)

    def value_for(self, buffer, region):
        """A value that broadcasts to the region, and which construct it is."""
        name = self.rng.choice(list(VALUED))
        return VALUED[name](self, self.values[buffer].dtype, region), name


# ---------------------------------------------------------------- values of assignments


@construct(VALUED, "scalar value")
def scalar(p, dtype, region):
    return {torch.bool: True, torch.int64: 7}.get(dtype, 2.5)


@construct(VALUED, "0-d value")
def zero_dim(p, dtype, region):
    return p.named["h"]


@construct(VALUED, "value of the region's shape")
def whole(p, dtype, region):
    return p.function(torch.full, tuple(region), 3, dtype=dtype)


@construct(VALUED, "broadcast value")
def broadcast(p, dtype, region):
    shape = [1 if p.rng.random() < 0.5 else size for size in region]
    return p.function(torch.full, tuple(shape[p.rng.randint(0, len(shape)) :]), 2, dtype=dtype)


@construct(VALUED, "value of another type")
def converted(p, dtype, region):
    other = {torch.float32: torch.bfloat16, torch.bfloat16: torch.float32, torch.int64: torch.float32}.get(dtype, torch.int64)
    return p.function(torch.full, tuple(region), 2, dtype=other)


# ---------------------------------------------------------------- indices


def indexed(name, rank=1):
    def register(index_of):
        def assign(p):
            buffer = p.pick(torch.float32, torch.bfloat16, torch.int64, torch.bool, rank=rank)
            shape = p.values[buffer].shape
            index = index_of(p, shape)
            region = p.values[buffer][torch.fx.map_arg(index, lambda node: p.values[node])].shape
            value, kind = p.value_for(buffer, region)
            p.setitem(buffer, index, value)
            return (kind,)

        INDEXED[name] = assign
        return index_of

    return register


indexed("int")(lambda p, s: p.rng.randrange(s[0]))
indexed("negative int")(lambda p, s: p.rng.randrange(s[0]) - s[0])
indexed("bool")(lambda p, s: p.rng.random() < 0.5)
indexed("None")(lambda p, s: None)
indexed("Ellipsis")(lambda p, s: p.rng.choice((Ellipsis, (Ellipsis, 0), (0, Ellipsis))))
indexed("whole slice")(lambda p, s: slice(None))
indexed("slice from 0")(lambda p, s: slice(0, p.rng.randint(1, s[0])))
indexed("slice behind 0")(lambda p, s: slice(p.rng.randint(1, s[0] - 1), p.rng.choice((None, s[0]))))
indexed("negative bounds")(lambda p, s: slice(-p.rng.randint(1, s[0]), p.rng.choice((None, -1))))
indexed("oversized stop")(lambda p, s: slice(p.rng.choice((None, 1)), s[0] + 3))
indexed("empty region")(lambda p, s: slice(s[0], s[0]))
indexed("step")(lambda p, s: slice(p.rng.choice((None, 0, 1)), None, p.rng.choice((2, 3))))
indexed("bounds that are nodes")(lambda p, s: slice(*p.rng.choice(((None, p.named["k"]), (p.named["k"], None)))))
indexed("index that is a node")(lambda p, s: p.named["k"])
indexed("tuple of slices", 2)(lambda p, s: (slice(1, 3), slice(0, 4)))
indexed("tuple of int and slice", 2)(lambda p, s: p.rng.choice(((0, slice(1, 4)), (slice(1, 4), -1))))
indexed("tuple with None", 2)(lambda p, s: p.rng.choice(((None, 1), (slice(None), None, 2))))
indexed("list")(lambda p, s: [0, s[0] - 1])
indexed("int tensor")(lambda p, s: p.named["i"])
indexed("adjacent int tensors", 2)(lambda p, s: (p.named["i"], p.named["j"]))
indexed("int tensors split by a slice", 3)(lambda p, s: (p.named["i"], slice(None), p.named["j"]))
indexed("int tensor with int and slice", 2)(lambda p, s: p.rng.choice(((p.named["i"], 1), (slice(1, 3), p.named["j"]), (0, p.named["i"]))))


def masked(name, *operands):
    @construct(INDEXED, name)
    def assign(p):
        mask = p.named[p.rng.choice(operands)]
        buffer = p.pick(torch.float32, torch.bfloat16, torch.int64, rank=2)
        region = p.values[buffer][p.values[mask]].shape
        if name == "mask with packed values":
            value, kind = p.function(torch.arange, int(torch.Size(region).numel())), "packed values"
            value = p.method("to", p.method("reshape", value, tuple(region)), p.values[buffer].dtype)
        else:
            value, kind = p.rng.choice(((2, "scalar value"), (p.named["h"], "0-d value")))
        p.setitem(buffer, mask, value)
        return (kind,)


masked("mask of the same rank", "c")
masked("mask of lower rank", "r")
masked("mask with packed values", "c", "r")


@construct(INDEXED, "dunder setitem")
def dunder_setitem(p):
    p.method("__setitem__", p.pick(torch.float32, rank=1), 0, 1.5)


# ---------------------------------------------------------------- other writes

FLOATS = (torch.float32, torch.bfloat16)


def writes(name, *choices):
    construct(WRITING, name)(lambda p: p.rng.choice(choices)(p))


writes("method", lambda p: p.method("add_", p.pick(*FLOATS), p.pick(*FLOATS)), lambda p: p.method("mul_", p.pick(*FLOATS), 0.5),
       lambda p: p.method("clamp_", p.pick(), -1, 1), lambda p: p.method("addcmul_", p.named["x"], p.named["d"], p.named["e"], value=2))  # fmt: skip
writes("copy_", lambda p: p.method("copy_", p.pick(), p.pick()), lambda p: p.method("copy_", p.pick(rank=2), p.named["v"]))
writes("aten overload", lambda p: p.function(aten.add_.Tensor, p.pick(*FLOATS), p.pick(*FLOATS), alpha=3),
       lambda p: p.function(aten.mul_.Scalar, p.pick(*FLOATS), 2), lambda p: p.function(aten.neg_.default, p.pick(*FLOATS)))  # fmt: skip
writes("torch function", lambda p: p.function(torch.relu_, p.pick(*FLOATS)), lambda p: p.function(torch.neg_, p.pick(*FLOATS)))
writes("operator", lambda p: p.function(operator.iadd, p.pick(*FLOATS), p.pick(*FLOATS)), lambda p: p.function(operator.imul, p.pick(*FLOATS), 3))
writes("dunder", lambda p: p.method("__iadd__", p.pick(*FLOATS), 2), lambda p: p.method("__imul__", p.pick(*FLOATS), 2))
writes("inplace=True", lambda p: p.function(F.relu, p.pick(*FLOATS), inplace=True), lambda p: p.function(F.leaky_relu, p.pick(*FLOATS), 0.1, True),
       lambda p: p.function(F.hardtanh, p.pick(*FLOATS), inplace=True), lambda p: p.function(F.silu, p.pick(*FLOATS), inplace=True))  # fmt: skip
writes("out=", lambda p: p.function(torch.add, p.named["x"], p.named["e"], out=p.named["d"]),
       lambda p: p.function(torch.mul, p.named["x"], p.named["v"], out=p.named["e"]))  # fmt: skip
writes("out= with several results", lambda p: p.function(torch.max, p.named["y"], 0, out=(p.named["d"], p.named["n"])))
writes("fill_", lambda p: p.method("fill_", p.pick(), 1), lambda p: p.method("zero_", p.pick()), lambda p: p.method("fill_", p.pick(*FLOATS), p.named["h"]))
writes("list of operands", lambda p: p.function(torch._foreach_add_, [p.named["d"], p.named["e"]], 1),
       lambda p: p.function(torch._foreach_mul_, [p.named["x"], p.named["d"]], [p.named["e"], p.named["e"]]),
       lambda p: p.function(torch._foreach_neg_, [p.named["x"], p.named["v"]]))  # fmt: skip
writes("comparison", lambda p: p.method("lt_", p.pick(*FLOATS), 1), lambda p: p.method("eq_", p.pick(torch.int64), 2))
writes("logical", lambda p: p.method("logical_and_", p.pick(*FLOATS), p.named["c"]), lambda p: p.method("logical_not_", p.named["c"]))
writes("promotion", lambda p: p.method("add_", p.named["b"], p.pick(torch.float32)), lambda p: p.method("add_", p.named["n"], p.named["c"]))
writes("masked", lambda p: p.method("masked_fill_", p.pick(*FLOATS, rank=2), p.named["c"], 2), lambda p: p.method("masked_fill_", p.named["x"], p.named["c"], p.named["h"]))
writes("index_put_", lambda p: p.method("index_put_", p.pick(torch.float32, rank=2), (p.named["i"],), p.named["h"]),
       lambda p: p.function(aten.index_put_.default, p.named["x"], [p.named["i"], p.named["j"]], p.named["h"], True))  # fmt: skip
writes("metadata mutator", lambda p: p.method("unsqueeze_", p.method("clone", p.pick()), 0), lambda p: p.method("t_", p.method("clone", p.named["x"])),
       lambda p: p.method("squeeze_", p.method("unsqueeze", p.method("clone", p.pick()), 0), 0))  # fmt: skip
writes("batch norm in training", lambda p: p.function(F.batch_norm, p.named["x"], p.named["v"], p.method("abs", p.named["v"]), None, None, True))


# ---------------------------------------------------------------- views and reads


def views(name, *choices):
    construct(VIEWING, name)(lambda p: p.rng.choice(choices)(p))


views("view", lambda p: p.method("view", p.pick(), -1), lambda p: p.method("reshape", p.pick(), -1), lambda p: p.method("flatten", p.pick()))
views("select", lambda p: p.method("select", p.pick(rank=1), 0, 0), lambda p: p.function(operator.getitem, p.pick(rank=1), -1))
views("slice", lambda p: p.function(operator.getitem, p.pick(rank=1), slice(1, None)), lambda p: p.method("narrow", p.pick(rank=2), 1, 1, 2))
views("permutation", lambda p: p.method("transpose", p.pick(rank=2), 0, 1), lambda p: p.method("t", p.named["x"]), lambda p: p.method("permute", p.named["y"], 2, 0, 1))
views("other rank", lambda p: p.method("unsqueeze", p.pick(), 0), lambda p: p.method("diagonal", p.pick(rank=2)))
views("read", lambda p: p.method("neg", p.pick(*FLOATS)), lambda p: p.function(torch.add, p.pick(*FLOATS), p.pick(*FLOATS)), lambda p: p.method("clone", p.pick()))

TABLES = (INDEXED, INDEXED, WRITING, WRITING, VIEWING)
ALL = [*INDEXED, *VALUED, *WRITING, *VIEWING, "packed values"]


def random_program(seed, inputs):
    """A program over these inputs, which are consumed. The seed runs through the constructs, so that all occur."""
    p = Program(seed, inputs)
    first = [(INDEXED, name) for name in INDEXED] + [(WRITING, name) for name in WRITING]
    p.add(*first[seed % len(first)])
    for _ in range(p.rng.randint(1, 4)):
        table = p.rng.choice(TABLES)
        p.add(table, p.rng.choice(list(table)))
    kept = [p.pick() for _ in range(p.rng.randint(1, 3))]
    p.graph.output(p.rng.choice((kept[0], tuple(kept), list(kept))))
    return p
