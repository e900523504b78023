"""Keeps the walls of the house up: who may include and name whom, how long a file and a
line of C or C++ may be, and how many lines the house may have.

  check_layers.py ROOT         prints one line per violation, FILE:LINE: WHAT, or a budget
                               and its lines
  check_layers.py --self-test  builds a small house with one violation of each kind and
                               requires exactly these lines
"""

import os
import pathlib
import re
import sys
import tempfile

MAX_LINES = 400
MAX_COLUMNS = 80  # of C and C++
# How a comment in a header must not begin: its subject would stand elsewhere.
NO_SUBJECT = (
    "(Of|Or|And|But|Nor|These|Those|They|Its|Their|It|Both,|The same|That of|As above|Likewise"
    "|(After|By|For|To|With) (the|all|which|what)|Without one"
    "|(All|Each) of (it|its|them|these|those|the above))"
)

# What, how many lines it may have, and the files that count.
BUDGETS = (
    ("everything outside vectors/", 152_564, "(?!vectors/).*"),
    ("conformance/ without adapters, engines, examples and selftest/fakes", 93_157,
     "conformance/(?!adapters/|engines/|examples/|selftest/fakes/).*"),
    ("conformance/bench", 2_880, "conformance/bench/.*"),
    ("conformance/identify, explain and wrong", 16_253,
     "conformance/(identify|explain|wrong)/.*"),
)

# Kinds of header: std, system (POSIX, intrinsics), a library, the kernel ABI,
# or one of our folders.
MAY = {
    "reference": "std boost mpfi reference",
    "fast": "std system highway openmp kernel_abi fast",
    # conformance/ is rooms. Who may include whom there: the table of conformance/README.md.
    "conformance": "std system nlohmann openmp openssl kernel_abi reference",
    "tools": "std system nlohmann cli11 kernel_abi reference conformance tools",
    # Shares no code with what it checks.
    "second_oracle": "std nlohmann openssl arb second_oracle",
    # *_test.cc and test_*.h alone may cross the walls to reference/, use any library, and, in a
    # room, all that stands above it; but Highway is named in fast/ only.
    "test": "std system boost mpfi openmp nlohmann openssl cli11 catch2 kernel_abi reference",
    "engines": "std system unknown highway kernel_abi",  # unknown: its engine's headers
}
KERNEL_ABI = "conformance/include/ropeproof_kernel.h"

# Kind and pattern of a header's name; the first that matches decides. Of a room, the name follows.
C_HEADERS = (
    "assert|ctype|errno|fenv|float|inttypes|limits|locale|math|signal|stdarg|stdbool|stddef"
    "|stdint|stdio|stdlib|string|time"
)
KINDS = {
    "kernel_abi": r"(conformance/include/)?ropeproof_(kernel|tokens|device|judge|fused|cuda|cuda_[a-z]+)\.h",
    "second_oracle": "tools/prove/second_oracle/.*",
    "room": "conformance/([a-z]+)/.*",
    "reference": "reference/.*", "fast": "fast/.*", "tools": "tools/.*",
    "boost": "boost/.*",
    "mpfi": r"(mpfi|mpfi_io|mpfr|gmp)\.h",
    "arb": r"(flint/[a-z_]+|arb)\.h",
    "highway": "hwy/.*",
    "catch2": "catch2/.*", "nlohmann": "nlohmann/.*", "openssl": "openssl/.*", "cli11": "CLI/.*",
    "openmp": r"omp\.h",
    "std": rf"[a-z_0-9]+|({C_HEADERS})\.h",
    "system": r"((sys|net|netinet|arpa|linux|mach)/)?[a-z_0-9]+\.h",
    "unknown": ".*",
}


def lines_of(path):
    return path.read_text(encoding="utf-8").removesuffix("\n").split("\n")


def is_test_file(file):
    return re.search(r"_test\.cc$|/test_[a-z_]*\.h$", file)


def kind_of(root, file, header):
    """The kind of HEADER as FILE includes it."""
    beside = os.path.normpath(os.path.join(os.path.dirname(file), header))
    if (root / beside).exists():  # a neighbour, or up the stairs
        header = beside
    for kind, pattern in KINDS.items():
        if match := re.fullmatch(pattern, header):
            return f"room {match[1]}" if kind == "room" else kind


