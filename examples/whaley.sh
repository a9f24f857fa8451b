#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# The first figure of Whaley & Castaldo, "Achieving accurate and context-sensitive timing for code optimization" (2008),
# on this machine: the speed of ddot as a timer reports it that leaves the operands in cache, and as one reports it
# that flushes them. ktrace records a program that calls ddot and replays the calls in both contexts; a C program that
# knows nothing of ktrace times the same in turn with it, and the table says how far apart they are.
#
#     examples/whaley.sh [-o FOLDER] [LIBRARY...]
#
# LIBRARY is a name from `ktrace info --libraries`; without one: openblas-serial, and mkl if it is there. The folder,
# whaley if none is named, gets whaley.svg, whaley.png and whaley.txt. Takes about two minutes for each library.
# ROUNDS=10 and SECONDS_EACH=5 set how often replay and program take turns, and for how long; LENGTHS= the lengths.
set -euo pipefail
export LC_ALL=C.UTF-8 KTRACE_QUIET=1 OPENBLAS_NUM_THREADS=1 MKL_NUM_THREADS=1 MKL_THREADING_LAYER=SEQUENTIAL MKL_INTERFACE_LAYER=GNU,LP64
root=$(cd "$(dirname "$0")/.." && pwd)
kt=${B:-$root/build}/ktrace
python=${PYTHON:-/usr/bin/python3}
rounds=${ROUNDS:-10}
seconds=${SECONDS_EACH:-5}
out=whaley
[ "${1:-}" != -o ] || { out=$2; shift 2; }
for tool in "$kt" cc "$python"; do
    command -v "$tool" >/dev/null || { echo "whaley.sh: $tool is needed; make builds ktrace" >&2; exit 2; }
done
mkdir -p "$out"
work=$(mktemp -d "${TMPDIR:-/tmp}/whaley.XXXXXX")
trap 'rm -rf "$work"' EXIT

# The file with the BLAS of a library, by its short name.
file_of() {
    "$kt" info --libraries --json | "$python" -c 'import json, sys
d = json.load(sys.stdin)
print(next((l["files"][0] for l in (d["libraries"] if isinstance(d, dict) else d) if l["name"] == sys.argv[1]), ""))' "$1"
}
libraries=("$@")
if [ ${#libraries[@]} = 0 ]; then
    libraries=(openblas-serial)
    [ -z "$(file_of mkl)" ] || libraries+=(mkl)
fi

# Four lengths a decade, from 16 to 16,000,000.
read -ra lengths <<<"${LENGTHS:-$("$python" -c 'print(*[round(16 * 10 ** (i / 4)) for i in range(25)])')}"
cc -O2 -D_GNU_SOURCE -o "$work/harness" "$root/tests/bench/whaley_harness.c" -ldl
for library in "${libraries[@]}"; do
    file=$(file_of "$library")
    [ -n "$file" ] || { echo "whaley.sh: there is no library $library here" >&2; exit 2; }
    mkdir -p "$work/$library"
    cc -O2 -o "$work/$library/calls" "$root/examples/whaley.c" -Wl,--no-as-needed "$file" -Wl,-rpath,"$(dirname "$file")" -lm
    "$kt" run -o "$work/$library/trace" -- "$work/$library/calls" "${lengths[@]}" >/dev/null
    for ((i = 0; i < rounds; i++)); do
        [ ! -t 2 ] || printf '\r\033[K%s: %d of %d' "$library" $((i + 1)) "$rounds" >&2
        "$kt" replay --json --store none --budget "$seconds" --context warm,cold --blas "$library" "$work/$library/trace" >"$work/$library/replay.$i" 2>/dev/null
        "$work/harness" "$file" "$seconds" "${lengths[@]}" >"$work/$library/harness.$i"
    done
    [ ! -t 2 ] || printf '\r\033[K' >&2
done
"$python" "$root/examples/whaley.py" "$work" "$out" "${libraries[@]}" | tee "$out/whaley.txt"
if command -v gnuplot >/dev/null; then
    gnuplot "$out/whaley.gp"
    echo "The figure is in $out/whaley.svg and $out/whaley.png."
else
    echo "gnuplot (Debian: gnuplot-nox) draws $out/whaley.gp."
fi
