"""ncnn 1.0.20261020 on the CPU: the layer RotaryEmbed, src/layer/rotaryembed.cpp, in f32."""

import ropeproof

import ncnn
import numpy as np

NET = "7767517\n4 4\nInput x 0 1 x\nInput c 0 1 c\nInput s 0 1 s\nRotaryEmbed r 3 1 x c s y 0={}\n"


@ropeproof.kernel(
    name="ncnn", version=ncnn.__version__, operations=["rotate"], dtypes=["f32"], features=["keys"],
    pairings=["half_split", "interleaved"], angle_class="A0", heads_first=True)
class Rope:
    def __init__(self, pairing):
        self.net = ncnn.Net()
        self.net.opt.num_threads = 1
        self.net.load_param_mem(NET.format(int(pairing == "interleaved")))

    def __call__(self, p):
        return [np.stack(list(map(self.rotated, x, p.cos, p.sin))) for x in p.tensors]

    def rotated(self, *row):
        run, kept = self.net.create_extractor(), [np.ascontiguousarray(x) for x in row]
        for name, array in zip("xcs", kept):
            run.input(name, ncnn.Mat(array))
        return np.array(run.extract("y")[1])


ropeproof.serve()
