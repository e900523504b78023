"""What a run found."""

import json
from dataclasses import dataclass, field

FAILURES = ("FAIL", "CRASH", "TIMEOUT", "ERROR", "MISSING")
MEASURES = ("worst_over_bound", "worst_case", "angle", "class_ratio",
            "phase_rho", "max_norm_ulp", "elements", "not_nearest", "vacuous")


@dataclass(frozen=True)
class Failure:
    """A check that failed.

    id, operation, dtype    of its case
    verdict                 FAIL, CRASH, TIMEOUT, ERROR
    message                 one line
    check                   all that the report has of it
    """
    id: str
    operation: str
    dtype: str
    verdict: str
    message: str
    check: dict = field(repr=False)

    def __str__(self):
        return f"{self.verdict}  {self.id}  {self.operation}: {self.message}"


class Report(str):
    """The text that a terminal shows, and what it is made of.

    conforms      nothing failed, and everything declared was judged
    exit_status   of `ropeproof run`; 0: it conforms
    level         "L1+D" and so on; "none"; "" for part of a tier
    claims        what it was judged at, as judge(claim=...) takes it
    measures      a dict: worst_over_bound and its worst_case; angle, the
                  tightest of A0, A1 and A2 that holds, with the error over the
                  bound of each in class_ratio; phase_rho; max_norm_ulp;
                  elements, and how many of them are not_nearest or have a
                  bound that says nothing (vacuous). conformance/README.md,
                  "Reading a report"
    diagnoses     what is wrong, where and why: a list of dicts
    failures      a list of Failure
    verdicts      how many checks have which verdict
    depends_on_calls   cases that are right where other calls came before, or
                  none: a list of ids
    json          all of it, as `ropeproof run --report` writes it
    """
    depends_on_calls = ()

    def __new__(cls, text, document):
        report = super().__new__(cls, text.rstrip("\n"))
        report.json = json.loads(document)
        return report

    def with_note(self, note, cases):
        """The same, with a line before the last paragraph."""
        lines = self.split("\n")
        last = max((i for i, line in enumerate(lines)
                    if not line.startswith(" ")), default=0)
        text = "\n".join([*lines[:last], note, *lines[last:]])
        report = Report(text, json.dumps(self.json))
        report.depends_on_calls = list(cases)
        return report

    @property
    def conforms(self):
        return self.exit_status == 0

    @property
    def exit_status(self):
        return self.json["exit_status"]

    @property
    def level(self):
        return self.json["level"]

    @property
    def claims(self):
        return self.json["description"]["claims"]

    @property
    def verdicts(self):
        return self.json["verdicts"]

    @property
    def measures(self):
        return {name: _number(self.json[name]) for name in MEASURES
                if name in self.json}

    @property
    def diagnoses(self):
        return self.json["diagnoses"]

    @property
    def failures(self):
        return [Failure(check["case"], check["operation"],
                        check.get("dtype", ""), check["verdict"],
                        _message(check), check)
                for check in self.json["checks"]
                if check["verdict"] in FAILURES]

    def __repr__(self):
        return str(self)


def _number(value):
    """JSON has no infinity: null."""
    if isinstance(value, dict):
        return {name: _number(inner) for name, inner in value.items()}
    return float("inf") if value is None else value


def _message(check):
    parts = [check.get("aspect"), check.get("reason")]
    wrong = check.get("first_wrong")
    if wrong:
        index = ",".join(map(str, wrong["index"]))
        error, bound = _number(wrong["error"]), _number(wrong["bound"])
        ratio = error / bound if bound else float("inf")
        parts.append(f"{wrong['tensor']}[{index}] is {wrong['got']}, not "
                     f"{wrong['want']}: {ratio:.3g} x the bound")
    return ": ".join(part for part in parts if part)