class House:
    """What is wrong under `root`: lines in `violations`."""

    def __init__(self, root):
        self.root = root
        self.violations = []
        self.rooms = {}  # of each: itself and what it may include
        self.row_of_room = {}
        self.arrows = set()  # (room, room), as files include
        self.read_rooms()
        for path in sorted(root.glob("*.md")):
            self.check_source(path.name)
        for folder in ("reference", "fast", "conformance", "tools", "vectors"):
            for path in sorted((root / folder).rglob("*")):
                file = path.relative_to(root).as_posix()
                if re.fullmatch("utils?", path.stem):
                    self.report(file, 1, f"called {path.stem}, which says nothing")
                if re.search(r"\.(h|cc|c|py|sh|cmake|md)$", file):
                    self.check_source(file)
        for room, others in self.rooms.items():
            for other in others[1:]:
                if (room, other) not in self.arrows:
                    row = self.row_of_room[room]
                    self.report("conformance/README.md", row, f"{room} includes nothing of {other}")

        self.check_budgets()

    def check_budgets(self):
        """Of the files that git would track."""
        counts = [0] * len(BUDGETS)
        for folder, folders, files in os.walk(self.root):
            folders[:] = [f for f in folders if f not in ("build", "__pycache__", ".hypothesis", ".git")]
            for path in (pathlib.Path(folder, file) for file in files):
                name = path.relative_to(self.root).as_posix()
                counting = [i for i, row in enumerate(BUDGETS) if re.fullmatch(row[2], name)]
                lines = path.read_bytes().count(b"\n") if counting else 0
                for i in counting:
                    counts[i] += lines
        for (what, most, _), count in zip(BUDGETS, counts):
            if count > most:
                self.violations.append(f"{what}: {count:,} lines, at most {most:,}; raise it "
                                       "in a commit that says why")

    def report(self, file, number, what):
        self.violations.append(f"{file}:{number}: {what}")

    def read_rooms(self):
        """A room may include only those that stand above it in the table, so the arrows form
        no circle."""
        table = "conformance/README.md"
        for number, line in enumerate(lines_of(self.root / table), 1):
            if match := re.fullmatch(r"\| `([a-z]+)` \| .* \| ?([a-z, ]*)\|", line):
                room, others = match[1], re.findall("[a-z]+", match[2])
                for other in others:
                    if other not in self.rooms:
                        self.report(table, number, f"{other} does not stand above {room}")
                self.rooms[room] = [room, *others]
                self.row_of_room[room] = number

    def permissions(self, file):
        """The kinds of header that FILE may include, and the rooms that it may name."""
        folder, inner = file.split("/")[:2]
        is_test = is_test_file(file)
        if file == KERNEL_ABI:
            return [], []  # but <stdint.h>
        if re.fullmatch(r"conformance/include/ropeproof_(tokens|device|judge|fused)\.h", file):
            return ["std", "kernel_abi"], ["include"]
        if re.fullmatch(r"conformance/include/ropeproof_cuda(_[a-z]+)?\.h", file):
            return ["std", "system", "kernel_abi"], ["include"]
        if file.startswith("conformance/engines/"):
            return MAY["engines"].split(), ["engines"]
        if file.startswith("conformance/examples/consumer/"):  # a project of its own
            return [*MAY["engines"].split(), "catch2", "room examples"], ["examples"]
        if file.startswith("tools/prove/second_oracle/"):
            return MAY["second_oracle"].split() + ["catch2"] * bool(is_test), []
        rooms = []
        if folder == "tools":
            rooms = list(self.rooms)
        elif is_test and inner in self.rooms:  # it makes its kernels and cases of what is there
            rooms = list(self.rooms)[: list(self.rooms).index(inner) + 1]
        elif folder == "conformance":
            rooms = self.rooms.get(inner, [])
        kinds = MAY.get(folder, "").split() + [f"room {room}" for room in rooms]
        return kinds + (MAY["test"].split() if is_test else []), rooms

    def check_source(self, file):
        """The includes, the names and the length of FILE."""
        lines = lines_of(self.root / file)
        if len(lines) > MAX_LINES:
            self.report(file, len(lines), f"longer than {MAX_LINES} lines")
        if not re.search(r"\.(h|cc|c)$", file):
            return
        kinds, rooms = self.permissions(file)
        if re.search(r"^conformance/(?!examples/).*\.(h|cc)$", file) and kinds and not rooms:
            self.report(file, 1, "stands in no room")
        any_room = "|".join(self.rooms)
        if file.endswith(".h"):
            self.check_comments(file, lines)
        for number, line in enumerate(lines, 1):
            if len(line) > MAX_COLUMNS:
                self.report(file, number, f"longer than {MAX_COLUMNS} columns")
            if match := re.match(r"\s*#\s*include\s*(.*)", line):
                self.check_include(file, number, match[1], kinds)
            elif not file.endswith(".c"):  # what others have included
                for name in re.findall(f"(?<![a-z_0-9])({any_room})::", line.split("//")[0]):
                    if name not in rooms:
                        self.report(file, number, f"must not name {name}::")

    def check_comments(self, file, lines):
        """The first words of each block of comment lines."""
        is_inside = False
        for number, line in enumerate(lines, 1):
            comment = re.match(r"\s*(//|/?\*+)<?\s*(.*)", line)
            if comment and not is_inside and re.match(rf"{NO_SUBJECT}(?![\w-])", comment[2]):
                self.report(file, number, f"begins without a subject: {comment[2]}")
            is_inside = comment and (is_inside or comment[2])

    def check_include(self, file, number, operand, kinds):
        match = re.match('[<"]([^>"]+)[>"]', operand)
        if not match:
            self.report(file, number, f"includes a macro, {operand}")
            return
        kind = kind_of(self.root, file, match[1])
        if kind not in kinds and (file, match[1]) != (KERNEL_ABI, "stdint.h"):
            self.report(file, number, f"must not include {match[1]} ({kind})")
        if kind.startswith("room ") and not is_test_file(file):
            self.arrows.add((file.split("/")[1], kind.removeprefix("room ")))


