# SPDX-License-Identifier: BSD-3-Clause
"""Do the discrete answers of several probes agree? PROBE.json... One line for each answer."""
import collections
import json
import sys


def answers(d):
    """Name, value, and whether it is a size."""
    yield "line", d["line_bytes"], False
    yield "page", d.get("page_bytes"), False
    yield "fma", d["fma"], False
    yield "smt", d.get("smt"), False
    for c in d["caches"][:2]:
        yield "ways of L%d" % c["level"], c["ways"], False
        yield "size of L%d" % c["level"], c["bytes"], True
    for name, count in (d.get("contexts") or {}).items():
        yield "contexts " + name, count, False
    for r in d.get("live_ranges", []):
        yield "variables " + r["type"], r["count"], False
    for t in d.get("tlb", [])[:2]:
        yield "TLB entries %d" % t["level"], t["entries"], True
    slot = d.get("timeslice_ms")
    yield "time slot (ms)", slot and round(slot), True
    yield "cores alike", d.get("cores_alike"), False


def same(a, b, size):
    return a == b if not size else max(a, b) <= 1.1 * min(a, b)


def main():
    found = collections.OrderedDict()
    probes = [json.load(open(name)) for name in sys.argv[1:]]
    for d in probes:
        for name, value, size in answers(d):
            found.setdefault(name, ([], size))[0].append(value)
    bad = 0
    print("%-24s %6s %8s %6s  %s" % ("answer", "same", "refused", "other", "values"))
    for name, (values, size) in found.items():
        given = [v for v in values if v is not None]
        agree = max((sum(same(v, w, size) for w in given) for v in given), default=0)
        other = len(given) - agree
        bad += other > 0.1 * len(probes)
        shown = collections.Counter(given).most_common(4)
        print("%-24s %6d %8d %6d  %s" % (name, agree, len(probes) - len(given), other,
                                         ", ".join("%s x%d" % (v, n) for v, n in shown)))
    print("%d of %d answers differ in more than a tenth of %d probes; seconds: %s" % (
        bad, len(found), len(probes), " ".join("%.0f" % d["seconds_spent"] for d in probes)))
    return 1 if bad else 0


sys.exit(main())
