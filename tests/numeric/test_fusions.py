"""fusions.rules: each rule in eager PyTorch with its fused op replaced by what the op is specified to compute, where
it may apply and where it must not, and in graphs of real transformers models.
"""

import os
import unittest

try:
    import torch
except ImportError as missing:
    raise unittest.SkipTest(f"needs torch: {missing}")
import torch.nn.functional as F
from torch.ao.quantization.fx import _decomposed  # noqa: F401  (registers the ops of quantized_decomposed)

import fused_ops
import harness

if harness.program() is None:
    missing = "needs a built fxrules: set FXRULES or build the release preset"
    raise FileNotFoundError(missing) if os.environ.get("CI") == "true" else unittest.SkipTest(missing)

RULES = [harness.rule_file("fusions.rules")]
GRAPHS = harness.ROOT / "tests/data/transformer_layers"
quantise = torch.ops.quantized_decomposed.quantize_per_tensor
dequantise = torch.ops.quantized_decomposed.dequantize_per_tensor
REAL = {  # what the rules find in one layer of each model
    "llama": {"rms_norm": 3, "attention": 1},
    "llama_bf16": {"rms_norm": 3},
    "qwen2": {"rms_norm": 3, "attention": 1},
    "gpt_neox": {"attention": 1},
    "gpt2": {"attention": 1},
    "mixtral": {"rms_norm": 2, "attention": 1},
    "t5": {"rms_norm": 3, "linear_relu": 1},
    "opt": {"linear_relu": 1, "attention": 1},
    "phi3": {"rms_norm": 3, "silu_and_mul": 1, "attention": 1},
}


def wide_norm(x, w, square=lambda h: h.pow(2), weigh=lambda h, w, t: w * h.to(t)):
    h = x.to(torch.float32)
    return weigh(h * torch.rsqrt(square(h).mean(-1, keepdim=True) + 1e-6), w, torch.float32)


def t5_norm(x, w):
    variance = x.to(torch.float32).pow(2).mean(-1, keepdim=True)
    return w * (x * torch.rsqrt(variance + 1e-6))


def eager_attention(q, k, v, m=None, scaled=lambda s: s * 0.25, swapped=lambda k: k.transpose(2, 3)):
    scores = scaled(torch.matmul(q, swapped(k)))
    scores = scores if m is None else scores + m
    return torch.matmul(F.dropout(torch.softmax(scores, -1), 0.1, False), v)


def batch_normed(x, w, b, m, v, g, c):
    return F.batch_norm(torch.conv2d(x, w, b, 1, 1), m, v, g, c, False, 0.1, 1e-3)


SMALL = (0.1, 0, -128, 127, torch.int8)
QKV = "q=f32[2,3,4,8]\nk=f32[2,3,5,8]\nv=f32[2,3,5,8]\n"
NORM = "x=f32[2,4]\nw=f32[4]"
CONV = "x=f32[2,3,5,5]\nw=f32[4,3,3,3]\nb=f32[4]\nm=f32[4]\nv=f32[4]\ng=f32[4]\nc=f32[4]"

