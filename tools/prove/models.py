#!/usr/bin/env python3
"""Holds what `ropeproof show` says of a config.json against the model's own code.

  models.py PROGRAM [TYPE ...] [--write vectors/models/types.json]

Needs transformers 5.23.0 and torch 2.13.0 (CPU). Nothing is downloaded. Each configuration class
of transformers is saved as its defaults, in the spelling of version 4, and with 28 scalings. The
class reads each file back and its model is run: layers that carry weights give noise, the rotary
module and the function that applies it are the model's own. Applied to unit vectors at position
1 of each axis, they show pairs, frequencies and amplitude of every layer.
"""

import argparse
import collections
import contextlib
import copy
import importlib
import inspect
import json
import math
import pathlib
import re
import subprocess
import sys
import tempfile

import torch
import transformers
from transformers import PreTrainedConfig, PreTrainedModel

TOKENS = 11  # no model has 11 heads by default


# The model, without its weights ------------------------------------------------------------------


@contextlib.contextmanager
def replaced(holder, **values):
    before = {name: getattr(holder, name) for name in values}
    for name, value in values.items():
        setattr(holder, name, value)
    try:
        yield
    finally:
        for name, value in before.items():
            setattr(holder, name, value)


def without_memory(make):
    """Large tensors are left on the meta device: nobody reads a weight."""

    def made(*size, **keys):
        shape = size[0] if size and isinstance(size[0], (tuple, list, torch.Size)) else size
        if all(isinstance(n, int) for n in shape) and math.prod(shape) > 1 << 20:
            keys["device"] = "meta"
        return make(*size, **keys)

    return made


def on_meta(init):
    def make(self, *args, **keys):
        bound = inspect.signature(init).bind(self, *args, **keys)
        bound.arguments["device"] = "meta"
        init(*bound.args, **bound.kwargs)

    return make


@contextlib.contextmanager
def light_modules():
    """While models are built: layers with weights have none."""
    with contextlib.ExitStack() as stack:
        for kind in (torch.nn.Linear, torch.nn.Conv1d, torch.nn.Conv2d, torch.nn.Conv3d):
            stack.enter_context(replaced(kind, __init__=on_meta(kind.__init__)))
        for name in ("empty", "zeros", "ones", "randn", "rand"):
            stack.enter_context(replaced(torch, **{name: without_memory(getattr(torch, name))}))
        stack.enter_context(replaced(PreTrainedModel, init_weights=lambda self: None))
        yield


class Noise(torch.Tensor):
    """A tensor that also unpacks, for `hidden, _ = self.mlp(x)`."""

    __torch_function__ = torch._C._disabled_torch_function_impl

    def __iter__(self):
        return iter((self.as_subclass(torch.Tensor), self.as_subclass(torch.Tensor)))


def noise(*shape):
    return torch.randn(shape)


def convolved(module, x):
    spatial = x.dim() - len(module.kernel_size)
    pads = module.padding if isinstance(module.padding, tuple) else (0,) * len(module.kernel_size)
    sizes = [(n + 2 * p - d * (k - 1) - 1) // s + 1 for n, p, d, k, s in zip(
        x.shape[spatial:], pads, module.dilation, module.kernel_size, module.stride)]
    return noise(*x.shape[: spatial - 1], module.out_channels, *sizes)


def make_silent(model):
    """Layers with weights give noise, norms what they get, and so does what mixes the channels of
    a token and holds no attention."""
    for module in model.modules():
        kind = type(module).__name__
        if isinstance(module, torch.nn.Linear):
            module.forward = lambda x, *a, _n=module.out_features, **k: noise(*x.shape[:-1], _n)
        elif isinstance(module, torch.nn.Embedding):
            module.forward = lambda x, *a, _n=module.embedding_dim, **k: noise(*x.shape, _n)
        elif isinstance(module, (torch.nn.Conv1d, torch.nn.Conv2d, torch.nn.Conv3d)):
            module.forward = lambda x, *a, _m=module, **k: convolved(_m, x)
        elif "Norm" in kind:
            module.forward = lambda *a, **k: [*a, *k.values()][0]
        elif re.search("MLP|Mlp|M[Oo][Ee]|Experts|FeedForward|FFN", kind) and not any(
                re.search("Attention|Attn|Rotary", type(m).__name__) for m in module.modules()):
            module.forward = lambda *a, **k: [*a, *k.values()][0].as_subclass(Noise)


# What happens while it runs ----------------------------------------------------------------------


