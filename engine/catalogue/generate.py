#!/usr/bin/env python3
"""Writes what the installed torch knows of its ops, deterministically.

    python engine/catalogue/generate.py [--root DIR]

data/torch.ops         schemas, spellings and Python signatures (the notation: docs/catalogue.md)
promotion.inc          torch.promote_types, included by dtype.cpp
tests/catalogue/casts.txt, result_types.txt
                       torch.can_cast, and torch.result_type for every pair of operand kinds: what the C++
                       tests check

The hand-kept half of the catalogue is data/overlay.ops.
"""

from __future__ import annotations

import argparse
import ast
import inspect
import operator
import re
import types
import typing
import warnings
from collections import defaultdict
from pathlib import Path

import torch
import torch._higher_order_ops
import torch._inductor.inductor_prims
import torch._prims
import torch._prims.rng_prims
import torch.ao.quantization.fx._decomposed
import torch.distributed
import torch.distributed._functional_collectives
import torch.export
import torch.nn.functional as F
import torchgen
from torch.fx.node import _get_qualified_name as qualified_name

COMMAND = "python engine/catalogue/generate.py"

# Torch's own test and debugging name spaces, and ops of other compilers that only happen to live in torch.
SKIPPED_NAMESPACES = {
    "_inductor_test", "_native", "_test", "debug_mode_ops", "debugprims", "flex_lib", "onnx", "onnx_symbolic",
    "prim", "static_runtime",
}

# Schemas that TorchScript alone registers. Those of Tensor methods stand in graphs too.
SCRIPT_SCHEMAS = [
    "aten::cpu", "aten::cuda", "aten::element_size", "aten::len.Tensor", "aten::size", "aten::split",
    "aten::stride", "aten::sym_size", "aten::sym_stride", "aten::to.prim_Device", "aten::to.prim_dtype",
    "aten::to.prim_other",
]

# Tags worth keeping, by the catalogue's name for them.
TAGS = {
    "core": "core",
    "pointwise": "pointwise",
    "inplace_view": "inplace_view",
    "nondeterministic_seeded": "random",
    "dynamic_output_shape": "data_dependent",
    "data_dependent_output": "data_dependent",
    "maybe_aliasing_or_mutating": "may_alias",
}

# Functions that torch writes in Python and that share a name, but not their meaning, with an aten op.
NAMESAKES = {
    "torch.nn.functional.adaptive_max_pool1d",  # values alone; the aten op also returns indices
    "torch.nn.functional.adaptive_max_pool2d",
    "torch.nn.functional.adaptive_max_pool3d",
    "torch.nn.functional.fractional_max_pool2d",
    "torch.nn.functional.fractional_max_pool3d",
    "torch.nn.functional.embedding_bag",        # one result of four
    "torch.nn.functional.max_unpool2d",         # other arguments
    "torch.nn.functional.max_unpool3d",
    "torch.nn.functional.unfold",               # aten::im2col
    "torch.functional.tensordot",
    "torch.functional.unique_consecutive",
}

# Functions written in Python whose op has another name.
OTHER_NAMES = {
    "torch.nn.functional._threshold": "aten::threshold",
    "torch.nn.functional.adaptive_max_pool1d_with_indices": "aten::adaptive_max_pool1d",
    "torch.nn.functional.adaptive_max_pool2d_with_indices": "aten::adaptive_max_pool2d",
    "torch.nn.functional.adaptive_max_pool3d_with_indices": "aten::adaptive_max_pool3d",
    "torch.nn.functional.fractional_max_pool2d_with_indices": "aten::fractional_max_pool2d",
    "torch.nn.functional.fractional_max_pool3d_with_indices": "aten::fractional_max_pool3d",
}

# Arguments of Python functions by the name that the op's schema gives them, where it differs.
ROLES = {
    "torch.functional.split": {"tensor": "self", "split_size_or_sections": "split_size"},
    "torch.nn.functional.alpha_dropout": {"training": "train"},
    "torch.nn.functional.dropout": {"training": "train"},
    "torch.nn.functional.embedding": {"input": "indices"},
    "torch.nn.functional.feature_alpha_dropout": {"training": "train"},
}

