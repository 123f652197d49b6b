"""The op catalogue says what the installed torch does: it is regenerated, and its hand-kept half is tried."""

import unittest

try:
    import torch
except ImportError as missing:
    raise unittest.SkipTest(f"needs torch: {missing}")

import builtins
import importlib
import inspect
import json
import math
import operator
import re
import subprocess
import sys
import types
import warnings
from pathlib import Path

import torch.nn.functional as F
from torch.utils._python_dispatch import TorchDispatchMode

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "engine/catalogue"))
import generate  # noqa: E402

warnings.simplefilter("ignore")
OVERLAY = (ROOT / "engine/catalogue/data/overlay.ops").read_text().splitlines()
GENERATED = (ROOT / "engine/catalogue/data/torch.ops").read_text().splitlines()
SIGNATURE = re.compile(r"([\w:.]+)(?: += ([\w.]+))?(\(.*\)) -> (.*?)(?: \| (.*))?$")
# Only in builds for other devices, printed by older versions, or a class whose Python signature says nothing.
NOT_HERE = {".rename_", "torch.cuda.synchronize", "torch._functorch.vmap.lazy_load_decompositions", "torch.device", "torch.Size", "torch.finfo", "torch.iinfo"}


def signatures(lines):
    """(op or overload, Python target or None, arguments, returns, facts) of every signature line."""
    for line in lines:
        if (match := SIGNATURE.match(line)) and not line.startswith("#"):
            name, target, arguments, returns, facts = match.groups()
            method = re.match(r"[\w:]+ += (\.\w+)\(", line)
            yield name, method[1] if method else target, arguments, returns, facts or ""


def said_of(fact):
    """Ops and overloads that a line of the overlay says `fact` of."""
    names = set()
    for line in OVERLAY:
        if "(" not in line and " | " in line and fact in line.split(" | ")[1].split():
            names |= set(line.split(" | ")[0].split())
    return names


def bare(text):
    """Without alias annotations."""
    return re.sub(r"\((?:\w+!?(?: -> \*)?)(?: when [^)]*)?\)", "", text)


class Generated(unittest.TestCase):
    def test_the_files_are_what_the_generator_writes(self):
        # In a process of its own: other tests register ops.
        script = "import json, generate; print(json.dumps(generate.outputs()))"
        folder = Path(generate.__file__).parent
        printed = subprocess.run([sys.executable, "-c", script], cwd=folder, capture_output=True, text=True, check=True).stdout
        for path, text in json.loads(printed.splitlines()[-1]).items():
            with self.subTest(path):
                self.assertTrue((ROOT / path).read_text() == text, f"{path} is stale: run {generate.COMMAND}")

    def test_every_line_is_printable_ascii(self):
        self.assertTrue(all(line.isascii() and line.isprintable() for line in GENERATED + OVERLAY))


class Overlay(unittest.TestCase):
    def test_a_schema_that_it_repeats_differs_by_annotations_alone(self):
        known = {name: (arguments, returns) for name, target, arguments, returns, _ in signatures(GENERATED) if not target}
        repeated = 0
        for name, target, arguments, returns, _ in signatures(OVERLAY):
            if target is None and name.startswith("aten::"):
                with self.subTest(name):
                    self.assertEqual([bare(arguments), bare(returns)], [bare(t) for t in known[name]])
                repeated += 1
        self.assertGreater(repeated, 20)

    def test_a_path_that_it_names_is_the_one_that_fx_prints(self):
        graph = torch.fx.Graph()
        for _, target, _, _, _ in signatures(OVERLAY):
            if target is None or target.startswith((".", "fxrules.")) or target in NOT_HERE:
                continue
            with self.subTest(target):
                node = graph.call_function(self.value_of(target), ())
                self.assertIn(f"call_function[target={target}]", node.format_node())

    def test_a_method_that_it_names_exists(self):
        for _, target, _, _, _ in signatures(OVERLAY):
            if target and target.startswith(".") and target not in NOT_HERE:
                with self.subTest(target):
                    self.assertTrue(callable(getattr(torch.Tensor, target[1:])))

    def test_a_signature_has_the_names_that_python_has(self):
        checked = 0
        for _, target, arguments, _, _ in signatures(OVERLAY):
            if target is None or target.startswith((".", "fxrules.")) or target in NOT_HERE:
                continue
            function = self.value_of(target)
            if not inspect.isfunction(function) or not target.startswith("torch."):
                continue
            parameters = inspect.signature(function).parameters.values()
            if any(p.kind is p.VAR_POSITIONAL for p in parameters):
                continue
            with self.subTest(target):
                said = [a.partition("=")[0].split(" ")[-1].partition(":")[0] for a in bare(arguments)[1:-1].split(", ")]
                self.assertEqual([name for name in said if name not in ("", "*")], [p.name for p in parameters])
            checked += 1
        self.assertGreater(checked, 30)

    @staticmethod
    def value_of(target):
        module, _, name = target.rpartition(".")
        homes = {"operator": operator, "builtins": builtins, "math": math, "torch": torch}
        if module in homes:
            return getattr(homes[module], name)
        value = torch
        for part in target.split(".")[1:]:
            if not hasattr(value, part):
                importlib.import_module(f"{value.__name__}.{part}")
            value = getattr(value, part)
        return value