# --- the self-test ---

ROOMS = """\
| room | question | may include |
|---|---|---|
| `text` | words? | |
| `cases` | what is asked? | text |
| `check` | is it right? So, or so | cases, text |
"""
FULL = "a line\n" * MAX_LINES


def includes(*headers):
    return "".join(f"#include <{header}>\n" for header in headers)


# Nothing is wrong here.
GOOD = {
    "conformance/README.md": ROOMS,
    "conformance/check/run.cc": '#include "conformance/cases/case.h"\ncases::Case& f()\n'
    '// judge::, kept, or report::\n#include "conformance/text/word_tables.h"\nplugin_text::f()\n',
    "reference/rope.h": includes(
        "vector", "reference/spec.h", "boost/multiprecision/number.hpp", "mpfi.h"
    ),
    "reference/rope_test.cc": includes("catch2/catch_test_macros.hpp", "omp.h"),
    "fast/kernel.cc": includes("hwy/highway.h", "fast/kernel.h", "omp.h", KERNEL_ABI)
    + includes("ropeproof_kernel.h"),
    "fast/kernel_test.cc": includes("reference/rope.h", "hwy/highway.h"),
    KERNEL_ABI: includes("stdint.h"),
    "conformance/cases/case.cc": '// #include "fast/kernel.h"\n'
    + includes("reference/rope.h", "sys/mman.h", "conformance/text/word_tables.h")
    + includes("nlohmann/json.hpp", "openssl/evp.h"),
    "conformance/include/ropeproof_tokens.h": includes("ropeproof_kernel.h", "string.h"),
    "conformance/engines/mlx.cc": includes("mlx/mlx.h", "ggml-cpu.h", "ropeproof_tokens.h")
    + includes("optional"),
    "tools/main.cc": includes("CLI/CLI.hpp", "conformance/cases/case.h"),
    "tools/prove/second_oracle/main.cc": includes("flint/arb.h", "openssl/evp.h")
    + includes("tools/prove/second_oracle/number.h"),
    "fast/full.cc": FULL,
    "README.md": includes("fast/kernel.h") + "cover::f()\n",
}

# FILE may not include HEADER of that KIND, in either form: each kind of file, each rule.
BAD_INCLUDES = """\
reference/a.cc conformance/cases/case.h room cases
reference/b.cc sys/mman.h system
reference/f.cc ropeproof_device.h kernel_abi
reference/d_test.cc hwy/highway.h highway
fast/b.cc ../reference/rope.h reference
fast/d_test.cc conformance/cases/case.h room cases
conformance/check/a.cc fast/kernel.h fast
conformance/check/b_test.cc fast/kernel.h fast
conformance/cases/d_test.cc conformance/check/run.h room check
conformance/cases/test_d.h conformance/check/run.h room check
conformance/check/deep/e.cc fmt/format.h unknown
conformance/cases/b.cc conformance/check/run.h room check
conformance/include/ropeproof_kernel.h stddef.h std
conformance/include/ropeproof_tokens.h nlohmann/json.hpp nlohmann
conformance/engines/a.cc reference/rope.h reference
tools/c.cc tools/prove/second_oracle/number.h second_oracle
tools/prove/second_oracle/a.cc reference/rope.h reference
tools/prove/second_oracle/c.cc ../main.h unknown
tools/prove/second_oracle/e_test.cc reference/rope.h reference
"""

