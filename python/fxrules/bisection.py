"""Finds the one application of a rule that changes what a module computes."""

from __future__ import annotations

import copy
from dataclasses import dataclass
from typing import Any, Optional, Sequence

from fxrules.live import apply
from fxrules.report import Application
from fxrules.rules import Parameter, Rules, rule_set


@dataclass(frozen=True)
class Culprit:
    """Application number `index` (from 0) is the first after which the results differ, and `difference` says how."""

    index: int
    application: Application
    difference: str
    runs: int

    def __str__(self) -> str:
        a = self.application
        made = f", made {', '.join(a.created)}" if a.created else ""
        return (f"application {self.index + 1} changes the result: rule {a.rule} at {a.root}, {a.root} -> {a.result}"
                f"{made}\n{self.difference}\n({self.runs} runs)")


def bisect(gm: Any, rules: Rules, inputs: Sequence[Any], *, tolerance: float = 0.0, seed: int = 0,
           **params: Parameter) -> Optional[Culprit]:
    """Runs `gm` as it is and after the first n rewrites, and finds the n by bisection: O(log rewrites) runs. None where
    all rewrites together change nothing. `gm` and `inputs` stay as they are.

    Compared are outputs (values, dtypes, shapes, strides), what the inputs hold afterwards, and what shares storage;
    `tolerance` is relative, for rules that may round otherwise. Where the written inputs go is left to `copy_back`.
    """
    from fxrules.observation import differences, observe

    compiled = rule_set(rules, params)
    runs = 0

    def changed_after(count: Optional[int]) -> tuple[list[str], list[Application]]:
        nonlocal runs
        runs += 1
        trial = copy.deepcopy(gm)
        report = apply(trial, compiled, max_rewrites=count, mutated_inputs="copy_back", nested=False)
        try:
            return differences(before, observe(trial, inputs, seed), tolerance), report.applications
        except Exception as error:  # the rewritten module does not run at all
            return [f"it raises {type(error).__name__}: {error}"], report.applications

    before = observe(gm, inputs, seed)
    found, applications = changed_after(None)
    if not found:
        return None
    good, bad = 0, len(applications)  # after `bad` rewrites the result differs
    while bad - good > 1:
        middle = (good + bad) // 2
        now, _ = changed_after(middle)
        if now:
            bad, found = middle, now
        else:
            good = middle
    return Culprit(bad - 1, applications[bad - 1], "\n".join(found), runs)
