"""One case under one rule: both sides run in eager torch, and what a caller could tell apart is a difference."""

from __future__ import annotations

import contextlib
import warnings
from dataclasses import dataclass, field, replace
from typing import Any, Iterator, Optional

import torch
from torch.fx import GraphModule, Interpreter, Node
from torch.utils import _pytree as pytree

from fxrules.errors import Error
from fxrules.live import rewrite
from fxrules.observation import value_differences
from fxrules.report import Report
from fxrules.rules import RuleSet
from fxrules.values import writes
from fxrules.verification.cases import GETITEM, Call, Case, Ref

TOLERANCE = 1e-5
_SEEDS = (0, 1)
_MANY = 4000  # elements from which distributions are compared


class _OnHost(Interpreter):
    """Runs a graph with every device that it names taken for the host's: rules about devices change names only."""

    def __init__(self, module: GraphModule):
        super().__init__(module)
        self.seen: dict[str, Any] = {}

    def run_node(self, node: Node) -> Any:
        value = super().run_node(node)
        self.seen[node.name] = _snapshot(value)
        return value

    def call_function(self, target: Any, args: Any, kwargs: Any) -> Any:
        return super().call_function(target, *_on_host(args, kwargs))

    def call_method(self, target: Any, args: Any, kwargs: Any) -> Any:
        if target in ("cuda", "cpu", "xpu", "to") and args:
            args, kwargs = _on_host(args, kwargs)
            target = "cpu" if target in ("cuda", "xpu") else target
            if target == "cpu":
                args, kwargs = args[:1], {k: v for k, v in kwargs.items() if k == "memory_format"}
        return super().call_method(target, args, kwargs)


def _on_host(args: Any, kwargs: Any) -> tuple[Any, Any]:
    def host(item: Any) -> Any:
        if isinstance(item, torch.device):
            return torch.device("cpu")
        if isinstance(item, str):
            try:
                return "cpu" if torch.device(item).type in ("cuda", "xla", "xpu", "meta") else item
            except RuntimeError:
                return item
        return item

    moved = pytree.tree_map(host, args), dict(pytree.tree_map(host, kwargs))
    device = moved[1].get("device")
    if isinstance(device, int) and not isinstance(device, bool):
        moved[1]["device"] = "cpu"
    return moved


def _snapshot(value: Any) -> Any:
    """A value as it is now: a later write does not reach it, and strides stay."""
    return pytree.tree_map(lambda v: _copied(v) if isinstance(v, torch.Tensor) else v, value)


def _copied(t: torch.Tensor) -> torch.Tensor:
    if t.layout is not torch.strided or t.is_quantized or t.device.type == "meta":
        return t
    span = 1 + sum((s - 1) * k for s, k in zip(t.shape, t.stride())) if t.numel() else 0
    out = torch.empty(max(span, 0), dtype=t.dtype).as_strided(t.shape, t.stride())
    flat = t.detach()
    for dim, step in enumerate(t.stride()):
        if step == 0 and t.shape[dim] > 1:
            flat = flat.narrow(dim, 0, 1)
            out = out.narrow(dim, 0, 1)
    out.copy_(flat)
    return out.as_strided(t.shape, t.stride())


@dataclass
class Run:
    outputs: list[Any]
    inputs: list[torch.Tensor]
    seen: dict[str, Any]
    shared: set[tuple[int, int]] = field(default_factory=set)


@contextlib.contextmanager
def _memory_is_filled() -> Iterator[None]:
    """What nobody has written (`torch.empty`) is the same each time."""
    before = torch.are_deterministic_algorithms_enabled(), torch.is_deterministic_algorithms_warn_only_enabled()
    torch.use_deterministic_algorithms(True, warn_only=True)
    try:
        yield
    finally:
        torch.use_deterministic_algorithms(before[0], warn_only=before[1])


