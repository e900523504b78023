"""`ropeproof weights compare`: a right converter, and wrong ones, each named.

  weights_test.py ROPEPROOF VECTORS
"""

import functools
import json
import pathlib
import sys

import numpy as np
from weights_files import (
    DIM, HEADS, KV_HEADS, LLAMA, PROGRAM, VECTORS, WIDTH, check, compare, converted, gguf, heads_of,
    hugging_face, inverse, meta_names, noise, permuted, random, run, run_tests, safetensors)


def of_layer_1(part, change):
    return lambda name, rows: change(rows) if f".1.self_attn.{part}" in name else None


def swapped_pairs(rows):
    return permuted(rows, KV_HEADS).reshape(-1, 2, WIDTH)[:, ::-1].reshape(rows.shape)


def flipped(rows):
    rows = permuted(rows, KV_HEADS)
    rows[7, 2] ^= 1
    return rows


WRONG = {  # a converter's fault: what is said of layer 1
    "k_with_q_heads": ("k_proj.weight", lambda w: permuted(w, HEADS),
                       "head count of q taken for k: permuted as 8 heads of 4, not 2 heads of 16"),
    "q_with_k_heads": ("q_proj.weight", lambda w: permuted(w, KV_HEADS),
                       "head count of k taken for q: permuted as 2 heads of 64"),
    "one_head": ("q_proj.weight", lambda w: permuted(w, 1), "all heads taken for one"),
    "twice": ("k_proj.weight", lambda w: permuted(permuted(w, KV_HEADS), KV_HEADS),
              "permuted twice (half_split -> interleaved)"),
    "inverse": ("q_proj.weight", lambda w: inverse(w, HEADS),
                "permuted by the inverse, interleaved -> half_split"),
    "not": ("k_proj.weight", lambda w: w, "what     not permuted\n"),
    "bias": ("q_proj.bias", lambda w: w, "not permuted; it moves as the rows of its weight do"),
    "norm": ("k_norm", lambda w: w, "not permuted; it moves as the rows of its weight do"),
    "v": ("v_proj.weight", lambda w: permuted(w, KV_HEADS), "v has no rotary channels"),
    "v_with_q_heads": ("v_proj.weight", lambda w: permuted(w, HEADS), "v has no rotary channels"),
    "half_of_the_heads": (
        "q_proj.weight",
        lambda w: np.concatenate([permuted(w[:64], 4), w[64:]]),
        "heads treated unlike: 4 equal, 4 half_split -> interleaved, head 4 is the first"),
    "groups": ("q_proj.weight",
               lambda w: permuted(w, HEADS).reshape(2, 4, DIM, WIDTH).swapaxes(0, 1)
               .reshape(w.shape), "heads in another order: head 1 of B is head 4 of A"),
    "repeated": ("k_proj.weight",
                 lambda w: permuted(w, KV_HEADS).reshape(2, DIM, WIDTH).repeat(4, 0)
                 .reshape(-1, WIDTH), "8 heads in B, 2 in A; those of A occur 4 times"),
    "swapped_pairs": ("k_proj.weight", swapped_pairs, "it rotates backwards (half_split"),
    "a_bit": ("k_proj.weight", flipped, "no known rearrangement of rows: 31 of 32"),
}


