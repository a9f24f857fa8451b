# SPDX-License-Identifier: BSD-3-Clause
# check: slow, 18 s
# Processes that die, are replaced or make others behave as without us, and what was recorded can be read.
. tests/fault/lib.sh
ends=$F/ends xerbla=$F/xerbla
flight='[c["routine"] for c in d["in_flight"]]'
per_process() { calls t 'sorted([c["pid"] for c in d].count(p) for p in {c["pid"] for c in d})'; }

behaves "SIGSEGV in a routine" "$ends" calls100 segv; sound
holds "the call in flight" "(101, [('ddot', 4)], 'incomplete')" 'd["calls"], [(c["routine"], c["args"]["n"]) for c in d["in_flight"]], d["state"]'
for mode in all sample none; do
    KTRACE_NESTED=$mode behaves "SIGSEGV in a routine of a routine, handled by leaving, nested $mode" "$ends" calls100 segvs; sound
    holds "the calls in flight" "$([ $mode = none ] && echo "['dgesv']" || echo "['dgesv', 'dgetrs', 'dtrsm']")" "$flight"
done
behaves "SIGSEGV in routines, handled by going on" "$ends" calls100 jump50 calls100; sound
holds "the state" "('complete', [])" 'd["state"], d["in_flight"]'
same "... the calls that ended" 200 "$(calls t 'sum(c["complete"] and c["routine"] == "ddot" for c in d)')"
behaves "the library ends the process" "$ends" calls100 stop; sound; holds "calls" 101 'd["calls"]'
for from in blas lapack; do
    behaves "abort in $from" "$xerbla" abort $from 1; sound
    holds "the call in flight" "$([ $from = blas ] && echo dgemm || echo dpotrf)" 'd["in_flight"][0]["routine"]'
    behaves "exit in $from" "$xerbla" exit $from 1; sound
    for way in return longjmp throw calls; do
        for mode in all sample none; do
            KTRACE_NESTED=$mode behaves "an error handler: $way from $from, nested $mode" "$xerbla" $way $from 200; sound
            holds "the state" "('complete', [], [])" 'd["state"], d["in_flight"], d["lost"]'
            same "... depths" "[0]" "$(calls t 'sorted({c["depth"] for c in d if c["routine"] == "ddot" and c["parent"] is None})')"
            same "... none of the program's calls is missing" "200" "$(calls t 'sum(c["routine"] == "ddot" and c["args"]["n"] == 3 for c in d)')"
        done
    done
done

behaves "_exit" "$ends" calls1000 _exit5; sound; holds "calls" 1000 'd["calls"]'
behaves "quick_exit, with calls by its functions" "$ends" calls1000 quick_exit6; sound; holds "calls" 1002 'd["calls"]'
behaves "exit, with calls by its functions" "$ends" calls1000 exit7; sound; holds "calls" "(1002, 'complete')" 'd["calls"], d["state"]'
behaves "exec" "$ends" calls10 exec7; sound; holds "processes and calls" "(2, 17)" 'd["processes"], d["calls"]'
KTRACE_FOLLOW=0 behaves "exec, KTRACE_FOLLOW=0" "$ends" calls10 exec7; sound
holds "processes and calls" "(1, 10)" 'd["processes"], d["calls"]'
behaves "fork" "$ends" calls10 fork5 calls10; sound; same "... calls of each" "[5, 20]" "$(per_process)"
behaves "children of children" "$ends" chain6; sound; same "... calls of each" "[5, 5, 5, 5, 5, 5, 5]" "$(per_process)"
behaves "fork and exec" "$ends" calls10 system5 calls10; sound; same "... calls of each" "[5, 20]" "$(per_process)"
behaves "vfork and exec" "$ends" calls10 vfork5 calls10; sound; same "... calls of each" "[5, 20]" "$(per_process)"
behaves "posix_spawn" "$ends" calls10 spawn5 calls10; sound; same "... calls of each" "[5, 20]" "$(per_process)"
KTRACE_FOLLOW=0 behaves "posix_spawn, KTRACE_FOLLOW=0" "$ends" calls10 spawn5 calls10; sound; same "... calls of each" "[20]" "$(per_process)"
behaves "calls of a child that shares our memory" "$ends" calls10 borrow5 calls10; sound
true_that "... none of ours is missing" test "$(info t 'd["calls"]')" -ge 20
behaves "raw clone" "$ends" calls10 clone1000 calls10; sound; same "... calls of each" "[1000, 1020]" "$(per_process)"
behaves "raw clone before the first call" "$ends" clone1000 calls10; sound; same "... calls of each" "[1000, 1010]" "$(per_process)"
behaves "raw clones, with fork in between" "$ends" calls5000 clones30 fork5 clones30; sound
same "... calls of each" "$(printf '[5, '; printf '10, %.0s' {1..60}; echo 5600])" "$(per_process)"
for mode in full profile; do
    KTRACE_MODE=$mode behaves "raw clone that makes no call, mode $mode" "$ends" calls10 leaver5 calls10; sound
    same "... calls of each" "[20]" "$(info t 'sorted(p["calls"] for p in d["process_table"])')"
    same "... one end is told" "20 1" "$(said '(recorded|counted)') $(wc -l <"$T/said")"
done
behaves "raw clones that bind while threads do" "$ends" calls10 binders200 calls10; sound
behaves "a daemon" "$ends" calls10 daemon20 say1; sound; same "... calls of each" "[10, 20]" "$(per_process)"

# Bytes of stack: the first call of the process, the first of another routine, one like the first, and a hundred thousand.
# The linker binds before: it keeps all registers of the processor, which alone take more on some.
for mode in MODE=full MODE=profile STACKS=paths; do for threads in one threads; do
    read -r first binding again many < <(export "KTRACE_$mode" LD_BIND_NOW=1; traced depth "$F/depth" $threads)
    true_that "a first call needs $first bytes of stack, a binding $binding ($mode, $threads)" test "$first" -le 3072 -a "$binding" -le 3072
    true_that "... a call $again, one that hands over what was recorded $many" test "$again" -le 1536 -a "$many" -le 1536
done; done

# Programs that forbid themselves system calls: recorded as far as there is room, then counted.
for mode in KTRACE_MODE=full KTRACE_MODE=profile KTRACE_DISABLE=1; do
    for how in strict filter seccomp stamps wrong; do
        for first in 0 1000; do
            behaves "a sandbox ($how) after $first calls, $mode" env "$mode" "$F/sandbox" $first $how 100000
            [ "$mode" = KTRACE_MODE=full ] && [ $first = 1000 ] || continue
            sound
            # The strict mode takes the time stamps as well.
            case $how in strict | stamps)
                holds "the first are recorded" 1000 'd["calls"]'
                same "... and one line says that no others are" 1 "$(grep -c "nothing is recorded from here on" "$T/said")"
                continue ;;
            esac
            holds "more than the first are recorded" True 'd["calls"] > 2000'
            holds "the others are counted" True '101002 <= d["calls"] + sum(l["calls"] for l in d["lost"]) < 101020'
        done
    done
done
exit $((failures != 0))
