"""Writes the table of model types: what can be read off the classes; the rest stays."""

import inspect
import json
import math
import re

import transformers
from transformers.configuration_utils import _LEGACY_LAYER_TYPE_REMAP

from model_files import AXES, OLD_KEYS, configs, made
from model_run import light_modules, model_class
from model_truth import truth

KEYS = ("head_dim", "hidden_size", "num_attention_heads", "qk_rope_head_dim", "qk_nope_head_dim",
        "rotary_dim", "max_position_embeddings", "num_hidden_layers", "rope_interleave",
        "alibi", "position_embedding_type", "use_mem_rope", "no_rope_layer_interval",
        "kv_channels", "attention_head_dim", "embed_dim", "use_rotary_embedding",
        "prefix_dense_sliding_window_pattern")


AT = "cross_attention_layers"  # of layers that attend to pictures alone


def plain(value):
    return isinstance(value, (bool, int, float, str))


def own_dictionary(config_class, **keys):
    """The dictionary that a class makes of a base and these keys, beside its defaults."""
    try:
        document = json.loads(config_class().to_json_string(use_diff=False))
        others = {k: v for k, v in document.items() if k not in OLD_KEYS}
        keys = {"rope_theta": 12345.0, **keys}
        return config_class.from_dict({**others, **keys}).rope_parameters or {}
    except Exception:  # it has no defaults, or no dictionary
        return {}


def scaled_dictionary(config_class):
    scaling = {"rope_type": "linear", "factor": 4.5}
    return own_dictionary(config_class, rope_scaling=scaling)


def unread_by_kind(config_class, name, kind, unread):
    """Keys beside no dictionary that change nothing for a kind of layers."""
    own = kind.get("theta", "rope_theta")
    made_of = own_dictionary(config_class, **{own: 12345.0, "partial_rotary_factor": 0.625})
    keys = [key for key, value in (("rope_theta", 12345.0), ("partial_rotary_factor", 0.625))
            if (made_of.get(name) or {}).get(key, value) != value or (
                made_of.get(name) and key not in made_of[name] and key not in unread)]
    return {"unread": keys} if keys else {}