def test_converters(folder):
    original = hugging_face()
    a = folder / "hf"
    a.mkdir()
    safetensors(a / "model.safetensors", original)
    (a / "config.json").write_text(json.dumps(LLAMA))
    right = safetensors(folder / "right.safetensors", meta_names(converted(original)))
    compare(a, right, 0, "RIGHT  24 tensors: half_split -> interleaved", "8 of q, 2 of k")
    compare(right, a, 0, "RIGHT  24 tensors: interleaved -> half_split")
    compare(a, gguf(folder / "right.gguf", converted(original)), 0, "permuted k norm: 3")
    compare(a, gguf(folder / "qwen2.gguf", original, "qwen2"), 0, "equal    q bias: 3")
    compare(a, gguf(folder / "unpermuted.gguf", original), 1, "WRONG  q of layers 0 to 2",
            "to do    permute it half_split -> interleaved as 8 heads of 16")
    compare(a, a, 0, "RIGHT  24 tensors: equal")
    compare(a, a, 1, "WRONG  18 of 24", flags=["--expect", "to_interleaved"])
    for name, (part, change, text) in WRONG.items():
        wrong = meta_names(converted(original, of_layer_1(part, change)))
        out = compare(a, safetensors(folder / f"{name}.safetensors", wrong), 1, text,
                      "of layer 1\n")
        check(out.count("WRONG") == 2, name, "is one fault, not\n", out)
    # The same without a configuration: the width of a head follows from the rows.
    bare = safetensors(folder / "bare.safetensors", original)
    for name in ("right", "k_with_q_heads", "twice", "inverse", "bias"):
        b = folder / f"{name}.safetensors"
        compare(bare, b, name != "right", WRONG[name][2] if name != "right" else "RIGHT")
    # Names that nobody knows.
    unknown = {f"t{i}": rows for i, rows in enumerate(converted(original).values())}
    b = safetensors(folder / "unknown.safetensors", unknown)
    compare(a, b, 0, "those of B are unknown; matched by shape and rows", "permuted k norm: 3")
    compare(b, a, 0, "those of A are unknown", "permuted q bias: 3")
    # Rows of another layer are found there; a bias that is missing is missed.
    tensors = converted(original)
    tensors["model.layers.1.self_attn.q_proj.weight"] = tensors[
        "model.layers.2.self_attn.q_proj.weight"]
    del tensors["model.layers.0.self_attn.k_proj.bias"]
    compare(a, safetensors(folder / "mixed.safetensors", meta_names(tensors)), 1,
            "0 of 128 are in A's tensor, 128 in \"q of layer 2\"", "what     B has none")
    # One line for each tensor, for programs.
    got, out, _ = run("compare", a, folder / "bias.safetensors", "--vectors", VECTORS, "--json")
    rows = [row for row in json.loads(out)["tensors"] if row["verdict"] == "wrong"]
    check(got == 1 and len(rows) == 1 and rows[0]["layer"] == 1 and rows[0]["first_row"] == 1
          and rows[0]["a"] == "model.layers.1.self_attn.q_proj.bias", out)


def test_types(folder):
    original = hugging_face()
    a = safetensors(folder / "bf16.safetensors", original)
    flags = ["--heads", HEADS, "--kv-heads", KV_HEADS]
    wide = {name: (rows.astype(np.uint32) << 16) for name, rows in converted(original).items()}
    compare(a, safetensors(folder / "f32.safetensors", wide, "F32"), 0, flags=flags)
    half = {name: rows.view(np.float32).astype(np.float16) for name, rows in wide.items()}
    compare(a, safetensors(folder / "f16.safetensors", half, "F16"), 0, flags=flags)
    compare(folder / "f32.safetensors", safetensors(folder / "u16.safetensors", original, "U16"),
            2, "NOT JUDGED  24 of 24", "F32 in A, U16 in B", flags=flags)
    blocks = {f"model.layers.0.self_attn.{part}_proj.weight":
              random.integers(0, 256, (heads * DIM, 68), dtype=np.uint8)
              for part, heads in (("q", HEADS), ("k", KV_HEADS), ("v", KV_HEADS))}
    a = gguf(folder / "q8.gguf", blocks, "qwen2", 8)
    compare(a, gguf(folder / "moved.gguf", converted(blocks), "llama", 8), 0, "RIGHT  3")
    wrong = converted(blocks, lambda name, rows: permuted(rows, HEADS) if "k_p" in name else None)
    compare(a, gguf(folder / "wrong.gguf", wrong, "llama", 8), 1, "head count of q taken for k")


def test_lora(folder):
    original = hugging_face(lora=True)
    a = safetensors(folder / "lora.safetensors", original)
    flags = ["--heads", HEADS, "--kv-heads", KV_HEADS, "--head-dim", DIM]
    b = safetensors(folder / "moved.safetensors", converted(original))
    compare(a, b, 0, "permuted q lora_b: 3", flags=flags)
    fresh = {name: np.zeros_like(rows) if "lora_B" in name else rows
             for name, rows in original.items()}
    compare(safetensors(folder / "fresh.safetensors", fresh), folder / "fresh.safetensors", 0,
            "RIGHT  18 tensors: equal", flags=flags)
    wrong = converted(original, lambda name, rows: permuted(rows, 1) if "q_proj.lora_A" in name
                      else rows if "q_proj.lora_B" in name else None)
    compare(a, safetensors(folder / "wrong.safetensors", wrong), 1,
            "rows of LoRA A permuted in place of those of B", flags=flags)


