# SPDX-License-Identifier: BSD-3-Clause
# check: slow, 75 s
# Profile mode: the same counts as a full trace, in memory that is bounded whatever happens, and readable after a kill.
. tests/lib.sh
export KTRACE_NESTED=all # what nests in calls is looked at
export KTRACE_QUIET=1
counts=$PWD/$B/tests/profile/counts
profiled() { local out=$1; shift; KTRACE_MODE=profile traced "$out" "$@"; }
# Where that is allowed, no other program gets between: which calls are drawn, and what a part of them is of all, depends on time.
undisturbed=(); chrt -f 1 true 2>/dev/null && undisturbed=(chrt -f 1)
report() { "$B/ktrace" report --json "$T/$1"; }
# Memory that the program has more than without us, in KiB.
more_memory() { local own; own=$(KTRACE_DISABLE=1 traced none "$counts" "$@"); echo $(($(profiled "mem.$1" "$counts" "$@" | cut -d' ' -f2) - ${own#* })); }

# --- the same as a full trace ---------------------------------------------------------------------------------------
traced full "$counts" mix 20 >/dev/null
profiled profile "$counts" mix 20 >/dev/null
report full >"$T/full.json"; report profile >"$T/profile.json"
out=$("$PYTHON" tests/profile/same.py "$T/full.json" "$T/profile.json")
has "counts, operations and callers are those of a full trace" "^[0-9]+ shapes, [0-9]+ routines$" "$out"
same "and nothing differs" 1 "$(wc -l <<<"$out")"
same "info says what it is" "profile full" "$(info profile 'd["mode"]') $(info full 'd["mode"]')"
same "check finds nothing wrong" 0 "$("$B/ktrace" check "$T/profile" >/dev/null; echo $?)"
# Single shapes of some routines, so few that all are measured; of the others their number.
replay() { "$B/ktrace" replay --level "$2" --context warm,cold --budget 0.05 --json "${@:3}" "$T/$1"; } # TRACE LEVEL OPTION...
shapes='sorted((s["routine"], str(s["args"]), s["calls"]) for s in d["shapes"]), d["left_out"]["shapes"]'
all='len(d["shapes"] + d["not_replayed"]) + d["left_out"]["shapes"], sum(s["calls"] for s in d["shapes"] + d["not_replayed"]) + d["left_out"]["calls"]'
for part in "outermost dgesv,dsyev" "leaves dsyrk"; do
    level=${part% *} routines=${part#* }
    same "replay, $level: the same shapes" "$(replay full "$level" --routine "$routines" | query "$shapes")" "$(replay profile "$level" --routine "$routines" | query "$shapes")"
    same "... as many in all, and calls" "$(replay full "$level" | query "$all")" "$(replay profile "$level" | query "$all")"
done
has "a C program of a shape" "dpotrf_ as recorded by ktrace: the first call of shape" "$("$B/ktrace" repro --routine dpotrf "$T/profile")"
has "which has its info" "info = [1-9]" "$("$B/ktrace" repro --routine dpotrf "$T/profile")"
has "there is no single call" "has no single calls" "$("$B/ktrace" repro --call 1 "$T/profile" 2>&1)"
"$B/ktrace" pack --output "$T/packed.tar.zst" "$T/profile" >/dev/null
routines='[(r["routine"], r["calls"], r["seconds"]) for r in d["routines"]]'
same "packed, it is the same" "$(query "$routines" <"$T/profile.json")" "$("$B/ktrace" report --json "$T/packed.tar.zst" | query "$routines")"
same "ktrace run --mode" "profile 100" "$("$B/ktrace" run --mode profile -o "$T/run" -- "$counts" fixed 100 >/dev/null; info run 'd["mode"]') $(info run 'd["calls"]')"
has "a mode that does not exist" "KTRACE_MODE=some: expected full or profile" "$(KTRACE_QUIET=0 KTRACE_MODE=some traced some "$counts" fixed 1 2>&1)"

# --- nested calls of some outermost calls only -------------------------------------------------------------------------
large() { # NAME MODE
    KTRACE_NESTED=$2 profiled "$1" "${undisturbed[@]}" "$counts" large 40 >/dev/null
    report "$1" >"$T/$1.json"
}
for i in 1 2 3 4 5; do large "large.all$i" all; large "large.sample$i" sample; done
large large.none none
out=$("$PYTHON" tests/profile/near.py "$T"/large.all?.json "$T"/large.sample?.json)
has "by default outermost calls are all counted, and what nests in them is estimated" "^[0-9]+ nested routines$" "$out"
same "near what it is if all are counted" "" "$(grep -vE '^[0-9]+ nested routines$' <<<"$out")"
text=$("$B/ktrace" report --all "$T/large.sample1")
has "the report says from how many calls" "^inside dsyev: from [0-9]+ of 160 calls" "$text"
has "and that the error is not known" "^dsteqr .* n/a " "$text"
has "and how many were passed on" "nested ones are recorded, the others passed on" "$text"
has "so does info" "recorded in [0-9]+ of 320 outermost calls; [0-9,]+ nested calls were passed on" "$("$B/ktrace" info "$T/large.sample1" | tr -s ' \n' ' ')"
same "without any sample nothing is known of them" "['dpotrf', 'dsyev'] 0 0" \
    "$(query 'sorted(r["routine"] for r in d["routines"])' <"$T/large.none.json") $(query 'sum(i["sampled"] for i in d["inside"])' <"$T/large.none.json") $(info large.none 'd["nested"]["outermost_inside"]')"
same "passed on are all that nest" "$(info large.all1 'd["calls"]')" "$(info large.none 'd["calls"] + d["nested"]["passed"]')"
same "check finds nothing wrong there" 0 "$("$B/ktrace" check "$T/large.sample1" >/dev/null; echo $?)"
has "leaves are those recorded, which is said" "nested calls are not in the trace" "$("$B/ktrace" replay --level leaves --routine dsyr2k --context warm --budget 0.05 "$T/large.sample1" 2>&1 >/dev/null)"
KTRACE_NESTED=sample profiled small "${undisturbed[@]}" "$counts" mix 20 >/dev/null
true_that "the profile is smaller" test $((2 * $(cat "$T"/small/p*/s* | wc -c))) -lt "$(cat "$T"/profile/p*/s* | wc -c)"

# --- bounded --------------------------------------------------------------------------------------------------------
true_that "100,000 shapes in less than 16 MiB" test "$(more_memory shapes 100000 3)" -lt 16384
same "no call is missing" "300000 300000" "$(info mem.shapes 'd["calls"]') $(report mem.shapes | query 'd["routines"][0]["calls"]')"
same "what had no room is counted, and its work is not guessed" "True None" \
    "$(info mem.shapes 'd["overflow"] > 200000 and d["overflow"] < 300000') $(report mem.shapes | query 'd["routines"][0]["flops"]')"
same "shapes and overflow are all calls" 300000 "$(report mem.shapes | query 'd["overflow"] + sum(s["calls"] for s in d["shapes"])')"
has "and check says so" "had no room for their shape" "$("$B/ktrace" check "$T/mem.shapes")"
profiled equations "$counts" equations 400 >/dev/null
same "calls that nest leave room for the shapes of those that do not" "400 True" "$(report equations | query 'len(d["shapes"])') $(info equations 'd["overflow"] > 0')"
true_that "5,000 threads one after the other: 2 MiB" test "$(more_memory threads 5000)" -lt 2048
same "no call of theirs is missing, nor a thread" "9999 5000 0" "$(info mem.threads 'd["calls"]') $(info mem.threads 'd["threads"]') $(info mem.threads 'd["overflow"]')"
same "calls of threads add up" 9999 "$(report mem.threads | query 'sum(t["calls"] for t in d["threads"])')"
profiled crowd "$counts" crowd 1000 >/dev/null
same "1,000 threads at one time" "1999 1000" "$(info crowd 'd["calls"]') $(info crowd 'd["threads"]')"
profiled scalars "$counts" scalars 1000 >/dev/null
same "scalars are told apart by class" "[1, 1, 1, 1000]" "$(report scalars | query 'sorted(s["calls"] for s in d["shapes"])')"
true_that "10^7 calls of one shape" test "$(more_memory fixed 10000000)" -lt 2048
same "are one count" "10000000 1" "$(info mem.fixed 'd["calls"]') $(report mem.fixed | query 'len(d["shapes"])')"

# A file of holes whose last cell is farther behind than places tell.
profiled far "$counts" fixed 100 >/dev/null
if "$PYTHON" tests/profile/far.py "$(echo "$T"/far/p*/s*)" 2>/dev/null; then
    same "what is beyond 32 GiB of a profile is lost, and said to be" "100 True" "$(report far | query 'str(d["calls_top"]) + " " + str(bool(d["damage"]))')"
else
    skip "a profile of more than 32 GiB" "the file system has no such files"
fi

# --- nothing lost ---------------------------------------------------------------------------------------------------
same "a forked child has a profile of its own" "[50, 50]" "$(profiled fork "$counts" fork 50 >/dev/null; info fork 'sorted(p["calls"] for p in d["process_table"])')"
# begun and ended: how many more than the program's own count; a call may be in flight on either side of it.
facts='" ".join(map(str, (d["calls"], d["calls"] - d["unfinished"], sum(s["calls"] for s in d["shapes"]), d["state"])))'
for i in 1 2 3 4 5 6 7 8; do
    head -c 4096 /dev/zero >"$T/count"
    KTRACE_MODE=profile KTRACE_OUT="$T/kill$i" LD_PRELOAD="$PWD/$B/libktrace.so" "$counts" forever 3<>"$T/count" &
    while [ ! -e "$T/kill$i"/p*/s* ]; do sleep 0.01; done
    sleep 0.0$i; kill -9 $!; wait $! 2>/dev/null
    own=$(od -An -t u8 -N 8 "$T/count")
    read -r begun ended shapes state <<<"$(report "kill$i" | query "$facts")"
    true_that "killed, run $i: $own calls by its own count, $begun begun, $ended ended" \
        test $((begun - own)) -ge 0 -a $((begun - own)) -le 1 -a $((ended - own)) -ge 0 -a $((ended - own)) -le 1
    same "all that ended have a shape; the trace is incomplete" "$ended incomplete" "$shapes $state"
done
if mkdir "$T/full_disk" && mount -t tmpfs -o size=64k none "$T/full_disk" 2>/dev/null; then
    same "a full disk: the program goes on" "30000" "$(KTRACE_OUT="$T/full_disk/t" KTRACE_MODE=profile LD_PRELOAD="$PWD/$B/libktrace.so" "$counts" shapes 10000 3 | cut -d' ' -f1)"
    same "and no call is missing" 30000 "$("$B/ktrace" info --json "$T/full_disk/t" | query 'd["calls"] + sum(l["calls"] for l in d["lost"])')"
    umount "$T/full_disk"
else
    skip "a full disk" "cannot mount a tmpfs"
fi
