#!/usr/bin/env python3
"""Reads, rewrites and writes the program JSON of a large exported model and compares that with copying the file.

Processor time on one core, medians. Prints the size, the times and the ratios; ends with 1 where reading, rewriting and
writing takes more than 25 times as long as a read and copy of the file, or more memory than 3 times its size; with
--torch, where torch is not 50 times slower.
"""

import argparse
import json
import os
import pathlib
import statistics
import sys
import tempfile
import zipfile

ROOT = pathlib.Path(__file__).resolve().parents[1]
TRACE = 'File \\"model/layers.py\\", line 41, in forward\\n    x = self.act(self.norm(x) + y)'
STACK = "L__self__,,model.Net;L__self___layers_{0},layers.{0},model.Layer"


def node(i):
    name, before = f"add_{i}", f"add_{i - 1}" if i else "x"
    trace = f'{{"stack_trace": "{TRACE}", "nn_module_stack": "{STACK.format(i % 96)}", "torch_fn": "add_{i};builtin.add"}}'
    return (f'{{"target": "torch.ops.aten.add.Tensor", "inputs": [{{"name": "self", "arg": {{"as_tensor": {{"name": "{before}"'
            f'}}}}, "kind": 1}}, {{"name": "other", "arg": {{"as_int": {i % 7}}}, "kind": 1}}], "outputs": [{{"as_tensor": '
            f'{{"name": "{name}"}}}}], "metadata": {trace}, "is_hop_single_tensor_return": null, "name": "{name}"}}')


def tensor(i):
    size = f'{{"as_expr": {{"expr_str": "Symbol(\'s{i % 4}\', positive=True, integer=True)", "hint": {{"as_int": 4}}}}}}'
    return (f'{{"dtype": 7, "sizes": [{size}, {{"as_int": {8 + i % 16}}}], "requires_grad": false, "device": {{"type": "cpu", '
            f'"index": null}}, "strides": [{{"as_int": {8 + i % 16}}}, {{"as_int": 1}}], "storage_offset": {{"as_int": 0}}, '
            f'"layout": 7}}')


def write_program(path, nodes):
    last = f'{{"as_tensor": {{"name": "add_{nodes - 1}"}}}}'
    with open(path, "w") as out:
        out.write('{"graph_module": {"graph": {"inputs": [{"as_tensor": {"name": "x"}}], "outputs": [' + last + '], "nodes": [')
        for i in range(nodes):
            out.write((", " if i else "") + node(i))
        out.write('], "tensor_values": {"x": ' + tensor(0))
        for i in range(nodes):
            out.write(f', "add_{i}": ' + tensor(i))
        out.write('}, "sym_int_values": {}, "sym_bool_values": {}, "is_single_tensor_return": false, "custom_obj_values": {}, '
                  '"sym_float_values": {}}, "signature": {"input_specs": [{"user_input": {"arg": {"as_tensor": {"name": "x"}}}}], '
                  '"output_specs": [{"user_output": {"arg": ' + last + '}}]}, "module_call_graph": [{"fqn": "", "signature": null}], '
                  '"metadata": {}, "treespec_namedtuple_fields": {}}, "opset_version": {"aten": 10}, "range_constraints": {}, '
                  '"schema_version": {"major": 8, "minor": 20}, "verifiers": ["ATEN"], "torch_version": "2.13.0", '
                  '"guards_code": []}')


def run(work):
    """Seconds of processor time of a child on one core, and the peak of its memory in bytes. `work` is a command or a call."""
    child = os.fork()
    if child == 0:
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
        if callable(work):
            work()
            os._exit(0)
        os.execv(work[0], work)
    _, status, usage = os.wait4(child, 0)
    if status != 0:
        sys.exit(f"{work} failed")
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024


def medians(rounds, *works):
    """Of each work in turn, so that a slow minute reaches all of them alike."""
    runs = [[run(work) for work in works] for _ in range(rounds)]
    return [tuple(map(statistics.median, zip(*each))) for each in zip(*runs)]


def copy(source, target):
    with open(source, "rb") as before, open(target, "wb") as after:
        after.write(before.read())


