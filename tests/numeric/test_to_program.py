"""Readable graphs that become programs of torch.export: torch loads them, and they compute what they did."""

import pathlib
import subprocess
import tempfile
import unittest


import harness
import torch

import test_exported  # noqa: F401  skips without torch, fails without the program
import exported_models
from exported_models import Case, module, randn


def readable(program):
    return program.graph_module.print_readable(print_output=False, include_stride=True, include_device=True)


def convert(text, folder, name="graph.py", out="out.pt2"):
    source, target = pathlib.Path(folder) / name, pathlib.Path(folder) / out
    source.write_text(text)
    done = subprocess.run([harness.program(), "convert", source, "-o", target], capture_output=True, text=True)
    return done, target


def without_state(case):
    """The exported program, or None where it needs weights, or has nested graphs, which have no text of their own."""
    program = case.export()
    signature = program.graph_signature
    if signature.parameters or signature.buffers or signature.lifted_tensor_constants or signature.user_inputs_to_mutate:
        return None
    return None if any(n.op == "get_attr" for n in program.graph.nodes) else program


class ToProgram(unittest.TestCase):
    def test_functions(self):
        done = 0
        for case in exported_models.CASES:
            program = without_state(case) if case.decompose else None
            if program is None:
                continue
            with self.subTest(case.name), tempfile.TemporaryDirectory() as folder:
                result, target = convert(readable(program), folder)
                if "nothing takes its result" in result.stderr:
                    continue  # print_readable says nothing of a result that is not taken
                self.assertEqual(result.returncode, 0, result.stderr)
                loaded = torch.export.load(target)
                for arguments in case.inputs:
                    before, after = program.module()(*arguments), loaded.module()(*arguments)
                    one, two = torch.utils._pytree.tree_leaves(before), torch.utils._pytree.tree_leaves(after)
                    self.assertEqual(len(one), len(two))
                    for a, b in zip(one, two):
                        torch.testing.assert_close(a, b, rtol=1e-6, atol=1e-6, equal_nan=True)
                done += 1
        self.assertGreaterEqual(done, 12)

    # What the text returns is a tuple, and so does the program.

    def test_a_program_that_is_made_can_be_rewritten(self):
        case = Case("", module(lambda self, x: x.relu().relu() + 1), [(randn(3, 4),)])
        with tempfile.TemporaryDirectory() as folder:
            _, target = convert(readable(case.export()), folder)
            rules, again = pathlib.Path(folder) / "r.rules", pathlib.Path(folder) / "again.pt2"
            rules.write_text("relu(r @ relu(_)) => r\n")
            subprocess.run([harness.program(), "apply", rules, target, "-o", again], check=True)
            loaded = torch.export.load(again)
            self.assertEqual([str(n.target) for n in loaded.graph.nodes].count("aten.relu.default"), 1)
            torch.testing.assert_close(loaded.module()(*case.inputs[0])[0], case.export().module()(*case.inputs[0]))

    def test_apply_writes_a_program_too(self):
        case = Case("", module(lambda self, x: x.relu().relu() + 1), [(randn(3, 4),)])
        with tempfile.TemporaryDirectory() as folder:
            source, rules, target = (pathlib.Path(folder) / n for n in ("graph.py", "r.rules", "out.pt2"))
            source.write_text(readable(case.export()))
            rules.write_text("relu(r @ relu(_)) => r\n")
            subprocess.run([harness.program(), "apply", rules, source, "-o", target], check=True)
            torch.testing.assert_close(torch.export.load(target).module()(*case.inputs[0])[0], case.export().module()(*case.inputs[0]))

    def test_what_no_program_holds_is_named_with_its_place(self):
        text = ('class GraphModule(torch.nn.Module):\n    def forward(self, x: "f32[3][1]cpu", y: "f32[3]"):\n'
                '        relu: "f32[3][1]cpu" = torch.relu(x)\n        add: "f32[3][1]cpu" = relu.add(y)\n        return (add,)\n')
        with tempfile.TemporaryDirectory() as folder:
            done, target = convert(text, folder)
            self.assertEqual(done.returncode, 1)
            self.assertFalse(target.exists())
            for part in ("`relu` cannot be written: `torch.relu` is no op of a program", "graph.py:3:9",
                         "`add` cannot be written: a program of torch.export holds no call_method", "graph.py:4:9",
                         "`y` cannot be written: its element type, shape or device is not known"):
                self.assertIn(part, done.stderr)


if __name__ == "__main__":
    unittest.main()
