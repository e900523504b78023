#!/usr/bin/env python3
"""Holds what `ropeproof show` says of a config.json against the model's own code.

  models.py PROGRAM [TYPE ...] [--write vectors/models/types.json]

Needs torch 2.13.0 (CPU) and transformers, 5.24.0 or newer: what is new there is a line of the
report. Nothing is downloaded. Each configuration class of transformers is saved as its defaults, in
the spelling of version 4, and with 28 scalings. The class reads each file back and its model is
run: layers that carry weights give noise, the rotary module and the function that applies it are
the model's own. Applied to unit vectors at position 1 of each axis, they show pairs, frequencies
and amplitude of every layer; of a model that cannot be run, by themselves. The models inside a file
must be told as each of them alone.
"""

import argparse
import json
import math
import pathlib
import random
import re
import subprocess
import sys
import tempfile

import torch
import transformers

from model_files import AXES, OLD_KEYS, besides, configs, made, old_spelling, variants
from model_run import NoModel, TOKENS, run
from model_table import write
from model_truth import truth

# What the program says, and whether it is that ---------------------------------------------------

def told(program, file, length=0):
    command = [program, "show", "--json", file, *(["--seq-len", str(length)] if length else [])]
    ran = subprocess.run(command, capture_output=True, text=True)
    return json.loads(ran.stdout) if ran.returncode == 0 else ran.stderr.strip()


def told_of(program, document, length=0):
    with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
        json.dump(document, file)
        file.flush()
        said = told(program, file.name, length)
    return said.replace(file.name + ": ", "") if isinstance(said, str) else said


def near(a, b):
    return abs(a - b) <= 2e-5 * max(abs(a), abs(b)) + 1e-12


def difference(rope, said):
    """Why a rope that was measured is not one that was told, or None."""
    if rope["head_dim"] != said["head_dim"]:
        return f"head_dim {said['head_dim']} for {rope['head_dim']}"
    pairs = {tuple(p["in"]): p["angles"] for p in said["pairs"] if any(p["angles"])}
    true = rope["pairs"]
    if pairs.keys() != true.keys():
        return f"pairs {sorted(pairs)[:2]} ({len(pairs)}) for {sorted(true)[:2]} ({len(true)})"
    count = len(next(iter(true.values())))
    names = said["axes"] or [""]
    if len(names) != count or (set(names) == set(AXES[count]) and names != AXES[count]):
        return f"axes {names} for rows of positions {AXES[count]}"
    for pair, angles in true.items():
        for axis in range(count):
            angle = math.remainder(pairs[pair][axis] * rope["step"], 2 * math.pi)
            if not near(angle, angles[axis]):
                return f"pair {pair} turns by {pairs[pair]} for {angles} along {names}"
    if not near(rope["amplitude"], said["amplitude"]):
        return f"amplitude {said['amplitude']} for {rope['amplitude']}"
    latent = min(u for u, v in true) > 0 and rope.get("scaling")
    score = rope["scaling"] * math.sqrt(rope["head_dim"]) if latent else 1
    if latent and not near(score, said["score_scale"]):
        return f"scores times {said['score_scale']} for {score}"
    return None


def fault(layers, said, kinds):
    """Why what was told is wrong, or None. `kinds` are the layer types of the file."""
    ropes = [r for r in layers.values() if r]
    if not ropes:
        return f"{len(said['ropes'])} ropes for none" if said["ropes"] else None
    if not said["ropes"]:
        return "no RoPE is told"
    inside = [r for part in said["others"] for r in part["ropes"]]  # which a whole may run too
    for rope in ropes:
        why = [difference(rope, r) for r in said["ropes"] + inside]
        if None not in why:
            return why[0]
    for rope in said["ropes"]:
        occurs = not kinds or not rope["layers"] or rope["layers"] in kinds
        if occurs and all(difference(r, rope) for r in ropes):
            return f"layers {rope['layers']}: {difference(ropes[0], rope)}"
    if any(isinstance(i, str) for i in layers):
        return None  # several models in one: the layers of each are asked of it alone
    without = {i for i, r in layers.items() if r is None}
    words = " ".join(f for f in said["facts"] if f.endswith(" no RoPE"))
    if words.startswith("the layers"):
        return None if without else words
    listed = {int(n) for n in re.findall(r"\d+", words)}
    if listed != without:
        return f"without RoPE are told {sorted(listed)} for {sorted(without)}"
    return None