def run(module: GraphModule, case: Case, seed: int) -> Run:
    inputs = case.values(seed)
    interpreter = _OnHost(module)
    torch.manual_seed(seed)
    with warnings.catch_warnings(), _memory_is_filled():
        warnings.simplefilter("ignore")
        result = interpreter.run(*inputs)
    outputs = list(result)
    places: dict[int, list[int]] = {}
    for i, value in enumerate([*inputs, *outputs]):
        if isinstance(value, torch.Tensor) and value.layout is torch.strided and value.numel():
            places.setdefault(value.untyped_storage().data_ptr(), []).append(i)
    count = len(inputs)
    shared = {(a, b) for group in places.values() for i, a in enumerate(group) for b in group[i + 1:] if b >= count}
    return Run(outputs, inputs, interpreter.seen, shared)


class Subject:
    """A case that runs in eager torch, ready to be rewritten by any number of rule sets."""

    def __init__(self, case: Case):
        self.case = case
        self.module = case.module()
        self.before = [run(self.module, case, seed) for seed in _SEEDS]
        if any("out" in c.kwargs for c in case.calls) and self._resized():
            raise ValueError("an operand of `out=` was resized, which torch is about to refuse")
        for node in self.module.graph.nodes:
            if node.op != "output":
                node.meta["val"] = self.before[0].seen[node.name]
        self.writes = any(writes(n) for n in self.module.graph.nodes) or any(
            value_differences("", old, new, 0.0) for old, new in zip(case.values(_SEEDS[0]), self.before[0].inputs))
        self.random = any(_is_random(n) for n in self.module.graph.nodes)

    def _resized(self) -> bool:
        run_, copied = self.before[0], [s for s in self.case.inputs.values() if s.copied]
        of_copies = run_.outputs[len(run_.outputs) - len(copied):]
        return (any(tuple(t.shape) != s.shape for t, s in zip(run_.inputs, self.case.inputs.values()))
                or any(tuple(t.shape[1:]) != s.shape for t, s in zip(of_copies, copied)))

    def rewritten(self, rules: RuleSet, rule: str) -> tuple[GraphModule, Report]:
        module = _fresh(self.module)
        report = rewrite(module, rules, {"only": [rule], "disable": [], "max_rewrites": None,
                                         "mutated_inputs": "copy_back", "mutated_attributes": "copy_back", "dce": False,
                                         "near_misses": False}, nested=False)
        return module, report


def _fresh(module: GraphModule) -> GraphModule:
    graph = torch.fx.Graph()
    mapping: dict[Node, Node] = {}
    graph.output(graph.graph_copy(module.graph, mapping))
    return GraphModule(torch.nn.Module(), graph)


def _is_random(node: Node) -> bool:
    tags = getattr(node.target, "tags", None)
    if tags is not None:
        return torch.Tag.nondeterministic_seeded in tags
    name = node.target if isinstance(node.target, str) else getattr(node.target, "__name__", "")
    from fxrules.verification.ops import callees

    return any(c.random for c in callees("implicit", name)) or name.endswith("dropout")


@dataclass(frozen=True)
class Outcome:
    """`what` is "silent", "noted", "same", "differs", "error" (the rules refuse) or "broken" (they do not end)."""

    what: str
    text: str = ""
    graph: str = ""  # the result, where the rule applied


def try_rule(subject: Subject, rules: RuleSet, rule: str) -> Outcome:
    try:
        module, report = subject.rewritten(rules, rule)
    except Error as error:
        kinds = {d["kind"] for d in error.diagnostics if d["severity"] == "error"}
        return Outcome("broken" if kinds & {"cycle", "rewrite-limit"} else "error", str(error))
    if not report.rewrites:
        return Outcome("noted" if report.notes else "silent")
    try:
        after = [run(module, subject.case, seed) for seed in _SEEDS]
    except Exception as error:
        return Outcome("differs", _shown(subject, module, [f"the result raises {type(error).__name__}: {error}"]))
    as_made = not subject.writes and not any(writes(n) for n in module.graph.nodes)
    for old, new in zip(subject.before, after):
        found = _differences(subject, report, old, new, as_made)
        if found:
            return Outcome("differs", _shown(subject, module, found))
    return Outcome("same", graph=str(module.graph))


