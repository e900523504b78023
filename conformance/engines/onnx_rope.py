"""RotaryEmbedding of opset 23, with or without ids. Argument: onnx.reference (1.23.2,
reference/ops/op_rotary_embedding.py) or onnxruntime (1.31.1,
core/providers/cpu/llm/rotary_embedding.cc)."""

import ropeproof

import sys

import parts
from onnx import parser

MODEL = """<ir_version: 10, opset_import: ["": 23]>
g ({0}[b, h, s, d] x, {0} cos, {0} sin{3}) => ({0}[b, h, s, d] y) {{
  y = RotaryEmbedding <interleaved = {1}, rotary_embedding_dim = {2}> (x, cos, sin{4}) }}"""
IS_REFERENCE = sys.argv[1] == "onnx.reference"


@ropeproof.kernel(
    name=sys.argv[1] + ".opset23", version=parts.version(sys.argv[1].split(".")[0]),
    operations=["rotate", "lookup"], dtypes=["f32", "f16", *["bf16"] * IS_REFERENCE],
    pairings=["half_split", "interleaved"], features=["keys", "partial"], caches=["split"],
    angle_class="A0", rounding="each", arrays="ml_dtypes", heads_first=True,
    supports=lambda p: IS_REFERENCE or p.operation == "rotate" or p.seq <= p.cache_rows)
class Rotary:
    def __init__(self, operation, dtype, pairing, rotary_dim, head_dim):
        self.names = ["cos", "sin", "ids"][:3 if operation == "lookup" else 2]
        ids = (", int64[b, s] ids", ", ids") if operation == "lookup" else ("", "")
        self.run = parts.onnx_run(sys.argv[1], parser.parse_model(MODEL.format(
            parts.ONNX_FLOATS[dtype], int(pairing == "interleaved"), rotary_dim % head_dim, *ids)))

    def __call__(self, p):
        given = {name: getattr(p, name) for name in self.names}
        return [self.run(None, given | {"x": x})[0] for x in p.tensors]


ropeproof.serve()
