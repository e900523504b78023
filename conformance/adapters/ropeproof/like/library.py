"""Whose arrays a function takes, where the user does not say."""

import functools
import inspect

ROOTS = {"torch": "torch", "jax": "jax", "jaxlib": "jax", "mlx": "mlx"}


def library_of(function):
    """torch, jax, mlx or numpy: the library that the function is of; else that of
    its annotations; else the one that its file imports, numpy if none of the
    others. ValueError where that leaves more than one, or none."""
    while isinstance(function, functools.partial):
        function = function.func
    function = inspect.unwrap(function)
    home = inspect.getmodule(function) or inspect.getmodule(type(function))
    space = vars(home) if home else {}
    found = {_root(home)} if home else set()
    found = found & set(ROOTS.values()) or _of_annotations(function, space)
    if not found:
        found = {_root(value) for value in space.values()
                 if inspect.ismodule(value)}
        found = found & set(ROOTS.values()) or found & {"numpy"}
    if len(found) == 1:
        return found.pop()
    raise ValueError(f"cannot tell whose arrays {function!r} takes: say "
                     f"arrays='torch', 'jax', 'mlx' or 'numpy'")


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
