"""Meta's LLaMA form in PyTorch: pairs as complex numbers, in complex64.

    ropeproof run --command "build/venv/bin/python conformance/adapters/torch_llama.py"

The frequencies, the table and the products are float32; the result is rounded
once to the dtype of x. tools/setup/engines.sh installs PyTorch.
"""

import ropeproof

import torch


def precompute_freqs_cis(dim, positions, theta):
    """exp(i * position * theta^(-2j/dim)), complex64 [seq, dim/2]."""
    freqs = 1.0 / (theta ** (torch.arange(0, dim, 2).float() / dim))
    angles = torch.outer(positions, freqs).float()
    return torch.polar(torch.ones_like(angles), angles)


def apply_rotary_emb(x, freqs_cis):
    """x: [batch, seq, heads, dim]; one table serves all rows of the batch."""
    pairs = torch.view_as_complex(x.float().unflatten(-1, (-1, 2)))
    rotated = pairs * freqs_cis[None, :, None]
    return torch.view_as_real(rotated).flatten(3).type_as(x)


@ropeproof.kernel(
    name="torch-llama", version=torch.__version__, operations=["rope"],
    dtypes=["f32", "bf16"], pairings=["interleaved"],
    features=["keys", "negative_positions"], angle_class="A1",
    table_dtype="f32", rounding="once", arrays="torch")
def rope(p):
    return p.by_rows(lambda x, positions: apply_rotary_emb(
        x, precompute_freqs_cis(p.rotary_dim, positions, p.base)))


ropeproof.serve()