LAST = {}  # what was measured of the last configuration: files in two spellings are read alike


def measured(config_class, document, length=0):
    """What the class makes of a file: (its layers, whether all of them were run), or an error."""
    try:
        with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
            json.dump(document, file)
            file.flush()
            config = config_class.from_json_file(file.name)  # which knows how Infinity is spelt
        asked = config_class, config.to_json_string(use_diff=False), length
        if LAST.get("asked") == asked:
            return LAST["found"]
        record = run(config_class, config)
        if record.model is None or (record.error and record.applied and not record.attended):
            raise record.error
        layers = truth(record, length)
        if not record.entered and not record.error:
            raise LookupError("no attention was called")
    except Exception as error:
        return error
    if record.error:
        layers = {i: r for i, r in layers.items() if r}
    LAST.update(asked=asked, found=(layers, record.error is None))
    return LAST["found"]


# Lists with a value of each layer, of which the files with scalings have four, or as many as hold
# the first that has a RoPE; that one alone where all layers have the same.
PER_LAYER = ("layer_types", "mlp_layer_types", "no_rope_layers", "layer_rope_theta")


class Tally:
    def __init__(self, program, name):
        self.program, self.name = program, name
        self.right, self.wrong, self.refused, self.untold = [], [], [], []

    def judge(self, label, document, measured, length=0):
        """Holds what is told of one file against what was measured of it, or the error."""
        if isinstance(measured, Exception):
            return self.judge_layers(label, None, measured)
        said = told_of(self.program, document, length)
        if isinstance(said, str):
            return self.count(self.refused, "refused", label, said)
        inner = document.get("text_config")
        kinds = (inner if isinstance(inner, dict) else document).get("layer_types")
        self.judge_layers(label, said, measured, set(kinds or []))

    def judge_layers(self, label, said, measured, kinds=frozenset()):
        if isinstance(measured, Exception):
            return self.count(self.untold, "cannot be run", label, measured)
        layers, is_whole = measured
        if not is_whole:
            said["facts"] = []
        why = fault(layers, said, kinds)
        if why is None:
            self.right.append(label)
        else:
            self.count(self.wrong, "wrong", label, why)

    def judge_parts(self, config_class, document):
        """Holds what is told of each model inside a file against what is told of it alone or,
        where its class has no model_type, against this class."""
        nameless = {k: c for k, c in config_class.sub_configs.items()
                    if getattr(c, "model_type", None) == ""
                    and {"rope_theta", "rope_parameters"} & (document.get(k) or {}).keys()
                    and "hidden_size" in document[k]}
        parts = {k: v for k, v in document.items()
                 if isinstance(v, dict) and (v.get("model_type") or k in nameless)}
        whole = told_of(self.program, document) if parts else None
        for key, part in parts.items():
            label, where, alone = f"{config_class.model_type} {key}", key, None
            if key not in nameless:
                alone = told_of(self.program, part)
            if isinstance(whole, str) or isinstance(alone, str):
                words = whole if isinstance(whole, str) else alone
                self.count(self.refused, "refused", label, words)
                continue
            if alone and alone["where"]:
                where = f"{key}.{alone['where']}"
            found = [s for s in (whole, *whole["others"]) if s["where"] == where]
            untold = [f for s in found for f in s["facts"] if f.startswith("not told")]
            if not found:
                self.count(self.wrong, "wrong", label, "it is not named")
            elif untold:
                self.count(self.refused, "refused", label, untold[0])
            elif alone is None:
                self.judge_layers(label, {**found[0], "others": []},
                                  measured(nameless[key], part))
            elif found[0]["ropes"] != alone["ropes"]:
                self.count(self.wrong, "wrong", label, "other ropes than alone")
            else:
                self.right.append(label)

    def count(self, list, word, label, why):
        list.append(label)
        kind = f"{type(why).__name__} " if isinstance(why, Exception) else ""
        line = " ".join(f"{self.name}: {word}: {label}: {kind}{why}".split())
        print(line if len(line) <= 300 else line[:150] + " ... " + line[-150:], flush=True)

    def report(self):
        print(f"{self.name}: {len(self.right)} right, {len(self.wrong)} wrong, "
              f"{len(self.refused)} refused, {len(self.untold)} cannot be run", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("program", help="build/release/ropeproof; or several, with commas")
    parser.add_argument("types", nargs="*", help="only these model types")
    parser.add_argument("--write", type=pathlib.Path, help="the table, to be written anew first")
    parser.add_argument("--scaled", type=int, default=51, help="how many types get the 28 scalings")
    parser.add_argument("--seed", type=int, default=1, help="which ones")
    args = parser.parse_args()
    transformers.logging.set_verbosity_error()
    torch.set_num_threads(1)
    torch.manual_seed(1)
    if args.write:
        write(args.write, args.types)
    programs = args.program.split(",")
    tallies = {form: [Tally(p, f"{p}: {form}" if programs[1:] else form) for p in programs]
               for form in ("files of 5", "files of 4", "keys beside", "scalings", "parts")}

    def judge(form, label, config_class, document, length=0):
        found = measured(config_class, document, length)
        for tally in tallies[form]:
            tally.judge(label, document, found, length)
        return found

    usual = []

    def ask(config_class, turns):
        kind = config_class.model_type
        try:
            default = json.loads(config_class().to_json_string(use_diff=False))
        except Exception:
            default = {}  # it has no default
        for tally in tallies["parts"]:
            tally.judge_parts(config_class, default)
        if not turns:
            return
        try:
            config, record = made(config_class)
            document = json.loads(config.to_json_string(use_diff=False))
            found = measured(config_class, document)
        except Exception as error:
            if isinstance(error, NoModel):
                raise
            document, found = default, error
        if isinstance(found, Exception) and any(
                isinstance(v, dict) and v.get("model_type") for v in document.values()):
            return  # its parts were asked above, and each by its own class
        for tally in tallies["files of 5"]:
            tally.judge(kind, document, found)
        if isinstance(document.get("rope_parameters"), dict):
            for other in besides(document):
                keys = {k: other[k] for k in OLD_KEYS if k in other}
                judge("keys beside", f"{kind} {keys}", config_class, other)
        if (old := old_spelling(document)) is not None:
            judge("files of 4", kind, config_class, old)
            ropes = [] if isinstance(found, Exception) else [r for r in found[0].values() if r]
            told = all(kind not in t.refused for t in tallies["files of 5"])
            if told and ropes and document["rope_parameters"].get("rope_type") == "default":
                numbered = {i: r for i, r in found[0].items() if isinstance(i, int)}
                first = min((i for i, r in numbered.items() if r), default=0)
                is_one = all(r == ropes[0] for r in numbered.values())
                usual.append((kind, config_class, document, 1 + first if is_one else
                              max(4, 1 + first), ropes[0]["head_dim"], len(ropes[0]["pairs"])))

    for config_class, _, turns in configs(args.types):
        kind = config_class.model_type
        if args.types and kind not in args.types:
            continue
        try:
            ask(config_class, turns)
        except NoModel:
            continue
        except Exception as error:  # of a model of next month, perhaps
            for tally in tallies["files of 5"]:
                tally.count(tally.untold, "cannot be run", kind, error)
    chosen = random.Random(args.seed).sample(usual, min(args.scaled, len(usual)))
    for kind, config_class, document, layers, head_dim, pairs in chosen:
        document = {k: v[:layers] if k in PER_LAYER and isinstance(v, list) else v
                    for k, v in document.items() if k != "original_max_position_embeddings"}
        longest = config_class.attribute_map.get("max_position_embeddings",
                                                 "max_position_embeddings")
        document |= {"num_hidden_layers": layers, longest: 32768}
        if document.get("head_dim", 0) is None:  # which the class's own scalings multiply
            document["head_dim"] = head_dim
        for at, scaling in enumerate(variants(pairs)):
            name = scaling.get("rope_type", scaling.get("type"))
            dictionary = {**document["rope_parameters"], **scaling}
            if "type" in scaling:
                del dictionary["rope_type"]
            judge("scalings", f"{kind} {scaling}", config_class,
                  {**document, "rope_parameters": dictionary},
                  65536 if at % 2 == 0 and name in ("longrope", "dynamic") else TOKENS)
    for tally in [t for form in tallies.values() for t in form]:
        tally.report()
    return 1 if any(t.wrong for form in tallies.values() for t in form) else 0


if __name__ == "__main__":
    sys.exit(main())