# rule, function, inputs, tolerance (none where the fused op is specified in the same words)
FUSED = [
    ("dropout_off", lambda x: F.dropout(x.abs(), 0.5, False), "x=f32[5]", 0),
    ("dropout_of_none", lambda x: F.dropout(x.abs(), 0.0, True), "x=f32[5]", 0),
    ("rms_norm", lambda x, w: wide_norm(x, w), NORM, 0),
    ("rms_norm", lambda x, w: wide_norm(x, w, lambda h: h * h), NORM, 0),
    ("rms_norm", lambda x, w: wide_norm(x, w, torch.square), NORM, 0),
    ("rms_norm", lambda x, w: wide_norm(x, w, weigh=lambda h, w, t: h * w), NORM, 0),
    ("rms_norm", t5_norm, NORM, 0),
    ("rms_norm", lambda x, w: wide_norm(x, w, weigh=lambda h, w, t: w * h.to(torch.bfloat16)), "x=bf16[2,4]\nw=bf16[4]", 0),
    ("rms_norm", lambda x, w: w * (x.float() * torch.rsqrt(x.float().pow(2).mean(-1, keepdim=True) + 1e-6)).type_as(x), "x=f16[2,4]\nw=f16[4]", 0),
    ("rms_norm_call", lambda x, w: F.rms_norm(x, (4,), w, 1e-6), NORM, 1e-6),
    ("linear_relu", lambda x, w, b: F.relu(F.linear(x, w, b)), "x=f32[2,4]\nw=f32[6,4]\nb=f32[6]", 0),
    ("linear_relu", lambda x, w: F.linear(x, w).view(3, 4).unsqueeze(0).relu(), "x=f32[2,4]\nw=f32[6,4]", 0),
    ("silu_and_mul", lambda x: (lambda g, u: F.silu(g) * u)(*[x.chunk(2, -1)[i] for i in (0, 1)]), "x=f32[3,8]", 0),
    ("silu_and_mul", lambda x: x[..., 4:] * F.silu(x[..., :4]), "x=f32[3,8]", 0),
    ("silu_and_mul", lambda x: (lambda s: s[-1] * F.silu(s[-2]))(x.split(4, dim=1)), "x=f32[3,8]", 0),
    ("silu_and_mul", lambda x: F.silu(torch.ops.aten.slice.Tensor(x, 1, 0, 4)) * torch.ops.aten.slice.Tensor(x, 1, 4, 8), "x=f32[3,8]", 0),
    ("attention", lambda q, k, v, m: eager_attention(q, k, v, m), QKV + "m=f32[2,1,4,5]", 1e-6),
    ("attention", lambda q, k, v: eager_attention(q, k, v), QKV, 1e-6),
    ("attention", lambda q, k, v: eager_attention(q, k, v, scaled=lambda s: s / 8), QKV, 1e-6),
    ("attention", lambda q, k, v: eager_attention(q, k, v, scaled=lambda s: s), QKV, 1e-6),
    ("attention", lambda q, k, v: eager_attention(q, k, v, swapped=lambda k: k.permute(0, 1, 3, 2)), QKV, 1e-6),
    ("attention", lambda q, k, v: eager_attention(q, k, v, swapped=lambda k: k.transpose(-2, -1)), QKV, 1e-6),
    ("requantise", lambda x: quantise(dequantise((x * 60 - 99).to(torch.int8), *SMALL), *SMALL), "x=i32[9]", 0),
    ("requantise_relu", lambda x: dequantise(torch.relu(quantise(x, *SMALL)), *SMALL), "x=f32[9]", 0),
    ("requantise_relu", lambda x: dequantise(torch.relu(quantise(x, 0.1, 3, 3, 255, torch.uint8)), 0.1, 3, 3, 255, torch.uint8), "x=f32[9]", 0),
    ("conv_batch_norm", lambda x, w, b, m, v, g, c: batch_normed(x, w, b, m, v * v, g, c), CONV, 1e-4),
    ("conv_batch_norm", lambda x, w, b, m, v, g, c: batch_normed(x, w, None, m, v * v, g, c), CONV, 1e-4),
    ("split_cat", lambda x: (lambda s: torch.cat([s[0], s[1], s[2]], 1).abs())(x.split([1, 2, 3], 1)), "x=f32[2,6] strides=(6,1)", 0),
    ("split_cat", lambda x: (lambda s: torch.cat((s[0], s[1]), -1) + 1)(x.chunk(2, -1)), "x=f32[2,6] strides=(6,1)", 0),
    ("matmul_nt", lambda a, b: a @ b.t(), "a=f32[2,4]\nb=f32[3,4]", 0),
    ("matmul_nt", lambda a, b: torch.matmul(a, b.permute(0, 2, 1)), "a=f32[5,2,4]\nb=f32[5,3,4]", 0),
    ("matmul_tn", lambda a, b: torch.transpose(a, 0, 1) @ b, "a=f32[4,2]\nb=f32[4,3]", 0),
    ("add_numbers", lambda x: x + 3 + 4, "x=i64[5]", 0),
    ("add_three", lambda x, y, z: x + y + z, "x=f32[5]\ny=f32[5]\nz=f32[5]", 0),
    ("add_more", lambda x, y, z: x + y + z + (x * y), "x=f32[5]\ny=f32[5]\nz=f32[5]", 0),
    ("permutes", lambda x: x.permute(1, 2, 0).permute(-1, 0, 1) + 1, "x=f32[2,3,4]", 0),
    ("permute_nothing", lambda x: x.permute(0, 1) + 1, "x=f32[2,3]", 0),
    ("transposes", lambda x: x.transpose(0, 1).transpose(0, 1) + 1, "x=f32[2,3]", 0),
    ("halves", lambda x: (lambda s: s[0] * s[1])(x.split(2, 1)), "x=f32[3,4]", 0),
]

