"""What recorded calls mean: pairs, angles and amplitude of every layer, read off unit vectors."""

import collections
import functools
import inspect
import math
import re
import sys

import torch

from model_run import APPLIES, COORDINATES, TOKENS, noise

source_of = functools.cache(inspect.getsource)  # Python parses the whole file for each class


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


# The parameters that are turned, in the functions of all models.
TURNED = ("q", "k", "v", "x", "tensor", "xq", "xk", "qk", "query", "key", "query_layer",
          "key_layer", "value_layer")


def turned_first(function, args, keys):
    """(the arguments by name, the first of them that is turned)"""
    names = list(inspect.signature(function).parameters)
    given = dict(zip(names, args)) | keys
    return given, given[next((n for n in names if n in TURNED), names[0])]


def matrix(call, new):
    """[channel in, token, channel out] of the function on the first head of its first tensor."""
    path, function, args, keys, result = call
    given, query = turned_first(function, args, keys)
    angles = {k: new.get(id(v), v) for k, v in given.items()}
    turned = {n: x for n, x in given.items() if n in TURNED and torch.is_tensor(x)}
    sizes = {n for k, x in angles.items() if torch.is_tensor(x) and x.dim() > 1 and
             k not in turned and x.shape[0] != query.shape[-1] for n in x.shape[:-1]}
    first, second = query.shape[-3:-1]
    heads = 2 if first == TOKENS or (first in sizes and second not in sizes) else 1
    for name, x in turned.items():
        eye = torch.eye(x.shape[-1])
        if x.dim() == 4:  # of one head: all are turned alike
            one = [1 if i == heads else n for i, n in enumerate(x.shape)]
            angles[name] = eye[:, None, None, :].expand(-1, *one[1:])
        else:
            angles[name] = eye[None].expand(x.shape[0], -1, -1)
    out = tensors(function(**angles))[0].float()
    return out.transpose(0, 1) if query.dim() == 3 else out.select(heads, 0)


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
        steps = torch.arange(where.shape[-1] if where.dim() == 2 else TOKENS)
        if steps.numel() == 1:  # a decoder's one token
            steps[0] = 1
        elif length:
            steps[-1] = length - 1
        along = next((i for i in (0, -1, 1) if where.dim() > 1 and where.shape[i] in (2, 3, 4)), None)
        if along is not None:
            axes = [torch.zeros_like(where) for _ in range(where.shape[along])]
            for axis, fresh in enumerate(axes):
                part = fresh.select(along, axis)
                count = part.shape[-1]
                row = steps if count == TOKENS else torch.arange(count)
                part.copy_(row.expand(part.shape))
        else:
            axes = [steps.expand(where.shape).to(where.dtype)]
    step = 1
    if where is None and not {"input_ids", "inputs_embeds"} & record.inputs.keys() and not hasattr(
            sys.modules[type(record.model).__module__], COORDINATES):
        raise LookupError("positions cannot be set")
    if where is None and hasattr(sys.modules[type(record.model).__module__], COORDINATES):
        is_direct, step, axes = False, 0.1, [torch.zeros(196, 2) for _ in range(2)]
        for axis, fresh in enumerate(axes):
            fresh[:, axis] = 0.1
    pairs, amplitude, moves = {}, None, False
    for axis, positions in enumerate(axes):
        new = turned(rotary, positions) if positions is not None and is_direct else {}
        moved = call
        if positions is not None and not is_direct:
            at = next(i for i, other in enumerate(record.applied) if other is call)
            moved = record.again(at, positions)
        turned_by = matrix(moved, new)
        token = -1 if step < 1 else min(1, turned_by.shape[1] - 1)  # -1: behind class tokens
        for (u, v), (out, angle, m) in pairs_at(turned_by[:, token]).items():
            pairs.setdefault((u, v), [0.0] * len(axes))[axis] = angle
            amplitude = m
            moves = moves or out != (u, v)
    if not pairs:
        raise ValueError("nothing turns at position 1")
    query = turned_first(function, args, keys)[1]
    return {"head_dim": query.shape[-1], "pairs": pairs, "amplitude": amplitude, "moves": moves,
            "step": step}


def shifted(rope, offset, head_dim):
    pairs = {(u + offset, v + offset): a for (u, v), a in rope["pairs"].items()}
    return rope | {"pairs": pairs, "head_dim": head_dim}


