"""The shipped rules change nothing that a caller of the graph can observe, run in eager PyTorch."""

import functools
import os
import re
import sys
import unittest

try:
    import torch  # noqa: F401
except ImportError as missing:
    raise unittest.SkipTest(f"needs torch: {missing}")

import harness

if harness.program() is None:
    missing = "needs a built fxrules: set FXRULES or build the release preset"
    raise FileNotFoundError(missing) if os.environ.get("CI") == "true" else unittest.SkipTest(missing)

DATA = harness.ROOT / "tests/data"
sys.path.insert(0, str(DATA))
import captures  # noqa: E402

import noop_cases  # noqa: E402
import random_graphs  # noqa: E402


def demo_graph(name):
    (text,) = [path.read_text() for path in DATA.glob(f"demo/{name}.*txt")]
    return text, (DATA / f"demo/{name}.inputs").read_text()


class Numeric(unittest.TestCase):
    def same_to_a_caller(self, before, after, specs, seeds=(0, 1), **options):
        for seed in seeds:
            inputs = harness.make_inputs(specs, seed)
            found = harness.differences(harness.run(before, inputs), harness.run(after, inputs), **options)
            self.assertEqual(found, [], f"seed {seed}\n--- before\n{before}\n--- after\n{after}")

    def nothing_left(self, rules, applied, options=()):
        again = harness.apply(rules, applied.text, options)
        self.assertEqual((again.text, again.counts()), (applied.text, {}))


# ---------------------------------------------------------------- device.rules


def with_device(text, device):
    """The graph as it would have been captured on another device: bare `cpu` words become that device."""
    return re.sub(r"(?<=[ (])cpu(?=[,)}])", device, text)


FACTORIES = """graph():
    %x : [num_users=6] = placeholder[target=x]
    %a : [num_users=1] = call_function[target=torch.full](args = ((2, 3), 1.5), kwargs = {dtype: torch.float32, device: cpu})
    %b : [num_users=1] = call_function[target=torch.arange](args = (3,), kwargs = {device: cpu})
    %c : [num_users=1] = call_method[target=to](args = (%x, cpu), kwargs = {})
    %d : [num_users=1] = call_method[target=to](args = (%x, cpu, torch.float64, False, True), kwargs = {memory_format: torch.contiguous_format})
    %e : [num_users=1] = call_method[target=to](args = (%x,), kwargs = {device: cpu, dtype: torch.float16, copy: True})
    %f : [num_users=1] = call_method[target=new_zeros](args = (%x, (2,)), kwargs = {device: cpu})
    %g : [num_users=1] = call_function[target=torch.ops.aten.to.device](args = (%x, cpu, torch.float64), kwargs = {})
    %h : [num_users=1] = call_function[target=torch.ops.prims.device_put](args = (%x, cpu), kwargs = {})
    return (a, b, c, d, e, f, g, h)
"""


def graph_of(call):
    return f"""graph():
    %x : [num_users=2] = placeholder[target=x]
    %d : [num_users=1] = call_function[target=builtins.getattr](args = (%x, device), kwargs = {{}})
    %r : [num_users=1] = {call}
    return r
"""


TO_CPU = "call_method[target=to](args = (%x, cpu), kwargs = {})"
COMPUTED = "call_method[target=to](args = (%x,), kwargs = {device: %d, copy: True})"
ZEROS = "call_function[target=torch.zeros](args = ((2, 3),), kwargs = {device: DEVICE})"
OTHER_NAMES = [  # rule, call, the call that it must become
    ("cuda_method", "call_method[target=cuda](args = (%x,), kwargs = {})", TO_CPU),
    ("cuda_method", "call_method[target=cuda](args = (%x, 1, True), kwargs = {})", TO_CPU),
    ("default", ZEROS.replace("DEVICE", "None"), ZEROS.replace("DEVICE", "cpu")),
    ("bare_index", ZEROS.replace("DEVICE", "0"), ZEROS.replace("DEVICE", "cpu")),
    ("computed", COMPUTED, COMPUTED),
]


class Devices(Numeric):
    RULES = [harness.rule_file("device.rules")]
    TO_CPU = ["-D", "target=cpu"]

    def test_graphs_of_another_device_run_on_the_target(self):
        for text, specs in ((FACTORIES, "x=f32[2,3]"), demo_graph("decode_step")):
            for device in ("cuda:0", "cuda", "xla", "xla:1", "meta"):
                with self.subTest(device=device, graph=text[:60]):
                    elsewhere = with_device(text, device)
                    self.assertNotEqual(elsewhere, text)
                    applied = harness.apply(self.RULES, elsewhere, self.TO_CPU)
                    self.assertEqual(applied.text, text)
                    self.same_to_a_caller(text, applied.text, specs, seeds=(0,))
                    self.nothing_left(self.RULES, applied, self.TO_CPU)

    def test_what_names_its_device_otherwise(self):
        """`.cuda()`, an explicit None, the index of a card; a computed device is the model's own."""
        for rule, elsewhere, expected in OTHER_NAMES:
            with self.subTest(rule):
                applied = harness.apply(self.RULES, graph_of(elsewhere), self.TO_CPU)
                self.assertEqual(applied.counts().get(rule, 0), elsewhere != expected)
                self.assertIn(rule, {note["rule"] for note in applied.report["notes"]} | set(applied.counts()))
                self.same_to_a_caller(graph_of(expected), applied.text, "x=f32[2,3]")

    def test_the_cpu_is_left_for_another_device(self):
        applied = harness.apply(self.RULES, graph_of("call_method[target=cpu](args = (%x,), kwargs = {})"), ["-D", "target=meta"])
        (value,) = harness.run(applied.text, harness.make_inputs("x=f32[2,3]")).outputs
        self.assertEqual((value.device.type, value.shape, value.dtype), ("meta", (2, 3), torch.float32))
        self.assertEqual(applied.counts(), {"cpu_method": 1})

    def test_the_target_device_itself_is_left_alone(self):
        applied = harness.apply(self.RULES, FACTORIES, self.TO_CPU)
        self.assertEqual((applied.text, applied.counts()), (FACTORIES, {}))

    def test_a_kept_type_stays(self):
        elsewhere = with_device(FACTORIES, "meta")
        applied = harness.apply(self.RULES, elsewhere, [*self.TO_CPU, "-D", "keep=meta"])
        self.assertEqual((applied.text, applied.counts()), (elsewhere, {}))

    def test_a_graph_of_meta_tensors_gets_values(self):
        """The same call on `meta` has no value; after the rewrite it equals the call on the CPU."""
        elsewhere = with_device(FACTORIES, "meta")
        outcome = harness.run(elsewhere, harness.make_inputs("x=f32[2,3]"))
        self.assertEqual({value.device.type for value in outcome.outputs}, {"meta"})
        applied = harness.apply(self.RULES, elsewhere, self.TO_CPU)
        self.same_to_a_caller(FACTORIES, applied.text, "x=f32[2,3]")

    def test_every_device_call_of_the_decode_step_moves(self):
        text, _ = demo_graph("decode_step")
        applied = harness.apply(self.RULES, text)
        self.assertEqual(applied.text, with_device(text, "xla"))
        rewritten = sum(line != other for line, other in zip(text.splitlines(), applied.text.splitlines()))
        self.assertEqual(sum(applied.counts().values()), rewritten)


