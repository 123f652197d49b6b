"""Random calls for the shape functions of rules/shapes.rules: ops, dtypes, sizes and strides from one seed.

Each call is made under FakeTensorMode first; what torch refuses is not drawn."""

import operator
import random

import torch
import torch.nn.functional as F
from torch._subclasses.fake_tensor import FakeTensorMode

aten = torch.ops.aten
FLOATS = [torch.float32, torch.float16, torch.bfloat16, torch.float64]
INTS = [torch.int64, torch.int32, torch.int8, torch.uint8]
DTYPES = FLOATS + INTS + [torch.bool]


class Calls:
    """Draws calls over fake inputs, which it makes as it goes."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.mode = FakeTensorMode()
        self.inputs = []

    # ---- operands

    def dtype(self, kinds=DTYPES):
        return self.random.choice(kinds)

    def shape(self, low=0, high=4):
        return [self.random.choice([1, 2, 3, 4, 6]) for _ in range(self.random.randint(low, high))]

    def tensor(self, shape=None, dtype=None, low=0, high=4, plain=False):
        """An input: contiguous, transposed, strided with gaps or expanded."""
        shape = self.shape(low, high) if shape is None else list(shape)
        dtype = dtype or self.dtype()
        order = list(range(len(shape)))
        kind = "plain" if plain else self.random.choice(["plain", "plain", "plain", "permuted", "gaps", "expanded"])
        if kind == "permuted":
            self.random.shuffle(order)
        strides, step = [0] * len(shape), 1
        for d in reversed(order):
            strides[d] = step
            step *= shape[d]
            if kind == "gaps" and self.random.random() < 0.5:
                step *= 2
        if kind == "expanded" and shape:
            strides[self.random.randrange(len(shape))] = 0
        with self.mode:
            value = torch.empty_strided(shape, strides, dtype=dtype)
        self.inputs.append(value)
        return value

    def like(self, x, dtype=None):
        """A tensor that broadcasts with x."""
        shape = [n if self.random.random() < 0.8 else 1 for n in x.shape]
        if self.random.random() < 0.2:
            shape = shape[self.random.randint(0, len(shape)):]
        return self.tensor(shape, dtype)

    def number(self):
        return self.random.choice([2, 3, 1.5, 0.5])

    def dim(self, x):
        return self.random.randint(-x.dim(), x.dim() - 1)

    def flag(self):
        return self.random.random() < 0.5

    def pick(self, *choices):
        return self.random.choice(choices)


# ---------------------------------------------------------------- what is called: name -> draws (callee, args, kwargs)
# A callee is a function, or the name of a method.

UNARY = "neg abs relu floor ceil round trunc sign exp log log2 log1p sqrt rsqrt sin cos tanh sigmoid erf reciprocal " \
        "isnan isinf isfinite logical_not square bitwise_not expm1 asin atan sinh sgn frac signbit positive".split()
ACTIVATIONS = "silu gelu relu6 hardtanh leaky_relu elu softplus mish hardswish selu celu logsigmoid hardsigmoid".split()
BINARY = "add sub mul div pow maximum minimum remainder fmod floor_divide eq ne lt le gt ge logical_and logical_or " \
         "logical_xor atan2 true_divide fmax fmin bitwise_and bitwise_or bitwise_xor hypot copysign logaddexp".split()
CONVERSIONS = ["float", "half", "double", "int", "long", "bool", "bfloat16", "short", "byte"]


def draws():
    table = {}

    def draw(name):
        return lambda function: table.setdefault(name, function)

    def spelled(c, name, *args, **kwargs):
        function = getattr(torch, name, None)
        method = name if hasattr(torch.Tensor, name) and isinstance(args[0], torch.Tensor) else None
        return c.pick(*[s for s in (function, method) if s is not None]), args, kwargs

    for name in UNARY:
        table[name] = lambda c, name=name: spelled(c, name, c.tensor())
    for name in ("exp", "neg", "relu", "rsqrt", "abs", "tanh"):
        table["aten." + name] = lambda c, name=name: (getattr(aten, name).default, (c.tensor(),), {})
    for name in ACTIVATIONS:
        table[name] = lambda c, name=name: (getattr(F, name), (c.tensor(dtype=c.dtype(FLOATS)),), {})
    for name in BINARY:
        def binary(c, name=name):
            x = c.tensor()
            y = c.pick(c.like(x), c.like(x), c.like(x, x.dtype), c.number())
            return spelled(c, name, x, y)
        table[name] = binary
    for name in ("add", "sub", "mul", "div", "eq", "lt", "maximum"):
        def overload(c, name=name):
            x = c.tensor()
            scalar = hasattr(getattr(aten, name), "Scalar") and c.flag()
            tensor = getattr(getattr(aten, name), "Tensor", getattr(aten, name).default if name == "maximum" else None)
            return (getattr(aten, name).Scalar, (x, c.number()), {}) if scalar else (tensor, (x, c.like(x)), {})
        table["aten." + name] = overload
    for name in CONVERSIONS:
        table["." + name] = lambda c, name=name: (name, (c.tensor(),), {})

    @draw("div rounding")
    def _(c):
        x = c.tensor()
        return torch.div, (x, c.like(x)), {"rounding_mode": c.pick("floor", "trunc")}

    @draw("rsub")
    def _(c):
        return torch.rsub, (c.tensor(dtype=c.dtype(FLOATS + INTS)), c.number()), {}

    @draw("where")
    def _(c):
        x = c.tensor()
        return torch.where, (c.like(x, torch.bool), x, c.pick(c.like(x), c.number())), {}

    @draw("masked_fill")
    def _(c):
        x = c.tensor()
        return "masked_fill", (x, c.like(x, torch.bool), 1), {}

    @draw("clamp")
    def _(c):
        x = c.tensor(dtype=c.dtype(FLOATS + INTS))
        return torch.clamp, (x,), c.pick({"min": 0}, {"max": 1.5}, {"min": 0, "max": 3}, {"min": c.like(x)})

    @draw("addcmul")
    def _(c):
        x = c.tensor(dtype=torch.float32)
        return torch.addcmul, (x, c.like(x, torch.float32), c.like(x, torch.float32)), {}

    @draw("lerp")
    def _(c):
        x = c.tensor(dtype=torch.float32)
        return torch.lerp, (x, c.like(x, torch.float32), c.pick(0.5, c.like(x, torch.float32))), {}

    @draw("*_like")
    def _(c):
        name = c.pick("zeros_like", "ones_like", "empty_like", "rand_like", "randn_like", "full_like")
        kwargs = c.pick({}, {"dtype": c.dtype(FLOATS)}, {"memory_format": torch.contiguous_format},
                        {"memory_format": torch.preserve_format})
        x = c.tensor(dtype=c.dtype(FLOATS) if name.startswith("rand") else None)
        return getattr(torch, name), (x, 1) if name == "full_like" else (x,), kwargs

    @draw("new_*")
    def _(c):
        name = c.pick("new_zeros", "new_ones", "new_empty", "new_full")
        s = c.shape()
        return name, (c.tensor(), s, 2) if name == "new_full" else (c.tensor(), s), c.pick({}, {"dtype": c.dtype()})

    @draw("factories")
    def _(c):
        name = c.pick("zeros", "ones", "empty", "rand", "randn", "full", "eye", "arange", "arange", "arange", "tensor",
                      "scalar_tensor", "linspace", "randint")
        kwargs = c.pick({}, {"dtype": torch.float64}, {"device": "cpu"}, {"dtype": torch.float16, "device": "cpu"})
        args = {"full": (c.shape(), c.pick(1, 1.5, True)), "eye": c.pick((3,), (3, 4)), "scalar_tensor": (3,),
                "arange": c.pick((5,), (2, 7), (2, 9, 2), (9, 2, -3), (5.0,), (1, 4.0)),
                "tensor": (c.pick(3, 1.5, True, [1, 2, 3], [1.5, 2], [True]),), "linspace": (0, 1, 5),
                "randint": c.pick((5, [2, 3]), (1, 5, [4]))}.get(name, c.pick((c.shape(),), tuple(c.shape(1))))
        return getattr(torch, name), args, kwargs

    @draw("clone")
    def _(c):
        return c.pick(torch.clone, "clone"), (c.tensor(),), c.pick({}, {}, {"memory_format": torch.contiguous_format})

    @draw("contiguous")
    def _(c):
        return "contiguous", (c.tensor(),), {}

    @draw("bernoulli")
    def _(c):
        op = c.pick(torch.bernoulli, aten.uniform.default, aten.normal_functional.default, aten.exponential.default,
                    aten.cauchy.default, aten.log_normal.default, aten.random.default)
        return op, (c.tensor(dtype=torch.float32),), {}

    @draw("_native_batch_norm_legit_functional")
    def _(c):
        x, channels = c.tensor(c.pick([2, 3], [2, 3, 4], [2, 3, 4, 5]), dtype=torch.float32), [c.tensor([3], dtype=torch.float32) for _ in range(2)]
        return aten._native_batch_norm_legit_functional.default, (x, None, None, *channels, True, 0.1, 1e-5), {}

    @draw("to")
    def _(c):
        x = c.tensor()
        args, kwargs = c.pick(((c.dtype(),), {}), (("cpu",), {}), (("cpu", c.dtype()), {}), ((c.tensor(),), {}),
                              ((), {"dtype": c.dtype()}), ((), {"device": "cpu", "dtype": c.dtype()}), ((x.dtype,), {}),
                              ((x.dtype,), {"copy": True}))
        return "to", (x, *args), kwargs

    @draw("_to_copy")
    def _(c):
        return aten._to_copy.default, (c.tensor(),), {"dtype": c.dtype()}

    @draw("type_as")
    def _(c):
        return "type_as", (c.tensor(), c.tensor()), {}

    # ---- views

    def regrouped(c, x):
        """Sizes with as many elements as x has."""
        n, sizes = x.numel(), []
        while n > 1 and len(sizes) < 3:
            size = c.pick(*[k for k in (1, 2, 3, 4, 6) if n % k == 0])
            sizes.append(size)
            n //= size
        sizes.insert(c.random.randint(0, len(sizes)), n)
        if c.flag():
            sizes[c.random.randrange(len(sizes))] = -1
        return sizes

    @draw("view")
    def _(c):
        x = c.tensor(plain=c.flag())
        sizes = regrouped(c, x)
        return c.pick(("view", (x, *sizes), {}), ("view", (x, sizes), {}), (aten.view.default, (x, sizes), {}))

    @draw("reshape")
    def _(c):
        x = c.tensor()
        sizes = regrouped(c, x)
        return c.pick(("reshape", (x, *sizes), {}), (torch.reshape, (x, sizes), {}))

    @draw("view_as")
    def _(c):
        x = c.tensor(plain=True)
        return "view_as", (x, c.tensor(list(reversed(x.shape)))), {}

    @draw("expand")
    def _(c):
        x = c.tensor(high=3)
        sizes = [c.pick(n, -1) if n != 1 else c.pick(1, 4, -1) for n in x.shape]
        sizes = [c.pick(1, 2, 5) for _ in range(c.pick(0, 0, 1, 2))] + sizes
        return c.pick(("expand", (x, *sizes), {}), (aten.expand.default, (x, sizes), {}))

    @draw("expand_as")
    def _(c):
        x = c.tensor(high=3)
        return "expand_as", (x, c.tensor([c.pick(1, 2) for _ in range(c.pick(0, 1))] + [n if n != 1 else 3 for n in x.shape])), {}

    @draw("unsqueeze")
    def _(c):
        x = c.tensor(high=3)
        return spelled(c, "unsqueeze", x, c.random.randint(-x.dim() - 1, x.dim()))

    @draw("squeeze")
    def _(c):
        x = c.tensor(low=1)
        return spelled(c, "squeeze", x, *c.pick((), (c.dim(x),), ((c.dim(x),),)))

    @draw("permute")
    def _(c):
        x = c.tensor(low=1)
        order = list(range(x.dim()))
        c.random.shuffle(order)
        return c.pick(("permute", (x, *order), {}), (torch.permute, (x, order), {}))

    @draw("transpose")
    def _(c):
        x = c.tensor(low=1)
        return spelled(c, c.pick("transpose", "swapaxes"), x, c.dim(x), c.dim(x))

    @draw("t")
    def _(c):
        return spelled(c, "t", c.tensor(high=2))

    @draw("select")
    def _(c):
        x = c.tensor(low=1)
        return spelled(c, "select", x, c.dim(x), 0)

    @draw("slice")
    def _(c):
        x = c.tensor(low=1)
        bounds = c.pick((1, 3), (0, 9223372036854775807), (-2, -1), (0, 100, 2), (3, 1), (None, 2), (1, None, 3))
        return aten.slice.Tensor, (x, c.dim(x), *bounds), {}

    @draw("narrow")
    def _(c):
        x = c.tensor(low=1)
        return spelled(c, "narrow", x, c.dim(x), 0, 1)

    @draw("flatten")
    def _(c):
        x = c.tensor()
        return spelled(c, "flatten", x, *c.pick((), (0,), (1,), (0, 1), (-2, -1)))

    @draw("unflatten")
    def _(c):
        x = c.tensor([c.pick(2, 3), 6, c.pick(1, 4)])
        return "unflatten", (x, c.pick(1, -2), c.pick([2, 3], [-1, 2], [6, 1])), {}

    @draw("detach")
    def _(c):
        return c.pick(("detach", (c.tensor(),), {}), (aten.alias.default, (c.tensor(),), {}))

    @draw("diagonal")
    def _(c):
        return spelled(c, "diagonal", c.tensor(low=2), *c.pick((), (0,), (0, 0, 1), (1,), (-1, 1, 0)))

    @draw("as_strided")
    def _(c):
        return torch.as_strided, (c.tensor([4, 6], plain=True), [2, 3], [6, 2]), {}

    @draw("unfold")
    def _(c):
        return "unfold", (c.tensor([6, 4]), c.pick(0, 1), c.pick(1, 2), c.pick(1, 2)), {}

    @draw("ravel")
    def _(c):
        return torch.ravel, (c.tensor(),), {}

    @draw("split")
    def _(c):
        x = c.tensor([6, 4, 3])
        return c.pick((torch.split, (x, c.pick(1, 2, 4), c.pick(0, 1, -1)), {}), ("split", (x, [1, 5]), {}),
                      (aten.split.Tensor, (x, 2), {}), (torch.chunk, (x, c.pick(2, 4), c.pick(0, 1)), {}),
                      ("chunk", (x, 2), {}), (torch.unbind, (x, c.pick(0, -1)), {}), ("unbind", (x,), {}),
                      (aten.split_with_sizes.default, (x, [2, 4]), {}))

    # ---- indexing and updates

    def item(c, n):
        return c.pick(0, -1, slice(None), slice(1, None), slice(0, 2), slice(None, None, 2), slice(-2, None))

    @draw("getitem")
    def _(c):
        x = c.tensor(low=1)
        index = tuple(item(c, n) for n in x.shape[:c.random.randint(1, x.dim())])
        if c.flag():
            index = index + (c.pick(None, Ellipsis),)
        elif c.flag():
            index = (c.pick(None, Ellipsis),) + index
        return operator.getitem, (x, index if len(index) > 1 or c.flag() else index[0]), {}

    @draw("getitem by tensors")
    def _(c):
        x = c.tensor([4, 3, 6])
        i = c.tensor(c.pick([], [2], [2, 3]), c.pick(torch.int64, torch.int32))
        j = c.tensor([1], torch.int64)
        index = c.pick((i,), (slice(None), i), (i, slice(0, 2), j), (slice(None), i, j), (0, i), (i, None), (Ellipsis, i),
                       ([0, 2],), (slice(None), [0, 1], i))
        return operator.getitem, (x, index if len(index) > 1 else index[0]), {}

    @draw("index")
    def _(c):
        x = c.tensor([4, 3, 6])
        i, j = c.tensor([2, 1], torch.int64), c.tensor([5], torch.int64)
        return aten.index.Tensor, (x, c.pick([i], [None, i], [i, j], [i, None, j], [None, i, j])), {}

    @draw("index_select")
    def _(c):
        x = c.tensor(low=1)
        return spelled(c, "index_select", x, c.dim(x), c.tensor([3], torch.int64))

    @draw("gather")
    def _(c):
        return torch.gather, (c.tensor([4, 3]), c.pick(0, 1), c.tensor([2, 3], torch.int64)), {}

    @draw("embedding")
    def _(c):
        w, i = c.tensor([10, 4], torch.float32, plain=True), c.tensor(dtype=torch.int64, high=3)
        return c.pick((F.embedding, (i, w), {}), (aten.embedding.default, (w, i), {}))

    @draw("index_put")
    def _(c):
        x = c.tensor([4, 3])
        return torch.index_put, (x, (c.tensor([2], torch.int64),), c.tensor([2, 3], x.dtype)), {}

    @draw("scatters")
    def _(c):
        x = c.tensor([4, 6])
        return c.pick((torch.slice_scatter, (x, c.tensor([2, 6], x.dtype), 0, 1, 3), {}),
                      (torch.select_scatter, (x, c.tensor([6], x.dtype), 0, 2), {}),
                      (torch.select_scatter, (x, c.tensor([4], x.dtype), 1, 2), {}),
                      (torch.diagonal_scatter, (x, c.tensor([4], x.dtype)), {}),
                      (torch.as_strided_scatter, (x, c.tensor([2, 2], x.dtype), [2, 2], [1, 2]), {}),
                      (torch.scatter, (x, 0, c.tensor([2, 6], torch.int64), c.tensor([2, 6], x.dtype)), {}),
                      (torch.index_add, (x, 0, c.tensor([2], torch.int64), c.tensor([2, 6], x.dtype)), {}),
                      (torch.index_copy, (x, 0, c.tensor([2], torch.int64), c.tensor([2, 6], x.dtype)), {}),
                      (torch.index_fill, (x, 0, c.tensor([2], torch.int64), 1), {}),
                      (aten.copy.default, (x, c.tensor([4, 6])), {}), (aten.fill.Scalar, (x, 1), {}))

    # ---- other sizes

    @draw("pad")
    def _(c):
        x = c.tensor(low=1)
        pairs = [c.pick(0, 1, 2) for _ in range(2 * c.random.randint(1, x.dim()))]
        return c.pick((F.pad, (x, pairs), {}), (F.pad, (x, pairs), {"value": 1}),
                      (aten.constant_pad_nd.default, (x, pairs, 0), {}))

    @draw("cat")
    def _(c):
        x = c.tensor(low=1)
        d = c.dim(x)
        more = [c.tensor([c.pick(1, 2, 3) if k == d % x.dim() else n for k, n in enumerate(x.shape)], c.pick(x.dtype, None))
                for _ in range(c.pick(1, 2))]
        return c.pick((torch.cat, ([x, *more], d), {}), (aten.cat.default, ([x, *more], d), {}))

    @draw("stack")
    def _(c):
        x = c.tensor(high=3)
        return torch.stack, ([x, c.tensor(x.shape, x.dtype)], c.random.randint(-x.dim() - 1, x.dim())), {}

    @draw("repeat")
    def _(c):
        x = c.tensor(high=3)
        return "repeat", (x, *[c.pick(1, 2) for _ in range(x.dim() + c.pick(1, 0) if x.dim() else 1)]), {}

    @draw("topk")
    def _(c):
        return torch.topk, (c.tensor([4, 3], torch.float32), 2), c.pick({}, {"dim": 0})

    @draw("sort")
    def _(c):
        return c.pick((torch.sort, (c.tensor(low=1),), {}), (torch.argsort, (c.tensor(low=1),), {}))

    @draw("cumsum")
    def _(c):
        x = c.tensor(low=1)
        return spelled(c, c.pick("cumsum", "cumprod"), x, c.dim(x))

    @draw("softmax")
    def _(c):
        x = c.tensor(low=1, dtype=c.dtype(FLOATS))
        return c.pick((F.softmax, (x, -1), {}), ("softmax", (x, 0), {}), (torch.log_softmax, (x, -1), {}),
                      (F.softmax, (x, -1), {"dtype": torch.float64}), (aten._softmax.default, (x, 0, False), {}))

    @draw("triu")
    def _(c):
        return spelled(c, c.pick("triu", "tril"), c.tensor(low=2))

    @draw("flip")
    def _(c):
        return c.pick((torch.flip, (c.tensor(low=1), [0]), {}), (torch.roll, (c.tensor(low=1), 1, 0), {}))

    @draw("dropout")
    def _(c):
        return F.dropout, (c.tensor(dtype=torch.float32), 0.5), c.pick({}, {"training": False})

    @draw("layer_norm")
    def _(c):
        return F.layer_norm, (c.tensor([2, 3, 4], torch.float32), [4]), {}

    @draw("one_hot")
    def _(c):
        return F.one_hot, (c.tensor(dtype=torch.int64, high=3), 5), {}

    # ---- reductions

    @draw("sum")
    def _(c):
        x = c.tensor(low=1)
        return spelled(c, c.pick("sum", "sum", "prod"), x, *c.pick((), (c.dim(x),), (c.dim(x), True)))

    @draw("sum dtype")
    def _(c):
        return torch.sum, (c.tensor(low=1),), c.pick({"dtype": torch.float32}, {"dim": 0, "dtype": torch.int64}, {"dim": [0]})

    @draw("mean")
    def _(c):
        x = c.tensor(low=1, dtype=c.dtype(FLOATS))
        return spelled(c, "mean", x, *c.pick((), (c.dim(x),), ([c.dim(x)], True)))

    @draw("amax")
    def _(c):
        x = c.tensor(low=1)
        return spelled(c, c.pick("amax", "amin"), x, *c.pick((), (c.dim(x),), ([0], True)))

    @draw("max")
    def _(c):
        x = c.tensor(low=1)
        return spelled(c, c.pick("max", "min"), x, *c.pick((), (c.dim(x),), (0, True), (c.like(x),)))

    @draw("argmax")
    def _(c):
        x = c.tensor(low=1, dtype=c.dtype(FLOATS + INTS))
        return spelled(c, c.pick("argmax", "argmin"), x, *c.pick((), (c.dim(x),), (0, True)))

    @draw("any")
    def _(c):
        x = c.tensor(low=1)
        return spelled(c, c.pick("any", "all"), x, *c.pick((), (c.dim(x),), (0, True)))

    @draw("var")
    def _(c):
        x = c.tensor(low=1, dtype=c.dtype(FLOATS))
        return torch.var, (x,), c.pick({"dim": c.dim(x)}, {"dim": [0], "keepdim": True}, {"dim": 0, "correction": 0})

    @draw("logsumexp")
    def _(c):
        return torch.logsumexp, (c.tensor(low=1, dtype=torch.float32), 0), {}

    # ---- products

    @draw("products")
    def _(c):
        t = torch.float32
        m, k, n, b = (c.pick(1, 2, 3, 4) for _ in range(4))
        return c.pick(
            (torch.mm, (c.tensor([m, k], t), c.tensor([k, n], t)), {}),
            (torch.bmm, (c.tensor([b, m, k], t), c.tensor([b, k, n], t)), {}),
            (torch.addmm, (c.tensor([n], t), c.tensor([m, k], t), c.tensor([k, n], t)), {}),
            (torch.baddbmm, (c.tensor([b, m, n], t), c.tensor([b, m, k], t), c.tensor([b, k, n], t)), {}),
            (torch.matmul, (c.tensor([m, k], t), c.tensor([k, n], t)), {}),
            (torch.matmul, (c.tensor([k], t), c.tensor([k], t)), {}),
            (torch.matmul, (c.tensor([b, m, k], t), c.tensor([k, n], t)), {}),
            (torch.matmul, (c.tensor([b, m, k], t), c.tensor([k], t)), {}),
            (torch.matmul, (c.tensor([k], t), c.tensor([b, k, n], t)), {}),
            (torch.matmul, (c.tensor([2, 1, m, k], t), c.tensor([b, k, n], t)), {}),
            ("matmul", (c.tensor([m, k], t), c.tensor([b, k, n], t)), {}),
            (F.linear, (c.tensor([b, m, k], t), c.tensor([n, k], t)), {}),
            (F.linear, (c.tensor([k], t), c.tensor([n, k], t), c.tensor([n], t)), {}),
            (torch.mv, (c.tensor([m, k], t), c.tensor([k], t)), {}),
            (torch.dot, (c.tensor([k], t), c.tensor([k], t)), {}),
            (torch.outer, (c.tensor([m], t), c.tensor([n], t)), {}),
            (F.scaled_dot_product_attention, tuple(c.tensor([2, 2, n, 4], t, plain=True) for _ in range(3)), {}))

    # ---- numbers

    @draw("size")
    def _(c):
        x = c.tensor(low=1)
        return c.pick(("size", (x, 0), {}), ("dim", (x,), {}), ("numel", (x,), {}), ("size", (x,), {}),
                      (getattr, (x, "shape"), {}), (getattr, (x, "ndim"), {}))

    return table


def list_draws():
    """Ops on lists of tensors."""
    names = {
        "same": "neg ceil floor round trunc frac sign".split(),
        "floating": "exp sqrt log1p sigmoid tanh reciprocal erf sin log rsqrt".split(),
        "pair": "add sub mul maximum minimum clamp_min clamp_max".split(),
        "quotient": ["div"],
        "triple": ["addcmul", "addcdiv"],
    }

    def drawn(kind):
        def draw(c):
            xs = [c.tensor(dtype=c.dtype(FLOATS)) for _ in range(2)]
            ys, zs = ([c.like(x, x.dtype if kind == "triple" else None) for x in xs] for _ in range(2))
            arguments = {"pair": (c.pick(ys, 2, 1.5, [2, 1.5]),), "quotient": (c.pick(ys, 2.0),), "triple": (ys, zs, 0.5)}
            return getattr(torch, f"_foreach_{c.pick(*names[kind])}"), (xs, *arguments.get(kind, ())), {}

        return draw

    return {kind: drawn(kind) for kind in names}
