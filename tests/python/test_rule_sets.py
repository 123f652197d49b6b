"""Loading rules from Python."""

import pytest
import torch
from torch import library

import fxrules


def test_errors_are_drawn_as_the_program_draws_them():
    with pytest.raises(fxrules.Error) as raised:
        fxrules.RuleSet.from_string("relu(x) => y\nadd(x) => x\n", name="bad.rules")
    text = str(raised.value)
    assert "bad.rules:1:12: error: replacement uses `y`" in text and "^" in text and "hint:" in text
    kinds = [d["kind"] for d in raised.value.diagnostics]
    assert "unbound-name" in kinds and len(kinds) >= 2
    with pytest.raises(fxrules.Error, match="cannot read the rule file `no_such`"):
        fxrules.RuleSet.from_file("no_such")


def test_shipped_rules_and_parameters():
    rules = fxrules.RuleSet.from_file("device.rules", target="cuda")
    assert [r.name for r in rules.rules][:2] == ["cpu_method", "cuda_method"]
    assert rules.rules[0].file == "device.rules" and rules.rules[0].line > 1
    with pytest.raises(fxrules.Error, match="no rule file has a parameter"):
        fxrules.RuleSet.from_file("device.rules", targt="cuda")


def test_uuid_follows_contents():
    one = fxrules.RuleSet.from_string("relu(x) => neg(x)")
    assert one.uuid == fxrules.RuleSet.from_string("relu(x) => neg(x)", name="other").uuid
    assert one.uuid != fxrules.RuleSet.from_string("relu(x) => abs(x)").uuid
    assert (fxrules.RuleSet.from_file("device", target="cuda").uuid
            != fxrules.RuleSet.from_file("device", target="xla").uuid)


def test_watch_reloads_on_save(tmp_path):
    path = tmp_path / "my.rules"
    path.write_text('import "more.rules"\nrelu(x) => neg(x)\n')
    (tmp_path / "more.rules").write_text("set S = { exp }\n")
    rules = fxrules.RuleSet.from_file(path)
    reloaded = []
    with rules.watch(reloaded.append) as watch:
        assert len(rules.rules) == 1 and not reloaded
        path.write_text('import "more.rules"\nrelu(x) => neg(x)\nS(x) => neg(x)\n')
        assert len(rules.rules) == 2 and reloaded == [rules]
        path.write_text("relu(x) => y\n")
        with pytest.warns(UserWarning, match="uses `y`"):
            assert len(rules.rules) == 2
        assert watch.error is not None
        path.write_text("relu(x) => abs(x)\n")
        assert len(rules.rules) == 1 and watch.error is None
    path.write_text("")
    assert len(rules.rules) == 1


def test_functions_from_python():
    seen = []

    def even(n):
        return n % 2 == 0

    def half(n):
        return n // 2

    def kinds(*values):
        seen.extend(values)
        return True

    text = ("neg(x) => view(abs(x), [half(2 * shape(x)[0])]) if even(shape(x)[0]) and kinds(x, shape(x), dtype(x), device(x), 1.5, 'a', None)\n")
    rules = fxrules.RuleSet.from_string(text, functions={"even": even, "half": half, "kinds": kinds})
    gm = torch.fx.experimental.proxy_tensor.make_fx(lambda x, y: (-x, -y), tracing_mode="fake")(torch.randn(4), torch.randn(3))
    x = gm.graph.find_nodes(op="placeholder")[0]
    report = fxrules.apply(gm, rules)
    assert report.rewrites == 1
    assert seen[:7] == [x, [4], torch.float32, torch.device("cpu"), 1.5, "a", None]
    with pytest.raises(fxrules.Error, match="the function"):
        fxrules.RuleSet.from_string("neg(x) => x if even(1, 2)", functions={"even": even})


def test_a_function_that_raises_ends_the_run():
    def bad(n):
        raise ZeroDivisionError("of mine")

    gm = torch.fx.symbolic_trace(lambda x: torch.relu(x))
    code = gm.code
    with pytest.raises(ZeroDivisionError, match="of mine"):
        fxrules.apply(gm, fxrules.RuleSet.from_string("relu(x) => x if bad(1)", functions={"bad": bad}))
    assert gm.code == code


def test_registered_functions_are_seen_by_all_rule_sets():
    @fxrules.function(name="is_tiny")
    def tiny(size):
        return size < 3

    try:
        assert len(fxrules.RuleSet.from_string("relu(x) => x if is_tiny(rank(x))").rules) == 1
    finally:
        del fxrules.functions.registered["is_tiny"]


def test_ops_of_torch_library_are_known():
    @library.custom_op("fxrules_test::scale", mutates_args=())
    def scale(x: torch.Tensor, factor: float = 1.0) -> torch.Tensor:
        return x * factor

    @scale.register_fake
    def _(x, factor=1.0):
        return torch.empty_like(x)

    rules = fxrules.RuleSet.from_string("fxrules_test.scale(x, 1.0) => x if uses(x) == 1\n"
                                        "fxrules_test.scale(x, f) => fxrules_test.scale.default(neg(x), factor = f)\n"
                                        "  if dtype(x) == torch.float64")
    gm = torch.fx.experimental.proxy_tensor.make_fx(
        lambda x: torch.relu(torch.ops.fxrules_test.scale(x * 2)), tracing_mode="fake")(torch.randn(4))
    assert fxrules.apply(gm, rules).rewrites == 1
    with pytest.raises(fxrules.Error, match="fxrules_test.scal"):
        fxrules.RuleSet.from_string("fxrules_test.scal(x) => x")