# What looks like a fusion and computes something else, or what nothing tells to be one.
NOT_FUSED = [
    ("the weight multiplies before the conversion", lambda x, w: wide_norm(x, w, weigh=lambda h, w, t: (w * h).to(torch.bfloat16)), "x=bf16[2,4]\nw=bf16[4]"),
    ("the norm is converted to a narrower type than x", lambda x, w: w * wide_norm(x, w, weigh=lambda h, w, t: h.to(torch.float16)), NORM),
    ("the squares are taken in half precision", lambda x, w: w * (x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-6)), "x=f16[2,4]\nw=f16[4]"),
    ("the mean is over another dimension", lambda x, w: w * (x * torch.rsqrt(x.pow(2).mean(0, keepdim=True) + 1e-6)), "x=f32[4,4]\nw=f32[4]"),
    ("the square is of another value", lambda x, y, w: w * (x * torch.rsqrt(y.pow(2).mean(-1, keepdim=True) + 1e-6)), "x=f32[2,4]\ny=f32[2,4]\nw=f32[4]"),
    ("two values that are multiplied are no square", lambda x, y, w: w * (x * torch.rsqrt((x * y).mean(-1, keepdim=True) + 1e-6)), "x=f32[2,4]\ny=f32[2,4]\nw=f32[4]"),
    ("the linear has another reader", lambda x, w: (lambda l: (F.relu(l), l * 2))(F.linear(x, w)), "x=f32[2,4]\nw=f32[6,4]"),
    ("the view reads the bits as another type", lambda x, w: F.relu(F.linear(x, w).view(torch.int32)), "x=f32[2,4]\nw=f32[6,4]"),
    ("the halves are exchanged", lambda x: F.silu(x[..., 4:]) * x[..., :4], "x=f32[3,8]"),
    ("the parts are no halves", lambda x: F.silu(x[..., :3]) * x[..., 3:4], "x=f32[3,8]"),
    ("the halves are of the first dimension", lambda x: F.silu(x.chunk(2)[0]) * x.chunk(2)[1], "x=f32[4,8]"),
    ("a bool mask is added", lambda q, k, v, m: eager_attention(q, k, v, m), QKV + "m=b8[2,1,4,5]"),
    ("the mask has more batches", lambda q, k, v, m: eager_attention(q, k, v, m), "q=f32[1,3,4,8]\nk=f32[1,3,5,8]\nv=f32[1,3,5,8]\nm=f32[2,1,4,5]"),
    ("softmax over another dimension", lambda q, k, v: torch.softmax(q @ k.transpose(2, 3), 2) @ v, QKV),
    ("the weights are dropped out", lambda q, k, v: (lambda p: (p @ v, p))(torch.softmax(q @ k.transpose(2, 3), -1)), QKV),
    ("softmax in float32 of half scores", lambda q, k, v: torch.softmax(q @ k.transpose(2, 3), -1, dtype=torch.float32).to(torch.bfloat16) @ v, QKV.replace("f32", "bf16")),
    ("the bounds cut", lambda x: quantise(dequantise(x.to(torch.int8), 0.1, 0, -1, 1, torch.int8), 0.1, 0, -1, 1, torch.int8), "x=i32[9]"),
    ("another scale", lambda x: quantise(dequantise(x.to(torch.int8), *SMALL), 0.2, *SMALL[1:]), "x=i32[9]"),
    ("relu of numbers whose zero is elsewhere", lambda x: dequantise(torch.relu(quantise(x, 0.1, -128, -128, 127, torch.int8)), 0.1, -128, -128, 127, torch.int8), "x=f32[9]"),
    ("statistics of the batch", lambda x, w, m, v: F.batch_norm(torch.conv2d(x, w), None, None, m, v, True), "x=f32[2,3,5,5]\nw=f32[4,3,3,3]\nm=f32[4]\nv=f32[4]"),
    ("the parts are in another order", lambda x: (lambda s: torch.cat([s[1], s[0]], 1) + 1)(x.split([3, 3], 1)), "x=f32[2,6]"),
    ("a part is missing", lambda x: (lambda s: torch.cat([s[0], s[1]], 1) + s[2].sum())(x.split([2, 2, 2], 1)), "x=f32[2,6]"),
    ("the order of floats", lambda x: x + 3 + 4, "x=f32[5]"),
    ("sums of other shapes", lambda x, y, z: x + y + z, "x=f32[5]\ny=f32[1]\nz=f32[5]"),
]


