"""Programs that write in place, of every kind that a functionaliser meets, as users write them.

Each is a function and its inputs, one `name=type` each. `refused` names programs that must end in a diagnostic.
"""

import dataclasses
import typing

import torch
from torch.nn import functional as F

aten = torch.ops.aten
PROGRAMS = {}


@dataclasses.dataclass
class Program:
    function: typing.Callable
    inputs: str
    refused: typing.Optional[str]


def program(refused=None, **inputs):
    def register(function):
        specs = "".join(f"{name}={kind}\n" for name, kind in inputs.items())
        PROGRAMS[function.__name__] = Program(function, specs, refused)
        return function

    return register


# ---------------------------------------------------------------- one base, one view


@program(x="f32[4,2]")
def a_view_of_a_temporary(x):
    ones = torch.ones(4, 2)
    y = x + ones
    y.view(8).add_(1)
    return y * y


@program(x="f32[4,2]")
def a_view_of_an_input(x):
    x.view(2, 4).mul_(3)
    return x.sum()


@program(x="f32[4,2]")
def several_views_of_one_base(x):
    y = x + 0
    a, b = y.view(8), y.view(2, 4)
    a.add_(1)
    b.mul_(2)
    return y, a, b


@program(x="f32[4,2]")
def a_view_of_a_view_of_a_view(x):
    y = x.clone()
    y.view(2, 4).t().reshape(4, 2)[1:3].select(1, 0).add_(7)
    return y


@program(x="f32[4,2]")
def views_stay_views_after_a_write_to_the_base(x):
    y = x + 1
    v = y.view(-1)
    y.mul_(2)
    w = v[2:]
    y.add_(1)
    return v + 0, w + 0


@program(x="f32[4]")
def the_result_of_a_write_is_written(x):
    return x.add_(1).mul_(2).sub_(3), x


@program(x="f32[2,3]")
def a_clone_between_two_views(x):
    y = x.view(-1).clone().view(3, 2)
    y.add_(1)
    x.mul_(5)
    return y, x.t()


@program(x="f32[4,2]")
def only_one_of_two_views_is_written(x):
    y = x.clone()
    a, b = y[0], y[1]
    a.zero_()
    return b + 1, y


@program(x="f32[3,3]")
def a_diagonal(x):
    y = x.clone()
    y.diagonal().add_(1)
    return y * y


@program(x="f32[2,3,4]")
def an_off_diagonal_of_an_input(x):
    x.diagonal(1, 1, 2).fill_(9)
    return x + 1


@program(x="f32[6]")
def a_strided_view(x):
    x.as_strided((2, 2), (2, 1), 1).add_(1)
    return x.neg()


@program(x="f32[6]")
def a_strided_view_of_a_strided_view(x):
    x.as_strided((3, 2), (2, 1)).as_strided((2, 2), (2, 1), 2).mul_(3)
    return x.neg()


@program(x="f32[6]", refused="lost-write")
def an_overlapping_strided_view(x):
    x.as_strided((3, 2), (1, 1)).copy_(torch.ones(3, 2))
    return x.neg()


@program(x="f32[4,3]", refused="lost-write")
def a_view_that_repeats_elements(x):
    x.expand(2, 4, 3)[0].add_(1)
    return x


@program(x="f32[4,1]")
def a_view_that_expands_and_is_read(x):
    y = x.expand(4, 3)
    x.add_(1)
    return y + 0


@program(x="f32[4,3]")
def a_view_that_expands_nothing(x):
    x.expand(4, 3).add_(1)
    x.expand(-1, -1).mul_(2)
    return x


@program(x="f32[4,6]")
def slices_with_steps(x):
    x[::2, 1:5:3].add_(1)
    x[-1, -2:].mul_(2)
    return x


@program(x="f32[4,3]")
def a_row_by_number(x):
    x[0].add_(1)
    x[-1].mul_(2)
    x[1, 2] += 5
    return x


@program(x="f32[2,3,4]")
def turned_views(x):
    x.transpose(0, 2).add_(1)
    x.permute(1, 2, 0)[0].mul_(2)
    x.movedim(0, 1).sub_(1)
    x.swapaxes(1, 2).mul_(3)
    return x + 1


@program(x="f32[3,4]")
def the_transposed_attribute(x):
    x.T.add_(1)
    x.mT.mul_(2)
    x.t().sub_(3)
    return x


@program(x="f32[3,4]")
def the_adjoint(x):
    x.adjoint().add_(1)
    x.H.mul_(2)
    return x


