"""Rules on live graphs: torch.fx.GraphModule, torch.fx.Graph and torch.export.ExportedProgram."""

from __future__ import annotations

import difflib
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Iterable, Optional, Union, overload

from fxrules.errors import Error, problem
from fxrules.hooks import hooks
from fxrules.report import Report, report_of
from fxrules.rules import Parameter, Rules, RuleSet, rule_set

if TYPE_CHECKING:
    import torch
    from torch.export import ExportedProgram
    from torch.fx import Graph, GraphModule


def apply(gm: Any, rules: Rules, *, only: Iterable[str] = (), disable: Iterable[str] = (),
          max_rewrites: Optional[int] = None, mutated_inputs: str = "return", mutated_attributes: str = "copy_back",
          dce: bool = False, near_misses: bool = False, nested: bool = True, **params: Parameter) -> Any:
    """Rewrites a GraphModule, or a Graph, in place until no rule applies, and returns a Report.

    `rules` are a RuleSet, or rule files by path or shipped name; further keyword arguments are their parameters.
    Nodes that no rule changes stay the objects that they are, with meta, names and users. New nodes have `val` (or
    `example_value`), where and which rule they come from (`from_node`), and the stack trace of what they stand for.
    Graphs nested in the module (branches of cond, bodies of loops) are rewritten too, unless `nested` is False.

    Raises Error, and changes nothing, where the rules do not load, do not end, or say `error`.

    Of an ExportedProgram it returns (a new ExportedProgram, Report).

    The walk is O(nodes + arguments); metadata is read where rules ask; changes cost what they change.
    """
    options = {"only": list(only), "disable": list(disable), "max_rewrites": max_rewrites,
               "mutated_inputs": mutated_inputs, "mutated_attributes": mutated_attributes, "dce": dce,
               "near_misses": near_misses}
    loaded = rule_set(rules, params)
    if hasattr(gm, "graph_signature"):
        from fxrules.exported import apply_to_program

        return apply_to_program(gm, loaded, options)
    return rewrite(gm, loaded, options, nested=nested)


def rewrite(gm: Any, rules: RuleSet, options: dict[str, Any], *, nested: bool = True, signature: Any = None,
            outputs: Optional[list[Any]] = None) -> Report:
    """Of the module and those inside: decides everything, prepares everything, and only then changes anything.
    `outputs` gets the roles of the outputs, where a signature was given."""
    import torch

    from fxrules.edit import Edit

    is_module = isinstance(gm, torch.nn.Module)
    graph = gm.graph if is_module else gm
    works = [("", gm, graph)]
    if nested and is_module:
        works += [(path, module, module.graph) for path, module in _graphs_inside(gm)]
    compiled = rules.core
    known = compiled.rules()
    _check_labels(known, [*options["only"], *options["disable"]])
    done: list[tuple[str, Any, Any, dict[str, Any]]] = []
    prepared: list[Edit] = []
    try:
        for path, module, graph in works:
            # Callers of a branch pass on what it returns: it must return no more than before.
            how = options if not path else {**options, "mutated_inputs": "copy_back"}
            run = compiled.run(graph, hooks(), signature=None if path else signature, **how)
            plain = run.report()
            if not plain["ok"]:
                raise Error(plain["diagnostics"] or [problem(plain["stop"].replace(" ", "-"), _why(plain))])
            edit = Edit(graph, run)
            prepared.append(edit)
            edit.prepare()
            done.append((path, module, run, plain))
    except BaseException:
        for edit in prepared:
            edit.take_back()
        raise
    reports: dict[str, Report] = {}
    for (path, module, run, plain), edit in zip(done, prepared):
        edit.carry_out(known, plain["applications"])
        if plain["changed"] and isinstance(module, torch.fx.GraphModule):
            module.recompile()
        reports[path] = _with_live_names(report_of(plain), edit.names)
        if not path and outputs is not None and signature is not None:
            outputs[:] = run.outputs()
    top = reports.pop("")
    top.nested = reports
    return top


def _check_labels(known: list[dict[str, Any]], labels: list[str]) -> None:
    names = [rule["name"] for rule in known]
    for label in labels:
        if label not in names:
            near = difflib.get_close_matches(label, names)
            hint = f"did you mean {' or '.join(f'`{n}`' for n in near)}?" if near else ""
            raise Error([problem("unknown-label", f"no rule `{label}`", hint)])


def _why(plain: dict[str, Any]) -> str:
    return f"the rules stopped ({plain['stop']}): {', '.join(plain['cycle'])}"


def _with_live_names(report: Report, names: dict[str, str]) -> Report:
    if all(name == live for name, live in names.items()):
        return report
    live = lambda name: names.get(name, name)
    report.applications = [replace(a, created=tuple(map(live, a.created)), result=live(a.result))
                           for a in report.applications]
    report.mutated_inputs = [replace(m, value=live(m.value)) for m in report.mutated_inputs]
    return report


def _graphs_inside(gm: "GraphModule") -> list[tuple[str, "GraphModule"]]:
    """Modules that the graph names by get_attr and passes to a higher-order op, outermost first, each once."""
    import torch

    found: list[tuple[str, Any]] = []
    seen = {id(gm)}
    waiting = [("", gm)]
    while waiting:
        prefix, module = waiting.pop()
        for node in module.graph.find_nodes(op="get_attr"):
            inner = _attribute(module, node.target)
            if isinstance(inner, torch.fx.GraphModule) and id(inner) not in seen:
                seen.add(id(inner))
                path = f"{prefix}.{node.target}" if prefix else node.target
                found.append((path, inner))
                waiting.append((path, inner))
    return found


def _attribute(module: Any, path: str) -> Any:
    for part in path.split("."):
        module = getattr(module, part, None)
    return module
