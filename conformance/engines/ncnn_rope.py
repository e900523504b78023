"""ncnn 1.0.20261020 on the CPU: the layer RotaryEmbed, src/layer/rotaryembed.cpp, in f32."""

import ropeproof

import numpy as np

import ncnn
import parts

NET = """7767517
4 4
Input x 0 1 x
Input cos 0 1 cos
Input sin 0 1 sin
RotaryEmbed rope 3 1 x cos sin y 0={}
"""


@ropeproof.kernel(
    name="ncnn", version=parts.version("ncnn"), operations=["rotate"], dtypes=["f32"],
    pairings=["half_split", "interleaved"], features=["keys"], angle_class="A0",
    heads_first=True)
class Rope:
    def __init__(self, pairing):
        self.net = ncnn.Net()
        self.net.opt.num_threads = 1
        self.net.load_param_mem(NET.format(int(pairing == "interleaved")))

    def __call__(self, p):
        return [np.stack([self.rotated(*row) for row in zip(x, p.cos, p.sin)]) for x in p.tensors]

    def rotated(self, *inputs):
        run, kept = self.net.create_extractor(), [np.ascontiguousarray(a) for a in inputs]
        for name, array in zip(("x", "cos", "sin"), kept):
            run.input(name, ncnn.Mat(array))
        return np.array(run.extract("y")[1])


ropeproof.serve()
