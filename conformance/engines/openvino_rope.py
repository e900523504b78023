"""OpenVINO 2026.4.1 on the CPU, convert_model and compile_model: Llama's RoPE of transformers
5.23.0 (models/llama/modeling_llama.py), fused by the plug-in to intel_cpu/src/nodes/rope.cpp."""

import ropeproof

import openvino
import parts
import torch
from transformers.models.llama import modeling_llama as llama


class Llama(llama.LlamaRotaryEmbedding):
    def forward(self, q, positions):
        return llama.apply_rotary_pos_emb(q, q, *super().forward(q, positions))[0]


@ropeproof.kernel(
    name="openvino", version=parts.version("openvino"), operations=["rope"], dtypes=["f32"],
    pairings=["half_split"], features=["keys", "negative_positions"], heads_first=True,
    scalings=["linear", "llama3"], max_position=2**31 - 1, angle_class="A1")
class Rope:
    def __init__(self, hugging_face, head_dim):
        example, model = torch.zeros(1, 2, 3, head_dim), Llama(llama.LlamaConfig(**hugging_face))
        self.model = openvino.compile_model(openvino.convert_model(
            model, example_input=(example, torch.zeros(1, 3).long())), "CPU",
            dict(INFERENCE_PRECISION_HINT="f32", INFERENCE_NUM_THREADS=1))

    def __call__(self, p):
        return [self.model([x.copy(), p.positions])[0] for x in p.tensors]


ropeproof.serve()
