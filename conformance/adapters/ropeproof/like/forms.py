"""How a function of each form solves a problem.

Each gets the call of the function, the form's options and the problem, and
returns q and k, or the one that there is.
"""

import numpy as np

from ropeproof.arrays import bf16_to_f32, rounded
from ropeproof.errors import WrongTable
from ropeproof.like.call import TENSORS
from ropeproof.problem import check_count, runs

WHOLE = [(slice(None), None)]


def hf(call, options, p):
    """transformers, apply_rotary_pos_emb of models/llama/modeling_llama.py: q and
    k [batch, heads, seq, head_dim], cos and sin [batch, seq, rotary_dim].

    doubled  where the second value of a pair lies: "halves", behind all first
             ones, as torch.cat does; "pairs", beside the first, as
             repeat_interleave does, which is the default of interleaved
    precompute  what makes cos and sin of all positions, [rows, rotary_dim]: it is
                called with the names of call.py, and judged, too
    """
    table = options.get("table")
    if table is None:
        table = [p.convert(doubled(p.numpy(name), p, options), p.table_dtype)
                 for name in ("cos", "sin")]
    if not isinstance(table, (tuple, list)) or len(table) != 2:
        raise WrongTable(f"{call.name} takes cos and sin, and what makes its "
                         f"table gave one {type(table).__name__}: a packed table "
                         f"is of like='vllm', a complex one of like='meta'")
    cos, sin = table
    return p.in_pieces(lambda xs, _: rotated(call, options, p, xs, cos=cos,
                                             sin=sin), WHOLE, call.name)


def of_module(module, p):
    """cos and sin by a module of a configuration, as transformers has them:
    LlamaRotaryEmbedding of models/llama/modeling_llama.py.

    apply         what rotates by them, as hf is called; without it
                  apply_rotary_pos_emb of the module's file
    config_class  of what the module is made from, by Problem.hugging_face;
                  without it that of the annotation, or one with these fields
    """
    return module(p.tensors[0], p.positions)


def of_rows(table, p):
    """Those rows of a table, or of two, that the positions name."""
    if isinstance(table, (tuple, list)):
        return [part[p.positions] for part in table]
    return table[p.positions]


def doubled(pairs, p, options):
    """[..., rotary_dim/2] as [..., rotary_dim]."""
    beside = options["doubled"] or (
        "pairs" if p.pairing == "interleaved" else "halves")
    if beside == "pairs":
        return np.repeat(pairs, 2, axis=-1)
    return np.concatenate((pairs, pairs), axis=-1)


def meta(call, options, p):
    """Meta's LLaMA, apply_rotary_emb of llama/model.py: xq and xk [batch, seq,
    heads, head_dim], freqs_cis complex64 [seq, head_dim/2], cos + i sin, one for
    all rows: rows that have the same are given at once.

    precompute  what makes freqs_cis of all positions, as precompute_freqs_cis
    """
    if options.get("table") is None:
        cos, sin = p.numpy("cos"), p.numpy("sin")
        table = p.convert(cos + 1j * sin)
        rows = equal_rows(np.concatenate((cos, sin), axis=-1))
    else:
        table, rows = options["table"], equal_rows(p.numpy("positions"))
    return p.in_pieces(lambda xs, freqs: rotated(
        call, options, p, xs, freqs_cis=freqs),
        [(alike, table[alike[0]]) for alike in rows], call.name)


def onnx(call, options, p):
    """The operator RotaryEmbedding, of com.microsoft and, with the ids last, of
    ONNX since opset 23: x [batch, heads, seq, head_dim], position_ids [batch,
    seq], cos_cache and sin_cache [rows, rotary_dim/2].
    onnxruntime docs/ContribOperators.md, onnx docs/Operators.md."""
    return p.in_pieces(lambda xs, _: rotated(
        call, options, p, xs, position_ids=p.ids, cos_cache=p.cos,
        sin_cache=p.sin), WHOLE, call.name)


def vllm(call, options, p):
    """vLLM, rotary_embedding of vllm/_custom_ops.py, which writes query and key,
    [tokens, heads * head_size]; positions [tokens] are rows of cos_sin_cache,
    [rows, rotary_dim], cosines first. A module has its own cache."""
    return _flat(call, options, p, lambda x, tokens: x.reshape(tokens, -1))


