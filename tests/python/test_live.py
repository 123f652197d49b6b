"""fxrules.apply on live graph modules."""

import operator

import pytest
import torch
from torch.fx.experimental.proxy_tensor import make_fx
from torch.fx.passes.shape_prop import ShapeProp

import fxrules


def traced(f, *inputs, mode="fake"):
    return make_fx(f, tracing_mode=mode)(*inputs)


def targets(gm):
    return [n.target for n in gm.graph.nodes if n.op.startswith("call_")]


DOUBLE_RELU = fxrules.RuleSet.from_string("twice: relu(r @ relu(_)) => r")


def test_untouched_nodes_keep_everything():
    gm = traced(lambda x, y: torch.relu(torch.relu(x + y)) * y, torch.randn(4), torch.randn(4))
    before = {n.name: (n, n.meta, dict(n.meta), n.args) for n in gm.graph.nodes}
    root = gm.graph.find_nodes(op="call_function", target=torch.ops.aten.relu.default)
    report = fxrules.apply(gm, DOUBLE_RELU)
    assert report.changed and report.rewrites == 1
    assert report.applications[0].root == root[1].name and report.applications[0].rule == "twice"
    after = {n.name: n for n in gm.graph.nodes}
    assert set(before) - set(after) == {root[1].name}
    for name, node in after.items():
        old, meta, items, args = before[name]
        assert node is old and node.meta is meta and node.meta == items
        if root[1] not in old._input_nodes and name != "mul":
            assert node.args == args
    assert after["mul"].args[0] is root[0] and root[1]._erased
    gm.graph.lint()
    x, y = torch.randn(4), torch.randn(4)
    assert torch.equal(gm(x, y), torch.relu(x + y) * y)


def test_nothing_to_do_leaves_the_graph_and_its_code_alone():
    gm = traced(lambda x: torch.relu(x) + 1, torch.randn(4))
    code, forward = gm.code, type(gm).forward
    report = fxrules.apply(gm, DOUBLE_RELU)
    assert not report and report.rewrites == 0
    assert gm.code is code and type(gm).forward is forward


def test_new_nodes_say_what_they_are():
    gm = traced(lambda x: torch.exp(x + 1), torch.randn(4, 8))
    root = gm.graph.find_nodes(op="call_function", target=torch.ops.aten.exp.default)[0]
    root.meta["stack_trace"] = "here"
    root.meta["nn_module_stack"] = {"a": ("a", torch.nn.Linear)}
    rules = fxrules.RuleSet.from_string("exp2: exp(x) => exp2(mul(x, 1.4426950408889634))", name="my.rules")
    report = fxrules.apply(gm, rules)
    gm.graph.lint()
    mul, exp2 = (n for n in gm.graph.nodes if n.name.startswith(("mul", "exp2")))
    assert exp2.target is torch.ops.aten.exp2.default and mul.target.overloadpacket is torch.ops.aten.mul
    for node in (mul, exp2):
        value = node.meta["val"]
        assert isinstance(value, torch._subclasses.FakeTensor)
        assert (value.shape, value.dtype, value.stride()) == ((4, 8), torch.float32, (8, 1))
        assert value.fake_mode is gm.graph.find_nodes(op="placeholder")[0].meta["val"].fake_mode
        assert node.meta["stack_trace"] == "here" and "a" in node.meta["nn_module_stack"]
        source = node.meta["from_node"][-1]
        assert source.name == root.name and source.pass_name == "fxrules: exp2 (my.rules:1)"
    assert report.applications[0].created == (mul.name, exp2.name)
    x = torch.randn(4, 8)
    torch.testing.assert_close(gm(x), torch.exp(x + 1))


@pytest.mark.parametrize("text, kind", [
    ('relu(x) => error "no relu of {shape(x)}"', "rule-error"),
    ("relu(x) => neg(x)\nneg(x) => relu(x)", "cycle"),
])
def test_an_error_leaves_the_module_as_it_was(text, kind):
    gm = traced(lambda x: torch.relu(torch.exp(x)) + 1, torch.randn(4))
    nodes, code = list(gm.graph.nodes), gm.code
    arguments = [(n.args, dict(n.meta)) for n in nodes]
    with pytest.raises(fxrules.Error) as raised:
        fxrules.apply(gm, fxrules.RuleSet.from_string(text))
    assert raised.value.diagnostics
    assert list(gm.graph.nodes) == nodes and gm.code == code
    assert [(n.args, dict(n.meta)) for n in nodes] == arguments


def test_a_target_that_cannot_be_imported_leaves_the_module_as_it_was():
    gm = traced(lambda x: torch.relu(torch.exp(x)), torch.randn(4))
    nodes = list(gm.graph.nodes)
    with pytest.raises(fxrules.Error, match="nowhere.f"):
        fxrules.apply(gm, fxrules.RuleSet.from_string("relu(x) => nowhere.f(neg(x))"))
    assert list(gm.graph.nodes) == nodes
    gm.graph.lint()


