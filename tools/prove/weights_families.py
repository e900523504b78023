"""Tiny random models of many families: saved by transformers, converted by the converters that
people use, and by wrong ones; what `ropeproof weights` says of each.

  weights_families.py ROPEPROOF LLAMA_CPP [CONVERTERS TORCHTUNE]

LLAMA_CPP is a checkout with convert_hf_to_gguf.py and conversion/. CONVERTERS is a folder with
transformers/models/*/convert_*.py of transformers 4 (a wheel of 4.46 has them), TORCHTUNE one with
torchtune/models/convert_weights.py. Needs torch, transformers, safetensors, gguf. Prints the rows
of a table of conformance/weights/README.md; exits with 1 where a verdict is not as it should be.
"""

import importlib.util
import json
import pathlib
import subprocess
import sys
import tempfile
import types

import gguf
import numpy as np
import torch
from safetensors.torch import load_file, save_file
from transformers import AutoConfig, AutoModelForCausalLM

PROGRAM, LLAMA_CPP, *OTHERS = sys.argv[1:]
HEADS, KV, DIM, WIDTH, LAYERS = 8, 2, 16, 128, 2
SIZES = {"vocab_size": 64, "hidden_size": WIDTH, "intermediate_size": 96,
         "num_hidden_layers": LAYERS, "num_attention_heads": HEADS, "num_key_value_heads": KV,
         "max_position_embeddings": 256, "pad_token_id": 0, "bos_token_id": 1, "eos_token_id": 2,
         "head_dim": DIM}
EXPERTS = {"num_local_experts": 4, "num_experts_per_tok": 2}
FAMILIES = {
    "llama": {}, "mistral": {}, "mixtral": EXPERTS, "qwen2": {}, "qwen3": {}, "gemma2": {},
    "phi3": {}, "granite": {}, "smollm3": {}, "starcoder2": {}, "cohere2": {"rotary_pct": 1.0},
    "olmo2": {}, "nemotron": {}, "glm4": {},
    "stablelm": {"head_dim": None, "qk_layernorm": False, "partial_rotary_factor": 0.25},
    "phi": {"head_dim": None, "partial_rotary_factor": 0.5, "num_key_value_heads": HEADS},
    "gpt_neox": {"num_key_value_heads": None, "head_dim": None, "rotary_pct": 0.5},
    "falcon": {"multi_query": True, "new_decoder_architecture": False, "num_kv_heads": 1,
               "head_dim": None, "ffn_hidden_size": 96},
    "deepseek_v3": {"num_key_value_heads": HEADS, "q_lora_rank": 32, "kv_lora_rank": 24,
                    "qk_rope_head_dim": 8, "qk_nope_head_dim": 16, "v_head_dim": 16,
                    "head_dim": 8, "n_routed_experts": 4, "num_experts_per_tok": 2, "n_group": 1,
                    "topk_group": 1, "first_k_dense_replace": 1, "moe_intermediate_size": 32,
                    "rope_interleave": True},
}
faults = 0


def run(*words):
    result = subprocess.run([PROGRAM, "weights", *map(str, words)], capture_output=True, text=True,
                            check=False)
    return result.returncode, result.stdout + result.stderr


def expect(what, got, status, *texts):
    """Returns a cell of the table."""
    global faults
    code, out = got
    if code == status and all(text in out for text in texts):
        return True
    faults += 1
    print(f"FAULT  {what}: exit status {code}, expected {status} with {texts}\n{out}")
    return False


def save(name, folder):
    """A model with weights in which no two rows are alike, norms and biases too."""
    torch.manual_seed(47)
    sizes = {key: value for key, value in {**SIZES, **FAMILIES[name]}.items() if value is not None}
    model = AutoModelForCausalLM.from_config(AutoConfig.for_model(name, **sizes))
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.add_(torch.randn_like(parameter) * 0.5)
    model.bfloat16().save_pretrained(folder)
    if "rotary_pct" in sizes:  # transformers 5 saves it in another place, llama.cpp wants it here
        config = json.loads((folder / "config.json").read_text())
        (folder / "config.json").write_text(json.dumps({**config, "rotary_pct": sizes[
            "rotary_pct"]}))