# A file, its text, and what is wrong with it: lines, without its name.
BAD_FILES = [
    (
        "conformance/README.md",
        ROOMS + "| `report` | what is said? | judge, check, text |\n",
        ["6: judge does not stand above report"]
        + [f"6: report includes nothing of {room}" for room in ("judge", "check")],
    ),
    ("conformance/report/report.cc", includes("conformance/text/word_tables.h"), []),
    ("conformance/check/f.cc", "#include CONFIG\n", ["1: includes a macro, CONFIG"]),
    (
        "conformance/check/g.h",
        "std::string report()\nreport::Report text(const text::Words&)\n"
        "conformance::check::f<report::Run>()\n",
        ["2: must not name report::", "3: must not name report::"],
    ),
    ("conformance/g.cc", includes("vector"), ["1: stands in no room"]),
    ("tools/utils.cc", "", ["1: called utils, which says nothing"]),
    ("fast/full.cc", FULL + "\n", ["401: longer than 400 lines"]),
    ("fast/wide.h", f"// {'x' * 77}\n// {'x' * 78}\n", ["2: longer than 80 columns"]),
    (
        "fast/words.h",
        "// Of a head.\n\n// By the way\n\n// What\n// Or how\nint a;  // of a head\n/**\n * The same again\n"
        " */\n  // Itself, Ofen\n//\n// It is\n",
        [f"{line} begins without a subject: {text}"
         for line, text in (("1:", "Of a head."), ("3:", "By the way"), ("9:", "The same again"))],
    ),
    ("CHANGELOG.md", FULL + "\n", ["401: longer than 400 lines"]),
    ("vectors/README.md", FULL + "\n", ["401: longer than 400 lines"]),
]

# A file of each budget.
LARGE_FILES = ("tools/a.txt", "conformance/cover/a.txt", "conformance/bench/a.txt",
               "conformance/wrong/a.txt")


def self_test(root):
    def write(file, text):
        (root / file).parent.mkdir(parents=True, exist_ok=True)
        (root / file).write_text(text)

    for file, text in GOOD.items():
        write(file, text)
    faults = [f"good, but reported: {line}" for line in House(root).violations]

    want = ["conformance/utils:1: called utils, which says nothing"]
    write("conformance/utils/g.c", "")
    for row in BAD_INCLUDES.splitlines():
        file, header, kind = row.split(" ", 2)
        write(file, f'\n  #  include <{header}>\n#include "{header}"\n')
        want += [f"{file}:{number}: must not include {header} ({kind})" for number in (2, 3)]
    for file, text, wrong in BAD_FILES:
        write(file, text)
        want += [f"{file}:{line}" for line in wrong]
    got = House(root).violations
    faults += [f"not reported: {line}" for line in want if line not in got]
    faults += [f"reported, but right: {line}" for line in got if line not in want]
    for (what, most, _), file in zip(BUDGETS, LARGE_FILES, strict=True):
        write(file, "\n" * (most + 1))
        if not any(line.startswith(f"{what}: ") for line in House(root).violations):
            faults.append(f"not reported: {what} has more than {most} lines")
        (root / file).unlink()
    return faults, len(want) + len(BUDGETS)


def main():
    if sys.argv[1] == "--self-test":
        with tempfile.TemporaryDirectory() as folder:
            faults, broken = self_test(pathlib.Path(folder))
        print(*faults, f"layers: {broken} broken walls, {len(faults)} faults", sep="\n")
        return 1 if faults else 0
    root = pathlib.Path(sys.argv[1])
    if not (root / "reference/rope.h").exists():
        sys.exit(f"layers: no reference/rope.h under '{root}'")
    violations = House(root).violations
    print(*violations, f"layers: {len(violations)} violations", sep="\n")
    return 1 if violations else 0


sys.exit(main())
