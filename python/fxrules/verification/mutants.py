"""Rules with one mistake each: what verification must catch to be worth anything."""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import Any, Iterator, Optional

from fxrules.rules import data_folder
from fxrules.verification.patterns import Term

@functools.lru_cache(maxsize=None)
def commutative_names() -> frozenset[str]:
    """Ops whose first two operands may be exchanged, as the catalogue says: to do so is no mistake."""
    overlay = (data_folder() / "catalogue" / "overlay.ops").read_text(encoding="utf-8")
    lines = [line for line in overlay.splitlines() if "commutative" in line.partition("|")[2]]
    return frozenset(word.split("::")[1].split(".")[0] for line in lines for word in line.partition("|")[0].split()
                     if "::" in word)


_CASTS = ("to", "alike", "cast", "type_as", "_to_copy")
_BROADCASTS = ("expand_as", "expand", "broadcast_to", "fit")


@dataclass(frozen=True)
class Mutant:
    rule: int  # its number in the file
    mistake: str
    text: str  # of the whole file
    change: str  # `before` -> `after`


def mutants(tree: dict[str, Any], text: str) -> Iterator[Mutant]:
    source = text.encode()

    def edit(number: int, mistake: str, begin: int, end: int, new: str) -> Mutant:
        old = source[begin:end].decode()
        changed = (source[:begin] + new.encode() + source[end:]).decode()
        return Mutant(number, mistake, changed, f"`{' '.join(old.split())}` -> `{new}`")

    for number, rule in enumerate(tree["rules"]):
        for alternative in rule["alternatives"]:
            if alternative["kind"] in ("error", "note"):
                continue  # says something and changes nothing
            if alternative["guard"] is not None:
                guard = Term(tree, alternative["guard"])
                yield edit(number, "a guard dropped", guard.begin, guard.end, "1 == 1")
                for part in _conjuncts(guard):
                    yield edit(number, "a guard dropped", part.begin, part.end, "1 == 1")
            roots = [alternative["term"], *(value for _, value in alternative["bindings"])]
            for root in roots:
                for term in _walk(Term(tree, root)) if root is not None else ():
                    yield from _of_term(term, number, source, edit)
        for _, root in rule["roots"]:
            for term in _walk(Term(tree, root)):
                if term.kind in ("integer", "boolean", "floating"):
                    yield edit(number, "a constant changed", term.begin, term.end, _other(term))


def _of_term(term: Term, number: int, source: bytes, edit: Any) -> Iterator[Mutant]:
    if term.kind in ("integer", "boolean", "floating"):
        yield edit(number, "a constant changed", term.begin, term.end, _other(term))
    if term.kind != "call":
        return
    inner = [c.child if c.kind == "argument" and not c.text else c for c in term.children]
    positional = [c for c in inner if c.kind not in ("argument", "rest")]
    spans = [(c.begin, c.end) for c in positional]
    name = term.callee["text"]
    if len(spans) >= 2:
        (a, b), (c, d) = spans[:2]
        first, between, second = source[a:b].decode(), source[b:c].decode(), source[c:d].decode()
        if first != second and name not in commutative_names():
            yield edit(number, "operands swapped", a, d, second + between + first)
    if name in _CASTS and positional:
        yield edit(number, "a cast removed", term.begin, term.end, source[spans[0][0]:spans[0][1]].decode())
    if name in _BROADCASTS and positional:
        yield edit(number, "a broadcast forgotten", term.begin, term.end, source[spans[0][0]:spans[0][1]].decode())


def _walk(term: Term) -> Iterator[Term]:
    waiting: list[Optional[Term]] = [term]
    while waiting:
        next_term = waiting.pop()
        if next_term is None:
            continue
        yield next_term
        waiting += reversed(next_term.children)


def _conjuncts(guard: Term) -> list[Term]:
    if guard.kind != "binary" or guard.text != "and":
        return []
    found: list[Term] = []
    waiting = [guard]
    while waiting:
        term = waiting.pop()
        if term.kind == "binary" and term.text == "and":
            waiting += [c for c in reversed(term.children) if c is not None]
        else:
            found.append(term)
    return found


def _other(term: Term) -> str:
    if term.kind == "boolean":
        return "False" if term.text == "True" else "True"
    if term.kind == "floating":
        return f"{float(term.text) + 0.5}"
    return str(int(term.text, 0) + 1)