@program(x="f32[2,1,3]")
def views_of_another_rank(x):
    x.squeeze(1).add_(1)
    x.squeeze().mul_(2)
    x.unsqueeze(0).sub_(1)
    x.flatten().mul_(2)
    x.flatten(1, 2).add_(1)
    return x


@program(x="f32[2,6]")
def a_split_dimension(x):
    x.unflatten(1, (2, 3))[:, 0].add_(1)
    x.view(-1)[3:5].zero_()
    return x


@program(x="f32[2,6]")
def views_by_example(x):
    x.view_as(torch.empty(4, 3)).add_(1)
    x.reshape(3, 4).mul_(2)
    x.reshape_as(torch.empty(12)).sub_(1)
    return x


@program(x="f32[4,2]")
def a_window(x):
    x.narrow(0, 1, 2).add_(1)
    x.narrow(-1, -1, 1).mul_(2)
    return x


@program(x="f32[6]")
def windows_that_do_not_overlap(x):
    x.unfold(0, 2, 2).mul_(3)
    return x


@program(x="f32[6]", refused="lost-write")
def windows_that_overlap(x):
    x.unfold(0, 3, 1).copy_(torch.ones(4, 3))
    return x


# ---------------------------------------------------------------- several parts


@program(x="f32[4,2]")
def a_split(x):
    a, b = x.split(2)
    a.add_(1)
    b.mul_(a)
    return x


@program(x="f32[5,2]")
def a_split_with_sizes(x):
    a, b, c = x.split([1, 3, 1])
    b.add_(1)
    c.copy_(a)
    return x, b + 1


@program(x="f32[2,6]")
def chunks(x):
    a, b, c = x.chunk(3, -1)
    b.mul_(2)
    a.add_(c)
    return x


@program(x="f32[5,2]")
def uneven_chunks(x):
    a, b = x.chunk(2)
    b.add_(1)
    return x, a + 1


@program(x="f32[3,2]")
def unbound_rows(x):
    a, b, c = x.unbind(0)
    a.add_(1)
    c.mul_(b)
    return x


@program(x="f32[4,6]")
def splits_of_several_spellings(x):
    a, b = torch.tensor_split(x, 2, dim=1)
    a.add_(1)
    c, d = torch.hsplit(x, 2)
    d.mul_(2)
    e, f = torch.vsplit(x, [1])
    f.sub_(1)
    return x


@program(x="f32[4,2]")
def a_part_of_a_part(x):
    x.split(2)[1].unbind(0)[0].fill_(3)
    return x


# ---------------------------------------------------------------- complex numbers, bits


@program(x="c64[3]")
def real_and_imaginary_parts(x):
    x.real.add_(1)
    x.imag.mul_(2)
    return x * 1


@program(x="f32[3,2]")
def pairs_as_complex_numbers(x):
    torch.view_as_complex(x).mul_(2j)
    return x


@program(x="c64[3]")
def complex_numbers_as_pairs(x):
    torch.view_as_real(x).add_(1)
    return x


@program(x="f32[4]")
def the_bits_of_floats(x):
    x.view(torch.int32).bitwise_and_(0x7FFFFFFF)
    return x


# ---------------------------------------------------------------- the same tensor, perhaps


@program(x="f32[2,3]")
def a_detached_tensor(x):
    x.detach().add_(1)
    return x


@program(x="f32[2,3]")
def the_data_of_a_tensor(x):
    x.data.add_(1)
    x.data[0].mul_(2)
    return x


@program(x="f32[2,3]")
def an_alias(x):
    aten.alias(x).add_(1)
    return x


@program(x="f32[2,3]")
def a_contiguous_tensor(x):
    x.contiguous().add_(1)
    return x


@program(x="f32[2,3] strides=(1,2)")
def a_tensor_that_is_not_contiguous(x):
    y = x.contiguous().add_(1)
    return x, y


@program(x="f32[2,3] strides=(1,2)")
def a_reshape_that_copies(x):
    y = x.reshape(-1).add_(1)
    return x + 1, y


@program(x="f32[2,3]")
def conversions_that_are_none(x):
    x.to(torch.float32).add_(1)
    x.float().mul_(2)
    x.type_as(torch.empty(1)).sub_(1)
    return x


@program(x="f32[2,3]")
def conversions(x):
    y = x.to(torch.float64).add_(1)
    z = x.to(torch.float32, copy=True).add_(1)
    return x, y, z


@program(x="f32[1,2,4,4]")
def channels_last(x):
    y = x.contiguous(memory_format=torch.channels_last)
    y.add_(1)
    return x + 1, y


