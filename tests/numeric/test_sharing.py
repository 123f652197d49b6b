"""Results that share storage with their operand always, sometimes or never: a write to either is seen in the other as
in eager PyTorch, or the write is refused."""

import os
import unittest

try:
    import pytest
    import torch
    import torch.nn.functional as F
except ImportError as missing:
    raise unittest.SkipTest(f"needs torch: {missing}")

import harness
import traced

if harness.program() is None:
    missing = "needs a built fxrules: set FXRULES or build the release preset"
    raise FileNotFoundError(missing) if os.environ.get("CI") == "true" else unittest.SkipTest(missing)

RULES = [harness.rule_file("inplace.rules"), harness.rule_file("noop.rules")]
aten = torch.ops.aten
REAL, COMPLEX, INTS, LINE = "x=f32[4,4]", "x=c64[4,4]", "x=i64[4,4]", "x=f32[4]"

OPS = {
    "adjoint": (COMPLEX, torch.adjoint),
    "alias": (REAL, aten.alias),
    "alpha_dropout": (REAL, lambda x: F.alpha_dropout(x, 0.5, True)),
    "atleast_2d": (REAL, torch.atleast_2d),
    "atleast_3d": (REAL, torch.atleast_3d),
    "broadcast_tensors": (REAL, lambda x: torch.broadcast_tensors(x, torch.zeros(2, 4, 4))[0]),
    "cartesian_prod": (LINE, torch.cartesian_prod),
    "chunk": (REAL, lambda x: torch.unsafe_chunk(x, 2)[1]),
    "clone": (REAL, lambda x: x.clone()),
    "conj": (COMPLEX, lambda x: x.conj()),
    "conj of real": (REAL, lambda x: x.conj()),
    "conj, op": (COMPLEX, torch._conj),
    "conj_physical": (COMPLEX, torch.conj_physical),
    "conj_physical of real": (REAL, torch.conj_physical),
    "contiguous": (REAL, lambda x: x.contiguous()),
    "contiguous of t": (REAL, lambda x: x.t().contiguous()),
    "dropout": (REAL, lambda x: F.dropout(x, 0.5, True)),
    "dropout of all": (REAL, lambda x: torch.dropout(x, 1.0, True)),
    "dropout of none": (REAL, lambda x: torch.dropout(x, 0.0, True)),
    "dropout, evaluating": (REAL, lambda x: F.dropout(x, 0.5, False)),
    "dropout1d": (REAL, lambda x: F.dropout1d(x, 0.5, True)),
    "einsum, diagonal": (REAL, lambda x: torch.einsum("ii->i", x)),
    "einsum, itself": (REAL, lambda x: torch.einsum("ij->ij", x)),
    "einsum, product": (REAL, lambda x: torch.einsum("ij,ij->ij", x, x)),
    "einsum, sum": (REAL, lambda x: torch.einsum("ij->i", x)),
    "einsum, transposed": (REAL, lambda x: torch.einsum("ij->ji", x)),
    "feature_dropout": (REAL, lambda x: torch.feature_dropout(x, 0.5, True)),
    "flatten": (REAL, lambda x: x.flatten()),
    "float": (REAL, lambda x: x.float()),
    "floor of ints": (INTS, lambda x: x.floor()),
    "lift": (REAL, aten.lift),
    "meshgrid": (LINE, lambda x: torch.meshgrid(x, torch.zeros(3), indexing="ij")[0]),
    "mH": (COMPLEX, lambda x: x.mH),
    "neg_view": (REAL, torch._neg_view),
    "positive": (REAL, torch.positive),
    "real": (COMPLEX, torch.real),
    "real of real": (REAL, torch.real),
    "real, attribute": (COMPLEX, lambda x: x.real),
    "imag": (COMPLEX, torch.imag),
    "reshape": (REAL, lambda x: x.reshape(16)),
    "reshape of t": (REAL, lambda x: x.t().reshape(16)),
    "reshape to itself": (REAL, lambda x: x.reshape(4, 4)),
    "resolve_conj": (COMPLEX, lambda x: x.resolve_conj()),
    "resolve_conj of conj": (COMPLEX, lambda x: x.conj().resolve_conj()),
    "resolve_neg of neg_view": (REAL, lambda x: torch._neg_view(x).resolve_neg()),
    "squeeze": (REAL, lambda x: x.squeeze()),
    "sum_to_size": (REAL, lambda x: x.sum_to_size(1, 4)),
    "sum_to_size, itself": (REAL, lambda x: x.sum_to_size(4, 4)),
    "to": (REAL, lambda x: x.to(torch.float32)),
    "to another type": (REAL, lambda x: x.to(torch.float64)),
    "to, copying": (REAL, lambda x: x.to(torch.float32, copy=True)),
    "to_dense": (REAL, lambda x: x.to_dense()),
    "type_as": (REAL, lambda x: x.type_as(torch.zeros(1))),
    "unsafe_view": (REAL, lambda x: aten._unsafe_view(x, [16])),
    "view_as_real": (COMPLEX, torch.view_as_real),
}
# Their metadata tells which of them share storage, so that every write is taken.
TOLD = {"adjoint", "clone", "conj", "conj of real", "conj, op", "contiguous", "flatten", "mH", "neg_view", "positive", "real",
        "reshape", "squeeze", "to", "to another type", "to, copying", "to_dense", "unsafe_view",
        "view_as_real"}


def read_of_the_result(op):
    def program(x):
        y = op(x)
        x.mul_(3)
        return y

    return program


def read_of_the_operand(op):
    def program(x):
        y = op(x)
        y.mul_(3)
        return x * 1

    return program


@pytest.mark.parametrize("program", (read_of_the_result, read_of_the_operand))
@pytest.mark.parametrize("name", OPS)
def test_a_write_is_seen_or_refused(name, program):
    specs, op = OPS[name]
    inputs = harness.make_inputs(specs)
    graph = traced.trace(program(op), inputs)
    for metadata in (True, False):
        before = traced.text(graph, metadata)
        try:
            applied = harness.apply(RULES, before)
        except harness.Refused as refused:
            assert set(refused.kinds) == {"lost-write"}, before
            assert not (metadata and name in TOLD), f"{refused}\n{before}"
            continue
        shown = f"--- before\n{before}\n--- after\n{applied.text}"
        old, new = harness.run(before, inputs), harness.run(applied.text, inputs)
        assert harness.differences_of_writes(old, new, applied.report["mutated_inputs"]) == [], shown
