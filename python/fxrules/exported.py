"""Rules on programs of torch.export: a program is a value, so the result is another one."""

from __future__ import annotations

import copy
from typing import Any

import torch
from torch.export import ExportedProgram
from torch.export.graph_signature import (ExportGraphSignature, InputKind, OutputKind, OutputSpec, SymIntArgument,
                                          TensorArgument)
from torch.fx import Graph, GraphModule, Node

from fxrules.live import rewrite
from fxrules.report import Report
from fxrules.rules import RuleSet

# In the order of the engine's InputRole and OutputRole.
_INPUTS = ("USER_INPUT", "PARAMETER", "BUFFER", "CONSTANT_TENSOR", "CUSTOM_OBJ", "TOKEN")
_OUTPUTS = ("USER_OUTPUT", "LOSS_OUTPUT", "BUFFER_MUTATION", "PARAMETER_MUTATION", "USER_INPUT_MUTATION",
            "GRADIENT_TO_PARAMETER", "GRADIENT_TO_USER_INPUT", "TOKEN")


def apply_to_program(program: ExportedProgram, rules: RuleSet, options: dict[str, Any]) -> tuple[ExportedProgram, Report]:
    gm = _copy(program.graph_module)
    roles: list[Any] = []
    report = rewrite(gm, rules, options, signature=_plain(program.graph_signature, gm.graph), outputs=roles)
    signature = _signature(program.graph_signature, gm.graph, roles)
    result = program._update(gm, signature)
    return result, report


def _copy(gm: GraphModule) -> GraphModule:
    """Graphs are copied, nested ones too; tensors are shared, as they are by every pass of torch.export."""
    graph = Graph()
    graph._codegen = copy.deepcopy(gm.graph._codegen)
    mapping: dict[Node, Node] = {}
    result = graph.graph_copy(gm.graph, mapping)
    old_output = gm.graph.output_node()
    if not any(n.op == "output" for n in graph.find_nodes(op="output")):
        output = graph.output(result)
        output.meta = copy.copy(old_output.meta)
    made = GraphModule(gm, graph, type(gm).__name__)
    made.meta = copy.copy(gm.meta)
    for name, module in list(made.named_children()):
        if isinstance(module, GraphModule):
            setattr(made, name, _copy(module))
    return made


def _plain(signature: ExportGraphSignature, graph: Graph) -> tuple[list[Any], list[Any]]:
    inputs, place = [], {}
    for i, spec in enumerate(signature.input_specs):
        role = _INPUTS.index(spec.kind.name)
        if role == 0 and not isinstance(spec.arg, (TensorArgument, SymIntArgument)) and hasattr(spec.arg, "value"):
            role = 6  # a literal, fixed when the program was captured
        inputs.append((role, spec.target, spec.persistent is not False))
        place[spec.arg.name] = i
        if spec.target is not None:
            place.setdefault("@" + spec.target, i)
    outputs = []
    for spec in signature.output_specs:
        of = -1
        if spec.target is not None:
            of = place.get(spec.target if spec.kind is OutputKind.USER_INPUT_MUTATION else "@" + spec.target,
                           place.get(spec.target, -1))
        outputs.append((_OUTPUTS.index(spec.kind.name), of))
    return inputs, outputs


def _signature(old: ExportGraphSignature, graph: Graph, roles: list[Any]) -> ExportGraphSignature:
    specs = {spec.arg.name: spec for spec in old.input_specs}
    inputs = []
    for node in graph.find_nodes(op="placeholder"):
        inputs.append(specs[node.name])
    values = _flat(graph.output_node().args[0])
    outputs = []
    for (role, of), value, i in zip(roles, values, range(len(values))):
        kind = OutputKind[_OUTPUTS[role]]
        target = None
        if of is not None:
            spec = specs[of.name]
            target = spec.target if spec.kind is not InputKind.USER_INPUT else spec.arg.name
        before = old.output_specs[i].arg if i < len(old.output_specs) else None
        outputs.append(OutputSpec(kind, _argument(value, before), target))
    return ExportGraphSignature(inputs, outputs)


def _argument(value: Any, before: Any) -> Any:
    from torch.export.graph_signature import ConstantArgument

    if not isinstance(value, Node):
        return before if before is not None else ConstantArgument("", value)
    kind = type(before) if before is not None and not hasattr(before, "value") else None
    if kind is None:
        kind = SymIntArgument if isinstance(value.meta.get("val"), torch.SymInt) else TensorArgument
    if kind is type(before) and before.name == value.name:
        return before
    if hasattr(before, "class_fqn"):
        return kind(value.name, before.class_fqn, before.fake_val)
    return kind(value.name)


def _flat(value: Any) -> list[Any]:
    return list(value) if isinstance(value, (tuple, list)) else [value]
