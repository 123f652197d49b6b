"""Reads the text IR (`print(graph)`, with or without tensor metadata) into a live torch.fx.Graph. For tests only.

The text loses what it prints bare: strings, devices, symbols. A bare word becomes a device under a `device`
keyword or where the op's schema says so, a string where the schema says so, and otherwise what it looks like,
a string last. A graph that was read prints its own text again (without the metadata, which only calls carry).
"""

import builtins
import dataclasses
import importlib
import math
import operator
import re
import typing

import torch

NODE_LINE = re.compile(r"%(\w+) : (.*?)\[(?:num_users|#users)=(\d+)\] = (\w+)\[target=(.*)", re.DOTALL)
METADATA = re.compile(r'Tensor "([a-z0-9]+)\[(.*?)\](?:\[(.*?)\])?(.*)"')
EDGE = "executorch.exir.dialects.edge._ops."
OPENING, CLOSING = "([{", ")]}"


@dataclasses.dataclass
class TensorText:
    """The metadata of one call as printed: sizes and strides are ints or symbolic text; no strides are unknown ones."""

    dtype: torch.dtype
    sizes: list
    strides: list
    device: str


class MalformedText(ValueError):
    pass


def read_graph(text):
    """The graph of the text; `node.meta["text"]` holds the TensorText of the calls that show one."""
    graph, nodes = torch.fx.Graph(), {}
    for line in node_lines(text):
        if line.startswith("return "):
            graph.output(ReturnValue(line[len("return ") :], nodes).read())
        else:
            _add_node(graph, nodes, line)
    return graph


def read_module(text, attributes=None):
    """A GraphModule that runs; `attributes` gives a value or a module for each get_attr and call_module path."""
    return torch.fx.GraphModule(dict(attributes or {}), read_graph(text))


def node_lines(text):
    """The lines of the only graph, a string's line breaks put back into its line."""
    header, _, body = text.partition("\n")
    if not re.fullmatch(r"graph\(.*\).*:", header):
        raise MalformedText(f"expected a graph header, got {header!r}")
    lines = []
    for line in body.split("\n"):
        if re.match(r"    (%\w+ : |return )", line):
            lines.append(line[4:])
        elif lines:
            lines[-1] += "\n" + line
    return [line.removesuffix("\n") if line is lines[-1] else line for line in lines]


# ---------------------------------------------------------------- nodes


def _add_node(graph, nodes, line):
    match = NODE_LINE.fullmatch(line)
    if not match:
        raise MalformedText(f"not a node line: {line!r}")
    name, annotation, _, opcode, rest = match.groups()
    target, arguments, keywords = _call(opcode, rest, nodes)
    node = graph.create_node(opcode, target, arguments, keywords, name=name, type_expr=_annotation(annotation))
    if node.name != name:
        raise MalformedText(f"{name} is defined twice or is no legal name")
    nodes[name] = node
    metadata = METADATA.fullmatch(annotation)
    if metadata:
        node.meta["text"] = _metadata(*metadata.groups())


def _call(opcode, rest, nodes):
    """Target, arguments and keywords of the text behind `[target=`."""
    if opcode == "placeholder":
        target, _, default = rest.partition("]")
        return target, (_word(default[len("(default=") : -1], ""),) if default else (), {}
    if opcode == "get_attr":
        return rest.removesuffix("]"), (), {}
    target, arguments, keywords = _call_parts(rest)
    target = resolve(target) if opcode == "call_function" else target
    return target, *Arguments(nodes, schema_of(target)).read(arguments, keywords)


def _call_parts(rest):
    match = re.fullmatch(r"(.*?)\]\(args = \((.*)\), kwargs = \{(.*)\}\)", rest, re.DOTALL)
    if not match:
        raise MalformedText(f"not a call: {rest!r}")
    target, arguments, keywords = match.groups()
    return target, split_items(arguments), split_items(keywords)


def _annotation(text):
    if not text or METADATA.fullmatch(text):
        return None
    return eval(text, {"torch": torch, "typing": typing})  # what torch printed for a type is its expression


def _metadata(dtype, sizes, strides, device):
    return TensorText(dtype_of(dtype), _dimensions(sizes), _dimensions(strides) if strides is not None else None, device)


def _dimensions(text):
    return [int(item) if re.fullmatch(r"-?\d+", item) else item for item in split_items(text)]


def dtype_of(abbreviation):
    """The dtype behind torch's abbreviation, f32 as torch.float32."""
    from torch.utils._dtype_abbrs import dtype_abbrs

    return {short: dtype for dtype, short in dtype_abbrs.items()}[abbreviation]


def resolve(target):
    """The callable behind a qualified name."""
    if target.startswith(EDGE):
        target = "torch.ops." + target[len(EDGE) :]
    if target.startswith("operator."):
        return getattr(operator, target[len("operator.") :])
    parts = target.split(".")
    for length in range(len(parts) - 1, 0, -1):
        try:
            found = importlib.import_module(".".join(parts[:length]))
        except ImportError:
            continue
        for part in parts[length:]:
            found = getattr(found, part)
        return found
    raise MalformedText(f"no module holds {target}")


