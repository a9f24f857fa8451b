#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Makes the first inputs of the fuzzers: tests/fuzz/seeds.sh CORPUS, in the project's root, with B set to the build folder.
set -eu
corpus=$1
B=$(realpath "$B")
export KTRACE_QUIET=1 OPENBLAS_NUM_THREADS=1 PYTHON=${PYTHON:-/usr/bin/python3}
T=$(mktemp -d)
trap 'rm -rf "$T"' EXIT
mkdir -p "$corpus"/{trace,text,stream,packed,spec}
program='import numpy as np, threading
a = np.random.default_rng(1).standard_normal((6, 6))
c = a + 1j * a.T
np.linalg.solve(a, a[:, :2]); c @ c; np.dot(c[0], c[1])
try: np.linalg.cholesky(-np.eye(3))
except np.linalg.LinAlgError: pass
t = threading.Thread(target=lambda: a[0] @ a[1]); t.start(); t.join()'

for n in 0 1 2 3 4 5; do "$B/tests/fuzz/seed" -g $n >"$corpus/trace/synthetic$n"; done
# real NAME VARIABLE=VALUE...
real() {
    env -C / "${@:2}" "$B/ktrace" run -o "$T/$1" -- "$PYTHON" -c "$program"
    "$B/tests/fuzz/seed" "$T/$1"/p* >"$corpus/trace/$1"
}
real full
real profile KTRACE_MODE=profile
real profile_all KTRACE_MODE=profile KTRACE_NESTED=all
real counted KTRACE_EVENTS=perf::PAGE-FAULTS,perf::TASK-CLOCK
real sampled KTRACE_SAMPLE=3
real nested KTRACE_NESTED=all
rm -f "$T"/full/p*/end
"$B/tests/fuzz/seed" "$T/full"/p* >"$corpus/trace/unfinished"
cp "$corpus"/trace/* "$corpus/text"
cp "$corpus"/trace/* "$corpus/stream"

# Each way to look at a trace, by the first byte.
for how in 1 3 4 5 6 7 8 9 10 13 254 255; do
    for trace in synthetic4 synthetic5 profile; do
        { printf "\\x$(printf %x $how)"; tail -c +2 "$corpus/trace/$trace"; } >"$corpus/trace/$trace-$how"
    done
done
# Packed traces, and archives that are not compressed, where damage has more to damage.
for trace in full profile; do
    (cd "$T/$trace" && find . -type f ! -name control -exec truncate -s '<6K' {} + && rm -f ./*/control)
    "$B/ktrace" pack -o "$corpus/packed/$trace.tar.zst" "$T/$trace" >/dev/null
    tar -cf "$corpus/packed/$trace.tar" -C "$T" "$trace"
    tar --format=gnu --sparse -czf "$corpus/packed/$trace.tar.gz" -C "$T/$trace" .
done
# Pieces of the specification: some families of each file.
for spec in trace/routines/*.spec; do
    name=$(basename "$spec" .spec)
    awk -v to="$corpus/spec/$name" 'NR % 23 == 5 || NR == 40 { n++ } n && seen[n] < 5 { print > (to "." n); seen[n]++ }' "$spec"
done