def placed(rope, call, attended):
    """The rope among the channels of the query that attention gets."""
    query = attended[1]
    row = tensors(call[4])[0][..., :].reshape(-1, rope["head_dim"])[-1]
    every = query.reshape(-1, query.shape[-1])
    for rows in (every[-1:], every):  # in most models it is the last one, too
        ratios = rows.unfold(1, len(row), 1) @ (row / (row * row).sum())  # [row, offset]
        for offset in (ratios > 1e-3).any(0).nonzero().flatten().tolist():
            part, ratio = rows[:, offset: offset + len(row)], ratios[:, offset]
            off = (part - ratio[:, None] * row).abs().max(-1).values
            if ((off <= 1e-4 * ratio.abs()) & (ratio > 1e-3)).any():
                return shifted(rope, offset, query.shape[-1])
    raise LookupError("the query of attention does not hold what was rotated")


STEM = r"^(|.*?\.)(?:layers?|blocks?|h|resblocks)\.(\d+)(?:\.|$)"


def layer_of(path, stems):
    """The index of the layer, or None: "layers.3.self_attn" is 3. Where models inside one model
    have layers of their own, the path: "patcher.layers.3"."""
    found = re.search(STEM, path)
    if not found:
        return None
    return int(found[2]) if len(stems) <= 1 else found[1] + found[2]


def apart(record, length=0):
    """The rope of a model that cannot be run: its rotary module and the function that its layers
    apply, called by themselves; they must be the only ones. None where none of its modules' code
    speaks of a rotation."""
    kinds = {type(m): m for m in record.model.modules()}
    modeling = sys.modules[type(record.model).__module__]
    code = "".join(source_of(k) for k in kinds if k.__module__ == modeling.__name__)
    if not re.search("rotary|rotat|rope(?!r)", code, re.I):
        return None
    rotaries = [m for k, m in kinds.items() if re.search("Rotary|R[Oo]PE", k.__name__)
                and "position_ids" in inspect.signature(k.forward).parameters]
    functions = [f for n, f in vars(modeling).items() if inspect.isfunction(f)
                 and re.search(APPLIES, n) and n + "(" in code]
    widths = {m.head_dim for m in record.model.modules() if isinstance(
        getattr(m, "head_dim", None), int) and "Rotary" not in type(m).__name__}
    if (len(rotaries), len(functions), len(widths)) != (1, 1, 1):
        raise record.error
    positions = torch.arange(TOKENS)[None]
    if length:
        positions[0, -1] = length - 1
    cos, sin = type(rotaries[0]).forward(rotaries[0], noise(1, TOKENS, 8), positions)
    if cos.shape[:-1] != (1, TOKENS):  # of positions with several axes
        raise record.error
    q = torch.eye(*widths)[:, None, None, :].expand(-1, 1, TOKENS, -1)
    out = tensors(functions[0](q, q, cos, sin))[0].float()
    found = pairs_at(out[:, 0, 1])
    if not found:
        raise record.error
    return {"head_dim": q.shape[-1], "pairs": {p: [angle] for p, (_, angle, _) in found.items()},
            "amplitude": next(iter(found.values()))[2], "step": 1,
            "moves": any(out != pair for pair, (out, _, _) in found.items())}


def truth(record, length=0):
    """{layer: rope or None}, by the calls of the record."""
    if record.error and not record.attended and not record.applied:
        return {None: apart(record, length)}
    layers, made, unplaced = {}, {}, {}
    attended = {a[0] for a in record.attended}
    stems = {found[1] for c in record.applied if (found := re.search(STEM, c[0]))}
    for path in record.entered:
        if re.search("attn|attention", path.split(".")[-1], re.I) and path in attended:
            layers.setdefault(layer_of(path, stems), None)
    for call in sorted(record.applied, key=lambda c: c[0] not in attended):
        layer = layer_of(call[0], stems)
        if layers.get(layer) or (layer in unplaced and call[0] not in attended):
            continue
        given = [id(x) for x in [*call[2], *call[3].values()] if torch.is_tensor(x)]
        key = (call[1], tensors(call[4])[0].shape[-1], *given[-2:])
        if key not in made:
            made[key] = rope_of(record, call, length)
        rope = made[key]
        index = next(i for i, other in enumerate(record.applied) if other is call)
        at = next((a for a in record.attended if a[0] == call[0] and a[3] > index), None)
        if at:
            try:
                rope = placed(rope, call, at)
            except LookupError as error:  # the keys, perhaps, which some turn first
                unplaced[layer] = error
                continue
            rope["scaling"] = at[2]
        else:
            module = record.model.get_submodule(call[0])
            rope = rope | {"head_dim": max(rope["head_dim"], getattr(module, "head_dim", 0) or 0)}
        layers[layer] = rope
    for layer, error in unplaced.items():
        if not layers.get(layer):
            raise error
    for path in record.entered:
        kind = type(record.model.get_submodule(path))
        code = source_of(kind) if "Att" in kind.__name__ else ""
        if (not layers.get(layer_of(path, stems)) and re.search("rotary|rotat", code)
                and not re.search(APPLIES, code)):
            raise LookupError(f"{kind.__name__} turns its heads by no function that is known")
    return layers
