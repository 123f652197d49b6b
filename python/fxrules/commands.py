"""`fxrules verify` and `fxrules bisect`."""

from __future__ import annotations

import argparse
import sys
from typing import Any, Sequence

from fxrules.errors import Error


def run(arguments: Sequence[str]) -> int:
    try:
        import torch  # noqa: F401
    except ImportError:
        print(f"fxrules {arguments[0]}: needs PyTorch, which `{sys.executable}` does not have", file=sys.stderr)
        return 1
    options = _parser().parse_args(arguments)
    try:
        return options.command(options)
    except Error as error:
        print(error, file=sys.stderr)
        return 1


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="fxrules")
    commands = parser.add_subparsers(required=True)
    verify = commands.add_parser("verify", help="runs both sides of rules in PyTorch, on inputs made for them")
    verify.add_argument("rules", nargs="+", metavar="RULES")
    verify.add_argument("--only", default="", help="labels, with commas between")
    verify.add_argument("--samples", type=int, default=40, help="applications to compare, of each rule")
    verify.add_argument("--tries", type=int, default=600, help="inputs to make, at most")
    verify.add_argument("--seed", type=int, default=0)
    verify.add_argument("--mutants", action="store_true", help="instead, make mistakes in the rules and count those caught")
    verify.add_argument("-D", dest="params", action="append", default=[], metavar="NAME=VALUE")
    verify.set_defaults(command=_verify)
    bisect = commands.add_parser("bisect", help="finds the application that changes what a saved module computes")
    bisect.add_argument("rules", nargs="+", metavar="RULES")
    bisect.add_argument("module", metavar="MODULE", help="a GraphModule or module by torch.save, or a .pt2 program")
    bisect.add_argument("--inputs", required=True, help="a tuple of inputs by torch.save")
    bisect.add_argument("--tolerance", type=float, default=0.0)
    bisect.add_argument("--seed", type=int, default=0)
    bisect.add_argument("-D", dest="params", action="append", default=[], metavar="NAME=VALUE")
    bisect.set_defaults(command=_bisect)
    return parser


def _params(options: Any) -> dict[str, str]:
    return dict(p.split("=", 1) for p in options.params)


def _verify(options: Any) -> int:
    from fxrules.verification import mutate, verify

    only = [label for label in options.only.split(",") if label]
    if options.mutants:
        results = mutate(options.rules, only=only, seed=options.seed, **_params(options))
        for r in results:
            if not r.caught:
                print(f"survived: {r.rule}: {r.mistake}: {r.change}: {r.how}")
        caught = sum(r.caught for r in results)
        print(f"{caught} of {len(results)} mutants caught")
        return 0 if caught >= 0.95 * len(results) else 1
    result = verify(options.rules, only=only, samples=options.samples, tries=options.tries, seed=options.seed,
                    **_params(options))
    print(result)
    return 0 if result.ok else 1


def _bisect(options: Any) -> int:
    import torch

    from fxrules.bisection import bisect

    if options.module.endswith(".pt2"):
        module = torch.export.load(options.module).module()
    else:
        module = torch.load(options.module, weights_only=False)
    inputs = torch.load(options.inputs, weights_only=False)
    culprit = bisect(module, options.rules, inputs, tolerance=options.tolerance, seed=options.seed, **_params(options))
    print(culprit if culprit is not None else "the rules change nothing that these inputs tell")
    return 1 if culprit is not None else 0
