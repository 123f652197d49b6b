"""Type checkers see what is there: `_core.pyi` says what the extension module has, and public functions say their types."""

import ast
import inspect
import typing
from pathlib import Path

import fxrules
from fxrules import _core


def described():
    """Signatures by qualified name, as the stub has them."""
    found = {}
    tree = ast.parse((Path(fxrules.__file__).parent / "_core.pyi").read_text())
    for item in tree.body:
        if isinstance(item, ast.FunctionDef):
            found[item.name] = item
        elif isinstance(item, ast.ClassDef):
            found.update({f"{item.name}.{method.name}": method for method in item.body})
    return found


def present():
    """Signatures by qualified name, as nanobind prints them."""
    found = {}
    for name, value in vars(_core).items():
        if isinstance(value, type):
            found.update({f"{name}.{n}": m.__nb_signature__ for n, m in vars(value).items() if not n.startswith("__")})
        elif hasattr(value, "__nb_signature__"):
            found[name] = value.__nb_signature__
    return {name: ast.parse(overloads[0][0].replace("fxrules._core.", "") + ": ...").body[0]
            for name, overloads in found.items() if len(overloads) == 1}


def parameters(function):
    a = function.args
    return [x.arg for x in a.posonlyargs + a.args], [x.arg for x in a.kwonlyargs]


def test_the_stub_describes_the_module():
    there, stub = present(), described()
    assert there and set(there) == set(stub)
    assert {n: parameters(f) for n, f in there.items()} == {n: parameters(f) for n, f in stub.items()}
    assert all(f.returns is not None for f in stub.values())


def test_public_functions_say_their_types():
    for name in fxrules.__all__:
        value = getattr(fxrules, name)
        methods = [m for n, m in vars(value).items() if not n.startswith("_")] if isinstance(value, type) else [value]
        for function in filter(inspect.isfunction, methods):
            untyped = [p.name for p in list(inspect.signature(function).parameters.values())
                       if p.annotation is p.empty and p.name not in ("self", "cls")]
            assert not untyped and "return" in typing.cast(dict, function.__annotations__), f"{name}.{function.__name__}: {untyped}"
