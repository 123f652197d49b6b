"""Programs that write in place, by group: A methods and functions, B copies, D views and returned inputs, E structures.

Each is a function that is traced; the decorator names its case and gives its inputs.
"""

import dataclasses
import operator
import typing

import torch

from traced import call

aten = torch.ops.aten
CASES = {}


@dataclasses.dataclass
class Case:
    function: typing.Callable
    inputs: str
    refused: typing.Optional[str]
    reshapes: typing.Union[bool, str]
    plain: typing.Optional[str]


def case(label, **inputs):
    """`refused` names the diagnostic that must come instead of a graph.

    `reshapes`: an input has another shape afterwards, which no copy can give it back; "without metadata": for all
    that is known. `plain` is as `refused`, of a dump without metadata.
    """
    refused, reshapes, plain = (inputs.pop(option, None) for option in ("refused", "reshapes", "plain"))

    def register(function):
        specs = "".join(f"{name}={kind}\n" for name, kind in inputs.items())
        CASES[label] = Case(function, specs, refused, reshapes or False, plain)
        return function

    return register


# ---------------------------------------------------------------- A


@case("A01", x="f32[3]", y="f32[3]", w="f32[3]")
def _(x, y, w):
    neg = x.neg()
    x.add_(y)
    return neg, x.mul(w), x


@case("A02", x="f32[3]", y="f32[3]", z="f32[3]")
def _(x, y, z):
    x.add_(y)
    x.mul_(z)
    return x


@case("A04", x="f32[2]", y="f32[2]")
def _(x, y):
    neg = x.neg()
    added = x.add_(y)
    for _ in range(20):
        neg = neg.neg()
    clamped = x.clamp_(min=0.0)
    return neg, added, neg, torch.cat([x, clamped])


@case("A05 no form", x="f32[3]", refused="rule-error")
def _(x):
    return x.resize_(2)


@case("A05 random numbers", x="f32[3,4]", y="f32[20]", p="f32[4]", n="i64[3]")
def _(x, y, p, n):
    x.geometric_(0.5)
    y.normal_(1.5, 2.0)
    n.random_(2, 9)
    return x.bernoulli_(p.abs().clamp(0, 1)), y.uniform_(-1.0, 1.0), n.bernoulli_(0.25), p.bernoulli_()


@case("D17 the last part of a split", x="f32[5,3]", plain="lost-write")
def _(x):
    x.split(2)[-1].add_(1)
    torch.chunk(x, 2)[-2].mul_(2)
    x.split([1, 4])[-1].sub_(3)
    torch.tensor_split(x, 3)[-3].neg_()
    torch.tensor_split(x, [2, 3])[-1].zero_()
    torch.unbind(x)[-1].add_(5)
    return x.neg()


@case("D20 narrow from the back", x="f32[5,3]")
def _(x):
    x.narrow(0, -2, 2).add_(1)
    x.narrow(1, -3, 2).mul_(2)
    return x.neg()


@case("A06 fill", x="f32[3]")
def _(x):
    return x.fill_(1.0)


@case("A06 fill with a tensor", x="f32[2,3]", v="i64[]")
def _(x, v):
    x.fill_(v)
    return x


@case("A06 fill of a 0-d tensor", x="f32[]", v="f32[]")
def _(x, v):
    x.fill_(v)
    return x.neg()


@case("A06 fill of ints truncates", x="i64[3]")
def _(x):
    return x.fill_(7.9)


@case("A06 zero", x="i64[3]")
def _(x):
    x.zero_()
    return x.add(1)


@case("A07", x="f32[3]", refused="rule-error")
def _(x):
    x.requires_grad_()
    return x


@case("A08 dunder methods", x="f32[3]", y="f32[3]")
def _(x, y):
    x.__iadd__(y)
    return x


@case("A09 operator", x="f32[3]", y="f32[3]")
def _(x, y):
    call(operator.iadd, x, y)
    return x


@case("A09 operators in a row", x="i64[3]", y="i64[3]")
def _(x, y):
    for write in (operator.isub, operator.imul, operator.iand, operator.ior, operator.ixor):
        x = call(write, x, y)
    return x


@case("A09 torch function", x="f32[3]")
def _(x):
    torch.relu_(x)
    return x


@case("A09 aten overload", x="f32[3]", y="f32[3]")
def _(x, y):
    aten.add_.Tensor(x, y, alpha=2)
    return x


@case("A09 inplace flag", x="f32[3]")
def _(x):
    torch.nn.functional.relu(x, inplace=True)
    return x