def to_gguf(jobs):
    """By llama.cpp's script, but for the vocabulary, which random models have none of. Each job is
    a folder, a file and a type; returns the fault of each that failed, by its file."""
    code = """if True:
        import sys
        sys.path.insert(0, sys.argv[1])
        import json, conversion, convert_hf_to_gguf as script
        find = script.get_model_class
        def found(*words, **named):
            kind = find(*words, **named)
            kind.set_vocab = lambda self: None
            return kind
        script.get_model_class = found
        load = conversion.ModelBase.load_hparams
        def loaded(folder, *words, **named):  # transformers 5 moves keys, rotary_pct of GPT-NeoX
            own = json.load(open(f"{folder}/config.json"))
            return {**own, **load(folder, *words, **named)}
        conversion.ModelBase.load_hparams = staticmethod(loaded)
        faults = {}
        for folder, out, kind in json.loads(sys.argv[2]):
            sys.argv[1:] = [folder, "--outfile", out, "--outtype", kind]
            try:
                script.main()
            except (Exception, SystemExit) as error:
                faults[out] = f"{type(error).__name__}: {error}"
        print(json.dumps(faults))"""
    result = subprocess.run([sys.executable, "-c", code, LLAMA_CPP, json.dumps(
        [list(map(str, job)) for job in jobs])], capture_output=True, text=True, check=False,
        cwd=LLAMA_CPP)
    if result.returncode != 0:
        sys.exit(result.stderr)
    return json.loads(result.stdout.strip().split("\n")[-1])


# Wrong converters -------------------------------------------------------------------------------