class Recorder(TorchDispatchMode):
    def __init__(self):
        super().__init__()
        self.ops = []

    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        self.ops.append(function.overloadpacket._qualified_op_name)
        return function(*args, **(kwargs or {}))


def dispatched(function, *args):
    with Recorder() as recorder:
        function(*args)
    return recorder.ops


class Operators(unittest.TestCase):
    """operator.NAME is the op that eager runs for tensors."""

    RUNS = {"matmul": ["aten::mm"], "positive": []}

    def operands(self, op):
        integral = op.strip("_").startswith(("bitwise", "lshift", "rshift", "ilshift", "irshift"))
        x = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
        x = x.to(torch.int64) if integral else x
        return (x, x.clone() % 3 + 1)

    def check(self, function, op):
        operands = self.operands(op)
        try:
            ops = dispatched(function, *operands)
        except TypeError:
            ops = dispatched(function, operands[0])
        self.assertEqual(ops, self.RUNS.get(op, [f"aten::{op}"]))

    def test_operators(self):
        for name, op in generate.OPERATORS.items():
            with self.subTest(name):
                self.check(getattr(operator, name), op)

    def test_dunder_methods_compute_what_operators_compute(self):
        by_op = {op: getattr(operator, name) for name, op in generate.OPERATORS.items()}
        for name, op in generate.DUNDERS.items():
            with self.subTest(name):
                a, b = self.operands(op.rstrip("~"))
                expected_operands = (b, a) if op.endswith("~") else (a.clone(), b)
                arity = 1 if op in ("abs", "bitwise_not", "neg", "positive") else 2
                expected = by_op[op.rstrip("~")](*expected_operands[:arity])
                self.assertTrue(torch.equal(getattr(a.clone(), f"__{name}__")(*[b][: arity - 1]), expected))

    def test_operators_on_numbers_write_nothing(self):
        for name, _ in generate.OPERATORS.items():
            if name.startswith("i") and name not in ("inv", "invert", "itruediv"):
                x = 6
                getattr(operator, name)(x, 2)
                self.assertEqual(x, 6)


class Commutativity(unittest.TestCase):
    """Exchanging operands changes nothing for the ops that the overlay lists, and something for all others."""

    # A value and its bound: symmetric in what they compute, not in what they mean.
    NOT_LISTED = {"aten::clamp_max.Tensor", "aten::clamp_min.Tensor"}

    def binary_ops(self):
        pattern = re.compile(r"\(Tensor \w+, Tensor \w+(?:, \*)?(?:, [^=]+=[^,)]+)*\)$")
        for name, target, arguments, _, facts in signatures(GENERATED):
            if target is None and name.startswith("aten::") and "pointwise" in facts and pattern.match(arguments):
                yield name

    @staticmethod
    def call(name, *operands):
        op, _, overload = name.removeprefix("aten::").partition(".")
        return getattr(getattr(torch.ops.aten, op), overload or "default")(*operands)

    def commutes(self, name):
        """None where no operands are accepted."""
        answers = []
        generator = torch.Generator().manual_seed(1)
        for dtype in (torch.float64, torch.int64, torch.bool):
            a = (torch.rand(50, generator=generator) * 9).to(dtype)
            b = (torch.rand(50, generator=generator) * 9).to(dtype)
            try:
                answers.append(torch.equal(torch.as_tensor(self.call(name, a, b)), torch.as_tensor(self.call(name, b, a))))
            except (RuntimeError, NotImplementedError):
                continue
        return all(answers) if answers else None

    def test_listed_ops_commute(self):
        for name in sorted(said_of("commutative")):
            if name.startswith("aten::") and not name.startswith("aten::__"):
                overloads = [name] if "." in name else [n for n in self.overloads_of(name)]
                for overload in overloads:
                    with self.subTest(overload):
                        self.assertTrue(self.commutes(overload))

    def overloads_of(self, op):
        pattern = re.compile(r"\(Tensor \w+, Tensor \w+(?:, \*)?(?:, [^=]+=[^,)]+)*\)$")
        found = [n for n, t, a, _, _ in signatures(GENERATED) if t is None and n.partition(".")[0] == op and pattern.match(a)]
        self.assertTrue(found, op)
        return found

    def test_all_other_pointwise_ops_do_not(self):
        listed = said_of("commutative")
        checked = 0
        for name in self.binary_ops():
            if {name, name.partition(".")[0]} & (listed | self.NOT_LISTED) or name.partition(".")[0].endswith("_"):
                continue
            with self.subTest(name):
                self.assertIsNot(self.commutes(name), True)
            checked += 1
        self.assertGreater(checked, 20)