def _differences(subject: Subject, report: Report, old: Run, new: Run, as_made: bool) -> list[str]:
    found: list[str] = []
    compare = _alike if subject.random else _equal
    strict = not subject.writes
    for i, (a, b) in enumerate(zip(old.outputs, new.outputs)):
        found += compare(f"output {i}", a, b, strides=False)
    for name, a, b in zip(subject.case.inputs, old.inputs, new.inputs):
        found += compare(f"`{name}` afterwards", a, b, strides=False)
    # What took a root's place, as it was made. What a write returns is the operand, and what a new write is about
    # changes behind that: outputs tell.
    for application in report.applications if as_made else ():
        if application.root in old.seen and application.result in new.seen:
            found += compare(f"`{application.root}`", old.seen[application.root], new.seen[application.result], strict)
    found += [f"{_place(subject, a)} and {_place(subject, b)} newly share storage" for a, b in new.shared - old.shared]
    if strict:
        found += [f"{_place(subject, a)} and {_place(subject, b)} no longer share storage"
                  for a, b in old.shared - new.shared]
    return found


def _place(subject: Subject, i: int) -> str:
    names = list(subject.case.inputs)
    return f"`{names[i]}`" if i < len(names) else f"output {i - len(names)}"


def _equal(what: str, old: Any, new: Any, strides: bool) -> list[str]:
    if isinstance(old, (tuple, list)) and isinstance(new, (tuple, list)):
        if len(old) != len(new):
            return [f"{what} was {len(old)} values, is {len(new)}"]
        return [d for i, (a, b) in enumerate(zip(old, new)) for d in _equal(f"{what}[{i}]", a, b, strides)]
    return value_differences(what, old, new, TOLERANCE, strides)


def _alike(what: str, old: Any, new: Any, strides: bool) -> list[str]:
    """Of random values the kind, and of many of them the distribution (two samples, Kolmogorov and Smirnov)."""
    if not isinstance(old, torch.Tensor) or not isinstance(new, torch.Tensor):
        return []
    for fact in ("dtype", "shape"):
        if getattr(old, fact) != getattr(new, fact):
            return [f"{what}: {fact} was {getattr(old, fact)}, is {getattr(new, fact)}"]
    if old.numel() < _MANY or old.is_complex():
        return []
    a, b = old.double().flatten().sort().values, new.double().flatten().sort().values
    points = torch.cat([a, b])
    distance = (torch.searchsorted(a, points, right=True) - torch.searchsorted(b, points, right=True)).abs().max()
    if distance > 0.06 * len(a):
        return [f"{what}: another distribution: mean {a.mean():.3g}, deviation {a.std():.3g} was, "
                f"mean {b.mean():.3g}, deviation {b.std():.3g} is"]
    return []


def _shown(subject: Subject, module: GraphModule, found: list[str]) -> str:
    after = "\n".join("  " + line for line in str(module.graph).splitlines()[1:] if line.strip())
    return f"{subject.case}\nbecame\n{after}\n" + "\n".join(dict.fromkeys(found))


def subject_of(case: Case) -> Optional[Subject]:
    """None where eager torch refuses the calls."""
    for watching in (case, _items_of(case), replace(case, watched=[])):
        try:
            return Subject(watching)
        except Exception:  # or calls that give lists, or nothing
            continue
    return None


def _items_of(case: Case) -> Case:
    items = [Call(f"item_of_{name}", "call_function", GETITEM, (Ref(name), 0)) for name in case.watched]
    return replace(case, calls=[*case.calls, *items], watched=[c.name for c in items])