@case("A09 inplace flag, other ops", x="f32[3]")
def _(x):
    a = torch.nn.functional.leaky_relu(x, 0.2, inplace=True)
    torch.nn.functional.hardtanh(x, -0.5, 0.5, inplace=True)
    return a, x.neg()


@case("A10 out", x="f32[3]", y="f32[3]")
def _(x, y):
    z = torch.empty_like(x)
    torch.add(x, y, out=z)
    return z.mul(z)


@case("A10 out is an input", x="f32[3]", y="f32[3]", z="f32[3]")
def _(x, y, z):
    r = torch.mul(x, y, out=z)
    return r.neg(), z


@case("A10 out casts", x="f32[3]", y="f32[3]", z="f64[3]")
def _(x, y, z):
    torch.add(x, y, out=z)
    return z.neg()


@case("A10 out of an aten overload", x="f32[3]", y="f32[3]", z="f32[3]")
def _(x, y, z):
    aten.mul.out(x, y, out=z)
    return z.neg()


@case("A10 two outs", x="f32[3,4]", v="f32[3]", i="i64[3]")
def _(x, v, i):
    r = torch.max(x, 1, out=(v, i))
    return v.neg(), i.add(1), r[0]


@case("A09 shift", x="i64[3]", y="i64[3]")
def _(x, y):
    x.__irshift__(y)
    return x.add(1)


@case("A10 two outs of aten.sort", x="f32[3,4]", v="f32[3,4]", i="i64[3,4]")
def _(x, v, i):
    aten.sort.values(x, 1, False, values=v, indices=i)
    return v.neg(), i.add(1)


@case("A10 two outs of aten.min", x="f32[3,4]", v="f32[3]", i="i64[3]")
def _(x, v, i):
    aten.min.dim_min(x, 1, False, min=v, min_indices=i)
    return v.neg(), i.add(1)


@case("A10 the data of another tensor", x="f32[3]", y="f32[3]", plain="rule-error")
def _(x, y):
    z = x.clone()
    call(setattr, z, "data", y)
    return z.neg()


@case("A10 two outs, result unused", x="f32[3,4]", v="f32[3]", i="i64[3]")
def _(x, v, i):
    torch.max(x, 1, out=(v, i))
    return v.neg(), i.add(1)


@case("A12", x="bf16[3]", y="f32[3]")
def _(x, y):
    x.add_(y)
    return x


@case("A12 comparison", x="f32[3]", y="f32[3]")
def _(x, y):
    x.eq_(y)
    return x, x.add(1)


@case("A12 bool", x="b8[3]", y="b8[3]")
def _(x, y):
    x.logical_and_(y)
    x.bitwise_or_(y)
    return x


@case("A12 ints by a number", x="i64[3]", refused="rule-error")
def _(x):
    x.div_(2)
    return x


@case("A12 float into ints", x="i64[3]", y="f32[3]", refused="rule-error")
def _(x, y):
    x.add_(y)
    return x


@case("A15", x="f32[3]", y="f32[2,3]", refused="rule-error")
def _(x, y):
    x.add_(y)
    return x


@case("A15 broadcast of the other operand", x="f32[2,3]", y="f32[3]")
def _(x, y):
    x.mul_(y)
    return x.sum()


@case("A16", x="f32[3]")
def _(x):
    x.add_(x)
    return x


@case("A17", x="f32[2,3]", reshapes=True)
def _(x):
    x.t_()
    x.add_(1.0)
    return x


@case("A17 squeeze", x="f32[2,1,3]", reshapes=True)
def _(x):
    x.squeeze_(1)
    x.mul_(2.0)
    x.unsqueeze_(0)
    return x.neg()


@case("A17 transpose", x="f32[2,3,4]", y="f32[2,4,3]", reshapes=True)
def _(x, y):
    before = x.sum(1)
    x.transpose_(1, 2)
    x.add_(y)
    return before, x.sum(1)


@case("A17 other names of transpose", x="f32[2,3,4]", reshapes=True)
def _(x):
    x.swapaxes_(0, 1)
    x.swapdims_(1, 2)
    return x.neg()


@case("A17 the tensor itself", x="f32[3]", y="f32[3]", refused="lost-write", plain="rule-error")
def _(x, y):
    x.set_(y)
    return x


@case("A17 detach", x="f32[3]", reshapes="without metadata")
def _(x):
    d = x.detach_()
    d.add_(1)
    return x.neg()


@case("A20 foreach", x="f32[3]", y="f32[2]", z="f32[3]", w="f32[2]")
def _(x, y, z, w):
    torch._foreach_add_([x, y], [z, w], alpha=2)
    torch._foreach_mul_([x, y], 2.0)
    return x.neg(), y


