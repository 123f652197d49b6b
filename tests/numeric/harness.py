"""Runs a graph text in eager PyTorch before and after `fxrules apply` and compares what a caller can observe:
values, dtypes, shapes and structure of the outputs, the state of every input, and which results share storage.

Inputs are described one a line, as the program's own `--inputs` does: `x=f32[4,8] strides=(8,1) device=cpu`, `n=int`.
"""

import copy
import dataclasses
import json
import os
import pathlib
import re
import subprocess
import tempfile

import torch
from torch.utils import _pytree as pytree

import fx_text

ROOT = pathlib.Path(__file__).resolve().parents[2]
SPEC = re.compile(r"(\w+)=(\w+)(?:\[(.*?)\])?(?: strides=\((.*?)\))?(?: device=(\S+))?")


# ---------------------------------------------------------------- inputs


def make_inputs(specs, seed=0, symbols=None, **given):
    """Seeded values for each line of `specs`; `symbols` gives sizes their value, `given` replaces whole inputs."""
    generator = torch.Generator().manual_seed(seed)
    lines = [line.strip() for line in specs.splitlines() if line.strip()]
    values = dict(_make_input(line, generator, dict(symbols or {})) for line in lines)
    return {name: given.get(name, value) for name, value in values.items()}


def _make_input(line, generator, symbols):
    match = SPEC.fullmatch(line)
    if not match:
        raise ValueError(f"not an input: {line!r}")
    name, kind, sizes, strides, device = match.groups()
    if sizes is None:
        return name, symbols.get(name, 3) if kind == "int" else None
    shape = _numbers(sizes, symbols)
    layout = _numbers(strides, symbols) if strides is not None else _row_major(shape)
    return name, _tensor(fx_text.dtype_of(kind), shape, layout, generator).to(device or "cpu")


def _numbers(text, symbols):
    names = {"Max": max, "Min": min, "Mod": lambda a, b: a % b, "__builtins__": {}, **symbols}
    return [eval(item.strip(), names) for item in fx_text.split_items(re.sub(r",(?! |$)", ", ", text.rstrip(",")))]


def _row_major(shape):
    strides, step = [], 1
    for size in reversed(shape):
        strides.insert(0, step)
        step *= max(size, 1)
    return strides


def _tensor(dtype, shape, strides, generator):
    """Small values, so that integers serve as indices; the storage also covers the gaps between elements."""
    span = 1 + sum((size - 1) * stride for size, stride in zip(shape, strides)) if 0 not in shape else 0
    if dtype.is_floating_point or dtype.is_complex:
        storage = torch.randn(span, generator=generator)
    else:
        storage = torch.randint(0, 2 if dtype == torch.bool else 4, (span,), generator=generator)
    return storage.to(dtype).as_strided(shape, strides)


# ---------------------------------------------------------------- running


@dataclasses.dataclass
class Outcome:
    """What one run leaves behind. `shared` holds pairs of places (input names, output positions) with one storage."""

    outputs: list
    structure: pytree.TreeSpec
    inputs: dict
    shared: set
    result: object = None

    def position(self, output):
        """Of a value of the returned tuple among all leaves of the outputs."""
        return len(pytree.tree_leaves(self.result[:output])) if isinstance(self.result, (tuple, list)) else 0

    def returning(self, result):
        outputs, structure = pytree.tree_flatten(result)
        return dataclasses.replace(self, outputs=outputs, structure=structure, result=result)


def run(text, inputs, attributes=None, seed=0):
    """Interprets the graph on a copy of the inputs; storage that inputs or attributes share stays shared."""
    inputs, attributes = copy.deepcopy((inputs, dict(attributes or {})))
    module = fx_text.read_module(text, attributes)
    placeholders = [node.name for node in module.graph.nodes if node.op == "placeholder"]
    torch.manual_seed(seed)
    with torch.no_grad():
        result = torch.fx.Interpreter(module).run(*(inputs[name] for name in placeholders))
    outputs, structure = pytree.tree_flatten(result)
    state = {**inputs, **{f"self.{k}": v for k, v in attributes.items() if isinstance(v, torch.Tensor)}}
    return Outcome(outputs, structure, state, _sharing(outputs, state), result)


