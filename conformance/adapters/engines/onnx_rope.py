"""onnx 1.23.2, its reference evaluator: RotaryEmbedding of opset 23, with or without ids."""

import ropeproof

import onnx
from onnx import parser, reference

TYPES = {"f32": "float", "f16": "float16", "bf16": "bfloat16"}
MODEL = """<ir_version: 10, opset_import: ["": 23]>
g ({0}[b, h, s, d] x, {0} cos, {0} sin{3}) => ({0}[b, h, s, d] y) {{
  y = RotaryEmbedding <interleaved = {1}, rotary_embedding_dim = {2}> (x, cos, sin{4})
}}"""


@ropeproof.kernel(
    name="onnx.reference", version=onnx.__version__, operations=["rotate", "lookup"],
    dtypes=list(TYPES), pairings=["half_split", "interleaved"], caches=["split"],
    features=["keys", "partial"], angle_class="A0", rounding="each",
    arrays="ml_dtypes", heads_first=True)
class Rotary:
    def __init__(self, operation, dtype, pairing, rotary_dim, head_dim):
        self.names = ["ids"] if operation == "lookup" else []
        self.model = reference.ReferenceEvaluator(parser.parse_model(MODEL.format(
            TYPES[dtype], int(pairing == "interleaved"), rotary_dim % head_dim,
            *(", int64[b, s] ids", ", ids") if self.names else ("", ""))))

    def __call__(self, p):
        given = {name: getattr(p, name) for name in ["cos", "sin", *self.names]}
        return [self.model.run(None, dict(x=x, **given))[0] for x in p.tensors]


ropeproof.serve()
