"""What rewriting a live GraphModule costs.

    python bench/live_graph.py [--nodes 100000]

Walk: a Python loop that reads op, target, args, kwargs and val of every node. The rules of the first table rewrite
nothing there; each time is the best of several, of the processor, without recompile(). The second table rewrites the same pattern,
relu(relu(x)) -> relu(x), by the means that torch has.
"""

import argparse
import time

import torch
from torch._subclasses import FakeTensorMode
from torch.fx import Graph, GraphModule
from torch.fx.passes.infra.pass_base import PassResult

import fxrules
from fxrules.hooks import hooks

aten = torch.ops.aten


def best(f, times=5):
    found = []
    for _ in range(times):
        start = time.process_time()
        f()
        found.append(time.process_time() - start)
    return min(found)


def model(nodes, doubled=0):
    """A chain of elementwise ops and views; every `doubled`-th relu is one of two in a row."""
    graph = Graph()
    x, y = graph.placeholder("x"), graph.placeholder("y")
    with FakeTensorMode():
        pool = [torch.empty(4, 8) for _ in range(64)]  # distinct tensors, without the time to make 100,000
    x.meta["val"], y.meta["val"] = pool[0], pool[1]
    node, relus = x, 0
    for i in range(nodes):
        kind = i % 4
        if kind == 0:
            node = graph.call_function(aten.add.Tensor, (node, y))
        elif kind == 1:
            node = graph.call_function(aten.mul.Tensor, (node, y))
        elif kind == 2:
            node = graph.call_function(aten.relu.default, (node,))
            node.meta["val"] = pool[i % 64]
            relus += 1
            if doubled and relus % doubled == 0:
                node = graph.call_function(aten.relu.default, (node,))
        else:
            node = graph.call_function(aten.view.default, (node, [8, 4] if i % 8 == 3 else [4, 8]))
        node.meta["val"] = pool[i % 64]
    graph.output(node)
    return GraphModule(torch.nn.Module(), graph)


def walk(gm):
    for node in gm.graph.nodes:
        node.op, node.target, node.args, node.kwargs, node.meta.get("val")


def untouched(nodes):
    gm = model(nodes)
    base = best(lambda: walk(gm))
    print(f"{nodes} nodes, nothing to rewrite\n{'a walk in Python':44}{base * 1e3:9.1f} ms")
    sets = {
        "relu(relu(x))": fxrules.RuleSet.from_string("relu(r @ relu(_)) => r"),
        "relu(relu(x)) and a guard on every view": fxrules.RuleSet.from_string(
            "relu(r @ relu(_)) => r\nview(x, ..) => x if rank(x) == 7 and shape(root) == shape(x)"),
        "device.rules": fxrules.RuleSet.from_file("device.rules"),
        "inplace.rules": fxrules.RuleSet.from_file("inplace.rules"),
    }
    for name, rules in sets.items():
        spent = best(lambda: fxrules.apply(gm, rules))
        print(f"{'fxrules.apply: ' + name:44}{spent * 1e3:9.1f} ms   {spent / base:5.2f} walks")


def one_pass_in_place(gm):
    """The pass as people write it: a loop over the nodes that mutates as it goes."""
    for node in list(gm.graph.nodes):
        if node.target is aten.relu.default and node.args[0].target is aten.relu.default:
            node.replace_all_uses_with(node.args[0])
            gm.graph.erase_node(node)
    return PassResult(gm, True)


def pattern_matcher(gm):
    from torch._inductor.pattern_matcher import Arg, CallFunction, PatternMatcherPass, register_graph_pattern

    matcher = PatternMatcherPass()

    @register_graph_pattern(CallFunction(aten.relu.default, CallFunction(aten.relu.default, Arg(), _users=1)),
                            pass_dict=matcher)
    def _(match, x):
        match.output_node().replace_all_uses_with(match.output_node().args[0])
        gm.graph.erase_node(match.output_node())

    matcher.apply(gm.graph)


def replace_pattern(gm):
    from torch.fx.subgraph_rewriter import replace_pattern as replace

    replace(gm, lambda x: aten.relu.default(aten.relu.default(x)), lambda x: aten.relu.default(x))


def rewriting(nodes):
    rules = fxrules.RuleSet.from_string("relu(r @ relu(_)) => r")
    print(f"\n{nodes} nodes, every tenth relu doubled")
    ways = [("fxrules.apply", lambda gm: fxrules.apply(gm, rules)), ("a loop that mutates", one_pass_in_place),
            ("PatternMatcherPass", pattern_matcher), ("replace_pattern", replace_pattern)]
    for name, way in ways:
        gm = model(nodes, doubled=10)
        before = len(gm.graph.nodes)
        gm.recompile = lambda: None  # the same for all, and no part of the question
        start = time.process_time()
        way(gm)
        spent = time.process_time() - start
        print(f"{name:44}{spent * 1e3:9.1f} ms   {before - len(gm.graph.nodes)} nodes fewer")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--nodes", type=int, default=100_000)
    parser.add_argument("--rewritten", type=int, default=20_000, help="nodes of the second table")
    options = parser.parse_args()
    hooks()
    untouched(options.nodes)
    rewriting(options.rewritten)


if __name__ == "__main__":
    main()
