"""Every form of writing but index assignments, under its name."""

import operator

import torch

from program_builder import FAILING, FLOATS, WRITING, choice, construct

aten = torch.ops.aten
F = torch.nn.functional
FLOAT = torch.float32


def writes(name, *choices):
    choice(WRITING, name, *choices)


def on_floats(call, *names, arguments=(), **keywords):
    """A choice of ops on a float tensor."""
    return lambda p: call(p, p.rng.choice(names), p.pick(*FLOATS), *arguments, **keywords)


def method(p, name, *arguments, **keywords):
    return p.method(name, *arguments, **keywords)


def function(p, target, *arguments, **keywords):
    return p.function(target, *arguments, **keywords)


# ---------------------------------------------------------------- one op, every spelling

writes(
    "method",
    lambda p: p.method(p.rng.choice(("add_", "sub_", "mul_", "hypot_", "copysign_")), p.pick(*FLOATS), p.pick(*FLOATS)),
    lambda p: p.method("mul_", p.pick(*FLOATS), 0.5),
    lambda p: p.method("clamp_", p.pick(), -1, 1),
    lambda p: p.method("addcmul_", p.named["x"], p.named["d"], p.named["e"], value=2),
    lambda p: p.method("lerp_", p.pick(FLOAT), p.pick(FLOAT), 0.25),
    on_floats(method, "abs_", "neg_", "exp_", "sigmoid_", "tanh_", "floor_", "sign_", "square_", "relu_", "round_", "nan_to_num_"),
    lambda p: p.method(p.rng.choice(("cumsum_", "cumprod_")), p.pick(*FLOATS, rank=1), 0),
    lambda p: p.method(p.rng.choice(("tril_", "triu_")), p.pick(*FLOATS, rank=2)),
)
writes("copy_", lambda p: p.method("copy_", p.pick(), p.pick()), lambda p: p.method("copy_", p.pick(rank=2), p.named["v"]),
       lambda p: p.function(aten.copy_.default, p.pick(), p.pick()))  # fmt: skip
writes(
    "aten overload",
    lambda p: p.function(aten.add_.Tensor, p.pick(*FLOATS), p.pick(*FLOATS), alpha=3),
    lambda p: p.function(aten.mul_.Scalar, p.pick(*FLOATS), 2),
    on_floats(function, aten.neg_.default, aten.relu_.default, aten.sigmoid_.default, aten.abs_.default),
    lambda p: p.function(aten.pow_.Scalar, p.pick(*FLOATS), 2),
    lambda p: p.function(aten.clamp_.default, p.pick(*FLOATS), -1, 1),
)
writes("torch function", on_floats(function, torch.relu_, torch.neg_, torch.abs_, torch.sigmoid_, torch.tanh_, torch.square_, torch.ceil_),
       lambda p: p.function(torch.clamp_, p.pick(), -1, 1), lambda p: p.function(torch.addmv_, p.named["u"], p.named["x"], p.named["v"]))  # fmt: skip
ON_FLOATS = (operator.iadd, operator.isub, operator.imul)
ON_INTS = (operator.iand, operator.ior, operator.ixor, operator.ilshift, operator.irshift)
writes("operator", lambda p: p.function(p.rng.choice(ON_FLOATS), p.pick(*FLOATS), p.pick(*FLOATS)),
       lambda p: p.function(p.rng.choice((*ON_FLOATS, operator.itruediv, operator.ifloordiv, operator.imod, operator.ipow)), p.pick(*FLOATS), 3),
       lambda p: p.function(p.rng.choice(ON_INTS), p.pick(torch.int64), p.rng.choice((1, p.named["n"]))),
       lambda p: p.function(p.rng.choice(ON_INTS[:3]), p.pick(torch.bool), p.pick(torch.bool)))  # fmt: skip
writes("dunder", lambda p: p.method(p.rng.choice(("__iadd__", "__isub__", "__imul__", "__itruediv__", "__ipow__")), p.pick(*FLOATS), 2),
       lambda p: p.method(p.rng.choice(("__iadd__", "__imul__")), p.pick(*FLOATS), p.pick(*FLOATS)),
       lambda p: p.method(p.rng.choice(("__iand__", "__ior__", "__ixor__", "__ilshift__", "__irshift__")), p.pick(torch.int64), 1))  # fmt: skip