# Python signatures that say `*args` or leave a union untyped.
SIGNATURES = {
    "torch.functional.einsum": "(str equation, Tensor[] *operands:tensors) -> Tensor",
    "torch.functional.split": "(Tensor(a -> *) tensor:self, SymInt[1] split_size_or_sections:split_size, int dim=0) -> Tensor(a)[]",
}

# Functions written in Python whose `out` is a tuple.
SEVERAL_OUT = {"torch.functional.lu"}

# operator.NAME and the aten op that eager runs for tensors (verified by tests/numeric/test_catalogue.py).
OPERATORS = {
    "abs": "abs", "add": "add", "and_": "bitwise_and", "eq": "eq", "floordiv": "floor_divide", "ge": "ge", "gt": "gt",
    "iadd": "add_", "iand": "bitwise_and_", "ifloordiv": "floor_divide_", "ilshift": "__ilshift__",
    "imod": "remainder_", "imul": "mul_", "inv": "bitwise_not", "invert": "bitwise_not", "ior": "bitwise_or_",
    "ipow": "pow_", "irshift": "__irshift__", "isub": "sub_", "itruediv": "div_", "ixor": "bitwise_xor_", "le": "le",
    "lshift": "__lshift__", "lt": "lt", "matmul": "matmul", "mod": "remainder", "mul": "mul", "ne": "ne", "neg": "neg",
    "or_": "bitwise_or", "pos": "positive", "pow": "pow", "rshift": "__rshift__", "sub": "sub", "truediv": "div",
    "xor": "bitwise_xor",
}

# Dunder methods; `~` marks those that exchange their operands.
DUNDERS = {
    "abs": "abs", "add": "add", "and": "bitwise_and", "div": "div", "eq": "eq", "floordiv": "floor_divide", "ge": "ge",
    "gt": "gt", "iadd": "add_", "iand": "bitwise_and_", "idiv": "div_", "ifloordiv": "floor_divide_",
    "ilshift": "__ilshift__", "imod": "remainder_", "imul": "mul_", "invert": "bitwise_not", "ior": "bitwise_or_",
    "ipow": "pow_", "irshift": "__irshift__", "isub": "sub_", "itruediv": "div_", "ixor": "bitwise_xor_", "le": "le",
    "lshift": "__lshift__", "lt": "lt", "matmul": "matmul", "mod": "remainder", "mul": "mul", "ne": "ne", "neg": "neg",
    "or": "bitwise_or", "pos": "positive", "pow": "pow", "radd": "add~", "rand": "bitwise_and~", "rdiv": "div~",
    "rfloordiv": "floor_divide~", "rlshift": "__lshift__~", "rmatmul": "matmul~", "rmod": "remainder~",
    "rmul": "mul~", "ror": "bitwise_or~", "rpow": "pow~", "rrshift": "__rshift__~", "rshift": "__rshift__",
    "rsub": "sub~", "rtruediv": "div~", "rxor": "bitwise_xor~", "sub": "sub", "truediv": "div", "xor": "bitwise_xor",
}

# Where torch's public functions live, in the order in which one is chosen to print an op.
PUBLIC_MODULES = [torch, F, torch.special, torch.linalg, torch.fft, torch.sparse, torch.nested]

# Where functions stand that have no public name of their own: F.pad is written in Python above this one.
PRIVATE_MODULES = [torch._C._nn, torch._C._linalg, torch._C._fft, torch._C._special]

# Modules whose functions torch writes in Python and FX keeps as one node.
PYTHON_MODULES = [F, torch.functional]


# ---------------------------------------------------------------- schemas


def split_name(name: str) -> tuple[str, str]:
    op, _, overload = name.partition(".")
    return op, overload


def namespace(name: str) -> str:
    return name.split("::")[0]


def python_literal(text: str, kind: str) -> str:
    """A schema's default in Python spelling (`0.` is `0.0`, memory formats by name)."""
    if kind.startswith("MemoryFormat") and text == "0":
        return "contiguous_format"
    try:
        return quoted(ast.literal_eval(text))
    except (ValueError, SyntaxError):
        return text


def quoted(value: object) -> str:
    if isinstance(value, str):
        return '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'
    if isinstance(value, tuple):
        value = list(value)
    return repr(value)


