#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Makes the first inputs of the fuzzers: tests/fuzz/seeds.sh CORPUS, in the project's root, with B set to the build folder.
set -eu
corpus=$1
B=$(realpath "$B")
export KTRACE_QUIET=1 OPENBLAS_NUM_THREADS=1 PYTHON=${PYTHON:-/usr/bin/python3}
T=$(mktemp -d)
trap 'rm -rf "$T"' EXIT
mkdir -p "$corpus"/{trace,text,stream,profile,packed,spec,snapshot,machine,models,result,store}
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
program="import ctypes
api = ctypes.CDLL(None)
api.ktrace_api_work.argtypes = [ctypes.c_double, ctypes.c_double]
api.ktrace_api_begin(b'solve')
$program
api.ktrace_api_work(2e3, 5e2); api.ktrace_api_end(); api.ktrace_api_work(1, 0)"
real regions A=
rm -f "$T"/full/p*/end
"$B/tests/fuzz/seed" "$T/full"/p* >"$corpus/trace/unfinished"
cp "$corpus"/trace/* "$corpus/text"
cp "$corpus"/trace/* "$corpus/stream"

cp "$corpus"/trace/profile* "$corpus/profile"

# Operands of a few calls, each with the texts that describe the call.
env -C / KTRACE_SNAPSHOT=1 "$B/ktrace" run -o "$T/snapshot" -- "$PYTHON" -c "$program"
for snapshot in "$T"/snapshot/p*/o*; do
    number=${snapshot##*/}
    mkdir -p "$T/one/p1"
    cp "${snapshot%/*}"/{meta,definitions,end} "$snapshot" "$T/one/p1"
    "$B/tests/fuzz/seed" "$T/one/p1" >"$corpus/snapshot/$number"
    rm -r "$T/one"
done
# What readers of JSON read: small, as what is not looked at costs as much time.
"$PYTHON" tests/fuzz/small.py machine "$corpus/machine" <(XDG_CACHE_HOME=$T "$B/ktrace" probe --quick --json 2>/dev/null)
"$B/ktrace" model build "$T/full" --blas reference --models "$T/models.json" --budget 4 --samples rounds=2,processes=1,heldout=3 >/dev/null 2>&1
"$PYTHON" tests/fuzz/small.py models "$corpus/models" "$T/models.json"
"$B/ktrace" replay --budget 1 --store none --context warm,cold "$T/full" >/dev/null 2>&1
"$PYTHON" tests/fuzz/small.py result "$corpus/result" "$T/full/replay.json"
"$B/tests/fuzz/seed" -s >"$corpus/store/cells"
"$B/tests/fuzz/seed" -d "$T/small.sqlite"
"$PYTHON" -c 'import sqlite3, sys
d = sqlite3.connect(sys.argv[1], isolation_level=None)
d.execute("PRAGMA page_size = 512"); d.execute("VACUUM")' "$T/small.sqlite"
cp "$T/small.sqlite" "$corpus/store/database"

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
"$B/ktrace" distill -o "$corpus/packed/workload.ktw" "$T/regions" >/dev/null
zstd -q -d <"$corpus/packed/workload.ktw" >"$corpus/packed/workload.tar"
mkdir "$T/workload"; tar -C "$T/workload" -xf "$corpus/packed/workload.tar"
"$B/tests/fuzz/seed" "$T"/workload/*/p1 >"$corpus/trace/workload"
cp "$corpus/trace/workload" "$corpus/text"; cp "$corpus/trace/workload" "$corpus/stream"
# Pieces of the specification: some families of each file.
for spec in trace/routines/*.spec; do
    name=$(basename "$spec" .spec)
    awk -v to="$corpus/spec/$name" 'NR % 23 == 5 || NR == 40 { n++ } n && seen[n] < 5 { print > (to "." n); seen[n]++ }' "$spec"
done
