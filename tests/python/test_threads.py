"""One rule set, several threads, a module each."""

import sys
import threading

import torch
from torch.fx.experimental.proxy_tensor import make_fx

import fxrules


def chain(n):
    gm = torch.fx.GraphModule(torch.nn.Module(), torch.fx.Graph())
    node = gm.graph.placeholder("x")
    node.meta["val"] = torch.randn(4, 8)
    for i in range(n):
        node = gm.graph.call_function(torch.ops.aten.relu.default if i % 3 else torch.ops.aten.neg.default, (node,))
        node.meta["val"] = torch.randn(4, 8)
    gm.graph.output(node)
    gm.recompile()
    return gm


def test_two_threads_two_modules():
    rules = fxrules.RuleSet.from_string(
        "relu(r @ relu(_)) => r if shape(r) == shape(root) and odd(rank(r))", functions={"odd": lambda n: n % 2 == 0})
    modules = [chain(3000) for _ in range(4)]
    counts, errors = [0] * 4, []

    def work(i):
        try:
            counts[i] = fxrules.apply(modules[i], rules).rewrites
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=work, args=(i,)) for i in range(4)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert not errors and counts == [1000] * 4
    for gm in modules:
        gm.graph.lint()


def test_the_engine_lets_others_run():
    """While a long run goes on, this thread counts."""
    rules = fxrules.RuleSet.from_string("relu(r @ relu(_)) => r")
    gm = chain(60000)
    sizes, done = [], threading.Event()

    def work():
        fxrules._core  # loaded
        run = rules.core.run(gm.graph, fxrules.hooks.hooks(), max_rewrites=None, only=[], disable=[],
                             mutated_inputs="return", mutated_attributes="copy_back", dce=False, near_misses=True,
                             signature=None)
        sizes.append(run.report()["rewrites"])
        done.set()

    interval = sys.getswitchinterval()
    sys.setswitchinterval(10)  # nobody is made to let go of the lock: only who lets go by itself
    try:
        thread = threading.Thread(target=work)
        thread.start()
        turns = 0
        while not done.wait(0.0005):
            turns += 1
        thread.join()
    finally:
        sys.setswitchinterval(interval)
    assert sizes == [20000] and turns > 3
