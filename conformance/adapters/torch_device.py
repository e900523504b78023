"""RoPE in PyTorch as engines run it on a GPU; tools/gpu.sh judges each way.

    ropeproof run --command "python3 conformance/adapters/torch_device.py graph cuda"

eager     one function for q and k
streams   q and k on a stream each, side by side
graph     captured once for each shape, with other values and positions, and replayed
triton    the kernel of triton_kernels.py, compiled

On "cpu" there are no streams, a graph is its function on the same buffers, and Triton is
interpreted: so the file is tried where no GPU is.
"""

import ropeproof

import contextlib
import sys

WAY, DEVICE = sys.argv[1:]
ON_CPU = DEVICE == "cpu"
if WAY == "triton" and ON_CPU:
    ropeproof.backend("triton-interpret")
import torch  # noqa: E402  # after the backend

STREAM = contextlib.nullcontext if ON_CPU else lambda: torch.cuda.stream(torch.cuda.Stream())


def rotated(x, positions, inv_freq):
    angles = positions[:, :, None, None].float() * inv_freq
    cos, sin = angles.cos(), angles.sin()
    u, v = x.float().chunk(2, dim=-1)
    return torch.cat((u * cos - v * sin, v * cos + u * sin), dim=-1).to(x.dtype)


def in_streams(tensors, positions, inv_freq):
    results, streams = [], []
    for x in tensors:
        with STREAM() as stream:
            if not ON_CPU:
                stream = torch.cuda.current_stream()
                stream.wait_stream(torch.cuda.default_stream())
                streams.append(stream)
            results.append(rotated(x, positions, inv_freq))
    for stream in streams:
        torch.cuda.default_stream().wait_stream(stream)
    return results


class Graph:
    """A function of tensors, captured with what these are filled with."""

    def __init__(self, function, given):
        self._given, self._function = given, function
        self._results = function()
        if ON_CPU:
            return
        side = torch.cuda.Stream()  # a first call outside, as capturing wants
        side.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(side):
            function()
        torch.cuda.current_stream().wait_stream(side)
        self._graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(self._graph):
            self._results = function()

    def replay(self, values):
        for kept, value in zip(self._given, values):
            kept.copy_(value)
        if ON_CPU:
            self._results = self._function()
        else:
            self._graph.replay()
        return [result.clone() for result in self._results]


class Rope:
    def __init__(self, rotary_dim, base):
        exponents = torch.arange(0, rotary_dim, 2).float() / rotary_dim
        self.inv_freq = (1.0 / (base ** exponents)).to(DEVICE)
        self.graphs = {}

    def __call__(self, p):
        if WAY == "eager":
            return [rotated(x, p.positions, self.inv_freq) for x in p.tensors]
        if WAY == "streams":
            return in_streams(p.tensors, p.positions, self.inv_freq)
        given = [*p.tensors, p.positions]
        shape = tuple((x.shape, x.dtype) for x in given)
        if shape not in self.graphs:
            kept = [torch.zeros_like(x) for x in given]
            self.graphs[shape] = Graph(lambda: [
                rotated(x, kept[-1], self.inv_freq) for x in kept[:-1]], kept)
        return self.graphs[shape].replay(given)


if WAY == "triton":
    from triton_kernels import rope_in_f32
    # A program has a batch row in registers.
    ropeproof.kernel(
        like="hf", name="triton-half-split", version="1", angle_class="A0", rounding="once",
        supports=lambda p: p.seq * max(p.q_heads, p.k_heads) * p.head_dim <= 4096,
        device=DEVICE, **{"backend": "triton-interpret"} if ON_CPU else {})(rope_in_f32)
else:
    # CUDA's sine and cosine are good to 2 ulp.
    ropeproof.kernel(
        name=f"torch-{WAY}", version=torch.__version__, operations=["rope"],
        dtypes=["f32", "f16", "bf16"], pairings=["half_split"],
        features=["keys", "negative_positions"], angle_class="A1", trig_ulp=2,
        rounding="once", arrays="torch", device=DEVICE)(Rope)
ropeproof.serve()
