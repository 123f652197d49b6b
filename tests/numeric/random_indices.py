"""Random index assignments `b[index] = value` that eager PyTorch accepts, by a seed."""

import random

import torch

DTYPES = ("f32", "bf16", "i64", "b8")


def items(rng, size, tensors):
    """One item that indexes a dimension of that size."""
    kind = rng.choice(("int", "negative", "full", "slice", "step", "negative slice", "oversize", "empty", "tensor", "list"))
    if kind == "int":
        return rng.randrange(size)
    if kind == "negative":
        return rng.randrange(size) - size
    if kind == "full":
        return slice(None)
    if kind == "slice":
        start = rng.randrange(size)
        return slice(start, rng.randint(start, size))
    if kind == "step":
        return slice(rng.choice((None, 0, rng.randrange(size))), None, rng.choice((2, 3)))
    if kind == "negative slice":
        return slice(-rng.randint(1, size), rng.choice((None, -1)))
    if kind == "oversize":
        return slice(rng.choice((None, 1)), size + rng.randint(1, 5))
    if kind == "empty":
        return slice(size, size)
    index = [rng.randrange(-size, size) for _ in range(rng.randint(1, 3))]
    if kind == "list":
        return index
    tensors.append(torch.tensor(index))
    return tensors[-1]


class Assignment:
    """A buffer, an index, a value; `run` performs it on given tensors."""

    def __init__(self, seed):
        rng = random.Random(seed)
        self.rng, self.tensors = rng, []
        self.shape = [rng.randint(2, 5) for _ in range(rng.randint(1, 4))]
        self.dtype = rng.choice(DTYPES)
        self.index = self._index()

    def _index(self):
        rng = self.rng
        if rng.random() < 0.12:
            rank = rng.randint(1, len(self.shape))
            mask = torch.rand(self.shape[:rank], generator=torch.Generator().manual_seed(rng.randrange(1 << 30))) < 0.5
            self.tensors.append(mask)
            return mask
        if rng.random() < 0.05:
            return rng.choice((None, Ellipsis, True, False))
        count = rng.randint(1, len(self.shape))
        index = [items(rng, size, self.tensors) for size in self.shape[:count]]
        if rng.random() < 0.2:
            behind = rng.randint(0, count)
            sizes = self.shape[len(self.shape) - (count - behind) :] if behind < count else []
            index = index[:behind] + [Ellipsis] + [items(rng, size, self.tensors) for size in sizes]
        if rng.random() < 0.15:
            index.insert(rng.randint(0, len(index)), None)
        return index[0] if len(index) == 1 and not isinstance(index[0], list) and rng.random() < 0.7 else tuple(index)

    def value(self, region):
        """A scalar, or the shape of a tensor that broadcasts to the region."""
        rng = self.rng
        if rng.random() < 0.3:
            return {"b8": True, "i64": 7}.get(self.dtype, 2.5)
        shape = list(region)
        for axis in range(len(shape)):
            if rng.random() < 0.2:
                shape[axis] = 1
        drop = rng.randint(0, len(shape)) if rng.random() < 0.3 else 0
        shape = shape[drop:]
        if rng.random() < 0.1:
            shape = [1] + shape
        dtype = self.dtype if rng.random() < 0.7 else rng.choice(DTYPES)
        return f"{dtype}{shape}".replace(" ", "")
