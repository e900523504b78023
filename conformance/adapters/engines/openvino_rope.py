"""OpenVINO 2026.4.1 on the CPU: Llama's RoPE of transformers 5.23.0, converted and compiled."""

import ropeproof

import importlib.metadata

import openvino
import torch
import transformers
from transformers.models.llama import modeling_llama


class Llama(torch.nn.Module):
    def __init__(self, hugging_face):
        super().__init__()
        config = transformers.LlamaConfig(**hugging_face)
        self.embedding = modeling_llama.LlamaRotaryEmbedding(config)

    def forward(self, q, positions):
        return modeling_llama.apply_rotary_pos_emb(q, q, *self.embedding(q, positions))[0]


@ropeproof.kernel(
    name="openvino.cpu", version=importlib.metadata.version("openvino"), operations=["rope"],
    dtypes=["f32"], pairings=["half_split"], features=["keys", "negative_positions"],
    max_position=2**31 - 1, angle_class="A1", heads_first=True)
class Rope:
    def __init__(self, hugging_face, head_dim):
        example = torch.zeros(1, 2, 3, head_dim), torch.zeros(1, 3, dtype=torch.int64)
        model = openvino.convert_model(Llama(hugging_face).eval(), example_input=example)
        model.reshape({0: [-1, -1, -1, head_dim], 1: [-1, -1]})
        self.model = openvino.compile_model(model, "CPU", {"INFERENCE_PRECISION_HINT": "f32"})

    def __call__(self, p):
        return [self.model([x.copy(), p.positions])[0] for x in p.tensors]


ropeproof.serve()