@case("A20 foreach with dtypes", x="bf16[3]", y="f32[2]")
def _(x, y):
    torch._foreach_addcmul_([x, y], [x, y], [x, y], 0.5)
    torch._foreach_neg_([x, y])
    return (x.neg(),)


@case("A20 a reshape of an item of a list", x="bf16[2,3]", y="f32[2,3]", z="f32[3]", plain="lost-write")
def _(x, y, z):
    torch._foreach_add_([x, y], [y.neg(), z])
    x.reshape(-1).mul_(2)
    torch._foreach_mul_([y], 3)
    y.flatten()[1:].zero_()
    return x.neg(), y.sum(0)


@case("A21 random programs by number", x="f32[3]", y="f32[3]")
def _(x, y):
    x.addcdiv_(y, y.abs().add(1), value=0.5)
    x.lerp_(y, 0.25)
    x.clamp_(-1, 1).sub_(y, alpha=3).pow_(2).sqrt_()
    return x


@case("A22 index updates", x="f32[4,3]", i="i64[2]", v="f32[2,3]")
def _(x, i, v):
    x.index_add_(0, i, v)
    x.index_fill_(0, i, 2.5)
    x.masked_fill_(x > 1, -1.0)
    x.index_put_((i,), v, True)
    return x.sum(0)


@case("A23 cumulative", x="f32[3,4]")
def _(x):
    x.cumsum_(1)
    x.tril_()
    return x


@case("A24 statistics behind an assignment that writes nothing", x="f32[4,3]", m="f32[3]", v="f32[3]", s="f32[]")
def _(x, m, v, s):
    flat = v.view(-1)
    call(operator.setitem, v, False, s)
    r = aten.native_batch_norm.default(x, None, None, m, v, True, 0.2, 1e-5)
    return r[0], v, flat


# ---------------------------------------------------------------- B


@case("B01", d="f32[32,64]", s="f32[1,64]")
def _(d, s):
    d.copy_(s)
    return d


@case("B02", d="f32[3]", a="f32[3]", b="f32[3]")
def _(d, a, b):
    return d.copy_(a), d.copy_(b), d


@case("B04", d="f32[3]", s="i64[3]")
def _(d, s):
    d.copy_(s)
    return d


@case("B04 truncates", d="i64[3]", s="f32[3]")
def _(d, s):
    d.copy_(s, non_blocking=True)
    return d.add(1)


@case("B05", d="f32[3]")
def _(d):
    d.copy_(d)
    return d.neg()


@case("B06 0-d", d="f32[]", s="f64[]")
def _(d, s):
    d.copy_(s)
    return d.neg()


@case("B07 source too large", d="f32[3]", s="f32[2,3]", refused="rule-error")
def _(d, s):
    d.copy_(s)
    return d


@case("B08 a strided destination", d="f32[3,4] strides=(1,3)", s="f32[4]")
def _(d, s):
    d.copy_(s)
    return d.neg(), d


@case("B09 overlapping source and destination", d="f32[6]", plain="lost-write")
def _(d):
    d[1:5].copy_(d[0:4].clone())
    return d.neg()


@case("B10 aten", d="f32[3]", s="f32[1]")
def _(d, s):
    aten.copy_.default(d, s)
    return aten.neg.default(d)


# ---------------------------------------------------------------- D


@case("D01", x="f32[2]", kv="f32[2]")
def _(x, kv):
    neg = x.neg()
    kv.add_(x)
    return (neg,)


@case("D02", x="f32[2]", y="f32[2]")
def _(x, y):
    x.add_(y)
    x.mul_(y)
    return (x,)


@case("D03", x="f32[2]", y="f32[2]")
def _(x, y):
    neg = x.neg()
    x.add_(y)
    x.mul_(y)
    return (neg,)


@case("D04", kv="f32[4,3]", v="f32[3]")
def _(kv, v):
    call(operator.setitem, kv, 3, v)
    return (kv,)


@case("D06", x="f32[2]", y="f32[2]")
def _(x, y):
    x.add_(y)
    return (x.neg(),)


@case("D07", x="f32[2,2]")
def _(x):
    x.view(-1).add_(1.0)
    return (x,)


@case("D08", x="f32[2,2]")
def _(x):
    return (x.view(-1).add_(1.0).neg(),)


@case("D10", x="f32[4,3]", s="f32[3]", plain="lost-write")
def _(x, s):
    neg = s.neg()
    x[0].copy_(s)
    return (neg,)


