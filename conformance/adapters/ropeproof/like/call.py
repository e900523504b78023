"""How a function of another signature is called: which of its parameters gets
what. All of it is found out before the run."""

import copy
import inspect

TENSORS = ("q", "k", "x", "xq", "xk", "query", "key", "t", "inputs")
# Names for one thing. What is not here has one name.
ROLES = {name: role for role, names in (
    ("tensor", " ".join(TENSORS)),
    ("positions", "positions position position_ids pos_ids pos input_pos "
                  "segment_pos input_positions token_positions"),
    ("cos", "cos cos_cache"), ("sin", "sin sin_cache"),
    ("offset", "offset start_pos start_index"),
    ("table", "freqs_cis cos_sin_cache freqs"),
    ("section", "section mrope_section mrope_sections"),
    ("v", "v value values"), ("k_cache", "k_cache key_cache"),
    ("v_cache", "v_cache value_cache"), ("slots", "slot_mapping slots"),
) for name in names.split()}
BY_POSITION = (inspect.Parameter.POSITIONAL_ONLY,
               inspect.Parameter.POSITIONAL_OR_KEYWORD)
# What makes a table, or has one, wants to know how many rows.
LENGTHS = ("max_seq_len", "max_position", "max_position_embeddings",
           "max_length", "seq_len", "end")
# May be an axis, unless they must be given.
AXES = ("dim", "dims")
# Fields of a problem that a parameter may be named for, if it must be given.
FIELDS = ("operation", "dtype", "table_dtype", "pairing", "rotary_offset",
          "scaling", "hugging_face", "axis_map", "axis_sections", "inv_freq",
          "pair_bases")


class Value:
    """What a parameter gets: a constant, or a function whose parameters are
    names of a problem's fields."""

    def __init__(self, given):
        self.function = given if callable(given) else lambda: given
        self.fields = tuple(inspect.signature(self.function).parameters)

    def of(self, p):
        return self.function(*(getattr(p, field) for field in self.fields))


class Field(Value):
    def __init__(self, name):
        self.function, self.fields = lambda value: value, (name,)


# What a parameter of this name gets.
KNOWN = {name: value for names, value in (
    ("rotary_dim rotary_embedding_dim rot_dim dim dims", Field("rotary_dim")),
    ("head_dim head_size", Field("head_dim")),
    ("base theta rope_theta rope_base rotary_base base_frequency "
     "max_wavelength", Field("base")),
    ("interleaved interleave traditional rotary_interleaved",
     Value(lambda pairing: pairing == "interleaved")),
    ("conjugate inverse", Value(lambda direction: direction == -1)),
    ("use_real_unbind_dim",
     Value(lambda pairing: -1 if pairing == "interleaved" else -2)),
    ("is_neox is_neox_style neox_style",
     Value(lambda pairing: pairing == "half_split")),
) for name in names.split()}


def values_of(parameters, given, rows=None, taken=()):
    """What parameters get, by name, beside the tensors and what goes with them.
    given: what the user says they get. rows: for LENGTHS. taken: what ** need
    not take."""
    values = {}
    for name, parameter in parameters.items():
        if name in given:
            values[name] = Value(given[name])
        elif name in AXES and parameter.default is not parameter.empty:
            continue
        elif name in KNOWN:
            values[name] = KNOWN[name]
        elif name in LENGTHS and rows is not None:
            values[name] = Value(rows)
        elif name in FIELDS and parameter.default is parameter.empty:
            values[name] = Field(name)
    if any(p.kind is p.VAR_KEYWORD for p in parameters.values()):
        values.update((name, Value(value)) for name, value in given.items()
                      if name not in taken)
    return values


class Signature:
    """The parameters of a function by name. What passes on any arguments, as
    functools.wraps and torch.func.vmap make it, has those of what it wraps."""

    def __init__(self, function):
        own = inspect.signature(function, follow_wrapped=False).parameters
        kinds = [p.kind for p in own.values()]
        has_any = inspect.Parameter.VAR_POSITIONAL in kinds
        passes_on = has_any or inspect.Parameter.VAR_KEYWORD in kinds
        self.parameters = dict(inspect.signature(function).parameters
                               if passes_on else own)
        # How many arguments it takes by position.
        self._most = (len(self.parameters) if has_any
                      else sum(kind in BY_POSITION for kind in kinds))

    def without_first(self):
        """That of a method, for its object."""
        if self.parameters:
            del self.parameters[next(iter(self.parameters))]
            self._most -= 1
        return self

    def split(self, given, first=0):
        """The names of what is given: by position as far as that goes, since
        not all that is wrapped takes keywords; by keyword. The first ones go by
        position anyway. None: it cannot be called so."""
        names = list(self.parameters)
        count = first
        while (count < min(len(names), self._most) and names[count] in given
               and self.parameters[names[count]].kind in BY_POSITION):
            count += 1
        left = [name for name in given if name not in names[:count]]
        if any(name in names and self.parameters[name].kind is
               inspect.Parameter.POSITIONAL_ONLY for name in left):
            return None
        return names[first:count], left


def signature_of(function, method=None):
    """That of an object for a class; None: it does not say."""
    is_class = inspect.isclass(function)
    if method and not callable(getattr(function, method, None)):
        raise TypeError(f"method: {name_of(function)} has no {method}")
    called = function
    if not inspect.isroutine(function):
        # Modules of torch and keras have a __call__ of any arguments.
        names = [method] if method else ["call", "forward"]
        names += ["__call__"] if is_class else []
        found = [name for name in names
                 if callable(getattr(function, name, None))]
        if found:
            called = getattr(function, found[0])
            is_class = is_class and not isinstance(
                inspect.getattr_static(function, found[0]),
                (staticmethod, classmethod))
    try:
        signature = Signature(called)
    except (TypeError, ValueError):
        return None
    return signature.without_first() if is_class else signature