def _sharing(outputs, inputs):
    """Pairs that share storage, at least one of them an output."""
    places = {}
    for place, value in [*inputs.items(), *enumerate(outputs)]:
        if isinstance(value, torch.Tensor) and value.device.type != "meta" and value.untyped_storage().nbytes():
            places.setdefault(value.untyped_storage().data_ptr(), []).append(place)
    pairs = ((a, b) for group in places.values() for i, a in enumerate(group) for b in group[i + 1 :])
    return {(a, b) for a, b in pairs if isinstance(b, int)}


# ---------------------------------------------------------------- comparing


def differences(before, after, returned=None, tolerance=0.0):
    """What a caller could tell apart, as sentences; empty where the runs agree.

    `returned` maps a mutated input to the position of the (flattened) output that carries its new value
    after the rewrite; outputs behind those of `before` are such appended values and have no other meaning.
    """
    returned = dict(returned or {})
    found = []
    kept = after.outputs[: len(before.outputs)] if returned else after.outputs
    if len(kept) != len(before.outputs) or (not returned and before.structure != after.structure):
        return [f"the outputs are {after.structure}, were {before.structure}"]
    for position, (old, new) in enumerate(zip(before.outputs, kept)):
        found += _value_difference(f"output {position}", old, new, tolerance)
    for name, old in before.inputs.items():
        new = after.outputs[returned[name]] if name in returned else after.inputs[name]
        found += _value_difference(f"`{name}` afterwards", old, new, tolerance)
    carried = {tuple(sorted((place, returned[name]))) for name, place in before.shared if name in returned}
    known = before.shared | carried | set(returned.items())
    return found + [f"{a} and {b} newly share storage" for a, b in sorted(after.shared - known, key=str)]


def differences_of_writes(before, after, mutated, given_up=(), tolerance=0.0):
    """As `differences`, where `mutated` of the report says which outputs carry the new values of inputs.

    Inputs of `given_up` are those whose new value nobody looks at.
    """
    after = dataclasses.replace(after, inputs={**after.inputs, **{name: before.inputs[name] for name in given_up}})
    appended = sum(entry["appended"] for entry in mutated)
    kept = after
    if appended:
        alone = () if before.result is None else (before.result,)
        before = before.returning(before.result if isinstance(before.result, (tuple, list)) else alone)
        kept = after.returning(type(after.result)(after.result[:-appended]))
    if kept.structure != before.structure:
        return [f"the outputs are {kept.structure}, were {before.structure}"]
    carried = {entry["input"]: after.position(entry["output"]) for entry in mutated if entry["output"] is not None}
    return differences(before, after, carried, tolerance)


def _value_difference(what, old, new, tolerance):
    if not isinstance(old, torch.Tensor) or not isinstance(new, torch.Tensor):
        same = type(old) is type(new) and (old == new or (old != old and new != new))
        return [] if same else [f"{what} is {new!r}, was {old!r}"]
    facts = [(name, getattr(new, name), getattr(old, name)) for name in ("dtype", "shape", "device")]
    changed = [f"{what} has {name} {now}, had {was}" for name, now, was in facts if now != was]
    return changed or _content_difference(what, old, new, tolerance)


def _content_difference(what, old, new, tolerance):
    if old.device.type == "meta" or torch.equal(old, new):
        return []
    try:
        torch.testing.assert_close(new, old, rtol=tolerance, atol=tolerance, equal_nan=True)
    except AssertionError as error:
        return [f"{what}: " + " ".join(str(error).split())]
    return []


# ---------------------------------------------------------------- the program

# Where the reports of all runs are kept, a file a process; nowhere unless somebody will read them.
REPORTS = os.environ.get("FXRULES_REPORTS")


@dataclasses.dataclass
class Applied:
    text: str
    report: dict

    def counts(self):
        """Applications by rule, of rules that were applied."""
        counts = {}
        for entry in self.report["rewrites"]:
            if entry["count"]:
                counts[entry["rule"]] = counts.get(entry["rule"], 0) + entry["count"]
        return counts


