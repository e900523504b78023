"""Checks that committed cases never change: vectors/LEDGER.txt.

  check_ledger.py VECTORS_DIR   the vectors are what the ledger says, CHANGES.md
                                names every version and every retired case, and
                                each commit that git knows only added lines to
                                the ledger or marked some as retired
  check_ledger.py --self-test   breaks a small copy in every way; each is noticed

A ledger line is `id  sha256  since  [retired: reason]`; the digest is that of the
case's JSON in one line, without comment, targets, printed and
expected.precision_bits, tensors as rows of hex. Standard library only.
"""

import hashlib
import json
import pathlib
import subprocess
import sys
import tempfile

WIDTH = {"f64": 8, "f32": 4, "f16": 2, "bf16": 2}


def rows(payload, span, width, row):
    """[offset, bytes] of the side file as rows of hex, as if it were inline."""
    data = payload[span[0] : span[0] + span[1]]
    words = [data[i : i + width][::-1].hex() for i in range(0, len(data), width)]
    return ["".join(words[i : i + row]) for i in range(0, len(words), row)]


def content(case, payload):
    case = {k: v for k, v in case.items() if k not in ("comment", "targets", "printed")}
    width = WIDTH.get(case.get("dtype"))
    if payload is not None:
        for key, row in (("q", "head_dim"), ("k", "head_dim"), ("in", "columns")):
            if key in case:
                case[key] = rows(payload, case[key], width, case[row])
    expected = case.get("expected")
    if isinstance(expected, dict):
        expected = {k: v for k, v in expected.items() if k != "precision_bits"}
        for key, value in expected.items():
            if payload is not None and key != "amplitude":
                is_tensor = key in ("q", "k", "q_lo", "k_lo")
                row = case["head_dim"] if is_tensor else case["rotary_dim"] // 2
                expected[key] = rows(payload, value, 8, row)
        case["expected"] = expected
    elif payload is not None and expected is not None:
        case["expected"] = rows(payload, expected, width, case["columns"])
    return json.dumps(case, ensure_ascii=False, separators=(",", ":"))


def read_ledger(text):
    return [line.split(maxsplit=3) for line in text.splitlines()]


def check_vectors(vectors):
    ledger = {fields[0]: fields for fields in read_ledger((vectors / "LEDGER.txt").read_text())}
    present = set()
    manifest = json.loads((vectors / "MANIFEST.json").read_text())
    encodings = [e for e in manifest.get("texts", []) if e["file"] == "encodings.json"]
    for entry in manifest["files"] + encodings:
        group = json.loads((vectors / entry["file"]).read_text())
        payload = None
        if "payload" in group:
            payload = (vectors / group["payload"]["file"]).read_bytes()
        for case in group["cases"]:
            name = case["id"]
            present.add(name)
            digest = hashlib.sha256(content(case, payload).encode()).hexdigest()
            if name not in ledger:
                yield f"{name}: not in LEDGER.txt; run `ropeproof generate`"
            elif len(ledger[name]) == 4:
                yield f"{name}: is retired, but there"
            elif ledger[name][1] != digest:
                yield f"{name}: is not what LEDGER.txt says was committed"
    for name, fields in ledger.items():
        if len(fields) == 3 and name not in present:
            yield f"{name}: in LEDGER.txt, not retired, but not there"


def check_changes(vectors):
    changes = (vectors / "CHANGES.md").read_text()
    for fields in read_ledger((vectors / "LEDGER.txt").read_text()):
        if f"\n## {fields[2]}\n" not in changes:
            yield f"CHANGES.md has no section {fields[2]}, since when there is {fields[0]}"
            return
        if len(fields) == 4 and fields[0] not in changes:
            yield f"CHANGES.md does not say that {fields[0]} is retired"


def check_growth(before, after):
    """Every old line is in the new text, in the old order, perhaps retired since."""
    lines = iter(after.splitlines())
    for old in before.splitlines():
        if not any(
            new == old or (len(old.split()) == 3 and new.startswith(old + "  retired: "))
            for new in lines
        ):
            yield f"LEDGER.txt lost or changed a line: {old}"
            return


