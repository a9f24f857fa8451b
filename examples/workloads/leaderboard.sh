#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# All installed BLAS libraries on the workloads of this folder, with one thread and two: leaderboard.sh OUT writes OUT.txt,
# OUT.json and OUT.md. Of several builds of a library the one with threads is taken. Interrupted, the same command goes on:
# what is measured is in the store.
#
# BUDGET: seconds for all workloads, 1800. LIBRARIES: names of `ktrace info --libraries`, the baseline first. THREADS: 1,2.
# WORKLOADS: another folder. LAPACK: where it is from for those that have none, reference.
set -euo pipefail
[ $# = 1 ] || { echo "usage: $0 OUT" >&2; exit 2; }
ktrace=${KTRACE:-ktrace} out=$1
choose='
import json, sys
chosen = {}
for library in json.load(sys.stdin)["libraries"]:
    family = library["name"].split("-")[0]
    if library.get("usable") and library.get("int_bits") == 32:
        if family not in chosen or chosen[family].get("threading") == "serial" != library.get("threading"):
            chosen[family] = library
print(*(library["name"] for library in chosen.values()))'
workloads=${WORKLOADS:-$(dirname "$0")}
compgen -G "$workloads/*.ktw" >/dev/null || { echo "leaderboard: no workload in $workloads: 'make workloads' makes them" >&2; exit 3; }
libraries=${LIBRARIES:-$("$ktrace" info --libraries --json | "${PYTHON:-python3}" -c "$choose")}
words=()
for library in $libraries; do
    words+=(--blas "$library")
done
status=0
# board ENDING OPTION...: into OUT.ENDING
board() {
    "$ktrace" compare --workloads "$workloads" --threads "${THREADS:-1,2}" --lapack "${LAPACK:-reference}" \
        --budget "${BUDGET:-1800}" "${words[@]}" "${@:2}" >"$out.$1.part" || status=$?
    [ "$status" -le 1 ] || { [ "$status" = 3 ] && [ -s "$out.$1.part" ]; } || exit "$status"
    mv "$out.$1.part" "$out.$1"
}
board json --json
board txt 2>/dev/null
board md --markdown 2>/dev/null
cat "$out.txt"
exit "$status"
