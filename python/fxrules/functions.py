"""Functions of guards and helpers that are written in Python.

    @fxrules.function
    def even(n): return n % 2 == 0

    rules = fxrules.RuleSet.from_string("relu(x) => x if even(shape(x)[0])")

A function gets what guards compute with: numbers, strings, None, torch.dtype, torch.device, lists, tuples, an
fx.Node for a value of the graph (its name, a str, for one that a rule has just made), a SymbolicSize. What is
unknown to the rules is `fxrules.functions.unknown`, and so is what a function returns as such or as NotImplemented.
"""

from __future__ import annotations

import inspect
from typing import Any, Callable, Mapping, Optional, overload

_KINDS = ("unknown", "none", "boolean", "integer", "floating", "string", "dtype", "device", "symbolic", "node", "list",
          "tuple")
_NUMBER = {name: number for number, name in enumerate(_KINDS)}
_MOST = 255  # "any number" of arguments

registered: dict[str, Callable[..., Any]] = {}
unknown = NotImplemented


class SymbolicSize(str):
    """A size that is an expression over symbols, as torch prints it."""


@overload
def function(f: Callable[..., Any]) -> Callable[..., Any]: ...
@overload
def function(*, name: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]: ...
def function(f: Optional[Callable[..., Any]] = None, *, name: str = "") -> Any:
    """Registers a function for all rule sets that are loaded from here on."""
    if f is None:
        return lambda g: function(g) if not name else _register(name, g)
    return _register(f.__name__, f)


def _register(name: str, f: Callable[..., Any]) -> Callable[..., Any]:
    _arity(f)
    registered[name] = f
    return f


def _arity(f: Callable[..., Any]) -> tuple[int, int]:
    least = most = 0
    for parameter in inspect.signature(f).parameters.values():
        if parameter.kind is parameter.VAR_POSITIONAL:
            most = _MOST
        elif parameter.kind in (parameter.POSITIONAL_ONLY, parameter.POSITIONAL_OR_KEYWORD):
            most += 1
            least += parameter.default is parameter.empty
        elif parameter.kind is parameter.KEYWORD_ONLY and parameter.default is parameter.empty:
            raise TypeError(f"{f.__name__}: rules pass arguments by position; `{parameter.name}` takes none")
    return least, min(most, _MOST)


def plain(functions: Mapping[str, Callable[..., Any]]) -> dict[str, tuple[int, int, Callable[[list[Any]], Any]]]:
    """As the binding takes them: arities, and callables over pairs (kind, payload)."""
    return {name: (*_arity(f), _over_pairs(f)) for name, f in functions.items()}


def _over_pairs(f: Callable[..., Any]) -> Callable[[list[Any]], Any]:
    return lambda pairs: _to_pair(f(*map(_from_pair, pairs)))


def _from_pair(pair: tuple[int, Any]) -> Any:
    kind, payload = _KINDS[pair[0]], pair[1]
    if kind == "unknown":
        return unknown
    if kind in ("dtype", "device"):
        import torch

        return getattr(torch, payload.removeprefix("torch.")) if kind == "dtype" else torch.device(payload)
    if kind == "symbolic":
        return SymbolicSize(payload)
    if kind == "list":
        return [_from_pair(item) for item in payload]
    if kind == "tuple":
        return tuple(_from_pair(item) for item in payload)
    return payload


def _to_pair(value: Any) -> tuple[int, Any]:
    if value is unknown:
        return _NUMBER["unknown"], None
    if value is None:
        return _NUMBER["none"], None
    if isinstance(value, bool):
        return _NUMBER["boolean"], value
    if isinstance(value, int):
        return _NUMBER["integer"], value
    if isinstance(value, float):
        return _NUMBER["floating"], value
    if isinstance(value, SymbolicSize):
        return _NUMBER["symbolic"], str(value)
    if isinstance(value, str):
        return _NUMBER["string"], value
    if isinstance(value, (list, tuple)):
        return _NUMBER["list" if isinstance(value, list) else "tuple"], [_to_pair(item) for item in value]
    import torch

    if isinstance(value, torch.dtype):
        return _NUMBER["dtype"], str(value)
    if isinstance(value, torch.device):
        return _NUMBER["device"], str(value)
    if isinstance(value, torch.fx.Node):
        return _NUMBER["node"], value.name
    raise TypeError(f"a function of rules returned {value!r}; rules have no value like that")
