"""What is known of the values of new nodes: their op on FakeTensors, else what the shape functions say."""

from __future__ import annotations

import contextlib
from typing import Any, Optional

import torch
from torch.fx import Node
from torch.fx.node import map_arg

KEYS = ("val", "example_value")


class Values:
    """Gives nodes of one graph their `meta["val"]` or `meta["example_value"]`, whichever the graph uses."""

    def __init__(self, graph: torch.fx.Graph):
        self.key, self.mode = "val", None
        for node in graph.nodes:
            key = next((k for k in KEYS if isinstance(node.meta.get(k), torch.Tensor)), None)
            if key is None:
                continue
            self.key = key
            self.mode = getattr(node.meta[key], "fake_mode", None)
            if self.mode is not None:
                break

    def give(self, node: Node, known: Any) -> None:
        """`known` is what the engine says: (dtype, shape, strides, device), a list, a size or None."""
        value = self._computed(node)
        if value is None:
            value = self._stated(known)
        if value is not None:
            node.meta[self.key] = value

    def replace(self, node: Node, known: Any) -> None:
        """The engine knows better: a device has changed."""
        value = self._stated(known)
        key = next((k for k in KEYS if k in node.meta), None)
        if key is not None and value is not None:
            node.meta[key] = value

    def _computed(self, node: Node) -> Any:
        """The op on FakeTensors; None where it cannot run or would change what it gets."""
        if self.mode is None or node.op not in ("call_function", "call_method"):
            return None
        known = True

        def value_of(operand: Node) -> Any:
            nonlocal known
            value = operand.meta.get(self.key)
            known = known and value is not None
            return value

        args, kwargs = map_arg(node.args, value_of), map_arg(node.kwargs, value_of)
        if not known:
            return None
        if writes(node):
            return args[0] if args and isinstance(args[0], torch.Tensor) else None
        env = self.mode.shape_env
        fresh = env.ignore_fresh_unbacked_symbols() if env is not None else contextlib.nullcontext()
        try:
            with self.mode, fresh, torch.no_grad() if self.key == "val" else contextlib.nullcontext():
                if node.op == "call_method":
                    value = getattr(args[0], node.target)(*args[1:], **kwargs)
                else:
                    value = node.target(*args, **kwargs)
        except Exception:  # no kernel for the device, a value that the data decide, …
            return None
        return value

    def _stated(self, known: Any) -> Any:
        if known is None or self.mode is None:
            return None
        if isinstance(known, (int, str)):
            return self._size(known)
        if isinstance(known, list):
            parts = [self._stated(part) for part in known]
            return None if any(part is None for part in parts) else tuple(parts)
        dtype, shape, strides, device = known
        sizes = None if shape is None else [self._size(s) for s in shape]
        if sizes is None or None in sizes or dtype == "unknown" or not device:
            return None
        steps = None if strides is None else [self._size(s) for s in strides]
        dtype = getattr(torch, dtype.removeprefix("torch."))
        with self.mode:
            if steps is None or None in steps:
                plain = torch.empty(sizes, dtype=dtype, device="meta")
            else:
                plain = torch.empty_strided(sizes, steps, dtype=dtype, device="meta")
        from torch._subclasses.fake_tensor import FakeTensor, in_kernel_invocation_manager

        # Not by a factory on the device: this machine need not have it.
        with in_kernel_invocation_manager(self.mode):
            meta = torch.empty_strided(plain.shape, plain.stride(), dtype=dtype, device="meta")
        return FakeTensor(self.mode, meta, torch.device(device))

    def _size(self, size: Any) -> Any:
        if isinstance(size, int) or size is None:
            return size
        return symbolic_int(self.mode, size)


def writes(node: Node) -> bool:
    """Whether the call changes an operand, as far as its schema or its name says."""
    if isinstance(node.target, torch._ops.OpOverload):
        return node.target._schema.is_mutable
    name = node.target if isinstance(node.target, str) else getattr(node.target, "__name__", "")
    return (name.endswith("_") and not name.endswith("__")) or "out" in node.kwargs or name == "setitem" or node.kwargs.get("inplace") is True


def symbolic_int(mode: Any, text: str) -> Any:
    """The expression as a SymInt of the mode's symbols, or None."""
    import sympy

    env = getattr(mode, "shape_env", None)
    expression = expression_of(env, text)
    if expression is None:
        return None
    if isinstance(expression, sympy.Integer):
        return int(expression)
    hints = [env.backed_var_to_val.get(s) if hasattr(env, "backed_var_to_val") else env.var_to_val.get(s)
             for s in sorted(expression.free_symbols, key=str)]
    hint: Optional[int] = None
    if None not in hints:
        hint = int(expression.subs(dict(zip(sorted(expression.free_symbols, key=str), hints))))
    return env.create_symintnode(expression, hint=hint)


def expression_of(env: Any, text: str) -> Any:
    """A size as torch prints it, over the symbols of the shape environment; None where one is not there."""
    import sympy
    from torch.utils._sympy import functions as torch_functions

    if env is None:
        return None
    symbols = {str(s): s for s in [*env.var_to_range]}
    spaces = {name: getattr(torch_functions, name) for name in
              ("FloorDiv", "ModularIndexing", "PythonMod", "Mod", "CeilToInt", "Max", "Min") if
              hasattr(torch_functions, name)}
    spaces.setdefault("Max", sympy.Max)
    spaces.setdefault("Min", sympy.Min)
    try:
        expression = eval(_with_floor_div(text), {"__builtins__": {}}, {**spaces, **symbols})  # noqa: S307
    except Exception:
        return None
    return sympy.sympify(expression)


def _with_floor_div(text: str) -> str:
    """`a//b` is FloorDiv(a, b) to torch, and floor(a/b) to sympy."""
    import ast

    class Division(ast.NodeTransformer):
        def visit_BinOp(self, node: ast.BinOp) -> ast.AST:
            self.generic_visit(node)
            if not isinstance(node.op, (ast.FloorDiv, ast.Mod)):
                return node
            name = "FloorDiv" if isinstance(node.op, ast.FloorDiv) else "PythonMod"
            return ast.Call(ast.Name(name, ast.Load()), [node.left, node.right], [])

    return ast.unparse(ast.fix_missing_locations(Division().visit(ast.parse(text, mode="eval"))))
