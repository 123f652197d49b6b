"""Steps of real models that write in place: each a function over state that it keeps, called several times.

Models have tiny random configurations; nothing is downloaded.
"""

import copy
import dataclasses
import typing

import torch
from torch import nn
from torch.nn import functional as F

MODELS = {}


@dataclasses.dataclass
class Model:
    """`make` gives the step and the arguments of each call."""

    make: typing.Callable
    cache: bool  # writes a KV cache


def model(cache=False):
    def register(make):
        MODELS[make.__name__] = Model(make, cache)
        return make

    return register


def captured(step, arguments):
    """Dynamo's graph of the step, a copy of what it was called with, and which of it are the arguments."""
    found = []

    def backend(module, inputs):
        at = {id(value): place for place, value in enumerate(inputs)}
        places = [at.get(id(argument)) for argument in arguments]  # none of one that the graph does not read
        found.append((module, copy.deepcopy(list(inputs)), places))
        return module.forward

    torch._dynamo.reset()
    with torch.no_grad():
        torch.compile(step, backend=backend, fullgraph=True, dynamic=False)(*arguments)
    (result,) = found
    return result


# ---------------------------------------------------------------- decoding with a static cache

SMALL = dict(vocab_size=16, hidden_size=16, num_hidden_layers=2, num_attention_heads=2, intermediate_size=16, max_position_embeddings=8)


def decoding(kind, config):
    import transformers

    torch.manual_seed(0)
    config._attn_implementation = "eager"
    language_model = getattr(transformers, kind)(config).eval()
    cache = transformers.StaticCache(config=config, max_cache_len=8)
    with torch.no_grad():  # what the cache holds is made by the first tokens
        language_model(torch.tensor([[1, 2]]), past_key_values=cache, cache_position=torch.arange(2), use_cache=True)

    def step(token, position):
        return language_model(token, past_key_values=cache, cache_position=position, use_cache=True).logits

    return step, [(torch.tensor([[3 + i]]), torch.tensor([2 + i])) for i in range(3)]


@model(cache=True)
def llama():
    import transformers

    return decoding("LlamaForCausalLM", transformers.LlamaConfig(**SMALL, num_key_value_heads=1))


@model(cache=True)
def gpt_neox():
    import transformers

    return decoding("GPTNeoXForCausalLM", transformers.GPTNeoXConfig(**SMALL))


@model(cache=True)
def gpt2():
    import transformers

    return decoding("GPT2LMHeadModel", transformers.GPT2Config(vocab_size=16, n_embd=16, n_layer=2, n_head=2, n_positions=8))


@model(cache=True)
def mixtral():
    import transformers

    return decoding("MixtralForCausalLM", transformers.MixtralConfig(**SMALL, num_key_value_heads=1, num_local_experts=2))


@model(cache=True)
def paged_cache():
    """A cache of pages, written by slots; a page table says where each sequence stands."""
    torch.manual_seed(0)
    keys, values = torch.zeros(4, 2, 2, 4), torch.zeros(4, 2, 2, 4)  # page, place, head, size
    project = nn.Linear(8, 24)

    def step(x, slots, pages):
        q, k, v = project(x).view(-1, 3, 2, 4).unbind(1)
        keys.view(-1, 2, 4)[slots] = k
        values.view(-1, 2, 4)[slots] = v
        seen, held = keys[pages].flatten(1, 2), values[pages].flatten(1, 2)
        weights = torch.softmax(torch.einsum("bhd,bthd->bht", q, seen), -1)
        return torch.einsum("bht,bthd->bhd", weights, held)

    pages = torch.tensor([[0, 2], [1, 3]])
    return step, [(torch.randn(2, 8), torch.tensor(slots), pages) for slots in ([0, 2], [1, 3], [4, 6])]


# ---------------------------------------------------------------- state of training


@model()
def adam():
    torch.manual_seed(0)
    parameters = [torch.randn(3, 2), torch.randn(2)]
    firsts, seconds = [torch.zeros_like(p) for p in parameters], [torch.zeros_like(p) for p in parameters]
    count = torch.zeros(())

    def step(*gradients):
        count.add_(1)
        for p, g, m, v in zip(parameters, gradients, firsts, seconds):
            g = g.add(p, alpha=0.01)
            m.lerp_(g, 0.1)
            v.mul_(0.999).addcmul_(g, g.conj(), value=0.001)
            root = (v.sqrt() / (1 - 0.999**count).sqrt()).add_(1e-8)
            p.addcdiv_(m / (1 - 0.9**count), root, value=-0.1)
        return parameters[0] + 0

    return step, [tuple(torch.randn_like(p) for p in parameters) for _ in range(3)]


@model()
def adam_over_lists():
    torch.manual_seed(0)
    parameters = [torch.randn(3, 2), torch.randn(2)]
    firsts, seconds = [torch.zeros_like(p) for p in parameters], [torch.zeros_like(p) for p in parameters]

    def step(*gradients):
        gradients = list(gradients)
        torch._foreach_lerp_(firsts, gradients, 0.1)
        torch._foreach_mul_(seconds, 0.999)
        torch._foreach_addcmul_(seconds, gradients, gradients, 0.001)
        roots = torch._foreach_sqrt(seconds)
        torch._foreach_div_(roots, 0.03)
        torch._foreach_add_(roots, 1e-8)
        torch._foreach_addcdiv_(parameters, firsts, roots, -0.1)
        return roots[0]

    return step, [tuple(torch.randn_like(p) for p in parameters) for _ in range(3)]


@model()
def running_statistics():
    torch.manual_seed(0)
    net = nn.Sequential(nn.Conv2d(2, 3, 1), nn.BatchNorm2d(3), nn.ReLU(inplace=True), nn.Flatten(), nn.BatchNorm1d(12, momentum=0.3)).train()
    return net, [(torch.randn(4, 2, 2, 2),) for _ in range(3)]


@model()
def rotary_in_place():
    torch.manual_seed(0)
    angles = torch.outer(torch.arange(8.0), torch.tensor([1.0, 0.1]))
    cosines, sines, queries = angles.cos(), angles.sin(), torch.zeros(8, 2, 4)

    def step(x, position):
        queries.copy_(x)
        cos, sin = cosines[position][:, None], sines[position][:, None]
        left, right = queries.chunk(2, -1)
        old = left.clone()
        left.mul_(cos).sub_(right * sin)
        right.mul_(cos).add_(old * sin)
        return queries.sum(-1)

    return step, [(torch.randn(8, 2, 4), torch.arange(8) - i if i == 0 else torch.arange(8).flip(0)) for i in range(3)]


@model()
def history():
    """A ring of past states, moved on by one place and written at its end."""
    ring, place = torch.zeros(4, 3), torch.zeros((), dtype=torch.int64)

    def step(x):
        ring[:-1] = ring[1:].clone()
        ring[-1].copy_(x).mul_(2)
        place.add_(1).remainder_(4)
        ring.index_add_(0, place[None], x[None])
        return ring.mean(0), F.relu(ring[-1] - 1, inplace=True)

    return step, [(torch.randn(3, generator=torch.Generator().manual_seed(i)),) for i in range(3)]


def fresh(name):
    """As `captured`, and the arguments of each call."""
    step, calls = MODELS[name].make()
    return *captured(step, copy.deepcopy(calls[0])), calls
