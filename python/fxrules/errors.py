"""What goes wrong, with the places that the command line draws."""

from __future__ import annotations

from typing import Any, Sequence


class Error(Exception):
    """Rules that do not load, or a run that failed. `diagnostics` has one dict a problem, with `kind`, `message`,
    `hint`, `file`, `line`, `column`, and `text`, the problem as it is drawn."""

    def __init__(self, diagnostics: Sequence[dict[str, Any]], summary: str = ""):
        self.diagnostics = list(diagnostics)
        drawn = [d["text"].rstrip("\n") for d in self.diagnostics if d["severity"] == "error"]
        super().__init__("\n".join(drawn) or summary)


def problem(kind: str, message: str, hint: str = "") -> dict[str, Any]:
    """A diagnostic without a place."""
    text = f"error: {message} [{kind}]\n" + (f"hint: {hint}\n" if hint else "")
    return {"severity": "error", "kind": kind, "message": message, "hint": hint, "file": "", "line": 0, "column": 0,
            "text": text}
