"""ONNX Runtime 1.31.1 on the CPU: com.microsoft RotaryEmbedding, a cache and ids,
contrib_ops/cpu/bert/rotary_embedding.cc."""

import ropeproof

import parts
from onnx import parser

MODEL = """<ir_version: 10, opset_import: ["com.microsoft": 1]>
g ({0}[b, h, s, d] x, int64[b, s] ids, {0} cos, {0} sin) => ({0}[b, h, s, d] y) {{ y = com.microsoft
.RotaryEmbedding <interleaved={1}, rotary_embedding_dim={2}, num_heads={3}> (x, ids, cos, sin) }}"""


@ropeproof.kernel(
    name="onnxruntime.ms", version=parts.version("onnxruntime"), dtypes=["f32", "f16"],
    operations=["lookup"], pairings=["half_split", "interleaved"], features=["keys", "partial"],
    caches=["split"], angle_class="A0", rounding="each", arrays="ml_dtypes", heads_first=True,
    supports=lambda p: p.seq <= p.cache_rows)
def lookup(p):
    def rotate(x):
        part = (p.rotary_dim, x.shape[1]) if p.rotary_dim < p.head_dim else (0, 0)
        run = parts.onnx_run("onnxruntime", parser.parse_model(MODEL.format(
            parts.ONNX_FLOATS[p.dtype], int(p.pairing == "interleaved"), *part)))
        return run(None, dict(x=x, ids=p.ids, cos=p.cos, sin=p.sin))[0]
    return [rotate(x) for x in p.tensors]


ropeproof.serve()
