"""Where rule passes plug into PyTorch and its neighbours. Each adapter is a few lines around `fxrules.apply`; classes
are made when they are first asked for, so that importing fxrules imports no torch.

Inside of a compiler an input that the rules free of writes is written back at the end (`copy_back`): the caller's
convention stays. What such a pass did is in its `reports`, the latest last.
"""

from __future__ import annotations

import functools
from typing import Any, Callable, Optional, Sequence, Union

from fxrules.report import Report
from fxrules.rules import Parameter, Rules, RuleSet, rule_set

_KEPT = 100  # reports


class _Applies:
    """The part that all adapters share."""

    def __init__(self, rules: Rules, params: dict[str, Parameter], options: Optional[dict[str, Any]] = None):
        self.rules: RuleSet = rule_set(rules, params)
        self.options = {"mutated_inputs": "copy_back", **(options or {})}
        self.reports: list[Report] = []

    def __deepcopy__(self, memo: Any) -> "_Applies":
        return self  # a copied pass reports where the first one does

    def rewrite(self, graph_or_module: Any) -> Report:
        from fxrules.live import apply

        report = apply(graph_or_module, self.rules, **self.options)
        self.reports.append(report)
        del self.reports[:-_KEPT]
        return report


# ---------------------------------------------------------------- torch.compile


def backend(rules: Rules, inner: Union[str, Callable[..., Any]] = "inductor", *, stage: str = "torch",
            **params: Parameter) -> Callable[..., Any]:
    """A backend for torch.compile: applies the rules, then the inner backend, by name or as a callable.

    With stage "torch" the rules see the graph that Dynamo captured (methods and torch functions, in-place calls); with
    "aten" the functional graph of aten ops behind AOTAutograd, forward and backward, without in-place calls. What
    Inductor takes from its cache was rewritten by rules of the same contents before, and gives no report again.
    """
    if stage not in ("torch", "aten"):
        raise ValueError(f"stage is `torch` or `aten`, not `{stage}`")
    applies = _Applies(rules, params)

    def compile_graph(gm: Any, example_inputs: Sequence[Any], **kwargs: Any) -> Any:
        import torch._dynamo

        inside = torch._dynamo.lookup_backend(inner) if isinstance(inner, str) else inner
        if stage == "torch":
            applies.rewrite(gm)
            return inside(gm, example_inputs, **kwargs)
        return _behind_aot(applies, inner, inside)(gm, example_inputs, **kwargs)

    compile_graph.reports = applies.reports  # type: ignore[attr-defined]
    compile_graph.rules = applies.rules  # type: ignore[attr-defined]
    return compile_graph


def _behind_aot(applies: _Applies, name: Any, inside: Callable[..., Any]) -> Callable[..., Any]:
    from torch._dynamo.backends.common import aot_autograd
    from functorch.compile import make_boxed_func

    if name == "inductor":
        # Inductor has its own AOTAutograd; the rules join it where it lowers the functional graph.
        def compile_with_inductor(gm: Any, example_inputs: Sequence[Any], **kwargs: Any) -> Any:
            from torch._inductor.compile_fx import compile_fx

            patches = {"post_grad_custom_pre_pass": _graph_pass(applies)}
            return compile_fx(gm, example_inputs, config_patches=patches)

        return compile_with_inductor

    def compile_aten(gm: Any, example_inputs: Sequence[Any]) -> Any:
        applies.rewrite(gm)
        if name in ("eager", "aot_eager"):
            return make_boxed_func(gm.forward)
        return inside(gm, example_inputs)

    return aot_autograd(fw_compiler=compile_aten)


# ---------------------------------------------------------------- Inductor


@functools.lru_cache(maxsize=None)
def _graph_pass_class() -> type:
    from torch._inductor.custom_graph_pass import CustomGraphPass

    class RulePass(CustomGraphPass):
        """Rules on the graph that Inductor hands to a custom pass."""

        def __init__(self, applies: _Applies):
            self._applies = applies

        @property
        def reports(self) -> list[Report]:
            return self._applies.reports

        def __call__(self, graph: Any) -> None:
            self._applies.rewrite(graph)

        def uuid(self) -> str:
            """Inductor's cache key: equal exactly for rules of equal contents."""
            return f"fxrules-{self._applies.rules.uuid}"

    return RulePass


def _graph_pass(applies: _Applies) -> Any:
    return _graph_pass_class()(applies)


def pre_grad_pass(rules: Rules, **params: Parameter) -> Any:
    """For torch._inductor.config.pre_grad_custom_pass: torch-level ops, not functional, before autograd."""
    return _graph_pass(_Applies(rules, params))


def joint_pass(rules: Rules, **params: Parameter) -> Any:
    """For joint_custom_pre_pass and joint_custom_post_pass: forward and backward in one graph of aten ops."""
    return _graph_pass(_Applies(rules, params))


def post_grad_pass(rules: Rules, **params: Parameter) -> Any:
    """For post_grad_custom_pre_pass and post_grad_custom_post_pass: functional aten graphs, one a direction."""
    return _graph_pass(_Applies(rules, params))


# ---------------------------------------------------------------- torch.fx.passes


@functools.lru_cache(maxsize=None)
def _pass_base_class(base: type) -> type:
    from torch.fx.passes.infra.pass_base import PassResult

    class RulePass(base):  # type: ignore[valid-type, misc]
        """Rules as a pass of a PassManager."""

        def __init__(self, applies: _Applies):
            super().__init__()
            self._applies = applies

        @property
        def reports(self) -> list[Report]:
            return self._applies.reports

        def call(self, graph_module: Any) -> Any:
            return PassResult(graph_module, bool(self._applies.rewrite(graph_module)))

    return RulePass


def pass_base(rules: Rules, **params: Parameter) -> Any:
    """A torch.fx.passes.infra.pass_base.PassBase, for a PassManager."""
    from torch.fx.passes.infra.pass_base import PassBase

    return _pass_base_class(PassBase)(_Applies(rules, params))


def export_pass(rules: Rules, **params: Parameter) -> Any:
    """A pass for `EdgeProgramManager.transform`: an ExportPass of ExecuTorch, where that is installed, else a PassBase of
    the same shape. Edge-dialect ops are matched as the aten ops that they stand for."""
    try:
        from executorch.exir.pass_base import ExportPass as Base
    except ImportError:
        from torch.fx.passes.infra.pass_base import PassBase as Base
    return _pass_base_class(Base)(_Applies(rules, params))


# ---------------------------------------------------------------- vLLM


@functools.lru_cache(maxsize=None)
def _vllm_class() -> type:
    base = _graph_pass_class()
    try:
        from vllm.compilation.inductor_pass import InductorPass

        base = type("RulePass", (base, InductorPass), {})
    except ImportError:
        pass

    class VllmRulePass(base):  # type: ignore[valid-type, misc]
        """What vLLM's PostGradPassManager asks of a pass."""

        def __init__(self, applies: _Applies, config: Any = None):
            super().__init__(applies)
            self.config = config
            self.pass_name = f"fxrules:{applies.rules.name}"

        def is_applicable_for_range(self, compile_range: Any) -> bool:
            return True  # rules decide by what they know of the shapes

        def is_applicable(self, shape: Optional[int]) -> bool:
            return True

    return VllmRulePass


def vllm_pass(rules: Rules, config: Any = None, **params: Parameter) -> Any:
    """A pass for vLLM's pass manager (`pass_manager.add`) or its `inductor_compile_config`: called with the fx.Graph,
    with a uuid from the rules' contents."""
    return _vllm_class()(_Applies(rules, params), config)
