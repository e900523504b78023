"""Checks that committed cases never change: the history of vectors/LEDGER.txt.

  check_ledger.py VECTORS_DIR   CHANGES.md names every version and every retired
                                case, and each commit that git knows only added
                                lines to the ledger or marked some as retired
  check_ledger.py --self-test   breaks a small copy in every way; each is noticed

A ledger line is `id  sha256  since  [retired: reason]`. That the vectors have these
digests, conformance/cases checks. Standard library only.
"""

import pathlib
import subprocess
import sys
import tempfile

def read_ledger(text):
    return [line.split(maxsplit=3) for line in text.splitlines()]


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
    history, commits = check_history(vectors)
    return list(check_changes(vectors)) + history, commits


LEDGER = f"a-001  {'0' * 64}  1\na-002  {'1' * 64}  1\n"
BROKEN_LEDGERS = {
    "lost or changed a line": [
        LEDGER.replace("  0", "  2"),
        LEDGER.splitlines()[1] + "\n",
        "",
    ],
    "no section 2": [LEDGER + f"a-003  {'2' * 64}  2\n"],
    "does not say that a-002 is retired": [LEDGER[:-1] + "  retired: no\n"],
}


def self_test():
    """Each way to break the promise, in a repository of its own: seen before a commit
    and after it."""
    missed, attempts = [], 0
    for part, ledgers in BROKEN_LEDGERS.items():
        for broken in ledgers:
            with tempfile.TemporaryDirectory() as folder:
                vectors = pathlib.Path(folder)

                def commit():
                    git(vectors, "add", ".")
                    author = ("-c", "user.name=t", "-c", "user.email=t@t")
                    git(vectors, *author, "commit", "-qm", "x", "--allow-empty")

                git(vectors, "init", "-q")
                (vectors / "LEDGER.txt").write_text(LEDGER)
                (vectors / "CHANGES.md").write_text("# Changes\n\n## 1\n\nFirst.\n")
                commit()
                if check(vectors)[0]:
                    missed.append("a sound folder is refused")
                (vectors / "LEDGER.txt").write_text(broken)
                for _ in range(2):
                    attempts += 1
                    if not any(part in fault for fault in check(vectors)[0]):
                        missed.append(f"not noticed, {part}: {broken}")
                    commit()
    for fault in missed:
        print(fault)
    print(f"{attempts} broken folders, {len(missed)} faults")
    return 1 if missed else 0


def main():
    if sys.argv[1] == "--self-test":
        return self_test()
    faults, commits = check(pathlib.Path(sys.argv[1]))
    for fault in faults:
        print(fault)
    history = "no git history" if commits is None else f"{commits} commits of its history"
    print(f"LEDGER.txt checked against CHANGES.md and {history}, {len(faults)} faults")
    return 1 if faults else 0


sys.exit(main())
