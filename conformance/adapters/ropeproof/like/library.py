"""Whose arrays a function takes, where the user does not say."""

import functools
import inspect

from ropeproof.like.call import name_of

ROOTS = {"torch": "torch", "jax": "jax", "jaxlib": "jax", "mlx": "mlx"}


def library_of(function):
    """torch, jax, mlx or numpy: the library that the function, its type or a base
    of that is of; else that of its annotations; else the one that its code names, or the
    code of what it calls in its file; else the one that its file imports; numpy
    if none of the others. ValueError where that leaves more than one, or none."""
    while isinstance(function, functools.partial):
        function = function.func
    kind = function if inspect.isclass(function) else type(function)
    kinds = {_root(base) for base in kind.__mro__}  # of what jax.jit returns, too
    function = inspect.unwrap(function)
    home = inspect.getmodule(function) or inspect.getmodule(type(function))
    space = vars(home) if home else {}
    for roots in (kinds, {_root(home)} - {"numpy"} if home else set(),
                  _of_annotations(function, space),
                  {_root(module) for module in _named(function)},
                  {_root(value) for value in space.values()
                   if inspect.ismodule(value)}):
        found = roots & set(ROOTS.values()) or roots & {"numpy"}
        if len(found) == 1:
            return found.pop()
        if found:
            break
    raise ValueError(f"cannot tell whose arrays {name_of(function)} takes: say "
                     f"arrays='torch', 'jax', 'mlx' or 'numpy'")


def _named(function, seen=None):
    """The modules that the code of a function names, and that of the functions
    of its file which it names."""
    seen = set() if seen is None else seen
    if not inspect.isfunction(function):
        function = getattr(type(function), "__call__", None)
    code = getattr(function, "__code__", None)
    if code is None or code in seen:
        return set()
    seen.add(code)
    codes = [code]
    for one in codes:  # and those of the functions inside
        codes += [c for c in one.co_consts if inspect.iscode(c)]
    space = function.__globals__
    values = [space[name] for one in codes for name in one.co_names
              if name in space]
    modules = {value for value in values if inspect.ismodule(value)}
    for value in values:
        if inspect.isfunction(value) and value.__globals__ is space:
            modules |= _named(value, seen)
    return modules


def _of_annotations(function, space):
    found = set()
    for annotation in getattr(function, "__annotations__", {}).values():
        if isinstance(annotation, str):  # "torch.Tensor", "mx.array"
            annotation = space.get(annotation.partition(".")[0])
        found.add(_root(annotation))
    return found & {*ROOTS.values(), "numpy"}


def _root(thing):
    name = thing.__name__ if inspect.ismodule(thing) else getattr(
        thing, "__module__", None)
    root = str(name).partition(".")[0]
    return ROOTS.get(root, root)
