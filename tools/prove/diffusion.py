#!/usr/bin/env python3
"""Holds what `ropeproof show` says of a config.json of diffusers against the model's own code.

  diffusion.py PROGRAM [CLASS ...]

Needs diffusers 0.42.1 and torch 2.13.0 (CPU). Nothing is downloaded. Each
transformer of diffusers that has an entry in vectors/models/types is made with its defaults and
one layer, and run: layers with weights give noise. What the norm of the queries is given, and what
attention gets of it, are related by one matrix for each token: pairs and angles are read off it.
"""

import argparse
import inspect
import json
import math
import pathlib
import subprocess
import sys
import tempfile
from functools import partial
from unittest import mock

import diffusers
import torch
from diffusers.models import embeddings
from diffusers.models.transformers.transformer_ideogram4 import OUTPUT_IMAGE_INDICATOR

from model_run import convolved, light_modules, noise

GRID = (2, 3, 4)  # tokens along t, y and x
IMAGE = GRID[1:]
TEXT = 5  # tokens
TYPES = pathlib.Path(__file__).parents[2] / "vectors" / "models" / "types" / "types.json"


class Attended(Exception):
    """Attention was called: what follows does not matter."""


def coordinates(axes):
    """A row per token of the picture: (0, y, x), or (t, y, x, 0) of four axes."""
    grid = torch.stack(torch.meshgrid(*map(torch.arange, GRID), indexing="ij"), -1).reshape(-1, 3)
    return torch.cat([grid, torch.zeros(len(grid), axes - 3)], -1)


def rotary_of_pipeline(config):
    """The models of CogVideoX and Allegro get their cos and sin from the pipeline."""
    size = (GRID[1], GRID[2])
    if "max_text_seq_length" in config:
        return embeddings.get_3d_rotary_pos_embed(
            config.attention_head_dim, ((0, 0), size), size, GRID[0], theta=10000)
    made = embeddings.get_3d_rotary_pos_embed_allegro(
        config.attention_head_dim, ((0, 0), size), size, GRID[0])
    return made[:3], tuple(g.long() for g in made[3:])


