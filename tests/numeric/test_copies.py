"""Exported programs whose inputs get new values do the same after noop, reinplace and writeback, over several calls."""

import pathlib
import random
import tempfile
import unittest

from test_exported import flat, rewrite, runs  # skips without torch, fails without the program

import harness
import torch
from torch import nn
from torch.export import Dim

import exported_models
from exported_models import Case, randn

RULES = ("noop.rules", "reinplace.rules", "writeback.rules")
MORE = ("{index_put, index_copy, slice_scatter, scatter, add, sub, mul, relu, neg, exp, sin, sigmoid, tanh, abs, clamp, "
        "masked_fill, fill, copy}")


class StaticCache(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("k", torch.zeros(1, 16, 8))
        self.q = nn.Linear(8, 8)

    def forward(self, x, pos):
        self.k[:, pos] = self.q(x)
        return torch.softmax(x @ self.k.transpose(1, 2), -1)


class CallersCache(nn.Module):
    """The caller owns the cache and passes it in."""

    def __init__(self):
        super().__init__()
        self.q = nn.Linear(8, 8)

    def forward(self, x, pos, k):
        k[:, pos] = self.q(x)
        return torch.softmax(x @ k.transpose(1, 2), -1)


class CallersValues(nn.Module):
    def forward(self, v, pos, values):
        values.index_copy_(1, pos, v)
        return values.sum(1)


class Twice(Case):
    """Decomposed twice, as lowering pipelines do: the second time copies each update of an input back to it."""

    def export(self):
        return super().export().run_decompositions({})


class TwoCaches(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("k", torch.zeros(1, 2, 8, 4))
        self.register_buffer("v", torch.zeros(1, 2, 8, 4))

    def forward(self, k, v, pos):
        self.k.index_copy_(2, pos, k)
        self.v.index_copy_(2, pos, v)
        return nn.functional.scaled_dot_product_attention(k, self.k, self.v)


class Swap(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("a", torch.arange(4.0))
        self.register_buffer("b", torch.ones(4))

    def forward(self, x):
        old = self.a.clone()
        self.a.copy_(self.b)
        self.b.copy_(old)
        return x + self.a - 2 * self.b


class Pair(nn.Module):
    """One input is updated, one gets a new value; both are the caller's."""

    def forward(self, a, b, i, v):
        a[i] = v
        o = b * 2
        b.add_(1)
        return o


class Shift(nn.Module):
    """Each buffer takes its neighbour's value, one of them through a view."""

    def __init__(self):
        super().__init__()
        for n in "abc":
            self.register_buffer(n, torch.full((4,), float(ord(n))))

    def forward(self, x):
        a, b = self.a.clone(), self.b.clone()
        self.a.copy_(x)
        self.b.copy_(a)
        self.c.copy_(b.view(2, 2).t().reshape(-1))
        return self.a + self.b * self.c


class ReadsOld(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("s", torch.zeros(4))

    def forward(self, x):
        old = self.s.sin()
        self.s.mul_(0.5).add_(x)
        return old + self.s, self.s * 2


pos = [(randn(1, n, 8, seed=n), torch.tensor(p)) for n, p in ((3, [0, 1, 2]), (2, [5, 3]), (1, [15]), (4, [7, 6, 9, 0]))]
length = {"x": {1: Dim("length", min=1, max=16)}, "pos": {0: Dim("length", min=1, max=16)}}
CASES = [
    Case("static_cache", StaticCache, pos, length),
    Twice("callers_cache", CallersCache, [(*case, torch.zeros(1, 16, 8)) for case in pos], {**length, "k": None}),
    Case("two_caches", TwoCaches, [(randn(1, 2, 2, 4, seed=s), randn(1, 2, 2, 4, seed=s + 9), torch.tensor(p)) for s, p in ((1, [0, 1]), (2, [4, 2]))]),
    Twice("callers_values", CallersValues, [(randn(1, 2, 4), torch.tensor(p), torch.zeros(1, 8, 4)) for p in ([0, 1], [4, 2])]),
    Case("swap", Swap, [(randn(4),), (randn(4, seed=1),)]),
    Case("pair", Pair, [(randn(4), randn(4, seed=1), torch.tensor([s]), torch.ones(1)) for s in (0, 3)]),
    Case("shift", Shift, [(randn(4),), (randn(4, seed=1),)]),
    Case("reads_old", ReadsOld, [(randn(4),), (randn(4, seed=1),)]),
]


class Random(nn.Module):
    """Straight-line code over vectors of four, two buffers and views; `seed` says which."""

    def __init__(self, seed):
        super().__init__()
        self.seed = seed
        self.register_buffer("a", torch.arange(4.0) / 4)
        self.register_buffer("b", torch.ones(4) / 2)

    def forward(self, x, i):
        choose = random.Random(self.seed)
        values = [x, x.sin(), x + 1]
        buffers = [self.a, self.b]
        some = lambda: choose.choice(values + buffers)  # noqa: E731
        for _ in range(choose.randint(4, 12)):
            kind = choose.randrange(12)
            if kind == 0:
                values.append(some() + some())
            elif kind == 1:
                values.append(some().relu())
            elif kind == 2:
                values.append(some().neg().mul(0.5))
            elif kind == 3:
                values.append(some().index_put((i,), some()[:2]))
            elif kind == 4:
                choose.choice(buffers).index_put_((i,), some()[:2].clone())
            elif kind == 5:
                choose.choice(buffers).copy_(some().clone())
            elif kind == 6:
                choose.choice(buffers).add_(some())
            elif kind == 7:
                values.append(some().view(2, 2).t().reshape(4))
            elif kind == 8:
                values.append(some().clone())
            elif kind == 9:
                values.append(some()[:2].repeat(2))
            elif kind == 10:
                choose.choice(buffers)[1:3].mul_(0.5)
            else:
                values.append(torch.slice_scatter(some(), some()[1:3], 0, 1, 3))
        return tuple(values[-choose.randint(1, 3):][k] * 1 for k in range(1)) + (choose.choice(values).clone(),)


def rewritten(case, folder, *options):
    """The program and what became of it, both loaded by torch."""
    before, after = (str(pathlib.Path(folder) / f"{n}.pt2") for n in ("before", "after"))
    torch.export.save(case.export(), before)
    rewrite([*RULES, "--verifier", "training", *options], before, after)
    return torch.export.load(before), torch.export.load(after)


def targets(program):
    return [str(n.target) for n in program.graph.nodes if n.op == "call_function"]


class Copies(unittest.TestCase):
    def same(self, left, right, message):
        self.assertEqual(len(left), len(right), message)
        for (_, *before), (_, *after) in zip(left, right):
            for one, two in zip(before, after):
                one, two = flat(one)[0], flat(two)[0]
                self.assertEqual(len(one), len(two), message)
                for a, b in zip(one, two):
                    if isinstance(a, torch.Tensor):
                        self.assertEqual((a.dtype, a.shape), (b.dtype, b.shape), message)
                        torch.testing.assert_close(a, b, rtol=1e-6, atol=1e-6, equal_nan=True, msg=lambda m: f"{message}: {m}")
                    else:
                        self.assertEqual(a, b, message)

    def check(self, case, *options):
        with tempfile.TemporaryDirectory() as folder:
            before, after = rewritten(case, folder, *options)
            self.same(runs(before, case.inputs), runs(after, case.inputs), case.name)
            self.written(after, case.name)
            return after

    def written(self, program, message):
        """Each entry is the input itself, written by an op in place."""
        signature = program.graph_signature
        buffers = {path: name for name, path in signature.inputs_to_buffers.items()}
        nodes = {n.name: n for n in program.graph.nodes}
        mutated = {output: buffers[path] for output, path in signature.buffers_to_mutate.items()}
        for output, target in {**mutated, **signature.user_inputs_to_mutate}.items():
            node = nodes[output]
            while node.op == "call_function":
                self.assertTrue(str(node.target).split(".")[1].endswith("_"), f"{message}: {output} is {node.target}")
                node = node.args[0]
            self.assertEqual(node.name, target, message)

    def test_a_static_cache_is_one_update_in_place(self):
        for case in CASES[:2]:
            with self.subTest(case.name):
                ops = targets(self.check(case))
                self.assertEqual([o for o in ops if "index_put" in o], ["aten.index_put_.default"])
                self.assertEqual([o for o in ops if "copy" in o or "clone" in o], [])

    def test_updates_of_the_functional_program_were_copied_back(self):
        """The second cache really has the copy that the rules remove."""
        self.assertEqual(targets(CASES[1].export()).count("aten.copy.default"), 1)

    def test_programs_with_state(self):
        for case in CASES:
            with self.subTest(case.name):
                self.check(case)
                self.check(case, "-D", f"Reinplace={MORE}")

    def test_programs_without(self):
        for case in exported_models.CASES + exported_models.transformer_cases():
            if case.name not in ("branch",) and case.decompose:
                with self.subTest(case.name):
                    self.check(case, "-D", f"Reinplace={MORE}")

    def test_random_programs(self):
        for seed in range(30):
            inputs = [(randn(4, seed=s), torch.tensor(i)) for s, i in ((1, [0, 2]), (2, [3, 1]))]
            with self.subTest(seed):
                self.check(Case(f"random {seed}", lambda seed=seed: Random(seed), inputs), "-D", f"Reinplace={MORE}")

    def test_each_rule_acts(self):
        acted = set()
        with tempfile.TemporaryDirectory() as folder:
            before, after = (str(pathlib.Path(folder) / f"{n}.pt2") for n in ("before", "after"))
            for case in CASES:
                torch.export.save(case.export(), before)
                acted |= {r["rule"] for r in rewrite([*RULES, "--verifier", "training"], before, after)}
        self.assertLessEqual({"index_update", "written_back", "in_place", "set_aside", "write"}, acted)


class Text(unittest.TestCase):
    def test_a_copy_of_an_update_in_place_goes(self):
        text = ("graph():\n    %x : [num_users=2] = placeholder[target=x]\n"
                "    %u : [num_users=1] = call_method[target=add_](args = (%x, 1), kwargs = {})\n"
                "    %c : [num_users=1] = call_method[target=copy_](args = (%x, %u), kwargs = {})\n"
                "    %o : [num_users=1] = call_method[target=mul](args = (%c, 2), kwargs = {})\n    return (o,)\n")
        applied = harness.apply([harness.rule_file("reinplace.rules")], text)
        self.assertEqual(applied.counts(), {"epilogue": 1})
        inputs = harness.make_inputs("x=f32[3]")
        self.assertEqual(harness.differences(harness.run(text, inputs), harness.run(applied.text, inputs)), [])


if __name__ == "__main__":
    unittest.main()