def permuted(rows, heads, start=0, size=None):
    """Half-split rows as interleaved ones: `size` channels of each head, from `start` on."""
    blocks = rows.reshape(heads, len(rows) // heads, -1).copy()
    size = blocks.shape[1] if size is None else size
    part = blocks[:, start:start + size]
    blocks[:, start:start + size] = part.reshape(heads, 2, size // 2, -1).swapaxes(1, 2).reshape(
        part.shape)
    return blocks.reshape(rows.shape)


def inverse(rows, heads):
    return rows.reshape(heads, -1, 2, *rows.shape[1:]).swapaxes(1, 2).reshape(rows.shape)


def tampered(source, target, changes):
    """A copy of a GGUF with rows changed: {end of a name: change}; the changed names."""
    target.write_bytes(source.read_bytes())
    reader = gguf.GGUFReader(target, "r+")
    names = []
    for tensor in reader.tensors:
        for end, change in changes.items():
            if tensor.name.endswith(end):
                rows = np.array(tensor.data)
                tensor.data[...] = change(rows)
                names.append(tensor.name)
    del reader
    return names


def wrong_converters(heads, kv, size, interleaved, names):
    """Name: (what is changed, by what, what is said). Of each head `size` channels rotate, the
    first ones."""
    q, k, v = "attn_q.weight", "attn_k.weight", "attn_v.weight"
    result = {}

    def undone(rows, heads):
        return inverse(rows, heads) if interleaved else rows

    def moved(rows, heads):
        return permuted(rows, heads, 0, size)

    if f"blk.1.{k}" in names:
        if interleaved:
            result["k not permuted"] = {k: lambda w: undone(w, kv)}, "not permuted"
            result["k permuted twice"] = {k: lambda w: moved(w, kv)}, "permuted twice"
            result["q by the inverse"] = (
                {q: lambda w: undone(undone(w, heads), heads)}, "permuted by the inverse")
        else:
            result["k permuted"] = {k: lambda w: moved(w, kv)}, "it should be equal"
        if size < DIM:
            result["all channels of k permuted"] = (
                {k: lambda w: permuted(w, kv)}, "all channels of a head permuted")
            result["the other end of k permuted"] = (
                {k: lambda w: permuted(w, kv, DIM - size, size)}, "at the other end of the head")
        if kv != heads:
            result["k by the heads of q"] = (
                {k: lambda w: permuted(undone(w, kv), heads)}, "head count of q taken for k")
            result["q by the heads of k"] = (
                {q: lambda w: permuted(undone(w, heads), kv)}, "head count of k taken for q")
        result["v permuted"] = {v: lambda w: permuted(w, kv)}, "v has no rotary channels"
        result["heads of q reversed"] = (
            {q: lambda w: w.reshape(heads, -1, w.shape[1])[::-1].reshape(w.shape)},
            "heads in another order")
    for end, count in (("attn_q.bias", heads), ("attn_k.bias", kv), ("attn_q_norm.weight", 0),
                       ("attn_k_norm.weight", 0)):
        if f"blk.1.{end}" in names:
            change = undone if interleaved else moved
            result[f"{end} {'forgotten' if interleaved else 'permuted'}"] = (
                {end: lambda w, n=count, change=change: change(w, n or len(w) // DIM)},
                "not permuted; it moves" if interleaved else "it should be equal")
    if "blk.1.attn_qkv.weight" in names:
        if kv > 1:
            result["q, k, v by head in place of all of each"] = (
                {"attn_qkv.weight": lambda w: by_head(w, heads, kv)},
                "fused rows stand head by head")
        result["v of the fused rows permuted"] = (
            {"attn_qkv.weight": lambda w: of_v(w, heads + 2 * kv, kv)}, "v has no rotary channels")
        if kv * DIM >= 4 * heads:  # else nothing moves
            result["k of the fused rows permuted by the heads of q"] = (
                {"attn_qkv.weight": lambda w: of_k(w, heads, kv)},
                "of a head permuted" if kv == heads else "head count of q taken for k")
    if "blk.1.attn_kv_a_mqa.weight" in names:
        latent, q_b = "attn_kv_a_mqa.weight", "attn_q_b.weight"
        result["rope before the latent channels"] = (
            {latent: lambda w: np.roll(w, size, 0)}, "rotary channels moved before the others")
        result["rotary slice of q_b permuted"] = (
            {q_b: lambda w: permuted(w, heads, len(w) // heads - size, size)},
            "it should be equal")
        result["all of q_b permuted"] = (
            {q_b: lambda w: permuted(w, heads)}, "all channels of a head permuted")
        result["v too, the other end of the latent part"] = (
            {latent: lambda w: permuted(w, 1, 0, size)}, "at the other end of the head")
    return result


def of_k(rows, heads, kv):
    width = len(rows) // (heads + 2 * kv)
    rows = rows.copy()
    part = slice(heads * width, (heads + kv) * width)
    rows[part] = permuted(rows[part], heads)
    return rows


def by_head(rows, heads, kv):
    blocks = rows.reshape(heads + 2 * kv, -1, rows.shape[1])
    group = heads // kv
    order = [x for h in range(kv) for x in
             (*range(h * group, (h + 1) * group), heads + h, heads + kv + h)]
    return blocks[order].reshape(rows.shape)


def of_v(rows, groups, kv):
    width = len(rows) // groups
    rows = rows.copy()
    rows[-kv * width:] = permuted(rows[-kv * width:], kv)
    return rows


# Families ---------------------------------------------------------------------------------------

def try_family(name, folder, failed):
    config, out, cells = folder / "hf" / "config.json", folder / "bf16.gguf", [name]
    if str(out) in failed:
        return [name, "llama.cpp: " + failed[str(out)][:90], "", "", ""]
    right = run("compare", folder / "hf", out)
    good = expect(f"{name}, llama.cpp", right, 0, "RIGHT")
    cells.append(right[1].split("RIGHT  ")[-1].strip() if good else "FAULT")
    for kind in "bf16", "q8_0":
        good = expect(f"{name}, prove {kind}", run(
            "prove", config, folder / "hf", "--against", folder / f"{kind}.gguf"), 0, "PROVED")
        cells.append("proved" if good else "FAULT")
    f32 = folder / "f32.gguf"
    reader = gguf.GGUFReader(f32)
    names = {tensor.name for tensor in reader.tensors}
    interleaved = "half_split -> interleaved" in right[1]
    count = {key: int(field.contents()) for key, field in reader.fields.items()
             if key.endswith((".head_count", ".head_count_kv", ".dimension_count"))}
    heads = next(value for key, value in count.items() if key.endswith("head_count"))
    size = next((value for key, value in count.items() if key.endswith("dimension_count")), DIM)
    kv = next((value for key, value in count.items() if key.endswith("kv")), heads)
    named = 0
    wrong = wrong_converters(heads, kv, size, interleaved, names)
    for fault, (changes, text) in wrong.items():
        tampered(f32, folder / "wrong.gguf", changes)
        named += expect(f"{name}, {fault}", run("compare", folder / "hf", folder / "wrong.gguf"), 1,
                        text)
        if "v " not in fault:
            expect(f"{name}, {fault}, prove", run("prove", config, folder / "hf", "--against",
                                                  folder / "wrong.gguf"), 1, "WRONG")
    return [*cells, f"{named} of {len(wrong)}"]


# Bugs that converters had in public, on k unless told: where, what they do, what is said of it.
# Rows of Hugging Face are `w`; the kernel of the converted model is interleaved.
BUGS = (
    ("huggingface/transformers#31766", lambda w: permuted(w, HEADS),
     "head count of q taken for k"),
    ("ggml-org/llama.cpp#2376", lambda w: permuted(w, HEADS), "head count of q taken for k"),
    ("ggml-org/llama.cpp#3364, jzhang38/TinyLlama#24", lambda w: permuted(w, HEADS // KV),
     "permuted as 4 heads of 8, not 2 heads of 16"),
    ("huggingface/nanotron#427", lambda w: w, "not permuted"),
    ("onnxruntime/mobius#396, once too often", lambda w: permuted(permuted(w, KV), KV),
     "permuted twice"),
    ("onnxruntime/mobius#396, its inverse", lambda w: inverse(w, KV), "permuted by the inverse"),
    ("foundation-model-stack#527, head_size 64 for 128", lambda w: permuted(w, 2 * KV),
     "permuted as 4 heads of 8, not 2 heads of 16"),
)


def try_bugs(folder):
    """Each on a llama of random weights, Hugging Face to Meta's layout."""
    save("llama", folder / "hf")
    original = load_file(folder / "hf" / "model.safetensors")
    for name, change, text in BUGS:
        rows = {}
        for key, tensor in original.items():
            array = tensor.view(torch.int16).numpy()
            if "q_proj" in key:
                array = permuted(array, HEADS)
            if "k_proj" in key:
                array = change(array)
            rows[key] = torch.from_numpy(array.copy()).view(torch.bfloat16)
        save_file(rows, folder / "bug.safetensors")
        good = expect(name, run("compare", folder / "hf", folder / "bug.safetensors", "--expect",
                                "to_interleaved"), 1, text, "WRONG  k of layers 0 to 1")
        good &= expect(name + ", prove", run(
            "prove", folder / "hf" / "config.json", folder / "hf", "--against",
            folder / "bug.safetensors", "--to", "interleaved"), 1, "WRONG")
        print("|", name, "|", text if good else "FAULT", "|", flush=True)


def load_module(path, name, **stubs):
    for stub, members in stubs.items():
        module = types.ModuleType(stub.replace("__", "."))
        module.__dict__.update(members)
        sys.modules[module.__name__] = module
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def try_meta(folder):
    """Hugging Face to Meta by torchtune, Meta to Hugging Face by transformers, with one file and
    with two; each held against what it was made of."""
    converters, torchtune = map(pathlib.Path, OTHERS)
    tune = load_module(torchtune / "torchtune/models/convert_weights.py", "tune")
    save("llama", folder / "hf")
    config = folder / "hf" / "config.json"
    original = load_file(folder / "hf" / "model.safetensors")
    meta = tune.tune_to_meta(tune.hf_to_tune(original, HEADS, KV, WIDTH, DIM))
    (folder / "meta").mkdir()
    torch.save(meta, folder / "meta" / "consolidated.00.pth")
    params = {"dim": WIDTH, "n_layers": LAYERS, "n_heads": HEADS, "n_kv_heads": KV,
              "multiple_of": 32, "ffn_dim_multiplier": 0.25, "norm_eps": 1e-5, "vocab_size": 64,
              "rope_theta": 10000.0}
    (folder / "meta" / "params.json").write_text(json.dumps(params))
    rows = []

    def say(what, a, b, *against):
        good = expect(what, run("compare", a, b), 0, "RIGHT")
        good &= expect(what + ", prove", run("prove", config, a, "--against", b), 0, "PROVED")
        rows.append([what, "right, proved" if good else "FAULT"])

    say("torchtune, Hugging Face to Meta", folder / "hf", folder / "meta")
    two = folder / "two"
    two.mkdir()
    for i in range(2):
        part = {key: value if value.dim() == 1 else
                value.chunk(2, 1 if key.endswith(("wo.weight", "w2.weight", "embeddings.weight"))
                            else 0)[i].clone() for key, value in meta.items()}
        torch.save(part, two / f"consolidated.0{i}.pth")
    (two / "params.json").write_text(json.dumps(params))
    say("the same in two consolidated files", folder / "hf", two)
    source = converters / "transformers/models/llama/convert_llama_weights_to_hf.py"
    for shards, place in (1, folder / "meta"), (2, two):
        out = folder / f"back{shards}"
        code = ("import importlib.util, sys, transformers\n"
                "fast = getattr(transformers, 'LlamaTokenizerFast', None)\n"
                "transformers.LlamaTokenizerFast = fast\n"
                "import types\n"
                "sys.modules['transformers.convert_slow_tokenizer'] = m = types.ModuleType('m')\n"
                "m.TikTokenConverter = object\n"
                "spec = importlib.util.spec_from_file_location('c', sys.argv[1])\n"
                "c = importlib.util.module_from_spec(spec); spec.loader.exec_module(c)\n"
                "c.write_model(*sys.argv[2:4], vocab_size=64, num_shards=int(sys.argv[4]))\n")
        result = subprocess.run([sys.executable, "-c", code, str(source), str(out), str(place),
                                 str(shards)], capture_output=True, text=True, check=False)
        if result.returncode != 0:
            rows.append([f"transformers, Meta to Hugging Face, {shards}",
                         result.stderr.strip().split("\n")[-1][:120]])
            continue
        say(f"transformers, Meta to Hugging Face, {shards} file{'s' * (shards > 1)}", place, out)
    return rows


with tempfile.TemporaryDirectory() as top:
    places = {name: pathlib.Path(top) / name for name in FAMILIES}
    for name, place in places.items():
        place.mkdir()
        save(name, place / "hf")
    failed = to_gguf([(place / "hf", place / f"{kind}.gguf", kind) for place in places.values()
                      for kind in ("bf16", "q8_0", "f32")])
    print("| family | llama.cpp, bf16 | scores | scores, Q8_0 | wrong converters named |")
    print("|---|---|---|---|---|")
    for name, place in places.items():
        print("|", " | ".join(try_family(name, place, failed)), "|", flush=True)
    place = pathlib.Path(top) / "bugs"
    place.mkdir()
    try_bugs(place)
    if OTHERS:
        place = pathlib.Path(top) / "meta"
        place.mkdir()
        for row in try_meta(place):
            print("|", " | ".join(row), "|", flush=True)
sys.exit(1 if faults else 0)
