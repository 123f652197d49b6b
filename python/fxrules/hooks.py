"""What the extension module asks about torch."""

from __future__ import annotations

import functools
import importlib
from typing import Any

EDGE = "executorch.exir.dialects.edge._ops."


@functools.lru_cache(maxsize=None)
def hooks() -> dict[str, Any]:
    import sympy
    import torch
    from torch.fx.node import Node

    def target_text(target: Any) -> str:
        if isinstance(target, torch._ops.HigherOrderOperator):
            return f"torch.ops.higher_order.{target.name()}"
        try:
            return Node._pretty_print_target(target)
        except Exception:  # a callable without a name, which no rule can mean
            return repr(target)

    def size_text(size: Any) -> str:
        node = getattr(size, "node", None)
        return str(node.expr if node is not None else size)

    return {
        "tensor": torch.Tensor,
        "symbolic_ints": (torch.SymInt, sympy.Expr),
        "dtype": torch.dtype,
        "device": torch.device,
        "layout": torch.layout,
        "memory_format": torch.memory_format,
        "op": torch._ops.OpOverload,
        "target_text": target_text,
        "size_text": size_text,
        "other_text": repr,
        "type_text": lambda annotation: getattr(annotation, "__name__", None) or str(annotation),
    }


def resolve_target(text: str) -> Any:
    """The callable that FX prints as `text`; LookupError when there is none."""
    if text.startswith(EDGE):
        from executorch.exir.dialects._ops import ops

        return _walk(ops.edge, text.removeprefix(EDGE).split("."), text)
    parts = text.split(".")
    if len(parts) == 1:
        parts = ["builtins", text]
    for count in range(len(parts) - 1, 0, -1):
        try:
            module = importlib.import_module(".".join(parts[:count]))
        except ImportError:
            continue
        return _walk(module, parts[count:], text)
    raise LookupError(f"`{text}` is no function that can be imported")


def _walk(where: Any, parts: list[str], text: str) -> Any:
    for part in parts:
        try:
            where = getattr(where, part)
        except AttributeError:
            raise LookupError(f"`{text}` is no function that can be imported") from None
    return where


def literal(kind: str, text: str) -> Any:
    """The argument that a rule wrote, of the kinds that are no plain Python value."""
    import torch

    if kind in ("dtype", "layout", "memory_format"):
        return getattr(torch, text.removeprefix("torch."))
    if kind in ("device", "bare"):
        return torch.device(text)
    if kind == "complex":
        return complex(text)
    if kind == "op":
        return resolve_target("torch.ops." + text.removeprefix("torch.ops."))
    if kind == "opaque" and text.lstrip("-").isdigit():
        return int(text)
    raise LookupError(f"a rule gave the argument `{text}`, of which only the text is known")
