"""Functions of other signatures as kernels: like="hf", "vllm" and so on.

forms.py has what each form is, README.md beside the package a table of them.
"""

import functools
import importlib.metadata
import inspect
import re

from ropeproof import backends, decorator
from ropeproof.like import forms, other_tables
from ropeproof.like.call import Call, name_of
from ropeproof.like.library import library_of
from ropeproof.like.maker import (Maker, beside, configuration_of,
                                  own_fields)
from ropeproof.like.paged import paged

ROWS = 131072  # of what makes a table, unless max_position says less
ELEMENTS = 2**27  # of such a table; in f32 cos and sin are a gigabyte then
BASE = 10000.0  # of what takes none
TABLES = {"cos", "cos_cache", *other_tables.ONE}  # among the arguments
INT32_POSITIONS = ("jax", "mlx")
CHOICES = dict(tensor_format=("sbhd", "bshd", "thd"),
               doubled=(None, "halves", "pairs"), in_place=(False, True),
               packed=(False, True))

ROTATE = dict(operations=["rotate"], angle_class="A0", rounding="each")
ROPE = dict(operations=["rope"], angle_class="A1", rounding="each")
F32_TABLE = dict(table_dtype="f32", rounding="once")
META = {**ROTATE, **F32_TABLE, "pairings": ["interleaved"]}
LOOKUP = dict(operations=["lookup"], angle_class="A0", rounding="each",
              features=["keys", "partial"])
IN_VLLM = {**LOOKUP, "caches": ["side_by_side"]}
IN_ONNX = {**LOOKUP, "caches": ["split"]}
RAGGED = {**ROPE, **F32_TABLE, "features": ["keys", "partial"],
          "max_position": 2**31 - 1}
ANGLES = {**ROPE, "features": ["keys", "partial", "inv_freq",
                               "negative_positions"]}


class Form:
    """solve of forms.py, and the signatures that it calls, each with what is
    declared for it. The rest are its options and what they are by themselves.
    pieces: "row" and "runs" where it has one row of positions, or an offset, for
    the batch."""

    def __init__(self, solve, signatures, heads_first=False, pieces=None,
                 **options):
        self.solve, self.signatures, self.pieces = solve, signatures, pieces
        self.heads_first, self.options = heads_first, options


FORMS = {
    "hf": Form(
        forms.hf, {"q k cos sin": ROTATE, "x cos sin": ROTATE},
        heads_first=True, in_place=False, doubled=None, precompute=None),
    "hf_module": Form(
        forms.hf, {"q k cos sin": ROPE, "x cos sin": ROPE},
        heads_first=True, in_place=False, apply=None, config_class=None),
    "meta": Form(
        forms.meta, {"xq xk freqs_cis": META, "x freqs_cis": META},
        pieces="row", in_place=False, precompute=None),
    "vllm": Form(
        forms.vllm, {
            "positions query key head_size cos_sin_cache is_neox": IN_VLLM,
            "positions query key": ROPE},
        in_place=True),
    "flashinfer": Form(
        forms.flashinfer, {
            "positions query key head_size cos_sin_cache is_neox":
                {**IN_VLLM, **F32_TABLE},
            "q k pos_ids": RAGGED, "q k indptr offsets": RAGGED},
        in_place=False),
    "onnx": Form(
        forms.onnx, {"x position_ids cos_cache sin_cache": IN_ONNX},
        heads_first=True, in_place=False),
    "offset": Form(
        forms.offset, {"x offset": ROPE, "q k offset": ROPE},
        heads_first=True, pieces="runs", in_place=False),
    "positions": Form(
        forms.positions, {"x positions": ROPE, "q k positions": ROPE},
        in_place=False),
    "flash_attn": Form(
        forms.flash_attn, {"x cos sin": {
            **ROTATE, "rounding": "once", "features": ["keys", "partial"]}},
        pieces="row", in_place=False, packed=False),
    "mrope": Form(
        forms.mrope, {"q k cos sin section": ROTATE},
        heads_first=True, in_place=False, doubled="halves"),
    "diffusers": Form(
        forms.diffusers, {"x freqs_cis": META},
        heads_first=True, pieces="row", in_place=False, doubled=None),
    "flux": Form(
        forms.flux, {"xq xk freqs_cis": META},
        heads_first=True, in_place=False),
    "cache_flat": Form(
        forms.cache_flat, {"positions q k cos_sin_cache": IN_VLLM},
        in_place=False),
    "paged": Form(
        paged, {"positions q k v cos_sin_cache k_cache v_cache slot_mapping":
                IN_VLLM},
        in_place=False, block_size=None),
    "tokamax": Form(
        forms.cache_flat, {"x positions cos_sin_cache": {
            **IN_VLLM, **F32_TABLE, "pairings": ["interleaved"],
            "features": ["keys", "partial", "window_offset"],
            "supports": lambda p: p.rotary_offset + p.rotary_dim == p.head_dim}},
        in_place=False),
    "te": Form(
        forms.te, {"t freqs": ANGLES},
        pieces="row", in_place=False, doubled=None, tensor_format="sbhd"),
}


