"""Models whose graphs hold calls that change nothing, and others that only look so.

Every operand is computed first, because the text form shows the metadata of calls and not of inputs.
"""

import torch
from torch import nn
from torch.ao.quantization.fx import _decomposed  # noqa: F401  (registers the ops of quantized_decomposed)

aten = torch.ops.aten
END = 2**63 - 1
LIMITS = (0.1, 0, -128, 127, torch.int8)
NARROW = (0.1, 0, -127, 127, torch.int8)


class Case(nn.Module):
    """A function as a module, so that export takes it. `decompositions` says which forms are captured."""

    def __init__(self, function, shapes, decompositions):
        super().__init__()
        self.function, self.shapes, self.decompositions = function, shapes, decompositions

    def forward(self, *arguments):
        return self.function(*arguments)

    def arguments(self):
        return tuple(torch.zeros(shape) if isinstance(shape, tuple) else torch.zeros(1, dtype=torch.int64) for shape in self.shapes)


REMOVABLE, TRAPS = {}, {}


def case(table, *shapes, decompositions=(0, 1)):
    def register(function):
        table[function.__name__] = Case(function, shapes or ((2, 3),), decompositions)
        return function

    return register


# ---------------------------------------------------------------- calls that change nothing


@case(REMOVABLE)
def same_dtype_and_device(x):
    y = x * 2
    return y.to(torch.float32) + y.to("cpu") + y.to(dtype=torch.float32, device=y.device)


@case(REMOVABLE)
def to_copy(x):
    return aten._to_copy(x * 2, dtype=torch.float32) + 1


@case(REMOVABLE)
def clone(x):
    return (x * 2).clone() + 1


@case(REMOVABLE)
def alias(x):
    return aten.alias(x * 2) + 1


@case(REMOVABLE)
def detach(x):
    return (x > 0).detach().logical_not()


@case(REMOVABLE)
def full_slices(x):
    y = x * 2
    return y[:] + aten.slice(y, 1, 0, END) + aten.slice_copy(y, 0, -5, 7)


@case(REMOVABLE)
def expand(x):
    y = x * 2
    return y.expand(2, 3) + y.expand(-1, -1) + aten.expand_copy(y, [2, 3])


@case(REMOVABLE)
def views(x):
    y = x * 2
    return y.view(2, 3) + y.reshape(2, -1) + aten.view_copy(y, [2, 3])


@case(REMOVABLE)
def permute(x):
    y = x * 2
    return y.permute(0, 1) + aten.permute_copy(y, [0, 1])


@case(REMOVABLE, (2, 3), (2, 3))
def slice_scatter(x, z):
    return torch.slice_scatter(x * 2, z * 3, 0, 0, END) + 1


@case(REMOVABLE)
def lone_cat(x):
    return torch.cat([x * 2], 1) + 1


@case(REMOVABLE)
def requantised_slice(x):
    ops = torch.ops.quantized_decomposed
    d = ops.dequantize_per_tensor(ops.quantize_per_tensor(x, *LIMITS), *LIMITS)
    return ops.dequantize_per_tensor(ops.quantize_per_tensor(aten.slice_copy(d, 0, 0, END), *LIMITS), *LIMITS)


@case(REMOVABLE)
def requantised_slice_within_narrow_bounds(x):
    ops = torch.ops.quantized_decomposed
    d = ops.dequantize_per_tensor(ops.quantize_per_tensor(x * 100, *NARROW), *NARROW)
    return ops.dequantize_per_tensor(ops.quantize_per_tensor(aten.slice_copy(d, 0, 0, END), *NARROW), *NARROW)


@case(REMOVABLE, (4, 8), "index", (1, 8), decompositions=(1, 2, 3))
def write_cache(cache, position, value):
    cache.index_put_([position], value)
    return cache.sum(-1)


# ---------------------------------------------------------------- calls that only look so


@case(TRAPS)
def casts(x):
    y = x * 2
    return y.to(torch.float16), aten._to_copy(y, dtype=torch.int64), y.to(torch.float32, memory_format=torch.contiguous_format)


@case(TRAPS)
def reinterpreted_bits(x):
    return (x * 2).view(torch.int32) + 1


@case(TRAPS)
def clone_of_an_input(x):
    return x.clone()