def flashinfer(call, options, p):
    """FlashInfer, flashinfer/rope.py: apply_rope_with_cos_sin_cache is called as
    vllm is; apply_rope_pos_ids has q and k [tokens, heads, head_dim], and so has
    apply_rope, with ragged rows that begin at indptr and at position offsets."""
    if "cos_sin_cache" in call.names:
        return vllm(call, options, p)
    return _flat(call, options, p, lambda x, tokens: x.reshape(
        tokens, *x.shape[2:]))


def _flat(call, options, p, flattened):
    rows = p.numpy("ids" if p.operation == "lookup" else "positions")
    given = dict(positions=p.convert(rows.reshape(-1)), cos_sin_cache=p.cos,
                 pos_ids=p.convert(rows.reshape(-1).astype(np.int32)))
    if "indptr" in call.names:
        found = [run for row in rows for run in runs(row)]
        lengths = [tokens.stop - tokens.start for tokens, _ in found]
        given["indptr"] = p.convert(np.cumsum([0, *lengths], dtype=np.int32))
        given["offsets"] = p.convert(np.int32([start for _, start in found]))

    def rotate(xs, _):
        flat = [flattened(x, rows.size) for x in xs]
        return [y.reshape(x.shape) if y.shape == z.shape else y for x, y, z in
                zip(xs, rotated(call, options, p, flat, **given), flat)]
    return p.in_pieces(rotate, WHOLE, call.name)


def offset(call, options, p):
    """MLX, mlx.nn.RoPE: x [batch, heads, seq, head_dim], whose tokens have the
    positions offset, offset + 1, ... Runs of them are given by themselves, rows
    with the same positions at once."""
    positions = p.numpy("positions")
    pieces = [((rows, tokens), start) for rows in equal_rows(positions)
              for tokens, start in runs(positions[rows[0]])]
    return p.in_pieces(lambda xs, start: rotated(
        call, options, p, xs, offset=start), pieces, call.name)


def positions(call, options, p):
    """Gemma, apply_rope of gemma/gm/math/_positional_embeddings.py, and torchtune,
    modules/position_embeddings.py: x [batch, seq, heads, head_dim], positions
    [batch, seq]."""
    return p.in_pieces(lambda xs, _: rotated(
        call, options, p, xs, positions=p.positions), WHOLE, call.name)


def te(call, options, p):
    """Transformer Engine, apply_rotary_pos_emb of
    transformer_engine/pytorch/attention/rope.py: t [seq, batch, heads, head_dim],
    [batch, seq, heads, head_dim] or [tokens, heads, head_dim], and the angles
    freqs, f32 [rows, 1, 1, rotary_dim], of which token i has row i. Rows with
    the same positions are given at once. In thd, all tokens are, those of one
    position in different sequences, which begin at cu_seqlens.

    tensor_format  "sbhd", "bshd" or "thd"
    """
    form = options["tensor_format"]
    places = p.numpy("positions")
    inv_freq = p.numpy("inv_freq") + p.numpy("inv_freq_lo")
    pieces = []
    for index, of_rows, starts in _sequences(places) if form == "thd" else [
            (rows, places[rows[0]], None) for rows in equal_rows(places)]:
        angles = np.float32(np.outer(of_rows, inv_freq))
        freqs = doubled(angles, p, options)[:, None, None]
        given = dict(freqs=p.convert(freqs), tensor_format=form)
        if form == "thd":
            given["cu_seqlens"] = p.convert(starts)
        pieces.append((index, given))

    def turned(x):
        return x.swapaxes(0, 1) if form == "sbhd" else x

    def rotate(xs, given):
        return [turned(y) for y in rotated(
            call, options, p, [turned(x) for x in xs], **given)]
    return p.in_pieces(rotate, pieces, call.name)


