"""Symbolic sizes that rules write as arguments: in a live graph each is a node that computes it."""

from __future__ import annotations

from typing import Any, Optional

import torch
from torch.fx import Graph, Node

from fxrules.values import KEYS, expression_of


class SizeNodes:
    """Finds or makes the nodes. They stand behind the placeholders: what they read is there."""

    def __init__(self, graph: Graph):
        self._graph = graph
        self.made: list[Node] = []
        self._by_text: dict[str, Node] = {}
        self._env: Any = None
        self._sources: Optional[dict[str, tuple[Node, Optional[int]]]] = None

    def node(self, text: str) -> Node:
        if text not in self._by_text:
            self._by_text[text] = self._find(text)
        return self._by_text[text]

    def _find(self, text: str) -> Node:
        sources = self._scan()
        if text in sources:
            return self._read(text)
        expression = expression_of(self._env, text)
        if expression is None or not all(str(s) in sources for s in expression.free_symbols):
            raise LookupError(f"no input tells the size `{text}`, which a rule writes as an argument")
        return self._compute(expression)

    def _scan(self) -> dict[str, tuple[Node, Optional[int]]]:
        if self._sources is not None:
            return self._sources
        self._sources = {}
        for node in self._graph.find_nodes(op="placeholder"):
            value = next((node.meta[k] for k in KEYS if k in node.meta), None)
            sizes = enumerate(value.shape) if isinstance(value, torch.Tensor) else [(None, value)]
            for dim, size in sizes:
                if isinstance(size, torch.SymInt):
                    self._env = size.node.shape_env
                    self._sources.setdefault(str(size.node.expr), (node, dim))
        return self._sources

    def _read(self, text: str) -> Node:
        node, dim = self._scan()[text]
        if dim is None:
            return node
        if "val" in node.meta:
            made = self._graph.call_function(torch.ops.aten.sym_size.int, (node, dim))
            made.meta["val"] = node.meta["val"].shape[dim]
        else:
            made = self._graph.call_method("size", (node, dim))
            made.meta["example_value"] = node.meta["example_value"].shape[dim]
        self.made.append(made)
        return made

    def _compute(self, expression: Any) -> Node:
        from torch.fx.proxy import GraphAppendingTracer, Proxy
        from torch.utils._sympy.interp import sympy_interp
        from torch.utils._sympy.reference import PythonReferenceAnalysis

        tracer = GraphAppendingTracer(self._graph)
        symbols = {s: Proxy(self.node(str(s)), tracer) for s in sorted(expression.free_symbols, key=str)}
        last = self._graph._root._prev
        result = sympy_interp(PythonReferenceAnalysis, symbols, expression)
        while last._next is not self._graph._root:  # new nodes stand at the end
            last = last._next
            self.made.append(last)
        return result.node

    def place(self) -> None:
        """Behind the placeholders, in the order in which they were made."""
        placeholders = self._graph.find_nodes(op="placeholder")
        last = placeholders[-1] if placeholders else self._graph._root
        for node in reversed(self.made):
            last.append(node)