@program(x="f32[2,3]")
def ravel_and_expand_as(x):
    x.ravel().add_(1)
    x.expand_as(torch.empty(2, 3)).mul_(2)
    return x


# ---------------------------------------------------------------- a tensor takes another's storage


@program(x="f32[3]", y="f32[3]")
def another_storage(x, y):
    z = x + 1
    z.set_(y)
    return z


@program(x="f32[3]", y="f32[3]")
def another_data(x, y):
    z = x + 1
    z.data = y
    z.add_(1)
    return z + 0, y


@program(x="f32[4]", refused="rule-error")
def a_smaller_size(x):
    y = x + 1
    y.resize_(2)
    return y + 1


# ---------------------------------------------------------------- another shape in place


@program(x="f32[2,3]")
def transposed_in_place(x):
    y = x + 1
    y.t_()
    y.add_(1)
    return y, y.sum(0)


@program(x="f32[2,1,3]")
def other_ranks_in_place(x):
    y = x + 1
    v = y[0]
    y.squeeze_(1)
    y.unsqueeze_(0).mul_(2)
    y.transpose_(0, 2)
    return y, v + 1


@program(x="f32[2,3]")
def detached_in_place(x):
    y = x + 1
    y.detach_().add_(1)
    return y


# ---------------------------------------------------------------- copies and fills


@program(x="f32[2,3]", y="f32[3]")
def a_copy_that_broadcasts(x, y):
    x.copy_(y)
    return x + 1


@program(x="f32[2,3]", y="i64[2,3]")
def a_copy_that_casts(x, y):
    x.copy_(y)
    y.copy_(x + 0.5)
    return x, y


@program(x="f32[2,2]", y="f32[2,2] strides=(1,2)")
def a_copy_between_strides(x, y):
    z = torch.empty_strided((2, 2), (1, 2)).copy_(x)
    y.copy_(z)
    return z + 1


@program(x="f32[2,3]")
def a_copy_to_itself(x):
    x.copy_(x)
    x[0].copy_(x[1])
    return x


@program(x="f32[2,3]")
def fills(x):
    y = x + x
    y[0].fill_(2)
    y[1].zero_()
    x.fill_(y.sum())
    return y


@program(x="f32[3,3]")
def a_filled_diagonal(x):
    x.fill_diagonal_(4)
    return x


# ---------------------------------------------------------------- out=


@program(x="f32[4,2]")
def an_out_argument(x):
    z = torch.empty(4, 2)
    torch.add(x, torch.ones(4, 2), out=z)
    return z * z


@program(x="f32[3,4]")
def two_out_arguments(x):
    values, places = torch.empty(4), torch.empty(4, dtype=torch.int64)
    torch.aminmax(x, dim=0, out=(values, torch.empty(4)))
    torch.max(x, 0, out=(values, places))
    return values + 1, places


@program(x="f32[2,3]", y="f32[3]")
def an_out_argument_that_is_a_view(x, y):
    torch.mul(y, 2, out=x[1])
    return x


# ---------------------------------------------------------------- index assignment


@program(x="f32[4,3]", i="i64[2]", v="f32[2,3]")
def assigned_by_tensor(x, i, v):
    x[i] = v
    x[:, i] = 0
    return x


@program(x="f32[4,3]", m="b8[4,3]", r="b8[4]")
def assigned_by_mask(x, m, r):
    x[m] = 1.5
    x[r] = torch.ones(3)
    return x


@program(x="f32[2,4,4]", i="i64[2]")
def assigned_by_position(x, i):
    x[0] = 1
    x[..., -1] = torch.ones(2, 4)
    x[:, 1:, None, 0] = 2
    x[1, i, 2:] = 7
    return x


@program(x="f32[4,3]", i="i64[2]", v="f32[2,3]")
def accumulated_by_index(x, i, v):
    x.index_put_((i,), v, accumulate=True)
    x.index_add_(0, i, v)
    x.index_copy_(0, torch.tensor([3, 1]), v)
    x.scatter_(1, torch.zeros(4, 1, dtype=torch.int64), 2.0)
    x.scatter_add_(0, torch.zeros(1, 3, dtype=torch.int64), v[:1])
    return x


@program(x="f32[2,4,4]", i="i64[2]", v="f32[2,2,4]")
def index_put_with_holes(x, i, v):
    aten.index_put_(x, [None, i], v)
    return x


@program(x="f32[4,3]", i="i64[2]")
def an_indexed_copy_is_no_view(x, i):
    y = x[i]
    y.add_(1)
    x[x > 0].mul_(2)
    return x, y


