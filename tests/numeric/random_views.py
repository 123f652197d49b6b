"""Views, views of views, reads of either, and graphs nested in the program that write to what they take."""

import operator

import torch

from program_builder import FLOATS, NESTED, VIEWING, WRITING, Program, choice, construct

# ---------------------------------------------------------------- views and reads

choice(VIEWING, "view", lambda p: p.method("view", p.pick(), -1), lambda p: p.method("reshape", p.pick(), -1), lambda p: p.method("flatten", p.pick()))
choice(VIEWING, "select", lambda p: p.method("select", p.pick(rank=1), 0, 0), lambda p: p.function(operator.getitem, p.pick(rank=1), -1))
choice(VIEWING, "slice", lambda p: p.function(operator.getitem, p.pick(rank=1), slice(1, None)), lambda p: p.method("narrow", p.pick(rank=2), 1, 1, 2))
choice(VIEWING, "permutation", lambda p: p.method("transpose", p.pick(rank=2), 0, 1), lambda p: p.method("t", p.named["x"]), lambda p: p.method("permute", p.named["y"], 2, 0, 1))
choice(VIEWING, "other rank", lambda p: p.method("unsqueeze", p.pick(), 0), lambda p: p.method("diagonal", p.pick(rank=2)))
choice(VIEWING, "read", lambda p: p.method("neg", p.pick(*FLOATS)), lambda p: p.function(torch.add, p.pick(*FLOATS), p.pick(*FLOATS)), lambda p: p.method("clone", p.pick()))
choice(VIEWING, "part of several", lambda p: p.function(operator.getitem, p.method("split", p.pick(rank=1), 2), 0),
       lambda p: p.function(operator.getitem, p.function(torch.chunk, p.pick(rank=1), 2), -1),
       lambda p: p.function(operator.getitem, p.method("unbind", p.pick(rank=1)), 0))  # fmt: skip


# ---------------------------------------------------------------- views of views

VIEWS = ("view", "select", "slice", "permutation", "other rank", "part of several")


def view_of(p, base):
    """Some view of this very value."""
    others, p.pick = p.pick, lambda *dtypes, **wanted: base
    try:
        return VIEWING[p.rng.choice(VIEWS)](p)
    finally:
        p.pick = others


def chain(p):
    """A base, a view of it, and a view of that; all share storage."""
    base = p.pick(*FLOATS, rank=2)
    upper = view_of(p, base)
    lower = view_of(p, upper)
    nodes = (base, upper, lower)
    storages = {p.values[node].untyped_storage().data_ptr() for node in nodes}
    if len(storages) > 1 or not all(p.values[node].numel() for node in nodes):
        raise ValueError("a copy, or nothing to write to")
    return nodes


def write_to(p, node):
    name = p.rng.choice(("add_", "mul_", "zero_", "neg_", "copy_", "setitem"))
    if name == "setitem" and p.values[node].dim():
        p.function(operator.setitem, node, 0, 1.5)
    elif name == "copy_":
        p.method("copy_", node, p.named["h"] if "h" in p.named else p.pick(*FLOATS))
    else:
        p.method("neg_" if name == "setitem" else name, node, *((2,) if name in ("add_", "mul_") else ()))


def written_chain(name, at):
    @construct(VIEWING, name)
    def grow(p):
        nodes = chain(p)
        write_to(p, nodes[at])
        for node in nodes:
            p.method("neg", node)


written_chain("view of a view, written through the base", 0)
written_chain("view of a view, written through the upper", 1)
written_chain("view of a view, written through the lower", 2)


@construct(VIEWING, "two views of one base, both written")
def both(p):
    base, upper, lower = chain(p)
    other = view_of(p, base)
    write_to(p, lower)
    write_to(p, other)
    for node in (base, upper, lower, other):
        p.method("neg", node)


# ---------------------------------------------------------------- nested graphs

hop = torch.ops.higher_order
SHAPE = (4, 5)


