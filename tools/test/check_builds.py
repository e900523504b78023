"""Proves that each user's build configures and links with what that user has.

  check_builds.py SOURCE_DIR BUILD_DIR WORK_DIR

A kernel author has no Highway, MPFI, Arb or Catch2; an engine wants
fast/ alone and has no Boost, nlohmann/json, CLI11 or OpenSSL either. Each build is
configured in WORK_DIR with the other packages hidden. An object whose command is, but for
the folder, that of BUILD_DIR (Ninja) is taken from there; the others are compiled, and
all is linked. So a second full build proves nothing more.
"""

import pathlib
import re
import shutil
import subprocess
import sys

source, main, work = (pathlib.Path(arg).resolve() for arg in sys.argv[1:4])
AUTHOR = ("hwy", "MPFI", "Arb", "Catch2")
ENGINE = ("Boost", "nlohmann_json", "CLI11", "OpenSSL", "MPFI", "Arb", "Catch2")
# name: options, target, packages it must do without, what it must not be linked with
BUILDS = {
    "author": (
        ("-DROPEPROOF_FAST=OFF", "-DROPEPROOF_MPFI=OFF", "-DROPEPROOF_TESTS=OFF"),
        "ropeproof", AUTHOR, "hwy|mpfi|mpfr|gmp|flint"),
    "engine": (
        ("-DROPEPROOF_SUITE=OFF",), "ropeproof_fast", ENGINE, "ropeproof_reference|mpfi|crypto"),
}


def output(*command, **options):
    done = subprocess.run(command, capture_output=True, text=True, **options)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))}:\n{done.stdout}{done.stderr}")
    return done.stdout


def cached(name):
    cache = (main / "CMakeCache.txt").read_text()
    found = re.search(rf"^{name}:\w+=(.*)$", cache, re.M)
    return f"-D{name}={found[1]}" if found else f"-D{name}="


def commands(build, *targets):
    """Object or "" -> the command that makes it, in order."""
    text = output("ninja", "-C", build, "-t", "commands", *targets)
    for line in text.splitlines():
        made = re.search(r" -o (\S+\.o) -c ", line)
        yield (made[1] if made else ""), line


def check(name, options, target, hidden, unwanted):
    build = work / name
    shutil.rmtree(build, ignore_errors=True)
    kept = ("CMAKE_BUILD_TYPE", "CMAKE_C_COMPILER", "CMAKE_CXX_COMPILER", "CMAKE_CXX_FLAGS",
            "CMAKE_C_FLAGS", "CMAKE_C_COMPILER_LAUNCHER", "CMAKE_CXX_COMPILER_LAUNCHER",
            "ROPEPROOF_WERROR", "ROPEPROOF_UNITY")
    output("cmake", "-S", source, "-B", build, "-G", "Ninja", *map(cached, kept), *options,
           *(f"-DCMAKE_DISABLE_FIND_PACKAGE_{package}=ON" for package in hidden))
    ours = {made: line.replace(str(main), "BUILD") for made, line in commands(main) if made}
    taken = compiled = 0
    for made, line in commands(build, target):
        if made and ours.get(made) == line.replace(str(build), "BUILD"):
            (build / made).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(main / made, build / made)
            taken += 1
            continue
        if not made and re.search(rf"(lib|-l)({unwanted})\b", line):
            sys.exit(f"{name}: linked with what it must do without: {line}")
        if made:
            (build / made).parent.mkdir(parents=True, exist_ok=True)
            compiled += 1
        output("sh", "-c", line, cwd=build)
    print(f"{name}: {target} linked, {taken} objects as in the main build, {compiled} compiled")
    return build


author = check("author", *BUILDS["author"])
print(output(author / "ropeproof", "list", "kernels").strip())
check("engine", *BUILDS["engine"])