# ---------------------------------------------------------------- noop.rules


NOOP = [harness.rule_file("noop.rules")]


@functools.lru_cache(maxsize=None)
def captured(name, form):
    """Text and inputs of a model in one form: `dynamo`, or exported after that many decompositions."""
    model = {**noop_cases.REMOVABLE, **noop_cases.TRAPS}[name]
    with torch.no_grad():
        if form == "dynamo":
            graph = captures.dynamo(model.function, *model.arguments()).graph
        else:
            graph = captures.exported(model, model.arguments(), decompositions=form).graph
    return captures.with_metadata(graph), captures.input_specs(graph)


@functools.lru_cache(maxsize=None)
def rewritten(name, form):
    return harness.apply(NOOP, captured(name, form)[0])


def forms(table):
    for name, model in table.items():
        yield from ((name, form) for form in ("dynamo", *model.decompositions))


class Noop(Numeric):
    def test_what_is_removed_changed_nothing(self):
        for name, form in forms(noop_cases.REMOVABLE):
            with self.subTest(name, form=form):
                text, specs = captured(name, form)
                self.same_to_a_caller(text, rewritten(name, form).text, specs)
                self.nothing_left(NOOP, rewritten(name, form))

    def test_what_only_looks_like_it_changed_nothing(self):
        for name, form in forms(noop_cases.TRAPS):
            with self.subTest(name, form=form):
                text, specs = captured(name, form)
                self.same_to_a_caller(text, rewritten(name, form).text, specs)

    def test_every_rule_is_applied(self):
        """A text has no signature, so rules over `writeback` cannot match in one."""
        applied = set().union(*(rewritten(name, form).counts() for name, form in forms(noop_cases.REMOVABLE)))
        expected = {rule: body for rule, (_, body) in harness.shipped_rules("noop.rules").items() if not body.startswith("writeback")}
        missing = [f"{rule}: {body}" for rule, body in expected.items() if rule not in applied]
        self.assertEqual(missing, [], f"applied: {sorted(applied)}")

    def test_each_write_back_of_the_cache_goes(self):
        text, specs = demo_graph("exported_kv_cache")
        applied = harness.apply(NOOP, text)
        self.assertEqual((text.count("aten.copy.default"), applied.text.count("aten.copy.default")), (4, 0))
        self.same_to_a_caller(text, applied.text, specs)
        self.nothing_left(NOOP, applied)

    def test_nested_write_backs_go_and_gaps_stay(self):
        for name, left in (("kv_cache_thrice", 0), ("kv_cache_dynamic", 0), ("kv_cache_strided", 1)):
            with self.subTest(name):
                text = (DATA / f"torch213/{name}.meta.txt").read_text()
                self.assertEqual(harness.apply(NOOP, text).text.count("aten.copy.default"), left)


class RandomGraphs(Numeric):
    """Copies, views and in-place writes in any order: nothing that a rule removes was needed."""

    def test_noop_rules_on_random_graphs(self):
        rounds = 5000 if os.environ.get("FXRULES_FULL") else 250
        rewrote = sum(self.one_round(seed) for seed in range(rounds))
        self.assertGreater(rewrote, rounds // 4, "too few of the graphs hold anything to remove")

    def one_round(self, seed):
        inputs = harness.make_inputs(random_graphs.INPUTS, seed)
        text = random_graphs.random_graph(seed, inputs)
        applied = harness.apply(NOOP, text)
        with self.subTest(seed=seed):
            self.same_to_a_caller(text, applied.text, random_graphs.INPUTS, seeds=(seed,))
        return bool(applied.counts())


class Pipeline(Numeric):
    def test_both_rule_sets_in_one_run(self):
        rules = [harness.rule_file(name) for name in ("device.rules", "noop.rules")]
        for name in ("decode_step", "exported_kv_cache"):
            with self.subTest(name):
                text, specs = demo_graph(name)
                applied = harness.apply(rules, with_device(text, "cuda:0"), ["-D", "target=cpu"])
                self.same_to_a_caller(text, applied.text, specs)


if __name__ == "__main__":
    unittest.main()
