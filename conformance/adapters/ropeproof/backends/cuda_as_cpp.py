"""CUDA sources as C++, without nvcc: two things that C++ cannot say are written
otherwise, the rest is ropeproof_cuda.h.

    python3 -m ropeproof.backends.cuda_as_cpp my_rope.cu -o my_rope.so
    ropeproof run --lib ./my_rope.so
"""

import argparse
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

from ropeproof.errors import Error

HERE = pathlib.Path(__file__).resolve()
# Of the package, and of a checkout.
FOLDERS = [folder for folder in (
    HERE.parents[1] / "include", HERE.parents[3] / "include") if folder.is_dir()]
# What CUDA's own headers are here.
HEADERS = ("cuda_runtime.h", "cuda_runtime_api.h", "cuda_fp16.h", "cuda_bf16.h",
           "cuda.h", "device_launch_parameters.h", "hip/hip_runtime.h",
           "hip/hip_fp16.h", "hip/hip_bf16.h")
# Vector loads read arrays as other types, which nvcc takes.
FLAGS = ("-std=c++20", "-O2", "-ffp-contract=off", "-fno-strict-aliasing", "-fPIC",
         "-shared", "-w", "-U_FORTIFY_SOURCE")
# The compiler's calls at each access, without what ThreadSanitizer does there.
RACES = ("-fsanitize=thread", "-nodefaultlibs", "-lstdc++", "-lm", "-lgcc_s", "-lgcc", "-lc")

HIP = re.compile(r"\bhip(?=[A-Z])")  # whose names are CUDA's
LAUNCH = re.compile(r"<<<(.*?)>>>\s*\(", re.S)
NAME = re.compile(r"[\w:]+\s*$")
COMMENT = re.compile(r"""//[^\n]*|/\*.*?\*/|("(?:\\.|[^"\\\n])*")""", re.S)
BY_ADDRESS = re.compile(r"\bcudaLaunchKernel\s*\([^,;]*")  # whose type would be lost
SHARED = re.compile(r"(extern\s+)?__shared__\s+([^;{}()=]*(?:\([^()]*\)[^;{}()=]*)?);")


def translated(text, file):
    """CUDA as C++ of ropeproof_cuda.h, line by line: kernel<<<grid, block>>>(x)
    is a call of ropeproof_cuda::launch, a shared array is NaNs for each block."""
    text = HIP.sub("cuda", text)
    text = COMMENT.sub(lambda found: found[1] or re.sub(r"[^\n]", " ", found[0]), text)
    while match := LAUNCH.search(text):
        start = _start_of_kernel(text[:match.start()].rstrip())
        end = _closing(text, match.end() - 1)
        if start is None or end is None:
            line = text.count("\n", 0, match.start()) + 1
            raise Error(f"{file}:{line}: a launch that cannot be read: expected "
                        f"kernel<<<grid, block>>>(arguments)")
        text = (text[:start] +
                f"::ropeproof_cuda::launch(::ropeproof_cuda::Launch({match[1]}), [&] {{ "
                f"{text[start:match.start()]}({text[match.end():end]}); }})"
                + text[end + 1:])
    text = BY_ADDRESS.sub(lambda found: found[0].replace("(void*)", ""), text)
    return SHARED.sub(_shared, text)


def _start_of_kernel(text):
    """Where the name begins with which a text ends, or name<arguments>."""
    at, depth, within = len(text), 0, 0
    while at > 0 and text.endswith(">"):
        at -= 1
        within += (text[at] == ")") - (text[at] == "(")
        if within == 0:
            depth += (text[at] == ">") - (text[at] == "<")
        if depth == 0:
            break
    name = NAME.search(text[:at])
    return name and name.start()


def _closing(text, opening):
    """Where the parenthesis at `opening` closes."""
    depth = 0
    for at in range(opening, len(text)):
        depth += (text[at] == "(") - (text[at] == ")")
        if depth == 0:
            return at
    return None


