#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# check: fast, 30 s
# How fast the machine is, read while a program records and while its calls are replayed: when it is read, and that all who
# tell it agree. What the numbers are is the machine's matter.
. tests/lib.sh
export KTRACE_QUIET=1 OPENBLAS_NUM_THREADS=1
readings() { "$PYTHON" tests/decoder/decoder.py "$T/$1" readings; }
count() { readings "$1" | grep -c .; }
of_readings() { readings "$1" | "$PYTHON" -c 'import json, sys
r = [json.loads(line) for line in sys.stdin]
print('"$2"')'; }

# Calls of some milliseconds, and very short ones.
cat >"$T/both.py" <<'END'
import numpy as np
a, x = np.ones((400, 400)), np.ones(4)
for _ in range(30): a @ a
for _ in range(100000): x.dot(x)
END
traced t "$PYTHON" "$T/both.py"
same "a program whose machine is read ends as usual" 0 $?
true_that "check finds nothing wrong" "$B/ktrace" check "$T/t"
same "the machine was read several times" True "$(of_readings t 'len(r) >= 3')"
same "... at most every 10 ms" True "$(of_readings t 'min(b["t"] - a["t"] for a, b in zip(r, r[1:])) > 0.0099')"
same "... before the first call" True "$("$B/ktrace" dump --json "$T/t" | head -n 1 | "$PYTHON" -c 'import json, sys
print(float(sys.argv[1]) < json.load(sys.stdin)["t"])' "$(of_readings t 'r[0]["t"]')")"
"$B/ktrace" dump --json "$T/t" >"$T/calls"
same "... in none of the calls" 0 "$(readings t | "$PYTHON" -c 'import bisect, json, sys
calls = [json.loads(line) for line in open(sys.argv[1])]
starts = [c["t"] for c in calls]
within = 0
for t in (json.loads(line)["t"] for line in sys.stdin):
    c = calls[max(bisect.bisect_right(starts, t) - 1, 0)]
    within += c["t"] < t < c["t"] + c["dt"] - 1e-6
print(within)' "$T/calls")"
same "... with the processor time so far" True "$(of_readings t 'all(b["processor"] >= a["processor"] > 0 for a, b in zip(r, r[1:]))')"
same "an independent decoder has the means that report tells" True "$("$B/ktrace" report --json "$T/t" | query "(lambda s, m:
    s['readings'] == m[0] and all(abs(x / y - 1) < 1e-3 for x, y in zip((1 / s['core_hz'], 1 / s['issue_hz'], s['memory_seconds']), m[1:])))(
    d['states']['recorded'], $(of_readings t '[len(r)] + [sum(min(x, m) for x, m in c) / len(r) for c in
    (((i["chain"], 1e-8) for i in r), ((i["wide"], min(i["chain"], 1e-8)) for i in r), ((i["memory"], 2e-6) for i in r))]'))")"
has "report tells the core's clock" '^machine +while recorded: core [0-9.]+ GHz \([0-9.]+ to [0-9.]+\)$' "$("$B/ktrace" report --all "$T/t")"
same "the decoder reads the calls beside them" 0 "$("$PYTHON" tests/decoder/decoder_check.py "$T/t" "$T/calls" >"$T/out" 2>&1; echo $?)"

KTRACE_YARDSTICKS=0 traced off "$PYTHON" "$T/both.py"
same "KTRACE_YARDSTICKS=0: it is not read" 0 "$(count off)"
same "... and nothing is said" None "$("$B/ktrace" report --json "$T/off" | query 'd["states"]["recorded"]')"
KTRACE_CLOCK=monotonic traced clock "$PYTHON" "$T/both.py"
same "by the kernel's clock it is not read" 0 "$(count clock)"
KTRACE_MODE=profile traced profile "$PYTHON" "$T/both.py"
same "in profile mode neither" None "$("$B/ktrace" report --json "$T/profile" | query 'd["states"]["recorded"]')"

"$B/ktrace" replay --budget 1 --context warm,tracked --store "$T/store" --json "$T/t" >"$T/replay" 2>/dev/null
same "a replay reads the same" True "$(query 'd["state"]["readings"] >= 6 and d["state"]["core_hz"] > 0' <"$T/replay")"
same "... in each context of each shape" True "$(query 'all(c["state"]["memory_seconds"] > 0 for s in d["shapes"] for c in s["contexts"].values())' <"$T/replay")"
"$B/ktrace" report --json "$T/t" >"$T/report"
same "report sets one beside the other" True "$(query '(lambda s: abs(s["slower"]["core"] / (s["replayed"]["core_hz"] / s["recorded"]["core_hz"]) - 1) < 1e-6)(d["states"])' <"$T/report")"
same "the decomposition has a part of the machine" True "$(query 'd["decomposition"]["intervals"]["machine"][0] <= d["decomposition"]["machine"] <= d["decomposition"]["intervals"]["machine"][1]' <"$T/report")"
same "... which is the residual's: all else adds up without it" True "$(query '(lambda p: abs(p["bound"] + p["library"] + p["cache"] + p["residual"] + p["unsplit"] - p["insitu"]) < 1e-9)(d["decomposition"])' <"$T/report")"
"$B/ktrace" replay --budget 1 --context warm,tracked --store "$T/store" --json "$T/t" >"$T/again" 2>/dev/null
same "what comes from the store knows its machine" True "$(query 'all(c["state"]["readings"] > 0 for s in d["shapes"] for c in s["contexts"].values())' <"$T/again")"

# A program that makes calls nearly all the time, stopped several times for 0.3 s.
cat >"$T/stopped.py" <<'END'
import os, signal, subprocess, numpy as np
a = np.ones((1500, 1500))
a @ a
me = os.getpid()
subprocess.Popen(["sh", "-c", f"for i in 1 2 3 4; do sleep 0.1; kill -STOP {me}; sleep 0.3; kill -CONT {me}; done"])
for _ in range(8): a @ a
END
traced stopped "$PYTHON" "$T/stopped.py"
same "calls that were stopped are told, with what they lost" True "$("$B/ktrace" report --json "$T/stopped" | query 'd["states"]["lost"]["seconds"] > 0.25 and d["states"]["lost"]["calls"] >= 1')"
has "... in words too" 'calls were without a processor for' "$("$B/ktrace" report --all "$T/stopped")"
exit $((failures != 0))
