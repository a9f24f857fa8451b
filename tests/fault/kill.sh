# SPDX-License-Identifier: BSD-3-Clause
# check: slow, 7 s
# Programs of one and of four threads are killed at random times; each trace holds exactly what they counted.
# RUNS=1000 is what `make kill-test` does.
. tests/lib.sh
export KTRACE_NESTED=all # every call is counted
F=$PWD/$B/tests/fault
killed() { "$F/killer" "$PWD/$B/ktrace" "$PWD/$B/libktrace.so" "$F/victim" "$T" "$@"; }
runs=${RUNS:-100}
for stacks in lines paths; do
    out=$(KTRACE_STACKS=$stacks killed $((runs / 2)) 2>&1)
    if [ $? = 0 ]; then ok "killed programs, $stacks: $out"; else not_ok "killed programs, $stacks" "$(tail -n 19 <<<"$out")"; fi
done
out=$(killed 50 cut 2>&1) # most are killed before they record anything, where programs start slowly
same "a trace that lost its end is noticed" 1 $?
has "... by what is missing" 'the trace holds' "$out"
exit $((failures != 0))
