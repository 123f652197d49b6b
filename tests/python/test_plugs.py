"""Every place where rule passes plug in, run for real on the torch that is there."""

import pytest
import torch
from torch.fx.experimental.proxy_tensor import make_fx

import fxrules

RULES = "twice: relu(r @ relu(_)) => r\n"


@pytest.fixture(autouse=True)
def fresh():
    torch._dynamo.reset()


def model(x, y):
    return torch.relu(torch.relu(x + y)) * 2


@pytest.mark.parametrize("inner, stage", [("eager", "torch"), ("aot_eager", "torch"), ("aot_eager", "aten"),
                                          ("inductor", "torch"), ("inductor", "aten")])
def test_backend(inner, stage):
    backend = fxrules.backend(fxrules.RuleSet.from_string(RULES), inner=inner, stage=stage)
    x, y = torch.randn(4, 8), torch.randn(4, 8)
    with torch._inductor.config.patch(force_disable_caches=True):  # what comes from a cache runs no pass
        assert torch.allclose(torch.compile(model, backend=backend)(x, y), model(x, y))
    assert sum(r.rewrites for r in backend.reports) >= 1


def test_backend_trains():
    backend = fxrules.backend(fxrules.RuleSet.from_string(RULES), inner="aot_eager", stage="aten")
    x = torch.randn(4, 8, requires_grad=True)
    torch.compile(model, backend=backend)(x, x).sum().backward()
    want = x.detach().clone().requires_grad_()
    model(want, want).sum().backward()
    assert torch.allclose(x.grad, want.grad)


def test_backend_functionalizes_what_it_is_given():
    def writes(x, cache):
        cache[:, 1:3] = x
        cache.mul_(2)
        return cache.sum()

    backend = fxrules.backend("inplace.rules", inner="eager")
    x, cache, want = torch.randn(4, 2), torch.zeros(4, 8), torch.zeros(4, 8)
    assert torch.equal(torch.compile(writes, backend=backend)(x, cache), writes(x, want))
    assert torch.equal(cache, want)
    assert backend.reports[0].rewrites >= 2


def test_backend_with_dynamic_shapes():
    backend = fxrules.backend(["noop.rules"], inner="aot_eager")
    f = torch.compile(lambda x: torch.relu(x.view(x.shape[0], 8)) + 1, backend=backend, dynamic=True)
    for n in (4, 6):
        x = torch.randn(n, 8)
        assert torch.equal(f(x), torch.relu(x) + 1)
    assert sum(r.rewrites for r in backend.reports) >= 1


@pytest.mark.parametrize("slot, make", [
    ("pre_grad_custom_pass", fxrules.pre_grad_pass),
    ("joint_custom_pre_pass", fxrules.joint_pass),
    ("joint_custom_post_pass", fxrules.joint_pass),
    ("post_grad_custom_pre_pass", fxrules.post_grad_pass),
    ("post_grad_custom_post_pass", fxrules.post_grad_pass),
])
def test_inductor_passes(slot, make):
    rules = fxrules.RuleSet.from_string(RULES)
    rule_pass = make(rules)
    assert rule_pass.uuid() == make(fxrules.RuleSet.from_string(RULES)).uuid()
    assert rule_pass.uuid() != make(fxrules.RuleSet.from_string("tanh(x) => neg(x)\n")).uuid()
    x, y = torch.randn(4, 8), torch.randn(4, 8, requires_grad="joint" in slot)
    with torch._inductor.config.patch({slot: rule_pass, "force_disable_caches": True}):
        assert torch.allclose(torch.compile(model)(x, y), model(x, y))
    assert sum(r.rewrites for r in rule_pass.reports) >= 1


def test_pass_manager():
    from torch.fx.passes.infra.pass_manager import PassManager

    gm = make_fx(model)(torch.randn(4), torch.randn(4))
    result = PassManager(passes=[fxrules.pass_base(fxrules.RuleSet.from_string(RULES))])(gm)
    assert result.modified and result.graph_module is gm
    assert not PassManager(passes=[fxrules.pass_base(fxrules.RuleSet.from_string(RULES))])(gm).modified


def test_export_pass_has_the_shape_of_executorch():
    rule_pass = fxrules.export_pass(fxrules.RuleSet.from_string(RULES))
    program = torch.export.export(torch.nn.Sequential(torch.nn.ReLU(), torch.nn.ReLU()), (torch.randn(4),))
    result = rule_pass(program.graph_module)
    assert result.modified and result.graph_module is program.graph_module
    assert callable(rule_pass.call) and callable(rule_pass.requires) and callable(rule_pass.ensures)
    program.graph_module.graph.lint()


def test_vllm_pass():
    rule_pass = fxrules.vllm_pass(fxrules.RuleSet.from_string(RULES, name="mine.rules"), config={"any": 1})
    assert rule_pass.is_applicable_for_range(None) and rule_pass.is_applicable(None)
    assert rule_pass.pass_name == "fxrules:mine.rules" and rule_pass.uuid().startswith("fxrules-")
    graph = make_fx(model, tracing_mode="fake")(torch.randn(4), torch.randn(4)).graph
    rule_pass(graph)
    assert rule_pass.reports[0].rewrites == 1
    graph.lint()
