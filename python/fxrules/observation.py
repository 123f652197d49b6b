"""What a caller can tell of one run of a module: values, dtypes, shapes, strides, what the inputs and the module's
tensors hold afterwards, and what shares storage."""

from __future__ import annotations

import copy
from dataclasses import dataclass
from typing import Any, Mapping, Sequence

import torch
from torch.utils import _pytree as pytree


@dataclass
class Observation:
    outputs: list[Any]
    structure: Any
    state: dict[str, torch.Tensor]  # inputs by number and tensors of the module by name, afterwards
    shared: set[tuple[str, str]]


def observe(module: Any, inputs: Sequence[Any], seed: int = 0) -> Observation:
    """Runs a copy of the module on a copy of the inputs; what shares storage among them goes on sharing it."""
    module, inputs = copy.deepcopy((module, list(inputs)))
    torch.manual_seed(seed)
    with torch.no_grad():
        result = torch.fx.Interpreter(module).run(*inputs) if isinstance(module, torch.fx.GraphModule) else module(*inputs)
    outputs, structure = pytree.tree_flatten(result)
    state = {f"input {i}": v for i, v in enumerate(pytree.tree_leaves(inputs)) if isinstance(v, torch.Tensor)}
    if isinstance(module, torch.nn.Module):
        state.update(module.named_parameters())
        state.update(module.named_buffers())
    return Observation(outputs, structure, state, _sharing(outputs, state))


def _sharing(outputs: Sequence[Any], state: Mapping[str, torch.Tensor]) -> set[tuple[str, str]]:
    places: dict[int, list[str]] = {}
    named = [*state.items(), *((f"output {i}", v) for i, v in enumerate(outputs))]
    for place, value in named:
        if isinstance(value, torch.Tensor) and value.device.type != "meta" and value.layout is torch.strided:
            if value.untyped_storage().nbytes():
                places.setdefault(value.untyped_storage().data_ptr(), []).append(place)
    pairs = ((a, b) for group in places.values() for i, a in enumerate(group) for b in group[i + 1:])
    return {(a, b) for a, b in pairs if "output" in a or "output" in b}


def differences(before: Observation, after: Observation, tolerance: float = 0.0) -> list[str]:
    """What a caller could tell apart, as sentences."""
    if before.structure != after.structure:
        return [f"the outputs were {before.structure}, are {after.structure}"]
    found = []
    for i, (old, new) in enumerate(zip(before.outputs, after.outputs)):
        found += value_differences(f"output {i}", old, new, tolerance)
    for name, old in before.state.items():
        if name in after.state:
            found += value_differences(f"{name} afterwards", old, after.state[name], tolerance)
    found += [f"{a} and {b} newly share storage" for a, b in sorted(after.shared - before.shared)]
    found += [f"{a} and {b} no longer share storage" for a, b in sorted(before.shared - after.shared)]
    return found


def value_differences(what: str, old: Any, new: Any, tolerance: float, strides: bool = True) -> list[str]:
    if isinstance(old, torch.Tensor) != isinstance(new, torch.Tensor):
        return [f"{what} was {_short(old)}, is {_short(new)}"]
    if not isinstance(old, torch.Tensor):
        same = old == new or (old != old and new != new)
        return [] if same and type(old) is type(new) else [f"{what} was {_short(old)}, is {_short(new)}"]
    for fact in ("dtype", "shape", "device", "layout", "requires_grad"):
        if getattr(old, fact) != getattr(new, fact):
            return [f"{what}: {fact} was {getattr(old, fact)}, is {getattr(new, fact)}"]
    if strides and old.layout is torch.strided and _strides(old) != _strides(new):
        return [f"{what}: strides were {old.stride()}, are {new.stride()}"]
    if old.device.type == "meta" or _equal(old, new, tolerance):
        return []
    return [f"{what}: was {_short(old)}, is {_short(new)}"]


def _strides(t: torch.Tensor) -> list[int]:
    """Strides that a caller can tell: those of dimensions of more than one element, of tensors that have some."""
    return [] if t.numel() == 0 else [s for size, s in zip(t.shape, t.stride()) if size != 1]


def _equal(old: torch.Tensor, new: torch.Tensor, tolerance: float) -> bool:
    if old.layout is not torch.strided:
        old, new = old.to_dense(), new.to_dense()
    if old.is_quantized:
        return torch.equal(old.int_repr(), new.int_repr())
    if tolerance and (old.is_floating_point() or old.is_complex()):
        return torch.allclose(old, new, rtol=tolerance, atol=tolerance, equal_nan=True)
    if old.is_floating_point():
        same = (old == new) | (old.isnan() & new.isnan())
        zeros = (old != 0) | (torch.signbit(old) == torch.signbit(new)) | old.isnan()
        return bool((same & zeros).all())
    return bool((old == new).all()) if not old.is_complex() else torch.equal(torch.view_as_real(old).nan_to_num(),
                                                                            torch.view_as_real(new).nan_to_num())


def _short(value: Any) -> str:
    text = repr(value).replace("\n", " ")
    return text if len(text) <= 200 else text[:197] + "..."
