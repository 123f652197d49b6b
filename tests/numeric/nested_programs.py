"""Programs whose nested graphs write in place: what they are called with, values of their own, views of either.

Each is a function over a `run` that records a call of a higher-order op, and its bodies by name.
"""

import copy
import dataclasses
import operator
import typing

import torch

import traced

hop = torch.ops.higher_order
PROGRAMS = {}


@dataclasses.dataclass
class Nested:
    function: typing.Callable
    bodies: dict
    inputs: str
    refused: typing.Optional[str]


def nested(bodies, refused=None, **inputs):
    def register(function):
        specs = "".join(f"{name}={kind}\n" for name, kind in inputs.items())
        PROGRAMS[function.__name__] = Nested(function, bodies, specs, refused)
        return function

    return register


def module_of(function, bodies, count):
    """The traced function; its bodies are modules of their own, and so are theirs where they are (function, bodies)."""
    modules = {name: body if isinstance(body, torch.nn.Module) else _body(body) for name, body in bodies.items()}

    class Root(torch.nn.Module):
        def forward(self, *values):
            def run(target, *arguments):
                proxies = [leaf for leaf in torch.utils._pytree.tree_leaves(arguments) if isinstance(leaf, torch.fx.Proxy)]
                tracer = proxies[0].tracer
                named = [tracer.create_proxy("get_attr", a[1:], (), {}) if isinstance(a, str) and a[:1] == "@" else a for a in arguments]
                return tracer.create_proxy("call_function", target, tuple(named), {})

            return function(run, *values)

    return torch.fx.GraphModule(modules, _trace(Root, function.__code__.co_varnames[1 : 1 + count]))


def _trace(root, names):
    """Of a `forward` that takes the names one by one, as placeholders are called after them."""
    space = {}
    exec(f"def forward(self, {', '.join(names)}):\n    return type(self).run(self, {', '.join(names)})", space)
    kind = type("Traced", (torch.nn.Module,), {"forward": space["forward"], "run": root.forward})
    return torch.fx.Tracer().trace(kind())


def _body(body):
    function, bodies = body if isinstance(body, tuple) else (body, None)
    if bodies is None:
        return torch.fx.symbolic_trace(function)
    return module_of(function, bodies, function.__code__.co_argcount - 1)


class _Picture(torch.fx.Interpreter):
    """Metadata of the values of a module and of the bodies that one call runs."""

    def run_node(self, node):
        arguments, _ = self.fetch_args_kwargs_from_env(node)
        bodies = [a for a in arguments if isinstance(a, torch.fx.GraphModule)]
        operands = [t for a in arguments for t in (a if isinstance(a, (tuple, list)) else (a,)) if isinstance(t, torch.Tensor)]
        if node.target is hop.cond:
            operands = list(arguments[3])
        for body in bodies:
            count = sum(n.op == "placeholder" for n in body.graph.nodes)
            if node.target not in (hop.map_impl, hop.scan) and count == len(operands):
                _Picture(body).run(*copy.deepcopy(operands))
        value = super().run_node(node)
        node.meta["val"] = torch.utils._pytree.tree_map_only(torch.Tensor, traced.picture, value)
        return value


def with_values(module, inputs):
    with torch.no_grad():
        _Picture(module).run(*copy.deepcopy(list(inputs.values())))
    return module


def text(module, metadata=True):
    if not metadata:
        for inner in module.modules():
            for node in getattr(inner, "graph", torch.fx.Graph()).nodes:
                node.meta.clear()
    return torch.fx.graph_module._print_readable(module, "GraphModule", print_output=False, include_stride=True, include_device=True)


def read(text):
    """The module that the readable text describes."""
    space = {"torch": torch, "device": torch.device, "inf": float("inf"), "nan": float("nan")}
    exec(text, space)
    return _instance(space["GraphModule"], graphs="tag_activation_checkpoint" in text)


def _instance(kind, graphs):
    """A checkpoint runs the nodes of a graph: only then, for tracing code loses operators that write in place."""
    module, leaf = kind(), True
    for name, inner in list(vars(kind).items()):
        if isinstance(inner, type) and issubclass(inner, torch.nn.Module):
            delattr(kind, name)  # it would hide the instance
            setattr(module, name, _instance(inner, graphs))
            leaf = False
    return torch.fx.symbolic_trace(module) if leaf and graphs else module


