#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Steinmann's validation: kernels of known work and traffic, measured over expected, as box plots."""
import statistics

from figure import Figure, main, percent


def spread(row):
    """Half the distance of the quartiles, as a part of the median."""
    found = row["seconds_spread"]
    return (found["q3"] - found["q1"]) / found["median"] / 2 if found["median"] else None


def error_claim(figure, says, rows, key, most, none):
    """key: an error in per cent; paper: 0 is exact."""
    errors = [abs(row[key]) for row in rows if row[key] is not None]
    if not errors:
        figure.claim(says, none, None)
        return
    figure.claim(says, f"median {statistics.median(errors):.1f} %, largest {max(errors):.1f} %, {len(errors)} rows", max(errors) <= most)


def make(machine, options):
    figure = Figure(machine, "validation", "Steinmann, validation", "kernels of known work and traffic: measured over expected")
    machine.probed()
    document = machine.json("roofline", "--validate", "-o", machine.path("validation.svg"), name="validation")
    figure.picture("validation.svg")
    rows = document["rows"]
    one = [row for row in rows if row["threads"] == 1]
    memory = [row for row in one if row["bytes_expected"]]
    arithmetic = [row for row in one if row["flops_expected"] and not row["bytes_expected"] and row["flops_expected"] >= 1e6]
    spreads = [s for s in map(spread, memory) if s is not None]
    figure.claim("times of kernels of memory scatter by about 10 %",
                 f"quartiles +-{percent(statistics.median(spreads))} in the median, +-{percent(max(spreads))} at most, {len(spreads)} rows of {document['k']} runs",
                 statistics.median(spreads) <= 0.1)
    error_claim(figure, "kernels of arithmetic are nearly exact above a million operations (time)", arithmetic, "seconds_error", 5,
                "no kernel of arithmetic has so many operations")
    error_claim(figure, "traffic of one thread is within 10 %", memory, "bytes_error", 10, "no counters of memory traffic here")
    error_claim(figure, "operation counts are nearly exact", one, "flops_error", 1, "no counters of operations here")
    figure.note(document.get("counters") or "")
    figure.save()


if __name__ == "__main__":
    main(make, __doc__, 5, 5)
