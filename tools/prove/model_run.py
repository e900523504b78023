"""Runs a model of transformers without its weights, and records the calls that turn its heads."""

import contextlib
import importlib.util
import inspect
import math
import re
import sys

import torch
import transformers
from transformers import PreTrainedModel
from transformers.models.auto.modeling_auto import MODEL_MAPPING_NAMES

TOKENS = 11  # no model has 11 heads by default
ATTENDS = "Attention|Attn|Indexer|Compressor"  # in the names of classes that do


# The model, without its weights ------------------------------------------------------------------


@contextlib.contextmanager
def replaced(holder, **values):
    before = {name: inspect.getattr_static(holder, name) for name in values}
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
        inits = [n for n in vars(torch.nn.init) if n.endswith("_") and not n.startswith("_")]
        stack.enter_context(replaced(torch.nn.init, **{n: lambda x, *a, **k: x for n in inits}))
        yield


class Noise(torch.Tensor):
    """A tensor that also unpacks, for `hidden, _ = self.mlp(x)`."""

    __torch_function__ = torch._C._disabled_torch_function_impl

    def __iter__(self):
        return iter((self.as_subclass(torch.Tensor), self.as_subclass(torch.Tensor)))


def noise(*shape):
    """Noise where a query may come of it; images of layers of convolutions are large."""
    return torch.randn(shape) if math.prod(shape) <= 1 << 22 else torch.zeros(shape)


def convolved(module, x):
    spatial = x.dim() - len(module.kernel_size)
    pads = module.padding if isinstance(module.padding, tuple) else (0,) * len(module.kernel_size)
    sizes = [(n + 2 * p - d * (k - 1) - 1) // s + 1 for n, p, d, k, s in zip(
        x.shape[spatial:], pads, module.dilation, module.kernel_size, module.stride)]
    return noise(*x.shape[: spatial - 1], module.out_channels, *sizes)


def make_silent(model):
    """Layers with weights give noise, norms with weights what they get, and so does what mixes the
    channels of a token and holds no attention."""
    for module in model.modules():
        kind = type(module).__name__
        for held in (module._parameters, module._buffers):
            for name, x in held.items():
                if x is not None and x.is_meta:  # a number, repeated: it takes no memory
                    held[name] = torch.full((), 0.5, dtype=x.dtype).expand(x.shape)
        if hasattr(module, "create_weight"):  # of sinusoids, which no checkpoint holds
            module.weight.data = module.create_weight()
        if isinstance(module, torch.nn.Linear):
            module.forward = lambda x, *a, _n=module.out_features, **k: noise(*x.shape[:-1], _n)
        elif type(module).forward is torch.nn.Embedding.forward:
            module.forward = lambda x, *a, _n=module.embedding_dim, **k: noise(*x.shape, _n)
        elif isinstance(module, (torch.nn.Conv1d, torch.nn.Conv2d, torch.nn.Conv3d)):
            module.forward = lambda x, *a, _m=module, **k: convolved(_m, x)
        elif "Norm" in kind and any(True for _ in module.parameters()):
            several = "tuple" in str(inspect.signature(module.forward).return_annotation)
            module.forward = lambda *a, _n=several, **k: (a if _n else [*a, *k.values()][0])
        elif re.search("MLP|Mlp|M[Oo][Ee]|Experts|FeedForward|FFN", kind) and not any(
                re.search(f"{ATTENDS}|Rotary", type(m).__name__) for m in module.modules()):
            module.forward = lambda *a, **k: [*a, *k.values()][0].as_subclass(Noise)


# What happens while it runs ----------------------------------------------------------------------


# Of ViTs whose rotary modules are given an image: gives a row per token.
COORDINATES = "get_patches_center_coordinates"


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

    def applying_method(self, function):
        def call(module, *args, **keys):
            return self.applying(function.__get__(module))(*args, **keys)

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
        modeling = sys.modules[type(self.model).__module__]
        before, self.applied = self.applied, []
        own = {n: lambda *a, **k: positions for n in (COORDINATES,) if hasattr(modeling, n)}
        self.moved = None if own else positions
        try:
            with torch.no_grad(), recording(self.model, self), replaced(modeling, **own):
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
            if re.search(f"{ATTENDS}|Layer$|Block$", kind):
                module.register_forward_pre_hook(lambda m, a, _n=name: self.enter(_n))
                module.register_forward_hook(
                    lambda m, a, r: self.path.pop() and None, always_call=True)
            elif re.search("Rotary|R[Oo]PE|Rope", kind):
                module.forward = self.turning(module)


# Names of the functions and methods that turn heads.
APPLIES = r"\b_?apply_\w*(rotary|rope)"


@contextlib.contextmanager
def recording(model, record):
    """While a model runs: the functions of its modules, and of those that it is made of."""
    with contextlib.ExitStack() as stack:
        names = {type(m).__module__ for m in model.modules()}
        for modeling in [sys.modules[n] for n in names if n.startswith("transformers.")]:
            for name, value in list(vars(modeling).items()):
                if not inspect.isfunction(value):
                    continue
                if re.search(APPLIES, name):
                    stack.enter_context(replaced(modeling, **{name: record.applying(value)}))
                if name == "eager_attention_forward":
                    stack.enter_context(replaced(modeling, **{name: record.attending(value)}))
        for kind in {type(m) for m in model.modules()}:
            for name, value in list(vars(kind).items()):
                if re.search(APPLIES, name) and isinstance(value, staticmethod):
                    value = staticmethod(record.applying(value.__func__))
                elif re.search(APPLIES, name) and inspect.isfunction(value):
                    value = record.applying_method(value)
                else:
                    continue
                stack.enter_context(replaced(kind, **{name: value}))
        yield


class NoModel(Exception):
    """No class is the model of this configuration."""


def borrowed(config_class):
    """The model class of another type that transformers gives this one, or None."""
    name = MODEL_MAPPING_NAMES.get(config_class.model_type)
    return getattr(transformers, name, None) if isinstance(name, str) else None


def model_class(config_class):
    module = config_class.__module__.replace(".configuration_", ".modeling_")
    if importlib.util.find_spec(module) is None and (model := borrowed(config_class)):
        return sys.modules[model.__module__], [model]
    modeling = importlib.import_module(module)
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
        "encoder_hidden_states": noise(1, TOKENS, width(model.config)),
        "cross_attention_states": noise(1, TOKENS, width(model.config)),
        "input_features": noise(1, 64, getattr(model.config, "num_mel_bins", 80)),
        "pixel_values_videos": noise(1, 2, 3, *size), "merge_sizes": torch.tensor([1]),
        "pixel_position_ids": torch.cartesian_prod(torch.arange(12), torch.arange(12))[None],
    }
    code = inspect.getsource(type(model).forward)
    if "self.embed_tokens(" in code and not hasattr(model, "embed_tokens"):
        del known["input_ids"]  # which a part that has no embedding does not take
    elif "input_ids" in names:
        for name in ("inputs_embeds", "pixel_values", "image_grid_thw", "input_features",
                     "pixel_values_videos"):
            del known[name]
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
    record.model, record.error = None, NoModel("no model class")
    for kind in kinds[:4]:
        record, model = Record(), None
        try:
            with light_modules():
                model = kind(config).eval()
            with torch.no_grad(), recording(model, record):
                make_silent(model)
                for module in model.modules():
                    if "PatchEmbed" in type(module).__name__ or any(
                            isinstance(m, torch.nn.Conv3d) for m in module.children()):
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
