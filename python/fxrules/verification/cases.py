"""Small graphs with real inputs. A case is data, so that it can be varied and shown."""

from __future__ import annotations

import operator
import random
from dataclasses import dataclass, field, replace
from typing import Any, Optional

import torch
from torch.fx import Graph, GraphModule, Node


@dataclass(frozen=True)
class Ref:
    """The value of an input or call."""

    name: str


@dataclass(frozen=True)
class Tensor:
    """An input: `layout` is "contiguous", "reversed" (dimensions in memory backwards), "gaps" or "channels"; `values`
    "mixed", or "indices" for small non-negative numbers. With `copied`, the graph works on a copy of it."""

    dtype: torch.dtype
    shape: tuple[int, ...]
    layout: str = "contiguous"
    values: str = "mixed"
    copied: bool = False
    grad: bool = False

    def make(self, generator: torch.Generator) -> torch.Tensor:
        made = self._make(generator)
        return made.requires_grad_() if self.grad and made.is_floating_point() else made

    def _make(self, generator: torch.Generator) -> torch.Tensor:
        shape = self.shape
        if self.layout == "reversed":
            return self._fill(tuple(reversed(shape)), generator).permute(*reversed(range(len(shape))))
        if self.layout == "gaps" and shape:
            wide = self._fill((*shape[:-1], 2 * shape[-1]), generator)
            return wide[..., ::2]
        return self._fill(shape, generator)

    def _fill(self, shape: tuple[int, ...], generator: torch.Generator) -> torch.Tensor:
        if self.values == "indices":
            return torch.randint(0, 2, shape, generator=generator).to(self.dtype)
        if self.dtype is torch.bool:
            return torch.randint(0, 2, shape, generator=generator).bool()
        if self.dtype.is_floating_point or self.dtype.is_complex:
            return (torch.randn(shape, generator=generator) * 3).to(self.dtype)
        low, high = (0, 256) if self.dtype is torch.uint8 else (-128, 128) if self.dtype is torch.int8 else (-5, 7)
        return torch.randint(low, high, shape, generator=generator).to(self.dtype)

    def __str__(self) -> str:
        layout = "" if self.layout == "contiguous" else f" {self.layout}"
        return f"{str(self.dtype).removeprefix('torch.')}{list(self.shape)}{layout}"


@dataclass(frozen=True)
class Call:
    name: str
    op: str  # call_function or call_method
    target: Any
    args: tuple[Any, ...]
    kwargs: dict[str, Any] = field(default_factory=dict)


@dataclass
class Case:
    """`watched` are the calls whose values are returned; those of `direct` as they are, the others through a copy, so
    that a rule may put an input in their place."""

    inputs: dict[str, Tensor]
    calls: list[Call]
    watched: list[str]
    direct: frozenset[str] = frozenset()

    def values(self, seed: int) -> list[torch.Tensor]:
        generator = torch.Generator().manual_seed(seed)
        return [spec.make(generator) for spec in self.inputs.values()]

    def module(self) -> GraphModule:
        graph = Graph()
        made: dict[str, Node] = {name: graph.placeholder(name) for name in self.inputs}
        work = {name: graph.call_function(torch.clone, (made[name],)) if spec.copied else made[name]
                for name, spec in self.inputs.items()}

        def value(item: Any) -> Any:
            if isinstance(item, Ref):
                return work[item.name]
            if isinstance(item, (list, tuple)):
                return type(item)(map(value, item))
            if isinstance(item, slice):
                return slice(value(item.start), value(item.stop), value(item.step))
            return item

        for call in self.calls:
            kwargs = {k: value(v) for k, v in call.kwargs.items()}
            work[call.name] = graph.create_node(call.op, call.target, tuple(map(value, call.args)), kwargs, call.name)
        returned = []
        for name in self.watched:
            node = work[name]
            returned.append(node if name in self.direct else graph.call_function(torch.stack, ([node],)))
        returned += [graph.call_function(torch.stack, ([work[n]],)) for n, s in self.inputs.items() if s.copied]
        graph.output(tuple(returned))
        return GraphModule(torch.nn.Module(), graph)

    def __str__(self) -> str:
        lines = [f"  {name} = {spec}{' (a copy)' if spec.copied else ''}" for name, spec in self.inputs.items()]
        for c in self.calls:
            args = [_text(a) for a in c.args] + [f"{k}={_text(v)}" for k, v in c.kwargs.items()]
            lines.append(f"  {c.name} = {_target(c)}({', '.join(args)})")
        return "\n".join(lines)