def kernel_of(function, like="plain", **declaration):
    """The kernel of a function that has the signature of a form.

    declaration has the keywords of ropeproof.kernel. All are optional but for
    "plain": the form knows operations, pairings, features and a claim, the name
    and the version are the function's. Beside them:

    arguments  a dict from parameters to what they get: constants, or functions
               whose parameters are names of a Problem's fields. Parameters of
               the names that call.py lists (base, theta, dim, interleaved,
               is_neox ...) get what these say without it
    method     of a class: what is called, unless its objects are. One object is
               made for each set of its arguments
    base       what the function takes for the base if no parameter has it:
               10000. Problems of other bases, and scalings, are declined
    in_place   whether what the function writes into q and k is judged, or what
               it returns
    and the options of the form, which forms.py describes.

    ValueError or TypeError, in a line that names function and argument, for what
    cannot be: an unknown form, a function of another signature, arrays or a
    device that are not here.
    """
    if like == "plain":
        return decorator.kernel_of(function, **declaration)
    if like not in FORMS:
        raise ValueError(f"like={like!r}: known are {', '.join(FORMS)}, plain")
    if not callable(function):
        raise TypeError(f"like={like!r} wants a function, not {function!r}")
    form = FORMS[like]
    declaration = {name: value for name, value in declaration.items()
                   if value is not None}
    options = {name: declaration.pop(name, value)
               for name, value in form.options.items()}
    for name, value in options.items():
        if name in CHOICES and value not in CHOICES[name]:
            raise ValueError(f"{name}={value!r}: known are "
                             f"{', '.join(map(repr, CHOICES[name]))}")
    given, method, base = (declaration.pop(name, value) for name, value in (
        ("arguments", {}), ("method", None), ("base", BASE)))
    if method and not inspect.isclass(function):
        raise TypeError(f"method={method!r} is of classes; {function!r} is none")
    declared = {**_identity(function), "features": ["keys"],
                "pairings": ["half_split"], "heads_first": form.heads_first,
                "arrays": _arrays_of(function, declaration)}
    call, maker, solve = _parts(function, like, form, options, given, method,
                                declaration)
    declared.update(form.signatures[" ".join(call.names)])
    fields = call.fields | (maker.fields if maker else set())

    if options.get("precompute"):
        declared.update(operations=["rope"], angle_class="A1")
    is_rope = declared["operations"] == ["rope"]
    if is_rope and maker and maker.has_rows:
        declared["max_position"] = ROWS - 1
    elif is_rope and declared["arrays"] in INT32_POSITIONS:
        declared["max_position"] = 2**31 - 1
    if "pairing" in fields:
        declared["pairings"] = ["half_split", "interleaved"]
    if "direction" in fields:
        declared["features"] = [*declared["features"], "adjoint"]
    if declared["arrays"] == "numpy":
        declared["dtypes"] = ["f32", "f16"]  # its bf16 are bit patterns
    if declared["arrays"] == "jax" and hasattr(function, "lower"):
        declared["few_shapes"] = True  # jax.jit: compiled for each shape
    _merge_claims(declared, declaration)
    supports = [takes for takes in (declared.get("supports"),
                                    declaration.pop("supports", None)) if takes]
    declared.update(declaration)
    own = own_fields(function) if is_rope and not maker else {}
    if is_rope and like != "te" and not fields & {"base", "hugging_face"}:
        own.setdefault("base", base)
    declared.update(_asked_of(own))
    if own:
        supports.append(lambda p: not p.scaling and all(
            getattr(p, name) == value for name, value in own.items()))
    if is_rope and maker and maker.has_rows:
        widest = ELEMENTS // (declared["max_position"] + 1)
        supports.append(lambda p: p.rotary_dim <= widest)
    if supports:
        declared["supports"] = lambda p: all(takes(p) for takes in supports)
    kernel = decorator.kernel_of(
        maker.subject(solve) if maker else lambda p: solve(None, p), **declared)
    kernel.has_pieces = True
    if set(call.names) & TABLES:
        kernel.refuse = functools.partial(
            other_tables.refuse, kernel, options, call, like)
    kernel.in_place = options["in_place"]
    kernel.pieces = form.pieces
    if call.takes("seqlen_offsets"):  # of each row
        kernel.pieces = None
    kernel.takes_any_head |= "head_dim" in declared
    kernel.files = decorator.files_of(function)
    return kernel