# ---------------------------------------------------------------- flags

writes(
    "inplace=True",
    on_floats(function, F.relu, F.hardtanh, F.silu, F.relu6, F.elu, F.selu, F.celu, F.hardswish, F.hardsigmoid, F.mish, inplace=True),
    lambda p: p.function(F.leaky_relu, p.pick(*FLOATS), 0.1, True),
    lambda p: p.function(F.threshold, p.pick(*FLOATS), 0.1, 0.5, True),
    lambda p: p.function(F.rrelu, p.pick(*FLOATS), inplace=True),
)
MODULES = (torch.nn.ReLU, torch.nn.SiLU, torch.nn.Hardtanh, torch.nn.ELU, torch.nn.LeakyReLU, torch.nn.Hardswish)


@construct(WRITING, "module with inplace=True")
def module(p):
    """A path tells nothing of the class behind it, so that nothing may be written that such a module may return."""
    operand = p.method("clone", p.pick(*FLOATS))
    result = p.module(p.rng.choice(MODULES)(inplace=True), operand)
    p.function(torch.add, result, operand)
    p.forget(operand, result)


# ---------------------------------------------------------------- out=

writes("out=", lambda p: p.function(torch.add, p.named["x"], p.named["e"], out=p.named["d"]),
       lambda p: p.function(torch.mul, p.named["x"], p.named["v"], out=p.named["e"]),
       lambda p: p.function(aten.sub.out, p.named["x"], p.named["e"], out=p.named["d"]),
       lambda p: p.function(torch.cumsum, p.named["e"], 0, out=p.named["d"]),
       lambda p: p.function(torch.sum, p.named["y"], 0, out=p.function(torch.empty_like, p.named["e"])),
       lambda p: p.function(torch.cat, [p.named["r"], p.named["r"]], out=p.function(torch.empty, (0,), dtype=torch.bool)))  # fmt: skip
writes("out= with several results", lambda p: p.function(p.rng.choice((torch.max, torch.min)), p.named["y"], 0, out=(p.named["d"], p.named["n"])),
       lambda p: p.function(torch.sort, p.named["x"], 1, out=(p.named["d"], p.named["n"])),
       lambda p: p.function(torch.kthvalue, p.named["y"], 2, 0, out=(p.named["e"], p.named["n"])),
       lambda p: p.function(aten.sort.values, p.named["x"], 1, False, values=p.named["d"], indices=p.named["n"]),
       lambda p: p.function(aten.max.dim_max, p.named["y"], 1, False, max=p.named["e"], max_values=p.named["n"]))  # fmt: skip

# ---------------------------------------------------------------- new values all over

writes("fill_", lambda p: p.method("fill_", p.pick(), 1), lambda p: p.method("fill_", p.pick(*FLOATS), p.named["h"]),
       lambda p: p.function(aten.fill_.Scalar, p.pick(*FLOATS), 2.5), lambda p: p.function(torch.fill_, p.pick(*FLOATS), 3),
       lambda p: p.method("fill_diagonal_", p.pick(*FLOATS, rank=2), 1.5))  # fmt: skip
writes("zero_", lambda p: p.method("zero_", p.pick()), lambda p: p.function(aten.zero_.default, p.pick()), lambda p: p.function(torch.zero_, p.pick()))
writes("list of operands", lambda p: p.function(torch._foreach_add_, [p.named["d"], p.named["e"]], 1),
       lambda p: p.function(torch._foreach_mul_, [p.named["x"], p.named["d"]], [p.named["e"], p.named["e"]]),
       lambda p: p.function(p.rng.choice((torch._foreach_neg_, torch._foreach_sigmoid_, torch._foreach_abs_)), [p.named["x"], p.named["v"]]),
       lambda p: p.function(aten._foreach_addcmul_.Scalar, [p.named["x"]], [p.named["d"]], [p.named["e"]], 2),
       lambda p: p.function(torch._foreach_add_, [p.named["b"], p.named["x"]], [p.named["e"], p.named["d"]], alpha=2),
       lambda p: p.function(torch._foreach_copy_, [p.named["b"], p.named["d"]], [p.named["x"], p.named["e"]]))  # fmt: skip

# ---------------------------------------------------------------- random numbers: equal where the seed is