class InPlaceFlags(unittest.TestCase):
    """`when inplace=True` is true of every function that says so."""

    EXTRA = {"threshold": (0.1, 20.0), "_threshold": (0.1, 20.0)}

    def test_the_operand_is_written_and_returned(self):
        checked = 0
        for _, target, arguments, _, _ in signatures(GENERATED):
            if target and "when inplace=True" in arguments:
                name = target.rpartition(".")[2]
                rank = {"dropout1d": 3, "dropout2d": 4, "dropout3d": 5}.get(name, 2)
                x = torch.randn((2,) * rank) if rank > 2 else torch.randn(4, 3) * 3
                before = x.clone()
                options = {"training": True} if "training" in arguments else {}
                torch.manual_seed(7)
                with self.subTest(name):
                    result = getattr(F, name)(x, *self.EXTRA.get(name, ()), inplace=True, **options)
                    self.assertEqual(result.data_ptr(), x.data_ptr())
                    self.assertFalse(torch.equal(x, before) and "dropout" not in name)
                checked += 1
        self.assertGreater(checked, 12)


class RunningStatistics(unittest.TestCase):
    def written(self, function, flag, value):
        mean, variance = torch.zeros(3), torch.ones(3)
        function(torch.randn(4, 3, 5) + 1, running_mean=mean, running_var=variance, **{flag: value})
        return not torch.equal(mean, torch.zeros(3)), not torch.equal(variance, torch.ones(3))

    def test_both_are_written_when_the_flag_is_true(self):
        for function, flag in ((F.batch_norm, "training"), (F.instance_norm, "use_input_stats")):
            with self.subTest(flag):
                self.assertEqual(self.written(function, flag, True), (True, True))
                self.assertEqual(self.written(function, flag, False), (False, False))

    def test_an_embedding_table_is_written_with_max_norm(self):
        for max_norm, written in ((None, False), (0.1, True)):
            table = torch.ones(3, 4)
            F.embedding(torch.tensor([0, 2]), table, max_norm=max_norm)
            self.assertEqual(not torch.equal(table, torch.ones(3, 4)), written)


def sample_ops():
    """Torch's own list of ops with sample inputs. It imports a test package for a base class that is not needed here."""
    try:
        import expecttest  # noqa: F401
    except ImportError:
        sys.modules["expecttest"] = types.ModuleType("expecttest")
        sys.modules["expecttest"].TestCase = unittest.TestCase
    from torch.testing._internal.common_methods_invocations import op_db

    return op_db


class Aliases(unittest.TestCase):
    """No op returns an argument's storage, or writes an argument, without the catalogue saying so."""

    @classmethod
    def setUpClass(cls):
        cls.aliasing, cls.writing = set(), set()
        replaced = {(name, target) for name, target, *_ in signatures(OVERLAY)}
        lines = [s for s in signatures(GENERATED) if (s[0], s[1]) not in replaced]
        for name, target, arguments, returns, _ in [*lines, *signatures(OVERLAY)]:
            op = target if target and target.startswith("torch.") else name.partition(".")[0]
            if re.search(r"\(\w+(?:\|\w+)?!?\)", returns):
                cls.aliasing.add(op)
            if re.search(r"\(\w+!(?: when [^)]*)?\)", arguments):
                cls.writing.add(op)

    @staticmethod
    def tensors(value):
        return [t for t in torch.utils._pytree.tree_leaves(value) if isinstance(t, torch.Tensor)]

    @staticmethod
    def storage(tensor):
        return None if tensor.layout is not torch.strided or tensor.numel() == 0 else tensor.untyped_storage().data_ptr()

    def name_of(self, function):
        path = torch.fx.node._get_qualified_name(function)
        return path if inspect.isfunction(function) else f"aten::{function.__name__}"

    def check(self, function, sample):
        arguments = (sample.input, *sample.args)
        before = [t.clone() for t in self.tensors((arguments, sample.kwargs))]
        results = function(*arguments, **sample.kwargs)
        given = self.tensors((arguments, sample.kwargs))
        shared = {self.storage(t) for t in given} & {self.storage(t) for t in self.tensors(results)} - {None}
        written = any(not torch.equal(a, b) for a, b in zip(before, given) if a.layout is torch.strided and not a.isnan().any())
        return bool(shared), written

    def test_samples_of_torchs_own_op_tests(self):
        op_db = sample_ops()
        known = {name.partition(".")[0] for name, *_ in signatures(GENERATED)} | {t for _, t, *_ in signatures(GENERATED)}
        checked = set()
        for info in op_db:
            function = info.op
            if not (inspect.isfunction(function) or inspect.isbuiltin(function)) or not info.supports_dtype(torch.float32, "cpu"):
                continue
            name = self.name_of(function)
            if name not in known or name in checked:
                continue
            checked.add(name)
            shares = writes = False
            torch.manual_seed(3)
            for count, sample in enumerate(info.sample_inputs("cpu", torch.float32)):
                if count == 24:
                    break
                try:
                    shared, written = self.check(function, sample)
                except Exception:  # a sample that this build cannot run says nothing
                    continue
                shares, writes = shares or shared, writes or written
            with self.subTest(name):
                self.assertTrue(not shares or name in self.aliasing, "a result shares an argument's storage")
                self.assertTrue(not writes or name in self.writing, "an argument is written")
        self.assertGreater(len(checked), 300)


if __name__ == "__main__":
    unittest.main()