def inputs(model):
    """Arguments of forward(): noise for a picture of GRID and for TEXT tokens of text."""
    config, wanted = model.config, inspect.signature(model.forward).parameters
    is_packed = bool(wanted.keys() & {"img_ids", "img_shapes", "video_coords", "indicator"})
    grid = IMAGE if "img_mask" in wanted or (
        "2D" in type(model).__name__ and not is_packed) else GRID
    patch = config.get("patch_size") or config.get("all_patch_size") or 1
    if isinstance(patch, int) or len(patch) == 1:
        side = patch if isinstance(patch, int) else patch[0]
        patch = (config.get("patch_size_t") or 1, side, side)
    sides = [n * p for n, p in zip(grid, patch[-len(grid):])]
    channels = config.get("in_channels") or config.get("in_visual_dim")
    if is_packed:
        picture = noise(1, math.prod(grid), channels)
    elif "visual_rope_pos" in wanted:  # channels last
        picture = noise(1, *sides, channels)
    elif "max_text_seq_length" in config or "r_timestep" in wanted:  # channels behind frames
        picture = noise(1, sides[0], channels, *sides[1:])
    else:
        picture = noise(1, channels, *sides)
    width = next((config[key] for key in (
        "joint_attention_dim", "text_dim", "text_embed_dim", "caption_channels", "cap_feat_dim",
        "in_text_dim", "text_in_dim", "cross_attention_dim", "context_in_dim")
        if config.get(key)), 64)
    if "indicator" in wanted:  # text and picture in one row
        width, text = config.llm_features_dim, math.prod(GRID)
    else:
        text = 0 if "img_mask" in wanted else TEXT  # which attention there is asked about alone
    times = (GRID[0],) if "r_timestep" in wanted else ()  # one of each frame
    axes = len(config.get("axes_dims_rope") or ()) or 3
    known = {
        "hidden_states": picture, "control_hidden_states": noise(
            1, config.get("vace_in_channels") or 1, *sides), "x": [noise(channels, 1, *sides)],
        "encoder_hidden_states": noise(1, text, width), "cap_feats": [noise(TEXT, width)],
        "encoder_hidden_states_2": noise(1, TEXT, config.get("text_embed_2_dim") or 64),
        "encoder_attention_mask_2": torch.ones(1, TEXT, dtype=torch.bool),
        "image_embeds": noise(1, TEXT, config.get("image_embed_dim")
                              or config.get("image_proj_dim") or 64),
        "guidance": torch.tensor([1.0]) if config.get("guidance_embeds") else None,
        "text_bth": noise(1, TEXT, width), "text_lens": torch.tensor([TEXT]),
        "encoder_attention_mask": torch.ones(1, TEXT, dtype=torch.bool),
        "encoder_hidden_states_mask": torch.ones(1, text, dtype=torch.bool),
        "pooled_projections": noise(1, config.get("pooled_projection_dim")
                                    or config.get("in_text_dim2") or 64),
        "timestep": torch.ones(1, *times), "r_timestep": torch.zeros(1, *times),
        "t": torch.tensor([0.5]), "img_ids": coordinates(axes), "txt_ids": torch.zeros(TEXT, axes),
        "img_shapes": [[(1, *grid)[-3:]]],
        "visual_rope_pos": tuple(map(torch.arange, GRID)), "text_rope_pos": torch.arange(TEXT),
        "num_frames": GRID[0], "height": GRID[1], "width": GRID[2],
        "original_size": torch.tensor([[64, 64]]), "target_size": torch.tensor([[64, 64]]),
        "crop_coords": torch.tensor([[0, 0]]),
        "img_mask": torch.ones(1, math.prod(grid) // 4, dtype=torch.bool),
        "indices_latents": torch.arange(GRID[0]) + 1, "chunk_partition": [GRID[0]],
        "position_ids": coordinates(3)[None], "segment_ids": torch.ones(1, math.prod(GRID)),
        "indicator": torch.full((1, math.prod(GRID)), OUTPUT_IMAGE_INDICATOR),
        "image_rotary_emb": rotary_of_pipeline if "image_rotary_emb" in wanted
        and "crop_coords" not in wanted else None,
    }
    for number, name in enumerate(("clean", "history_2x", "history_4x")):
        known[f"latents_{name}"] = noise(1, channels, 1 << number, *sides[1:])
        known[f"indices_latents_{name}"] = torch.arange(1 << number)
    if callable(known["image_rotary_emb"]):
        known["image_rotary_emb"] = rotary_of_pipeline(config)
    return {name: known[name] for name in wanted if known.get(name) is not None}, grid


def model_of(made):
    """The class with its defaults and one layer of each kind."""
    few = {name: 1 for name in inspect.signature(made.__init__).parameters
           if name in ("num_layers", "num_single_layers", "n_layers", "num_visual_blocks")}
    given = {"use_rotary_positional_embeddings": True, "rope_temporal_skip_len": GRID[0],
             "vace_layers": [0], "has_clean_x_embedder": True, "has_image_proj": True}
    few |= {name: given[name] for name in inspect.signature(made.__init__).parameters
            if name in given}
    with light_modules():
        model = made(**few).eval()
    for module in model.modules():
        if isinstance(module, torch.nn.Linear):
            module.forward = lambda x, *a, _n=module.out_features, **k: noise(*x.shape[:-1], _n)
        elif isinstance(module, (torch.nn.Conv1d, torch.nn.Conv2d, torch.nn.Conv3d)):
            module.forward = lambda x, *a, _m=module, **k: convolved(_m, x)
    return model


def observed(model):
    """Queries before and after the rotation, [samples, tokens, head_dim] each, and the grid."""
    queries, before, after = [], [], []
    module = sys.modules[type(model).__module__]
    is_linear = hasattr(module, "SanaLinearAttnProcessor3_0")  # which multiplies values by keys
    norms = ("norm_k",) if is_linear else ("norm_q", "query_norm", "q_norm")
    for name, norm in model.named_modules():
        if name.split(".")[-1] in norms and "refiner" not in name:
            norm.forward = lambda x, *a, **k: queries.append(x.clone()) or x

    def attention(are_heads_first, *args, **keys):
        query = args[0] if args else keys["query"]
        if not queries:
            return query
        x = queries.pop()
        queries.clear()
        head_dim = query.shape[-1]
        if x.dim() == 3:
            x = x.unflatten(-1, (-1, head_dim))
        if are_heads_first:
            heads, query = query.shape[1], query.transpose(1, 2)
            x = x.transpose(1, 2) if x.shape[1] == heads else x
        # The picture's tokens keep their lengths; text stands in the same row, and history.
        lengths, wanted = query[0].norm(dim=-1), x[0].norm(dim=-1)
        starts = [s for s in range(len(lengths) - len(wanted) + 1) if torch.isclose(
            lengths[s:s + len(wanted)], wanted, rtol=1e-4).all(-1).sum() >= math.prod(IMAGE)]
        if not starts:  # text, before the picture
            return query
        before.append(x[0].transpose(0, 1))
        after.append(query[0, starts[0]:starts[0] + len(wanted)].transpose(0, 1))
        raise Attended

    flux = sys.modules["diffusers.models.transformers.transformer_flux"]  # of Chroma, too
    places = [(torch.nn.functional, "scaled_dot_product_attention", partial(attention, True)),
              (module, "dispatch_attention_fn", partial(attention, False)),
              (flux, "dispatch_attention_fn", partial(attention, False)),
              (torch, "bfloat16", torch.float32)]
    if is_linear:
        places += [(torch, "matmul", lambda values, keys: attention(True, keys)),
                   (torch.nn.functional, "relu", lambda x: x)]
    patches = [mock.patch.object(*place) for place in places if hasattr(*place[:2])]
    for patch in patches:
        patch.start()
    try:
        while not after or len(after) * after[0].shape[0] < after[0].shape[-1] + 8:
            queries.clear()
            arguments, grid = inputs(model)
            try:
                model(**arguments)
                raise LookupError("attention was not called")
            except Attended:
                pass
    finally:
        for patch in patches:
            patch.stop()
    return torch.cat(before).double(), torch.cat(after).double(), grid


def pairs_of(model):
    """(u, v) -> radians from one token to the next, along each axis; and head_dim."""
    before, after, grid = observed(model)
    before, after = before.transpose(0, 1), after.transpose(0, 1)
    turns = torch.linalg.lstsq(before, after).solution.mT  # after = turn @ before
    count = math.prod(grid)
    for start in range(len(turns) - count + 1):  # text may stand before the picture, or behind
        try:
            return even_turns(turns[start:start + count], grid)
        except LookupError as error:
            why = error
    raise why


def even_turns(turns, grid):
    """The same of one matrix for each token of a grid; a LookupError where there is no such."""
    size = turns.shape[-1]
    turns = turns.reshape(*grid, size, size)
    touched = turns.abs().reshape(-1, size, size).amax(0) > 1e-3
    pairs = {}
    for u in range(size):
        partner = [v for v in range(u + 1, size) if touched[u, v]]
        if len(partner) > 1:
            raise LookupError(f"channel {u} is mixed with {partner}")
        for v in partner:
            angle = torch.atan2(turns[..., v, u], turns[..., u, u])
            steps = []
            for axis in range(len(grid)):
                difference = angle.diff(dim=axis)
                step = difference.flatten()[0]
                off = torch.remainder(difference - step + math.pi, 2 * math.pi) - math.pi
                if off.abs().max() > 1e-3:
                    raise LookupError(f"pair {u}, {v} does not turn evenly")
                steps.append(math.remainder(step.item(), 2 * math.pi))
            pairs[u, v] = steps
    if not pairs:
        raise LookupError("no pair turns")
    return pairs, size


def difference(pairs, size, said):
    """Why what was told is not what was measured, or None."""
    if len(said["ropes"]) != 1:
        return f"{len(said['ropes'])} ropes for one"
    rope = said["ropes"][0]
    if rope["head_dim"] != size:
        return f"head_dim {rope['head_dim']} for {size}"
    told = {tuple(p["in"]): p["angles"] for p in rope["pairs"]}
    if not pairs.keys() <= told.keys():
        return f"pairs {sorted(told)[:2]} for {sorted(pairs)[:2]}"
    for pair, angles in told.items():
        seen = pairs.get(pair)
        if seen is None:  # turns by less than can be seen, or along an axis of one token
            seen = [0.0] * len(next(iter(pairs.values())))
        at = {"t": -3, "id": -3, "y": -2, "x": -1}
        for name, angle in zip(rope["axes"], angles):
            if name not in at or len(seen) + at[name] < 0:
                continue
            true = seen[at[name]]
            if abs(math.remainder(angle - true, 2 * math.pi)) > 2e-3 * abs(true) + 2e-3:
                return f"pair {pair} turns by {angle} along {name} for {true}"
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("program", help="build/release/ropeproof")
    parser.add_argument("classes", nargs="*", help="only these classes")
    args = parser.parse_args()
    torch.manual_seed(1)
    torch.set_num_threads(1)
    torch.set_grad_enabled(False)
    count = dict.fromkeys(("right", "wrong", "refused", "cannot be run"), 0)
    known = json.loads(TYPES.read_text())["types"]
    for name in sorted(args.classes or (
            n for n, entry in known.items()
            if entry["source"].startswith("diffusers") and "pairing" in entry)):
        try:
            model = model_of(getattr(diffusers, name))
            document = json.loads(model.to_json_string())
            pairs, size = pairs_of(model)
        except Exception as error:
            verdict, why = "cannot be run", f"{type(error).__name__} {error}"
        else:
            with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
                json.dump(document, file)
                file.flush()
                ran = subprocess.run([args.program, "show", "--json", file.name],
                                     capture_output=True, text=True)
            if ran.returncode != 0:
                verdict, why = "refused", ran.stderr.strip().replace(file.name + ": ", "")
            else:
                why = difference(pairs, size, json.loads(ran.stdout))
                verdict = "right" if why is None else "wrong"
        count[verdict] += 1
        print(f"{verdict}: {name}" + (f": {why}" if why else ""), flush=True)
    print(", ".join(f"{n} {verdict}" for verdict, n in count.items()))
    sys.exit(1 if count["wrong"] else 0)


main()
