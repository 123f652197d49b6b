#!/usr/bin/env python3
"""Reads, rewrites and writes the program JSON of a large exported model and compares that with copying the file.

usage: bench/exported_program.py [NODES] [FXRULES]

Prints the size, the times and the ratios; ends with 1 where reading and writing takes more than 25 times as long as a
read and copy of the file, or more memory than 3 times its size.
"""

import os
import pathlib
import shutil
import sys
import tempfile
import time

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


def run(command):
    """Seconds, and the peak of memory in bytes."""
    start = time.monotonic()
    child = os.fork()
    if child == 0:
        os.execv(command[0], command)
    _, status, usage = os.wait4(child, 0)
    if status != 0:
        sys.exit(f"{command[0]} failed")
    return time.monotonic() - start, usage.ru_maxrss * 1024


def main():
    nodes = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000
    fxrules = sys.argv[2] if len(sys.argv) > 2 else str(ROOT / "build/release/bin/fxrules")
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        before, after, rules = folder / "a.json", folder / "b.json", folder / "none.rules"
        write_program(before, nodes)
        rules.write_text("erfinv(erfinv(x)) => x\n")
        size = before.stat().st_size
        shutil.copyfile(before, folder / "warm.json")
        copy = min(timed_copy(before, folder / "copy.json") for _ in range(3))
        seconds, memory = run([fxrules, "apply", str(rules), str(before), "-o", str(after)])
        if before.read_bytes() != after.read_bytes():
            sys.exit("what was written is not what was read")
        rules.write_text("add(x, 0) => x\n")  # every seventh node
        rewrite_seconds, rewrite_memory = run([fxrules, "apply", str(rules), str(before), "-o", str(after)])
    print(f"{nodes} nodes, {size / 1e6:.0f} MB: copied in {copy:.2f} s, read and written in {seconds:.2f} s "
          f"({seconds / copy:.1f} times), {memory / 1e6:.0f} MB of memory ({memory / size:.2f} times the file)")
    print(f"a seventh of the nodes rewritten: {rewrite_seconds:.2f} s ({rewrite_seconds / copy:.1f} times), "
          f"{rewrite_memory / 1e6:.0f} MB ({rewrite_memory / size:.2f} times the file)")
    sys.exit(max(seconds, rewrite_seconds) > 25 * copy or max(memory, rewrite_memory) > 3 * size)


def timed_copy(source, target):
    start = time.monotonic()
    target.write_bytes(source.read_bytes())
    return time.monotonic() - start


if __name__ == "__main__":
    main()
