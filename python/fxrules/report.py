"""What a run did."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Optional


@dataclass(frozen=True)
class RuleCount:
    name: str
    phase: str
    rewrites: int
    guard_false: int
    guard_unknown: int
    refused: int
    kind_failed: int
    literal_failed: int
    repeated_failed: int


@dataclass(frozen=True)
class Application:
    """One rewrite; nodes by name. `created` are the names that the nodes have in the graph."""

    rule: str
    root: str
    matched: tuple[str, ...]
    created: tuple[str, ...]
    result: str


@dataclass(frozen=True)
class Note:
    rule: str
    node: str
    text: str


@dataclass(frozen=True)
class MutatedInput:
    """An input whose writes went: `value` holds what the caller would find in it."""

    input: str
    value: str
    output: Optional[int]
    appended: bool
    copied_back: bool


@dataclass
class Report:
    """`stop` is "converged" or "limit". `nested` has a report for each graph inside, by its path."""

    stop: str
    changed: bool
    rewrites: int
    nodes_before: int
    nodes_after: int
    rules: list[RuleCount]
    applications: list[Application]
    notes: list[Note]
    mutated_inputs: list[MutatedInput]
    unknown_targets: list[str]
    diagnostics: list[dict[str, Any]]
    nested: dict[str, "Report"] = field(default_factory=dict)

    def __bool__(self) -> bool:
        return self.changed or any(self.nested.values())

    def __str__(self) -> str:
        lines = [f"{self.rewrites} rewrites, {self.nodes_before} -> {self.nodes_after} nodes"]
        lines += [f"  {r.rewrites} x {r.name}" for r in self.rules if r.rewrites]
        lines += [f"  note: {n.rule} at {n.node}: {n.text}" for n in self.notes]
        for path, report in self.nested.items():
            lines += [f"{path}: {report}"]
        return "\n".join(lines)


def report_of(plain: dict[str, Any]) -> Report:
    names = [r["name"] for r in plain["rules"]]
    return Report(
        stop=plain["stop"],
        changed=plain["changed"],
        rewrites=plain["rewrites"],
        nodes_before=plain["nodes_before"],
        nodes_after=plain["nodes_after"],
        rules=[RuleCount(**r) for r in plain["rules"]],
        applications=[Application(names[rule], root, tuple(matched), tuple(created), result)
                      for rule, root, matched, created, result in plain["applications"]],
        notes=[Note(names[rule], node, text) for rule, node, text in plain["notes"]],
        mutated_inputs=[MutatedInput(*m) for m in plain["mutated_inputs"]],
        unknown_targets=plain["unknown_targets"],
        diagnostics=plain["diagnostics"],
    )