def schema_of(target):
    """The schema of an op: the overload's own, or that of a packet with one overload."""
    if isinstance(target, torch._ops.OpOverloadPacket) and len(target.overloads()) == 1:
        target = getattr(target, target.overloads()[0])
    return getattr(target, "_schema", None) if isinstance(target, torch._ops.OpOverload) else None


# ---------------------------------------------------------------- arguments


def split_items(text):
    """The items between brackets: split at `, ` outside inner brackets. A last comma is that of a 1-tuple."""
    if text == "":
        return []
    items, depth, start = [], 0, 0
    for position, character in enumerate(text):
        depth += (character in OPENING) - (character in CLOSING)
        if depth == 0 and text.startswith(", ", position):
            items.append(text[start:position])
            start = position + 2
    if depth:
        raise MalformedText(f"brackets do not match in {text!r}")
    if text.endswith(",") and not items:
        return [text[:-1]]
    return items + [text[start:]]


class Arguments:
    """Values of one call: nodes as `%name`, bare words by the role that the schema gives them."""

    def __init__(self, nodes, schema=None):
        self.nodes, self.schema = nodes, schema

    def read(self, arguments, keywords):
        values = tuple(self.value(item, self.positional_role(i)) for i, item in enumerate(arguments))
        pairs = (item.partition(": ") for item in keywords)
        return values, {key: self.value(item, self.keyword_role(key)) for key, _, item in pairs}

    def positional_role(self, position):
        known = self.schema.arguments if self.schema else []
        return str(known[position].type) if position < len(known) else ""

    def keyword_role(self, name):
        if name == "device":
            return "Device"
        types = [str(a.type) for a in (self.schema.arguments if self.schema else []) if a.name == name]
        return types[0] if types else ""

    def value(self, text, role=""):
        if text.startswith("%") and text[1:] in self.nodes:
            return self.nodes[text[1:]]
        inner = text[1:-1]
        if text[:1] == "(" and text[-1:] == ")" and not re.fullmatch(r"\([^,()]*j\)", text):
            return tuple(self.value(item) for item in split_items(inner))
        if text[:1] == "[" and text[-1:] == "]":
            return [self.value(item) for item in split_items(inner)]
        if text[:1] == "{" and text[-1:] == "}":
            pairs = (item.partition(": ") for item in split_items(inner))
            return {_key(key): self.value(item) for key, _, item in pairs}
        span = re.fullmatch(r"(slice|range)\((.*)\)", text)
        return self.span(*span.groups()) if span else _word(text, role)

    def span(self, kind, bounds):
        """slice(..) and range(..), inside which nodes have no `%`."""
        parts = [self.nodes[item] if item in self.nodes else self.value(item) for item in split_items(bounds)]
        return getattr(builtins, kind)(*parts)


class ReturnValue:
    """What stands behind `return`: Python's repr, nodes by name, strings quoted."""

    def __init__(self, text, nodes):
        self.text, self.nodes = text, nodes

    def read(self):
        names = {"inf": math.inf, "nan": math.nan, "torch": torch, "device": torch.device, "slice": slice, "range": range}
        try:
            return eval(self.text, {"__builtins__": {}}, {**names, **self.nodes})
        except (SyntaxError, NameError) as error:
            raise MalformedText(f"not a return value: {self.text!r}") from error


def _key(text):
    return int(text) if re.fullmatch(r"-?\d+", text) else text


def _word(text, role):
    """A value that is printed bare."""
    if "str" in role and text != "None":
        return text
    if "Device" in role and text != "None":
        return torch.device(text)
    for reader in (_number, _named, _dotted, _type):
        found, value = reader(text)
        if found:
            return value
    return text


def _number(text):
    for kind in (int, float, complex):
        try:
            if text == text.strip() and "_" not in text and text.lower() not in ("infinity", "+inf", "-infinity"):
                return True, kind(text)
        except ValueError:
            pass
    return False, None


def _named(text):
    names = {"True": True, "False": False, "None": None, "Ellipsis": Ellipsis}
    return text in names, names.get(text)


def _dotted(text):
    """A dtype, layout or memory format, or an op as argument (`aten.add.Tensor`)."""
    if re.fullmatch(r"torch\.\w+", text):
        value = getattr(torch, text[len("torch.") :], None)
        return isinstance(value, (torch.dtype, torch.layout, torch.memory_format)), value
    if re.fullmatch(r"\w+\.\w+\.\w+", text):
        value = torch.ops
        for part in text.split("."):
            value = getattr(value, part, None)
        return isinstance(value, torch._ops.OpOverload), value
    return False, None


def _type(text):
    match = re.fullmatch(r"<class '(.*)'>", text)
    if not match:
        return False, None
    name = match[1]
    return True, getattr(builtins, name, None) or resolve(name)