def _shared(match):
    is_dynamic, declared = match[1], match[2]
    names = re.findall(r"(\w+)\s*(?:\[[^\]]*\]\s*)*(?:,|$)", declared)
    if is_dynamic:
        kind, name = re.fullmatch(r"(.*?)(\w+)\s*\[\s*\]\s*", declared, re.S).groups()
        kind = re.sub(r"__align__\s*\([^)]*\)", "", kind)
        return f"{kind}* {name} = ::ropeproof_cuda::dynamic_shared<{kind}>();"
    size = " + ".join(f"sizeof {name}" for name in names)
    return (f"static thread_local {declared}; static_assert({size} <= "
            f"::ropeproof_cuda::kMostStatic, \"shared arrays beyond 48 KiB\"); ") + " ".join(
        f"::ropeproof_cuda::Machine::here().share(&{name}, sizeof {name});" for name in names)


def build(sources, output, include=(), flags=(), without=(), compiler=None, races=False):
    """Compiles CUDA files to a shared library. What they include of .cuh and .cu
    files is found in `include`, translated, too; headers of the names `without` are
    empty. races: whether each access is held against those of other threads. Error, with the compiler's first line, where it cannot be."""
    compiler = compiler or shutil.which(os.environ.get("CXX", "c++"))
    if compiler is None:
        raise Error("backend='cuda-as-cpp' needs a C++20 compiler: install g++, or "
                    "set CXX")
    with tempfile.TemporaryDirectory(prefix="ropeproof-cuda-") as folder:
        folder = pathlib.Path(folder)
        for name in HEADERS:
            (folder / name).parent.mkdir(exist_ok=True)
            (folder / name).write_text('#include "ropeproof_cuda.h"\n')
        for name in without:
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).touch()
        made = []
        for number, source in enumerate(map(pathlib.Path, sources)):
            try:
                text = source.read_text()
            except OSError as error:
                raise Error(f"{source}: {error.strerror}") from None
            _translate_included(text, include, folder)
            made.append(folder / f"{number}_{source.stem}.cc")
            made[-1].write_text(f'#include "ropeproof_cuda.h"\n#line 1 "{source}"\n'
                                + translated(text, source))
        command = [compiler, *FLAGS, *flags, f"-I{folder}",
                   *[f"-I{place}" for place in [*include, *FOLDERS]],
                   *map(str, made), "-o", str(output), *RACES * races]
        done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        lines = [line for line in done.stderr.splitlines() if "error" in line]
        raise Error(f"{sources[0]}: cannot be compiled as C++: "
                    f"{(lines or done.stderr.splitlines() or ['?'])[0]}")
    return output


def _translate_included(text, include, folder):
    """Writes what a text includes of CUDA, and what that does, into the folder."""
    for name in re.findall(r'#\s*include\s*"([^"]+\.cuh?)"', text):
        target = folder / name
        found = [place for place in map(pathlib.Path, include) if (place / name).is_file()]
        if target.exists() or not found:
            continue
        header = found[0] / name
        inner = header.read_text(errors="replace")
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(f'#line 1 "{header}"\n' + translated(inner, header))
        _translate_included(inner, include, folder)


def main():
    parser = argparse.ArgumentParser(prog="cuda_as_cpp", description=__doc__)
    parser.add_argument("sources", nargs="+")
    parser.add_argument("-o", dest="output", required=True)
    parser.add_argument("-I", dest="include", action="append", default=[])
    parser.add_argument("--without", action="append", default=[],
                        help="a header that is empty")
    parser.add_argument("--races", action="store_true", help="hold each access against "
                        "those of other threads: slower, some forty times")
    given, flags = parser.parse_known_args()
    try:
        build(given.sources, given.output, given.include, flags, given.without,
              races=given.races)
    except Error as error:
        print(f"cuda_as_cpp: {error}", file=sys.stderr)
        sys.exit(2)


if __name__ == "__main__":
    main()
