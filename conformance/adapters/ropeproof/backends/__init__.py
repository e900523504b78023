"""Where the kernels of a device run on a processor: what stands in for it, what a
verdict then covers, and what it cannot see. BACKENDS.md has the page."""

import contextlib
import dataclasses
import importlib
import importlib.metadata
import os
import sys

from ropeproof.arrays import word_of
from ropeproof.errors import Error

MOST_HEADS = 32  # of q and k, that most_tokens is meant for; of more, fewer tokens


@dataclasses.dataclass(frozen=True)
class Backend:
    """A stand-in for a device, one row of BACKENDS.

    name         of backend=
    package      that runs the kernels; its version is the report's
    home         the module with is_so(), whether the imported package runs
                 kernels so, and prepare(), which makes what launch code wants
                 and gives dtypes that the package gets wrong, with the reason;
                 its version(), where it has one, is the driver's
    set_before   environment variables, before the import of the package
    arrays       whose the kernel's are
    few_shapes   whether it compiles anew for each shape
    most_tokens  batch * seq of a problem of most_heads heads; larger ones are
                 declined
    shows        what a verdict covers
    hides        what it says nothing about
    libraries    packages whose lines an error does not name
    last_position  beyond it, its sine is wrong: positions are declined; 0: none
    """
    name: str
    package: str
    home: str
    set_before: dict
    arrays: str
    few_shapes: bool
    most_tokens: int
    shows: str
    hides: str
    libraries: tuple
    last_position: int = 0
    most_heads: int = MOST_HEADS


BACKENDS = {backend.name: backend for backend in (
    Backend(
        name="triton-interpret", package="triton", home="triton_interpret",
        set_before={"TRITON_INTERPRET": "1"}, arrays="torch", few_shapes=False,
        most_tokens=64, shows="logic, indices, masks, races between programs and the "
                              "order of roundings",
        hides="code generation, special-function units, contraction, autotuned "
              "configurations but the first",
        libraries=("triton", "torch", "numpy"), most_heads=2),
    Backend(
        name="pallas-interpret", package="jax", home="pallas_interpret",
        set_before={"JAX_PLATFORMS": "cpu"}, arrays="jax", few_shapes=True,
        most_tokens=64, shows="logic, indices, blocks and the order of roundings",
        hides="code generation, special-function units, contraction, tiling "
              "limits of the device",
        libraries=("jax", "jaxlib", "numpy")),
    Backend(
        name="lavapipe", package="wgpu", home="lavapipe", set_before={},
        arrays="numpy", few_shapes=False, most_tokens=64,
        shows="logic, indices, barriers and the order of roundings",
        hides="code generation, special-function units, contraction, the order of "
              "memory, limits of shared memory, indices beyond a buffer, which wgpu "
              "clamps",
        libraries=("wgpu", "numpy"), last_position=2**23 - 1),
    Backend(
        name="pocl", package="pyopencl", home="pocl", set_before={},
        arrays="numpy", few_shapes=False, most_tokens=64,
        shows="logic, indices, barriers, writes beyond a buffer and the order of roundings",
        hides="code generation, special-function units, contraction, the order of "
              "memory, limits of local memory",
        libraries=("pyopencl", "numpy")))}


@dataclasses.dataclass(frozen=True)
class InUse:
    """A backend that is ready in this process."""
    backend: Backend
    version: str
    declined: dict  # dtypes that it gets wrong: reasons
    folders: tuple

    def declared(self, most_tokens):
        """The field `backend` of a description."""
        row = self.backend
        left_out = [f"calls of more than {most_tokens} tokens of {row.most_heads} heads"
                    ] * bool(most_tokens)
        left_out += [f"positions beyond {row.last_position}, where its sine is wrong"
                     ] * bool(row.last_position)
        left_out += [f"{dtype}: {why}" for dtype, why in self.declined.items()]
        return dict(name=row.name, version=self.version, shows=row.shows,
                    hides=row.hides, left_out=left_out)

    def check(self, arrays):
        """ValueError for arrays of a dtype that it gets wrong."""
        for array in arrays:
            word = word_of(getattr(array, "dtype", None))
            if word in self.declined:
                raise ValueError(f"backend={self.backend.name!r}: {word}: "
                                 f"{self.declined[word]}")

    def __str__(self):
        return (f"on {self.backend.name} {self.version}: {self.backend.shows}; "
                f"not {self.backend.hides}")


_in_use = {}


def use(name):
    """Readies a backend in this process, before what it runs is imported:

        ropeproof.backend("triton-interpret")
        from liger_kernel.ops.rope import LigerRopeFunction

    An environment variable that has to be there is set, device contexts that
    are missing do nothing, autotuned kernels take their first configuration. A
    second time it is there already. ValueError, in a line, for a backend that is
    unknown or not installed, or whose package was imported the other way.
    """
    if name == "cuda-as-cpp":
        raise Error(f"backend={name!r} is of libraries: python3 -m "
                    f"ropeproof.backends.cuda_as_cpp makes one of a .cu file")
    if name not in BACKENDS:
        raise Error(f"backend={name!r}: known are {', '.join(BACKENDS)}")
    if name in _in_use:
        return _in_use[name]
    row = BACKENDS[name]
    try:
        version = importlib.metadata.version(row.package)
    except importlib.metadata.PackageNotFoundError:
        raise Error(f"backend={name!r}: {row.package} is not installed; "
                    f"pip install {row.package}") from None
    was_there = row.package in sys.modules
    if not was_there:
        os.environ.update(row.set_before)
    with _one_line(name, version):
        home = importlib.import_module(f"ropeproof.backends.{row.home}")
    if not home.is_so():
        words = " ".join(f"{key}={value}" for key, value in row.set_before.items())
        raise Error(
            f"backend={name!r}: {row.package} was imported before without {words}; "
            f"set it, or call ropeproof.backend({name!r}) before that import")
    with _one_line(name, version):
        declined = home.prepare()
        version = getattr(home, "version", lambda: version)()
    folders = tuple(
        os.path.join(os.path.dirname(sys.modules[library].__file__), "")
        for library in row.libraries if library in sys.modules)
    _in_use[name] = InUse(row, version, declined, folders)
    return _in_use[name]


@contextlib.contextmanager
def _one_line(name, version):
    """Whatever a driver, or a release of the package that lacks what is used of it,
    raises here, as an Error."""
    try:
        yield
    except ImportError as error:
        raise Error(f"backend={name!r}: {error}") from None
    except Exception as error:
        words = str(error).splitlines() or [""]
        raise Error(f"backend={name!r}: {BACKENDS[name].package} {version} cannot be used "
                    f"so: {type(error).__name__}: {words[0]}") from error
