#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Compares what a program of gen_roundtrip said it would call with the trace of that run.

    roundtrip_check.py EXPECTED DUMP      EXPECTED: output of the program; DUMP: output of ktrace dump --json

Outermost calls only, in order: routine, symbol, every argument, whether there is an info, and that each operand begins
at the pointer passed. A call may not have returned, as the programs' arguments are legal one by one only; few do not.
Prints the first differences and a last line that counts; exit status 1 if there are any.
"""
import json
import sys

SHOWN = 20
MOST_OPEN = 0.02  # of all calls


def lines(path, part=""):
    """The documents in those lines that contain PART."""
    with open(path, encoding="utf-8") as file:
        for number, line in enumerate(file, 1):
            if part not in line:
                continue
            try:
                yield json.loads(line)
            except json.JSONDecodeError as error:
                sys.exit(f"{path}:{number}: not JSON: {error}")


def plain(value):
    """Addresses as numbers: programs of different languages write them differently."""
    return int(value, 16) if isinstance(value, str) and value.startswith("0x") else value


def plain_args(call):
    return {name: plain(value) for name, value in call["args"].items()}


def argument_differences(expected, found):
    for name in expected.keys() | found.keys():
        if name not in found:
            yield f"{name} is missing"
        elif name not in expected:
            yield f"{name} is not an argument of the symbol"
        elif expected[name] != found[name] or isinstance(expected[name], str) != isinstance(found[name], str):
            yield f"{name} is {found[name]!r}, expected {expected[name]!r}"


def differences(expected, found):
    for key in ("routine", "symbol"):
        if expected[key] != found[key]:
            yield f"{key} is {found[key]!r}, expected {expected[key]!r}"
            return
    args = plain_args(expected)
    yield from argument_differences(args, plain_args(found))
    if found["complete"] and expected["has_info"] != (found["info"] is not None):
        yield f"info is {found['info']}, expected {'a number' if expected['has_info'] else 'none'}"
    addresses = {name: args[name] for name, value in expected["args"].items()
                 if str(value).startswith("0x") and name not in expected["code"]}
    bases = {operand["name"]: plain(operand["base"]) for operand in found["operands"]}
    if addresses != bases:
        yield f"operands begin at {bases}, expected {addresses}"


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    expected = list(lines(sys.argv[1]))
    found = [call for call in lines(sys.argv[2], '"depth":0,') if call["depth"] == 0]
    still_open = sum(not call["complete"] for call in found)
    wrong = []
    for number, (want, have) in enumerate(zip(expected, found), 1):
        wrong += [f"call {number}, {want['symbol']}: {text}" for text in differences(want, have)]
    if len(expected) != len(found):
        wrong.append(f"{len(found)} outermost calls in the trace, expected {len(expected)}")
    if still_open > MOST_OPEN * len(found):
        wrong.append(f"{still_open} calls did not return")
    compared = f"{len(expected)} calls compared, {still_open} of them did not return, {len(wrong)} differences"
    print("\n".join([*wrong[:SHOWN], compared]))
    return 1 if wrong or not expected else 0


if __name__ == "__main__":
    sys.exit(main())