def page_setting():
    setting = pathlib.Path("/sys/kernel/mm/transparent_hugepage/enabled")
    return setting.read_text().strip() if setting.exists() else "unknown"


def against_copy(nodes, fxrules, rounds):
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        before, after, none, some = folder / "a.json", folder / "b.json", folder / "none.rules", folder / "some.rules"
        write_program(before, nodes)
        none.write_text("erfinv(erfinv(x)) => x\n")
        some.write_text("add(x, 0) => x\n")  # every seventh node
        size = before.stat().st_size
        apply = lambda rules: [fxrules, "apply", str(rules), str(before), "-o", str(after)]  # noqa: E731
        run(apply(none))
        if before.read_bytes() != after.read_bytes():
            sys.exit("what was written is not what was read")
        (copied, _), (seconds, memory), (more_seconds, more_memory) = medians(
            rounds, lambda: copy(before, folder / "copy.json"), apply(none), apply(some))
    print(f"{nodes} nodes, {size / 1e6:.0f} MB; medians of {rounds}, one core; transparent huge pages {page_setting()}")
    print(f"read and copied in {copied:.2f} s")
    print(f"read and written in {seconds:.2f} s ({seconds / copied:.1f} times), {memory / 1e6:.0f} MB ({memory / size:.2f} times the file)")
    print(f"a seventh of the nodes rewritten: {more_seconds:.2f} s ({more_seconds / copied:.1f} times), "
          f"{more_memory / 1e6:.0f} MB ({more_memory / size:.2f} times the file)")
    return max(seconds, more_seconds) <= 25 * copied and max(memory, more_memory) <= 3 * size


# ---------------------------------------------------------------- beside torch.export


def write_archive(path, nodes):
    """A program of one add as torch saves it, whose graph then becomes one of as many as asked for."""
    import torch

    class Add(torch.nn.Module):
        def forward(self, x):
            return torch.ops.aten.add.Tensor(x, 1)

    small = path.with_name("small.pt2")
    torch.export.save(torch.export.export(Add(), (torch.zeros(4, 8),)).run_decompositions({}), str(small))
    with zipfile.ZipFile(small) as source, zipfile.ZipFile(path, "w") as target:
        for name in source.namelist():
            data = source.read(name)
            if name.endswith("models/model.json"):
                program = json.loads(data)
                graph = program["graph_module"]["graph"]
                last = {"as_tensor": {"name": f"add_{nodes - 1}"}}
                graph["nodes"] = [json.loads(node(i)) for i in range(nodes)]
                meta = graph["tensor_values"]["x"]
                graph["tensor_values"] = {"x": meta, **{f"add_{i}": meta for i in range(nodes)}}
                graph["outputs"] = [last]
                program["graph_module"]["signature"]["output_specs"] = [{"user_output": {"arg": last}}]
                data = json.dumps(program).encode()
            target.writestr(name, data)


def against_torch(nodes, fxrules):
    import torch

    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        before, after, rules = folder / "before.pt2", folder / "after.pt2", folder / "some.rules"
        write_archive(before, nodes)
        rules.write_text("add(x, 0) => x\n")
        ours, _ = medians(3, [fxrules, "apply", str(rules), str(before), "-o", str(after)])[0]
        # A child of this process: importing torch is not in its time.
        theirs, _ = run(lambda: torch.export.save(torch.export.load(str(before)), str(folder / "again.pt2")))
    print(f"{nodes} nodes: read, rewritten and written in {ours:.2f} s; torch.export.load and save took {theirs:.1f} s, "
          f"{theirs / ours:.0f} times as long (torch {torch.__version__})")
    return theirs >= 50 * ours


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("nodes", nargs="?", type=int, default=1_000_000)
    parser.add_argument("fxrules", nargs="?", default=str(ROOT / "build/release/bin/fxrules"), help="the program")
    parser.add_argument("--torch", action="store_true", help="against torch.export.load and save of an archive")
    parser.add_argument("--rounds", type=int, default=3)
    given = parser.parse_args()
    fine = against_torch(given.nodes, given.fxrules) if given.torch else against_copy(given.nodes, given.fxrules, given.rounds)
    sys.exit(not fine)


if __name__ == "__main__":
    main()