def traced(function):
    return f"{torch.fx.symbolic_trace(function).graph}\n"


def options(specs):
    return [word for line in specs.splitlines() for word in ("--input", line)]


class Fusions(unittest.TestCase):
    def same(self, before, after, specs, tolerance):
        for seed in (0, 1):
            inputs = harness.make_inputs(specs, seed)
            old = harness.run(before, inputs)
            with fused_ops.references():
                new = harness.run(after, inputs)
            self.assertEqual(harness.differences(old, new, tolerance=tolerance), [], f"{before}\n{after}")

    def test_what_is_fused_computes_the_same(self):
        for rule, function, specs, tolerance in FUSED:
            before = traced(function)
            with self.subTest(rule, graph=before):
                applied = harness.apply(RULES, before, options(specs))
                self.assertIn(rule, applied.counts(), applied.text)
                self.same(before, applied.text, specs, tolerance)

    def test_what_would_compute_something_else_is_not_fused(self):
        for why, function, specs in NOT_FUSED:
            before = traced(function)
            with self.subTest(why):
                applied = harness.apply(RULES, before, options(specs))
                fused = set(applied.counts()) - {"matmul_nt", "matmul_tn", "dropout_off"}
                self.assertEqual(fused, set(), applied.text)
                self.same(before, applied.text, specs, 0)

    def test_unknown_metadata_is_not_fused(self):
        for rule, function, _, _ in FUSED:
            if rule in ("rms_norm", "linear_relu", "silu_and_mul", "attention", "conv_batch_norm", "add_numbers", "add_three"):
                self.assertNotIn(rule, harness.apply(RULES, traced(function)).counts())

    def test_graphs_of_real_models(self):
        for name, expected in REAL.items():
            with self.subTest(name):
                before = (GRAPHS / f"{name}.txt").read_text()
                inputs = GRAPHS / f"{name}.inputs"
                applied = harness.apply(RULES, before, ["--inputs", inputs])
                found = {rule: count for rule, count in applied.counts().items() if rule in ("rms_norm", "linear_relu", "silu_and_mul", "attention")}
                self.assertEqual(found, expected)
                again = harness.apply(RULES, applied.text, ["--inputs", inputs])
                self.assertEqual(again.counts(), {})
                self.same(before, applied.text, inputs.read_text(), 1e-4 if name != "llama_bf16" else 0.02)


if __name__ == "__main__":
    unittest.main()