def body(p, operands, names):
    """A graph over values like these; it writes, and returns values of its own of one shape."""
    inner = Program(p.rng.randrange(10**6), {name: p.values[node].detach().clone() for name, node in zip(names, operands)}, nested=True)
    inner.add(WRITING, p.rng.choice(("method", "copy_", "aten overload", "operator", "dunder", "fill_", "zero_")))
    for _ in range(p.rng.randint(0, 2)):
        inner.add(*p.rng.choice(((VIEWING, p.rng.choice(list(VIEWING))), (WRITING, p.rng.choice(list(WRITING))))))
    results = [inner.function(torch.mul, inner.pick(torch.float32, shape=SHAPE), 2) for _ in range(2)]
    inner.graph.output(tuple(results))
    return torch.fx.GraphModule({}, inner.graph)


def graph_of(p, module):
    node = p.graph.get_attr(p._path(f"body_{len(p.attributes)}", module))
    p.values[node] = p.live[node.target]
    return node


def operands_of(p):
    """Two values that share nothing, the first of the shape that bodies return."""
    first, second = p.pick(torch.float32, shape=SHAPE), p.pick(torch.float32)
    if p.values[first].untyped_storage().data_ptr() == p.values[second].untyped_storage().data_ptr():
        raise ValueError("one storage")
    return first, second


def results_of(p, call):
    for position in range(2):
        p.function(operator.getitem, call, position)


@construct(NESTED, "cond")
def cond(p):
    operands = operands_of(p)
    branches = [graph_of(p, body(p, operands, "xd")) for _ in range(2)]
    results_of(p, p.function(hop.cond, p.named["q"], *branches, operands))


@construct(NESTED, "wrap")
def wrap(p):
    operands = operands_of(p)
    results_of(p, p.function(hop.wrap, graph_of(p, body(p, operands, "xd")), *operands))


@construct(NESTED, "invoke_subgraph")
def invoke_subgraph(p):
    operands = operands_of(p)
    graph = graph_of(p, body(p, operands, "xd"))
    results_of(p, p.function(hop.invoke_subgraph, graph, graph.target, *operands))


def own_graph(names, build):
    graph = torch.fx.Graph()
    graph.output(build(graph, *(graph.placeholder(name) for name in names)))
    return torch.fx.GraphModule({}, graph)


def write_in(graph, rng, node):
    return graph.call_method(rng.choice(("add_", "mul_", "sub_")), (node, 1.5))


@construct(NESTED, "while_loop")
def while_loop(p):
    """Its turns write an outer value, or one of their own."""
    carried, outer = operands_of(p)
    if p.values[outer].shape != torch.Size(SHAPE):
        outer = p.function(torch.full, SHAPE, 1.0)
    turns = own_graph(("i", "a", "b"), lambda g, i, a, b: g.call_function(operator.lt, (i, 2)))

    def turn(g, i, a, b):
        written = write_in(g, p.rng, b if p.rng.random() < 0.7 else g.call_function(torch.neg, (a,)))
        return g.call_function(operator.add, (i, 1)), g.call_function(torch.add, (a, written))

    start = p.function(torch.zeros, (), dtype=torch.int64)
    nodes = graph_of(p, turns), graph_of(p, own_graph(("i", "a", "b"), turn))
    results_of(p, p.function(hop.while_loop, *nodes, (start, carried), (outer,)))


@construct(NESTED, "scan")
def scan(p):
    carried = p.function(torch.full, (5,), 1.0)
    rows, outer = p.pick(torch.float32, shape=SHAPE), p.named["v"]
    if p.values[rows].untyped_storage().data_ptr() == p.values[outer].untyped_storage().data_ptr():
        raise ValueError("one storage")

    def turn(g, c, r, z):
        written = write_in(g, p.rng, z)
        return g.call_function(torch.add, (c, r)), g.call_function(torch.mul, (c, written))

    results_of(p, p.function(hop.scan, graph_of(p, own_graph(("c", "r", "z"), turn)), (carried,), (rows,), (outer,)))
