"""Code, readable text and text IR of the same graphs: what `fxrules` reads from one is what torch prints in
another, and what it writes runs to the same values."""

import importlib
import io
import pathlib
import re
import subprocess
import sys

import pytest
import torch
import torch.fx._pytree as fx_pytree
import torch.utils._pytree as pytree

import harness

DATA = harness.ROOT / "tests/data"
pytestmark = pytest.mark.skipif(harness.program() is None, reason="fxrules is not built")


def fxrules(*arguments, text):
    done = subprocess.run([str(harness.program()), *arguments], input=text, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    return done.stdout


def convert(text, to):
    return fxrules("convert", "-", "--to", to, text=text)


# ---------------------------------------------------------------- torch's own graphs


def captured_graphs():
    """Every graph that the captures of tests/data print, by the name of what made it."""
    sys.path.insert(0, str(DATA))
    captures = importlib.import_module("captures")
    models, demo = importlib.import_module("captures.models"), importlib.import_module("captures.demo")
    found = {}
    for module in (models, demo):
        for printer in ("plain", "with_metadata", "both"):
            original = getattr(captures, printer)

            def record(graph, *rest, original=original, **options):
                found.setdefault(record.maker, []).append(graph)
                return original(graph, *rest, **options)

            if hasattr(module, printer):
                setattr(module, printer, record)
                record.maker = None
                _recorders.append(record)
    for names in captures.names():
        maker = names if isinstance(names, str) else names[0]
        for record in _recorders:
            record.maker = maker
        captures.text(maker)
    return [(f"{maker}:{i}", graph) for maker, graphs in found.items() for i, graph in enumerate(graphs)]


_recorders = []
GRAPHS = captured_graphs() if harness.program() is not None else []


class Printed:
    """What torch's printer of readable text asks of a module; made of a graph whose targets need not exist."""

    def __init__(self, graph):
        self.graph = graph

    def named_children(self):
        return self.graph.owning_module.named_children() if self.graph.owning_module else []


def code_of(graph):
    try:
        return graph.python_code("self").src
    except TypeError as failure:  # an annotation such as [int]
        pytest.skip(f"torch itself does not print it: {failure}")


def readable(graph, **options):
    try:
        return torch.fx.graph_module._print_readable(Printed(graph), "GraphModule", print_output=False, **options)
    except TypeError as failure:
        pytest.skip(f"torch itself does not print it: {failure}")


def structure(text):
    """The lines of text IR without types, metadata and what code cannot tell of a function's name."""
    lines = []
    for line in text.strip().split("\n"):
        line = re.sub(r"(^\s*%\w+ : ).*?(\[num_users=)", r"\1\2", line)
        line = re.sub(r"call_function\[target=([^\]]*)\]",
                      lambda m: "call_function[target=" + re.sub(r"[^0-9a-zA-Z_]+", "_", m[1].lstrip("_")) + "]", line)
        lines.append(line)
    return lines


@pytest.mark.parametrize("graph", [g for _, g in GRAPHS], ids=[n for n, _ in GRAPHS])
class TestTorchsGraphs:
    def test_code_is_the_graph_of_its_text_ir(self, graph):
        code = code_of(graph)
        assert structure(convert(code, "fx")) == structure(str(graph))

    def test_readable_is_the_graph_of_its_text_ir(self, graph):
        text = readable(graph, include_stride=True, include_device=True)
        assert structure(convert(text, "fx")) == structure(str(graph))

    def test_what_is_not_rewritten_comes_back_byte_for_byte(self, graph, tmp_path):
        rules = tmp_path / "none.rules"
        rules.write_text("no.such.op(x) => x\n")
        for text in (code_of(graph), readable(graph), readable(graph, include_stride=True, include_device=True),
                     readable(graph, expanded_def=True)):
            ours = fxrules("apply", str(rules), "-", text=text).split("\n")
            assert len(ours) == len(text.split("\n"))
            for mine, theirs in zip(ours, text.split("\n")):
                # Types and some complex numbers are no Python as torch prints them, or another number.
                assert mine == theirs or "<class" in theirs or "complex(" in mine

    def test_colours_and_log_prefixes_make_no_difference(self, graph):
        text = readable(graph, include_stride=True, include_device=True)
        coloured = readable(graph, include_stride=True, include_device=True, colored=True)
        assert convert(coloured, "readable") == convert(text, "readable")
        prefix = "V1129 14:45:45.869000 1300 torch/_dynamo/output_graph.py:2936] [0/0] [__graph_code] "
        log = "".join(f"{prefix}{line}\n" for line in ["TRACED GRAPH", " ===== a graph ====="] + text.split("\n"))
        assert convert(log, "readable") == convert(text, "readable")

    def test_text_ir_written_as_code_is_torchs_code(self, graph):
        """Strings, devices and sizes look alike in text IR, so that only graphs without them can be compared."""
        code = code_of(graph)
        if "'" in code or '"' in code:
            pytest.skip("holds strings or devices")
        ours = convert(str(graph), "code")
        body = lambda text: re.sub(r" : [\w.\[\],]+(?= =|,|\)| ->)", "", text[text.index("def forward"):]).split()
        assert body(ours) == body(code)


# ---------------------------------------------------------------- running


def load(text, attributes=()):
    """The module of a readable text or of a function `forward`."""
    scope = {"torch": torch, "device": torch.device, "inf": float("inf"), "nan": float("nan"),
             "NoneType": type(None), "fx_pytree": fx_pytree, "pytree": pytree}
    exec(text.replace("<lambda>", "Lambda"), scope)
    classes = [v for v in scope.values() if isinstance(v, type) and issubclass(v, torch.nn.Module)
               and v.__module__ == "builtins"]
    if not classes:
        classes = [type("Module", (torch.nn.Module,), {"forward": scope["forward"]})]
    return instance(classes[0], dict(attributes))


def instance(cls, attributes=()):
    nested = {name: value for name, value in vars(cls).items() if isinstance(value, type)}
    for name in nested:
        delattr(cls, name)
    module = cls()
    for name, value in nested.items():
        setattr(module, name, instance(value))
    for name, value in dict(attributes).items():
        module.register_buffer(name, value)
    return module


def kv_inputs():
    torch.manual_seed(1)
    return [5, torch.randn(1, 5, 8), torch.randn(8, 8), torch.randn(1, 2, 16, 4), torch.arange(5) * 2,
            torch.randn(1, 2, 16, 4), 3]


def aten_kv_inputs():
    inputs = kv_inputs()
    return [inputs[0], inputs[1], inputs[2], inputs[3], inputs[4], inputs[5], inputs[6]]


RUNNABLE = {
    "graphs/908_readable_dynamo_kv_214.txt": (kv_inputs, {}),
    "graphs/927_debugdir_fx_graph_readable_214.txt": (aten_kv_inputs, {"_tensor_constant0": torch.tensor(0.0)}),
    "graphs/915_readable_dynamo_cond_214.txt": (lambda: [4, torch.arange(4.0), torch.ones(4)], {}),
    "graphs/923_readable_makefx_symbolic_214.txt": (lambda: [torch.ones(3, 3), torch.tensor([1])],
                                                    {"_tensor_constant0": torch.tensor(2.0)}),
}


def outcome(module, inputs):
    result = module(*inputs)
    return pytree.tree_leaves((result, [i for i in inputs if isinstance(i, torch.Tensor)]))


def same(before, after):
    return len(before) == len(after) and all(
        torch.equal(a, b) and a.dtype == b.dtype if isinstance(a, torch.Tensor) else a == b
        for a, b in zip(before, after))


@pytest.mark.parametrize("path", RUNNABLE)
@pytest.mark.parametrize("to", ["readable", "code"])
def test_files_run_to_the_same_values_when_written_again(path, to):
    inputs, attributes = RUNNABLE[path]
    text = (DATA / path).read_text()
    if to == "code" and "    class " in text:
        pytest.skip("gm.code has no nested graphs")
    before = outcome(load(text, attributes), inputs())
    after = outcome(load(convert(text, to), attributes), inputs())
    assert same(before, after)


def test_a_rewritten_log_runs():
    text = (DATA / "graphs/925_log_graph_code_aot_214.txt").read_text()
    rewritten = fxrules("apply", "noop.rules", "-", "--graph", "1", text=text)
    before = outcome(load((DATA / "graphs/908_readable_dynamo_kv_214.txt").read_text()), kv_inputs())
    assert same(before, outcome(load(rewritten), kv_inputs()))


class Mixed(torch.nn.Module):
    """Functions of every kind that code has to name, numbers that need care, keyword and nested arguments."""

    def __init__(self):
        super().__init__()
        self.layers = torch.nn.Sequential(torch.nn.Linear(4, 4), torch.nn.ReLU())
        self.register_buffer("scale", torch.tensor(2.0))

    def forward(self, x, flag=None, *, bias=1e-5):
        import math

        y = self.layers(x) * self.scale + bias
        y = torch.nn.functional.gelu(y, approximate="tanh") ** 2 - (-3 // 2)
        y = torch.cat([y, y.neg()], dim=-1)[:, 1:5]
        z = torch.where(torch.logical_not(y > 3), y, 0.0)
        z = torch.clamp(z, min=-math.inf, max=1e20)
        return {"a": z.masked_fill(z > math.sqrt(2), float("-inf")), "b": (y.shape, [z.to(torch.float64), None])}


def test_code_and_text_ir_of_symbolic_trace_run_to_the_same_values():
    torch.manual_seed(0)
    module = Mixed()
    traced = torch.fx.symbolic_trace(module)
    x = torch.randn(3, 4)
    expected = pytree.tree_leaves(traced(x))
    for text, to in [(traced.code, "code"), (traced.code, "readable"), (str(traced.graph), "code"),
                     (readable(traced.graph), "code")]:
        written = load(convert(text, to))
        for name, child in module.named_children():
            setattr(written, name, child)
        written.register_buffer("scale", module.scale)
        got = pytree.tree_leaves(written(x))
        assert len(got) == len(expected)
        assert all(torch.equal(a, b) if isinstance(a, torch.Tensor) else a == b for a, b in zip(got, expected)), (to, text)


def repro_script(tracing):
    """What Inductor writes of a graph to run it again, and the values of its inputs."""
    from torch._dynamo.repro.after_aot import save_graph_repro
    from torch.fx.experimental.proxy_tensor import make_fx

    def step(cache, k, index, weight):
        cache.index_put_([index], k)
        return torch.nn.functional.linear(cache.view(-1, 8), weight) + 1

    cache = torch.zeros(4, 2, 8, dtype=torch.bfloat16)
    weight = torch.randn(8, 16, dtype=torch.bfloat16).t()
    inputs = [cache, torch.ones(1, 2, 8, dtype=torch.bfloat16), torch.tensor([1]), weight]
    module = make_fx(step, tracing_mode=tracing)(*inputs)
    if tracing == "symbolic":
        inputs = [node.meta["val"] for node in module.graph.nodes if node.op == "placeholder"]
    text = io.StringIO()
    save_graph_repro(text, module, inputs, "inductor", save_dir=None, stable_output=True)
    return text.getvalue(), inputs


@pytest.mark.parametrize("tracing", ["real", "symbolic"])
def test_a_repro_script_says_what_its_inputs_look_like(tracing):
    text, inputs = repro_script(tracing)
    said = dict(line.split(" = ", 1) for line in fxrules("infer", "-", text=text).splitlines())
    for name, value in zip(("cache_1", "k_1", "index_1", "weight_1"), inputs):
        sizes, strides = ("[" + ", ".join(map(str, of)) + "]" for of in (value.shape, value.stride()))
        dtype = {torch.bfloat16: "bf16", torch.int64: "i64"}[value.dtype]
        assert said[name] == f"{dtype}{sizes}{strides}{value.device}"
    assert said["index_put_"] == said["cache_1"]
