"""Graphs that grow call by call, each call run in eager PyTorch at once, so that only what eager accepts stays; and the
tables of named constructs that random programs are made of.
"""

import copy
import operator
import random

import torch

INDEXED, VALUED, WRITING, VIEWING, NESTED, UNKNOWN, FAILING = {}, {}, {}, {}, {}, {}, {}
FLOATS = (torch.float32, torch.bfloat16)


def construct(table, name):
    def register(function):
        table[name] = function
        return function

    return register


def choice(table, name, *choices):
    """A construct that is one of several calls."""
    construct(table, name)(lambda p: p.rng.choice(choices)(p))


class Program:
    """A graph that grows; `constructs` are the names of what it is made of.

    `attributes` are what its paths name, as they are before it runs. `plain` programs are printed without metadata,
    `symbolic` ones with that of their inputs alone, whose sizes are symbols. One that `fails` ends with a call that
    eager refuses.
    """

    def __init__(self, seed, inputs, nested=False):
        self.rng = random.Random(seed)
        self.graph, self.values, self.constructs = torch.fx.Graph(), {}, set()
        self.named, self.attributes, self.live, self.hidden = {}, {}, {}, set()
        self.nested, self.plain, self.symbolic, self.fails = nested, False, False, False
        for name, value in inputs.items():
            self.named[name] = self.graph.placeholder(name, int if isinstance(value, int) else None)
            self.values[self.named[name]] = value

    # ---- values

    def pick(self, *dtypes, rank=0, shape=None, fits=lambda value: True):
        """A tensor of one of these types, the newer the likelier."""
        fitting = [node for node, value in self.values.items() if node not in self.hidden and _fits(value, dtypes, rank, shape) and fits(value)]
        if not fitting:
            raise ValueError("no value fits")
        return fitting[max(self.rng.randrange(len(fitting)), self.rng.randrange(len(fitting)))]

    def dense(self, *dtypes):
        """A contiguous tensor: of others, the layout decides which of its elements gets which random number."""
        return self.pick(*dtypes, fits=torch.Tensor.is_contiguous)

    def forget(self, *nodes):
        """Nothing that comes later uses these."""
        self.hidden.update(nodes)

    # ---- calls

    def call(self, opcode, target, *arguments, **keywords):
        operands, options = torch.fx.map_arg((arguments, keywords), lambda node: self.values[node])
        function = {"call_method": getattr(operands[0], str(target), None), "call_module": self.live.get(target)}.get(opcode, target)
        value = function(*(operands[1:] if opcode == "call_method" else operands), **options)
        node = self.graph.create_node(opcode, target, arguments, keywords)
        self.values[node] = value
        return node

    def method(self, name, *arguments, **keywords):
        return self.call("call_method", name, *arguments, **keywords)

    def function(self, target, *arguments, **keywords):
        return self.call("call_function", target, *arguments, **keywords)

    def setitem(self, buffer, index, value):
        self.function(operator.setitem, buffer, index, value)

    def module(self, module, *arguments):
        path = self._path(f"m{len(self.attributes)}", module)
        return self.call("call_module", path, *arguments)

    def stored(self, path, value):
        node = self.graph.get_attr(self._path(path, value))
        self.values[node] = self.live[path]
        return node

    def _path(self, path, value):
        """Readable code of nested graphs names no attributes but graphs."""
        if self.nested and not isinstance(value, torch.fx.GraphModule):
            raise ValueError("nested programs have no attributes")
        if path not in self.attributes:
            self.attributes[path], self.live[path] = copy.deepcopy(value), value
        return path

    def failing(self, target, *arguments):
        """A call that eager refuses."""
        self.fails = True
        self.graph.create_node("call_method" if isinstance(target, str) else "call_function", target, arguments)

    # ---- growing

    def add(self, table, name):
        """Whether eager takes one more construct."""
        known = set(self.graph.nodes)
        try:
            used = table[name](self)
        except (RuntimeError, IndexError, TypeError, ValueError, AttributeError, KeyError, NotImplementedError):
            for node in reversed([node for node in self.graph.nodes if node not in known]):
                if not node.users:
                    self.values.pop(node, None)
                    self.graph.erase_node(node)
            return False
        self.constructs |= {name, *(used if isinstance(used, tuple) else ())}
        return True


def _fits(value, dtypes, rank, shape):
    if not isinstance(value, torch.Tensor) or not value.numel() or (dtypes and value.dtype not in dtypes):
        return False
    return value.dim() >= rank and (shape is None or value.shape == torch.Size(shape))