# ---------------------------------------------------------------- several operands, statistics, random numbers


@program(x="f32[3]", y="f32[2]")
def lists_of_operands(x, y):
    torch._foreach_add_([x, y], 1)
    torch._foreach_mul_([x, y], [x + 1, y + 1])
    torch._foreach_sqrt_(list(torch._foreach_abs([x, y])))
    return x + 1


@program(x="f32[4,3]", mean="f32[3]", var="f32[3]")
def running_statistics(x, mean, var):
    return F.batch_norm(x, mean, var, training=True, momentum=0.3)


@program(x="f32[2,3,4]", mean="f32[3]", var="f32[3]")
def running_statistics_of_instances(x, mean, var):
    return F.instance_norm(x, mean, var.abs(), use_input_stats=True)


@program(x="f32[8]")
def a_dropout_in_place(x):
    y = x + 1
    F.dropout(y, 0.0, training=True, inplace=True)
    return F.relu(y, inplace=True)


@program(x="f32[3]", y="f32[3]")
def operators_in_place(x, y):
    x += y
    x *= 2
    x -= 1
    x /= 4
    x **= 2
    return x


@program(x="i64[3]", y="i64[3]")
def integer_operators_in_place(x, y):
    x &= y
    x |= 1
    x ^= 3
    x <<= 1
    x //= 2
    x %= 3
    return x


@program(x="f32[3]")
def a_tensor_that_is_made_in_the_graph(x):
    y = torch.tensor([1.0, 2.0, 3.0])
    y.mul_(x)
    z = torch.zeros(2, 3)
    z[1] = y
    return z


@program(x="f32[]")
def a_number_tensor(x):
    x.add_(1)
    y = x.view(1)
    y.mul_(2)
    return x + 0, y


@program(x="f32[3]", y="f32[3]")
def an_input_takes_the_value_of_another(x, y):
    x.copy_(y)
    y.add_(1)
    return x + y


@program(x="f32[3]")
def an_input_is_returned_twice(x):
    x.add_(1)
    return x, x


@program(x="f32[2,3]")
def an_input_and_its_view_are_returned(x):
    x.mul_(2)
    return x, x.view(-1), x[0]


@program(x="f32[4,3]", y="f32[4,3]")
def branches_of_views(x, y):
    a = x.clone()
    b = a.view(2, 6)
    c = a[1:3]
    d = b.t()
    c.add_(y[1:3])
    d[2].mul_(3)
    b.sub_(1)
    a.view(-1)[::5].zero_()
    return a, b, c, d


@program(x="f32[4]")
def nested_functions(x):
    def half(t):
        t[:2].mul_(0.5)
        return t[2:]

    rest = half(x)
    rest.add_(1)
    return half(rest), x


@program(x="f32[3]")
def where_and_compare_in_place(x):
    x.masked_fill_(x.lt(0), 0.0).clamp_(max=1).gt_(0.5)
    return x


@program(x="f32[4,4]")
def triangles_and_cumulations(x):
    x.tril_().cumsum_(0)
    x[1:].cumprod_(1)
    x.triu_(1)
    return x


@program(x="f32[3]", y="f32[3]")
def ternary_writes(x, y):
    x.addcmul_(x, y, value=2).addcdiv_(y, y.abs() + 1).lerp_(y, 0.5)
    return x


@program(x="f32[3,3]", y="f32[3,3]", v="f32[3]")
def products_in_place(x, y, v):
    x.addmm_(y, y, beta=0.5)
    v.addmv_(x, v.clone())
    y.addr_(v, v)
    return x


@program(x="f32[2,4]")
def everything_at_once(x):
    y = x + x
    z = y.view(8).view(4, 2)
    a = z.t()
    a[0].add_(1)
    b, c = z.split(2)
    b.mul_(2)
    c.diagonal().fill_(1)
    d = c.view(-1).unsqueeze(0).squeeze(0)
    d += z[0].sum()
    torch.neg(y[0], out=y[1])
    return y, z + 0, a, d * 2


@program(x="f32[2,3]", steps="i64[]")
def a_counter(x, steps):
    steps.add_(1)
    steps += 1
    x.div_(steps)
    return x


@program(x="f32[3]")
def a_write_that_nobody_reads(x):
    y = x + 1
    y.add_(1)
    return x


@program(x="f32[2,3]")
def a_returned_view_of_a_temporary(x):
    y = x + 1
    v = y[0]
    y.mul_(2)
    return v