class Record:
    """The calls of rotary modules, of the functions that apply them and of attention, in order."""

    def __init__(self):
        self.rotaries, self.applied, self.attended, self.entered, self.path = [], [], [], [], [""]
        self.depth = 0
        self.error = self.moved = None

    def applying(self, function):
        def call(*args, **keys):
            self.depth += 1
            try:
                result = function(*args, **keys)
            finally:
                self.depth -= 1
            if self.depth == 0:
                self.applied.append((self.path[-1], function, args, keys, result))
            return result

        return call

    def attending(self, function):
        def call(module, query, *args, **keys):
            self.attended.append((self.path[-1], query, keys.get("scaling"), len(self.applied)))
            return function(module, query, *args, **keys)

        return call

    def turning(self, module):
        forward = module.forward

        def call(*args, **keys):
            if self.moved is not None:
                args = dict(zip(inspect.signature(forward).parameters, args)) | keys
                args, keys = (), args | {"position_ids": self.moved}
            result = forward(*args, **keys)
            self.rotaries.append((module, forward, args, keys, result))
            return result

        return call

    def again(self, at, positions):
        """The call `at` of another run of the model, whose rotary modules get `positions`."""
        before, self.applied, self.moved = self.applied, [], positions
        try:
            with recording(sys.modules[type(self.model).__module__], self):
                self.model(**self.inputs)
            return self.applied[at]
        finally:
            self.applied, self.moved = before, None

    def enter(self, name):
        self.path.append(name)
        self.entered.append(name)

    def watch(self, model):
        for name, module in model.named_modules():
            kind = type(module).__name__
            if re.search("Attention|Attn|Indexer|Compressor|Layer$|Block$", kind):
                module.register_forward_pre_hook(lambda m, a, _n=name: self.enter(_n))
                module.register_forward_hook(
                    lambda m, a, r: self.path.pop() and None, always_call=True)
            elif re.search("Rotary|R[Oo]PE|Rope", kind):
                module.forward = self.turning(module)


@contextlib.contextmanager
def recording(modeling, record):
    with contextlib.ExitStack() as stack:
        for name, value in list(vars(modeling).items()):
            if inspect.isfunction(value) and re.search("apply_.*(rotary|rope)", name):
                stack.enter_context(replaced(modeling, **{name: record.applying(value)}))
            if name == "eager_attention_forward":
                stack.enter_context(replaced(modeling, **{name: record.attending(value)}))
        yield


def model_class(config_class):
    modeling = importlib.import_module(
        config_class.__module__.replace(".configuration_", ".modeling_"))
    found = [c for c in vars(modeling).values()
             if inspect.isclass(c) and issubclass(c, PreTrainedModel) and
             c.__module__ == modeling.__name__ and
             getattr(c, "config_class", None) is config_class and
             not c.__name__.endswith("PreTrainedModel")]
    found.sort(key=lambda c: ("For" in c.__name__, "Model" not in c.__name__, len(c.__name__)))
    return modeling, found


def inputs_of(model):
    names = inspect.signature(model.forward).parameters
    ids = torch.ones(1, TOKENS, dtype=torch.long)
    size = getattr(model.config, "image_size", 224)
    size = tuple(size) if isinstance(size, (list, tuple)) else (size, size)
    grid = torch.tensor([[1, 4, 6]])
    known = {
        "input_ids": ids, "inputs_embeds": noise(1, TOKENS, width(model.config)),
        "position_ids": ids.cumsum(-1) - 1, "use_cache": False, "num_patches": 144,
        "pixel_values": noise(1, 3, *size), "hidden_states": noise(24, width(model.config)),
        "grid_thw": grid, "image_grid_thw": grid,
    }
    if "input_ids" in names:
        del known["inputs_embeds"], known["pixel_values"], known["image_grid_thw"]
    elif "grid_thw" in names or "image_grid_thw" in names:
        known["pixel_values"] = known["hidden_states"]
    if names.keys() & {"input_ids", "pixel_values", "hidden_states"}:
        known.pop("position_ids")
    return {name: value for name, value in known.items() if name in names}


def width(config):
    for key in ("hidden_size", "embed_dim", "d_model"):
        if isinstance(getattr(config, key, None), int):
            return getattr(config, key)
    return 8


def run(config_class, config):
    """The record of the model's first class that can be run."""
    modeling, kinds = model_class(config_class)
    config._attn_implementation = "eager"
    record = Record()
    record.model, record.error = None, LookupError("no model class")
    for kind in kinds[:4]:
        record, model = Record(), None
        try:
            with torch.no_grad(), recording(modeling, record):
                with light_modules():
                    model = kind(config).eval()
                make_silent(model)
                for module in model.modules():
                    if "PatchEmbed" in type(module).__name__:
                        module.forward = lambda x, *a, _w=width(config), **k: (
                            noise(x.shape[0], _w) if x.dim() == 2 else noise(x.shape[0], 144, _w))
                record.watch(model)
                record.inputs = inputs_of(model)
                model(**record.inputs)
        except Exception as error:
            record.error = error
        record.model = model
        if record.error is None or record.applied:
            break
    return record