def test_windows(folder):
    """Partial heads, latent attention, one key head."""
    weights = {f"model.layers.0.self_attn.{part}_proj.weight": noise(heads * DIM, WIDTH)
               for part, heads in (("q", HEADS), ("k", 1), ("v", 1))}
    flags = ["--heads", HEADS, "--kv-heads", 1, "--head-dim", DIM, "--rotary-dim", 8]

    def moved(change, file, q=HEADS, k=1):
        counts = {"q": q, "k": k}
        return safetensors(folder / file, {
            name: change(rows, counts[name[-len("q_proj.weight")]]) if "v_proj" not in name
            else rows for name, rows in weights.items()})

    a = moved(lambda rows, heads: rows, "partial.safetensors")
    b = moved(lambda rows, heads: permuted(rows, heads, 0, 8), "right.safetensors")
    compare(a, b, 0, "(8 rotary from 0 on)", flags=flags)
    b = moved(permuted, "whole.safetensors")
    compare(a, b, 1, "all channels of a head permuted", "q of layer 0", "k of layer 0",
            flags=flags + ["--expect", "to_interleaved"])
    b = moved(lambda rows, heads: permuted(rows, heads, 8, 8), "end.safetensors")
    compare(a, b, 1, "taken at the other end of the head",
            flags=flags + ["--expect", "to_interleaved"])
    b = moved(lambda rows, heads: permuted(rows, heads, 0, 4), "four.safetensors")
    compare(a, b, 0, "permuted k: 1", flags=flags[:-1] + [4])
    one = {"blk.0.attn_q.weight": noise(128, WIDTH), "blk.0.attn_k.weight": noise(32, WIDTH)}
    a = safetensors(folder / "one.safetensors", one)
    b = safetensors(folder / "mqa.safetensors", {name: permuted(rows, 4)
                                                 for name, rows in one.items()})
    compare(a, b, 1, "head count of q taken for k: permuted as 4 heads of 8, not 1 head of 32",
            flags=["--heads", 4, "--kv-heads", 1])

    config = folder / "config.json"
    config.write_text(json.dumps({
        "model_type": "deepseek_v3", "num_attention_heads": 4, "qk_nope_head_dim": 16,
        "qk_rope_head_dim": 8, "kv_lora_rank": 24, "rope_theta": 1e4, "hidden_size": 32}))
    names = ["model.layers.0.self_attn.q_b_proj.weight",
             "model.layers.0.self_attn.kv_a_proj_with_mqa.weight"]
    latent = dict(zip(names, (noise(4 * 24, WIDTH), noise(24 + 8, WIDTH))))
    a = safetensors(folder / "latent.safetensors", latent)

    def latent_moved(file, q, kv):
        return safetensors(folder / file, dict(zip(names, (q(latent[names[0]]),
                                                            kv(latent[names[1]])))))

    right = lambda rows: inverse_window(rows, 4, 16), lambda rows: inverse_window(rows, 1, 24)
    compare(a, latent_moved("latent_right.safetensors", *right), 0, "head_dim 24 (8 rotary from 16",
            "permuted latent: 1", "RIGHT  2 tensors: interleaved -> half_split")
    compare(a, latent_moved("first.safetensors", right[0], lambda rows: np.roll(rows, 8, 0)), 1,
            "rotary channels moved before the others")
    compare(a, latent_moved("nope.safetensors", right[0],
                            lambda rows: inverse_window(rows, 1, 0, 8)), 1,
            "rotary channels taken at the other end of the head (interleaved -> half_split)")
    compare(a, latent_moved("all.safetensors", lambda rows: inverse(rows, 4), right[1]), 1,
            "all channels of a head permuted, not the rotary ones alone",
            "channels 16 to 23 of each")


def inverse_window(rows, heads, start, size=8):
    blocks = rows.reshape(heads, -1, WIDTH).copy()
    window = blocks[:, start:start + size]
    blocks[:, start:start + size] = inverse(window.reshape(-1, WIDTH), heads).reshape(window.shape)
    return blocks.reshape(rows.shape)


