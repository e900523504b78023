"""ONNX Runtime 1.31.1, com.microsoft RotaryEmbedding on the CPU: a cache and ids."""

import ropeproof

import functools

import onnxruntime
from onnx import parser

TYPES = {"f32": "float", "f16": "float16"}
MODEL = """<ir_version: 10, opset_import: ["com.microsoft": 1]>
g ({0}[b, h, s, d] x, int64[b, s] ids, {0}[n, r] cos, {0}[n, r] sin) => ({0}[b, h, s, d] y) {{
  y = com.microsoft.RotaryEmbedding <{1}> (x, ids, cos, sin)
}}"""


@functools.lru_cache(maxsize=64)
def session(dtype, attributes):
    model = parser.parse_model(MODEL.format(TYPES[dtype], attributes))
    return onnxruntime.InferenceSession(model.SerializeToString())


@ropeproof.kernel(
    name="onnxruntime.ms", version=onnxruntime.__version__, operations=["lookup"],
    dtypes=list(TYPES), pairings=["half_split", "interleaved"], caches=["split"],
    features=["keys", "partial"], angle_class="A0", rounding="each",
    arrays="onnxruntime", heads_first=True, supports=lambda p: p.seq <= p.cache_rows)
def lookup(p):
    def rotate(x):
        attributes = f"interleaved = {int(p.pairing == 'interleaved')}"
        if p.rotary_dim < p.head_dim:
            attributes += f", rotary_embedding_dim = {p.rotary_dim}, num_heads = {x.shape()[1]}"
        return session(p.dtype, attributes).run_with_ort_values(
            ["y"], dict(x=x, ids=p.ids, cos=p.cos, sin=p.sin))[0]
    return [rotate(x) for x in p.tensors]


ropeproof.serve()
