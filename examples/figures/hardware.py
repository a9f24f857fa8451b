#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Curves of BlackjackBench and tables of X-Ray, for this machine, by `ktrace probe`."""
import os
import shutil

from figure import Figure, main

# Picture of probe -o, and which curves of the paper it is.
CURVES = ["latency", "TLB", "page", "code", "contexts_for_integers", "contexts_for_floating_point", "contexts_for_memory", "live_ranges_of_int64",
          "live_ranges_of_double", "mul_double"]


def known(value, form="{:,}"):
    return "cannot tell" if value is None else form.format(value)


def size(value):
    return "cannot tell" if value is None else f"{value / 1024:.0f} KiB" if value < 1 << 20 else f"{value / (1 << 20):.1f} MiB"


def cache_size(cache):
    between = cache.get("bytes_between")
    return f"between {size(between[0])} and {size(between[1])}" if cache["bytes"] is None and between else size(cache["bytes"])


def claimed(document, level):
    """What hwloc says of a cache."""
    return next((c for c in document["hwloc"]["caches"] if c["level"] == level), {})


def cache_rows(document):
    for cache in document["caches"]:
        says = claimed(document, cache["level"])
        yield [f"L{cache['level']}", cache_size(cache), size(says.get("bytes")), known(cache["ways"]), known(says.get("ways")),
               known(cache["latency_cycles"], "{:.1f}")]


def cache_claim(figure, document):
    """Only levels that both know can agree."""
    wrong, right, open_ = [], 0, 0
    for cache in document["caches"]:
        says = claimed(document, cache["level"]).get("bytes")
        low, high = cache.get("bytes_between") or [cache["bytes"]] * 2
        if not says or low is None:
            open_ += 1
        elif 0.75 * low <= says <= 1.25 * high:
            right += 1
        else:
            wrong.append(f"L{cache['level']}: {cache_size(cache)}, claimed {size(says)}")
    figure.claim("sizes of caches are found as the vendor tells, or as a program can use them",
                 f"{right} of {len(document['caches'])} levels as hwloc says" + ("; " + "; ".join(wrong) if wrong else "")
                 + (f"; {open_} cannot be compared" if open_ else ""), None if not right and not wrong else not wrong)


def blackjack(figure, document, curves):
    machine = figure.machine
    for name in CURVES:
        if os.path.exists(os.path.join(curves, f"{name}.svg")):
            shutil.copy(os.path.join(curves, f"{name}.svg"), machine.path(f"probe_{name}.svg"))
            figure.picture(f"probe_{name}.svg")
    cache_claim(figure, document)
    contexts, processors = document.get("contexts") or {}, document["hwloc"]["processors"]
    figure.claim("as many execution contexts are found as there are processors",
                 ", ".join(f"{kind}: {known(n)}" for kind, n in contexts.items()) + f"; hwloc: {processors} processors" if contexts else "not measured",
                 all(n == processors for n in contexts.values()) if contexts and None not in contexts.values() else None)
    figure.claim("the page is found", f"{size(document.get('page_bytes'))}; the system: {size(os.sysconf('SC_PAGESIZE'))}",
                 document["page_bytes"] == os.sysconf("SC_PAGESIZE") if document.get("page_bytes") else None)
    figure.table(["", "found", "hwloc", "ways", "hwloc", "cycles"], cache_rows(document))
    figure.table(["live ranges of", "registers", "confidence"], [[r["type"], known(r["count"]), f"{r['confidence']:.2f}"] for r in document["live_ranges"]])
    figure.table(["TLB level", "entries", "cycles of a miss"], [[t["level"], known(t["entries"]), known(t["miss_cycles"], "{:.1f}")] for t in document["tlb"]])
    figure.table(["what cannot be told", "why"], [[n["what"], n["why"]] for n in document["not_determined"]])
    figure.save()


def xray(figure, document):
    first, says = document["caches"][0] if document["caches"] else {}, claimed(document, 1)
    compared = [(key, first.get(key), says.get(key)) for key in ("bytes", "ways") if first.get(key) and says.get(key)]
    compared += [("line", document["line_bytes"], says["line"])] if document.get("line_bytes") and says.get("line") else []
    figure.claim("size, ways and line of the first cache are right",
                 ", ".join(f"{key}: {found:,} (hwloc {told:,})" for key, found, told in compared) or "nothing to compare with",
                 all(found == told for _, found, told in compared) if compared else None)
    smt = document.get("smt")
    figure.claim("the number of threads of a core is right",
                 f"{known(smt)}; hwloc: {document['hwloc']['processors'] // document['hwloc']['cores']}",
                 smt == document["hwloc"]["processors"] // document["hwloc"]["cores"] if smt else None)
    low, high = document["core_hz_range"]
    figure.claim("a clock is found from dependent additions", f"{document['core_hz'] / 1e9:.2f} GHz ({low / 1e9:.2f} to {high / 1e9:.2f} while it was looked at); "
                 f"the time stamp counter ticks at {document['tsc_hz'] / 1e9:.2f} GHz", None)
    figure.table(["operation", "type", "latency, cycles", "a cycle", "in flight"],
                 [[o["name"], o["type"], f"{o['latency_cycles']:.1f}", f"{o['throughput_per_cycle']:.2f}", o["in_flight"]]
                  for o in document["operations"] if o["lanes"] == 1 and o["latency_cycles"] is not None])
    figure.table(["", ""], [["fused multiply-add", {True: "yes", False: "no"}.get(document["fma"], "cannot tell")], ["line", known(document["line_bytes"], "{} B")],
                            ["threads of a core", known(smt)]])
    figure.save()


def make(machine, options):
    curves = machine.path("probe")
    # The probe decides itself how long it takes; what it measures does not depend on --quick, as half a minute is enough.
    figures = [Figure(machine, "blackjack", "BlackjackBench, curves and tables", "caches, TLB, registers and cores of this machine"),
               Figure(machine, "xray", "X-Ray, tables", "clock, operations and the first cache of this machine")]
    document = machine.json("probe", "-o", curves, name="probe")
    commands = list(machine.commands)
    blackjack(figures[0], document, curves)
    machine.commands = commands
    xray(figures[1], document)


if __name__ == "__main__":
    main(make, __doc__, 40, 40)