DEFAULT = re.compile(r"""([\w.]+\??(?:\[\d*\]\??)*) (\w+)=("(?:[^"\\]|\\.)*"|\[[^\]]*\]|[^,)]+)""")


def schema_text(schema: torch.FunctionSchema) -> str:
    text = str(schema)
    return DEFAULT.sub(lambda m: f"{m[1]} {m[2]}={python_literal(m[3], m[1])}", text)


def dispatcher_schemas() -> dict[str, tuple[torch.FunctionSchema, list]]:
    found = {}
    for name in torch._C._dispatch_get_all_op_names():
        if namespace(name) not in SKIPPED_NAMESPACES:
            op, overload = split_name(name)
            tags = torch._C._get_operation_overload(op, overload)[2]
            found[name] = (torch._C._get_schema(op, overload), tags)
    return found


def script_schemas() -> dict[str, tuple[torch.FunctionSchema, list]]:
    return {name: (torch._C._get_schema(*split_name(name)), []) for name in SCRIPT_SCHEMAS}


def native_variants() -> dict[str, tuple[int, str]]:
    """Position and `variants` of each native function, from the YAML that torch's wheel carries."""
    path = Path(torchgen.__file__).parent / "packaged/ATen/native/native_functions.yaml"
    found: dict[str, tuple[int, str]] = {}
    name = None
    for line in path.read_text().splitlines():
        if match := re.match(r"- func: ([\w.]+)\(", line):
            name = "aten::" + match[1]
            found[name] = (len(found), "function")
        elif (match := re.match(r"  variants: (.*)", line)) and name:
            found[name] = (found[name][0], match[1])
    return found


def schema_tags(name: str, tags: list, variants: dict) -> list[str]:
    kept = {TAGS[short] for tag in tags if (short := str(tag).removeprefix("Tag.")) in TAGS}
    listed = variants.get(name, (0, ""))[1]
    stem = split_name(name)[0].removeprefix("aten::")
    if "method" in listed and callable(inspect.getattr_static(torch.Tensor, stem, None)):
        kept.add("method")
    if "function" in listed and stem in BOUND_FUNCTIONS:
        kept.add("function")
    return sorted(kept)


# ---------------------------------------------------------------- spellings


def functions_of(module: types.ModuleType):
    for name in sorted(dir(module)):
        value = getattr(module, name)
        if not name.startswith("__") and hasattr(value, "__name__") and isinstance(
            value, (types.FunctionType, types.BuiltinFunctionType)
        ):
            yield name, value


def named_functions(modules: list[types.ModuleType]) -> list[tuple[str, object]]:
    """Each function once, with the path that FX prints, preferred modules first."""
    found: dict[str, object] = {}
    for module in modules:
        for _, value in functions_of(module):
            found.setdefault(qualified_name(value), value)
    return list(found.items())


def builtin_spellings(ops: set[str], modules: list[types.ModuleType]) -> dict[str, list[str]]:
    """Functions that torch binds from C++, by op: `aten::gelu` is torch._C._nn.gelu."""
    found = defaultdict(list)
    for path, value in named_functions(modules):
        op = f"aten::{value.__name__}"
        if isinstance(value, types.BuiltinFunctionType) and op in ops:
            found[op].append(path)
    return found


BOUND_FUNCTIONS = {
    value.__name__
    for _, value in named_functions(PUBLIC_MODULES + PRIVATE_MODULES)
    if isinstance(value, types.BuiltinFunctionType)
}


def private_lines(ops: set[str]) -> list[tuple[str, str]]:
    public = {path for path, _ in named_functions(PUBLIC_MODULES)}
    private = builtin_spellings(ops, PRIVATE_MODULES)
    return [(op, f"{op} = {path}") for op in sorted(private) for path in private[op] if path not in public]


def alias_lines(ops: set[str]) -> list[tuple[str, str]]:
    """Public paths that FX prints otherwise: torch.nn.functional.linear is torch._C._nn.linear."""
    lines = []
    for module in PUBLIC_MODULES:
        for name, value in functions_of(module):
            public, printed = f"{module.__name__}.{name}", qualified_name(value)
            op = op_of_function(printed, value, ops)
            if isinstance(value, types.BuiltinFunctionType):
                op = f"aten::{value.__name__}"
            if public != printed and not name.startswith("_") and is_listed(printed, value, ops):
                lines.append((op, f"{op} = {public}@{printed}"))
    return lines


