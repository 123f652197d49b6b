"""The two graphs of `./dev demo`: one decode step of a small transformer, seen by Dynamo and by export."""

import math

import torch
from torch import nn
import torch.nn.functional as F

from . import both, capture, dynamo, exported, input_specs, plain, with_metadata

LAYERS, HEADS, HEAD_SIZE, CACHE_LENGTH, WORDS = 2, 2, 8, 16, 32
WIDTH = HEADS * HEAD_SIZE


def rotary(x, positions):
    """Rotates pairs of channels by an angle that grows with the position."""
    half = HEAD_SIZE // 2
    steps = torch.arange(half, device=x.device, dtype=torch.float32)
    angles = positions.to(torch.float32)[:, None] * torch.exp(steps * (-math.log(10000.0) / half))
    low, high = x[..., :half], x[..., half:]
    return torch.cat([low * angles.cos() - high * angles.sin(), low * angles.sin() + high * angles.cos()], dim=-1)


class StaticCache(nn.Module):
    """Keys and values of every position, allocated once and written in place."""

    def __init__(self, batch):
        super().__init__()
        self.register_buffer("keys", torch.zeros(batch, HEADS, CACHE_LENGTH, HEAD_SIZE))
        self.register_buffer("values", torch.zeros(batch, HEADS, CACHE_LENGTH, HEAD_SIZE))

    def forward(self, positions, keys, values):
        self.keys[:, :, positions] = keys.to(self.keys.device)
        self.values.index_copy_(2, positions, values.to(self.values.device))
        return self.keys, self.values


class Attention(nn.Module):
    def __init__(self):
        super().__init__()
        self.projection = nn.Linear(WIDTH, 3 * WIDTH, bias=False)
        self.output = nn.Linear(WIDTH, WIDTH, bias=False)

    def heads(self, x):
        batch, length, _ = x.shape
        split = self.projection(x).view(batch, length, 3, HEADS, HEAD_SIZE).permute(2, 0, 3, 1, 4)
        return split.unbind(0)

    def forward(self, x, positions, mask, cache):
        query, key, value = self.heads(x)
        keys, values = cache(positions, rotary(key, positions), value)
        mixed = F.scaled_dot_product_attention(rotary(query, positions), keys, values, attn_mask=mask)
        return self.output(mixed.transpose(1, 2).reshape(x.shape))


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.attention = Attention()
        self.norms = nn.ModuleList([nn.LayerNorm(WIDTH), nn.LayerNorm(WIDTH)])
        self.up, self.down = nn.Linear(WIDTH, 2 * WIDTH), nn.Linear(2 * WIDTH, WIDTH)

    def forward(self, x, positions, mask, cache):
        x = x + self.attention(self.norms[0](x), positions, mask, cache)
        return x + self.down(F.silu(self.up(self.norms[1](x))))


def causal_mask(positions, dtype, device):
    """0 where a query may look, -inf where the cache lies in its future."""
    mask = torch.full((positions.shape[0], CACHE_LENGTH), float("-inf"), dtype=dtype, device=device)
    future = torch.arange(CACHE_LENGTH, device=device) > positions.to(device)[:, None]
    return torch.where(future, mask, torch.zeros((), dtype=dtype, device=device))


class Decoder(nn.Module):
    """One decode step: tokens and their positions to the logits of the next token."""

    def __init__(self, batch):
        super().__init__()
        self.embedding = nn.Embedding(WORDS, WIDTH)
        self.blocks = nn.ModuleList([Block() for _ in range(LAYERS)])
        self.caches = nn.ModuleList([StaticCache(batch) for _ in range(LAYERS)])
        self.head = nn.Linear(WIDTH, WORDS, bias=False)

    def forward(self, tokens, positions):
        x = self.embedding(tokens)
        mask = causal_mask(positions, x.dtype, x.device)
        with torch.autocast(device_type=x.device.type, dtype=torch.bfloat16, enabled=False):
            for block, cache in zip(self.blocks, self.caches):
                x = block(x, positions, mask, cache)
        logits = self.head(x[:, -1]).to(x.device, torch.float32)
        scores = torch.empty(logits.shape, dtype=logits.dtype, device=x.device)
        scores.copy_(logits)
        return scores


@capture("demo/decode_step.txt", "demo/decode_step.inputs")
def decode_step():
    """`.device` reads become frozen device arguments; both caches are written in place."""
    with torch.no_grad():
        graph = dynamo(Decoder(2).eval(), *decode_inputs(2)).graph
    return plain(graph), input_specs(graph)


def decode_inputs(batch, length=1):
    return torch.zeros(batch, length, dtype=torch.int64), torch.arange(length) + 5


@capture("torch213/decode_dynamic.txt", "torch213/decode_dynamic.meta.txt")
def decode_dynamic():
    """The same model with a prompt of symbolic length."""
    with torch.no_grad():
        return both(dynamo(Decoder(2).eval(), *decode_inputs(2, 3), dynamic=True).graph)


class CachedAttention(nn.Module):
    """The same step for export, where the caller owns the caches and passes them in."""

    def __init__(self):
        super().__init__()
        self.attentions = nn.ModuleList([Attention() for _ in range(LAYERS)])

    def forward(self, x, positions, mask, caches):
        for attention, (keys, values) in zip(self.attentions, caches):
            x = x + attention(x, positions, mask, lambda p, k, v: write_caches(keys, values, p, k, v))
        return x


def write_caches(keys, values, positions, new_keys, new_values):
    keys[:, :, positions] = new_keys
    values.index_copy_(2, positions, new_values)
    return keys, values


def cache_inputs(batch=1):
    shape = (batch, HEADS, CACHE_LENGTH, HEAD_SIZE)
    caches = [(torch.zeros(shape), torch.zeros(shape)) for _ in range(LAYERS)]
    return torch.zeros(batch, 1, WIDTH), torch.tensor([5]), torch.zeros(1, CACHE_LENGTH), caches


@capture("demo/exported_kv_cache.meta.txt", "demo/exported_kv_cache.inputs")
def exported_kv_cache():
    """The second run_decompositions writes each cache back with copy(cache, index_put(cache, ..))."""
    with torch.no_grad():
        graph = exported(CachedAttention().eval(), cache_inputs(), decompositions=2).graph
    return with_metadata(graph), input_specs(graph)
