#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# The tail: gaps between calls with full recording, beside those of the same program alone for the same time.
# Usage: tests/bench/pauses.sh [ROUNDS] [CALLS]
. tests/bench/lib.sh
rounds=${1:-4} calls=${2:-10000000}
export LD_LIBRARY_PATH; LD_LIBRARY_PATH=$(reference_blas)

for ((round = 1; round <= rounds; round++)); do
    progress "pauses: round $round of $rounds"
    traced=$(KTRACE_OUT=$dir/trace LD_PRELOAD=$shim "$tools/pauses" "$calls")
    lost=$(info "$dir/trace" "$lost_calls")
    rm -rf "$dir/trace"
    echo "full $traced" >>"$dir/gaps"
    echo "plain $("$tools/pauses" "$calls" "${traced%% *}")" >>"$dir/gaps"
    [ "$lost" = 0 ] || echo "! $lost calls were lost in round $round"
done
progress
echo
echo "Pauses: calls of ddot(n=1) that took longer than the median by so much; $rounds rounds"
echo "of $calls calls with full recording, and for the same time without"
awk '
function line(who,   i) {
    printf "%-8s%8.2f", who, total[who, 2]
    for (i = 5; i <= 10; i++) printf "%9d", total[who, i]
    printf "%9s\n", largest[who] < 1000 ? sprintf("%.0f us", largest[who]) : sprintf("%.1f ms", largest[who] / 1000)
}
function causes(who) {
    printf "%-8s%14d%14d%14d%16d\n", who, total[who, 14], total[who, 12], total[who, 13], total[who, 15]
}
function not_preempted(who) { return total[who, 12] + total[who, 13] + total[who, 15] }
# Rare events: their number varies by its square root.
function verdict(full, plain,   chance) {
    chance = int(2 * sqrt(full + plain))
    return sprintf("%s: %d without a preemption with ktrace, %d alone; by chance up to %d more",
                   full - plain <= chance ? "met" : "not", full, plain, chance)
}
{ for (i = 2; i <= NF; i++) total[$1, i] += $i; if ($11 > largest[$1]) largest[$1] = $11 }
END {
    printf "%-8s%8s%9s%9s%9s%9s%9s%9s%9s\n", "", "seconds", "> 1 us", "> 5", "> 10", "> 20", "> 50", "> 100 us", "largest"
    line("plain"); line("full")
    printf "\nWhat the kernel counted during those above 20 us; nothing: an interrupt, the host,\n"
    printf "or a system call of ktrace\n%-8s%14s%14s%14s%16s\n", "", "preempted", "page fault", "slept", "nothing"
    causes("plain"); causes("full")
    printf "%s\n", verdict(not_preempted("full"), not_preempted("plain"))
}' "$dir/gaps"