def _text(item: Any) -> str:
    if isinstance(item, Ref):
        return item.name
    if isinstance(item, (list, tuple)):
        inner = ", ".join(map(_text, item))
        return f"[{inner}]" if isinstance(item, list) else f"({inner})"
    return repr(item)


def _target(call: Call) -> str:
    return "." + call.target if call.op == "call_method" else Node._pretty_print_target(call.target)


# ---------------------------------------------------------------- variations

DTYPES = (torch.float32, torch.float64, torch.float16, torch.int64, torch.int32, torch.uint8, torch.int8, torch.bool,
          torch.bfloat16)
LAYOUTS = ("contiguous", "reversed", "gaps")


def varied(case: Case, rng: random.Random) -> Case:
    """The same calls with another input, another literal, or other values returned."""
    inputs, calls = dict(case.inputs), list(case.calls)
    choice = rng.random()
    if inputs and choice < 0.6:
        name = rng.choice(list(inputs))
        spec = inputs[name]
        kind = rng.random()
        if kind < 0.4:
            spec = replace(spec, dtype=rng.choice(DTYPES))
        elif kind < 0.65:
            spec = replace(spec, layout=rng.choice(LAYOUTS))
        elif kind < 0.7:
            spec = replace(spec, grad=not spec.grad)
        elif kind < 0.75:
            spec = replace(spec, copied=not spec.copied)
        elif spec.shape:
            spec = replace(spec, shape=_other_shape(spec.shape, rng))
        inputs[name] = spec
    elif calls and choice < 0.95:
        at = rng.randrange(len(calls))
        call = calls[at]
        calls[at] = replace(call, args=tuple(_other_literal(a, rng) for a in call.args),
                            kwargs={k: _other_literal(v, rng) for k, v in call.kwargs.items()})
    direct = case.direct ^ {rng.choice(case.watched)} if rng.random() < 0.15 and case.watched else case.direct
    return Case(inputs, calls, case.watched, direct)


def _other_shape(shape: tuple[int, ...], rng: random.Random) -> tuple[int, ...]:
    at = rng.randrange(len(shape))
    kind = rng.random()
    if kind < 0.4:
        return (*shape[:at], 1, *shape[at + 1:])
    if kind < 0.6:
        return (*shape[:at], *shape[at + 1:])
    if kind < 0.8:
        return (*shape, rng.choice((1, 2, 3)))
    return (*shape[:at], rng.choice((1, 2, 3, 4)), *shape[at + 1:])


def _other_literal(item: Any, rng: random.Random) -> Any:
    if rng.random() < 0.4:
        return item
    if isinstance(item, bool):
        return not item
    if isinstance(item, int):
        return item + rng.choice((-2, -1, 1, 2))
    if isinstance(item, float):
        return rng.choice((0.0, 0.5, 1.0, 2.0, -1.5))
    if isinstance(item, torch.dtype):
        return rng.choice(DTYPES)
    if isinstance(item, (list, tuple)) and item:
        changed = list(item)
        at = rng.randrange(len(changed))
        changed[at] = _other_literal(changed[at], rng)
        return type(item)(changed)
    if isinstance(item, slice):
        return slice(*(_other_literal(part, rng) for part in (item.start, item.stop, item.step)))
    return item


GETITEM = operator.getitem
SETITEM = operator.setitem
Literal = Optional[Any]