# ---------------------------------------------------------------- branches

ADDS = lambda x, y: (x.add_(y).mul(2),)  # noqa: E731
READS = lambda x, y: (x + y,)  # noqa: E731


@nested(dict(t=ADDS, f=READS), p="b8[]", x="f32[4]", y="f32[4]")
def one_branch_writes(run, p, x, y):
    r = run(hop.cond, p, "@t", "@f", (x, y))
    return r[0], x + 1


@nested(dict(t=ADDS, f=lambda x, y: (y.mul_(x) + 0,)), p="b8[]", x="f32[4]", y="f32[4]")
def each_branch_writes_another(run, p, x, y):
    r = run(hop.cond, p, "@t", "@f", (x, y))
    return r[0], x * y


@nested(dict(t=ADDS, f=READS), p="b8[]", x="f32[4]", y="f32[4]")
def the_operand_is_read_before_and_written_after(run, p, x, y):
    old = x.neg()
    x.mul_(2)
    r = run(hop.cond, p, "@t", "@f", (x, y))
    x.sub_(1)
    return old, r[0], x


@nested(dict(t=lambda x: x.add_(1), f=lambda x: x), p="b8[]", x="f32[4]")
def the_result_is_the_operand(run, p, x):
    run(hop.cond, p, "@t", "@f", (x,))
    return x


@nested(dict(t=lambda x: (x.add_(1),), f=lambda x: (x,)), p="b8[]", x="f32[4]")
def the_result_is_the_operand_and_is_read(run, p, x):
    r = run(hop.cond, p, "@t", "@f", (x,))
    return r[0] * 2, x


@nested(dict(t=lambda x: x.add_(1).sum(), f=lambda x: x.sum()), p="b8[]", x="f32[4]")
def one_result_without_a_tuple(run, p, x):
    r = run(hop.cond, p, "@t", "@f", (x,))
    return r + 1, x


@nested(dict(t=ADDS, f=READS), p="b8[]", x="f32[4]", y="f32[4]")
def nobody_reads_the_results(run, p, x, y):
    run(hop.cond, p, "@t", "@f", (x, y))
    return y.neg()


@nested(dict(t=lambda x: (x[1:].mul_(3).sum(),), f=lambda x: (x.view(-1).neg_().sum(),)), p="b8[]", x="f32[2,3]")
def views_inside(run, p, x):
    r = run(hop.cond, p, "@t", "@f", (x,))
    return r[0], x


@nested(dict(t=lambda v, y: (v.copy_(y) * 2,), f=lambda v, y: (y * 2,)), p="b8[]", x="f32[3,4]", y="f32[4]")
def a_view_is_the_operand(run, p, x, y):
    flat = x.view(-1)
    r = run(hop.cond, p, "@t", "@f", (x[1], y))
    return r[0], x.sum(0), flat


@nested(dict(t=lambda x: (x.mul(2).add_(1),), f=lambda x: (x.clone().zero_(),)), p="b8[]", x="f32[4]")
def values_of_their_own(run, p, x):
    return run(hop.cond, p, "@t", "@f", (x,))[0]


@nested(dict(t=((lambda run, p, x, y: (run(hop.cond, p, "@a", "@b", (x, y))[0] + x,)), dict(a=ADDS, b=READS)),
             f=lambda p, x, y: (y.sub_(1) + 0,)), p="b8[]", x="f32[4]", y="f32[4]")
def a_branch_in_a_branch(run, p, x, y):
    r = run(hop.cond, p, "@t", "@f", (p, x, y))
    return r[0], x, y


@nested(dict(t=ADDS, f=READS), refused="lost-write", p="b8[]", x="f32[4]")
def two_operands_are_one(run, p, x):
    return run(hop.cond, p, "@t", "@f", (x, x))[0], x


@nested(dict(t=lambda x: (x.add_(1),), f=lambda x: (x,)), refused="lost-write", p="b8[]", x="f32[4]")
def the_result_is_the_operand_and_that_is_written_later(run, p, x):
    r = run(hop.cond, p, "@t", "@f", (x,))
    x.mul_(2)
    return r[0] + 0


# ---------------------------------------------------------------- one body

BODY = lambda x, y: (x.mul_(y) + 1, y * 2)  # noqa: E731