@case(TRAPS)
def clone_beside_its_operand(x):
    y = x + 1
    return y, y.clone(), aten.slice_copy(y, 0, 0, END), torch.cat([y])


@case(TRAPS, decompositions=(0,))
def operand_written_later(x):
    y = x * 2
    copies = y.clone(), aten._to_copy(y), y.to(torch.float32, copy=True), torch.cat([y]), aten.view_copy(y, [2, 3])
    y.add_(1)
    return y, [copy * 2 for copy in copies]


@case(TRAPS, decompositions=(0,))
def copy_written_later(x):
    y = x * 2
    copies = y.clone(), y.to(torch.float32, copy=True), aten.expand_copy(y, [2, 3]), torch.slice_scatter(y, y * 3, 0, 0, END)
    for copy in copies:
        copy.add_(1)
    return y * 1, [copy * 2 for copy in copies]


@case(TRAPS, decompositions=(0,))
def alias_written_later(x):
    y = x * 2
    for view in (aten.alias(y), y.view(2, 3), y[:], y.to(torch.float32), y.permute(0, 1)):
        view.add_(1)
    return y * 1


@case(TRAPS, decompositions=(0,))
def input_written_later(x):
    y = x.clone()
    x.add_(1)
    return y * 2


@case(TRAPS)
def strides_matter_to_a_later_view(x):
    y = (x * 2).t()
    return (y.clone(memory_format=torch.contiguous_format).view(-1), torch.cat([y]).view(-1),
            aten.slice_copy(y, 0, 0, END).view(-1) if aten.slice_copy(y, 0, 0, END).is_contiguous() else y.reshape(-1))


@case(TRAPS, (2, 3), (3, 2))
def scattered_strides(x, z):
    return torch.slice_scatter(x * 2, (z * 3).t(), 0, 0, END).view(-1)


@case(TRAPS, (4, 3), (1, 3))
def part_of_a_scatter(x, z):
    return torch.slice_scatter(x * 2, z * 3, 0, 0, 1), (x * 2)[:1] + 1


@case(TRAPS)
def quantised_on_purpose(x):
    ops = torch.ops.quantized_decomposed
    d = ops.dequantize_per_tensor(ops.quantize_per_tensor(x, *LIMITS), *LIMITS)
    other = ops.quantize_per_tensor(aten.slice_copy(d, 0, 0, END), 0.2, *LIMITS[1:])
    return ops.quantize_per_tensor(d, *LIMITS), other


@case(TRAPS)
def clamped_and_rounded_by_a_requantisation(x):
    ops = torch.ops.quantized_decomposed
    wide = ops.dequantize_per_tensor(ops.quantize_per_tensor(x * 100, *LIMITS), *NARROW)
    exact = (0.1, 0, -(2**31), 2**31 - 1, torch.int32)
    large = ops.dequantize_per_tensor((x * 1000).to(torch.int32) + 123456789, *exact)
    return (ops.quantize_per_tensor(aten.slice_copy(wide, 0, 0, END), *NARROW),
            ops.quantize_per_tensor(aten.slice_copy(large, 0, 0, END), *exact))


@case(TRAPS, (4, 8), (4, 8), "index", (1, 8))
def copies_that_do_something(x, y, position, value):
    updated = aten.index_put(x * 2, [position], value)
    strided = (y * 2).t().contiguous().t()
    return (aten.copy(y * 3, updated), aten.copy(x * 3, y), aten.copy(strided, aten.index_put(strided, [position], value)),
            aten.copy(x.to(torch.float64), updated))


@case(TRAPS, (4, 8), "index", (1, 8))
def read_between_write_and_copy(cache, position, value):
    state = cache * 2
    updated = aten.index_put(state, [position], value)
    result = aten.copy(state, updated)
    state.mul_(3)
    return result + state, updated * 1


@case(TRAPS)
def demanded_copy_beside_a_view(x):
    y = x * 2
    return y.to(torch.float32, copy=True), y.unsqueeze(0)


@case(TRAPS, decompositions=(0,))
def write_from_a_copy_of_its_own_row(x):
    """Eager refuses a write whose source overlaps the destination, so the copy is needed."""
    y = x * 2
    y.add_(y[:1].clone())
    y.copy_(aten._to_copy(y[1:]))
    y.mul_(torch.cat([y[:1]]))
    return y