def program():
    """The built `fxrules`; None where there is none."""
    path = pathlib.Path(os.environ.get("FXRULES", ROOT / "build/release/bin/fxrules"))
    return path if path.exists() else None


def rule_file(name):
    return ROOT / "rules" / name


def run_program(*arguments):
    return subprocess.run(list(map(str, (program(), *arguments))), capture_output=True, text=True, timeout=120)


def shipped_rules(name):
    """First line and its number for each rule of a rule file, by what reports call it: its label, else file:line."""
    words = "phase|set|test|meta|inverse|pattern|def|param|import|catalogue"
    rules, label = {}, None
    for number, line in enumerate(rule_file(name).read_text().splitlines(), 1):
        text = line.partition("#")[0].strip()
        if label and text:
            rules[label], label = (rules[label][0], text), None
        elif text and line[0] not in " \t})]" and not re.match(rf"({words})\s+[\w\"'{{.<*_]", line):
            labelled = re.fullmatch(r"(\w+):\s*(.*)", text)
            label, body = labelled.groups() if labelled else (f"{name}:{number}", text)
            rules[label], label = (number, body), None if body else label
    return rules


def rules_that_acted(reports):
    """(file, rule) of what was rewritten, noted or said as an error in these runs."""
    rules = {path.name: shipped_rules(path.name) for path in (ROOT / "rules").glob("*.rules")}
    acted = set()
    for report in reports:
        acted |= {(pathlib.Path(entry["file"]).name, entry["rule"]) for entry in report["rewrites"] if entry["count"]}
        noted = {note["rule"] for note in report["notes"] if not note["text"].startswith("not rewritten")}
        acted |= {(file, rule) for file, names in rules.items() for rule in names if rule in noted}
        for found in report["diagnostics"]:
            before = {n: rule for rule, (n, _) in rules.get(pathlib.Path(found["file"]).name, {}).items() if n <= found["line"]}
            if found["kind"] == "rule-error" and before:
                acted.add((pathlib.Path(found["file"]).name, before[max(before)]))
    return acted


class Refused(RuntimeError):
    """The program left the graph as it was and said why."""

    def __init__(self, message, report):
        super().__init__(message)
        self.kinds = [found["kind"] for found in report["diagnostics"] if found["severity"] == "error"]


def apply(rules, text, options=()):
    """The rewritten text and the JSON report of one run; raises with the program's message if it fails."""
    with tempfile.TemporaryDirectory() as folder:
        source, result = pathlib.Path(folder) / "graph.txt", pathlib.Path(folder) / "out.txt"
        source.write_text(text)
        done = run_program("apply", *rules, source, "-o", result, "--report", "json", *options)
        message = f"exit status {done.returncode} from {' '.join(done.args)}\n{done.stderr}"
        if done.returncode not in (0, 1) or not done.stdout:
            raise RuntimeError(message)
        report = _of_the_outer_graph(_report(done))
        keep_report(report)
        if done.returncode == 1:
            raise Refused(message, report)
        return Applied(result.read_text(), report)


def keep_report(report):
    if REPORTS:
        with (pathlib.Path(REPORTS) / f"{os.getpid()}.jsonl").open("a") as file:
            file.write(json.dumps(report) + "\n")


def kept_reports():
    lines = (line for path in pathlib.Path(REPORTS).glob("*.jsonl") for line in path.read_text().splitlines())
    return (json.loads(line) for line in lines)


def _of_the_outer_graph(report):
    """With what was said of graphs nested in it."""
    if "graphs" not in report:
        return report
    outer, *nested = (graph["report"] for graph in report["graphs"])
    for inside in nested:
        outer["diagnostics"] += inside["diagnostics"]
        outer["rewrites"] += inside["rewrites"]
    return outer


def _report(done):
    """The report on whichever stream it was written, between other lines or alone."""
    for stream in (done.stdout, done.stderr):
        start = stream.find("{")
        if start >= 0:
            return json.JSONDecoder().raw_decode(stream[start:])[0]
    raise RuntimeError(f"no JSON report in\n{done.stdout}\n{done.stderr}")