def flash_attn(call, options, p):
    """flash-attn, apply_rotary_emb of flash_attn/layers/rotary.py, and
    apply_rotary of flash_attn/ops/triton/rotary.py: x [batch, seq, heads,
    head_dim], cos and sin [rows, rotary_dim/2], of which token i of batch row b
    takes row seqlen_offsets[b] + i; those of all batch rows lie behind one
    another. Without seqlen_offsets rows of the same positions are given at once.

    packed  True: x [tokens, heads, head_dim] with cu_seqlens and max_seqlen
    """
    tables = [p.numpy(name) for name in ("cos", "sin")]
    pieces = [(rows, [table[rows[0]] for table in tables], None)
              for rows in equal_rows(np.concatenate(tables, axis=-1))]
    if call.takes("seqlen_offsets"):
        # As in caches of the suite: a row beyond 4096 where it costs little.
        before = 4096 if p.rotary_dim <= 16 else 0
        starts = before + np.arange(p.batch, dtype=np.int32) * p.seq
        rows = [table.reshape(-1, table.shape[-1]) for table in tables]
        pieces = [(slice(None), [np.pad(table, ((before, 0), (0, 0)))
                                 for table in rows], starts)]

    def rotate(xs, what):
        table, starts = what
        given = dict(zip(("cos", "sin"), (p.convert(part, p.table_dtype)
                                          for part in table)))
        given["inplace"] = options["in_place"]
        if starts is not None:
            given["seqlen_offsets"] = p.convert(starts)
        shapes = [x.shape for x in xs]
        if options["packed"]:
            ends = np.arange(shapes[0][0] + 1, dtype=np.int32) * p.seq
            given.update(cu_seqlens=p.convert(ends), max_seqlen=p.seq)
            xs = [x.reshape(-1, *x.shape[2:]) for x in xs]
        return [y.reshape(shape) if options["packed"] else y for y, shape in
                zip(rotated(call, options, p, xs, **given), shapes)]
    return p.in_pieces(rotate, [(index, what) for index, *what in pieces],
                       call.name)


def mrope(call, options, p):
    """Qwen2-VL, apply_multimodal_rotary_pos_emb of transformers, models/qwen2_vl,
    and Liger's: q and k [batch, heads, seq, head_dim], cos and sin [3, batch,
    seq, rotary_dim], and the pairs that each of the three axes has. On the next
    axis, cos and sin there are turned by 1 rad, on the one after by 2."""
    pairs = p.rotary_dim // 2
    rest = 3 * pairs // 8
    section = [pairs - 2 * rest, rest, rest]
    axis = np.repeat(np.arange(3), section)
    turn = (np.arange(3).reshape(3, 1, 1, 1) - axis) % 3
    given = [p.numpy(name) for name in ("cos", "sin")]
    c, s = (bf16_to_f32(table) if table.dtype == np.uint16 else table
            for table in given)
    cos, sin = (
        p.convert(doubled(np.where(turn == 0, own, rounded(
            other, p.table_dtype)), p, options), p.table_dtype)
        for own, other in zip(given, (c * np.cos(turn) - s * np.sin(turn),
                                      s * np.cos(turn) + c * np.sin(turn))))
    return p.in_pieces(lambda xs, _: rotated(
        call, options, p, xs, cos=cos, sin=sin, section=section), WHOLE,
        call.name)


def diffusers(call, options, p):
    """diffusers, apply_rotary_emb of models/embeddings.py with use_real: x
    [batch, heads, seq, head_dim], freqs_cis a tuple of cos and sin, f32 [seq,
    rotary_dim]. Rows that have the same are given at once."""
    tables = [p.numpy(name) for name in ("cos", "sin")]
    pieces = [(rows, tuple(p.convert(doubled(table[rows[0]], p, options))
                           for table in tables))
              for rows in equal_rows(np.concatenate(tables, axis=-1))]
    return p.in_pieces(lambda xs, freqs: rotated(
        call, options, p, xs, freqs_cis=freqs), pieces, call.name)


