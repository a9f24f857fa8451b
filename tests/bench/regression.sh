#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# How often examples/ci/regression.sh is wrong: a program beside one whose dgemm of order 48 takes 10 % longer, and beside
# itself, TIMES times each, with RUNS runs of each. Real runs, so the figures depend on the machine.
. tests/bench/lib.sh
times=${TIMES:-20}
slow=$(realpath "$B")/tests/diff/slow.so
cat >"$dir/app" <<END
#!/bin/sh
LD_PRELOAD="\$LD_PRELOAD $slow" SLOW_M=48 SLOW_PERCENT=\$1 exec $(realpath "$B")/tests/diff/rounds 100
END
chmod +x "$dir/app"
# try PERCENT: adds to FAILED where the status is 1
try() {
    status=0
    KTRACE=$B/ktrace examples/ci/regression.sh -n "${RUNS:-10}" -o "$dir/runs" "$dir/app 0" "$dir/app $1" >/dev/null || status=$?
    [ "$status" -le 1 ] || { echo "regression.sh ended with status $status" >&2; exit 1; }
    failed=$((failed + status))
    [ "$status" = "$2" ] || { echo "not as expected:"; cat "$dir/runs/diff.md"; }
    rm -rf "$dir/runs"
}
for percent in ${PERCENTS:-10 0}; do
    failed=0
    for i in $(seq "$times"); do
        progress "$percent % slower, $i of $times"
        try $percent $((percent > 0))
    done
    progress ""
    echo "$percent % slower: failed $failed of $times (asked: $([ $percent = 0 ] && echo 1 at most || echo all))"
done