@case("D11 slice by getitem", x="f32[4,3]", s="f32[3]", plain="lost-write")
def _(x, s):
    x[1:3].copy_(s)
    return x.neg(), x[2]


@case("D11 tuple by getitem", x="f32[4,3]", plain="lost-write")
def _(x):
    x[1:, 0].add_(1)
    x[..., -1].mul_(2)
    return x.neg()


@case("D12", x="f32[4,3]", a="f32[4]", b="f32[4]")
def _(x, a, b):
    x.select(1, 1).copy_(a)
    x.select(1, 2).copy_(b)
    return (x,)


@case("D13", x="f32[2,3]")
def _(x):
    view = x.view(-1)
    x.add_(1.0)
    return view.mul(2.0)


@case("D13 several views", x="f32[2,3]")
def _(x):
    flat, turned, row = x.view(-1), x.t(), x[0]
    flat.add_(1.0)
    row.mul_(2.0)
    return flat.neg(), turned.neg(), row.neg(), x.sum()


@case("D14 view of a view", x="f32[2,3,4]")
def _(x):
    view = x.permute(2, 0, 1)
    row = view[1]
    row.add_(1)
    view.mul_(2)
    return x.neg(), row.neg()


@case("D15", x="f32[3,4]")
def _(x):
    x.t()[0].add_(1)
    return x


@case("D16 unsqueeze, squeeze", x="f32[3,1]", plain="lost-write")
def _(x):
    x.unsqueeze(0).add_(1)
    x.squeeze(1).mul_(3)
    return x.neg()


@case("D17", x="f32[4,3]")
def _(x):
    a, b = (x.split(2)[i] for i in range(2))
    a.add_(1)
    b.mul_(2)
    return x


@case("D17 one split", x="f32[4,3]")
def _(x):
    parts = x.split(2)
    parts[0].add_(1)
    parts[1].mul_(2)
    return x.neg(), parts[0].neg()


@case("D18 chunk and unbind", x="f32[4,3]", plain="lost-write")
def _(x):
    torch.chunk(x, 2, 1)[0].add_(1)
    torch.unbind(x, 0)[3].mul_(2)
    return x.neg()


@case("D19", x="f32[3,3]")
def _(x):
    x.diagonal().add_(1)
    return x * x


@case("D20 narrow", x="f32[5,3]", s="f32[2,3]")
def _(x, s):
    x.narrow(0, 1, 2).copy_(s)
    return x.sum(0)


@case("D21", x="f32[4,3]", refused="lost-write")
def _(x):
    x.expand(2, 4, 3)[0].add_(1)
    return x


@case("D22 as_strided", x="f32[6]", plain="lost-write")
def _(x):
    x.as_strided((2, 2), (3, 1), 1).add_(1)
    return x.neg()


@case("D23", x="f32[3]", y="f32[3]")
def _(x, y):
    return y, x


@case("D30 a fresh base", x="f32[3]")
def _(x):
    z = x.new_zeros((2, 3))
    z[0].copy_(x)
    z.t()[1].add_(5)
    return z, z.sum()


@case("D31 an input is the value of another", x="f32[3]", y="f32[3]")
def _(x, y):
    x.copy_(y)
    y.add_(1)
    return x.neg(), y.neg()


@case("D32 swapped inputs", x="f32[3]", y="f32[3]")
def _(x, y):
    old = x.clone()
    x.copy_(y)
    y.copy_(old)
    return None


@case("D33 a returned view of a written base", x="f32[4,3]")
def _(x):
    view = x[1:3]
    x.mul_(2)
    return view


# ---------------------------------------------------------------- E


@case("E01", x="f32[3]", y="f32[3]")
def _(x, y):
    x.add_(y)
    return torch.cat([x, y], dim=0)


@case("E02", state="f32[2,3]", delta="f32[2,3]")
def _(state, delta):
    aten.add_.Tensor(state, delta)
    view = state.view(-1)
    return state, torch.einsum("i,i->", view, view)


@case("E04", x="f32[3]", y="f32[3]")
def _(x, y):
    x.add_(y)
    return [x, {"k": x}], x


@case("E05 a bare output", x="f32[3]", y="f32[3]")
def _(x, y):
    x.add_(1)
    return y.neg()


@case("E05 a list", x="f32[3]", y="f32[3]")
def _(x, y):
    x.add_(1)
    y.mul_(x)
    return [x, y.neg()]


@case("a dropout is no view of what it drops from", x="f32[64]", refused="lost-write", plain="lost-write")
def _(x):
    kept = x.clone()
    dropped = torch.nn.functional.dropout(kept, 0.5, True)
    kept.add_(1)
    return dropped, kept
