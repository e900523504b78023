"""OpenVINO 2026.4.1 on the CPU, convert_model and compile_model: Llama's RoPE of transformers
5.23.0 (models/llama/modeling_llama.py) for any shape, a graph of intel_cpu/src/nodes/eltwise.cpp,
math.cpp and concat.cpp. The frequencies, which the module has, are an input."""

import ropeproof

import functools

import openvino
import parts
import torch
from transformers.models.llama import modeling_llama as llama


class Llama(llama.LlamaRotaryEmbedding):
    def forward(self, q, positions, inv_freq):
        self.inv_freq = inv_freq
        return llama.apply_rotary_pos_emb(q, q, *super().forward(q, positions))[0]


@functools.cache
def compiled():
    example = torch.zeros(1, 2, 3, 8), torch.zeros(1, 3).long(), torch.zeros(4)
    model = openvino.convert_model(Llama(llama.LlamaConfig()), example_input=example)
    return openvino.compile_model(model, "CPU", dict(
        INFERENCE_PRECISION_HINT="f32", INFERENCE_NUM_THREADS=1))


@ropeproof.kernel(
    name="openvino", version=parts.version("openvino"), operations=["rope"], dtypes=["f32"],
    pairings=["half_split"], features=["keys", "negative_positions"], heads_first=True,
    scalings=["linear", "llama3"], max_position=2**31 - 1, angle_class="A1")
class Rope:
    def __init__(self, hugging_face):
        self.inv_freq = llama.LlamaRotaryEmbedding(llama.LlamaConfig(**hugging_face)).inv_freq.numpy()

    def __call__(self, p):
        return [compiled()([x.copy(), p.positions, self.inv_freq])[0] for x in p.tensors]


ropeproof.serve()
