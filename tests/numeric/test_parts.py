"""Updates of parts: scatters and copies back that reinplace.rules makes in place do the same in eager PyTorch."""

import copy
import random
import unittest

try:
    import torch
except ImportError as missing:
    raise unittest.SkipTest(f"needs torch: {missing}")

import harness

if harness.program() is None:
    raise unittest.SkipTest("needs a built fxrules: set FXRULES or build the release preset")

import fx_text

RULES = [harness.rule_file(n) for n in ("noop.rules", "reinplace.rules")]
MORE = ("{add, mul, sub, relu, neg, exp, index_put, select_scatter, slice_scatter, diagonal_scatter, as_strided_scatter}")
INPUTS = "x=f32[4,4] strides=(4,1)\ny=f32[4,4] strides=(4,1)\ni=i64[2] strides=(1)\n"

PLACES = [
    ("select.int", "select_scatter.default", (1, 2)),
    ("slice.Tensor", "slice_scatter.default", (0, 1, 3)),
    ("slice.Tensor", "slice_scatter.default", (1, 0, 4, 2)),
    ("diagonal.default", "diagonal_scatter.default", ()),
    ("diagonal.default", "diagonal_scatter.default", (1,)),
    ("as_strided.default", "as_strided_scatter.default", ([2, 2], [4, 1], 1)),
]


class Program:
    """Text IR, line by line."""

    def __init__(self):
        self.lines, self.count = ["graph():"], 0
        for name in ("x", "y", "i"):
            self.lines.append(f"    %{name} : [num_users=1] = placeholder[target={name}]")

    def call(self, op, *arguments):
        self.count += 1
        name = f"v{self.count}"
        text = ", ".join(map(str, arguments)) + ("," if len(arguments) == 1 else "")
        self.lines.append(f"    %{name} : [num_users=1] = call_function[target=torch.ops.aten.{op}](args = ({text}), kwargs = {{}})")
        return f"%{name}"

    def text(self, *results):
        return "\n".join([*self.lines, f"    return ({', '.join(r[1:] for r in results)}{',' if len(results) == 1 else ''})", ""])


def twice(text, inputs):
    """Outputs of two runs on the same inputs, and what the inputs hold then; and who shares storage after one."""
    shared = harness.run(text, inputs).shared
    inputs = copy.deepcopy(inputs)
    module = fx_text.read_module(text, {})
    order = [n.name for n in module.graph.nodes if n.op == "placeholder"]
    seen = []
    for _ in range(2):
        with torch.no_grad():
            seen += [o.clone() for o in torch.fx.Interpreter(module).run(*(inputs[n] for n in order))]
    return seen + [inputs[n] for n in order], shared


def apply(text, options=()):
    lines = [o for line in INPUTS.splitlines() for o in ("--input", line)]
    return harness.apply(RULES, text, ["-D", f"Reinplace={MORE}", *lines, *options])


