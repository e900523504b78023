"""Two state dicts of one model: is one the right conversion of the other?

    from ropeproof import weights

    comparison = weights.compare(original, converted, config)
    assert comparison.is_right, comparison

What is said, and by which rules, is `ropeproof weights compare`.
"""

import json
import os
import pathlib
import struct
import subprocess
import tempfile

import numpy as np

from ropeproof.arrays import from_numpy, from_torch, word_of
from ropeproof.errors import Error
from ropeproof.program import find

_WORDS = {"f64": "F64", "f32": "F32", "f16": "F16", "bf16": "BF16", "int64": "I64",
          "int32": "I32", "int16": "I16", "int8": "I8", "uint8": "U8", "uint16": "U16",
          "uint32": "U32", "uint64": "U64", "bool": "BOOL"}


class Comparison(str):
    """The text of the terminal. `is_right`: every tensor is equal, or permuted
    as all are; `direction`; `tensors`: for each a dict with layer, what,
    verdict, and where it is wrong fault, advice and first_row; `json`: all."""

    def __new__(cls, found):
        self = super().__new__(cls, found["text"])
        self.json, self.tensors = found, found["tensors"]
        self.direction = found["direction"]
        self.is_right = found["exit_status"] == 0
        return self


def compare(a, b, config=None, *, expect=None, program=None, **flags):
    """Holds the state dict `b` against `a`, of which it was made: names and
    arrays of torch or NumPy, or the path of a checkpoint.

    config: a dict, the config of a transformers model, or a path of a
    config.json; of `a` and `b`. Else heads=, kv_heads=, head_dim=, rotary_dim=,
    rotary_offset=. expect: "equal", "to_interleaved" or "to_half_split"; by
    default what the names say. Both are written whole into a temporary folder:
    of a large model give the attention of a few layers. Raises Error in a line
    where nothing can be compared."""
    with tempfile.TemporaryDirectory(prefix="ropeproof-") as folder:
        folder = pathlib.Path(folder)
        words = [_path(each, folder / f"{name}.safetensors")
                 for name, each in (("a", a), ("b", b))]
        if config is not None:
            words += ["--config", _config(config, folder / "config.json")]
        if expect is not None:
            words += ["--expect", expect]
        for name, value in flags.items():
            words += ["--" + name.replace("_", "-"), str(value)]
        run = subprocess.run([find(program), "weights", "compare", *words, "--json"],
                             stdin=subprocess.DEVNULL, capture_output=True, check=False)
    try:
        return Comparison(json.loads(run.stdout))
    except ValueError:
        raise Error(run.stderr.decode("utf-8", "replace").strip()) from None


def _config(config, file):
    if isinstance(config, (str, os.PathLike)):
        return os.fspath(config)
    file.write_text(json.dumps(config if isinstance(config, dict) else config.to_dict()))
    return str(file)


def _path(state, file):
    if isinstance(state, (str, os.PathLike)):
        return os.fspath(state)
    header, arrays, offset = {}, [], 0
    for name, tensor in state.items():
        try:
            array = from_torch(tensor) if hasattr(tensor, "is_meta") else from_numpy(
                np.asarray(tensor))
        except ValueError as error:
            raise Error(f"{name!r} {error}") from None
        word = _WORDS.get(word_of(tensor.dtype))
        if word is None:
            raise Error(f"{name!r} is {tensor.dtype}; expected plain numbers")
        header[name] = {"dtype": word, "shape": list(array.shape),
                        "data_offsets": [offset, offset + array.nbytes]}
        arrays.append(array)
        offset += array.nbytes
    text = json.dumps(header).encode()
    with open(file, "wb") as out:
        out.write(struct.pack("<Q", len(text)) + text)
        for array in arrays:
            out.write(np.ascontiguousarray(array).data)
    return str(file)