def test_fused(folder):
    """GPT-NeoX: q, k and v of a head stand together; llama.cpp wants all of q, of k, of v."""
    heads, width = 4, DIM
    q, k, v = (noise(heads * width, WIDTH) for _ in range(3))

    def by_head(*parts):
        return np.stack([part.reshape(heads, width, WIDTH) for part in parts], 1).reshape(
            -1, WIDTH)

    name, other = "gpt_neox.layers.0.attention.query_key_value.weight", "blk.0.attn_qkv.weight"
    a = safetensors(folder / "neox.safetensors", {name: by_head(q, k, v)})
    flags = ["--heads", heads]
    b = safetensors(folder / "blocks.safetensors", {other: np.concatenate([q, k, v])})
    compare(a, b, 0, "RIGHT  3 tensors: equal", flags=flags)
    b = safetensors(folder / "moved.safetensors",
                    {name: by_head(permuted(q, heads), permuted(k, heads), v)})
    compare(a, b, 0, "permuted q: 1", "equal    v: 1", flags=flags)
    b = safetensors(folder / "same.safetensors", {other: by_head(q, k, v)})
    compare(a, b, 1, "fused rows stand head by head, not as all of q, k, v", flags=flags)
    b = safetensors(folder / "split.safetensors", {
        f"model.layers.0.self_attn.{part}_proj.weight": rows
        for part, rows in (("q", permuted(q, heads)), ("k", k), ("v", permuted(v, heads)))})
    compare(a, b, 1, "v has no rotary channels", "WRONG  k of layer 0", flags=flags)
    compare(a, b, 2, "how many is not known")


def prove(folder, b, status, *texts, a="hf.safetensors", flags=()):
    got, out, err = run("prove", folder / "config.json", folder / a, "--against", b, "--vectors",
                        VECTORS, *flags)
    check(got == status and all(text in out + err for text in texts),
          f"prove {b.name}: exit status {got}\n{out}{err}")


def test_prove(folder):
    """Scores: equal where the conversion is right, not where it is wrong; through a quantised
    file, too, within what its blocks may be off."""
    original = hugging_face()
    for i, name in enumerate(original):  # numbers of one size, as weights are
        original[name] = (original[name] & 0x807F) | 0x3F00 | (random.integers(
            0, 2, original[name].shape, dtype=np.uint16) << 15)
    (folder / "config.json").write_text(json.dumps(LLAMA))
    safetensors(folder / "hf.safetensors", original)
    right = safetensors(folder / "right.safetensors", meta_names(converted(original)))
    prove(folder, right, 0, "PROVED", "of the bound: off by", "nothing that tells a pairing",
          flags=["--layer", 2])
    prove(folder, folder / "hf.safetensors", 0, "PROVED")
    prove(folder, folder / "hf.safetensors", 1, "they are the same with B as half_split",
          flags=["--to", "interleaved"])
    prove(folder, right, 2, "the layer has no q", flags=["--layer", 3])
    lacking = safetensors(folder / "lacking.safetensors", {
        name: rows for name, rows in meta_names(converted(original)).items() if ".wk." not in name})
    prove(folder, lacking, 2, "the layer has no k")
    prove(folder, right, 2, "does not tell one pairing", flags=["--positions", 0])
    for name in ("k_with_q_heads", "inverse", "bias", "norm", "swapped_pairs"):
        part, change, _ = WRONG[name]
        b = safetensors(folder / f"{name}.safetensors",
                        meta_names(converted(original, of_layer_1(part, change))))
        prove(folder, b, 1, "WRONG  the scores of both differ", flags=["--layer", 1])
    got, out, err = run("prove", folder / "config.json", right, "--vectors", VECTORS)
    check(got == 0 and "permuted in memory, half_split" in out, out, err)
    # f16, rounded; blocks of Q8_0.
    wide = {name: rows.astype(np.uint32) << 16 for name, rows in converted(original).items()}
    half = {name: (rows.view(np.float32) * np.float32(1.001)).astype(np.float16)
            for name, rows in wide.items()}
    b = safetensors(folder / "f16.safetensors", meta_names(half), "F16")
    prove(folder, b, 0, "PROVED", flags=["--layer", 1])
    weights = {name: noise(heads_of(name) * DIM, 64) & 0x80FF | 0x3F00
               for name in original if "weight" in name and "norm" not in name}
    safetensors(folder / "wide.safetensors", weights)
    blocks = {name: q8_0((rows.astype(np.uint32) << 16).view(np.float32))
              for name, rows in converted(weights).items()}
    b = gguf(folder / "q8.gguf", blocks, "llama", 8)
    prove(folder, b, 0, "PROVED", a="wide.safetensors")
    wrong = converted(blocks, lambda name, rows: inverse(rows, HEADS) if "q_proj" in name else rows)
    prove(folder, gguf(folder / "q8_wrong.gguf", wrong, "llama", 8), 1, "WRONG",
          a="wide.safetensors")


def q8_0(rows):
    """As ggml rounds: a scale in f16, 32 integers."""
    blocks = rows.reshape(len(rows), -1, 32)
    scale = np.abs(blocks).max(-1, keepdims=True) / 127
    integers = np.rint(blocks / scale).astype(np.int8)
    return np.concatenate([scale.astype(np.float16).view(np.uint8), integers.view(np.uint8)],
                          -1).reshape(len(rows), -1)


