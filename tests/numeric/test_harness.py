"""The numeric harness sees what it has to see, and runs the demo graphs as the models behind them run."""

import unittest

try:
    import torch
except ImportError as missing:
    raise unittest.SkipTest(f"needs torch: {missing}")

import sys

import harness

DATA = harness.ROOT / "tests/data"
sys.path.insert(0, str(DATA))
from captures import demo  # noqa: E402

INPUTS = "x=f32[2,3]\nd=f32[2,3] strides=(6,2)\n"


def graph(*lines, result):
    inputs = ["%x : [num_users=1] = placeholder[target=x]", "%d : [num_users=1] = placeholder[target=d]"]
    return "graph():\n" + "".join(f"    {line}\n" for line in [*inputs, *lines]) + f"    return {result}\n"


def method(name, target, *arguments):
    items = ", ".join(arguments) + ("," if len(arguments) == 1 else "")
    return f"%{name} : [num_users=1] = call_method[target={target}](args = ({items}), kwargs = {{}})"


ADDED = graph(method("a", "add_", "%d", "%x"), method("r", "relu", "%a"), result="(r, a)")


class Differences(unittest.TestCase):
    def compare(self, before, after, **options):
        inputs = harness.make_inputs(INPUTS)
        return harness.differences(harness.run(before, inputs), harness.run(after, inputs), **options)

    def test_a_graph_agrees_with_itself(self):
        self.assertEqual(self.compare(ADDED, ADDED), [])

    def test_another_value(self):
        other = graph(method("a", "add_", "%d", "%x"), method("r", "abs", "%a"), result="(r, a)")
        (message,) = self.compare(ADDED, other)
        self.assertIn("output 0: Tensor-likes are not", message)

    def test_another_dtype_and_shape(self):
        narrow = graph(method("a", "add_", "%d", "%x"), method("r", "half", "%a"), result="(r, a)")
        self.assertEqual(self.compare(ADDED, narrow), ["output 0 has dtype torch.float16, had torch.float32"])
        flat = graph(method("a", "add_", "%d", "%x"), method("s", "relu", "%a"), method("r", "flatten", "%s"), result="(r, a)")
        self.assertEqual(self.compare(ADDED, flat), ["output 0 has shape torch.Size([6]), had torch.Size([2, 3])"])

    def test_another_structure(self):
        listed = graph(method("a", "add_", "%d", "%x"), method("r", "relu", "%a"), result="[r, a]")
        self.assertEqual(len(self.compare(ADDED, listed)), 1)

    def test_an_input_that_is_no_longer_written(self):
        pure = graph(method("a", "add", "%d", "%x"), method("r", "relu", "%a"), result="(r, a)")
        (message,) = self.compare(ADDED, pure)
        self.assertIn("`d` afterwards", message)

    def test_a_new_value_that_an_output_returns(self):
        pure = graph(method("a", "add", "%d", "%x"), method("r", "relu", "%a"), result="(r, a)")
        self.assertEqual(self.compare(ADDED, pure, returned={"d": 1}), [])
        appended = graph(method("a", "add", "%d", "%x"), method("r", "relu", "%a"), result="(r, a, a)")
        self.assertEqual(self.compare(ADDED, appended, returned={"d": 2}), [])
        twice = graph(method("a", "add", "%d", "%x"), method("r", "relu", "%a"), result="(a, a)")
        self.assertIn("0 and 1 newly share storage", self.compare(twice.replace("(a, a)", "(r, a)"), twice, returned={"d": 1}))

    def test_an_output_that_becomes_an_input(self):
        copied = graph(method("c", "clone", "%x"), result="(c,)")
        self.assertEqual(self.compare(copied, graph(result="(x,)")), ["x and 0 newly share storage"])

    def test_nan_equals_nan(self):
        root = graph(method("r", "log", "%x"), result="r")
        self.assertEqual(self.compare(root, root), [])


class Inputs(unittest.TestCase):
    def test_strides_and_gaps(self):
        value = harness.make_inputs("x=bf16[2,3] strides=(8,2) device=cpu")["x"]
        self.assertEqual((value.dtype, value.shape, value.stride()), (torch.bfloat16, (2, 3), (8, 2)))
        self.assertEqual(value.untyped_storage().nbytes(), 2 * (1 + 8 + 4))

    def test_symbolic_sizes(self):
        values = harness.make_inputs("s0=int\nx=f32[2*s0,((s0 + 1)//2),Max(7, s0)]\ny=f32[]\nz=none", symbols={"s0": 3})
        self.assertEqual((values["s0"], values["x"].shape, values["y"].shape, values["z"]), (3, (6, 2, 7), (), None))

    def test_the_seed_decides(self):
        first, again, other = (harness.make_inputs("x=f32[9]", seed)["x"] for seed in (1, 1, 2))
        self.assertTrue(first.equal(again) and not first.equal(other))


class Demo(unittest.TestCase):
    def test_the_exported_cache_computes_what_the_model_computes(self):
        text, specs = (DATA / f"demo/exported_kv_cache.{kind}" for kind in ("meta.txt", "inputs"))
        inputs = harness.make_inputs(specs.read_text())
        model = demo.CachedAttention().eval()
        model.load_state_dict({key: inputs["p_" + key.replace(".", "_")] for key in model.state_dict()})
        outcome = harness.run(text.read_text(), inputs)
        caches = [tuple(inputs[f"caches_{i}_{j}"] for j in range(2)) for i in range(demo.LAYERS)]
        with torch.no_grad():
            result = model(inputs["x"], inputs["positions"], inputs["mask"], caches)
        for ours, theirs in zip(outcome.outputs, [cache for pair in caches for cache in pair] + [result]):
            torch.testing.assert_close(ours, theirs)

    def test_the_decode_step_writes_its_caches(self):
        text, specs = (DATA / f"demo/decode_step.{kind}" for kind in ("txt", "inputs"))
        inputs = harness.make_inputs(specs.read_text())
        outcome = harness.run(text.read_text(), inputs)
        written = [name for name, value in inputs.items() if not value.equal(outcome.inputs[name])]
        self.assertEqual(len(written), 2 * demo.LAYERS)
        self.assertEqual(outcome.outputs[0].shape, (2, demo.WORDS))


if __name__ == "__main__":
    unittest.main()