# What the calls mean -----------------------------------------------------------------------------


def tensors(value):
    return value if isinstance(value, (tuple, list)) else (value,)


def turned(rotary, positions):
    """What a rotary module gives at other positions: {id of its results: new ones}."""
    module, forward, args, keys, result = rotary
    names = list(inspect.signature(forward).parameters)
    args = dict(zip(names, args)) | keys
    args["position_ids"] = positions
    new = forward(**args)
    return {id(old): fresh for old, fresh in zip(tensors(result), tensors(new))}


def positions_of(rotary):
    module, forward, args, keys, result = rotary
    args = dict(zip(inspect.signature(forward).parameters, args)) | keys
    return args.get("position_ids")


def matrix(call, new):
    """[channel in, token, channel out] of the function on the first head of its first tensor."""
    path, function, args, keys, result = call
    names = list(inspect.signature(function).parameters)
    given = dict(zip(names, args)) | keys
    query = given[names[0]]
    d = query.shape[-1]
    angles = {k: new.get(id(v), v) for k, v in given.items()}
    for name in names:
        x = given.get(name)
        if name in ("q", "k", "v", "x", "tensor", "xq", "xk", "query", "key") and torch.is_tensor(x):
            if x.dim() == 4:
                angles[name] = torch.eye(x.shape[-1])[:, None, None, :].expand(-1, *x.shape[1:])
            else:
                angles[name] = torch.eye(x.shape[-1])[None].expand(x.shape[0], -1, -1)
    out = tensors(function(**angles))[0].float()
    if query.dim() == 3:
        return out.transpose(0, 1)
    sizes = {n for x in angles.values() if torch.is_tensor(x) and x.dim() > 1 and x.shape[0] != d
             for n in x.shape[:-1]}
    along = 1 if out.shape[1] in sizes and out.shape[2] not in sizes or out.shape[1] == TOKENS else 2
    return out.select(3 - along, 0)


def pairs_at(coefficients):
    """{(u, v): (channels out, angle, amplitude)} of a matrix [channel in, channel out]."""
    inputs = collections.defaultdict(list)
    for channel in range(coefficients.shape[1]):
        used = tuple(coefficients[:, channel].nonzero().flatten().tolist())
        if len(used) == 2:
            inputs[used].append(channel)
        elif len(used) > 2:
            raise ValueError(f"a channel mixes {len(used)}")
    pairs = {}
    for (u, v), out in inputs.items():
        if len(out) != 2:
            raise ValueError("a pair gives one channel")
        cos, sin = coefficients[u, out[0]].item(), coefficients[u, out[1]].item()
        pairs[u, v] = (tuple(out), math.atan2(sin, cos), math.hypot(sin, cos))
    return pairs


def rope_of(record, call, length):
    """{"head_dim", "pairs": {(u, v): angles per axis}, "amplitude", "moves"} of one call."""
    path, function, args, keys, result = call
    given = {id(x) for x in [*args, *keys.values()]}
    rotary = next((r for r in reversed(record.rotaries)
                   if any(id(x) in given for x in tensors(r[4]))), None)
    is_direct = rotary is not None
    if not is_direct and record.error is None and record.rotaries:
        rotary = record.rotaries[0]
    where = positions_of(rotary) if rotary else None
    axes = [None]
    if where is not None:
        steps = torch.arange(TOKENS).float() if not where.is_floating_point() else None
        steps = torch.arange(TOKENS)
        if length:
            steps[-1] = length - 1
        along = next((i for i in (0, -1) if where.dim() > 1 and where.shape[i] in (2, 3, 4)), None)
        if along is not None:
            axes = [torch.zeros_like(where) for _ in range(where.shape[along])]
            for axis, fresh in enumerate(axes):
                part = fresh.select(along, axis)
                part.copy_((steps if part.shape[-1] == TOKENS else torch.arange(part.shape[-1])).expand(part.shape))
        else:
            axes = [steps.expand(where.shape).to(where.dtype)]
    pairs, amplitude, moves = {}, None, False
    for axis, positions in enumerate(axes):
        new = turned(rotary, positions) if positions is not None and is_direct else {}
        moved = call
        if positions is not None and not is_direct:
            at = next(i for i, other in enumerate(record.applied) if other is call)
            moved = record.again(at, positions)
        for (u, v), (out, angle, m) in pairs_at(matrix(moved, new)[:, 1]).items():
            pairs.setdefault((u, v), [0.0] * len(axes))[axis] = angle
            amplitude = m
            moves = moves or out != (u, v)
    names = list(inspect.signature(function).parameters)
    query = (dict(zip(names, args)) | keys)[names[0]]
    return {"head_dim": query.shape[-1], "pairs": pairs, "amplitude": amplitude, "moves": moves}