def git(folder, *arguments):
    command = ["git", "-C", str(folder), *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def check_history(vectors):
    """Faults, and the number of commits compared; None without git."""
    try:
        if git(vectors, "rev-parse", "--is-shallow-repository").strip() == "true":
            print("SKIPPED: the history, which this shallow clone lacks")
            return [], None
        log = git(vectors, "log", "--format=%H %P", "--", "LEDGER.txt")
    except (OSError, subprocess.CalledProcessError):
        return [], None

    def ledger_at(commit):
        try:
            return git(vectors, "show", f"{commit}:./LEDGER.txt")
        except subprocess.CalledProcessError:  # not there yet
            return ""

    steps = [line.split() for line in log.splitlines()]
    faults = []
    for commit, *parents in steps:
        for parent in parents:
            for fault in check_growth(ledger_at(parent), ledger_at(commit)):
                faults.append(f"commit {commit[:10]}: {fault}")
    faults += check_growth(ledger_at("HEAD"), (vectors / "LEDGER.txt").read_text())
    return faults, len(steps)


def check(vectors):
    faults = list(check_vectors(vectors)) + list(check_changes(vectors))
    history, commits = check_history(vectors)
    return faults + history, commits


def self_test():
    """Each way to break the promise, in a repository of its own."""
    line = "a-001  {}  1\n"
    case = {"id": "a-001", "comment": "", "targets": [], "of": "x-001", "defect": "y"}
    digest = hashlib.sha256(content(case, None).encode()).hexdigest()
    missed = []

    def attempt(name, part, change, commits_first):
        with tempfile.TemporaryDirectory() as folder:
            vectors = pathlib.Path(folder)
            group = {"cases": [dict(case)]}
            texts = {
                "a.json": group,
                "MANIFEST.json": {"files": [{"file": "a.json"}]},
                "LEDGER.txt": line.format(digest),
                "CHANGES.md": "# Changes\n\n## 1\n\nFirst.\n",
            }

            def write():
                for file, text in texts.items():
                    data = text if isinstance(text, str) else json.dumps(text)
                    (vectors / file).write_text(data)

            def commit():
                git(vectors, "add", ".")
                author = ("-c", "user.name=t", "-c", "user.email=t@t")
                git(vectors, *author, "commit", "-qm", "x")

            write()
            git(vectors, "init", "-q")
            commit()
            if check(vectors)[0]:
                missed.append("a sound folder is refused")
            change(texts)
            write()
            if commits_first:
                commit()
            if not any(part in fault for fault in check(vectors)[0]):
                missed.append(f"not noticed: {name}")

    def set_ledger(text):
        return lambda texts: texts.update({"LEDGER.txt": text})

    def both(texts):
        texts["a.json"]["cases"][0]["defect"] = "z"
        changed = hashlib.sha256(content(texts["a.json"]["cases"][0], None).encode())
        texts["LEDGER.txt"] = line.format(changed.hexdigest())

    for after_commit in (False, True):
        attempt("a changed expectation", "is not what LEDGER.txt says",
                lambda t: t["a.json"]["cases"][0].update(defect="z"), after_commit)
        attempt("a case gone", "not retired, but not there",
                lambda t: t["a.json"]["cases"].clear(), after_commit)
        attempt("a case without a line", "not in LEDGER.txt",
                lambda t: t["a.json"]["cases"].append(dict(case, id="a-002")), after_commit)
        attempt("a retired case that is there", "is retired, but there",
                set_ledger(line.format(digest)[:-1] + "  retired: no\n"), after_commit)
        attempt("a changed case and ledger line", "lost or changed a line", both, after_commit)
        attempt("a line gone", "lost or changed a line", set_ledger(""), after_commit)
        attempt("a version without words", "no section 2",
                set_ledger(line.format(digest).replace("  1", "  2")), after_commit)
    for fault in missed:
        print(fault)
    print(f"14 broken folders, {len(missed)} faults")
    return 1 if missed else 0


def main():
    if sys.argv[1] == "--self-test":
        return self_test()
    faults, commits = check(pathlib.Path(sys.argv[1]))
    for fault in faults:
        print(fault)
    history = "no git history" if commits is None else f"{commits} commits of its history"
    print(f"LEDGER.txt checked against the vectors and {history}, {len(faults)} faults")
    return 1 if faults else 0


sys.exit(main())
