"""Which callables of torch a rule's name for an op can mean, with the schema that its arguments follow."""

from __future__ import annotations

import builtins
import functools
import importlib
import inspect
import operator
import random
from dataclasses import dataclass
from typing import Any, Iterator, Optional

import torch

from fxrules.hooks import resolve_target


@dataclass(frozen=True)
class Argument:
    name: str
    type: str  # as schemas write it
    required: bool
    keyword_only: bool
    default: Any = None


@dataclass(frozen=True)
class Callee:
    op: str
    target: Any
    arguments: Optional[tuple[Argument, ...]]  # None: not known
    random: bool = False


def _type(text: str) -> str:
    """As torch's C++ prints a type, in the notation of schemas: `int[]`, `Optional[int[]]`."""
    if text.startswith("Optional["):
        return f"Optional[{_type(text[len('Optional['):-1])}]"
    if text.startswith("List["):
        return _type(text[len("List["):-1]) + "[]"
    return "int" if text == "SymInt" else text


def _arguments(schema: Any) -> tuple[Argument, ...]:
    return tuple(Argument(a.name, _type(str(getattr(a, "real_type", a.type))),
                          not a.has_default_value(), a.kwarg_only, a.default_value if a.has_default_value() else None)
                 for a in schema.arguments)


@functools.lru_cache(maxsize=None)
def overloads(space: str, name: str) -> tuple[Any, ...]:
    if space == "quantized_decomposed":
        importlib.import_module("torch.ao.quantization.fx._decomposed")  # registers them

    packet = getattr(getattr(torch.ops, space), name, None)
    if packet is None or not hasattr(packet, "overloads"):
        return ()
    return tuple(getattr(packet, overload) for overload in packet.overloads())


def _is_random(overload: Any) -> bool:
    return torch.Tag.nondeterministic_seeded in overload.tags


@functools.lru_cache(maxsize=None)
def callees(kind: str, text: str) -> tuple[Callee, ...]:
    """All that a callee of a rule can mean; `kind` is `implicit`, `method` or `dotted`."""
    return tuple(_callees(kind, text))


def _callees(kind: str, text: str) -> Iterator[Callee]:
    if kind == "method":
        name = text.lstrip(".")
        yield from (Callee("call_method", name, _arguments(o._schema), _is_random(o)) for o in _of_method(name))
        return
    if kind == "dotted" and text.startswith("torch.") and not text.startswith("torch.ops."):
        target = resolve_target(text)
        found = overloads("aten", text.rsplit(".", 1)[-1])
        yield from (Callee("call_function", target, _arguments(o._schema), _is_random(o)) for o in found)
        if not found:
            yield Callee("call_function", target, _python_arguments(target))
        return
    if "." in text:
        parts = text.removeprefix("torch.ops.").split(".")
        found = overloads(parts[0], parts[1])
        for overload in found if len(parts) == 2 else [o for o in found if o._overloadname == parts[2]]:
            yield Callee("call_function", overload, _arguments(overload._schema), _is_random(overload))
        return
    if text in ("getitem", "setitem"):
        yield Callee("call_function", getattr(operator, text), None)
        return
    if text == "getattr":
        yield Callee("call_function", builtins.getattr, None)
        return
    for overload in overloads("aten", text):
        if not _has_out(overload):
            yield from _spellings(overload, text)
    function = getattr(torch.nn.functional, text, None)
    if inspect.isfunction(function) and not overloads("aten", text):
        yield Callee("call_function", function, _python_arguments(function))


def _of_method(name: str) -> list[Any]:
    return [o for o in overloads("aten", name) if not _has_out(o)] if hasattr(torch.Tensor, name) else []


def _has_out(overload: Any) -> bool:
    return any(a.is_out for a in overload._schema.arguments)


def _spellings(overload: Any, name: str) -> Iterator[Callee]:
    arguments, is_random = _arguments(overload._schema), _is_random(overload)
    yield Callee("call_function", overload, arguments, is_random)
    if hasattr(torch.Tensor, name) and arguments and arguments[0].name == "self" and arguments[0].type == "Tensor":
        yield Callee("call_method", name, arguments, is_random)
    function = getattr(torch, name, None)
    if callable(function) and not isinstance(function, type):
        yield Callee("call_function", function, arguments, is_random)


