"""The configuration classes of transformers, and files that they write."""

import copy
import importlib
import inspect
import pathlib
import re

import transformers
from transformers import PreTrainedConfig

from model_run import borrowed, run, width

AXES = {1: [""], 2: ["h", "w"], 3: ["t", "h", "w"], 4: ["id", "x", "y", "t"]}


def configs(types=()):
    """Every configuration class of transformers whose model has to do with RoPE; where types are
    named, those of files that name one."""
    base = pathlib.Path(transformers.__file__).parent / "models"
    for file in sorted(base.glob("*/configuration_*.py")):
        modeling = file.with_name(file.name.replace("configuration_", "modeling_"))
        name = f"transformers.models.{file.parent.name}.{file.stem}"
        if types and not any(f'"{kind}"' in file.read_text() for kind in types):
            continue
        try:
            module = importlib.import_module(name)
        except Exception as error:
            print(f"not read: {name}: {type(error).__name__} {error}", flush=True)
            continue
        for value in vars(module).values():
            if (inspect.isclass(value) and issubclass(value, PreTrainedConfig) and
                    value.__module__ == module.__name__ and value.model_type):
                model = None if modeling.exists() else borrowed(value)
                code = pathlib.Path(inspect.getfile(model)) if model else modeling
                turns = code.exists() and re.search("rotary|rope_|_rope", code.read_text(), re.I)
                yield value, code, bool(turns)


# Classes whose defaults are incomplete.
HALF = {"rope_type": "default", "rope_theta": 10000.0, "partial_rotary_factor": 0.5}
COMPLETIONS = [{"head_dim": 128}, {"rope_parameters": HALF},
               {"head_dim": 128, "rope_parameters": HALF},
               {"vocab_size": 100, "pad_token_id": 1, "position_embedding_type": "rotary"},
               {"index_topk": 4}, {"use_mem_rope": True}, {"position_embedding_type": "rope"},
               {"rope_parameters": {"full_attention": {"rope_type": "default", "rope_theta": 1e4}}},
               {"head_dim": 128, "rope_parameters": {
                   "rope_type": "default", "rope_theta": 1e4, "mrope_section": [16] * 4}},
               {"dropout_rate": 0.0}, {"attn_config": {"rope_theta": 1e4}},
               {"shared_expert_intermediate_size": 64},
               {"text_config": {"head_dim": 128, "rope_parameters": {
                   **HALF, "mrope_section": [8, 12, 12]}}},
               {"indexer_n_heads": 4, "indexer_kv_heads": 1, "indexer_head_dim": 256,
                "indexer_budget": 64, "indexer_compress_ratio": 4}]


# Classes that have no layer of attention by default.
ATTENTION = {"bamba": {"attn_layer_indices": [0, 2]},
             "granitemoehybrid": {"layer_types": ["linear_attention", "full_attention"] * 6,
                                  "position_embedding_type": "rope"}}


def filled(config_class, keys):
    """The defaults, with values where the class leaves out what its model needs."""
    config = config_class(**keys)
    layers = getattr(config, "num_hidden_layers", 0) or 0
    heads = getattr(config, "num_attention_heads", None)
    for key, value in {
            "vocab_size": 100, "num_attention_heads": 8, "num_key_value_heads": heads or 8,
            "head_dim": width(config) // (heads or 8), "sliding_window": 16,
            "layer_types": ["full_attention"] * layers, "mlp_layer_types": ["dense"] * layers,
            "moe_intermediate_size": 64, "shared_expert_intermediate_size": 64,
            "n_routed_experts": 8, "num_experts": 8, "top_k_experts": 2, "num_experts_per_tok": 2,
            "n_shared_experts": 1, "n_group": 1, "topk_group": 1}.items():
        try:
            if getattr(config, key, 0) is None:
                setattr(config, key, value)
        except RuntimeError:  # it differs from layer to layer
            pass
    return config


def made(config_class, **keys):
    layers = getattr(config_class, "num_hidden_layers", None)
    fewer = [{"num_hidden_layers": min(12, layers)}] if isinstance(layers, int) else []
    keys = ATTENTION.get(config_class.model_type, {}) | keys
    error, partly = None, None
    for more in [*fewer, {}]:
        for completion in [{}, None, *COMPLETIONS]:
            try:
                given = copy.deepcopy(keys) | more
                config = (filled(config_class, given) if completion is None
                          else config_class(**given, **copy.deepcopy(completion)))
                record = run(config_class, copy.deepcopy(config))
                if record.error is None:
                    return config, record
                if record.model is not None and (
                        not partly or (record.applied and not partly[1].applied)):
                    partly = config, record
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


OLD_KEYS = ("rope_parameters", "rope_theta", "rope_scaling", "partial_rotary_factor")


def besides(document):
    """Files whose keys of version 4 stand beside no dictionary of the class's own, and one with a
    fraction in dictionaries of the default type."""
    others = {k: v for k, v in document.items() if k not in OLD_KEYS}
    dictionary = document.get("rope_parameters") or {}
    kinds = {k: v for k, v in dictionary.items() if isinstance(v, dict)}
    sections = {k: v for k, v in dictionary.items() if k.startswith("mrope")}
    yield {**others, "rope_theta": 12345.0}
    yield {**others, "rope_theta": 12345.0, "partial_rotary_factor": 0.5}
    yield {**others, "rope_theta": 12345.0, "rope_scaling": {
        "rope_type": "linear", "factor": 4.5, **sections}}
    plain = {"rope_type": "default", "rope_theta": 12345.0, "partial_rotary_factor": 0.5}
    yield {**others, "rope_parameters": {k: plain for k in kinds} or {**plain, **sections}}


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
