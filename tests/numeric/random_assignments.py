"""Index assignments `buffer[index] = value` by the kind of their index and of their value."""

import operator

import torch

from program_builder import INDEXED, UNKNOWN, VALUED, construct

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


def value_for(p, buffer, region):
    """A value that broadcasts to the region, and which construct it is."""
    name = p.rng.choice(list(VALUED))
    return VALUED[name](p, p.values[buffer].dtype, region), name


# ---------------------------------------------------------------- indices


def indexed(name, rank=1):
    def register(index_of):
        def assign(p):
            buffer = p.pick(torch.float32, torch.bfloat16, torch.int64, torch.bool, rank=rank)
            shape = p.values[buffer].shape
            index = index_of(p, shape)
            region = p.values[buffer][torch.fx.map_arg(index, lambda node: p.values[node])].shape
            value, kind = value_for(p, buffer, region)
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
indexed("list in a tuple", 2)(lambda p, s: p.rng.choice((([0, 1],), (slice(None), [0, 2]), ([1, 0], 1), ([0, 1], [1, 2]))))
indexed("int tensor")(lambda p, s: p.named["i"])
indexed("adjacent int tensors", 2)(lambda p, s: (p.named["i"], p.named["j"]))
indexed("int tensors split by a slice", 3)(lambda p, s: (p.named["i"], slice(None), p.named["j"]))
indexed("int tensor with int and slice", 2)(lambda p, s: p.rng.choice(((p.named["i"], 1), (slice(1, 3), p.named["j"]), (0, p.named["i"]))))



@construct(UNKNOWN, "bounds that are symbols")
def symbols(p):
    """Of a program of which only the inputs are known, and those in symbols."""
    p.symbolic = True
    buffer = p.named[p.rng.choice("xyde")]
    size = p.rng.choice((lambda: p.method("size", p.named["x"], 0), lambda: p.function(torch.ops.aten.sym_size.int, p.named["x"], 0)))()
    less = p.function(operator.sub, size, 1)
    p.setitem(buffer, p.rng.choice((slice(None, size), slice(1, less), slice(less, None), slice(None, less), less, (slice(1, less), 2))), p.rng.choice((1.5, p.named["h"])))


@construct(UNKNOWN, "mask without metadata")
def unknown_mask(p):
    p.plain = True
    mask = p.named[p.rng.choice("cr")]
    p.setitem(p.named[p.rng.choice("xyde")], mask, p.rng.choice((1.5, p.named["h"])))


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