def shifted(rope, offset, head_dim):
    pairs = {(u + offset, v + offset): a for (u, v), a in rope["pairs"].items()}
    return rope | {"pairs": pairs, "head_dim": head_dim}


def placed(rope, call, attended):
    """The rope among the channels of the query that attention gets."""
    query = attended[1]
    row = tensors(call[4])[0][..., :].reshape(-1, rope["head_dim"])[-1]
    rows = query.reshape(-1, query.shape[-1])
    for offset in range(query.shape[-1] - rope["head_dim"] + 1):
        part = rows[:, offset: offset + rope["head_dim"]]
        ratio = (part * row).sum(-1) / (row * row).sum()
        off = (part - ratio[:, None] * row).abs().max(-1).values
        if ((off <= 1e-4 * ratio.abs()) & (ratio > 1e-3)).any():
            return shifted(rope, offset, query.shape[-1])
    raise ValueError("the query of attention does not hold what was rotated")


def layer_of(path):
    """The index of the layer, or None: "layers.3.self_attn" is 3."""
    found = re.search(r"(?:^|\.)(?:layers?|blocks?|h|resblocks)\.(\d+)(?:\.|$)", path)
    return int(found[1]) if found else None


def truth(record, length=0):
    """{layer: rope or None}, by the calls of the record."""
    layers, made = {}, {}
    attended = {a[0] for a in record.attended}
    for path in record.entered:
        if re.search("attn|attention", path.split(".")[-1], re.I) and path in attended:
            layers.setdefault(layer_of(path), None)
    for call in sorted(record.applied, key=lambda c: c[0] not in attended):
        layer = layer_of(call[0])
        if layers.get(layer):
            continue
        function, angles = call[1], tuple(id(x) for x in [*call[2], *call[3].values()][1:] if torch.is_tensor(x))
        query = tensors(call[4])[0]
        key = (function, query.shape[-1], angles[-2:])
        if key not in made:
            made[key] = rope_of(record, call, length)
        rope = made[key]
        index = next(i for i, other in enumerate(record.applied) if other is call)
        at = next((a for a in record.attended if a[0] == call[0] and a[3] > index), None)
        if at:
            rope = placed(rope, call, at)
            rope["scaling"] = at[2]
        layers[layer] = rope
    return layers


# What the program says, and whether it is that ---------------------------------------------------

AXES = {1: [""], 2: ["h", "w"], 3: ["t", "h", "w"]}


def told(program, file, length=0):
    command = [program, "show", "--json", file, *(["--seq-len", str(length)] if length else [])]
    ran = subprocess.run(command, capture_output=True, text=True)
    return json.loads(ran.stdout) if ran.returncode == 0 else ran.stderr.strip()


def near(a, b):
    return abs(a - b) <= 2e-5 * max(abs(a), abs(b)) + 1e-12


def difference(rope, said):
    """Why a rope that was measured is not one that was told, or None."""
    if rope["head_dim"] != said["head_dim"]:
        return f"head_dim {said['head_dim']} for {rope['head_dim']}"
    pairs = {tuple(p["in"]): p["angles"] for p in said["pairs"] if any(p["angles"])}
    true = rope["pairs"]
    if pairs.keys() != true.keys():
        return f"pairs {sorted(pairs)[:2]} ({len(pairs)}) for {sorted(true)[:2]} ({len(true)})"
    count = len(next(iter(true.values())))
    names = said["axes"] or [""]
    if sorted(names) != sorted(AXES[count]) and len(names) != count:
        return f"axes {names} for {AXES[count]}"
    order = [AXES[count].index(n) if n in AXES[count] else i for i, n in enumerate(names)]
    for pair, angles in true.items():
        for at, axis in enumerate(order):
            angle = math.remainder(pairs[pair][at], 2 * math.pi)
            if not near(angle, angles[axis]):
                return f"pair {pair} turns by {pairs[pair]} for {angles} along {names}"
    if not near(rope["amplitude"], said["amplitude"]):
        return f"amplitude {said['amplitude']} for {rope['amplitude']}"
    latent = min(u for u, v in true) > 0 and rope.get("scaling")
    score = rope["scaling"] * math.sqrt(rope["head_dim"]) if latent else 1
    if latent and not near(score, said["score_scale"]):
        return f"scores times {said['score_scale']} for {score}"
    return None


