"""Random programs in which every form of writing occurs: index assignments, in-place methods, functions, operators and
modules, `out=`, lists, views, nested graphs. Each says of which constructs it is made, so that refusals can be counted by
construct.
"""

import torch

import random_assignments  # noqa: F401  each of these fills its tables
import random_inplace  # noqa: F401
import random_views  # noqa: F401
from program_builder import FAILING, INDEXED, NESTED, UNKNOWN, VALUED, VIEWING, WRITING, Program

INPUTS = (
    "x=f32[4,5]\ny=f32[4,4,5]\nb=bf16[4,5]\nn=i64[4,5]\nc=b8[4,5]\nr=b8[4]\nh=f32[]\nv=f32[5]\nw=f32[5]\n"
    "u=f32[4]\ng=f32[4]\ni=i64[3]\nj=i64[3]\nk=int\nd=f32[4,5]\ne=f32[4,5]\n"
)
CONDITION = "q=b8[]\n"  # what nested programs take besides
SYMBOLS = {4: "s0", 5: "s1"}  # sizes of the inputs of symbolic programs
TABLES = (INDEXED, INDEXED, WRITING, WRITING, WRITING, VIEWING)
ALL = [*INDEXED, *VALUED, *WRITING, *VIEWING, *NESTED, *UNKNOWN, *FAILING, "packed values"]



def is_nested(seed):
    return seed % 5 == 4


def inputs_of(seed):
    return INPUTS + (CONDITION if is_nested(seed) else "")


def random_program(seed, inputs):
    """A program over these inputs, which are consumed. The seed decides what it begins or ends with, so that all occur."""
    torch.manual_seed(seed)
    p = Program(seed, inputs, nested=is_nested(seed))
    unknown = {0: "bounds that are symbols", 10: "mask without metadata"}.get(seed % 30)
    if unknown:  # the less is known, the more of other constructs is refused
        p.add(UNKNOWN, unknown)
        p.add(*((VIEWING, "read") if p.plain else (INDEXED, p.rng.choice(list(INDEXED)))))
    elif p.nested:
        p.add(NESTED, list(NESTED)[seed // 5 % len(NESTED)])
        grow(p, p.rng.randint(1, 4), (*TABLES, NESTED, NESTED))
    else:
        grow(p, p.rng.randint(3, 6), TABLES)
        if seed % 15 == 5:
            p.add(FAILING, p.rng.choice(list(FAILING)))
    kept = [p.pick() for _ in range(p.rng.randint(1, 3))]
    p.graph.output(p.rng.choice((kept[0], tuple(kept), list(kept))))
    return p


def grow(p, count, tables):
    for _ in range(count):
        table = p.rng.choice(tables)
        p.add(table, p.rng.choice(list(table)))
