"""Turns a Python function into a kernel that ropeproof can test.

    import ropeproof

    @ropeproof.kernel(name="my-rope", version="1.0", operations=["rope"],
                      dtypes=["f32"], pairings=["half_split"],
                      angle_class="A1")
    def rope(p):
        return my_rope(p.q, p.positions, p.base)

    ropeproof.serve()

One folder, NumPy only: copy it next to your adapter. Import it first: what is
printed from then on cannot disturb the protocol. README.md, beside this
folder, has the words that the decorator takes and the protocol underneath.
"""

from ropeproof import wire as _wire

if _wire.is_runner_there():
    _wire.take_over()

from ropeproof.arrays import (DTYPES, bf16_to_f32, f32_to_bf16, from_jax,
                              from_mlx, from_onnxruntime, from_torch, to_jax,
                              to_ml_dtypes, to_mlx, to_onnxruntime, to_torch)
from ropeproof.decorator import Invalid, Unsupported, kernel
from ropeproof.problem import Problem
from ropeproof.server import serve

__all__ = [
    "DTYPES", "Invalid", "Problem", "Unsupported", "bf16_to_f32",
    "f32_to_bf16", "from_jax", "from_mlx", "from_onnxruntime", "from_torch",
    "kernel", "serve", "to_jax", "to_ml_dtypes", "to_mlx", "to_onnxruntime",
    "to_torch"]