class Cache(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("cache", torch.zeros(4, 8))

    def forward(self, x):
        self.cache[:, 2:6] = x
        self.cache.add_(1)
        return self.cache * 2


def test_in_place_calls_of_a_traced_module():
    graph = torch.fx.Graph()
    x, cache = graph.placeholder("x"), graph.get_attr("cache")
    graph.call_function(operator.setitem, (cache, (slice(None), slice(2, 6)), x))
    graph.call_method("add_", (cache, 1))
    graph.output(graph.call_function(operator.mul, (cache, 2)))
    gm = torch.fx.GraphModule(Cache(), graph)
    x = torch.randn(4, 4)
    ShapeProp(gm).propagate(x)
    gm.cache.zero_()
    report = fxrules.apply(gm, ["inplace.rules"])
    gm.graph.lint()
    assert operator.setitem not in targets(gm) and "add_" not in targets(gm)
    want = Cache()
    assert torch.equal(gm(x), want(x)) and torch.equal(gm.cache, want.cache)
    assert report.mutated_inputs[0].copied_back


def test_devices_are_told_to_the_metadata():
    gm = traced(lambda x: torch.zeros(4, device="cpu") + torch.relu(torch.zeros(4, device="cpu")), torch.randn(4))
    report = fxrules.apply(gm, "device.rules", target="xla")
    assert report.rewrites == 2
    gm.graph.lint()
    devices = {n.name: n.meta["val"].device.type for n in gm.graph.nodes if "val" in n.meta}
    assert devices == {"x_1": "cpu", "zeros": "xla", "zeros_1": "xla", "relu": "xla", "add": "xla"}
    assert all(n.kwargs["device"] == torch.device("xla") for n in gm.graph.nodes if "zeros" in n.name)


def test_symbolic_sizes_in_guards_and_results():
    gm = traced(lambda x, y: torch.relu(x.view(x.shape[0], x.shape[1])) + y.new_zeros(x.shape[0], x.shape[1]),
                torch.randn(4, 8), torch.randn(2), mode="symbolic")
    rules = fxrules.RuleSet.from_string(
        "gone: view(x, ..) => x if shape(root) == shape(x)\n"
        "made: relu(x) => relu(expand(new_zeros(x, [shape(x)[0] * 2 + 1]), [shape(x)[1], shape(x)[0] * 2 + 1]))\n"
        "  if shape(x)[0] != shape(x)[1] + 0 and uses(x) == 77\n")
    report = fxrules.apply(gm, rules)
    gm.graph.lint()
    assert [a.rule for a in report.applications] == ["gone"]
    assert torch.ops.aten.view.default not in targets(gm)


def test_a_symbolic_size_that_a_rule_writes_becomes_nodes():
    gm = traced(lambda x: torch.relu(x) * 2, torch.randn(4, 8), mode="symbolic")
    rules = fxrules.RuleSet.from_string(
        "relu(x) => add(clamp_min(x, 0), reshape(new_zeros(x, [shape(x)[0] * shape(x)[1]]), shape(x)))")
    assert fxrules.apply(gm, rules).rewrites == 1
    gm.graph.lint()
    sizes = [n for n in gm.graph.nodes if n.target is torch.ops.aten.sym_size.int]
    assert [n.args[1] for n in sizes] == [0, 1] and any(n.target is operator.mul for n in gm.graph.nodes)
    assert all(isinstance(n.meta["val"], torch.SymInt) for n in sizes)
    for shape in ((4, 8), (3, 5)):
        x = torch.randn(shape)
        assert torch.equal(gm(x), torch.relu(x) * 2)


def test_bodies_of_cond_are_rewritten_too():
    def f(p, x):
        return torch.cond(p, lambda x: torch.relu(torch.relu(x)), lambda x: torch.relu(torch.relu(-x)), (x,))

    gm = traced(f, torch.tensor(True), torch.randn(4), mode="real")
    report = fxrules.apply(gm, DOUBLE_RELU)
    assert sorted(r.rewrites for r in report.nested.values()) == [1, 1] and report
    x = torch.randn(4)
    for p in (torch.tensor(True), torch.tensor(False)):
        assert torch.equal(gm(p, x), f(p, x))


def test_options():
    gm = traced(lambda x: torch.relu(torch.relu(torch.relu(x))), torch.randn(4))
    assert fxrules.apply(gm, DOUBLE_RELU, max_rewrites=1).stop == "limit"
    assert fxrules.apply(gm, DOUBLE_RELU, disable=["twice"]).rewrites == 0
    assert fxrules.apply(gm, DOUBLE_RELU, only=["twice"]).rewrites == 1
    with pytest.raises(ValueError, match="no mode"):
        fxrules.apply(gm, DOUBLE_RELU, mutated_inputs="never")
    with pytest.raises(fxrules.Error, match="no rule `thrice`"):
        fxrules.apply(gm, DOUBLE_RELU, only=["thrice"])


def test_arguments_of_every_kind_survive():
    def f(x):
        return torch.ops.aten.to.dtype(torch.relu(x), torch.float64), x[..., ::2], x.sum(dim=(0, 1)), x.permute(1, 0)

    gm = torch.fx.symbolic_trace(f)
    nodes = {n.name: (n.target, n.args, n.kwargs) for n in gm.graph.nodes}
    fxrules.apply(gm, fxrules.RuleSet.from_string("relu(x) => neg(x)"))
    gm.graph.lint()
    for n in gm.graph.nodes:
        if n.name in nodes and n.op.startswith("call") and not any("neg" in i.name for i in n._input_nodes):
            assert (n.target, n.args, n.kwargs) == nodes[n.name]
    x = torch.randn(4, 8)
    assert all(torch.equal(a, b) for a, b in zip(gm(x)[1:], f(x)[1:]))
