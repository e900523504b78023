"""mlx 0.32.4 on the CPU: mx.fast.rope, which takes an offset."""

import ropeproof

import mlx.core as mx

mx.set_default_device(mx.cpu)


@ropeproof.kernel(
    name="mlx.fast.rope", version=mx.__version__, operations=["rope"],
    dtypes=["f32", "f16", "bf16"], pairings=["half_split", "interleaved"],
    features=["keys", "partial", "negative_positions"], scalings=["linear"],
    max_position=2**31 - 1, angle_class="A1", power="exp2", rounding="each", arrays="mlx",
    heads_first=True)
def rope(p):
    scale = 1 / p.scaling["factor"] if p.scaling else 1.0
    return p.by_runs(lambda x, offset: mx.fast.rope(
        x, p.rotary_dim, traditional=p.pairing == "interleaved", base=p.base, scale=scale,
        offset=offset))


ropeproof.serve()
