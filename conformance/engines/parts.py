"""Parts of an installed package, unmodified, without what its other parts want to import."""

import ast
import functools
import importlib.metadata
import importlib.util
import os
import pathlib
import sys
import types
from unittest import mock


version = importlib.metadata.version
environment = os.environ.update
# Of words for dtypes: NumPy's names, and those of ONNX's text.
FLOATS = {"f32": "float32", "f16": "float16", "bf16": "bfloat16"}
GGML_PAIRING = {"half_split": "neox", "interleaved": "norm"}
ONNX_FLOATS = FLOATS | {"f32": "float"}


def bare(*packages):
    """From now on these packages import without running their __init__.py."""
    for name in packages:
        module = types.ModuleType(name)
        module.__path__ = [str(folder(name))]
        sys.modules[name] = module


def stubs(package, names, **given):
    """From now on these parts of a package are there and do nothing, but for what is given; one
    of them is called custom_op: classes may derive from its CustomOp, as from a
    torch.nn.Module."""
    for name in names:
        stub = sys.modules[f"{package}.{name}"] = mock.MagicMock(**given)
        if name.endswith("custom_op"):
            stub.CustomOp = _custom_op()


def of_scaling(otherwise=None, **fields):
    """For `arguments`: parameters that get these fields of the scaling; `otherwise`, without one."""
    def one(field):
        return lambda scaling: scaling[field] if scaling else otherwise
    return {its: one(field) for its, field in fields.items()}


def ggml_scaling(p):
    """What ggml's operation has of a base and a scaling: the ratio of frequencies, the scale of
    positions, and frequency factors, 1 where it has none."""
    import numpy as np
    kind = p.scaling and p.scaling["kind"]
    factors = p.scaling["short_factor"] if kind == "frequency_factors" else [1] * (
        p.rotary_dim // 2)
    return (np.float32(p.base) ** (np.float32(-2) / np.float32(p.rotary_dim)),
            1 / p.scaling["factor"] if kind == "linear" else 1, np.array(factors, np.float32))


@functools.lru_cache(maxsize=64)
def _session(model):
    import onnxruntime
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    return onnxruntime.InferenceSession(model, options)


def onnx_run(evaluator, model):
    """The run() of a model: of "onnxruntime", on one thread, or "onnx.reference"."""
    if evaluator == "onnxruntime":
        return _session(model.SerializeToString()).run
    import onnx.reference
    return onnx.reference.ReferenceEvaluator(model).run


def functions(package, path, names, **globals_):
    """Functions of one file, which runs no further but for `import x`: a namespace. globals_ is
    what else they use."""
    file = folder(package) / path
    tree = ast.parse(file.read_text())
    tree.body = [node for node in tree.body
                 if isinstance(node, ast.Import)
                 or isinstance(node, ast.FunctionDef) and node.name in names]
    tree.body[:0] = ast.parse("from __future__ import annotations").body
    exec(compile(tree, file, "exec"), globals_)
    return types.SimpleNamespace(**globals_)


def _custom_op():
    import torch

    class CustomOp(torch.nn.Module):
        def __init__(self, **_):
            super().__init__()

        @staticmethod
        def register(*_, **__):
            return lambda decorated: decorated

        @staticmethod
        def enabled():
            return False
    return CustomOp


def folder(package):
    top, *rest = package.split(".")
    if top in sys.modules:
        place = sys.modules[top].__path__[0]
    else:
        place = importlib.util.find_spec(top).submodule_search_locations[0]
    return pathlib.Path(place, *rest)