@nested(dict(b=BODY), x="f32[4]", y="f32[4]", z="f32[4]")
def a_body_of_two_calls(run, x, y, z):
    a = run(hop.invoke_subgraph, "@b", "b", x, y)
    b = run(hop.invoke_subgraph, "@b", "b", z, a[0])
    return b[0], b[1], x + z


@nested(dict(b=BODY), x="f32[4]", y="f32[4]")
def a_body_that_is_called_twice_on_one_operand(run, x, y):
    run(hop.invoke_subgraph, "@b", "b", x, y)
    return run(hop.invoke_subgraph, "@b", "b", x, y)[0], x


@nested(dict(b=BODY), x="f32[4]", y="f32[4]")
def wrapped(run, x, y):
    return run(hop.wrap, "@b", x, y)[0], x


@nested(dict(b=BODY), x="f32[4]", y="f32[4]")
def a_checkpoint(run, x, y):
    return run(hop.tag_activation_checkpoint, "@b", x, y)[0], x


@nested(dict(b=BODY), x="f32[4]", y="f32[4]")
def without_gradients(run, x, y):
    return run(hop.wrap_with_set_grad_enabled, False, "@b", x, y)[1], x


@nested(dict(b=BODY), x="f32[4]", y="f32[4]")
def two_results_of_one_call_are_operands(run, x, y):
    a = run(hop.wrap, "@b", x, y)
    r = run(hop.wrap, "@b", a[1], a[0][:])
    return r[0], r[1], a[0], a[1], x


@nested(dict(b=BODY), refused="lost-write", x="f32[4]", y="f32[4]")
def two_views_of_one_result_are_operands(run, x, y):
    a = run(hop.wrap, "@b", x, y)
    return run(hop.wrap, "@b", a[1][:], a[1])[0], a[1]


@nested(dict(b=lambda x: (x.view(-1),)), x="f32[2,2]")
def a_body_returns_a_view(run, x):
    r = run(hop.wrap, "@b", x)
    return r[0] + 1


# ---------------------------------------------------------------- loops

TURNS = lambda i, a, b: i < 3  # noqa: E731


@nested(dict(c=TURNS, b=lambda i, a, b: (i + 1, a + b.add_(1))), x="f32[4]", s="f32[4]", i="i64[]")
def what_every_turn_writes(run, x, s, i):
    r = run(hop.while_loop, "@c", "@b", (i, x), (s,))
    return r[1], s * 2


@nested(dict(c=lambda i, a, b: b.sum() < 9, b=lambda i, a, b: (i + 1, a * 1.5 + b.add_(1) * 0)), x="f32[4]", s="f32[4]", i="i64[]")
def what_decides_reads_what_is_written(run, x, s, i):
    r = run(hop.while_loop, "@c", "@b", (i, x), (s,))
    return r[0], r[1], s


@nested(dict(c=lambda i, a, b, d: i < 2, b=lambda i, a, b, d: (i + 1, a + d.mul_(2) - b)), x="f32[4]", s="f32[4]", t="f32[4]", i="i64[]")
def the_second_of_the_others_is_written(run, x, s, t, i):
    r = run(hop.while_loop, "@c", "@b", (i, x), (s, t))
    return r[1], s, t


@nested(dict(c=TURNS, b=lambda i, a, b: (i + 1, a.add_(b))), x="f32[4]", s="f32[4]", i="i64[]")
def what_is_carried_is_written(run, x, s, i):
    r = run(hop.while_loop, "@c", "@b", (i, x), (s,))
    return r[1] * 2, x


@nested(dict(c=TURNS, b=lambda i, a, b: (i + 1, a.add_(b) * 2)), refused="lost-write", x="f32[4]", s="f32[4]", i="i64[]")
def what_is_carried_is_written_and_another_value_follows(run, x, s, i):
    r = run(hop.while_loop, "@c", "@b", (i, x), (s,))
    return r[1] * 2, x


@nested(dict(c=TURNS, b=lambda i, a, b: (i + 1, (a * 2).add_(b))), x="f32[4]", s="f32[4]", i="i64[]")
def a_turn_writes_its_own(run, x, s, i):
    return run(hop.while_loop, "@c", "@b", (i, x), (s,))[1]


@nested(dict(b=lambda c, r, z: (c + r, c * z.add_(1))), xs="f32[3,4]", c="f32[4]", z="f32[4]")
def a_scan_writes_an_outer_value(run, xs, c, z):
    r = run(hop.scan, "@b", (c,), (xs,), (z,))
    return r[0], r[1], z