def _python_arguments(function: Any) -> Optional[tuple[Argument, ...]]:
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return None
    kinds = {"input": "Tensor", "tensor": "Tensor"}
    found = []
    for p in parameters:
        if p.kind in (p.VAR_POSITIONAL, p.VAR_KEYWORD):
            return None
        text = p.annotation if isinstance(p.annotation, str) else getattr(p.annotation, "__name__", "")
        found.append(Argument(p.name, {"Tensor": "Tensor", "bool": "bool", "float": "float", "int": "int"}.get(
            text, kinds.get(p.name, "any")), p.default is p.empty, p.kind is p.KEYWORD_ONLY,
            None if p.default is p.empty else p.default))
    return tuple(found)


# ---------------------------------------------------------------- names with holes, and any call


@functools.lru_cache(maxsize=None)
def _all_names() -> tuple[str, ...]:
    return tuple(sorted(n for n in {*dir(torch.ops.aten), *dir(torch.Tensor)} if overloads("aten", n)))


@functools.lru_cache(maxsize=None)
def in_place_names() -> tuple[str, ...]:
    """In-place forms of methods with an out-of-place twin, and the others."""
    return tuple(n for n in _all_names() if n.endswith("_") and not n.startswith("_") and hasattr(torch.Tensor, n))


@functools.lru_cache(maxsize=None)
def names_like(prefix: str, suffix: str) -> tuple[str, ...]:
    if prefix.startswith("_") or suffix not in ("", "_"):
        schemas = {s.name.split("::")[1] for s in torch._C._jit_get_all_schemas() if s.name.startswith("aten::")}
    else:
        schemas = set(_all_names())
    return tuple(sorted(n for n in schemas if n.startswith(prefix) and n.endswith(suffix)
                        and len(n) > len(prefix) + len(suffix)))


@functools.lru_cache(maxsize=None)
def with_arguments(*keywords: str) -> tuple[Callee, ...]:
    """Calls that have arguments of all these names."""
    found = []
    for schema in torch._C._jit_get_all_schemas():
        space, _, name = schema.name.partition("::")
        if space != "aten" or name.startswith("_") or not set(keywords) <= {a.name for a in schema.arguments}:
            continue
        if any(str(a.type) in ("Generator", "Storage", "Stream") for a in schema.arguments):
            continue
        overload = getattr(getattr(torch.ops.aten, name, None), schema.overload_name or "default", None)
        if overload is not None:
            function = getattr(torch, name, None)
            if function is not None:
                found.append(Callee("call_function", function, _arguments(overload._schema), _is_random(overload)))
            found.append(Callee("call_function", overload, _arguments(overload._schema), _is_random(overload)))
    for name, function in vars(torch.nn.functional).items():
        arguments = _python_arguments(function) if inspect.isfunction(function) else None
        if arguments and not name.startswith("_") and set(keywords) <= {a.name for a in arguments}:
            found.append(Callee("call_function", function, arguments, name.endswith("dropout")))
    return tuple(found)


@functools.lru_cache(maxsize=None)
def with_two_outs() -> tuple[Callee, ...]:
    """Functions that write two results into `out=(a, b)`."""
    found = []
    for name in _all_names():
        for overload in overloads("aten", name):
            outs = [a for a in overload._schema.arguments if a.is_out]
            function = getattr(torch, name, None)
            if len(outs) != 2 or function is None or "str" in map(str, (a.type for a in overload._schema.arguments)):
                continue
            given = tuple(a for a, s in zip(_arguments(overload._schema), overload._schema.arguments) if not s.is_out)
            found.append(Callee("call_function", function, (*given, Argument("out", "outs", True, True))))
    return tuple(found)


def pick(rng: random.Random, items: tuple[Any, ...]) -> Any:
    return items[rng.randrange(len(items))] if items else None
