"""Ops that PyTorch knows and the shipped catalogue does not."""

from __future__ import annotations

import functools
import sys
from pathlib import Path

_FACTS = {"pointwise": "pointwise", "core": "core", "nondeterministic_seeded": "random", "inplace_view": "inplace_view"}


@functools.lru_cache(maxsize=None)
def _shipped_spaces(catalogue: Path) -> frozenset[str]:
    spaces = set()
    for name in ("torch.ops", "overlay.ops"):
        with open(catalogue / name, encoding="utf-8") as lines:
            spaces.update(line.split("::", 1)[0] for line in lines if "::" in line and not line.startswith("#"))
    return frozenset(spaces)


NAME = "registered ops"
_refused: set[str] = set()  # lines that the catalogue does not read: types that no rule can say anything of


def refuse(text: str, numbers: list[int]) -> None:
    """These lines of a text of `registered_ops` are left out from here on."""
    lines = text.splitlines(keepends=True)
    _refused.update(lines[number - 1] for number in numbers)


def registered_ops(data: Path) -> str:
    """Catalogue lines for the ops of name spaces that the shipped catalogue does not have; empty without torch."""
    torch = sys.modules.get("torch")
    if torch is None or not hasattr(torch, "_C"):
        return ""
    shipped = _shipped_spaces(data / "catalogue")
    lines = []
    for schema in torch._C._jit_get_all_schemas():
        space = schema.name.split("::", 1)[0]
        if space not in shipped and space != "prim" and "::" in schema.name:
            lines.append(_line(torch, schema))
    return "".join(sorted(set(lines) - _refused))


def _line(torch, schema) -> str:
    space, name = schema.name.split("::", 1)
    packet = getattr(getattr(torch.ops, space), name, None)
    overload = getattr(packet, schema.overload_name or "default", None)
    tags = getattr(overload, "tags", ())
    facts = [fact for tag, fact in _FACTS.items() if any(str(t).endswith("." + tag) for t in tags)]
    return str(schema) + (" | " + " ".join(facts) if facts else "") + "\n"
