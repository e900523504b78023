"""Parts of an installed package, unmodified, without what its other parts want to import."""

import ast
import importlib.util
import pathlib
import sys
import types


def bare(*packages):
    """From now on these packages import without running their __init__.py."""
    for name in packages:
        module = types.ModuleType(name)
        module.__path__ = [str(_folder(name))]
        sys.modules[name] = module


def functions(package, path, names, **globals_):
    """Functions of one file, which runs no further: a namespace. globals_ is what they use."""
    file = _folder(package) / path
    tree = ast.parse(file.read_text())
    tree.body = [node for node in tree.body
                 if isinstance(node, ast.FunctionDef) and node.name in names]
    tree.body[:0] = ast.parse("from __future__ import annotations").body
    exec(compile(tree, file, "exec"), globals_)
    return types.SimpleNamespace(**globals_)


def _folder(package):
    top, *rest = package.split(".")
    if top in sys.modules:
        place = sys.modules[top].__path__[0]
    else:
        place = importlib.util.find_spec(top).submodule_search_locations[0]
    return pathlib.Path(place, *rest)
