"""Functions that come from something: the object of a class, the function beside
a table that another one makes."""

import inspect
import sys
import types

import numpy as np

from ropeproof.arguments import plain
from ropeproof.like.call import LENGTHS, Signature, name_of, values_of


class Maker:
    """What makes an object from the fields of a problem: a class, or a function
    as precompute_freqs_cis is.

    fields   of a problem, that what it gets depends on
    names    of the parameters that get something
    has_rows whether it wants to know how many positions there are
    """

    def __init__(self, function, given, rows=None, device="cpu"):
        self._function, self._device = function, device
        # What flax.nnx makes classes with takes any arguments.
        takes_any = (inspect.isclass(function)
                     and type(function).__call__ is not type.__call__)
        signature = (Signature(function.__init__).without_first() if takes_any
                     else Signature(function))
        parameters = signature.parameters
        self._values = values_of(parameters, given, rows)
        self._split = signature.split(self._values)
        missing = [name for name, p in parameters.items()
                   if p.default is p.empty
                   and (self._split is None or name not in self._values)
                   and p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD)]
        if missing:
            raise TypeError(
                f"{name_of(function)} needs {', '.join(missing)}: say what it "
                f"gets, by arguments={{'{missing[0]}': ...}}")
        self.fields = {field for value in self._values.values()
                       for field in value.fields}
        self.names = set(self._values)
        self.has_rows = bool(set(self._values) & set(LENGTHS) - set(given))

    def subject(self, solve):
        """A class whose objects solve problems by solve(made, problem). It has
        one for each set of the fields."""
        function, values, device = self._function, self._values, self._device
        by_position, by_name = self._split

        class Subject:
            def __init__(self, **fields):
                p = types.SimpleNamespace(**fields)
                given = {name: value.of(p) for name, value in values.items()}
                self._made = _there(device, function(
                    *[given[name] for name in by_position],
                    **{name: given[name] for name in by_name}))

            def __call__(self, p):
                return solve(self._made, p)
        Subject.__signature__ = inspect.Signature(
            [inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY)
             for name in sorted(self.fields)])
        return Subject


def configuration_of(function, config_class):
    """The first parameter of what makes a module, and the object of a class of
    configurations that it gets: config_class, or that of its annotation, or one
    that has the fields and no class."""
    parameters = list(inspect.signature(function).parameters.values())
    if not parameters:
        raise TypeError(f"like='hf_module' calls {name_of(function)}(config), "
                        f"and it takes nothing")
    annotation = parameters[0].annotation
    if isinstance(annotation, str):
        annotation = vars(inspect.getmodule(function)).get(annotation)
    if config_class is None:
        config_class = (annotation if inspect.isclass(annotation)
                        and annotation is not inspect.Parameter.empty
                        else types.SimpleNamespace)
    return {parameters[0].name:
            lambda hugging_face: config_class(**hugging_face)}


def beside(function, name="apply_rotary_pos_emb"):
    """The function of this name in the file of another one."""
    home = vars(sys.modules[function.__module__])
    if name not in home:
        raise TypeError(f"like='hf_module': no {name} beside "
                        f"{name_of(function)}: say by apply= what rotates")
    return home[name]


# What objects call what they were made for; and their frequencies, which say it, too.
OWN = {"rotary_dim": ("rotary_dim", "dim", "dims", "rot_dim"),
       "head_dim": ("head_dim", "head_size"),
       "base": ("base", "theta", "rope_theta")}
FREQUENCIES = ("inv_freq", "freqs")


def own_fields(made):
    """Of an object, a module as it is, or of its method: the head and the base
    that it was made for, as far as it says so."""
    made = made.__self__ if inspect.ismethod(made) else made
    if inspect.isclass(made) or inspect.isroutine(made):
        return {}
    found = {}
    for field, names in OWN.items():
        values = [getattr(made, name, None) for name in names]
        numbers = [value for value in values
                   if isinstance(value, (int, float)) and value > 0]
        if numbers:
            found[field] = numbers[0]
    return {**_of_frequencies(made), **found}


def _of_frequencies(made):
    """rotary_dim and base by base^(-j/pairs), where an object has such numbers."""
    for name in FREQUENCIES:
        try:
            theta = np.asarray(plain(getattr(made, name)), np.float64)
        except Exception:  # none, or no array
            continue
        if theta.ndim != 1 or theta.size < 2 or not (theta > 0).all():
            continue
        j = np.arange(theta.size) / theta.size
        base = float(f"{theta[-1] ** (-1 / j[-1]):.5g}")
        if not np.allclose(theta, base ** -j, rtol=1e-4):
            raise TypeError(f"{name} of {name_of(made)} are no powers of a base, as "
                            f"with a scaling: judge its class")
        return {"rotary_dim": 2 * theta.size, "base": base}
    return {}


def _there(device, made):
    """A module or tensors on a device of torch."""
    if device == "cpu":
        return made
    if isinstance(made, (tuple, list)):
        return [_there(device, part) for part in made]
    return made.to(device) if hasattr(made, "to") else made