def fault(layers, said, kinds):
    """Why what was told is wrong, or None. `kinds` are the layer types of the file."""
    ropes = [r for r in layers.values() if r]
    if not ropes:
        return f"{len(said['ropes'])} ropes for none" if said["ropes"] else None
    if not said["ropes"]:
        return "no RoPE is told"
    for rope in ropes:
        why = [difference(rope, r) for r in said["ropes"]]
        if None not in why:
            return why[0]
    for rope in said["ropes"]:
        occurs = not kinds or not rope["layers"] or rope["layers"] in kinds
        if occurs and all(difference(r, rope) for r in ropes):
            return f"layers {rope['layers']}: {difference(ropes[0], rope)}"
    without = {i for i, r in layers.items() if r is None}
    words = " ".join(f for f in said["facts"] if f.endswith(" no RoPE"))
    if words.startswith("the layers"):
        return None if without else words
    listed = {int(n) for n in re.findall(r"\d+", words)}
    if listed != without:
        return f"without RoPE are told {sorted(listed)} for {sorted(without)}"
    return None


# The files ---------------------------------------------------------------------------------------


def configs():
    """Every configuration class of transformers whose model has to do with RoPE."""
    base = pathlib.Path(transformers.__file__).parent / "models"
    for file in sorted(base.glob("*/configuration_*.py")):
        modeling = file.with_name(file.name.replace("configuration_", "modeling_"))
        module = importlib.import_module(f"transformers.models.{file.parent.name}.{file.stem}")
        turns = modeling.exists() and re.search("rotary|rope_|_rope", modeling.read_text(), re.I)
        for value in vars(module).values():
            if (inspect.isclass(value) and issubclass(value, PreTrainedConfig) and
                    value.__module__ == module.__name__ and value.model_type):
                yield value, modeling, bool(turns)


# Classes whose defaults are incomplete.
HALF = {"rope_type": "default", "rope_theta": 10000.0, "partial_rotary_factor": 0.5}
COMPLETIONS = [{}, {"vocab_size": 100}, {"head_dim": 64},
               {"n_routed_experts": 8, "n_group": 1, "topk_group": 1},
               {"rope_parameters": HALF}, {"head_dim": 128, "rope_parameters": HALF},
               {"vocab_size": 100, "pad_token_id": 1, "position_embedding_type": "rotary"},
               {"index_topk": 4}, {"use_mem_rope": True}, {"position_embedding_type": "rope"}]


def made(config_class, **keys):
    layers = getattr(config_class, "num_hidden_layers", None)
    fewer = [{"num_hidden_layers": min(12, layers)}] if isinstance(layers, int) else []
    error, partly = None, None
    for more in [*fewer, {}]:
        for completion in COMPLETIONS:
            try:
                config = config_class(**copy.deepcopy(keys), **completion, **more)
                record = run(config_class, copy.deepcopy(config))
                if record.error is None:
                    return config, record
                partly = partly or (record.applied and (config, record))
                error = error or record.error
            except Exception as caught:
                error = error or caught
    if partly:
        return partly
    raise error


def old_spelling(document):
    """The same file as version 4 wrote it, or None."""
    document = copy.deepcopy(document)
    dictionary = document.pop("rope_parameters", None)
    if not isinstance(dictionary, dict) or any(isinstance(v, dict) for v in dictionary.values()):
        return None
    for key in ("rope_theta", "partial_rotary_factor"):
        if key in dictionary:
            document[key] = dictionary.pop(key)
    plain = dictionary.get("rope_type") in ("default", "axial", None) and len(dictionary) <= 1
    document["rope_scaling"] = None if plain else dictionary
    return document


def variants(pairs):
    """28 scalings, as dictionaries."""
    factors = {"short_factor": [1 + j / 50 for j in range(pairs)],
               "long_factor": [1 + j / 5 for j in range(pairs)]}
    l3 = {"rope_type": "llama3", "low_freq_factor": 1.0, "high_freq_factor": 4.0}
    yarn = {"rope_type": "yarn", "factor": 8.0, "original_max_position_embeddings": 4096}
    long = {"rope_type": "longrope", "original_max_position_embeddings": 4096, **factors}
    yield from ({"rope_type": "linear", "factor": f} for f in (1.0, 2.0, 8.0))
    yield from ({"type": "linear", "factor": f} for f in (2, 4.0))
    yield from ({"rope_type": "dynamic", "factor": f} for f in (1.0, 2.0, 4.0))
    yield from ({**yarn, **k} for k in (
        {}, {"factor": 2.0}, {"factor": 40.0}, {"beta_fast": 64, "beta_slow": 2},
        {"beta_fast": 0, "beta_slow": 0}, {"truncate": False}, {"attention_factor": 1.25},
        {"mscale": 0.707}, {"mscale_all_dim": 0.5}, {"mscale": 1.0, "mscale_all_dim": 1.0},
        {"mscale": 0.707, "mscale_all_dim": 0.5}, {"original_max_position_embeddings": 65536}))
    yield from ({**l3, "factor": f, "original_max_position_embeddings": n}
                for f, n in ((8.0, 8192), (32.0, 8192), (8.0, 1024)))
    yield from ({**long, **k} for k in (
        {}, {"factor": 4.0}, {"attention_factor": 1.5}, {"factor": 2.0, "attention_factor": 1.1}))
    yield {"rope_type": "proportional"}


