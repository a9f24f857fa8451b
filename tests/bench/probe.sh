#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# What ktrace probe says beside independent measurements of the same minute: hand-written assembler loops
# (probe_loops.c), likwid-bench and mbw, as far as they are installed. Prints ours, theirs and the ratio; ends with 1 if
# any ratio is off by more than 10 %. lmbench and tinymembench are in no package of Debian 12.
set -e
B=${B:-build}
T=$(mktemp -d)
trap 'rm -rf "$T"' EXIT
if [ "$(uname -m)" != x86_64 ]; then
    echo "probe: the loops to compare with are for x86-64"
    exit 0
fi
export XDG_CACHE_HOME=$T
gcc -std=gnu11 -O2 -Wall -Wextra -D_GNU_SOURCE -o "$T/loops" tests/bench/probe_loops.c -lm
"$B/ktrace" probe --json >"$T/probe.json" 2>/dev/null
size() { "${PYTHON:-python3}" -c 'import json,sys; c=json.load(open(sys.argv[1]))["caches"]; k=int(sys.argv[2]); print(int(c[k]["effective_bytes"]) if len(c)>k else 0)' "$T/probe.json" "$1"; }
first=$(size 0)
second=$(size 1)
"$T/loops" "$first" "$second" >"$T/theirs"

# likwid NAME TEST BYTES: megabytes per second of its loop, of the best of three runs.
likwid() {
    local best
    best=$(for _ in 1 2 3; do likwid-bench -t "$2" -w "S0:$3:1" 2>/dev/null | sed -n 's/^MByte\/s:[^0-9]*//p'; done | sort -g | tail -n 1)
    [ -z "$best" ] || echo "GBs $1 $best"
}
if command -v likwid-bench >/dev/null; then
    wide=avx
    grep -qw avx512f /proc/cpuinfo && wide=avx512
    {
        for level in "L1 $((first / 2))" "L2 $((second / 2))" "memory $((128 << 20))"; do
            set -- $level
            [ "$2" -gt 4096 ] || continue
            likwid "likwid-bench $1 load" "load_$wide" "$(($2 / 1024))kB"
            likwid "likwid-bench $1 copy" "copy_$wide" "$(($2 / 1024))kB"
        done
        likwid "likwid-bench memory nt_store" "store_mem_$wide" "$((128 << 10))kB"
    } >>"$T/theirs"
fi
if command -v mbw >/dev/null; then
    mbw -q -n 10 -t0 128 | sed -n 's/.*Copy: \([0-9.]*\) MiB.*/\1/p' | sort -g | tail -n 1 |
        awk '{print "GBs mbw memory copy", 2 * $1 * 1.048576}' >>"$T/theirs"
fi
exec "${PYTHON:-python3}" tests/bench/probe_compare.py "$T/probe.json" "$T/theirs"