def is_listed(path: str, value: object, ops: set[str]) -> bool:
    """The catalogue has the path that FX prints."""
    if isinstance(value, types.BuiltinFunctionType):
        return f"aten::{value.__name__}" in ops
    return is_graph_function(path, value) and path not in NOT_FOR_GRAPHS


def method_spellings(ops: set[str]) -> dict[str, list[str]]:
    """Methods, not properties: `x.T`, `x.requires_grad` are attributes."""
    found = defaultdict(list)
    for op in ops:
        stem = op.removeprefix("aten::")
        if op.startswith("aten::") and not stem.startswith("__") and is_method(stem):
            found[op].append("." + stem)
    return found


def is_method(name: str) -> bool:
    value = inspect.getattr_static(torch.Tensor, name, None)
    return value is not None and callable(value) and name != "resize"  # Tensor.resize is another, deprecated function


def operator_spellings() -> dict[str, list[str]]:
    found = defaultdict(list)
    for name, op in OPERATORS.items():
        assert hasattr(operator, name), name
        found[f"aten::{op}"].append(f"operator.{name}")
    return found


def dunder_spellings() -> dict[str, list[str]]:
    found = defaultdict(list)
    for name, op in sorted(DUNDERS.items(), key=lambda item: (item[1].endswith("~"), item[0])):
        assert hasattr(torch.Tensor, f"__{name}__"), name
        reflected = "~" if op.endswith("~") else ""
        found[f"aten::{op.rstrip('~')}"].append(f".__{name}__{reflected}")
    return found


def spelling_lines(ops: set[str]) -> list[tuple[str, str]]:
    tables = [builtin_spellings(ops, PUBLIC_MODULES), method_spellings(ops), operator_spellings(), dunder_spellings()]
    lines = []
    for op in sorted(set().union(*tables)):
        assert op in ops, op
        lines.append((op, f"{op} = {' '.join(s for table in tables for s in table.get(op, []))}"))
    return lines


# ---------------------------------------------------------------- signatures of functions written in Python

SIMPLE_TYPES = {
    torch.Tensor: "Tensor", int: "int", float: "float", bool: "bool", str: "str", torch.dtype: "ScalarType",
    torch.device: "Device", torch.Generator: "Generator", complex: "Scalar",
}


def notation(annotation: object) -> str:
    """A Python annotation in schema notation; `Any` where it has none."""
    if annotation in SIMPLE_TYPES:
        return SIMPLE_TYPES[annotation]
    origin, members = typing.get_origin(annotation), typing.get_args(annotation)
    if origin in (typing.Union, types.UnionType):
        return union_notation(members)
    if origin in (list, tuple) and members and notation(members[0]) != "Any" and (origin is list or members[1:] == (...,)):
        return notation(members[0]) + "[]"
    return "Any"


def union_notation(members: tuple) -> str:
    optional = "?" if type(None) in members else ""
    members = {notation(m) for m in members if m is not type(None)}
    if len(members) == 1:
        return members.pop() + optional
    if members == {"int", "int[]"}:
        return "int[1]" + optional
    return "Any" + optional


def return_notation(annotation: object) -> str:
    if annotation is None:
        return "()"
    if typing.get_origin(annotation) is tuple and ... not in typing.get_args(annotation):
        return "(" + ", ".join(notation(a) for a in typing.get_args(annotation)) + ")"
    return notation(annotation)


class SchemaTypes:
    """Types of an op's arguments by name, for Python parameters that are not annotated."""

    def __init__(self, schemas: dict):
        self.types: dict[str, dict[str, str]] = defaultdict(dict)
        for schema, _ in schemas.values():
            for kind, name in re.findall(r"([\w?\[\]]+) (\w+)(?:[=,)])", str(schema)):
                self.types[schema.name].setdefault(name, kind)

    def of(self, op: str, name: str) -> str:
        return self.types.get(op, {}).get(name, "Any")