class Parts(unittest.TestCase):
    def same(self, text, message="", options=()):
        applied = apply(text, options)
        for seed in (0, 1):
            inputs = harness.make_inputs(INPUTS, seed)
            (before, shared), (after, shared_after) = twice(text, inputs), twice(applied.text, inputs)
            told = f"{message}\n--- before\n{text}\n--- after\n{applied.text}"
            self.assertEqual(len(before), len(after), told)
            for a, b in zip(before, after):
                self.assertEqual((a.dtype, a.shape), (b.dtype, b.shape), told)
                torch.testing.assert_close(b, a, rtol=0, atol=0, equal_nan=True, msg=lambda m: f"{m}\n{told}")
            self.assertLessEqual(shared_after, shared, told)
        return applied

    def ops(self, applied):
        return [line.partition("aten.")[2].partition("]")[0] for line in applied.text.splitlines() if "aten." in line]

    def test_an_update_that_is_copied_back(self):
        p = Program()
        u = p.call("add.Tensor", "%x", "%y")
        c = p.call("copy_.default", "%x", u)
        self.assertEqual(self.ops(self.same(p.text(c))), ["add_.Tensor"])

    def test_an_update_that_is_copied_back_and_returned(self):
        p = Program()
        u = p.call("add.Tensor", "%x", "%y")
        p.call("copy_.default", "%x", u)
        self.assertEqual(self.ops(self.same(p.text(u))), ["add_.Tensor", "clone.default"])

    def test_an_update_that_is_read_before_it_is_copied_back(self):
        p = Program()
        u = p.call("add.Tensor", "%x", "%y")
        n = p.call("neg.default", u)
        c = p.call("copy_.default", "%x", u)
        self.assertEqual(self.ops(self.same(p.text(n, c))), ["add.Tensor", "neg.default", "copy_.default"])

    def test_operands_that_change_before_the_copy(self):
        for operand in "%x", "%y":
            p = Program()
            u = p.call("add.Tensor", "%x", "%y")
            p.call("mul_.Tensor", operand, 2)
            c = p.call("copy_.default", "%x", u)
            self.assertEqual(self.ops(self.same(p.text(c))), ["add.Tensor", "mul_.Tensor", "copy_.default"])

    def test_an_operand_that_is_a_view_of_what_is_written(self):
        p = Program()
        u = p.call("add.Tensor", "%x", p.call("t.default", "%x"))
        c = p.call("copy_.default", "%x", u)
        self.assertEqual(self.ops(self.same(p.text(c))), ["t.default", "add.Tensor", "copy_.default"])

    def scattered(self, view, scatter, *where):
        p = Program()
        a = p.call("clone.default", "%x")
        part = p.call(view, a, *where)
        v = p.call("add.Tensor", part, 1)
        return p, a, part, p.call(scatter, a, v, *where)

    def test_one_scatter(self):
        for view, scatter, where in PLACES:
            with self.subTest(view):
                p, _, _, s = self.scattered(view, scatter, *where)
                self.assertEqual(self.ops(self.same(p.text(s))), ["clone.default", view, "add_.Scalar"])

    def test_one_scatter_that_is_copied_back(self):
        for view, scatter, where in PLACES:
            with self.subTest(view):
                p = Program()
                v = p.call("add.Tensor", p.call(view, "%x", *where), 1)
                c = p.call("copy_.default", "%x", p.call(scatter, "%x", v, *where))
                self.assertEqual(self.ops(self.same(p.text(c))), [view, "add_.Scalar"])

    def test_an_overlapping_part_is_not_written(self):
        p, _, _, s = self.scattered("as_strided.default", "as_strided_scatter.default", [2, 2], [1, 1], 1)
        self.assertIn("as_strided_scatter.default", self.ops(self.same(p.text(s))))

    def test_other_places_stay(self):
        p = Program()
        a = p.call("clone.default", "%x")
        v = p.call("add.Tensor", p.call("select.int", a, 0, 1), 1)
        s = p.call("select_scatter.default", a, v, 0, 2)
        self.assertIn("select_scatter.default", self.ops(self.same(p.text(s))))

    def test_what_is_read_later_stays(self):
        for read in "base", "part", "both":
            p, a, part, s = self.scattered("select.int", "select_scatter.default", 0, 1)
            reads = [p.call("neg.default", r) for r in {"base": (a,), "part": (part,), "both": (a, part)}[read]]
            self.assertIn("select_scatter.default", self.ops(self.same(p.text(s, *reads), read)))
            self.assertIn("select_scatter.default", self.ops(self.same(p.text(s, part), read)))

    def test_an_input_that_the_caller_keeps_stays(self):
        p = Program()
        v = p.call("add.Tensor", p.call("select.int", "%x", 0, 1), 1)
        s = p.call("select_scatter.default", "%x", v, 0, 1)
        self.assertIn("select_scatter.default", self.ops(self.same(p.text(s))))

    def chain(self):
        p = Program()
        a = p.call("clone.default", "%x")
        b = p.call("slice.Tensor", a, 1, 1, 3)
        c = p.call("select.int", b, 0, 1)
        v = p.call("add.Tensor", c, 1)
        return p, a, b, c, v, p.call("slice_scatter.default", a, p.call("select_scatter.default", b, v, 0, 1), 1, 1, 3)

    def test_scatters_of_scatters(self):
        p, *_, s = self.chain()
        self.assertEqual(self.ops(self.same(p.text(s))), ["clone.default", "slice.Tensor", "select.int", "add_.Scalar"])

    def test_a_value_that_is_read_too_is_copied(self):
        p, _, _, _, v, s = self.chain()
        self.assertEqual(self.ops(self.same(p.text(s, v)))[-2:], ["add_.Scalar", "clone.default"])

    def test_strides_that_change_stay(self):
        """A view behind the update would not be possible on the part itself."""
        p = Program()
        part = p.call("slice.Tensor", p.call("exp.default", "%x"), 1, 0, 2)
        v = p.call("view.default", p.call("add.Tensor", part, 1), "[8]")
        self.assertIn("add.Tensor", self.ops(self.same(p.text(v))))

    def random_program(self, seed):
        choose, p = random.Random(seed), Program()
        wholes, parts = ["%x", "%y", p.call("clone.default", "%x")], []
        places = [("select.int", "select_scatter.default", (1, 2)), ("select.int", "select_scatter.default", (0, 3)),
                  ("diagonal.default", "diagonal_scatter.default", ())]
        for _ in range(choose.randint(3, 9)):
            kind = choose.randrange(8)
            base = choose.choice(wholes)
            if kind < 3:
                view, scatter, where = choose.choice(places)
                part = p.call(view, base, *where)
                parts.append(part)
                other = choose.choice(parts) if choose.randrange(3) == 0 else choose.choice((2, 1))
                v = p.call(choose.choice(("add.Tensor", "mul.Tensor")), part, other)
                if choose.randrange(4) == 0:
                    parts.append(v)
                wholes.append(p.call(scatter, base if choose.randrange(6) else choose.choice(wholes), v, *where))
            elif kind == 3:
                wholes.append(p.call(choose.choice(("add.Tensor", "sub.Tensor")), base, choose.choice(wholes)))
            elif kind == 4:
                u = p.call(choose.choice(("relu.default", "neg.default")), base)
                target = choose.choice((base, base, choose.choice(wholes)))
                if choose.randrange(4) == 0:
                    parts.append(p.call("select.int", u, 0, 1))
                c = p.call("copy_.default", target, u)
                wholes += choose.choice(([], [c], [u], [c, u]))
            elif kind == 5:
                wholes.append(p.call("clone.default", base))
            elif kind == 6:
                wholes.append(p.call("index_put.default", base, "[%i]", choose.choice(parts or [p.call("select.int", base, 0, 0)])))
            else:
                b = p.call("slice.Tensor", base, 1, 1, 3)
                v = p.call("mul.Tensor", p.call("select.int", b, 0, 1), 2)
                s = p.call("select_scatter.default", b, v, 0, 1)
                wholes.append(p.call("slice_scatter.default", base, s, 1, 1, 3))
        new = [w for w in wholes[-3:] if choose.randrange(3)] or wholes[-1:]
        return p.text(*new, *(choose.sample(parts, 1) if parts and choose.randrange(3) == 0 else []))

    def test_random_programs(self):
        acted = {}
        for seed in range(100):
            with self.subTest(seed):
                for rule, count in self.same(self.random_program(seed), f"seed {seed}").counts().items():
                    acted[rule] = acted.get(rule, 0) + count
        self.assertLessEqual({"scatter_select", "scatter_slice", "scatter_diagonal", "copy_select", "copy_update", "in_place"}, acted.keys())


if __name__ == "__main__":
    unittest.main()
