"""Models and functions that are exported, rewritten and run: each with inputs, also of other sizes where dynamic."""

import torch
from torch import nn
from torch.export import Dim
from torch.nn import functional as F


class Case:
    """`inputs` is a list of argument tuples: the first one is exported."""

    def __init__(self, name, make, inputs, dynamic=None, decompose=True, rules="core"):
        self.name, self.make, self.inputs, self.dynamic = name, make, inputs, dynamic
        self.decompose, self.rules = decompose, rules

    def export(self):
        torch.manual_seed(0)
        program = torch.export.export(self.make().eval(), self.inputs[0], dynamic_shapes=self.dynamic)
        return program.run_decompositions({}) if self.decompose else program


def module(forward, **state):
    """A module of one function; `state` are buffers."""

    class Module(nn.Module):
        def __init__(self):
            super().__init__()
            for name, value in state.items():
                self.register_buffer(name, value.clone())

    Module.forward = forward
    return Module


def randn(*shape, seed=0):
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed))


def two(*shape):
    return [(randn(*shape),), (randn(*shape, seed=1),)]


def sizes(*shapes):
    return [(randn(*shape, seed=i),) for i, shape in enumerate(shapes)]


class Cache(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("k", torch.zeros(1, 16, 8))
        self.register_buffer("steps", torch.zeros((), dtype=torch.int64), persistent=False)
        self.q = nn.Linear(8, 8)

    def forward(self, x, pos):
        q = self.q(x)
        self.k[:, pos] = q
        self.steps.add_(1)
        x.add_(1)
        return torch.softmax(q @ self.k.transpose(1, 2), -1), self.steps + 0


class Accumulator(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("total", torch.zeros(4))

    def forward(self, x):
        self.total.copy_(self.total + x.relu().relu())
        return self.total * 1


class Branch(nn.Module):
    def forward(self, x, y):
        return torch.cond(x.sum() > 0, lambda x, y: (x.relu().relu() + y,), lambda x, y: (x.relu().relu() - y,), (x, y))


class Convolutions(nn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.norm, self.b = nn.Conv2d(3, 4, 3, padding=1), nn.BatchNorm2d(4), nn.Conv2d(4, 2, 1)

    def forward(self, x):
        return self.b(F.relu(F.relu(self.norm(self.a(x)))))


class Tied(nn.Module):
    def __init__(self):
        super().__init__()
        self.a = nn.Linear(4, 4)
        self.b = nn.Linear(4, 4)
        self.b.weight = self.a.weight

    def forward(self, x):
        return self.b(F.relu(F.relu(self.a(x)))), self.a.weight + 0


class Lifted(nn.Module):
    def forward(self, x):
        return x * torch.tensor([1.0, 2.0, 3.0]) + torch.tensor(2)


batch = {"x": {0: Dim("batch", min=1, max=64)}}

CASES = [
    Case("double_relu", module(lambda self, x: x.relu().relu()), two(3, 4)),
    Case("double_relu_train", module(lambda self, x: x.relu().relu()), two(3, 4), decompose=False),
    Case("dynamic_batch", module(lambda self, x: (x.relu().relu() + 0.0).sum(-1)), sizes((4, 3), (7, 3), (1, 3)), batch),
    Case("dynamic_reshape", module(lambda self, x: (x.reshape(-1, 2).relu().relu() * 1.0).view(x.shape[0], 4)),
         sizes((4, 4), (2, 4), (9, 4)), batch),
    Case("sizes_as_outputs", module(lambda self, x: (x.relu().relu(), x.shape[0] * 2, x.shape[0] + 1)),
         sizes((4, 3), (5, 3)), batch),
    Case("split_and_max", module(lambda self, x: (x.relu().relu().max(-1)[0], (x.split([1, 3], -1)[1] - 0.0).sum(-1))), two(3, 4)),
    Case("chunks", module(lambda self, x: [c * 1.0 for c in x.relu().relu().chunk(2, -1)]), two(3, 4)),
    Case("topk", module(lambda self, x: x.relu().relu().topk(2)[1]), two(3, 4)),
    Case("layer_norm", lambda: nn.Sequential(nn.LayerNorm(4), nn.ReLU(), nn.ReLU(), nn.Linear(4, 2)), two(3, 4)),
    Case("index", module(lambda self, x: x[:, torch.tensor([0, 2])].relu().relu()), two(3, 4)),
    Case("index_optional", module(lambda self, x: (x * 1.0)[:, None, x.argmax(-1)].relu().relu()), two(3, 4)),
    Case("cat_stack", module(lambda self, x: torch.cat([x.relu().relu(), torch.stack([x, x])[0]], 1)), two(3, 4)),
    Case("cat_of_one", module(lambda self, x: torch.cat([x.neg()], 0) + 1), two(3, 4)),
    Case("factories", module(lambda self, x: x + torch.full((4,), float("inf")).reciprocal() + torch.arange(4)), two(3, 4)),
    Case("casts", module(lambda self, x: x.to(torch.float64).to(torch.float64).relu().relu().to(torch.float32)), two(3, 4)),
    Case("views", module(lambda self, x: x.expand(3, 4).permute(0, 1)[0:3].neg()), two(3, 4)),
    Case("clones", module(lambda self, x: (x.clone() * 2, x.detach().neg())), two(3, 4)),
    Case("slice_scatter", module(lambda self, x: torch.slice_scatter(x, x.neg(), 0) + 1), two(3, 4)),
    Case("einsum", module(lambda self, x: torch.einsum("ij,kj->ik", x.relu().relu(), x)), two(3, 4)),
    Case("attention", module(lambda self, x: F.scaled_dot_product_attention(x, x, x.relu().relu())), two(2, 3, 4)),
    Case("cache", Cache, [(randn(1, 3, 8), torch.tensor([0, 1, 2])), (randn(1, 3, 8, seed=1), torch.tensor([5, 3, 9]))]),
    Case("cache_train", Cache, [(randn(1, 3, 8), torch.tensor([0, 1, 2])), (randn(1, 3, 8, seed=1), torch.tensor([5, 3, 9]))],
         decompose=False),
    Case("accumulator", Accumulator, two(4)),
    Case("branch", Branch, [(randn(4), randn(4, seed=1)), (-randn(4).abs(), randn(4)), (randn(4).abs(), randn(4))]),
    Case("convolutions", Convolutions, two(2, 3, 5, 5)),
    Case("tied", Tied, two(3, 4)),
    Case("lifted", Lifted, two(2, 3)),
]


def transformer_cases():
    """Tiny models with random weights."""
    import transformers

    ids = [(torch.tensor([[1, 5, 7, 2]]),), (torch.tensor([[3, 3, 0, 9]]),)]

    def made(config, kind):
        class Wrapped(nn.Module):
            def __init__(self):
                super().__init__()
                self.model = kind(config)

            def forward(self, x):
                return self.model(x, use_cache=False, return_dict=True).last_hidden_state

        return Wrapped

    small = dict(vocab_size=16, hidden_size=8, num_hidden_layers=2, num_attention_heads=2, intermediate_size=16)
    llama = transformers.LlamaConfig(**small, num_key_value_heads=2, max_position_embeddings=16)
    gpt2 = transformers.GPT2Config(vocab_size=16, n_embd=8, n_layer=2, n_head=2, n_positions=16)
    bert = transformers.BertConfig(**small, max_position_embeddings=16)

    class Bert(nn.Module):
        def __init__(self):
            super().__init__()
            self.model = transformers.BertModel(bert, add_pooling_layer=False)

        def forward(self, x):
            return self.model(x).last_hidden_state

    return [
        Case("llama", made(llama, transformers.LlamaModel), ids),
        Case("gpt2", made(gpt2, transformers.GPT2Model), ids),
        Case("bert", Bert, ids),
    ]
