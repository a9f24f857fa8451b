#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# A large trace: how long it takes to record 10^8 calls of ddot(n=1), to read them all back and to report them; and the
# rate of the reader beside that of wc -l on the text of a smaller trace.
# Usage: tests/bench/volume.sh [CALLS] [CALLS_OF_THE_DUMP]
. tests/bench/lib.sh
calls=${1:-100000000} dumped=${2:-1000000}
export LD_LIBRARY_PATH; LD_LIBRARY_PATH=$(reference_blas)

room=$(df --output=avail --block-size=1 "$dir" | tail -n 1)
if [ "$room" -lt $((calls * 80)) ]; then
    echo "bench-volume: $dir has room for $room bytes, $((calls * 80)) may be needed; set TMPDIR"
    exit 4
fi

seconds() { awk -v from="$1" -v to="$EPOCHREALTIME" 'BEGIN { printf "%.2f", to - from }'; }
line() { # WHAT SECONDS CALLS REMARK
    awk -v what="$1" -v s="$2" -v n="$3" -v more="$4" \
        'BEGIN { printf "%-32s%8.2f s%9.1f million calls/s  %s\n", what, s, n / (s > 0 ? s : 0.005) / 1e6, more }'
}
# timed WHAT REMARK COMMAND...: its output goes to $dir/output
total=0
timed() {
    local what=$1 remark=$2 start=$EPOCHREALTIME spent; shift 2
    progress "$what"
    if ! "$@" >"$dir/output" 2>"$dir/error"; then
        progress
        echo "bench-volume: $what failed: $(tail -n 1 "$dir/error")"
        exit 1
    fi
    spent=$(seconds "$start")
    total=$(awk "BEGIN { print $total + $spent }")
    progress
    line "$what" "$spent" "$calls" "$remark"
}
record() { KTRACE_OUT=$dir/$1 LD_PRELOAD=$shim "$tools/calls" ddot "$2"; }

echo "$calls calls of ddot(n=1), one thread"
timed "record" "" record trace "$calls"
size=$(bytes_in "$dir/trace")
timed "ktrace check" "" "$B/ktrace" check "$dir/trace"
timed "ktrace report" "" "$B/ktrace" report --json "$dir/trace"
found="$(query 'd["calls"]' <"$dir/output") calls reported, $(info "$dir/trace" "d['state'] + ', %d lost' % $lost_calls")"
awk -v t="$total" -v size="$size" -v n="$calls" -v found="$found" 'BEGIN {
    printf "%-32s%8.2f s  %s 20\n", "all of it", t, t < 20 ? "met: <" : "not: <"
    printf "%-32s%8.2f GB, %.1f bytes a call; %s\n", "on disk", size / 1e9, size / n, found }'
rm -rf "$dir/trace"

calls=$dumped
record small "$calls" >/dev/null
echo "$calls of them"
timed "ktrace check" "" "$B/ktrace" check "$dir/small"
timed "ktrace dump" "" "$B/ktrace" dump "$dir/small"
mv "$dir/output" "$dir/text"
timed "wc -l" "$(stat -c %s "$dir/text" | awk '{ printf "%.0f MB", $1 / 1e6 }')" wc -l "$dir/text"
[ "$found" = "${1:-100000000} calls reported, complete, 0 lost" ] || exit 1
