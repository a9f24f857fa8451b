# SPDX-License-Identifier: BSD-3-Clause
# check: fast, 4 s
# The program behaves as without us and nothing that was recorded is lost, however it ends and whatever fails.
. tests/lib.sh
# Three times: with all nested calls, some, and none.
if [ -z "${KTRACE_NESTED:-}" ]; then
    for mode in all sample none; do
        mkdir "$T/$mode"
        T=$T/$mode KTRACE_NESTED=$mode bash tests/abi/shim_life.sh >"$T/$mode.out" || failures=1
        sed -E "s/^(not )?ok - /&nested $mode: /" "$T/$mode.out"
    done
    exit $failures
fi
life=$PWD/$B/tests/abi/life
run=$T/out
# behaves NAME EXPECTED_STATUS ARGS...: status and output are those of the program alone
behaves() {
    local name=$1 status=$2; shift 2
    same "$name: status and output" "$status $("$life" "$@" 2>&1)" "$(traced t "$life" "$@" >"$run" 2>"$T/err"; echo "$? $(<"$run")")"
}

behaves "plain end" 0 calls10; same "... calls" 10 "$(info t 'd["calls"]')"; same "... complete" complete "$(info t 'd["state"]')"
has "... one line on standard error" '^ktrace: 10 calls recorded in .*ktrace report' "$(<"$T/err")"
same "... and only one" 1 "$(wc -l <"$T/err")"; rm -r "$T/t"
behaves "exit status" 7 calls10 exit7; same "... calls" 10 "$(info t 'd["calls"]')"; rm -r "$T/t"
behaves "_exit" 5 calls10 _exit5; same "... calls" 10 "$(info t 'd["calls"]')"
same "... incomplete" incomplete "$(info t 'd["state"]')"; rm -r "$T/t"
behaves "killed inside a routine" 137 calls2000 killed; same "... calls" 2001 "$(info t 'd["calls"]')"
same "... the call in flight" "[('ddot', -9)]" "$(info t '[(c["routine"], c["args"]["n"]) for c in d["in_flight"]]')"; rm -r "$T/t"
behaves "abort" 134 calls10 abort; same "... calls" 10 "$(info t 'd["calls"]')"; rm -r "$T/t"
behaves "fork" 0 calls5 fork calls5; same "... both processes" "2 13" "$(info t 'd["processes"], d["calls"]' | tr -d '(),')"; rm -r "$T/t"
behaves "threads" 0 threads50 calls1; same "... all calls" 251 "$(info t 'd["calls"]')"
same "... of all threads" 51 "$(info t 'd["threads"]')"; rm -r "$T/t"
behaves "closed descriptors" 0 calls10 closefds calls100000; same "... calls" 100010 "$(info t 'd["calls"]')"; rm -r "$T/t"
behaves "a cancelled thread's call" 0 cancel calls10; same "... calls" 11 "$(info t 'd["calls"]')"; rm -r "$T/t"
behaves "a thread with a small stack" 0 stack; same "... calls" 5 "$(info t 'd["calls"]')"; rm -r "$T/t"
behaves "calls by signal handlers" 0 signals; has "... can be read" 'calls are readable|no problems|ok' "$("$B/ktrace" check "$T/t" 2>&1)"
same "... none of the program's is missing" True "$(info t 'd["calls"] + sum(l["calls"] for l in d["lost"]) >= 500000')"; rm -r "$T/t"
exec 8> >(true); wait $!
same "standard error that nobody reads: status" 0 "$(traced t "$life" calls10 2>&8 >/dev/null; echo $?)"; exec 8>&-; rm -r "$T/t"
(cd "$T" && KTRACE_OUT=$T/t LD_PRELOAD=$OLDPWD/$B/libktrace.so "$life" calls10 reopen >/dev/null 2>&1)
same "a file of the program as descriptor 2 stays as it is" 0 "$(wc -c <"$T/reopened")"; rm -r "$T/t"
mkdir "$T/here"
same "changed directory, relative path" "done" "$(cd "$T/here" && KTRACE_OUT=rel LD_PRELOAD="$OLDPWD/$B/libktrace.so" "$life" calls3 chdir calls3 2>/dev/null)"
same "... calls" 6 "$(info here/rel 'd["calls"]')"

# Without room the calls are passed on and counted.
same "file size limit: output" "done" "$(ulimit -f 128; traced small "$life" calls100000 2>"$T/err")"
has "... says so" 'calls were not recorded: no space' "$(<"$T/err")"
same "... nothing is missing from the count" 100000 "$(info small 'd["calls"] + sum(l["calls"] for l in d["lost"])')"
same "file size limit of 0: output and status" "done 0" "$(ulimit -f 0; echo $(traced none0 "$life" calls5000 2>/dev/null; echo $?))"
same "... leaves no directory of the process" "" "$(ls -d "$T"/none0/p* 2>/dev/null)"
if mkdir "$T/disk" && mount -t tmpfs -o size=1m ktrace-test "$T/disk" 2>/dev/null; then
    same "full disk: output" "done" "$(KTRACE_OUT=$T/disk/t LD_PRELOAD=$PWD/$B/libktrace.so "$life" calls1000000 2>"$T/err")"
    has "... says so" 'calls were not recorded: no space' "$(<"$T/err")"
    same "... nothing is missing from the count" 1000000 "$(info disk/t 'd["calls"] + sum(l["calls"] for l in d["lost"])')"
    umount "$T/disk"
else
    skip "full disk" "cannot mount a file system here"
fi
same "unwritable place: output" "done" "$(KTRACE_OUT=/proc/nowhere/t LD_PRELOAD=$PWD/$B/libktrace.so "$life" calls10 2>"$T/err")"
has "... says so" '10 calls were not recorded' "$(<"$T/err")"
same "disabled" "done" "$(KTRACE_DISABLE=1 traced off "$life" calls10 2>&1)"; true_that "... leaves nothing" test ! -e "$T/off"
same "program filter" "done" "$(KTRACE_PROGRAMS='x*,y' traced off "$life" calls10 2>&1)"; true_that "... leaves nothing" test ! -e "$T/off"
traced quiet env KTRACE_QUIET=1 "$life" calls10 >/dev/null 2>"$T/err"; same "quiet" 0 "$(wc -c <"$T/err")"
has "KTRACE_CLOCK that is misspelt" 'KTRACE_CLOCK=monotone: expected tsc or monotonic' "$(KTRACE_CLOCK=monotone traced clock "$life" calls1 2>&1)"
same "... has no effect" "$(traced usual "$life" calls1 >/dev/null 2>&1; grep -h '^clock	' "$T"/usual/p*/meta)" "$(grep -h '^clock	' "$T"/clock/p*/meta)"
has "unknown variable" 'unknown variable KTRACE_TYPO' "$(KTRACE_TYPO=1 traced typo "$life" calls1 2>&1)"
same "a program without calls leaves nothing" "" "$(traced none true 2>&1; ls "$T/none" 2>/dev/null)"
exit $((failures != 0))
