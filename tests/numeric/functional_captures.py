"""The same program as a graph that still writes in place: by make_fx (aten overloads) and by Dynamo (methods)."""

import copy

import torch
from torch.fx.experimental.proxy_tensor import make_fx

import traced


class Capture:
    """A graph with metadata, its inputs by placeholder, the tensors behind its get_attr nodes."""

    def __init__(self, module, inputs):
        self.inputs = inputs
        self.attributes = {n.target: getattr(module, n.target) for n in module.graph.nodes if n.op == "get_attr"}
        for node in module.graph.nodes:
            node.type = None  # Dynamo's `torch.Tensor` says less than the metadata
        self.graph = traced.with_values(module.graph, copy.deepcopy(inputs), self.attributes)

    def text(self, metadata=True):
        return traced.text(self.graph, metadata)


def by_make_fx(function, inputs):
    with torch.no_grad():
        module = make_fx(function)(*copy.deepcopy(list(inputs.values())))
    names = [node.name for node in module.graph.nodes if node.op == "placeholder"]
    return Capture(module, dict(zip(names, inputs.values())))


def by_dynamo(function, inputs):
    modules = []

    def backend(module, _):
        modules.append(module)
        return module.forward

    torch._dynamo.reset()
    with torch.no_grad():
        torch.compile(function, backend=backend, fullgraph=True)(*copy.deepcopy(list(inputs.values())))
    (module,) = modules
    by_target = {f"L_{name}_": value for name, value in inputs.items()}
    return Capture(module, {n.name: by_target[n.target] for n in module.graph.nodes if n.op == "placeholder"})


BY = {"make_fx": by_make_fx, "Dynamo": by_dynamo}
