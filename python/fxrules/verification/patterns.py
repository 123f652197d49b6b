"""Cases from patterns: a call for each op, an input for each tensor, a value for each other variable, as the schema of
the op that takes it asks. What does not run, or does not satisfy the guard, is thrown away later."""

from __future__ import annotations

import ast
import dataclasses
import random
from typing import Any, Optional

import torch

from fxrules.verification import ops
from fxrules.verification.cases import DTYPES, GETITEM, LAYOUTS, Call, Case, Ref, Tensor

_SHAPES = ((2, 3), (4,), (2, 1, 3), (3, 3), (), (1, 4), (2, 2), (6, 2))
_FLOATS = (0.5, 2.0, 1.0, 0.0, -1.5)


# What goes together where a schema has arguments of these names.
_QUANTISED = ({"quant_min": -128, "quant_max": 127, "dtype": torch.int8, "zero_point": 0, "scale": 0.5},
              {"quant_min": 0, "quant_max": 255, "dtype": torch.uint8, "zero_point": 3, "scale": 0.25},
              {"quant_min": -127, "quant_max": 127, "dtype": torch.int8, "zero_point": 0, "scale": 0.1},
              {"quant_min": -128, "quant_max": 127, "dtype": torch.int32, "zero_point": 0, "scale": 0.1})


class Unfit(Exception):
    """This choice leads nowhere; the next one may."""


class Term:
    """A node of the syntax tree."""

    def __init__(self, tree: dict[str, Any], number: int):
        self.tree = tree
        self.kind, self.text, self.annotation, self.begin, self.end, self._children, self.callee = tree["terms"][number]

    @property
    def children(self) -> list[Optional["Term"]]:
        return [None if c is None else Term(self.tree, c) for c in self._children]

    @property
    def child(self) -> "Term":
        return self.children[0]  # type: ignore[return-value]


def literal(term: Term) -> Any:
    kind, text = term.kind, term.text
    if kind == "none":
        return None
    if kind == "boolean":
        return text == "True"
    if kind in ("integer", "floating", "complex", "string"):
        return float(text) if text in ("inf", "nan") else ast.literal_eval(text)
    if kind == "constant":
        return getattr(torch, text.removeprefix("torch."), None)
    if kind == "ellipsis":
        return Ellipsis
    if kind == "unary" and term.text == "-":
        return -literal(term.child)
    if kind == "call" and term.callee["text"] == "torch.device":
        return torch.device(literal(term.child.child if term.child.kind == "argument" else term.child))
    raise Unfit(kind)