def test_python(folder):
    """The door of Python asks the same program."""
    sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / "conformance" / "adapters"))
    import ropeproof
    original = {name: (rows.astype(np.uint32) << 16).view(np.float32)
                for name, rows in hugging_face().items()}
    right = meta_names(converted(original))
    say = functools.partial(ropeproof.weights.compare, program=PROGRAM, vectors=VECTORS)
    found = say(original, right, LLAMA)
    check(found.is_right and found.direction == "half_split -> interleaved", found)
    wrong = meta_names(converted(original, of_layer_1("k_norm", lambda rows: rows)))
    found = say(original, wrong, heads=HEADS, kv_heads=KV_HEADS)
    rows = [row for row in found.tensors if row["verdict"] == "wrong"]
    check(not found.is_right and len(rows) == 1 and rows[0]["layer"] == 1
          and "not permuted" in rows[0]["fault"] and "WRONG  k norm of layer 1" in found, found)
    for change in {"a": np.array(["x"])}, folder / "no":
        try:
            say(change, right)
            check(False, "nothing is refused of", change)
        except ropeproof.Error as error:
            check("\n" not in str(error), error)
    check(run("compare", "a", "b", "--json")[1] == "", "an error has JSON")


def test_bad_numbers(folder):
    original = hugging_face()
    flags = ["--heads", HEADS, "--kv-heads", KV_HEADS, "--head-dim", DIM]
    a = safetensors(folder / "a.safetensors", original)
    name = "model.layers.1.self_attn.k_proj.weight"
    broken = {**original, name: original[name].copy()}
    broken[name][9, 2] = 0x7FC1
    b = safetensors(folder / "b.safetensors", broken)
    for words in (("compare", a, b), ("permute", b, folder / "c", "--to", "interleaved", "--from",
                                      "half_split")):
        got, out, err = run(*words, "--vectors", VECTORS, *flags)
        check(got == 2 and err.count("\n") == 1 and "k_proj.weight\" has a NaN in row 9" in err, err)
    check(len(list(folder.iterdir())) == 2, "a NaN leaves a file")
    words = {"model.embed_tokens.weight": noise(7, WIDTH)}
    a = safetensors(folder / "a.safetensors", {**original, **words})
    b = safetensors(folder / "b.safetensors", {**original, "model.embed_tokens.weight": noise(
        8, WIDTH)})
    compare(a, b, 2, "NOT JUDGED  vocabulary\n", "7 tokens in A, 8 in B", flags=flags)


def test_others(folder):
    """What no pairing concerns: found by name or by rows, experts one by one or all in one."""
    rest = {f"model.layers.0.mlp.experts.{e}.up_proj.weight": noise(8, WIDTH) for e in range(4)}
    rest["lm_head.weight"] = noise(6, WIDTH)
    original = {**hugging_face(bias=False), **rest}
    flags = ["--heads", HEADS, "--kv-heads", KV_HEADS, "--all"]
    a = safetensors(folder / "a.safetensors", original)

    def other(file, experts, head=rest["lm_head.weight"]):
        attention = converted({name: rows for name, rows in original.items() if name not in rest})
        return safetensors(folder / file, {
            **meta_names(attention), "blk.0.ffn_up_exps.weight": np.stack(experts),
            "output.weight": head})

    experts = list(rest.values())[:4]
    compare(a, other("right.safetensors", experts), 0, "equal    experts: 1", "equal    other: 1",
            flags=flags)
    compare(a, other("order.safetensors", experts[::-1]), 1,
            "experts in another order: expert 0 of B is expert 3 of A",
            "WRONG  experts of layer 0", flags=flags)
    moved = [permuted(rows, 1) for rows in experts]
    compare(a, other("moved.safetensors", moved), 1,
            "permuted half_split -> interleaved; it has no rotary channels", flags=flags)
    compare(a, other("changed.safetensors", experts, noise(6, WIDTH)), 2,
            "NOT JUDGED  other\n", "its rows are in no tensor of A", flags=flags)
    changed = {**original, "lm_head.weight": noise(6, WIDTH)}
    compare(a, safetensors(folder / "named.safetensors", changed), 1,
            "no known rearrangement of rows: 0 of 6 are in A's tensor", flags=flags)


run_tests(test_converters, test_types, test_lora, test_windows, test_fused, test_prove,
          test_python, test_bad_numbers, test_others)
