#!/usr/bin/env python3
"""In-place calls made out of place: `inplace.rules` beside the documented pass, on the same graphs in one run.

    bench/in_place.py [--program build/bench/bin/fxrules] [--minute 60] [--runs 5]

Needs torch. The documented pass (documented_pass.py) is timed at the sizes where one run should end within
`--minute` seconds, as its quadratic growth tells; fxrules at larger ones too. All are medians of processor time, of the
pass of fewer runs where these take more than `--minute` together. "rules": applying them to a graph that is read
already; "whole program": `fxrules apply`, reading and writing included; "doubled": how much longer the rules take than
at half the size.
"""

import argparse
import json
import operator
import os
import pathlib
import resource
import statistics
import subprocess
import sys
import tempfile
import time

import torch
from torch.fx import Graph, GraphModule

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import documented_pass  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parents[1]


class Builder:
    """A graph and its inputs; torch gives names in quadratic time where many are alike, so they are given here."""

    def __init__(self):
        self.graph, self.inputs, self.count = Graph(), [], 0

    def input(self, type_):
        name = f"x{len(self.inputs)}"
        self.inputs.append(f"{name}={type_}")
        return self.graph.placeholder(name)

    def node(self, op, target, *args):
        self.count += 1
        base = target if isinstance(target, str) else target.__name__
        return self.graph.create_node(op, target, args, {}, name=f"{base}_n{self.count}")


def one_buffer(nodes):
    """A write and a read, in turn."""
    b = Builder()
    x = b.input("f32[64]")
    for _ in range(nodes // 2):
        b.node("call_method", "add_", x, 1)
        last = b.node("call_method", "neg", x)
    b.graph.output(last)
    return b


def setitems(buffers):
    def build(nodes):
        b = Builder()
        many = [b.input("f32[64,4]") for _ in range(buffers)]
        last = many[0]
        for i in range(nodes // 2):
            buffer = many[i % buffers]
            b.node("call_function", operator.setitem, buffer, i % 64, 1.5)
            last = b.node("call_method", "neg", buffer)
        b.graph.output(last)
        return b

    return build


def few_writes(nodes):
    """One write in a hundred nodes."""
    b = Builder()
    x, buffer = b.input("f32[64]"), b.input("f32[64]")
    value = x
    for i in range(nodes):
        if i % 100 == 50:
            b.node("call_method", "add_", buffer, value)
        elif i % 100 == 99:
            value = b.node("call_method", "mul", value, buffer)
        else:
            value = b.node("call_method", "relu", value)
    b.graph.output((value, buffer))
    return b


SIZES = [2_000, 4_000, 100_000, 200_000]
WORKLOADS = {
    "add_ to one buffer": (one_buffer, SIZES),
    "setitem to one buffer": (setitems(1), SIZES),
    "setitem to 1,000 buffers": (setitems(1000), SIZES),
    "one write in 100 nodes": (few_writes, [10_000, 20_000, 100_000, 200_000]),
}


def documented(build, nodes):
    gm = GraphModule(torch.nn.Module(), build(nodes).graph)
    start = time.process_time()
    documented_pass.out_of_place(gm)
    return time.process_time() - start


def engine(program, graph, inputs, runs):
    said = subprocess.run([program, "bench", str(ROOT / "rules/inplace.rules"), "--graph", graph, "--inputs", inputs,
                           "--runs", str(runs), "--report", "json"], check=True, capture_output=True, text=True)
    return json.loads(said.stdout)["sets"][0]["seconds"]


def whole(program, graph, inputs, runs):
    times = []
    for _ in range(runs):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run([program, "apply", str(ROOT / "rules/inplace.rules"), graph, "--inputs", inputs, "-o", os.devnull],
                       check=True, capture_output=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        times.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return statistics.median(times)


def milliseconds(seconds):
    return "-" if seconds is None else f"{seconds * 1e3:,.1f}"


def measure(name, build, sizes, options, folder):
    before = theirs_before = None
    for nodes in sizes:
        built = build(nodes)
        graph, inputs = folder / "graph.txt", folder / "inputs.txt"
        graph.write_text(str(built.graph) + "\n")
        inputs.write_text("\n".join(built.inputs) + "\n")
        ours = engine(options.program, graph, inputs, options.runs)
        all_of_it = whole(options.program, graph, inputs, options.runs)
        theirs = None
        if theirs_before is None or theirs_before[1] * (nodes / theirs_before[0]) ** 2 < options.minute:
            times = [documented(build, nodes)]
            while len(times) < options.runs and sum(times) < options.minute:
                times.append(documented(build, nodes))
            theirs = statistics.median(times)
            theirs_before = nodes, theirs
        ratio = "-" if theirs is None else f"{theirs / ours:,.0f}"
        grown = "-" if before is None or before[0] * 2 != nodes else f"{ours / before[1]:.2f}"
        before = nodes, ours
        print(f"| {name} | {nodes:,} | {milliseconds(ours)} | {milliseconds(all_of_it)} | {milliseconds(theirs)} | {ratio} "
              f"| {grown} |", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", default=str(ROOT / "build/bench/bin/fxrules"))
    parser.add_argument("--minute", type=float, default=60, help="seconds after which the documented pass is not run larger")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--only", default="", help="workloads whose name contains this")
    options = parser.parse_args()
    print(f"torch {torch.__version__}, medians of {options.runs}; times in ms\n")
    print("| workload | nodes | rules | whole program | documented pass | ratio to the rules | doubled |")
    print("|---|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        for name, (build, sizes) in WORKLOADS.items():
            if options.only in name:
                measure(name, build, sizes, options, pathlib.Path(folder))


if __name__ == "__main__":
    main()
