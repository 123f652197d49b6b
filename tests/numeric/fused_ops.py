"""What the fused ops of fusions.rules compute, as the kernels that they are named after do. Importing this gives
them to torch; `references()` also puts attention in the words that the kernel is specified in.
"""

import contextlib
import unittest.mock

import torch
from torch import library as torch_library
import torch.nn.functional as F


def rms_norm(x, weight, epsilon):
    """In float32, back in x's type before the weight."""
    wide = x.to(torch.float32)
    scaled = wide * torch.rsqrt(wide.pow(2).mean(-1, keepdim=True) + epsilon)
    return scaled.to(x.dtype) * weight


def silu_and_mul(x):
    half = x.shape[-1] // 2
    return F.silu(x[..., :half]) * x[..., half:]


def in_order(inputs):
    total = inputs[0]
    for value in inputs[1:]:
        total = total + value
    return total


def attention(query, key, value, attn_mask=None, dropout_p=0.0, is_causal=False, *, scale=None, enable_gqa=False):
    assert dropout_p == 0.0 and not is_causal and not enable_gqa
    scores = query @ key.transpose(-2, -1) * (query.shape[-1] ** -0.5 if scale is None else scale)
    return torch.softmax(scores if attn_mask is None else scores + attn_mask, -1) @ value


OPS = {
    "vllm::rms_norm(Tensor input, Tensor weight, float epsilon) -> Tensor": rms_norm,
    "vllm::silu_and_mul(Tensor input) -> Tensor": silu_and_mul,
    "fused::linear_relu(Tensor input, Tensor weight, Tensor? bias=None) -> Tensor": lambda x, w, b=None: F.relu(F.linear(x, w, b)),
    "fused::matmul_nt(Tensor a, Tensor b) -> Tensor": lambda a, b: a @ b.transpose(-1, -2),
    "fused::matmul_tn(Tensor a, Tensor b) -> Tensor": lambda a, b: a.transpose(-1, -2) @ b,
    "onnx::sum(Tensor[] inputs) -> Tensor": in_order,
}
LIBRARIES = []
for schema, function in OPS.items():
    space, _, signature = schema.partition("::")
    library = torch_library.Library(space, "FRAGMENT")
    library.define(signature)
    library.impl(signature.partition("(")[0], function, "CompositeExplicitAutograd")
    LIBRARIES.append(library)  # a library that goes takes its ops along


@contextlib.contextmanager
def references():
    with unittest.mock.patch.object(torch._C._nn, "scaled_dot_product_attention", attention):
        yield
