"""A problem as a configuration of transformers 5 says it."""

import math

TYPES = {"linear": "linear", "dynamic_ntk": "dynamic", "yarn": "yarn",
         "long_rope": "longrope", "llama3": "llama3"}
# In original_max_position_embeddings; else the length is the trained one.
HAVE_ORIGINAL_LENGTH = ("yarn", "longrope", "llama3")
# Not parameters there, or under another name.
ELSEWHERE = ("kind", "seq_len", "original_length")
LENGTH = 1 << 20  # where nothing depends on it
HEADS = 2


def configuration(p, has_sections):
    """Keyword arguments of LlamaConfig and its kind: the head, the parameters
    of the RoPE, the length. KeyError for a scaling that transformers lacks."""
    rope = {"rope_type": "default", "rope_theta": p.base}
    length = LENGTH
    if p.scaling:
        rope["rope_type"] = TYPES[p.scaling["kind"]]
        # 0: the scaling has no such parameter, or a model does not state it.
        rope.update((name, value) for name, value in p.scaling.items()
                    if name not in ELSEWHERE and value)
        length = int(p.scaling["original_length"]) or LENGTH
    if rope["rope_type"] in HAVE_ORIGINAL_LENGTH:
        rope["original_max_position_embeddings"] = length
        length = math.ceil(length * p.scaling["factor"])
    if rope["rope_type"] == "yarn":
        rope["truncate"] = p.scaling["truncate"]
    part = p.rotary_dim / p.head_dim
    if int(p.head_dim * part) < p.rotary_dim:  # as transformers computes it
        part = math.nextafter(part, 1)
    rope["partial_rotary_factor"] = part
    more = {"qk_rope_head_dim": p.head_dim}  # DeepSeek's name for head_dim
    if rope["rope_type"] == "longrope":  # Phi-3 reads it there
        name = "original_max_position_embeddings"
        more[name] = rope[name]
    if has_sections:  # one position is the same on all axes
        rope["mrope_section"] = (list(p.axis_sections)
                                 or [p.rotary_dim // 2, 0, 0])
    return dict(head_dim=p.head_dim, hidden_size=HEADS * p.head_dim,
                num_attention_heads=HEADS, num_key_value_heads=HEADS,
                max_position_embeddings=length, rope_parameters=rope, **more)
