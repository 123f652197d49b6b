"""Small models whose graphs hold what a reader of the text IR meets: one property a capture."""

import operator

import torch
from torch import nn
import torch.nn.functional as F
from torch.export import Dim
from torch.fx.experimental.proxy_tensor import make_fx

from . import both, capture, dynamo, exported, plain, with_metadata


# ---------------------------------------------------------------- symbolic sizes


class SymbolicSizes(nn.Module):
    def forward(self, x, y):
        n, m = x.shape[0], y.shape[0]
        doubled = x.repeat(2, 1)[1:]
        joined = torch.cat([doubled, y], 0)
        odd = torch.ones(max(n, m), min(n, m), (n + 1) // 2, n % 3, n * m, n**2)
        return (joined.t()[:, ::2], joined.view(-1).to(torch.bfloat16), n * 2 + 1, odd.permute(3, 1, 0, 2, 5, 4),
                x.new_empty(torch.sym_max(n, 7), n * m // 4), x.expand(m, n, 4))


@capture("torch213/symbolic_sizes.meta.txt")
def symbolic_sizes():
    shapes = {"x": {0: Dim.DYNAMIC}, "y": {0: Dim.DYNAMIC}}
    return with_metadata(exported(SymbolicSizes(), (torch.ones(5, 4), torch.ones(8, 4)), dynamic_shapes=shapes).graph)


class DataDependent(nn.Module):
    def forward(self, x):
        hits = (x > 0).nonzero()
        count = x.sum().to(torch.int64).item()
        torch._check(count >= 2)
        torch._check(count < 100)
        return hits, hits.shape[0] * 2, torch.zeros(count, 3), x.masked_select(x > 1)


@capture("torch213/data_dependent.meta.txt")
def data_dependent():
    """Unbacked symbols u0, u1 and assertions whose message is a bare string."""
    program = exported(DataDependent(), (torch.ones(4, 6),), decompositions=1)
    return with_metadata(program.graph)


def dynamic_step(cache, keys, position):
    cache[:, position : position + keys.shape[1]] = keys
    cache.mul_(2)
    window = cache[:, : position + 1]
    return window.sum(-1), torch.full((keys.shape[0], 2), float("-inf"), device=cache.device)


@capture("torch213/dynamo_dynamic.txt", "torch213/dynamo_dynamic.meta.txt")
def dynamo_dynamic():
    """Typed SymInt placeholders, nodes inside slice(..), a `setitem` whose value is None."""
    arguments = torch.zeros(3, 16, 4), torch.ones(3, 2, 4), 5
    return both(dynamo(dynamic_step, *arguments, dynamic=True).graph)


# ---------------------------------------------------------------- mutation, devices, state


def in_place(x, y, state):
    a = x.clone()
    a[1:, None, ..., 0] = y[:3, :1]
    a[a > 0] = -0.0
    a[..., -1] *= 2
    a += state["scale"]
    b = torch.zeros_like(x, memory_format=torch.preserve_format).copy_(x)
    torch.add(x, y, alpha=2, out=b)
    a.t_().fill_(float("nan")).clamp_(min=-1e-05, max=1e20)
    b.relu_().index_fill_(0, torch.tensor([0, 1]), 3)
    return a, b, F.relu(y * 1, inplace=True)


@capture("torch213/dynamo_in_place.txt", "torch213/dynamo_in_place.meta.txt")
def dynamo_in_place():
    return both(dynamo(in_place, torch.ones(4, 4), torch.ones(4, 4), {"scale": torch.ones(4, 4)}).graph)


def devices(x):
    a = torch.empty(3, device="meta")
    b = torch.arange(3, device=torch.device("cpu"), dtype=torch.int32)
    c = x.to("meta").to(torch.device("meta"), torch.bfloat16, copy=True)
    d = torch.zeros((3,), dtype=torch.float8_e4m3fn, device=x.device).to(torch.complex64)
    e = x.new_full((2, 2), 7, device="cpu").to(memory_format=torch.preserve_format)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        f = x @ x
    return a, b, c, d, e, f, x.cpu()


@capture("torch213/devices.txt", "torch213/devices.meta.txt")
def device_arguments():
    return both(dynamo(devices, torch.ones(3, 3)).graph)


def collective(x, group):
    scattered = torch.empty(4, dtype=torch.float32, device=x.device)
    parts = torch.ops._c10d_functional.reduce_scatter_tensor(x, "sum", 2, group)
    return scattered.copy_(torch.ops._c10d_functional.wait_tensor(parts))


@capture("torch213/collectives.txt")
def collectives():
    """A reduce-scatter of a group that exists in this process only; the group's name is a bare string."""
    import torch.distributed as dist
    from torch.testing._internal.distributed.fake_pg import FakeStore

    dist.init_process_group(backend="fake", rank=0, world_size=2, store=FakeStore())
    try:
        name = dist.group.WORLD.group_name
        return plain(dynamo(lambda x: collective(x, name), torch.ones(8)).graph)
    finally:
        dist.destroy_process_group()


class Recurrent(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("state", torch.zeros(4))
        self.register_buffer("steps", torch.zeros((), dtype=torch.int64))
        self.norm = nn.BatchNorm1d(4)

    def forward(self, x, history):
        self.state.add_(x.mean(0))
        self.steps += 1
        history.copy_(torch.cat([history[1:], self.state[None]]))
        return self.norm(x) + self.state


@capture("torch213/export_training.meta.txt", "torch213/export_functional.meta.txt", "torch213/export_nested_copies.meta.txt")
def export_state():
    """The same mutations in place, as results, and written back twice by two more decompositions."""
    program = exported(Recurrent(), (torch.ones(3, 4), torch.zeros(5, 4)))
    texts = [with_metadata(program.graph)]
    for runs in (1, 2):
        for _ in range(runs):
            program = program.run_decompositions()
        texts.append(with_metadata(program.graph))
    return tuple(texts)


class WriteCache(nn.Module):
    def forward(self, cache, position, value):
        cache.index_put_([position], value)
        return cache.sum(-1)


@capture("torch213/kv_cache_dynamic.meta.txt", "torch213/kv_cache_strided.meta.txt", "torch213/kv_cache_thrice.meta.txt")
def kv_caches():
    """A cache of symbolic length, one that is a view with gaps, and one decomposed three times."""
    dense, position, value = torch.zeros(6, 8), torch.tensor([1]), torch.ones(1, 8)
    shapes = {"cache": {0: Dim.DYNAMIC}, "position": None, "value": None}
    dynamic = exported(WriteCache(), (dense, position, value), decompositions=2, dynamic_shapes=shapes)
    strided = exported(WriteCache(), (torch.zeros(6, 16)[:, :8], position, value), decompositions=2)
    thrice = exported(WriteCache(), (dense, position, value), decompositions=3)
    return tuple(with_metadata(program.graph) for program in (dynamic, strided, thrice))


# ---------------------------------------------------------------- control flow, multi-output, quantised


class ControlFlow(nn.Module):
    def forward(self, x, y):
        picked = torch.cond(x.sum() > 0, lambda a, b: (a + b, b.sin()), lambda a, b: (a - b, b.cos()), (x, y))
        rows = torch._higher_order_ops.map(lambda row, z: row * z[0], x, y)
        count, total = torch._higher_order_ops.while_loop(
            lambda i, acc: i < 3, lambda i, acc: (i + 1, acc * 2), (torch.zeros((), dtype=torch.int64), rows))
        return picked, count, total


@capture("torch213/control_flow.meta.txt", "torch213/control_flow_true_branch.meta.txt", "torch213/control_flow_loop_body.meta.txt")
def control_flow():
    module = exported(ControlFlow(), (torch.ones(3, 4), torch.ones(3, 4)), decompositions=1).graph_module
    bodies = [module.get_submodule(name) for name in ("true_graph_0", "while_loop_body_graph_0")]
    return tuple(with_metadata(part.graph) for part in (module, *bodies))


class ManyResults(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm = nn.LayerNorm(8)
        self.lstm = nn.LSTM(8, 4)

    def forward(self, x):
        values, places = torch.topk(self.norm(x), 2)
        pooled, where = F.max_pool2d(x[None], 2, return_indices=True)
        first, *rest = torch.split(x, [1, 1, 2])
        hidden, (h, c) = self.lstm(x)
        return values, places, pooled, where, first, rest, x.unbind(0)[1], torch.linalg.svd(x)[1], hidden, h, c


@capture("torch213/many_results.meta.txt")
def many_results():
    return with_metadata(exported(ManyResults().eval(), (torch.ones(4, 3, 8),), decompositions=1).graph)


class Quantised(nn.Module):
    def forward(self, x):
        ops, limits = torch.ops.quantized_decomposed, (0.1, 0, -128, 127, torch.int8)
        q = ops.quantize_per_tensor(x, *limits)
        d = ops.dequantize_per_tensor(q, *limits)
        again = ops.quantize_per_tensor(d[0:9223372036854775807], *limits)
        return ops.dequantize_per_tensor(again, *limits) @ d.t()


@capture("torch213/quantised.meta.txt")
def quantised():
    from torch.ao.quantization.fx import _decomposed  # noqa: F401  (registers the ops)

    return with_metadata(exported(Quantised(), (torch.ones(4, 8),)).graph)


@capture("torch213/quantised_eager_ops.txt")
def quantised_eager_ops():
    """Ops of the `quantized` namespace with a packet as target, quantised dtypes, a module call between stubs."""
    graph = torch.fx.Graph()
    x = graph.placeholder("x")
    scale, zero_point = graph.get_attr("conv.scale"), graph.get_attr("conv.zero_point")
    q = graph.call_function(torch.quantize_per_tensor, (x, scale, zero_point, torch.quint8))
    c = graph.call_module("conv", (q,))
    s = graph.call_function(torch.ops.quantized.add_relu, (c, q, 0.5, 128))
    p = graph.call_function(torch.quantize_per_channel, (s, [0.1, 0.25], [0, 3], 0, torch.qint8))
    graph.output(graph.call_method("dequantize", (p,)))
    return plain(graph)


# ---------------------------------------------------------------- training, functorch, strings


@capture("torch213/training_joint.meta.txt")
def training_joint():
    """make_fx over forward and backward with symbolic shapes: autograd's ops, detach chains, in-place accumulation."""

    def step(x, weight):
        weight = weight.detach().requires_grad_()
        loss = F.mse_loss(torch.tanh(x @ weight), x)
        (gradient,) = torch.autograd.grad(loss, [weight])
        return weight.detach().sub_(gradient, alpha=0.1), loss

    return with_metadata(make_fx(step, tracing_mode="symbolic")(torch.ones(3, 4), torch.ones(4, 4)).graph)


@capture("torch213/functorch_strings.txt")
def functorch_strings():
    """Bare strings with commas, braces and apostrophes; subgraphs of a checkpoint; an einsum."""

    def function(x, y):
        gradient = torch.func.vmap(torch.func.grad(lambda z: z.sin().sum()))(x)
        checked = torch.utils.checkpoint.checkpoint(lambda a: a.cos() * 2, y, use_reentrant=False)
        torch._assert(x.shape[0] > 1, "rows: {0} isn't enough, give more")
        return torch.einsum("ij,kj->ik", gradient, checked), F.pad(x, (0, 1), mode="constant", value=0.5)

    return plain(dynamo(function, torch.ones(3, 4), torch.ones(2, 4), dynamic=True).graph)


# ---------------------------------------------------------------- the tracer's own forms, every argument kind


class Inner(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(4, 4)
        self.register_buffer("buffer", torch.ones(4))

    def forward(self, x, scale=2.0, mode="fast"):
        return self.linear(x) * scale + self.buffer


class Traced(nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = Inner()
        self.layers = nn.Sequential(nn.Linear(4, 4), nn.ReLU())

    def forward(self, x: torch.Tensor, *rest, flag=None, depth: int = 3, name="it's", **options):
        y = self.layers(self.inner(x))
        return {"out": y.view(y.size(0), -1), "rows": y.shape[0], "pair": (y, [y, None])}


@capture("torch213/symbolic_trace.txt")
def symbolic_trace():
    return plain(torch.fx.symbolic_trace(Traced()).graph)


def argument_kinds_graph():
    graph = torch.fx.Graph()
    x, n = graph.placeholder("x", type_expr=torch.Tensor), graph.placeholder("n", type_expr=int, default_value=-1)
    graph.placeholder("**options")
    values = [
        7, -9223372036854775808, 9223372036854775807, 10**30, 0.1, -0.0, 1e-05, 1e16, 1.7976931348623157e308, 5e-324,
        float("inf"), float("-inf"), float("nan"), 1 + 2j, complex(0.0, -1.5), complex("nan+infj"), True, None, "mean", "", "a, b",
        "%x", "(unbalanced", "trailing ", torch.float8_e5m2, torch.complex64, torch.qint8, torch.bool, torch.device("cuda", 1), torch.device("xla:0"),
        torch.sparse_csr, torch.channels_last_3d, Ellipsis, slice(None, n, -1), slice(x, None, None), range(3),
        range(0, 10, 2), (), (1,), (1, (2, (3,))), [], [[]], [x, [n, (x,)]], {}, {"key with blank": [x], "k": {"n": n, 3: None}},
        torch.Size([2, 3]), torch.ops.aten.add.Tensor, int,
    ]
    for position, value in enumerate(values):
        graph.call_function(operator.getitem, (x, value), {}, name=f"value_{position}")
        graph.call_method("method", (x,), {"node": n, "value": value})
    graph.output({"x": x, "nested": [(n,), {"s": "quoted", "d": torch.device("cpu"), "t": torch.int8}], "slice": slice(0, n)})
    return graph


@capture("torch213/argument_kinds.txt")
def argument_kinds():
    """Each kind of literal as a positional and as a keyword argument, and as torch prints it in `return`."""
    return plain(argument_kinds_graph())


@capture("torch213/type_annotations.txt")
def type_annotations():
    import typing

    graph = torch.fx.Graph()
    x = graph.placeholder("x", type_expr=torch.Tensor)
    types = [int, float, torch.SymInt, typing.List[torch.Tensor], typing.Tuple[int, ...], typing.Optional[int], list[int],
             dict[str, torch.Tensor], typing.Any, typing.Callable[[int], str], typing.Union[int, str]]
    for annotation in types:
        graph.call_function(torch.relu, (x,), type_expr=annotation)
    attribute = graph.get_attr("weight", type_expr=torch.nn.Parameter)
    graph.output((attribute,), type_expr=torch.Tensor)
    return plain(graph)


@capture("torch213/long_lines.txt")
def long_lines():
    """One call with a thousand operands, one nest of sixty lists, one node that is used a thousand times."""
    graph = torch.fx.Graph()
    x = graph.placeholder("x")
    parts = [graph.call_function(operator.getitem, (x, position)) for position in range(200)]
    joined = graph.call_function(torch.cat, ([part for part in parts for _ in range(5)],), {"dim": -1})
    nest = joined
    for _ in range(60):
        nest = [nest]
    graph.output((nest, graph.call_function(torch.stack, ([x] * 1000,))))
    return plain(graph)