def parameter_type(op: str, parameter: inspect.Parameter, known: SchemaTypes) -> str:
    kind = notation(parameter.annotation)
    if kind.startswith("Any"):
        kind = known.of(op, parameter.name)
    if kind == "Any" and parameter.name == "input":
        kind = "Tensor"
    if parameter.name == "dtype":
        kind = "ScalarType"  # annotated as int for TorchScript
    if parameter.default is None and not kind.endswith("?"):
        kind += "?"
    return kind


def parameter_text(path: str, op: str, parameter: inspect.Parameter, known: SchemaTypes, writes: bool) -> str:
    kind = parameter_type(op, parameter, known)
    role = ROLES.get(path, {}).get(parameter.name)
    name = parameter.name + (f":{role}" if role else "")
    if parameter.name == "out":
        return f"Tensor(o!){'[]' if path in SEVERAL_OUT else ''}? out=None"
    if writes:
        kind = kind.replace("Tensor", "Tensor(a! when inplace=True)", 1)
    if parameter.kind is inspect.Parameter.VAR_POSITIONAL:
        return f"{kind if kind.endswith('[]') else 'Tensor[]'} *{name}"
    default = "" if parameter.default is inspect.Parameter.empty else "=" + quoted(parameter.default)
    return f"{kind} {name}{default}"


def dispatched(function: types.FunctionType) -> types.FunctionType:
    """F.max_pool2d and kin choose between two functions by a flag; the one without indices has the signature."""
    while function in torch._jit_internal.boolean_dispatched:
        function = torch._jit_internal.boolean_dispatched[function]["if_false"]
    return function


def type_hints(function: types.FunctionType) -> dict[str, object]:
    try:
        return typing.get_type_hints(function)
    except NameError:  # an annotation that only type checkers can resolve
        return {}


def python_signature(path: str, op: str, function: types.FunctionType, known: SchemaTypes) -> str:
    if path in SIGNATURES:
        return SIGNATURES[path]
    signature = inspect.signature(dispatched(function))
    hints = type_hints(dispatched(function))
    parameters = [p.replace(annotation=hints.get(p.name, p.annotation)) for p in signature.parameters.values()]
    inplace = any(p.name == "inplace" for p in parameters)
    texts = []
    for index, parameter in enumerate(parameters):
        if parameter.kind is inspect.Parameter.VAR_KEYWORD:
            continue
        if parameter.kind is inspect.Parameter.KEYWORD_ONLY and "*" not in texts and not any(" *" in t for t in texts):
            texts.append("*")
        texts.append(parameter_text(path, op, parameter, known, inplace and index == 0))
    result = return_notation(hints.get("return", signature.return_annotation))
    if result == "Any":
        result = "Tensor" if path not in SEVERAL_OUT else "Any"
    if inplace or any(p.name == "out" for p in parameters):
        result = result.replace("Tensor", f"Tensor({'a' if inplace else 'o'}!)")
    return f"({', '.join(texts)}) -> {result}"


def is_graph_function(path: str, function: object) -> bool:
    """A public function, or the private name under which FX prints one."""
    name = path.rpartition(".")[2]
    home = path.rpartition(".")[0] in {module.__name__ for module in PYTHON_MODULES}
    return isinstance(function, types.FunctionType) and home and (path in OTHER_NAMES or not name.startswith("_"))


NOT_FOR_GRAPHS = {
    "torch.nn.functional.assert_int_or_pair", "torch.nn.functional.boolean_dispatch",
}


def python_lines(ops: set[str], schemas: dict, random: set[str]) -> list[tuple[str, str]]:
    known = SchemaTypes(schemas)
    functions = {}
    for module in PYTHON_MODULES:
        functions |= {qualified_name(value): value for _, value in functions_of(module)}
    lines = []
    for path, function in sorted(functions.items()):
        if is_graph_function(path, function) and path not in NOT_FOR_GRAPHS:
            op = op_of_function(path, function, ops)
            tags = " | random" if op in random else ""
            lines.append((op, f"{op} = {path}{python_signature(path, op, function, known)}{tags}"))
    return lines


