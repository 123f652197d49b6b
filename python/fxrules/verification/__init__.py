"""Checks rules against eager PyTorch: makes inputs that satisfy a rule's pattern and guards, runs both sides and
compares values, dtypes, shapes, strides, aliasing and mutation.

    >>> print(fxrules.verify("my.rules"))
"""

from __future__ import annotations

import random
import zlib
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Callable, Iterable, Optional

from fxrules import _core
from fxrules.errors import Error
from fxrules.rules import Parameter, Rules, RuleSet, rule_set, rules_folder

__all__ = ["Finding", "MutantResult", "Verification", "mutate", "verify"]


@dataclass(frozen=True)
class Finding:
    """`verdict` is "same" (every application computed the same), "differs" (`text` is a counterexample), "speaks" (the
    rule's errors and notes appeared), "never" (no input was found to which it applies)."""

    rule: str
    verdict: str
    applications: int
    text: str = ""

    @property
    def ok(self) -> bool:
        return self.verdict in ("same", "speaks")


@dataclass
class Verification:
    findings: list[Finding] = field(default_factory=list)

    @property
    def ok(self) -> bool:
        return all(f.ok for f in self.findings)

    def __bool__(self) -> bool:
        return self.ok

    def __str__(self) -> str:
        lines = []
        for f in self.findings:
            lines.append(f"{'ok  ' if f.ok else 'FAIL'} {f.rule}: {f.verdict}, {f.applications} applications")
            if f.text and not f.ok:
                lines += ["     " + line for line in f.text.splitlines()]
        failed = sum(not f.ok for f in self.findings)
        lines.append(f"{len(self.findings) - failed} passed, {failed} failed")
        return "\n".join(lines)


class _File:
    """A rule file with its syntax and its pool of cases."""

    def __init__(self, rules: RuleSet, name: str, text: str):
        from fxrules.verification.patterns import Term

        self.name, self.text = name, text
        self.tree = _core.syntax(text, name)
        self.sets: dict[str, Any] = {n: Term(self.tree, v) for n, v in self.tree["sets"]}
        self.patterns: dict[str, list[Any]] = {}
        for pattern, parameters, body in self.tree["patterns"]:
            self.patterns.setdefault(pattern, []).append(([Term(self.tree, p) for p in parameters], Term(self.tree, body)))
        self.rules = [r for r in rules.rules if r.file == name]
        begins = {r["range"][0]: r for r in self.tree["rules"]}
        self.syntax = {r.name: begins.get(r.begin) for r in self.rules}
        self._shared: Optional[list[Any]] = None

    def shared(self) -> list[Any]:
        """Subjects from the tests beside the rules, which may be of use to any of them."""
        from fxrules.verification.blocks import cases_of_tests
        from fxrules.verification.trial import subject_of

        if self._shared is None:
            self._shared = [s for c in cases_of_tests(self.tree) if (s := subject_of(c)) is not None]
        return self._shared

    def generated(self, rule: str, rng: random.Random) -> Any:
        from fxrules.verification.patterns import Maker, Unfit
        from fxrules.verification.trial import subject_of

        syntax = self.syntax[rule]
        if syntax is None:
            return None
        try:
            case = Maker(self.tree, self.sets, self.patterns, rng).rule(syntax)
        except (Unfit, IndexError, KeyError, ValueError, TypeError):
            return None
        return subject_of(case)


def verify(rules: Rules, *, only: Iterable[str] = (), samples: int = 40, tries: int = 600, seed: int = 0,
           on_finding: Optional[Callable[[Finding], None]] = None, **params: Parameter) -> Verification:
    """A finding for each rule of the files that were named. For each, up to `tries` inputs are made, until the rule has
    applied to `samples` of them. The same seed makes the same inputs."""
    loaded = rule_set(rules, params)
    wanted = set(only)
    result = Verification()
    for file in _files(loaded):
        for rule in file.rules:
            if wanted and rule.name not in wanted:
                continue
            finding = _examine(file, loaded, rule.name, samples, tries, seed)
            result.findings.append(finding)
            if on_finding is not None:
                on_finding(finding)
    return result


def _files(loaded: RuleSet) -> list[_File]:
    sources = loaded.sources
    names = list(dict.fromkeys(r.file for r in loaded.rules))
    files = []
    for name, text in loaded._files:
        if text is None:
            path = next(p for p in (Path(name), rules_folder() / name, rules_folder() / f"{name}.rules") if p.is_file())
            text = sources.get(str(path)) or path.read_text(encoding="utf-8")
        if name in names:
            files.append(_File(loaded, name, text))
    return files