def flux(call, options, p):
    """FLUX, apply_rope of src/flux/math.py: xq and xk [batch, heads, seq,
    head_dim], freqs_cis f32 [batch, 1, seq, rotary_dim/2, 2, 2], the matrices
    ((cos, -sin), (sin, cos))."""
    cos, sin = p.numpy("cos"), p.numpy("sin")
    matrices = np.stack([cos, -sin, sin, cos], axis=-1)
    table = p.convert(matrices.reshape(*cos.shape, 2, 2)[:, None])
    return p.in_pieces(lambda xs, _: rotated(
        call, options, p, xs, freqs_cis=table), WHOLE, call.name)


def cache_flat(call, options, p):
    """Functions of (positions, q, k, cos_sin_cache): q and k [tokens, heads,
    head_dim], the cache as that of vllm; half-split unless pairings= says
    else. tokamax, deepseek_rope of tokamax/_src/ops/deepseek_rope/api.py, is the
    same of one x, interleaved, whose last rotary_dim channels rotate."""
    return _flat(call, options, p, lambda x, tokens: x.reshape(
        tokens, *x.shape[2:]))


def _sequences(places):
    """All tokens as sequences whose token i has position i of one table: index,
    table, and where the sequences begin. The position that most tokens have
    stands first in it, so that sequence n, of the tokens that have a position
    for the n-th time, goes from its beginning on. Positions may all differ, and
    there would be one sequence: its first half stands before it once more."""
    values, kinds, counts = np.unique(places, return_inverse=True,
                                      return_counts=True)
    kinds = kinds.reshape(-1)
    order = np.argsort(-counts, kind="stable")
    slots = np.argsort(order)[kinds]
    by_slot = np.argsort(slots, kind="stable")
    nth = np.empty_like(slots)
    nth[by_slot] = np.concatenate([np.arange(n) for n in counts[order]])
    tokens = np.lexsort((slots, nth))
    lengths = np.bincount(nth)
    half = (lengths[0] + 1) // 2
    index = np.unravel_index(np.concatenate((tokens[:half], tokens)),
                             places.shape)
    starts = np.cumsum([0, half, *lengths], dtype=np.int32)
    return [(index, values[order], starts)]


def equal_rows(table):
    """The numbers of the rows that are alike, for each kind of row."""
    kinds = {}
    for number, row in enumerate(table):
        kinds.setdefault(row.tobytes(), []).append(number)
    return list(kinds.values())


def rotated(call, options, p, xs, **given):
    """The results of a call for q and k, or for each if it takes one of them."""
    names = [name for name in call.names if name in TENSORS]
    if len(names) == 1:
        return [_results(call, options, p, {names[0]: x}, given)[0] for x in xs]
    both = xs
    if len(xs) == 1:  # it wants both
        both = [xs[0], _copy(xs[0])] if p.k is None else [_copy(xs[0]), xs[0]]
    results = _results(call, options, p, dict(zip(names, both)), given)
    return results if len(xs) == 2 else [results[0 if p.k is None else 1]]


def _results(call, options, p, tensors, given):
    if options.get("tables"):
        given = options["tables"](p, given)
    xs = list(tensors.values())
    in_place = options["in_place"]
    before = [np.copy(p.back(x)) for x in xs] if in_place else []
    others = [(name, part, _copy(part)) for name, value in given.items()
              for part in (value if isinstance(value, tuple) else [value])
              if isinstance(part, np.ndarray) or hasattr(part, "detach")]
    returned = call(p, dict(given, **tensors))
    for name, part, was in others:
        if not ((part == was) | (part != part) & (was != was)).all():
            raise ValueError(f"overwrites {name}, which it was given")
    results = (list(returned) if isinstance(returned, (tuple, list))
               else [returned])
    if not in_place:
        if returned is None:
            raise ValueError(f"{call.name} returned nothing: in_place=True "
                             f"judges what it writes")
        check_count(call.name, returned, results, tensors)
        return results
    if returned is not None and all(
            np.array_equal(x, p.back(y)) for x, y in zip(before, xs)):
        for x, y in zip(before, results):
            y = p.back(y)
            if y.shape == x.shape and not np.array_equal(x, y):
                raise ValueError(
                    f"{call.name} returned other values than it left in "
                    f"{', '.join(tensors)}: in_place=False judges what it "
                    f"returns")
    return xs


def _copy(x):
    return getattr(x, "clone", getattr(x, "copy", lambda: x))()