def op_of_function(path: str, function: object, ops: set[str]) -> str:
    if path in OTHER_NAMES:
        return OTHER_NAMES[path]
    name = path.rpartition(".")[2]
    return f"aten::{name}" if f"aten::{name}" in ops and path not in NAMESAKES else f"python::{name}"


# ---------------------------------------------------------------- what the Python bindings add to schemas

WRITTEN = re.compile(r"Tensor\(\w!\) \w+")


def merged_out(name: str, text: str, path: str) -> str | None:
    """Several `out` arguments are one tuple in Python: torch.max(x, 0, out=(v, i))."""
    arguments = text[text.index("(") + 1 : text.rindex(") -> ")]
    positional, _, keywords = arguments.partition("*, ")
    kept = [k for k in keywords.split(", ") if not WRITTEN.fullmatch(k)]
    if len(keywords.split(", ")) - len(kept) < 2:
        return None
    kept = "".join(k + ", " for k in kept)
    returns = re.sub(r"\(\w!\)", "(a!)", text[text.rindex(" -> ") :])
    return f"{path}({positional}*, {kept}Tensor(a!)[] out){returns}"


def with_requires_grad(text: str, path: str) -> str | None:
    """Factories take requires_grad in Python."""
    if "bool? pin_memory=None" not in text:
        return None
    arguments = text[text.index("(") :].replace("bool? pin_memory=None", "bool? pin_memory=None, bool requires_grad=False")
    return path + arguments


def binding_lines(op: str, texts: dict[str, tuple[str, list[str]]], path: str | None) -> list[str]:
    lines = []
    for name, (text, tags) in texts.items():
        kept = [t for t in tags if t not in ("method", "function")]
        suffix = f" | {' '.join(kept)}" if kept else ""
        if path and "function" in tags:
            lines += [f"{op} = {s}{suffix}" for s in (merged_out(name, text, path), with_requires_grad(text, path)) if s]
        if "method" in tags and op.startswith("aten::new_") and (s := with_requires_grad(text, "." + op.removeprefix("aten::"))):
            lines.append(f"{op} = {s}{suffix}")
    return lines


# ---------------------------------------------------------------- higher-order ops


def higher_order_signature(hop: torch._ops.HigherOrderOperator) -> str:
    call = type(hop).__call__
    texts = []
    for parameter in list(inspect.signature(call).parameters.values())[1:]:
        if parameter.kind is inspect.Parameter.VAR_KEYWORD:
            continue
        if parameter.kind is inspect.Parameter.VAR_POSITIONAL:
            texts.append(f"Any[] *{parameter.name}")
            continue
        if parameter.kind is inspect.Parameter.KEYWORD_ONLY and "*" not in texts and not any(" *" in t for t in texts):
            texts.append("*")
        default = "" if parameter.default is inspect.Parameter.empty else "=" + quoted(parameter.default)
        texts.append(f"Any {parameter.name}{default}")
    return f"({', '.join(texts)}) -> Any"


def higher_order_lines() -> list[tuple[str, str]]:
    hops = torch._ops._higher_order_ops
    return [(f"higher_order::{n}", f"higher_order::{n}{higher_order_signature(hops[n])}") for n in sorted(hops)]


# ---------------------------------------------------------------- the file


def catalogue_text() -> str:
    variants = native_variants()
    schemas = dispatcher_schemas() | script_schemas()
    ops = {split_name(name)[0] for name in schemas}

    def order(name: str):
        op, overload = split_name(name)
        is_out = " out" in str(schemas[name][0]) and "Tensor(a!)" in str(schemas[name][0])
        return op, is_out, variants.get(name, (1 << 20, ""))[0], overload

    lines: dict[str, list[str]] = defaultdict(list)
    texts: dict[str, dict[str, tuple[str, list[str]]]] = defaultdict(dict)
    random = set()
    for name in sorted(schemas, key=order):
        schema, tags = schemas[name]
        op, text, kept = split_name(name)[0], schema_text(schema), schema_tags(name, tags, variants)
        texts[op][name] = (text, kept)
        lines[op].append(text + (f" | {' '.join(kept)}" if kept else ""))
        if "random" in kept:
            random.add(op)
    builtin = builtin_spellings(ops, PUBLIC_MODULES)
    for op, line in spelling_lines(ops):
        lines[op].append(line)
    for op in list(texts):
        lines[op] += binding_lines(op, texts[op], builtin.get(op, [None])[0])
    for op, line in python_lines(ops, schemas, random) + private_lines(ops) + alias_lines(ops) + higher_order_lines():
        lines[op].append(line)
    header = f"# The ops of torch {torch.__version__.split('+')[0]}. Generated by: {COMMAND}\n"
    return header + "".join(line + "\n" for op in sorted(lines) for line in lines[op])