def name_of(function):
    function = getattr(function, "func", function)  # of a functools.partial
    return getattr(function, "__qualname__", type(function).__qualname__)


class Call:
    """A function that has one of some signatures, each a text of names.

    Its parameters are known by these names, or by others for the same thing, the
    tensors by their position where it calls them otherwise; all of them by their
    position where it has as many without a default.

    names   the signature that it has
    fields  of a problem, that what it gets beside `names` depends on
    """

    def __init__(self, function, like, signatures, given, method=None,
                 maker=None):
        self.function, self.name = function, name_of(function)
        signatures = [names.split() for names in signatures]
        taken = maker.names if maker else ()
        signature = signature_of(function, method)
        if signature is None:  # a builtin
            self.names = self._positional = signatures[0]
            self._values = {name: Value(v) for name, v in given.items()}
            self._keywords = {name: name for name in given}
        else:
            self._values = values_of(signature.parameters, given, taken=taken)
            self._match(like, signatures, signature)
        self._check(given, taken)
        self.fields = {field for value in self._values.values()
                       for field in value.fields}
        for name in set(self.names) & set(KNOWN):
            self._values.setdefault(name, KNOWN[name])

    def _check(self, given, taken):
        """TypeError if something that the user gives goes nowhere, or is a
        tensor or what goes with it."""
        for name in given:
            if name not in self._values and name not in taken:
                raise TypeError(f"arguments: {self.name} has no parameter "
                                f"{name}")
            if name in ROLES and name in {*self._positional,
                                          *self._keywords.values()}:
                raise TypeError(f"arguments: {name} of {self.name} is the "
                                f"suite's to give")

    def takes(self, name):
        """Whether it has a parameter of this name, beside the signature's."""
        return name in self._keywords.values()

    def on(self, function):
        """The same call of another function."""
        bound = copy.copy(self)
        bound.function = function
        return bound

    def __call__(self, p, given):
        """given: what it may get, by name; a signature's names are among it."""
        values = {name: value.of(p) for name, value in self._values.items()}
        values.update(given)
        first = [values[name] for name in self._positional]
        return self.function(*first, **{its: values[name] for its, name
                                        in self._keywords.items()
                                        if name in values})

    def _match(self, like, signatures, signature):
        parameters = signature.parameters
        for match in (_by_name, _by_position):
            for names in signatures:
                found = match(names, parameters, self._values)
                if found is None:
                    continue
                first, its_names = found
                left = [its for its, p in parameters.items()
                        if p.kind is p.KEYWORD_ONLY
                        or its in list(parameters)[len(first):]]
                word = {its: its_names.get(its, its)
                        for its in [*left, *set(self._values) - set(parameters)]}
                given = [its for its in word
                         if word[its] in {*names, *self._values}]
                split = signature.split(given, len(first))
                if split is None:
                    continue
                self.names = names
                self._positional = [*first, *map(word.get, split[0])]
                self._keywords = {its: name for its, name in word.items()
                                  if its not in split[0]}
                return
        wants = " or ".join(f"({', '.join(names)})" for names in signatures)
        has = ", ".join(map(str, parameters.values()))
        raise TypeError(f"like={like!r} calls {self.name}{wants}; "
                        f"it takes ({has})")


def _by_name(names, parameters, values):
    """Those of the names that go by position, and which others have another name
    there; None: it cannot be called so."""
    tensors = [name for name in names if name in TENSORS]
    its_names = {}
    for name in names:
        alike = [its for its in parameters if its == name] or [
            its for its in parameters if name not in TENSORS
            and ROLES.get(its, its) == ROLES.get(name, name)]
        if len(alike) == 1:
            its_names[alike[0]] = name
    if set(tensors) <= set(its_names):
        tensors = []
    first = list(parameters)[:len(tensors)]
    found = set(tensors) | set(its_names.values())
    covered = {*first, *its_names, *values}
    fits = (set(names) - set(KNOWN) <= found and len(first) == len(tensors)
            and not set(first) & {*its_names, *values}
            and set(_required(parameters)) <= covered)
    return (tensors, its_names) if fits else None


def _by_position(names, parameters, values):
    kinds = [p.kind for p in parameters.values()]
    required = _required(parameters)
    unknown = [name for name in required if name not in values]
    if inspect.Parameter.VAR_POSITIONAL in kinds:
        before = [its for its in required if parameters[its].kind in BY_POSITION]
        has_others = (set(required) - set(before) - set(values)
                      or any(its in values or not _may_be(its, name)
                             for its, name in zip(before, names)))
        return None if has_others else (names, {})
    # As many as the function must have; a word that is known stands for itself.
    head, tail = names[:len(required)], names[len(required):]
    if (len(head) == len(required) and set(tail) <= set(KNOWN) and unknown
            and all(name in KNOWN or its in unknown and _may_be(its, name)
                    for name, its in zip(head, required))
            and inspect.Parameter.KEYWORD_ONLY not in
            [parameters[name].kind for name in required]):
        return head, {}
    wanted = [name for name in names if name not in KNOWN]
    is_first = unknown == list(parameters)[:len(unknown)]
    if (is_first and len(unknown) == len(wanted)
            and all(map(_may_be, unknown, wanted))):
        return wanted, {}
    return None


def _may_be(its, name):
    """Whether a parameter can be what a signature has in its place."""
    return its not in ROLES or ROLES[its] == ROLES.get(name)


def _required(parameters):
    return [name for name, p in parameters.items()
            if p.default is p.empty
            and p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD)]
