"""Cases from the `test` blocks beside rules: their `before` graphs, with inputs as their types say."""

from __future__ import annotations

import re
from typing import Any, Iterator, Optional

import torch

from fxrules.verification import ops
from fxrules.verification.cases import GETITEM, Call, Case, Ref, Tensor
from fxrules.verification.patterns import Term, Unfit, literal

_TYPE = re.compile(r"(\w+)\[([^\]]*)\](?:\s+strides=\(([^)]*)\))?")
_DTYPES = {"f32": torch.float32, "f64": torch.float64, "f16": torch.float16, "bf16": torch.bfloat16, "i64": torch.int64,
           "i32": torch.int32, "i16": torch.int16, "i8": torch.int8, "u8": torch.uint8, "b8": torch.bool,
           "bool": torch.bool, "c64": torch.complex64}


def cases_of_tests(tree: dict[str, Any]) -> Iterator[Case]:
    for test in tree["tests"]:
        if test["before"] is None or len(test["graphs"]) > 2:  # no graph, or nested ones
            continue
        try:
            yield _Reader(tree).case(test["graphs"][test["before"]][1])
        except (Unfit, KeyError, LookupError):
            continue


class _Reader:
    def __init__(self, tree: dict[str, Any]):
        self.tree = tree
        self.inputs: dict[str, Tensor] = {}
        self.calls: list[Call] = []
        self.names: set[str] = set()

    def case(self, statements: list[Any]) -> Case:
        watched: list[str] = []
        for kind, name, value, meta, _ in statements:
            if kind in ("placeholder", "buffer"):
                self.inputs[name] = _spec(meta)
                self.names.add(name)
            elif kind == "node":
                self.value(Term(self.tree, value), name)
            elif kind == "return":
                returned = self.value(Term(self.tree, value))
                for item in returned if isinstance(returned, (tuple, list)) else [returned]:
                    if isinstance(item, Ref):
                        watched.append(item.name)
            else:
                raise Unfit(kind)
        watched = [w for w in dict.fromkeys(watched)]
        return Case(self.inputs, self.calls, watched, frozenset())

    def value(self, term: Term, name: str = "") -> Any:
        if term.kind == "name":
            if term.text not in self.names:
                raise Unfit(term.text)
            return Ref(term.text)
        if term.kind == "list":
            return [self.value(c) for c in term.children]
        if term.kind == "tuple":
            return tuple(self.value(c) for c in term.children)
        if term.kind == "slice":
            return slice(*(None if c is None else self.value(c) for c in term.children))
        if term.kind == "index":
            base, at = (self.value(c) for c in term.children)
            return self.add("call_function", GETITEM, (base, at), {}, name)
        if term.kind == "call" and term.callee["text"] != "torch.device":
            return self.call(term, name)
        return literal(term)

    def call(self, term: Term, name: str) -> Ref:
        args, kwargs = [], {}
        for child in term.children:
            value = self.value(child.child if child.kind == "argument" else child)
            if child.kind == "argument" and child.text:
                kwargs[child.text] = value
            else:
                args.append(value)
        text, kind = term.callee["text"], term.callee["kind"]
        receiver = text.split(".")[0]
        if kind == "dotted" and receiver in self.names and text.count(".") == 1:
            return self.add("call_method", text.split(".")[1], (Ref(receiver), *args), kwargs, name)
        found = ops.callees(kind, text)
        if not found:
            raise Unfit(text)
        # As rules' tests do: the torch function, the method, the operator, the overload.
        order = sorted(found, key=lambda c: (isinstance(c.target, torch._ops.OpOverload), c.op == "call_method"))
        return self.add(order[0].op, order[0].target, tuple(args), kwargs, name)

    def add(self, op: str, target: Any, args: tuple[Any, ...], kwargs: dict[str, Any], name: str) -> Ref:
        name = name or f"t{len(self.calls)}"
        self.names.add(name)
        self.calls.append(Call(name, op, target, args, kwargs))
        return Ref(name)


def _spec(meta: str) -> Tensor:
    match = _TYPE.match(meta.strip())
    if match is None:
        raise Unfit(meta)
    dtype, sizes, strides = match.groups()
    shape = tuple(int(s) if s.strip().isdigit() else 3 for s in sizes.split(",") if s.strip())
    layout = "contiguous"
    if strides and not _row_major(shape, strides):
        layout = "gaps"
    integral = not _DTYPES[dtype].is_floating_point
    return Tensor(_DTYPES[dtype], shape, layout, "indices" if integral and _DTYPES[dtype] is torch.int64 else "mixed")


def _row_major(shape: tuple[int, ...], strides: str) -> Optional[bool]:
    step, wanted = 1, []
    for size in reversed(shape):
        wanted.insert(0, step)
        step *= max(size, 1)
    given = [int(s) for s in strides.split(",") if s.strip().lstrip("-").isdigit()]
    return given == wanted