def class_defaults(config_class, config):
    names = [config_class.attribute_map.get(k, k) for k in KEYS]
    fields = {k: getattr(config_class, k, None) for k in names}
    result = {k: v for k, v in fields.items() if plain(v)}
    dictionary = getattr(config, "rope_parameters", None) or {}
    beside = scaled_dictionary(config_class) or dictionary
    for key, value in (("rope_theta", dictionary.get("rope_theta")),
                       ("partial_rotary_factor", beside.get("partial_rotary_factor"))):
        if plain(value) and value != 1:
            result[key] = value
    if isinstance(at := getattr(config, AT, None), list):
        result[AT] = at
    if "rope_theta" not in result and plain(theta := getattr(config_class, "rope_theta", None)):
        result["rope_theta"] = theta
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
        scheme = "axial"
        if follows == [first[j % count] for j in range(n)]:
            scheme = "axial_alternating"
        elif not math.isclose(moduli[0], moduli[n // count], rel_tol=1e-4):
            scheme = "axial_even_odd"
        order = [names[k] for k in first]
        return {"scheme": scheme, "names": names, **({"order": order} if order != names else {})}
    forms = {"contiguous_sections": [k for k in range(count) for _ in range(sizes[k])],
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
             ["kv_channels", usual[1]], ["hidden_size/num_heads"],
             ["d_model/encoder_attention_heads"], ["hidden_size/decoder_num_attention_heads"],
             ["hidden_size/encoder_num_attention_heads"]]
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
    if without <= set(getattr(config, AT, None) or []):
        return {"nope_at": AT}
    kinds = getattr(config, "layer_types", None) or []
    standing = {kinds[i] for i in without if i is not None and i < len(kinds)}
    turning = {kinds[i] for i in layers if i not in without and i is not None and i < len(kinds)}
    return {"nope_kinds": sorted(standing)} if standing and not standing & turning else {}


POSITIONS = (("alibi", "ALiBi"),
             ("relative_attention_bias|relative_position|rel_logits", "relative positions"),
             ("LearnedPositionalEmbedding|position_embed\\w* *= *nn.Embedding|embed_positions"
              "|wpe", "learned positions"), ("Sinusoid|sinusoid", "sinusoidal positions"),
             ("position_embeddings? *= *nn.Parameter|pos_embed", "learned positions"),
             (r"\bssm_|Mamba|rwkv", "a recurrent model without positions"))


# Where composites have their text model, in this order.
TEXTS = ("thinker_config", "text_config", "vlm_config", "decoder_config", "decoder",
         "global_config")


# Keys that the program asks for by their usual names.
USUAL = ("max_position_embeddings", "hidden_size", "num_attention_heads", "num_hidden_layers",
         "layer_types", "head_dim")


def aliases_of(config_class):
    names = {k: v for k, v in config_class.attribute_map.items() if k in USUAL and k != v}
    return {"aliases": names} if names else {}


def recurrent_of(config, layers):
    """The names in layer_types of layers without attention: it was measured in none of them."""
    kinds = getattr(config, "layer_types", None) or []
    seen = {kinds[i] for i in layers if isinstance(i, int) and i < len(kinds)}
    others = sorted(set(kinds) - seen)
    if not seen or not others:
        return {}
    old = [k for k, v in _LEGACY_LAYER_TYPE_REMAP.items() if v in others]
    return {"recurrent": {"list": "layer_types", "names": [*others, *old]}}


def parts_of(config_class):
    """{key: type} of the configurations inside, of which the class says the type ("" if not)."""
    inner = config_class.sub_configs or {}
    return {key: getattr(part, "model_type", "") for key, part in inner.items()}


def unread_of(config_class, code, own_code, entry):
    """Keys that a file may have and the code of the class does not read; `own_code` is that of the
    modules of its model alone."""
    unread = []
    kinds = [k for k in entry.get("kinds", {}).values()  # these read a fraction in any class
             if k.get("defaults", {}).get("rope_type") != "proportional"]
    known = json.dumps([kinds, {k: v for k, v in entry.items()
                                if k not in ("source", "unread", "kinds")}])
    is_latent = "qk_rope_head_dim" in known
    if not is_latent and "partial_rotary_factor" not in known and not re.search(
            r"partial_rotary_factor|rotary_(pct|ndims|dim|emb_fraction)|rotary_emb_dim",
            own_code or code):
        unread.append("partial_rotary_factor")
    fields = {*config_class.attribute_map, *(f for c in config_class.__mro__
              if c.__module__.startswith("transformers.models")
              for f in vars(c).get("__annotations__", ()))}
    attention = "".join(re.findall(
        r"(?ms)^class \w*(?:Attention|Attn)\w*\(.*?(?=^class |^def |^@|\Z)", code))
    is_formed = re.search(r"(?m)^        self\.head_dim = self\.hidden_size //",
                          inspect.getsource(config_class))
    if is_formed or not is_latent and attention and "head_dim" not in fields and (
            "head_dim" not in known
            and not re.search(r'config, "head_dim"|config\.head_dim', attention)):
        unread.append("head_dim")
    if (made_of := scaled_dictionary(config_class)) and "4.5" not in json.dumps(made_of):
        unread.append("rope_scaling")
    if 'kwargs.pop("rotary_emb_base"' in inspect.getsource(config_class):
        unread.append("rope_theta")
    return unread


def positions_of(source):
    return next((words for pattern, words in POSITIONS if re.search(pattern, source)), None)


def code_of(config_class):
    """The source of all modules that its model is made of by default, or "" if none can be made."""
    try:
        config, kinds = config_class(), model_class(config_class)[1]
    except Exception:
        return ""
    for kind in kinds:
        try:
            with light_modules():
                classes = {type(module) for module in kind(config).modules()}
        except Exception:
            continue
        return "\n".join(inspect.getsource(c) for c in classes if "transformers" in c.__module__)
    return ""


def entry_of(config_class, modeling, turns, old):
    """The entry of one class: what can be read off it, and what stands in the old one besides."""
    measured = {"pairing", "reverse", "axes", "defaults", "source", "parts", "unread", "aliases"}
    entry = {k: v for k, v in old.items() if k not in measured}
    version = f"transformers {transformers.__version__}"
    entry["source"] = f"{version}: models/{modeling.parent.name}/{modeling.name}"
    parts = parts_of(config_class)
    text = next((k for k in TEXTS if k in parts), None)
    if text and ("text" in old or not {"pairing", "none"} & old.keys()):
        own = parts.pop(text)
        usual = getattr(config_class.sub_configs_defaults.get(text), "model_type", None)
        entry["text"] = {"key": text, **({"type": own} if own else
                                         {"usual": usual} if usual else {})}
    if parts := {k: v for k, v in parts.items() if v}:
        entry["parts"] = parts
    if "text" in entry:
        return entry
    if not turns:
        source = modeling.read_text() if modeling.exists() else ""
        words = positions_of(source) or "its code has none"
        return {**entry, "none": words} if modeling.exists() else old
    if "none" in old or "refused" in old:
        return entry | {"pairing": old["pairing"]} if "pairing" in old else entry
    code = code_of(config_class)
    if code and not re.search("rotary|rope(?!r)", code, re.I):
        return {**entry, "none": positions_of(code) or "its code has none"}
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
    entry |= aliases_of(config_class)
    dictionary = getattr(config, "rope_parameters", None) or {}
    nested = {k: v for k, v in dictionary.items() if isinstance(v, dict)}
    if nested and "kinds" not in old:
        entry["kinds"] = {k: {"defaults": v} for k, v in sorted(nested.items())}
    elif not nested and (dictionary.get("rope_type") not in ("default", "axial", None)
                         or own_dictionary(config_class).get("rope_theta", 12345.0) != 12345.0):
        entry["rope_parameters"] = dictionary
    if re.search("mscale_all_dim", modeling.read_text()):
        entry["own_mscale"] = True
    if re.search(r"= apply_rotary_pos_emb_interleave\(", modeling.read_text()):
        entry["writes"] = "half_split"
    if ropes and "rope_theta" not in entry["defaults"] and "kinds" not in entry:
        slow = [max(map(abs, a)) for a in ropes[0]["pairs"].values()]
        entry["defaults"]["rope_theta"] = float(f"{slow[1] ** -len(slow):.4g}")
    keys = head_formula(config_class, config, ropes)
    if keys and "keys" not in old:
        entry["keys"] = {"head_dim": keys}
    if not any(k.startswith("nope_") for k in old):
        entry |= nope_rule(config, truth(record))
    if record.error is None and "recurrent" not in old:
        entry |= recurrent_of(config, truth(record))
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
    if unread := unread_of(config_class, modeling.read_text(), code, entry):
        entry["unread"] = unread
    for name, kind in entry.get("kinds", {}).items():
        kind |= unread_by_kind(config_class, name, kind, unread)
    return entry


def write(path, chosen):
    """Writes the table anew, entry by entry."""
    types = json.loads(path.read_text())["types"]
    for config_class, modeling, turns in configs():
        kind = config_class.model_type
        old = types.get(kind, {})
        if (chosen and kind not in chosen) or "by_hand" in old:
            continue
        try:
            types[kind] = entry_of(config_class, modeling, turns, old)
        except Exception as error:
            words = " ".join(str(error).split())[:120]
            print(f"{kind}: not read off: {type(error).__name__} {words}", flush=True)
        rows = [f"  {json.dumps(k)}: {json.dumps(v)}" for k, v in sorted(types.items()) if v]
        path.write_text('{"types": {\n' + ",\n".join(rows) + "\n}}\n")
