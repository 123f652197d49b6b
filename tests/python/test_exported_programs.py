"""fxrules.apply on programs of torch.export."""

import io

import torch

import fxrules


class Cache(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("cache", torch.zeros(4, 8))
        self.weight = torch.nn.Parameter(torch.randn(8))

    def forward(self, x):
        self.cache.copy_(self.cache.clone() + x)
        return torch.relu(torch.relu(self.cache * self.weight))


def exported():
    return torch.export.export(Cache(), (torch.randn(4, 8),))


def same(a, b, *inputs):
    first, second = a.module(), b.module()
    for _ in range(2):
        assert torch.equal(first(*inputs), second(*inputs))
    assert all(torch.equal(p, q) for p, q in zip(first.state_dict().values(), second.state_dict().values()))


def test_a_program_is_a_value():
    program = exported()
    before = str(program)
    result, report = fxrules.apply(program, fxrules.RuleSet.from_string("relu(r @ relu(_)) => r\nneg(x) => x"))
    assert report.rewrites == 1 and str(program) == before
    assert len(result.graph.nodes) == len(program.graph.nodes) - 1
    result.graph.lint()
    result.validate()
    same(exported_like(program), result, torch.randn(4, 8))


def exported_like(program):
    file = io.BytesIO()
    torch.export.save(program, file)
    file.seek(0)
    return torch.export.load(file)


def test_the_result_is_saved_loaded_and_decomposed():
    program = exported()
    result, _ = fxrules.apply(program, ["noop.rules"])
    decomposed = result.run_decompositions()
    loaded = exported_like(result)
    x = torch.randn(4, 8)
    same(exported_like(program), loaded, x)
    same(exported_like(program), decomposed, x)


def test_the_signature_follows_what_happened():
    program = exported().run_decompositions()
    rules = fxrules.RuleSet.from_string("add(x, y) => sub(x, neg(y)) as \"changed\"")
    result, report = fxrules.apply(program, rules)
    assert report.rewrites == 1
    old, new = program.graph_signature, result.graph_signature
    assert [s.kind for s in new.output_specs] == [s.kind for s in old.output_specs]
    outputs = result.graph.output_node().args[0]
    assert [s.arg.name for s in new.output_specs] == [n.name for n in outputs]
    assert new.buffers_to_mutate == {outputs[0].name: "cache"}
    assert [s.arg.name for s in new.input_specs] == [n.name for n in result.graph.find_nodes(op="placeholder")]
    same(exported_like(program), result, torch.randn(4, 8))
    exported_like(result)


def test_dynamic_shapes_and_branches():
    class Branches(torch.nn.Module):
        def forward(self, x):
            return torch.cond(x.sum() > 0, lambda x: torch.relu(torch.relu(x)), lambda x: -x, (x,))

    program = torch.export.export(Branches(), (torch.randn(4, 8),), dynamic_shapes=({0: torch.export.Dim("n")},))
    result, report = fxrules.apply(program, fxrules.RuleSet.from_string("relu(r @ relu(_)) => r"))
    assert sum(r.rewrites for r in report.nested.values()) == 1
    assert len(program.graph_module.true_graph_0.graph.nodes) != len(result.graph_module.true_graph_0.graph.nodes)
    for n in (4, 5):
        x = torch.randn(n, 8)
        assert torch.equal(program.module()(x), result.module()(x))
        assert torch.equal(program.module()(-x.abs()), result.module()(-x.abs()))
