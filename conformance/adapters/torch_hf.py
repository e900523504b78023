"""Hugging Face's form in PyTorch: x * cos + rotate_half(x) * sin, eagerly.

    ropeproof run --command "build/venv/bin/python conformance/adapters/torch_hf.py"

Angles are float32; the table is cast to the dtype of x and each operation
rounds to it. With rotary_dim < head_dim the first rotary_dim channels rotate and
the other channels are concatenated, as GPT-NeoX and Phi do. tools/setup/engines.sh installs
PyTorch.
"""

import ropeproof

import torch


def rotate_half(x):
    first, second = x.chunk(2, dim=-1)
    return torch.cat((-second, first), dim=-1)


def apply_rotary_pos_emb(x, cos, sin):
    """x: [batch, seq, heads, head_dim]; cos, sin: [batch, seq, rotary_dim]."""
    cos, sin = cos.unsqueeze(2), sin.unsqueeze(2)
    rotating, passing = x[..., :cos.shape[-1]], x[..., cos.shape[-1]:]
    rotated = rotating * cos + rotate_half(rotating) * sin
    return torch.cat((rotated, passing), dim=-1)


@ropeproof.kernel(
    name="torch-hf", version=torch.__version__, operations=["rope"],
    dtypes=["f32", "bf16"], pairings=["half_split"],
    features=["keys", "partial", "negative_positions"],
    angle_class="A1", table_dtype="same", rounding="each", arrays="torch")
class RotaryEmbedding:
    def __init__(self, rotary_dim, base):
        exponents = torch.arange(0, rotary_dim, 2).float() / rotary_dim
        self.inv_freq = 1.0 / (base ** exponents)

    def __call__(self, p):
        freqs = p.positions[:, :, None].float() * self.inv_freq
        angles = torch.cat((freqs, freqs), dim=-1)
        return [apply_rotary_pos_emb(x, angles.cos().to(x.dtype),
                                     angles.sin().to(x.dtype))
                for x in p.tensors]


ropeproof.serve()
