# SPDX-License-Identifier: BSD-3-Clause
"""Makes inputs of fuzzers from files in JSON: no list is longer than a few elements, numbers have few digits.
Usage: small.py machine|models|result FOLDER FILE"""
import json
import sys

FEW = {"machine": 2, "models": 3, "result": 2}


def small(value, few):
    if isinstance(value, list):
        return [small(v, few) for v in value[:few]]
    if isinstance(value, dict):
        return {k: small(v, few) for k, v in value.items()}
    if isinstance(value, float):
        return float(f"{value:.3g}")
    return value


def write(folder, name, document):
    with open(f"{folder}/{name}", "w", encoding="utf-8") as file:
        json.dump(document, file, separators=(",", ":"))


def of_one_call(document):
    """Of the calls that the trace of tests/fuzz/result.c has."""
    args = {"n": 5, "incx": 1, "incy": -2}
    for i, shape in enumerate(document["shapes"]):
        shape.update(symbol=["cblas_dsdot", "dsdot_"][i % 2], routine="dsdot", args=args)
    document["shapes"] = document["shapes"][:2]
    document["not_replayed"] = [{"routine": "dsdot", "symbol": "dsdot_", "args": args, "calls": 2, "why": "a reason"}]
    return document


kind, folder, path = sys.argv[1:]
with open(path, encoding="utf-8") as file:
    whole = json.load(file)
if kind == "machine":
    for part in "curves", "pages", "steps":
        whole.pop(part, None)
if kind == "result":
    whole = of_one_call(whole)
if kind == "models":  # one file for each kind of model
    models = whole["models"]
    for i, model in enumerate(models[:6]):
        whole_lists = {key: model[key] for key in ("axes", "lo", "hi", "residues")}
        few = dict(small(model, FEW[kind]), **whole_lists, regions=model["regions"][:3], points=model["points"][:3])
        write(folder, f"model{i}", dict(small(whole, 1), routines=whole["routines"], models=[few]))
else:
    write(folder, kind, small(whole, FEW[kind]))
