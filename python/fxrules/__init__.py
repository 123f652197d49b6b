"""Rewrites torch.fx graphs by declarative rules.

    report = fxrules.apply(gm, ["device.rules", "inplace.rules"], target="xla")

torch is imported when something first needs it.
"""

from fxrules.errors import Error
from fxrules.functions import function
from fxrules.live import apply
from fxrules.report import Application, MutatedInput, Note, Report, RuleCount
from fxrules.rules import Rule, RuleSet, Watch, rules_folder
from fxrules.bisection import Culprit, bisect
from fxrules.plugs import backend, pass_base, pre_grad_pass, joint_pass, post_grad_pass, export_pass, vllm_pass
from fxrules.verification import Finding, Verification, verify

__version__ = "0.1.0"

__all__ = [
    "Application",
    "Culprit",
    "Error",
    "Finding",
    "MutatedInput",
    "Note",
    "Report",
    "Rule",
    "RuleCount",
    "RuleSet",
    "Verification",
    "Watch",
    "apply",
    "backend",
    "bisect",
    "export_pass",
    "function",
    "joint_pass",
    "pass_base",
    "post_grad_pass",
    "pre_grad_pass",
    "rules_folder",
    "verify",
    "vllm_pass",
]