# ---------------------------------------------------------------- dtypes

# In the order of the enum in include/fxrules/dtype.hpp.
DTYPES = [
    "bool", "uint8", "int8", "int16", "int32", "int64", "uint16", "uint32", "uint64",
    "float16", "bfloat16", "float32", "float64",
    "float8_e4m3fn", "float8_e5m2", "float8_e4m3fnuz", "float8_e5m2fnuz", "float8_e8m0fnu", "float4_e2m1fn_x2",
    "complex32", "complex64", "complex128", "bcomplex32",
    "qint8", "quint8", "qint32", "quint4x2", "quint2x4",
    "bits8", "bits16", "bits1x8", "bits2x4", "bits4x2",
]


def promoted(a: str, b: str) -> str:
    try:
        return str(torch.promote_types(getattr(torch, a), getattr(torch, b))).removeprefix("torch.")
    except (AttributeError, RuntimeError):  # not in this torch; torch refuses
        return "unknown"


def castable(a: str, b: str) -> int:
    try:
        return int(torch.can_cast(getattr(torch, a), getattr(torch, b)))
    except AttributeError:
        return 0


def promotion_text() -> str:
    rows = [f"// torch.promote_types of torch {torch.__version__.split('+')[0]}. Generated by: {COMMAND}"]
    for a in DTYPES:
        names = ["boolean" if n == "bool" else n for n in (promoted(a, b) for b in DTYPES)]
        rows.append(f"{{{', '.join(f'Dtype::{n}' for n in names)}}},  // {a}")
    return "\n".join(rows) + "\n"


def casts_text() -> str:
    """FROM TO 0-or-1, for every pair that torch knows."""
    rows = [f"# torch.can_cast of torch {torch.__version__.split('+')[0]}. Generated by: {COMMAND}"]
    known = [name for name in DTYPES if hasattr(torch, name)]
    rows += [f"{a} {b} {castable(a, b)}" for a in known for b in known]
    return "\n".join(rows) + "\n"


RESULT_DTYPES = ["bool", "uint8", "int8", "int16", "int32", "int64", "float16", "bfloat16", "float32", "float64", "complex64", "complex128"]


def operand(name: str, kind: str):
    if kind == "number":
        return {"bool": True, "int64": 1, "float64": 1.0, "complex128": 1j}[name]
    return torch.zeros((1,) if kind == "tensor" else (), dtype=getattr(torch, name))


def result_types_text() -> str:
    """KIND DTYPE KIND DTYPE RESULT; a number's dtype is that of its Python type."""
    numbers = [("number", n) for n in ("bool", "int64", "float64", "complex128")]
    operands = [(k, n) for k in ("tensor", "scalar_tensor") for n in RESULT_DTYPES] + numbers
    rows = [f"# torch.result_type of torch {torch.__version__.split('+')[0]}. Generated by: {COMMAND}"]
    for ka, a in operands:
        for kb, b in operands:
            result = str(torch.result_type(operand(a, ka), operand(b, kb))).removeprefix("torch.")
            rows.append(f"{ka} {a} {kb} {b} {result}")
    return "\n".join(rows) + "\n"


def outputs() -> dict[str, str]:
    """Everything that this command writes, by path from the project's root."""
    return {
        "engine/catalogue/data/torch.ops": catalogue_text(),
        "engine/catalogue/promotion.inc": promotion_text(),
        "tests/catalogue/casts.txt": casts_text(),
        "tests/catalogue/result_types.txt": result_types_text(),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--root", type=Path, default=Path(__file__).resolve().parents[2], help="the project's root")
    root = parser.parse_args().root
    for path, text in outputs().items():
        (root / path).write_text(text)
        print(f"wrote {path} ({len(text)} bytes)")


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    main()
