"""A problem as the runner sent it: fields, arrays, what it wants back."""

import struct

import numpy as np

from ropeproof.arrays import DTYPES

TENSORS = ("q", "k")
ROTATING = ("rope", "rotate", "lookup")
INPUTS = ("q", "k", "cos", "sin", "ids", "positions", "real_positions",
          "axis_of_pair", "axis_weights", "pair_amplitude", "inv_freq",
          "inv_freq_lo", "pair_bases", "exponent_numerators",
          "exponent_denominators", "permute_in")


class Request:
    """fields: what the header says, numbers as numbers. arrays: the inputs by
    name, dense, of NumPy. results: the names of what is wanted, in order."""

    def __init__(self, header, read=None):
        buffers = header.pop("buffers", [])
        self.fields = header
        for name in ("base", "amplitude"):
            header[name] = _from_hex(header[name])
        if header["scaling"]:
            header["scaling"] = {name: _scaling_value(name, value) for
                                 name, value in header["scaling"].items()}
        self.arrays = {}
        self.returned = set()  # names of inputs that a kernel gave back
        for name, size, *offset in buffers:
            array = self.empty(name)
            if array.nbytes != size:
                raise ValueError(f"{name} has {size} bytes, "
                                 f"its shape {array.shape} {array.nbytes}")
            read(array, *offset)
            self.arrays[name] = array
        self.results = {
            "table": ["cos", "sin"], "frequencies": ["inv_freq_out"],
            "permute": ["permute_out"]}.get(
                header["operation"],
                [name for name in TENSORS if name in self.arrays])

    def note_returned(self, name, array):
        """That an array is a result; it may lie where the input did."""
        if np.may_share_memory(array, self.arrays[name]):
            self.returned.add(name)

    def is_empty(self):
        """Whether there is nothing to compute."""
        f = self.fields
        counts = {"frequencies": [1], "table": [f["batch"], f["seq"]],
                  "permute": [f["permute_heads"], f["permute_columns"]]}.get(
                      f["operation"],
                      [f["batch"], f["seq"], f["q_heads"] or f["k_heads"]])
        return min(counts) == 0

    def empty(self, name):
        """An array of the shape and type of an input or a result."""
        shape, dtype = self.form(name)
        return np.empty(shape, dtype)

    def form(self, name):
        f = self.fields
        batch, seq = f["batch"], f["seq"]
        pairs = f["rotary_dim"] // 2
        dtype = np.float64
        if name in TENSORS:
            shape = batch, seq, f[name + "_heads"], f["head_dim"]
        elif name in ("cos", "sin") and f["operation"] == "lookup":
            shape = f["cache_rows"], pairs * (1 if f["cache"] == "split" else 2)
        elif name in ("cos", "sin", "pair_amplitude"):
            shape = batch, seq, pairs
        elif name in ("permute_in", "permute_out"):
            shape = f["permute_heads"] * f["head_dim"], f["permute_columns"]
        elif name == "ids":
            shape = batch, seq
        elif name in ("positions", "real_positions"):
            axes = f["position_axes"]
            shape = (batch, seq) if axes == 1 else (axes, batch, seq)
        elif name == "axis_weights":
            shape = f["position_axes"], pairs
        else:
            shape = (pairs,)
        word = self.word(name)
        if word:
            dtype = DTYPES[word]
        elif name in ("ids", "positions", "exponent_numerators",
                      "exponent_denominators"):
            dtype = np.int64
        elif name == "axis_of_pair":
            dtype = np.int32
        # A count below 0 is a problem that contradicts itself.
        return tuple(max(0, count) for count in shape), np.dtype(dtype)

    def word(self, name):
        """The dtype that the problem gives an array; None: it has its own."""
        if name in ("q", "k", "permute_in", "permute_out"):
            return self.fields["dtype"]
        if name in ("cos", "sin", "inv_freq_out"):
            return self.fields["table_dtype"]
        return None


def _from_hex(bits):
    return struct.unpack(">d", bytes.fromhex(bits))[0]


def _scaling_value(name, value):
    if name in ("kind", "truncate"):
        return value
    if isinstance(value, list):
        return [_from_hex(bits) for bits in value]
    return _from_hex(value)