class Tally:
    def __init__(self, program, name):
        self.program, self.name = program, name
        self.right, self.wrong, self.refused, self.untold = [], [], [], []

    def judge(self, label, config_class, document, length=0):
        """Holds one file against the model that its class makes of it."""
        try:
            record = run(config_class, config_class.from_dict(copy.deepcopy(document)))
            if record.model is None or (record.error and not record.applied):
                raise record.error
            layers = truth(record, length)
            if record.error:
                layers = {i: r for i, r in layers.items() if r}
        except Exception as error:
            return self.count(self.untold, "cannot be run", label, error)
        with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
            json.dump(document, file)
            file.flush()
            said = told(self.program, file.name, length)
        if isinstance(said, str):
            return self.count(self.refused, "refused", label, said.replace(file.name + ": ", ""))
        inner = document.get("text_config")
        kinds = (inner if isinstance(inner, dict) else document).get("layer_types")
        if record.error:
            said["facts"] = []
        why = fault(layers, said, set(kinds or []))
        if why is None:
            self.right.append(label)
        else:
            self.count(self.wrong, "wrong", label, why)

    def count(self, list, word, label, why):
        list.append(label)
        kind = f"{type(why).__name__} " if isinstance(why, Exception) else ""
        line = " ".join(f"{self.name}: {word}: {label}: {kind}{why}".split())
        print(line if len(line) <= 300 else line[:150] + " ... " + line[-150:], flush=True)

    def report(self):
        print(f"{self.name}: {len(self.right)} right, {len(self.wrong)} wrong, "
              f"{len(self.refused)} refused, {len(self.untold)} cannot be run", flush=True)


# The table ---------------------------------------------------------------------------------------

KEYS = ("head_dim", "hidden_size", "num_attention_heads", "qk_rope_head_dim", "qk_nope_head_dim",
        "rotary_dim", "max_position_embeddings", "num_hidden_layers", "rope_interleave",
        "alibi", "position_embedding_type", "use_mem_rope", "no_rope_layer_interval",
        "kv_channels", "attention_head_dim", "embed_dim", "use_rotary_embedding")


def plain(value):
    return isinstance(value, (bool, int, float, str))


def class_defaults(config_class, config):
    names = [config_class.attribute_map.get(k, k) for k in KEYS]
    fields = {k: getattr(config_class, k, None) for k in names}
    result = {k: v for k, v in fields.items() if plain(v)}
    dictionary = getattr(config, "rope_parameters", None) or {}
    for key in ("rope_theta", "partial_rotary_factor"):
        if plain(dictionary.get(key)):
            result[key] = dictionary[key]
    return result


def pairing_of(rope):
    pairs = sorted(rope["pairs"])
    if all(v == u + 1 for u, v in pairs):
        return "interleaved"
    return "half_split" if len({v - u for u, v in pairs}) == 1 else "nested_half_split"


def scheme_of(rope):
    """The entry "axes" that makes the angles measured, or None for one axis."""
    pairs = sorted(rope["pairs"])
    angles = [rope["pairs"][p] for p in pairs]
    count = len(angles[0])
    if count == 1:
        return None
    follows = [max(range(count), key=lambda k: abs(a[k])) for a in angles]
    moduli = [a[k] for a, k in zip(angles, follows)]
    sizes = [follows.count(k) for k in range(count)]
    names = AXES[count]
    falls = all(a > b for a, b in zip(moduli, moduli[1:]))
    n = len(pairs)
    if not falls:
        first = list(dict.fromkeys(follows))
        alternates = follows == [first[j % count] for j in range(n)]
        return {"scheme": "axial_alternating" if alternates else "axial",
                "names": [names[k] for k in first]}
    forms = {"contiguous_sections": sorted(range(n), key=lambda j: j) and
             [k for k in range(count) for _ in range(sizes[k])],
             "interleaved_sections": [
                 j % 3 if j % 3 and j < 3 * sizes[j % 3] else 0 for j in range(n)],
             "round_robin_sections": [j % count for j in range(n)]}
    for scheme, axes in forms.items():
        if axes == follows and (scheme != "interleaved_sections" or count == 3):
            return {"scheme": scheme, "names": names, "pairs": sizes}
    if count == 3 and follows == [1 + j % 2 for j in range(n - sizes[0])] + [0] * sizes[0]:
        return {"scheme": "ernie_sections", "names": names, "pairs": [sizes[1], sizes[2], sizes[0]]}
    return {"scheme": "unknown", "names": names}