writes("uniform_", lambda p: p.method("uniform_", p.pick(*FLOATS), *p.rng.choice(((), (-1.0, 3.0)))), lambda p: p.function(aten.uniform_.default, p.pick(*FLOATS), 0.5, 1.5))
writes("normal_", lambda p: p.method("normal_", p.dense(*FLOATS), *p.rng.choice(((), (1.5, 2.0)))), lambda p: p.function(aten.normal_.default, p.dense(*FLOATS), 1.5, std=2.0))
writes("bernoulli_", lambda p: p.method("bernoulli_", p.dense(), *p.rng.choice(((), (0.3,)))), lambda p: p.function(aten.bernoulli_.float, p.dense(), 0.7),
       lambda p: p.method("bernoulli_", p.pick(FLOAT), p.function(torch.full, (), 0.6)))  # fmt: skip
writes("dropout_", lambda p: p.function(torch.dropout_, p.pick(FLOAT), 0.5, True), lambda p: p.function(F.dropout, p.pick(FLOAT), 0.5, True, True),
       lambda p: p.function(F.dropout, p.pick(*FLOATS), 0.5, p.rng.random() < 0.5, inplace=True),
       lambda p: p.function(torch.alpha_dropout_, p.pick(FLOAT), 0.5, True), lambda p: p.function(F.alpha_dropout, p.pick(FLOAT), 0.5, True, True),
       lambda p: p.function(F.dropout1d, p.pick(FLOAT, rank=2), 0.5, True, True), lambda p: p.function(torch.feature_dropout_, p.pick(FLOAT, rank=2), 0.5, True))  # fmt: skip
writes("other distribution", lambda p: p.method("exponential_", p.pick(*FLOATS), 0.7), lambda p: p.method("cauchy_", p.pick(FLOAT), 0.5, 2.0),
       lambda p: p.method("log_normal_", p.pick(FLOAT), 0.2, 0.5), lambda p: p.method("geometric_", p.pick(*FLOATS), 0.5),
       lambda p: p.method("random_", p.pick(), *p.rng.choice(((), (2,), (0, 2)))),
       lambda p: p.function(F.rrelu, p.pick(*FLOATS), 0.1, 0.3, True, True))  # fmt: skip

# ---------------------------------------------------------------- types

writes("comparison", lambda p: p.method(p.rng.choice(("lt_", "le_", "gt_", "ge_", "eq_", "ne_")), p.pick(*FLOATS), p.rng.choice((1, p.pick(*FLOATS)))),
       lambda p: p.method(p.rng.choice(("eq_", "lt_")), p.pick(torch.int64), 2), lambda p: p.function(aten.ge_.Scalar, p.pick(*FLOATS), 0))  # fmt: skip
writes("logical", lambda p: p.method(p.rng.choice(("logical_and_", "logical_or_", "logical_xor_")), p.pick(), p.named["c"]), lambda p: p.method("logical_not_", p.pick()),
       lambda p: p.method(p.rng.choice(("bitwise_and_", "bitwise_xor_")), p.pick(torch.bool, torch.int64), p.named["c"]))  # fmt: skip
writes("promotion", lambda p: p.method(p.rng.choice(("add_", "mul_", "sub_", "div_")), p.named["b"], p.pick(FLOAT)), lambda p: p.method("add_", p.named["n"], p.named["c"]),
       lambda p: p.function(operator.iadd, p.named["b"], p.named["x"]), lambda p: p.method("mul_", p.pick(FLOAT), p.method("double", p.named["v"])),
       lambda p: p.method("add_", p.pick(*FLOATS), p.pick(torch.int64, torch.bool)))  # fmt: skip

# ---------------------------------------------------------------- some of the elements

writes("masked_fill_", lambda p: p.method("masked_fill_", p.pick(rank=2), p.named["c"], 1), lambda p: p.method("masked_fill_", p.named["x"], p.named["c"], p.named["h"]),
       lambda p: p.method("masked_scatter_", p.pick(FLOAT, rank=2), p.named["c"], p.method("clone", p.named["y"])))  # fmt: skip
writes("index_put_", lambda p: p.method("index_put_", p.pick(FLOAT, rank=2), (p.named["i"],), p.named["h"]),
       lambda p: p.function(aten.index_put_.default, p.named["x"], [p.named["i"], p.named["j"]], p.named["h"], True))  # fmt: skip
