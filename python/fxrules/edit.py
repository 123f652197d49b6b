"""Carries out what a run of the engine decided, on the live nodes. What is not named by a step keeps its
identity, and everything that can fail happens before the first old node changes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from torch.fx import Graph, Node

from fxrules.errors import Error, problem
from fxrules.hooks import literal, resolve_target
from fxrules.sizes import SizeNodes
from fxrules.values import Values

CREATED, MOVED, ARGUMENTS, RENAMED = 1, 2, 4, 8

# What a node takes over from the one that it stands for.
_INHERITED = ("stack_trace", "nn_module_stack", "source_fn_stack", "original_aten", "torch_fn", "custom", "seq_nr",
              "partitioner_tag", "recompute", "ac_graph_id", "autograd_backward", "is_gradient_acc", "fwd_source_fn_stack",
              "fwd_nn_module_stack", "delegation_tag", "debug_handle")


@dataclass(frozen=True)
class Step:
    id: int
    after: int
    kind: int
    op: str
    target: str
    name: str
    application: int
    origin: Any


class Edit:
    """The steps of one run on one graph. `prepare` makes the new nodes, which nothing uses yet, and takes them back
    when one cannot be made; `carry_out` cannot fail."""

    def __init__(self, graph: Graph, run: Any):
        self._graph, self._run = graph, run
        self._steps = [Step(*step) for step in run.steps()]
        self._sizes = SizeNodes(graph)
        self._created: list[Node] = []
        self._arguments: dict[int, tuple[Any, Any]] = {}
        self._targets: dict[int, Any] = {}
        self.names: dict[str, str] = {}  # of new nodes: as the engine called them -> as the graph does

    def prepare(self) -> None:
        try:
            for step in self._steps:
                if step.kind & (CREATED | ARGUMENTS):
                    self._targets[step.id] = self._target(step)
            for step in self._steps:
                if step.kind & CREATED:
                    self._create(step)
            # Operands of old nodes may be made later in the list than they stand: all are there now.
            self._arguments = {s.id: self._run.arguments(s.id, self._make) for s in self._steps
                               if s.kind & ARGUMENTS and not s.kind & CREATED}
        except Exception as error:
            self.take_back()
            if isinstance(error, LookupError):
                raise Error([problem("no-such-node", str(error))]) from error
            raise

    def take_back(self) -> None:
        for node in reversed(self._created):
            self._graph.erase_node(node)
        for node in reversed(self._sizes.made):
            self._graph.erase_node(node)
        self._created, self._sizes = [], SizeNodes(self._graph)

    def _target(self, step: Step) -> Any:
        if step.op != "call_function":
            return step.target
        known = self._run.target_object(step.target)
        return resolve_target(step.target) if known is None else known

    def _create(self, step: Step) -> None:
        args, kwargs = self._run.arguments(step.id, self._make)
        node = self._graph.create_node(step.op, self._targets[step.id], args, kwargs, step.name)
        self._created.append(node)
        self.names[step.name] = node.name
        self._run.bind(step.id, node)

    def _make(self, kind: str, text: str) -> Any:
        return self._sizes.node(text) if kind == "symbolic" else literal(kind, text)

    def carry_out(self, rules: list[dict[str, Any]], applications: list[Any]) -> None:
        self._place()
        for number, (args, kwargs) in self._arguments.items():
            node = self._run.node(number)
            if node.target is not self._targets[number]:
                node.target = self._targets[number]
            _give(node, args, kwargs)
        gone = {node.name for node in self._run.erased()}
        for node in self._run.erased():
            self._graph.erase_node(node)
        self._rename(gone)
        self._describe(rules, applications)

    def _place(self) -> None:
        for step in self._steps:
            if step.kind & (CREATED | MOVED):
                before = self._run.node(step.after) if step.after >= 0 else self._graph._root
                before.append(self._run.node(step.id))
        self._sizes.place()

    def _rename(self, gone: set[str]) -> None:
        """Names that erased nodes had are free again, which FX's name space does not know."""
        for step in self._steps:
            node = self._run.node(step.id)
            if node.name == step.name:
                continue
            if step.name in gone:
                node.name = step.name
            elif step.kind & RENAMED:
                node._rename(step.name)
            self.names[step.name] = node.name

    def _describe(self, rules: list[dict[str, Any]], applications: list[Any]) -> None:
        changed = self._run.changed_metadata()
        if not self._created and not changed:
            return
        values = Values(self._graph)
        for step in self._steps:
            if not step.kind & CREATED:
                continue
            node = self._run.node(step.id)
            if step.origin is not None:
                for key in _INHERITED:
                    if key in step.origin.meta:
                        node.meta[key] = step.origin.meta[key]
            rule = rules[applications[step.application][0]] if step.application >= 0 else None
            node.meta["from_node"] = _provenance(step.origin, rule)
            values.give(node, self._run.metadata(step.id))
        for node, number in changed:
            values.replace(node, self._run.metadata(number))


def _give(node: Node, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
    node.args = args
    if node.kwargs or kwargs:
        node.kwargs = kwargs


def _provenance(origin: Any, rule: Any) -> list[Any]:
    name = "fxrules" if rule is None else f"fxrules: {rule['name']} ({rule['file']}:{rule['line']})"
    try:
        from torch.fx.traceback import NodeSource, NodeSourceAction

        return [NodeSource(origin, name, NodeSourceAction.CREATE)]
    except ImportError:  # torch before 2.6 has pairs
        return [(name, getattr(origin, "target", None))]