def _parts(function, like, form, options, given, method, declaration):
    """The call, what makes the object that it needs, if it needs one, and the
    function of this object and a problem that solves the problem."""
    device = declaration.get("device", "cpu")
    rows = declaration.get("max_position", ROWS - 1) + 1
    maker, table = None, None
    if like == "hf_module":
        module, function = function, options["apply"] or beside(function)
        if inspect.isclass(module):
            maker = Maker(module, {**given, **configuration_of(
                module, options["config_class"])}, device=device)

        def table(made, p):
            return forms.of_module(module if made is None else made, p)
    elif options.get("precompute"):
        maker = Maker(options["precompute"], given, rows, device)
        table = forms.of_rows
    elif inspect.isclass(function):
        maker = Maker(function, given, rows, device)
    call = Call(function, like, form.signatures, given, method, maker)

    def solve(made, p):
        if table:
            return form.solve(call, dict(options, table=table(made, p)), p)
        if maker:
            bound = call.on(getattr(made, method) if method else made)
            return form.solve(bound, options, p)
        return form.solve(call, options, p)
    return call, maker, solve


def _asked_of(own):
    """The head and the base that an object was made for, for the description:
    problems are formed for them."""
    asked = {word: float(own[word]) for word in ("base",) if word in own}
    rotary = own.get("rotary_dim", own.get("head_dim"))
    head = own.get("head_dim", rotary)
    if rotary is not None and rotary % 2 == 0 and 2 <= rotary <= head:
        asked.update(head_dim=int(head), rotary_dim=int(rotary))
    return asked


def _arrays_of(function, declaration):
    backend = declaration.get("backend")
    return declaration.get("arrays") or (
        backends.use(backend).backend.arrays if backend else library_of(function))


def _identity(function):
    """Name and version, as far as they can be known, and the dtypes."""
    function = getattr(function, "func", function)  # of a functools.partial
    home = getattr(function, "__module__", None) or type(function).__module__
    try:
        version = importlib.metadata.version(home.partition(".")[0])
    except importlib.metadata.PackageNotFoundError:
        version = "0"
    return dict(name=re.sub(r"[^A-Za-z0-9._/-]+", "-", f"{home}.{name_of(function)}")[:100],
                version=version, dtypes=["f32", "f16", "bf16"])


def _merge_claims(declared, declaration):
    """The form's claim has the words that the user's lacks; of claims by dtype
    the type of the table alone, which is part of the signature."""
    if "claims" not in declaration:
        return
    words = {name: declared.pop(name) for name in decorator.CLAIM
             if name in declared}
    table = {"table_dtype": words["table_dtype"]} if "table_dtype" in words else {}
    claims = declaration["claims"]
    if isinstance(claims, dict):
        declaration["claims"] = {dtype: {**table, **claim}
                                 for dtype, claim in claims.items()}
    elif claims is not None:
        declaration["claims"] = [{**table, **claim} for claim in claims]
