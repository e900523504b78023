"""Meta's LLaMA form in PyTorch: pairs as complex numbers, in complex64.

    ropeproof run --command "build/venv/bin/python conformance/adapters/torch_llama.py"

The frequencies, the table and the products are float32; the result is rounded
once to the dtype of x. tools/setup/engines.sh installs PyTorch.
"""

import torch

import ropeproof


def precompute_freqs_cis(dim, positions, theta):
    """exp(i * position * theta^(-2j/dim)), complex64 [seq, dim/2]."""
    exponents = torch.arange(0, dim, 2).float() / dim
    freqs = 1.0 / (theta ** exponents)
    angles = torch.outer(positions, freqs).float()
    return torch.polar(torch.ones_like(angles), angles)


def reshape_for_broadcast(freqs_cis, x):
    """[seq, dim/2] as [1, seq, 1, dim/2]."""
    return freqs_cis.view(1, x.shape[1], 1, x.shape[-1])


def rotate(x, freqs_cis):
    pairs = torch.view_as_complex(x.float().unflatten(-1, (-1, 2)))
    rotated = pairs * reshape_for_broadcast(freqs_cis, pairs)
    return torch.view_as_real(rotated).flatten(3).type_as(x)


def apply_rotary_emb(xq, xk, freqs_cis):
    return rotate(xq, freqs_cis), rotate(xk, freqs_cis)


@ropeproof.kernel(
    name="torch-llama", version=torch.__version__, operations=["rope"],
    dtypes=["f32", "bf16"], pairings=["interleaved"],
    features=["out_of_place", "keys", "negative_positions"], angle_class="A1",
    table_dtype="f32", rounding="once")
def rope(p):
    q = ropeproof.to_torch(p.q, p.dtype)
    k = q[:, :, :0] if p.k is None else ropeproof.to_torch(p.k, p.dtype)
    # One table serves all rows of a batch here, so each row is a call.
    for b, positions in enumerate(ropeproof.to_torch(p.positions)):
        freqs_cis = precompute_freqs_cis(p.rotary_dim, positions, p.base)
        q[b:b + 1], k[b:b + 1] = apply_rotary_emb(q[b:b + 1], k[b:b + 1],
                                                  freqs_cis)
    q_out = ropeproof.from_torch(q)
    return q_out if p.k is None else (q_out, ropeproof.from_torch(k))


ropeproof.serve()