writes("index update", lambda p: p.method("index_fill_", p.pick(FLOAT, rank=1), 0, p.named["i"], 2.5),
       lambda p: p.method("index_add_", p.pick(FLOAT, rank=2), 0, p.named["i"], p.function(torch.full, (3, 5), 2.0)),
       lambda p: p.method("scatter_", p.pick(FLOAT, rank=2), 0, p.function(torch.full, (2, 5), 1, dtype=torch.int64), 0.5),
       lambda p: p.method("scatter_add_", p.pick(FLOAT, rank=2), 0, p.function(torch.full, (2, 5), 1, dtype=torch.int64), p.named["e"]),
       lambda p: p.method("put_", p.pick(FLOAT, rank=1), p.named["i"], p.function(torch.full, (3,), 2.0)))  # fmt: skip

# ---------------------------------------------------------------- the operand's own sizes

MUTATORS = (("t_",), ("squeeze_", 0), ("squeeze_",), ("unsqueeze_", 0), ("unsqueeze_", -1), ("transpose_", 0, 1), ("swapaxes_", 0, 1), ("swapdims_", -1, 0))


@construct(WRITING, "metadata mutator")
def mutator(p):
    """Of a tensor of its own: an input cannot get another shape back."""
    operand = p.method("unsqueeze", p.named["v"], 0) if p.rng.random() < 0.3 else p.pick(*FLOATS, rank=1)
    own = p.method("clone", operand)
    name, *arguments = p.rng.choice(MUTATORS)
    if p.rng.random() < 0.3 and name in ("t_", "unsqueeze_"):
        p.function(getattr(aten, name).default, own, *arguments)
    else:
        p.method(name, own, *arguments)
    p.method("mul_", own, 2)
    p.method("neg", own)
    p.forget(own)  # what its sizes are now, the graph that grows does not know


# ---------------------------------------------------------------- running statistics

writes("batch norm in training", lambda p: p.function(F.batch_norm, p.pick(FLOAT, rank=2), p.named["v"], p.method("abs", p.named["v"]), None, None, True),
       lambda p: p.function(torch.batch_norm, p.named["x"], None, None, p.named["v"], p.named["w"], True, 0.1, 1e-5, False),
       lambda p: p.function(operator.getitem, p.function(aten.native_batch_norm.default, p.named["x"], None, None, p.named["v"], p.named["w"], True, 0.2, 1e-5), 0))  # fmt: skip
writes("instance norm in training", lambda p: p.function(F.instance_norm, p.named["y"], p.named["u"], p.named["g"]),
       lambda p: p.function(F.instance_norm, p.named["y"], p.named["u"], p.named["g"], p.named["u"], p.named["g"], True, 0.2),
       lambda p: p.function(torch.instance_norm, p.named["y"], None, None, p.named["u"], p.named["g"], True, 0.1, 1e-5, False))  # fmt: skip


# ---------------------------------------------------------------- stored tensors


@construct(WRITING, "stored tensor")
def stored(p):
    """Two nodes of one path are one storage."""
    first, second = (p.stored("state", torch.ones(4, 5)) for _ in range(2))
    p.method("add_", first, p.pick(FLOAT))
    p.function(torch.add, second, first)


# ---------------------------------------------------------------- what eager refuses: a run of the rules refuses it, too

choice(FAILING, "growth", lambda p: p.failing("add_", p.named["v"], p.named["x"]), lambda p: p.failing("mul_", p.named["h"], p.named["x"]),
       lambda p: p.failing("copy_", p.named["v"], p.named["x"]), lambda p: p.failing(operator.iadd, p.named["x"], p.named["y"]),
       lambda p: p.failing(aten.sub_.Tensor, p.named["d"], p.named["y"]))  # fmt: skip
choice(FAILING, "illegal cast", lambda p: p.failing("add_", p.named["n"], p.named["x"]), lambda p: p.failing("div_", p.named["n"], 2),
       lambda p: p.failing("mul_", p.named["c"], 2.5), lambda p: p.failing(operator.imul, p.named["n"], p.named["v"]),
       lambda p: p.failing(aten.add_.Tensor, p.named["c"], p.named["n"]), lambda p: p.failing("sigmoid_", p.named["n"]))  # fmt: skip
