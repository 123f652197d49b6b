"""Programs of torch.export do the same after a rewrite: outputs, buffers and inputs, over several calls."""

import json
import os
import pathlib
import subprocess
import tempfile
import unittest
import warnings
import zipfile

try:
    import torch
except ImportError as missing:
    raise unittest.SkipTest(f"needs torch: {missing}")

import harness

if harness.program() is None:
    missing = "needs a built fxrules: set FXRULES or build the release preset"
    raise FileNotFoundError(missing) if os.environ.get("CI") == "true" else unittest.SkipTest(missing)

import exported_models  # noqa: E402

warnings.filterwarnings("ignore")

RULES = """
phase tidy
double_relu: relu(r @ relu(_)) => r
times_one:   mul(x, 1.0) => x
plus_zero:   add(x, 0.0) => x
minus_zero:  sub(x, 0.0) => x

phase respell once
plus:        add(x: Tensor, 1) => sub(x, -1)
negated:     neg(x) => mul(x, -1)
"""
SHIPPED = ("noop.rules",)


def rewrite(rules, source, target):
    """The rules that rewrote something, branches included."""
    done = subprocess.run([harness.program(), "apply", *rules, source, "-o", target, "--report", "json"],
                          capture_output=True, text=True)
    if done.returncode != 0:
        raise AssertionError(done.stderr + done.stdout)
    report = json.loads(done.stdout)
    reports = [graph["report"] for graph in report["graphs"]] if "graphs" in report else [report]
    for one in reports:
        harness.keep_report(one)
    return [rule for one in reports for rule in one["rewrites"]]


def flat(value):
    return torch.utils._pytree.tree_flatten(value)


def runs(program, inputs):
    """What a caller sees: for each call, twice in a row, the outputs, the arguments and the state behind it."""
    module = program.module()
    seen = []
    for arguments in inputs:
        for _ in range(2):
            arguments = [a.clone() if isinstance(a, torch.Tensor) else a for a in arguments]
            outputs, structure = flat(module(*arguments))
            state = [t.clone() for _, t in sorted(module.named_buffers())] + [t.clone() for _, t in sorted(module.named_parameters())]
            seen.append((structure, [o.clone() if isinstance(o, torch.Tensor) else o for o in outputs], arguments, state))
    return seen


class Exported(unittest.TestCase):
    def same(self, left, right):
        self.assertEqual(len(left), len(right))
        for (structure, outputs, arguments, state), (structure2, outputs2, arguments2, state2) in zip(left, right):
            self.assertEqual(structure, structure2)
            for name, before, after in (("output", outputs, outputs2), ("input", arguments, arguments2), ("state", state, state2)):
                self.assertEqual(len(before), len(after), name)
                for a, b in zip(before, after):
                    if not isinstance(a, torch.Tensor):
                        self.assertEqual(a, b)
                        continue
                    self.assertEqual((a.dtype, a.shape), (b.dtype, b.shape))
                    torch.testing.assert_close(a, b, rtol=1e-6, atol=1e-6, equal_nan=True)

    def check(self, case, folder):
        before, after, again = (str(pathlib.Path(folder) / f"{n}.pt2") for n in ("before", "after", "again"))
        torch.export.save(case.export(), before)
        rules = pathlib.Path(folder) / "core.rules"
        rules.write_text(RULES)
        fired = rewrite([str(rules), *SHIPPED], before, after)
        original, rewritten = torch.export.load(before), torch.export.load(after)
        self.same(runs(original, case.inputs), runs(rewritten, case.inputs))
        self.metadata_holds(rewritten, [a.clone() for a in case.inputs[0]])
        # What torch makes of the new program can be saved, read and rewritten again.
        torch.export.save(rewritten, again)
        self.assertEqual(rewrite([str(rules), "noop.rules", "--only", "double_relu"], again, after), [])
        return fired

    def metadata_holds(self, program, arguments):
        """Each value is what the file says of it, symbolic sizes aside."""
        test = self

        class Checked(torch.fx.Interpreter):
            def run_node(self, node):
                value = super().run_node(node)
                said = node.meta.get("val")
                if isinstance(value, torch.Tensor) and isinstance(said, torch.Tensor):
                    test.assertEqual((value.dtype, value.dim()), (said.dtype, said.dim()), node.name)
                    for is_, says in zip((*value.shape, *value.stride()), (*said.shape, *said.stride())):
                        test.assertTrue(not isinstance(says, int) or is_ == says, node.name)
                return value

        flat_inputs = program._graph_module_flat_inputs(tuple(arguments), {})
        with torch.no_grad():
            Checked(program.graph_module).run(*flat_inputs)

    def test_models(self):
        fired = {}
        for case in exported_models.CASES + exported_models.transformer_cases():
            with self.subTest(case.name), tempfile.TemporaryDirectory() as folder:
                for rule in self.check(case, folder):
                    fired[rule["rule"]] = fired.get(rule["rule"], 0) + rule["count"]
        for rule in ("double_relu", "times_one", "plus_zero", "minus_zero", "plus", "negated"):
            self.assertIn(rule, fired)

    def test_nothing_changes_without_a_rule_that_applies(self):
        for case in exported_models.CASES[:8]:
            with self.subTest(case.name), tempfile.TemporaryDirectory() as folder:
                before, after = str(pathlib.Path(folder) / "a.pt2"), str(pathlib.Path(folder) / "b.pt2")
                torch.export.save(case.export(), before)
                rules = pathlib.Path(folder) / "none.rules"
                rules.write_text("erfinv(erfinv(x)) => x\n")
                rewrite([str(rules)], before, after)
                one, two = zipfile.ZipFile(before), zipfile.ZipFile(after)
                self.assertEqual(one.namelist(), two.namelist())
                for name in one.namelist():
                    self.assertEqual(one.read(name), two.read(name), name)
                data = pathlib.Path(after).read_bytes()
                for info in two.infolist():
                    head = data[info.header_offset:info.header_offset + 30]
                    start = info.header_offset + 30 + int.from_bytes(head[26:28], "little") + int.from_bytes(head[28:30], "little")
                    self.assertEqual((info.compress_type, start % 64), (zipfile.ZIP_STORED, 0), info.filename)


if __name__ == "__main__":
    unittest.main()