class Maker:
    """One case for a rule."""

    def __init__(self, tree: dict[str, Any], sets: dict[str, Term], patterns: dict[str, Any], rng: random.Random):
        self.tree, self.sets, self.patterns, self.rng = tree, sets, patterns, rng
        self.inputs: dict[str, Tensor] = {}
        self.calls: list[Call] = []
        self.bound: dict[str, Any] = {}
        self.shape = rng.choice(_SHAPES)
        self.dtype = rng.choice(DTYPES) if rng.random() < 0.5 else torch.float32
        self.quantised = rng.choice(_QUANTISED)

    def rule(self, rule: dict[str, Any]) -> Case:
        watched = []
        for name, root in rule["roots"]:
            value = self.pattern(Term(self.tree, root), None)
            if not isinstance(value, Ref):
                raise Unfit("a root is a call")
            if name:
                self.bound[name] = value
            watched.append(value.name)
        direct = frozenset(w for w in watched if self.rng.random() < 0.2)
        return Case(self.inputs, self.calls, watched, direct)

    # ---- patterns

    def pattern(self, term: Term, wanted: Optional[ops.Argument]) -> Any:
        if term.kind == "bind":
            value = self.pattern(term.child, wanted)
            self.bound[term.text] = value
            return value
        if term.kind == "name":
            if term.text not in self.bound:
                self.bound[term.text] = self.anything(term.annotation, wanted)
            return self.bound[term.text]
        if term.kind == "wildcard":
            return self.anything(term.annotation, wanted)
        if term.kind in ("list", "tuple"):
            return self.sequence(term, wanted)
        if term.kind == "slice":
            return slice(*(None if c is None else self.pattern(c, ops.Argument("", "int", True, False))
                           for c in term.children))
        if term.kind == "index":
            base, at = term.children
            return self.add("call_function", GETITEM, (self.pattern(base, None), self.pattern(at, None)), {})
        if term.kind == "call" and term.callee["text"] != "torch.device":
            return self.call(term)
        return literal(term)

    def sequence(self, term: Term, wanted: Optional[ops.Argument]) -> Any:
        inner = None
        if wanted is not None and wanted.type == "outs":  # values, and mostly indices
            dtypes = [self.dtype, torch.int64 if self.rng.random() < 0.8 else self.dtype]
            return tuple(self.pattern(c, ops.Argument("", "out tensor", True, False, d))
                         for c, d in zip(term.children, dtypes))
        if wanted is not None and wanted.type.endswith("[]"):
            inner = ops.Argument(wanted.name, wanted.type[:-2], True, False)
        items = []
        for child in term.children:
            if child.kind == "rest":
                extra = [self.anything("", inner) for _ in range(self.rng.randrange(3))]
                if child.text:
                    self.bound[child.text] = extra
                items += extra
            else:
                items.append(self.pattern(child, inner))
        return items if term.kind == "list" else tuple(items)

    def call(self, term: Term) -> Any:
        written = {}
        positional = []
        rest = False
        for child in term.children:
            inner = child.child if child.kind == "argument" else child
            if inner.kind == "rest":
                rest = True
            elif child.kind == "argument" and child.text:
                written[child.text] = inner
            else:
                positional.append(inner)
        if term.callee["kind"] == "implicit" and term.callee["text"] in self.patterns:
            return self.helper(term.callee["text"], positional)
        callee = self.choose(term.callee, len(positional), written)
        return self.arguments(callee, positional, written, rest)

    def helper(self, name: str, positional: list[Term]) -> Any:
        parameters, body = self.rng.choice(self.patterns[name])
        value = self.pattern(body, None)
        for parameter, term in zip(parameters, positional):
            if term.kind == "name" and parameter.kind == "name" and parameter.text in self.bound:
                self.bound[term.text] = self.bound[parameter.text]
        return value

    def choose(self, callee: dict[str, Any], count: int, written: dict[str, Term]) -> ops.Callee:
        kind, text = callee["kind"], callee["text"]
        if kind == "implicit" and text in self.sets:
            return self.choose(self.rng.choice(self.sets[text].children).callee, count, written)
        if kind == "set":
            return self.choose(self.rng.choice(callee["members"]), count, written)
        if kind == "any":
            found = ops.with_arguments(*written)
        elif kind == "holes":
            found = self.with_holes(callee["pieces"], written)
        else:
            found = ops.callees(kind, text)
        fitting = tuple(c for c in found if c.arguments is None or (len(c.arguments) >= count and
                        set(written) <= {_role(a.name) for a in c.arguments} | {a.name for a in c.arguments}))
        chosen = ops.pick(self.rng, fitting)
        if chosen is None:
            raise Unfit(text)
        if chosen.random and not self.inputs and self.rng.random() < 0.5:
            self.shape = (5000,)  # enough to tell distributions apart
        return chosen

    def with_holes(self, pieces: list[tuple[str, bool, str]], written: dict[str, Term]) -> tuple[ops.Callee, ...]:
        holes = [i for i, (_, hole, _) in enumerate(pieces) if hole]
        if len(holes) != 1:
            raise Unfit("several holes")
        if "out" in written:
            return ops.with_two_outs() if written["out"].kind == "tuple" else tuple(
                c for c in ops.with_arguments("out") if not isinstance(c.target, torch._ops.OpOverload))
        prefix = "".join(t for t, _, _ in pieces[:holes[0]])
        suffix = "".join(t for t, _, _ in pieces[holes[0] + 1:])
        if not prefix and suffix == "_":
            name = self.rng.choice(ops.in_place_names())
        else:
            name = ops.pick(self.rng, ops.names_like(prefix, suffix))
        if name is None:
            raise Unfit(prefix + suffix)
        return ops.callees("implicit", name)

    def arguments(self, callee: ops.Callee, positional: list[Term], written: dict[str, Term], rest: bool) -> Any:
        if callee.arguments is None:
            values = [self.pattern(t, None) for t in positional]
            kwargs = {k: self.pattern(t, None) for k, t in written.items()}
            return self.add(callee.op, callee.target, tuple(values), kwargs)
        rng = self.rng
        eager = rng.choice((0.1, 0.4, 0.7))  # to write what could be left out
        by_keyword = rng.random() < 0.25
        quantised = any(a.name == "quant_min" for a in callee.arguments)
        args: list[Any] = []
        kwargs: dict[str, Any] = {}
        left_out: list[Any] = []  # defaults, written after all when something follows by position
        for i, argument in enumerate(callee.arguments):
            keyword = next((k for k in (argument.name, _role(argument.name)) if k in written), None)
            wanted = self.of_quantised(callee, argument) if quantised else argument
            if i < len(positional) and not argument.keyword_only:
                value = self.pattern(positional[i], wanted)
            elif keyword is not None:
                value = self.pattern(written[keyword], wanted)
            elif argument.required or (rest and rng.random() < eager and argument.type != "Generator"):
                value = self.anything("", wanted)
            else:
                left_out += [] if argument.keyword_only else [argument.default]
                continue
            if argument.keyword_only or (by_keyword and i > 0):
                kwargs[argument.name] = value
            else:
                args += [*left_out, value]
                left_out = []
        return self.add(callee.op, callee.target, tuple(args), kwargs)

    def of_quantised(self, callee: ops.Callee, argument: ops.Argument) -> ops.Argument:
        if argument.name in self.quantised:
            return dataclasses.replace(argument, type="literal", default=self.quantised[argument.name])
        if argument.type == "Tensor" and "dequantize" in str(callee.target):
            return dataclasses.replace(argument, type="literal tensor", default=self.quantised["dtype"])
        return dataclasses.replace(argument, type="literal tensor", default=torch.float32)

    def add(self, op: str, target: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Ref:
        if op == "call_method" and not (args and isinstance(args[0], Ref)):
            raise Unfit("a method of no tensor")
        name = f"v{len(self.calls)}"
        self.calls.append(Call(name, op, target, args, kwargs))
        return Ref(name)

    # ---- values

    def tensor(self, **facts: Any) -> Ref:
        name = "xyzwabcdefgh"[len(self.inputs) % 12] + ("" if len(self.inputs) < 12 else str(len(self.inputs)))
        kind = self.rng.random()
        shape = self.shape
        if kind < 0.15 and shape:
            shape = tuple(1 if self.rng.random() < 0.5 else s for s in shape)
        elif kind < 0.25:
            shape = shape[1:]
        elif kind < 0.3:
            shape = self.rng.choice(_SHAPES)
        dtype = self.dtype if self.rng.random() < 0.75 else self.rng.choice(DTYPES)
        layout = "contiguous" if self.rng.random() < 0.6 else self.rng.choice(LAYOUTS)
        spec = {"dtype": dtype, "shape": shape, "layout": layout, "copied": self.rng.random() < 0.3,
                "grad": self.rng.random() < 0.05, **facts}
        self.inputs[name] = Tensor(**spec)
        return Ref(name)

    def anything(self, kind: str, wanted: Optional[ops.Argument]) -> Any:
        if wanted is not None and wanted.type == "out tensor":
            return self.tensor(dtype=wanted.default, shape=self.shape)
        if kind:
            value = self.of_kind(kind, wanted)
            if value is not NotImplemented:
                return value
        if wanted is None:
            return self.tensor()
        return self.of_type(wanted)

    def of_kind(self, kind: str, wanted: Optional[ops.Argument]) -> Any:
        rng = self.rng
        if kind == "node" and wanted is not None and "Device" in wanted.type:
            return self.add("call_function", getattr, (self.tensor(), "device"), {})
        if kind == "Tensor" or kind == "node":
            return self.tensor()
        if kind == "Tensor[bool]":
            return self.tensor(dtype=torch.bool)
        if kind == "Tensor[int]":
            return self.tensor(dtype=torch.int64, values="indices")
        if kind == "number":
            return rng.choice((2, 1, 0, -1, *_FLOATS, True))
        if kind == "list" and wanted is not None:
            return NotImplemented
        made = {"int": lambda: rng.choice((0, 1, -1, 2, 3)), "float": lambda: rng.choice(_FLOATS),
                "bool": lambda: rng.random() < 0.5, "str": lambda: "mean", "none": lambda: None,
                "ellipsis": lambda: Ellipsis, "dtype": lambda: rng.choice(DTYPES),
                "device": lambda: rng.choice(("cpu", torch.device("cpu"), "cuda:0", torch.device("cuda"))),
                "slice": lambda: slice(rng.choice((None, 0, 1)), rng.choice((None, 2, -1)), None),
                "list": lambda: [rng.choice((0, 1)), rng.choice((0, 1))],
                "tuple": lambda: (rng.choice((0, 1)), rng.choice((0, 1)))}
        return made[kind]() if kind in made else NotImplemented

    def of_type(self, wanted: ops.Argument) -> Any:
        rng, type_ = self.rng, wanted.type
        if type_.startswith("Optional["):
            if rng.random() < 0.3:
                return None
            type_ = type_[len("Optional["):-1]
        if type_ == "literal":
            return wanted.default
        if type_ == "literal tensor":
            return self.tensor(dtype=wanted.default)
        if type_ == "Tensor":
            index = wanted.name in ("index", "indices")
            return self.tensor(dtype=torch.int64, values="indices") if index else self.tensor()
        if type_ in ("Tensor[]", "Optional[Tensor][]"):
            if wanted.name == "indices":
                return [self.tensor(dtype=torch.int64, values="indices", shape=(2,), layout="contiguous")]
            return [self.tensor(shape=self.shape) for _ in range(rng.choice((1, 2, 2)))]
        if type_ == "int":
            return 9223372036854775807 if wanted.name == "end" and rng.random() < 0.3 else rng.choice((0, 0, 1, -1, 2))
        if type_ == "int[]":
            return self.sizes(wanted.name)
        if type_ in ("number", "Scalar"):
            return rng.choice((2, 1, 0, 3, *_FLOATS))
        if type_ == "float":
            return rng.choice(_FLOATS)
        if type_ == "bool":
            return rng.random() < 0.5
        if type_ == "ScalarType":
            return rng.choice((self.dtype, rng.choice(DTYPES)))
        if type_ == "Device":
            return torch.device("cpu")
        if type_ == "Layout":
            return torch.strided
        if type_ == "MemoryFormat":
            return rng.choice((torch.contiguous_format, torch.preserve_format))
        if type_ == "str":
            return wanted.default if wanted.default is not None else "mean"
        if not wanted.required:
            return wanted.default
        if type_ == "any":
            return self.tensor()
        raise Unfit(type_)

    def sizes(self, name: str) -> list[int]:
        shape, rng = self.shape, self.rng
        if name in ("dim", "dims"):
            dims = list(range(len(shape)))
            return dims if rng.random() < 0.5 else rng.sample(dims, len(dims))
        made = list(shape)
        kind = rng.random()
        if kind < 0.5:
            return made
        if kind < 0.65:
            return [-1]
        if kind < 0.8 and made:
            return [2, *made]
        return list(reversed(made))


def _role(name: str) -> str:
    """Rules name arguments as torch's Python functions do, too."""
    return {"self": "input"}.get(name, name)
