"""Liger-Kernel 0.8.5, Triton, forward and backward: LigerRopeFunction of ops/rope.py,
LigerQwen2VLMRopeFunction of ops/qwen2vl_mrope.py, LigerLlama4RopeFunction of ops/llama4_rope.py.
Argument: rope, mrope or llama4."""

import ropeproof

import sys

import parts

ropeproof.backend("triton-interpret")
parts.bare("liger_kernel", "liger_kernel.ops")
from liger_kernel.ops import llama4_rope, qwen2vl_mrope, rope  # noqa: E402

CLASSES = {"rope": (rope.LigerRopeFunction, "hf", ["keys", "partial"]),
           "mrope": (qwen2vl_mrope.LigerQwen2VLMRopeFunction, "mrope", ["keys"]),
           "llama4": (llama4_rope.LigerLlama4RopeFunction, "meta", ["keys"])}
function, like, features = CLASSES[sys.argv[1]]


def rotate(q, k, *table):  # it writes into what it gets, forwards and backwards
    return [y.flip(0).flip(0) for y in function.apply(q.clone(), k.clone(), *table)[:2]]


SIGNATURES = {"hf": lambda q, k, cos, sin: rotate(q, k, cos, sin),
              "mrope": lambda q, k, cos, sin, section: rotate(q, k, cos, sin, section),
              "meta": lambda xq, xk, freqs_cis: rotate(xq, xk, freqs_cis)}
ropeproof.kernel(like=like, name="liger." + sys.argv[1], version=parts.version("liger_kernel"),
                 features=features, backward=True,
                 backend="triton-interpret")(SIGNATURES[like])
ropeproof.serve()
