"""Small checkpoints, written as their formats have them, and what `ropeproof weights` says of them.

The two tests beside this file take

  ROPEPROOF VECTORS
"""

import json
import pathlib
import struct
import subprocess
import sys
import tempfile

import numpy as np

PROGRAM, VECTORS = sys.argv[1:]
HEADS, KV_HEADS, DIM, WIDTH, LAYERS = 8, 2, 16, 5, 3
LLAMA = {"model_type": "llama", "hidden_size": HEADS * DIM, "num_attention_heads": HEADS,
         "num_key_value_heads": KV_HEADS, "head_dim": DIM, "rope_theta": 10000.0}
random = np.random.default_rng(47)
checks, faults = 0, 0


def noise(*shape):
    """Finite bfloat16 numbers, as bits; no two rows are alike."""
    return random.integers(0x3F00, 0x4700, shape, dtype=np.uint16)


def permuted(rows, heads, start=0, size=None):
    """Half-split rows as interleaved ones: the channels start .. start + size of each head."""
    rows = rows.copy()
    width = len(rows) // heads
    size = width if size is None else size
    block = rows.reshape(heads, width, -1)[:, start:start + size]
    half = block.reshape(heads, 2, size // 2, -1).swapaxes(1, 2).reshape(block.shape)
    result = rows.reshape(heads, width, -1).copy()
    result[:, start:start + size] = half
    return result.reshape(rows.shape)


def inverse(rows, heads):
    return (rows.reshape(heads, -1, 2, *rows.shape[1:]).swapaxes(1, 2).reshape(rows.shape))


def hugging_face(bias=True, lora=False):
    tensors = {}
    for i in range(LAYERS):
        at = f"model.layers.{i}.self_attn."
        for part, heads in ("q", HEADS), ("k", KV_HEADS), ("v", KV_HEADS):
            if lora:
                tensors[f"base_model.model.{at}{part}_proj.lora_A.weight"] = noise(4, WIDTH)
                tensors[f"base_model.model.{at}{part}_proj.lora_B.weight"] = noise(heads * DIM, 4)
                continue
            tensors[f"{at}{part}_proj.weight"] = noise(heads * DIM, WIDTH)
            if bias:
                tensors[f"{at}{part}_proj.bias"] = noise(heads * DIM)
            if bias and part != "v":
                tensors[f"{at}{part}_norm.weight"] = noise(DIM)
    return tensors


def heads_of(name):
    return 1 if "norm" in name else HEADS if "q_proj" in name else KV_HEADS


def converted(tensors, change=None):
    """By the right converter; change(name, rows) gives other rows for some, or None."""
    result = {}
    for name, rows in tensors.items():
        other = change(name, rows) if change else None
        if other is None:
            is_moved = "v_proj" not in name and "lora_A" not in name
            other = permuted(rows, heads_of(name)) if is_moved else rows
        result[name] = other
    return result


def meta_names(tensors):
    words = {"model.layers": "layers", "self_attn": "attention", "q_proj": "wq", "k_proj": "wk",
             "v_proj": "wv"}
    result = {}
    for name, rows in tensors.items():
        for old, new in words.items():
            name = name.replace(old, new)
        result[name] = rows
    return result


def safetensors(path, tensors, dtype="BF16"):
    header, offset = {"__metadata__": {"format": "pt"}}, 0
    for name, rows in tensors.items():
        header[name] = {"dtype": dtype, "shape": rows.shape,
                        "data_offsets": [offset, offset + rows.nbytes]}
        offset += rows.nbytes
    text = json.dumps(header).encode()
    path.write_bytes(struct.pack("<Q", len(text)) + text
                     + b"".join(rows.tobytes() for rows in tensors.values()))
    return path


def gguf(path, tensors, architecture="llama", kind=30):
    """With the names of llama.cpp. Type 30 is BF16; 8 is Q8_0, rows of whole blocks."""
    words = {"model.layers": "blk", "self_attn.q_proj": "attn_q", "self_attn.k_proj": "attn_k",
             "self_attn.v_proj": "attn_v", "self_attn.q_norm": "attn_q_norm",
             "self_attn.k_norm": "attn_k_norm"}

    def text(word):
        return struct.pack("<Q", len(word)) + word.encode()

    values = text("general.architecture") + struct.pack("<I", 8) + text(architecture)
    for key, value in {"embedding_length": HEADS * DIM, "attention.head_count": HEADS,
                       "attention.head_count_kv": KV_HEADS}.items():
        values += text(f"{architecture}.{key}") + struct.pack("<II", 4, value)
    names, data = b"", b""
    for name, rows in tensors.items():
        for old, new in words.items():
            name = name.replace(old, new)
        shape = rows.shape if kind == 30 else (rows.shape[0], rows.shape[1] // 34 * 32)
        data += b"\0" * (-len(data) % 32)
        names += text(name) + struct.pack("<I", len(shape))
        names += struct.pack(f"<{len(shape)}Q", *reversed(shape))
        names += struct.pack("<IQ", kind, len(data))
        data += rows.tobytes()
    header = b"GGUF" + struct.pack("<IQQ", 3, len(tensors), 4) + values + names
    path.write_bytes(header + b"\0" * (-len(header) % 32) + data)
    return path


def check(is_right, *what):
    global checks, faults
    checks += 1
    if not is_right:
        faults += 1
        print("weights:", *what)


def run(*words):
    result = subprocess.run([PROGRAM, "weights", *map(str, words)], capture_output=True, text=True,
                            check=False)
    return result.returncode, result.stdout, result.stderr


def compare(a, b, status, *texts, flags=()):
    got, out, err = run("compare", a, b, "--vectors", VECTORS, *flags)
    check(got == status, f"compare {b.name}: exit status {got}, expected {status}\n{out}{err}")
    for text in texts:
        check(text in out, f"compare {b.name}: no \"{text}\" in\n{out}")
    return out


def run_tests(*tests):
    """Exits with 1 where a check failed."""
    for test in tests:
        with tempfile.TemporaryDirectory() as folder:
            test(pathlib.Path(folder))
    print(f"weights: {checks} checks, {faults} faults")
    sys.exit(1 if faults else 0)
