# %% [markdown]
# # A RoPE under the eyes of a notebook
# The cells of Jupyter, VS Code and jupytext; CI runs them from top to bottom.

# %%
import numpy as np
import ropeproof

rng = np.random.default_rng(0)
x = rng.standard_normal((1, 256, 4, 64)).astype(np.float32)  # batch, seq, heads, head_dim
at = {"positions": np.arange(8000, 8256), "base": 10000.0, "pairing": "half_split"}


def rope(x, positions, base):
    pairs = x.shape[-1] // 2
    theta = np.float32(base) ** -(np.arange(pairs, dtype=np.float32) / np.float32(pairs))
    phi = np.float32(positions)[:, None, None] * theta
    u, v = np.split(x, 2, axis=-1)
    return np.concatenate([u * np.cos(phi) - v * np.sin(phi), u * np.sin(phi) + v * np.cos(phi)], axis=-1)


y = rope(x, at["positions"], at["base"])

# %% [markdown]
# One line: is each element within what f32 angles may cost?

# %%
ropeproof.assert_rope_close(y, x, **at)

# %% [markdown]
# The same as arrays, to plot: how much of its bound each pair uses.

# %%
used = np.abs(y - ropeproof.golden(x, **at)) / ropeproof.bound(x, **at)
for pair, part in list(enumerate(used.max(axis=(0, 1, 2))[:32]))[::4]:
    print(f"pair {pair:2} {'#' * round(40 * part)}")

# %% [markdown]
# Positions that were rounded on the way are found, and named.

# %%
try:
    ropeproof.assert_rope_close(rope(x, np.float16(at["positions"]), 10000.0), x, **at)
except AssertionError as failure:
    print(failure)
    assert "positions rounded to f16" in str(failure)
else:
    raise SystemExit("rounded positions passed")
