"""Judges a Python function that computes RoPE.

    import ropeproof

    report = ropeproof.judge(my_rope, like="hf", dtypes=["bf16"])
    assert report.conforms, report

or one result of it, in a test of one's own:

    ropeproof.assert_rope_close(y, x, positions=ids, base=10000.0)

judge() is for friends, in this process; ropeproof.grade() judges what
nobody trusts, behind walls. What follows is a kernel that `ropeproof run
--command "python3 x.py"` starts:

    @ropeproof.kernel(name="my-rope", version="1.0", operations=["rope"],
                      dtypes=["f32"], pairings=["half_split"],
                      angle_class="A1")
    def rope(p):
        return my_rope(p.q, p.positions, p.base)

    ropeproof.serve()

NumPy only. For an adapter the folder can be copied beside it; import it first:
what is printed from then on cannot disturb the protocol. PROTOCOL.md, beside
this folder, has the words that both take and what runs underneath.
"""

from ropeproof import wire as _wire

if _wire.is_runner_there():
    _wire.take_over()
    _wire.tell_what_is_missing()

from ropeproof.arrays import (DTYPES, bf16_to_f32, f32_to_bf16, from_jax,
                              from_mlx, from_onnxruntime, from_torch, to_jax,
                              to_ml_dtypes, to_mlx, to_onnxruntime, to_torch)
from ropeproof.backends import use as backend
from ropeproof.closeness import assert_rope_close, bound, golden
from ropeproof.decorator import Invalid, Unsupported, kernel
from ropeproof.errors import Error
from ropeproof.fused import assert_fused_close
from ropeproof.grading import Verdict, grade
from ropeproof.judging import judge, mark
from ropeproof.named_problems import problems
from ropeproof.problem import Problem
from ropeproof.report import Report
from ropeproof.server import serve
from ropeproof import weights

__all__ = [
    "DTYPES", "Error", "Invalid", "Problem", "Report", "Unsupported",
    "Verdict", "assert_fused_close", "assert_rope_close", "backend", "bf16_to_f32", "bound",
    "f32_to_bf16", "from_jax", "from_mlx", "from_onnxruntime", "from_torch",
    "golden", "grade", "judge", "kernel", "mark", "problems", "serve", "to_jax",
    "to_ml_dtypes", "to_mlx", "to_onnxruntime", "to_torch", "weights"]
