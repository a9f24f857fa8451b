# SPDX-License-Identifier: BSD-3-Clause
"""What a probe found beside independent measurements: PROBE.json THEIRS. See tests/bench/probe.sh."""
import json
import sys


def ours(probe, words):
    """The value of the probe for a line of theirs, or None."""
    kind, rest = words[0], words[1:]
    if kind == "GBs":
        name = " ".join(rest[1:])
        rates = [b["bytes_per_second"] / 1e9 for b in probe["bandwidth"] if b["name"] == name]
        return rates[0] if rates else None
    if kind == "bandwidth":
        rates = [b["bytes_per_cycle"] for b in probe["bandwidth"] if b["name"] == " ".join(rest)]
        return rates[0] if rates else None
    if kind == "peak":
        rates = [p["flops_per_cycle"] for p in probe["peak"] if p["name"] == " ".join(rest) and p.get("cores", 1) == 1]
        return rates[0] if rates else None
    if kind == "latency" and rest[0].startswith("L"):
        level = int(rest[0][1:])
        found = [c["latency_cycles"] for c in probe["caches"] if c["level"] == level]
        return found[0] if found else None
    key = "latency_cycles" if kind == "latency" else "throughput_per_cycle"
    found = [o[key] for o in probe["operations"] if o["name"] == rest[0] and o["type"] == " ".join(rest[1:])]
    return found[0] if found else None


def main():
    probe = json.load(open(sys.argv[1]))
    off = 0
    print("%-34s %10s %10s %7s" % ("core cycles, per cycle, GB/s", "probe", "other", "ratio"))
    for line in open(sys.argv[2]):
        *words, value = line.split()
        other = float(value) / (1000 if words[0] == "GBs" else 1)
        mine = ours(probe, words)
        name = " ".join(words[1:] if words[0] == "GBs" else words)
        if mine is None:
            print("%-34s %10s %10.2f" % (name, "-", other))
            continue
        # A ceiling may be higher than what another program reaches.
        ceiling = words[0] in ("GBs", "bandwidth", "peak")
        bad = mine / other < 0.9 or (mine / other > 1.1 and not ceiling)
        off += bad
        print("%-34s %10.2f %10.2f %7.3f%s" % (name, mine, other, mine / other, " !" if bad else ""))
    print("%d off by more than 10 %%" % off)
    return 1 if off else 0


sys.exit(main())