def _subjects(file: _File, rule: str, seed: int, tries: int, hits: list[Any]) -> Any:
    """Cases for the rule: those of tests, those from its pattern, and variations of these. `hits` is what the caller
    found to be near the rule."""
    from fxrules.verification.cases import varied
    from fxrules.verification.trial import subject_of

    rng = random.Random(zlib.crc32(f"{seed} {rule}".encode()))
    shared = file.shared()
    yield from shared
    for _ in range(tries):
        source = hits[-50:] if hits and rng.random() < 0.6 else shared if shared and rng.random() < 0.1 else None
        if source is None:
            subject = file.generated(rule, rng)
        else:
            case = rng.choice(source).case
            for _ in range(rng.choice((1, 1, 2))):
                case = varied(case, rng)
            subject = subject_of(case)
        if subject is not None:
            yield subject


def _examine(file: _File, loaded: RuleSet, rule: str, samples: int, tries: int, seed: int) -> Finding:
    from fxrules.verification.trial import try_rule

    applied = spoken = 0
    hits: list[Any] = []
    for subject in _subjects(file, rule, seed, tries, hits):
        outcome = try_rule(subject, loaded, rule)
        if outcome.what in ("differs", "broken"):
            return Finding(rule, "differs", applied + 1, outcome.text)
        if outcome.what != "silent":
            hits.append(subject)
        applied += outcome.what == "same"
        spoken += outcome.what in ("error", "noted")
        if applied >= samples:
            break
    if applied:
        return Finding(rule, "same", applied)
    if spoken:
        return Finding(rule, "speaks", spoken)
    return Finding(rule, "never", 0, "no input was found to which it applies")


# ---------------------------------------------------------------- mutants


@dataclass(frozen=True)
class MutantResult:
    rule: str
    mistake: str
    change: str
    caught: bool
    how: str


def mutate(rules: Rules, *, only: Iterable[str] = (), samples: int = 40, tries: int = 400, seed: int = 0,
           on_result: Optional[Callable[[MutantResult], None]] = None, **params: Parameter) -> list[MutantResult]:
    """Makes mistakes in the rules, one at a time, and says of each whether `verify` would catch it: the changed rule
    does not load, does not end, computes something else, or applies nowhere any more."""
    from fxrules.verification.mutants import mutants

    loaded = rule_set(rules, params)
    wanted = set(only)
    results = []
    for file in _files(loaded):
        rng_pool: dict[str, list[Any]] = {}
        for mutant in mutants(file.tree, file.text):
            begin = file.tree["rules"][mutant.rule]["range"][0]
            rule = next((r for r in file.rules if r.begin == begin), None)
            if rule is None or (wanted and rule.name not in wanted):
                continue
            if rule.name not in rng_pool:
                rng_pool[rule.name] = _pool(file, loaded, rule.name, samples, tries, seed)
            caught, how = _caught(file, loaded, mutant.text, rule.name, rng_pool[rule.name], params)
            results.append(MutantResult(rule.name, mutant.mistake, mutant.change, caught, how))
            if on_result is not None:
                on_result(results[-1])
    return results


def _pool(file: _File, loaded: RuleSet, rule: str, samples: int, tries: int, seed: int) -> list[Any]:
    """Subjects near the rule: those to which it applies, and variations of them to which it does not."""
    from fxrules.verification.trial import try_rule

    pool: list[Any] = []
    hits: list[Any] = []
    same = 0
    for subject in _subjects(file, rule, seed, tries, hits):
        outcome = try_rule(subject, loaded, rule)
        if outcome.what != "silent":
            hits.append(subject)
        same += outcome.what == "same"
        pool.append((subject, outcome))
        if same >= samples and len(pool) >= 8 * samples:
            break
    return pool


def _caught(file: _File, loaded: RuleSet, text: str, rule: str, pool: list[Any], params: Any) -> tuple[bool, str]:
    from fxrules.verification.trial import try_rule

    try:
        changed = RuleSet.from_string(text, name=file.name, functions=loaded._functions, **params)
    except Error as error:
        return True, str(error).splitlines()[0]
    name = next((r.name for r in changed.rules if r.name == rule), None)
    if name is None:  # a rule without a label is called after its line
        return True, "its place changed"
    applied = changed_something = False
    for subject, before in pool:
        outcome = try_rule(subject, changed, name)
        if outcome.what in ("differs", "broken"):
            return True, outcome.text.splitlines()[-1]
        applied = applied or outcome.what == "same"
        changed_something = changed_something or (outcome.what, outcome.graph) != (before.what, before.graph)
    if not applied and any(before.what == "same" for _, before in pool):
        return True, "it applies nowhere any more"
    if not changed_something:
        return False, f"no effect on any of {len(pool)} inputs: what was changed follows from the rest, or the engine asks it"
    return False, "computes the same on every input that was tried"
