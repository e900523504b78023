"""mlx 0.32.4 on the CPU: mlx.nn.RoPE, by which models call mx.fast.rope."""

import ropeproof

import mlx.core
import mlx.nn

mlx.core.set_default_device(mlx.core.cpu)

ropeproof.kernel(
    like="offset", name="mlx.nn.RoPE", version=mlx.core.__version__, scalings=["linear"],
    features=["keys", "partial", "negative_positions"], power="exp2",
    arguments={"scale": lambda scaling: 1 / scaling["factor"] if scaling else 1.0},
)(mlx.nn.RoPE)
ropeproof.serve()