def head_formula(config_class, config, ropes):
    """The keys that give the width of a head where the usual ones do not."""
    names = config_class.attribute_map
    usual = ["head_dim", "/".join(names.get(k, k) for k in ("hidden_size", "num_attention_heads"))]
    forms = [usual, ["embed_dim/num_heads"], ["attention_head_dim", usual[1]],
             ["kv_channels", usual[1]], ["hidden_size/num_heads"], ["d_model/encoder_attention_heads"],
             ["hidden_size/decoder_num_attention_heads"], ["hidden_size/encoder_num_attention_heads"]]
    latent = getattr(config, "qk_rope_head_dim", None)
    if not ropes or latent:
        return None

    def value(formula):
        try:
            numbers = [getattr(config, key, None) for key in formula.split("/")]
        except Exception:  # it differs from layer to layer
            numbers = [None]
        if not all(isinstance(n, int) for n in numbers):
            return None
        return numbers[0] // numbers[1] if len(numbers) == 2 else numbers[0]

    heads = {r["head_dim"] for r in ropes}
    for form in forms:
        if next((v for v in map(value, form) if v), None) in heads:
            changed = form != ["head_dim", "hidden_size/num_attention_heads"]
            return form if changed else None
    return None


def nope_rule(config, layers):
    """Which layers have no RoPE, by keys of the configuration."""
    without = {i for i, r in layers.items() if r is None}
    if not without or len(without) == len(layers):
        return {}
    for key in ("no_rope_layers", "layer_rope_theta"):
        if isinstance(getattr(config, key, None), list):
            every = {"nope_every": ["no_rope_layer_interval"]}
            return {"nope_list": key, **(every if key == "no_rope_layers" else {})}
    kinds = getattr(config, "layer_types", None) or []
    standing = {kinds[i] for i in without if i is not None and i < len(kinds)}
    turning = {kinds[i] for i in layers if i not in without and i is not None and i < len(kinds)}
    return {"nope_kinds": sorted(standing)} if standing and not standing & turning else {}


POSITIONS = (("alibi", "ALiBi"), ("relative_attention_bias|relative_position", "relative positions"),
             ("LearnedPositionalEmbedding|position_embeddings? *= *nn.Embedding|embed_positions|wpe",
              "learned positions"), ("Sinusoid|sinusoid", "sinusoidal positions"),
             ("position_embeddings? *= *nn.Parameter|pos_embed", "learned positions"),
             ("ssm|mamba|Mamba|rwkv", "a recurrent model without positions"))


def entry_of(config_class, modeling, turns, old):
    """The entry of one class: what can be read off it, and what stands in the old one besides."""
    measured = {"pairing", "reverse", "axes", "defaults", "source"}
    entry = {k: v for k, v in old.items() if k not in measured}
    version = f"transformers {transformers.__version__}"
    entry["source"] = f"{version}: models/{modeling.parent.name}/{modeling.name}"
    text = next((k for k in ("thinker_config", "text_config", "text_encoder", "decoder")
                 if k in (config_class.sub_configs or {})), None)
    if text and text.endswith("_config") and "none" not in old:
        inner = config_class.sub_configs[text]
        own = getattr(inner, "model_type", "")
        return {"text": {"key": text, **({"type": own} if own else {})}, **entry}
    if not turns:
        source = modeling.read_text() if modeling.exists() else ""
        words = next((w for p, w in POSITIONS if re.search(p, source)), None)
        return {**entry, "none": words or "its code has none"} if modeling.exists() else old
    if "none" in old or "refused" in old:
        return entry | {"pairing": old["pairing"]} if "pairing" in old else entry
    config, record = made(config_class, **old.get("needs", {}))
    ropes = [r for r in truth(record).values() if r]
    if not ropes:
        if record.error is None and record.entered and "needs" not in old and "kinds" not in old:
            entry["none"] = "its code has none"
            return entry
        if not old.get("pairing"):
            raise record.error or LookupError("no layer turns by default")
        ropes = []
    entry["defaults"] = class_defaults(config_class, config)
    dictionary = getattr(config, "rope_parameters", None) or {}
    nested = {k: v for k, v in dictionary.items() if isinstance(v, dict)}
    if nested and "kinds" not in old:
        entry["kinds"] = {k: {"defaults": v} for k, v in sorted(nested.items())}
    elif not nested and dictionary.get("rope_type") not in ("default", "axial", None):
        entry["rope_parameters"] = dictionary
    if re.search("mscale_all_dim", modeling.read_text()):
        entry["own_mscale"] = True
    if ropes and "rope_theta" not in entry["defaults"] and "kinds" not in entry:
        slow = [max(map(abs, a)) for a in ropes[0]["pairs"].values()]
        entry["defaults"]["rope_theta"] = float(f"{slow[1] ** -len(slow):.4g}")
    keys = head_formula(config_class, config, ropes)
    if keys and "keys" not in old:
        entry["keys"] = {"head_dim": keys}
    if not any(k.startswith("nope_") for k in old):
        entry |= nope_rule(config, truth(record))
    latent = getattr(config_class, "qk_rope_head_dim", None)
    if ropes and min(ropes[0]["pairs"])[0] > 0 and not latent:
        entry["window"] = "trailing"
    if ropes:
        entry["pairing"] = pairing_of(ropes[0])
        if next(iter(ropes[0]["pairs"].values()))[0] < 0:
            entry["reverse"] = True
        axes = old.get("axes") if old.get("axes", {}).get("weight") else scheme_of(ropes[0])
        if axes:
            entry["axes"] = axes
    return entry