@nested(dict(b=lambda c, r, z: (c.add_(r), c * z)), xs="f32[3,4]", c="f32[4]", z="f32[4]")
def a_scan_writes_what_it_carries(run, xs, c, z):
    r = run(hop.scan, "@b", (c,), (xs,), (z,))
    return r[0] + 0, r[1], c


@nested(dict(b=lambda r, z: (r.mul(z).add_(1),)), xs="f32[3,4]", z="f32[4]")
def a_map_writes_its_own(run, xs, z):
    return run(hop.map_impl, "@b", (xs,), (z,))[0]


@nested(dict(b=lambda r, z: (r.mul(z.add_(1)),)), refused="lost-write", xs="f32[3,4]", z="f32[4]")
def a_map_writes_an_outer_value(run, xs, z):
    return run(hop.map_impl, "@b", (xs,), (z,))[0], z


@nested(dict(t=ADDS, f=READS, b=BODY), p="b8[]", x="f32[4]", y="f32[4]")
def several_calls_in_a_row(run, p, x, y):
    v = x[1:]
    run(hop.cond, p, "@t", "@f", (x, y))
    y.mul_(2)
    w = run(hop.wrap, "@b", y, x)
    v.sub_(1)
    r = run(hop.cond, p, "@t", "@f", (x, y))
    return r[0], w[0], v, x, y


# ---------------------------------------------------------------- random programs


RANDOM_INPUTS = "p=b8[]\nx=f32[2,3]\ny=f32[3]\nz=f32[2,3]\n"


def random_body(seed, inputs, results):
    """A graph over these inputs that returns so many values of the shape of the first."""
    import random_writes

    builder = random_writes.Builder(seed, copy.deepcopy(inputs))
    for _ in range(builder.random.randint(1, 4)):
        builder.step()
    fitting = [node for node, value in builder.values.items() if value.shape == (2, 3) and value.dtype == torch.float32]
    outputs = []
    for _ in range(results):  # a result is a value of its own, as in every captured graph
        outputs.append(builder.graph.call_function(torch.mul, (builder.random.choice(fitting), 2)))
    builder.graph.output(tuple(outputs))
    return torch.fx.GraphModule({}, builder.graph)


def random_nested(seed):
    """A module over RANDOM_INPUTS: writes, views and reads around calls of bodies that do the same."""
    import harness
    import random_writes

    inputs = harness.make_inputs(RANDOM_INPUTS, seed)
    builder = random_writes.Builder(seed, {name: value for name, value in copy.deepcopy(inputs).items() if name != "p"})
    first = next(iter(builder.graph.nodes))
    with builder.graph.inserting_before(first):
        condition = builder.graph.placeholder("p")
    modules = {}

    def call():
        kind = builder.random.choice(("cond", "wrap", "invoke_subgraph"))
        chosen = [builder.pick(torch.float32) for _ in range(2)]
        storages = {builder.values[node].untyped_storage().data_ptr() for node in chosen}
        if len(storages) < 2 or not any(builder.values[node].shape == (2, 3) for node in chosen):
            return
        operands = {f"a{i}": builder.values[node] for i, node in enumerate(chosen)}
        names = []
        for _ in range(2 if kind == "cond" else 1):
            names.append(f"body_{len(modules)}")
            try:
                modules[names[-1]] = random_body(builder.random.randrange(10**6), operands, 2)
            except IndexError:  # no value has the shape
                return
        bodies = [builder.graph.get_attr(name) for name in names]
        arguments = {"cond": (condition, *bodies, tuple(chosen)), "invoke_subgraph": (*bodies, "b", *chosen)}
        node = builder.graph.call_function(getattr(hop, kind), arguments.get(kind, (*bodies, *chosen)))
        taken = modules[names[0] if kind != "cond" or inputs["p"] else names[1]]
        results = torch.fx.Interpreter(taken).run(*operands.values())
        for i, value in enumerate(results):
            builder.values[builder.graph.call_function(operator.getitem, (node, i))] = value

    for _ in range(builder.random.randint(2, 6)):
        call() if builder.random.random() < 0.4 else builder.step()
    builder.finish()
    root = torch.fx.GraphModule(modules, builder.graph)
    return root, inputs
