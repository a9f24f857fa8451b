# SPDX-License-Identifier: BSD-3-Clause
# check: slow, 100 s
# Threads that come and go, are cancelled or interrupted: the program behaves as without us, and no call is missing.
ALONE=once
. tests/fault/lib.sh
crew=$F/crew
behaves "12,000 short threads" "$crew" short 12000; sound
holds "threads, calls, losses" "(12000, 12000, [])" 'd["threads"], d["calls"], d["lost"]'
KTRACE_MAX_BYTES=100k behaves "2,000 threads and a limit for all" "$crew" short 2000
true_that "... their streams are no longer" test "$(du -b -c "$T"/t/p*/t* | tail -n 1 | cut -f 1)" -le 100000
holds "... calls and losses" 2000 'd["calls"] + sum(l["calls"] for l in d["lost"])'
behaves "threads alive at exit" "$crew" alive 50000; sound; true_that "... calls" test "$(info t 'd["calls"]')" -gt 1000
behaves "main ends before a thread does" "$crew" leave 3000; sound
holds "calls" "(6000, 'complete')" 'd["calls"], d["state"]'
behaves "threads cancelled between calls" "$crew" deferred 150; sound; holds "no call in flight" "('complete', [])" 'd["state"], d["in_flight"]'
behaves "threads cancelled within calls" "$crew" any 3000; sound; holds "the state" "('complete', [])" 'd["state"], d["lost"]'
behaves "fork amid threads' calls" "$crew" forks 60; sound; holds "processes" 61 'd["processes"]'
for mode in all sample none; do
    KTRACE_NESTED=$mode behaves "threads, modules that come and go, and forks, nested $mode" "$F/race" 30 "$PWD/$B/tests/abi/module_any.so"; sound
    holds "processes, losses" "(31, [])" 'd["processes"], d["lost"]'
done
behaves "a lock that a thread has and a fork waits for" "$crew" locks 1; sound
holds "calls, and the one that is lost" "(1, 1)" 'd["calls"], sum(l["calls"] for l in d["lost"])'
behaves "signals for the process reach the thread that waits" "$crew" wait 60; sound; holds "calls" 180000 'd["calls"]'
behaves "setuid" "$crew" setuid 60; sound; holds "calls" 180000 'd["calls"]'
behaves "a thing that only processes of one thread may do" "$crew" alone 20000; sound; holds "calls" 20000 'd["calls"]'

# Calls of the routines that the program counts: those that ended, and perhaps some that were left. Of what is lost it is
# not known which routines it was.
within_counts() {
    local ended left found lost
    read -r ended left _ <"$T/under/COUNTS"
    found=$("$B/ktrace" report --json "$T/t" | query 'sum(r["calls"] for r in d["routines"] if r["routine"] in ("ddot", "dgesv", "dpotrf"))')
    lost=$(info t 'sum(l["calls"] for l in d["lost"])')
    true_that "... calls: $ended - $lost <= $found <= $ended + $left" test $((ended - lost)) -le "$found" -a "$found" -le $((ended + left))
    # Lost are nested calls as well: one in a hundred of all calls at most.
    true_that "... few are lost" test $((100 * lost)) -lt "$(info t 'd["calls"]')"
}
# Calls of handlers that interrupt a call nest in it.
export KTRACE_NESTED=all
# Calls nested in one of dgesv and of dpotrf: all but outermost ones are passed on.
nested_in() { KTRACE_NESTED=all traced one "$PWD/$B/tests/nested/nest_counts" mixed 1 >/dev/null 2>&1; calls one "sum(r == '$1' for r in [__import__('functools').reduce(lambda r, c: {**r, c['n']: c['routine'] if c['parent'] is None else r[c['parent']]}, d, {})] for r in r.values()) - 1"; rm -r "$T/one"; }
in_solve=$(nested_in dgesv) in_factor=$(nested_in dpotrf)
# Whoever calls, each call is recorded, passed on or lost.
all_counted() {
    local leaves solves factors
    read -r _ _ leaves solves factors <"$T/under/COUNTS"
    holds "recorded, passed on and lost is all" "$((leaves + solves * (in_solve + 1) + factors * (in_factor + 1)))" 'd["calls"] + d["nested"]["passed"] + sum(l["calls"] for l in d["lost"])'
}
for stack in same own; do
    for way in return jump; do
        for mode in all sample none; do
            KTRACE_NESTED=$mode behaves "signal handlers that call, $stack stack, $way, nested $mode" "$F/interrupts" $stack $way 200; sound
            [ $mode != all ] || within_counts
            [ $way = jump ] || all_counted
        done
    done
done

# Calls that are left count as begun; all that returned are there, or lost with a reason. Calls of handlers may nest.
left_counted() {
    local made returned handled calls complete lost
    read -r made returned handled <"$T/under/COUNTS"
    read -r calls complete < <("$B/ktrace" check --json "$T/t" | query 'd["calls"], d["complete_calls"]' | tr -d '(),')
    lost=$(info t 'sum(l["calls"] for l in d["lost"])')
    true_that "... calls: $returned - $lost <= $complete <= $calls <= $made + $handled" \
        test $((returned - lost)) -le "$complete" -a "$complete" -le "$calls" -a "$calls" -le $((made + handled))
    true_that "... few are lost" test $((100 * lost)) -lt "$calls"
}
for mode in full profile; do
    for nested in all none; do
        KTRACE_ROUTINES=ddot,dgesv KTRACE_MODE=$mode KTRACE_NESTED=$nested behaves "calls left by jumps and cancellations, mode $mode, nested $nested" "$F/left" 3
        sound; left_counted
    done
done

# What can block is never left by a signal, a jump or a cancellation (the linker's lock, the C library's, ours).
storm() { local -x "$1"; behaves "a storm of signals, jumps and cancellations: $1" "$F/storm" 4 "$PWD/$B/tests/abi/module_any.so"; }
for mode in KTRACE_NESTED=sample KTRACE_NESTED=all KTRACE_MODE=profile KTRACE_SAMPLE=10 KTRACE_DISABLE=1; do storm "$mode"; done

# No descriptor of ours takes a number that the program expects, receives what it writes, or is closed by it.
for mode in full profile; do
    for use in standard all lowest; do
        KTRACE_MODE=$mode behaves "a thread that uses descriptors ($use), mode $mode" "$F/descriptors" $use 3000000; sound
        holds "calls" "(3000000, [])" 'd["calls"], d["lost"]'
    done
done
exit $((failures != 0))