def write(path, chosen):
    table = json.loads(path.read_text())
    for config_class, modeling, turns in configs():
        kind = config_class.model_type
        if chosen and kind not in chosen:
            continue
        old = table["types"].get(kind, {})
        if "by_hand" in old:
            continue
        try:
            table["types"][kind] = entry_of(config_class, modeling, turns, old)
        except Exception as error:
            if kind in table["types"]:
                continue
            words = " ".join(str(error).split())[:120]
            print(f"{kind}: not read off: {type(error).__name__} {words}", flush=True)
    rows = [f"  {json.dumps(k)}: {json.dumps(v)}" for k, v in sorted(table["types"].items())]
    head = {k: v for k, v in table.items() if k != "types"}
    path.write_text(json.dumps(head)[:-1] + (", " if head else "") + '"types": {\n' +
                    ",\n".join(rows) + "\n}}\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("program", help="build/release/ropeproof")
    parser.add_argument("types", nargs="*", help="only these model types")
    parser.add_argument("--write", type=pathlib.Path, help="the table, to be written anew first")
    parser.add_argument("--scaled", type=int, default=51, help="how many types get the 28 scalings")
    args = parser.parse_args()
    transformers.logging.set_verbosity_error()
    torch.set_num_threads(1)
    torch.manual_seed(1)
    if args.write:
        write(args.write, args.types)
    five, four, scaled = (Tally(args.program, n) for n in ("files of 5", "files of 4", "scalings"))
    plain_ones = []
    for config_class, modeling, turns in configs():
        kind = config_class.model_type
        if not turns or (args.types and kind not in args.types):
            continue
        try:
            config, record = made(config_class)
        except LookupError:
            continue  # no class is the model of this configuration
        except Exception as error:
            five.count(five.untold, "cannot be run", kind, error)
            continue
        document = json.loads(config.to_json_string(use_diff=False))
        five.judge(kind, config_class, document)
        if (old := old_spelling(document)) is not None:
            four.judge(kind, config_class, old)
            if five.right and five.right[-1] == kind and document["rope_parameters"].get(
                    "rope_type") == "default":
                plain_ones.append((kind, config_class, document, truth(record)))
    step = max(1, len(plain_ones) // max(1, args.scaled))
    for kind, config_class, document, layers in plain_ones[::step][: args.scaled]:
        pairs = len(next(r for r in layers.values() if r)["pairs"])
        document = {**document, "num_hidden_layers": 2, "max_position_embeddings": 32768}
        document = {k: v for k, v in document.items() if k not in (
            "layer_types", "no_rope_layers", "layer_rope_theta", "original_max_position_embeddings")}
        for at, scaling in enumerate(variants(pairs)):
            long = at % 2 == 0 and scaling.get("rope_type", scaling.get("type")) in ("longrope", "dynamic")
            dictionary = {**document["rope_parameters"], **scaling}
            if "type" in scaling:
                del dictionary["rope_type"]
            scaled.judge(f"{kind} {scaling}", config_class, {**document, "rope_parameters": dictionary},
                         65536 if long else 11)
    tallies = [t for t in (five, four, scaled) if t.right + t.wrong + t.refused + t.untold]
    for tally in tallies:
        tally.report()
    return 1 if any(t.wrong for t in tallies) else 0


if __name__ == "__main__":
    sys.exit(main())
