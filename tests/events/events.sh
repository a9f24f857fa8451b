# SPDX-License-Identifier: BSD-3-Clause
# check: fast, 2 s
# Counters of calls (preload/events.h): what the kernel really counts, codes of processors that are not here, and
# everything that can keep a counter from counting.
. tests/lib.sh
driver="$B/tests/events/driver"
fake="$PWD/$B/tests/events/fake.so"
refuse="$B/tests/events/refuse"

# run EVENTS STEP...: what the driver prints; its last lines, one for each event, are what the definitions end with
run() { local events=$1; shift; KTRACE_EVENTS=$events "$driver" "$@" 2>"$T/err"; }
# field ID NUMBER: that field of the last line of an event, of the text on standard input
field() { awk -F '\t' -v id="$1" -v n="$2" '$1 == "counter" && $2 == id { last = $n } END { print last }'; }
# deltas NAME: the counts of the calls of that name
deltas() { sed -n "s/^$1 [0-9]*: //p"; }

libpfm=$(ldconfig -p | awk '/libpfm\.so\.4/ { print $NF; exit }')
if [ -z "$libpfm" ]; then not_ok "libpfm4 is there" "apt install libpfm4"; exit 1; fi

# --- what the kernel counts -----------------------------------------------------------------------------------------
real=$(run perf::PAGE-FAULTS nothing=1 fresh=50 touch=50 touch=50)
if [ "$(field 0 4 <<<"$real")" = n/a ]; then
    skip "counts of the kernel" "$(field 0 5 <<<"$real")"
else
    same "page faults of 50 fresh pages, then of the same" "0 50 0" "$(deltas '[a-z]*' <<<"$real" | xargs)"
    same "page faults are counted without reservation" "counted " "$(field 0 4 <<<"$real") $(field 0 5 <<<"$real")"
    out=$(run perf::CONTEXT-SWITCHES,perf::PAGE-FAULTS,perf::TASK-CLOCK nothing=1 sleep=10 fresh=20 touch=20)
    switches=$(deltas sleep <<<"$out" | cut -d' ' -f1)
    if [ "$switches" -ge 10 ]; then ok "ten sleeps switch ten times or more"; else not_ok "ten sleeps switch ten times or more" "$out"; fi
    same "a group's later members count from the start" "20" "$(run perf::TASK-CLOCK,perf::PAGE-FAULTS fresh=20 touch=20 | deltas touch | cut -d' ' -f2)"
    # The event stops before each switch of the processor and starts behind it, which takes a virtual machine a tenth of a
    # millisecond: one run of some without a switch tells.
    for _ in {1..50}; do
        read -r switches _ clock <<<"$(run perf::CONTEXT-SWITCHES,perf::PAGE-FAULTS,perf::TASK-CLOCK burn=3 | deltas burn)"
        [ "$switches" != 0 ] || break
    done
    if [ "$switches" = 0 ] && [ "$clock" -ge 3000000 ]; then ok "a task clock of at least 3 ms"; else not_ok "a task clock of at least 3 ms" "$switches switches, $clock"; fi
    same "errno stays what it is" "" "$(grep errno <<<"$out")"
    # level D touches two pages itself, as every one nested in it
    same "nested calls count in all calls around them" "6 4 2" "$(run perf::PAGE-FAULTS nothing=1 fresh=6 nest=3 | deltas level | sort -rn | xargs)"
    deep=$(run perf::PAGE-FAULTS nothing=1 fresh=140 nest=66)
    same "calls nested too deep are n/a" "level 64: n/a level 65: n/a" "$(grep n/a <<<"$deep" | grep level | sort | xargs)"
    same "and it is said" "partly calls nested deeper than 64 levels" "$(field 0 4 <<<"$deep") $(field 0 5 <<<"$deep")"
    same "each thread counts for itself" "10 20 30 40 50 60 70 80" "$(run perf::PAGE-FAULTS crew=10 | deltas thread | xargs)"
    same "threads that have ended hold no descriptor" "held 8 left 0" "$(run perf::PAGE-FAULTS crew=10 | grep -E '^(held|left)' | xargs)"
    out=$(run perf::PAGE-FAULTS,perf::TASK-CLOCK nothing=1 fork=7)
    same "a forked child has counters of its own" "inherited 0 7 child holds 2" "$(sed -nE 's/^child 7: ([0-9]+) .*/\1/p; /holds|inherited/p' <<<"$out" | xargs)"
    out=$(run perf::PAGE-FAULTS,perf::TASK-CLOCK nothing=1 clone=7)
    same "a child by clone() too" "7 child holds 2" "$(sed -nE 's/^child 7: ([0-9]+) .*/\1/p; /holds/p' <<<"$out" | xargs)"
    same "descriptors are high and end with exec" "high files 1" "$(run perf::PAGE-FAULTS nothing=1 files | grep files)"
    out=$(run perf::PAGE-FAULTS nothing=1 close fresh=3 touch=3 touch=3 files)
    same "a program may close all descriptors" "n/a n/a" "$(deltas touch <<<"$out" | xargs)"
    same "and it is said" "partly closed by the program" "$(field 0 4 <<<"$out") $(field 0 5 <<<"$out")"
    out=$(run perf::PAGE-FAULTS nothing=1 close nothing=2)
    same "errno stays what it is" "nothing 2: n/a" "$(grep -E 'errno|^nothing 2' <<<"$out")"
    out=$(run perf::PAGE-FAULTS,perf::TASK-CLOCK nothing=1 replace fresh=3 touch=3 pipe)
    same "nothing is read from a file that got the number" "n/a n/a pipe: 512 bytes" "$(deltas touch <<<"$out" | xargs) $(grep pipe <<<"$out")"
    same "what only the kernel does is n/a in user mode, not 0" "n/a" "$(run perf::CONTEXT-SWITCHES:u sleep=2 | deltas sleep)"
    out=$( (ulimit -n 12; run perf::PAGE-FAULTS,perf::TASK-CLOCK,perf::CPU-CLOCK,perf::MINOR-FAULTS nothing=1) )
    same "a quarter of the descriptors at most" "0 n/a" "$(deltas nothing <<<"$out" | awk '{ print $1, $4 }')"
    has "and it is said" "^a quarter of" "$(field 3 5 <<<"$out")"
fi

# --- who may count --------------------------------------------------------------------------------------------------
if [ "$(id -u)" != 0 ] || [ "$(cat /proc/sys/kernel/perf_event_paranoid)" != 2 ]; then
    skip "users without rights" "needs root, and a perf_event_paranoid of 2"
else
    chmod 755 "$T" && cp "$driver" "$T/driver"
    out=$(KTRACE_EVENTS=perf::PAGE-FAULTS,perf::CONTEXT-SWITCHES setpriv --reuid=65534 --regid=65534 --clear-groups "$T/driver" nothing=1 fresh=9 touch=9 sleep=3 2>&1)
    same "a user without rights counts in user mode" "9 n/a" "$(deltas touch <<<"$out")"
    has "and it is said" "^user mode only" "$(field 0 5 <<<"$out")"
    has "what only the kernel does is n/a, not 0" "n/a it happens in the kernel" "$(field 1 4 <<<"$out") $(field 1 5 <<<"$out")"
fi
while read -r number status reason; do
    out=$("$refuse" "$number" env KTRACE_EVENTS=perf::PAGE-FAULTS "$driver" nothing=1 2>"$T/err")
    same "errno $number: n/a, with the reason, once on standard error" "n/a|$status|$reason|1" \
        "$(deltas nothing <<<"$out")|$(field 0 4 <<<"$out")|$(field 0 5 <<<"$out")|$(grep -c "not counted: $reason" "$T/err")"
done <<'END'
1 n/a perf_event_open is forbidden here, perhaps by the container
2 n/a this machine or its kernel has no such counter
13 n/a this user may not count it (/proc/sys/kernel/perf_event_paranoid)
19 n/a this machine's counters cannot do this
22 n/a the kernel does not know this code
23 n/a the system has no file descriptor left
24 n/a the process has no file descriptor left (ulimit -n)
38 n/a the kernel has no perf_event_open
99 n/a perf_event_open failed with errno 99
END

# --- codes ----------------------------------------------------------------------------------------------------------
# Intel's and AMD's manuals: event in bits 0 to 7, unit mask in bits 8 to 15, counter mask in bits 24 to 31.
export LIBPFM_ENCODE_INACTIVE=1
while read -r event code; do
    same "code of $event" "$event $code" "$(run "$event" codes | head -n 1)"
done <<'END'
perf::PAGE-FAULTS 1 0x2 0
perf::CONTEXT-SWITCHES 1 0x3 0
perf::TASK-CLOCK 1 0x1 0
perf::CONTEXT-SWITCHES:u 1 0x3 0 user
perf::CYCLES:k 0 0 0 kernel
perf::L1-DCACHE-LOAD-MISSES 3 0x10000 0
skl::UOPS_ISSUED:ANY 4 0x10e 0
skl::LONGEST_LAT_CACHE:MISS 4 0x412e 0
skl::MEM_LOAD_RETIRED:L3_MISS 4 0x20d1 0
skl::CYCLE_ACTIVITY:STALLS_TOTAL 4 0x40004a3 0
skx::FP_ARITH_INST_RETIRED:512B_PACKED_DOUBLE 4 0x40c7 0
icl::L1D:REPLACEMENT 4 0x151 0
icl::L1D:REPLACEMENT:c=2:u 4 0x2000151 0 user
amd64_fam17h_zen2::RETIRED_SSE_AVX_FLOPS:ANY 4 0xf03 0
amd64_fam19h_zen3::RETIRED_SSE_AVX_FLOPS:MULT_FLOPS 4 0x203 0
END
out=$(run nothing::LIKE_THIS,perf::PAGE-FAULTS nothing=1)
has "an event that libpfm4 does not know is n/a" "^n/a libpfm4: event not found$" "$(field 0 4 <<<"$out") $(field 0 5 <<<"$out")"
out=$(run "$(seq -s, -f 'perf::CYCLES:c=%g' 1 9)" nothing=1)
same "eight events at most" 8 "$(deltas nothing <<<"$out" | wc -w)"
has "and it is said" "not counted from here on: perf::CYCLES:c=9" "$(cat "$T/err")"
same "no event wanted, nothing counted" "nothing 1:" "$(run "" nothing=1)"
if [ "$(id -u)" = 0 ] && unshare -m true 2>/dev/null; then
    out=$(unshare -m sh -c "mount --bind /dev/null '$libpfm' && KTRACE_EVENTS=perf::PAGE-FAULTS '$driver' nothing=1" 2>"$T/err")
    same "without libpfm4 it is named" "n/a libpfm.so.4 is not there: install libpfm4" "$(field 0 4 <<<"$out") $(field 0 5 <<<"$out")"
else
    skip "without libpfm4 it is named" "needs a mount namespace"
fi

# --- hardware that is not here --------------------------------------------------------------------------------------
# pretend WORDS STEP...: four events on the counters of fake.c
pretend() { local words=$1; shift; FAKE=$words LD_PRELOAD=$fake run skl::UOPS_ISSUED:ANY,skl::LONGEST_LAT_CACHE:MISS,icl::L1D:REPLACEMENT,perf::CYCLES "$@"; }
same "one read for the whole group" "10 20 30 40" "$(pretend all nothing=1 | deltas nothing)"
out=$(pretend share=4 nothing=1)
same "multiplexed counts are scaled" "40 80 120 160" "$(deltas nothing <<<"$out")"
has "and marked" "^scaled scaled: " "$(field 0 4 <<<"$out") $(field 0 5 <<<"$out")"
out=$(pretend starve nothing=1)
same "what did not count at all is n/a, not 0" "n/a n/a n/a n/a" "$(deltas nothing <<<"$out")"
has "and it is said" "^n/a others had the hardware" "$(field 0 4 <<<"$out") $(field 0 5 <<<"$out")"
same "groups that are too large are made smaller" "10 20 10 20" "$(pretend room=2 nothing=1 | deltas nothing)"
same "groups that would never count are taken apart" "10 10 10 10" "$(pretend free=3 nothing=1 | deltas nothing)"
out=$(pretend forbid nothing=1)
same "user mode where the kernel is forbidden" "10 20 30 40 user mode only" "$(deltas nothing <<<"$out") $(field 0 5 <<<"$out" | cut -d, -f1)"
out=$(pretend part=24 nothing=1 crew=1)
same "counted in one thread, not in others" "partly the process has no file descriptor left (ulimit -n)" "$(field 3 4 <<<"$out") $(field 3 5 <<<"$out" | cut -d';' -f1)"
unset LIBPFM_ENCODE_INACTIVE

# --- calls of BLAS --------------------------------------------------------------------------------------------------
# counts TRACE: page faults of the calls that the program made
counts() { calls "$1" '[c["events"]["perf::PAGE-FAULTS"] for c in d if c["depth"] == 0]'; }
faults="$B/tests/events/faults"
if [ "$(field 0 4 <<<"$real")" = n/a ]; then
    skip "page faults of calls" "$(field 0 5 <<<"$real")"
else
    KTRACE_EVENTS=perf::PAGE-FAULTS,perf::CYCLES,perf::TASK-CLOCK,perf::CONTEXT-SWITCHES traced faults "$faults" 200 fork 2>"$T/err"
    for process in "$T"/faults/p*; do
        same "200 fresh pages: 200 faults, +-2; the same again: none" "[True, 0, True, 0]" \
            "$(calls "faults/${process##*/}" '[f if i % 2 else abs(f - 200) <= 2 for i, f in enumerate([c["events"]["perf::PAGE-FAULTS"] for c in d if c["depth"] == 0][2:6])]')"
    done
    same "in the program and in its child" 2 "$(ls -d "$T"/faults/p* | wc -l)"
    same "the task clock covers a call that was not interrupted" "True" \
        "$(calls faults 'all(c["dt"] <= c["events"]["perf::TASK-CLOCK"] * 1e-9 * 1.01 for c in d if c["dt"] > 100e-6 and not c["events"]["perf::CONTEXT-SWITCHES"])')"
    cycles=$(info faults '[(e["status"], e["reason"]) for e in d["events"] if e["name"] == "perf::CYCLES"]')
    if [[ $cycles = *"('n/a', "* ]]; then
        same "what cannot be counted is null in each call" "{None}" "$(calls faults '{c["events"]["perf::CYCLES"] for c in d}')"
        has "and in the report" '"total": null' "$("$B/ktrace" report --json "$T/faults" | query 'json.dumps(d["routines"][0]["events"]["perf::CYCLES"])')"
        has "with the reason" "perf::CYCLES n/a: this machine" "$("$B/ktrace" report --by counter "$T/faults")"
    else
        same "cycles are counted, or it is said why not" "counted" "$cycles"
    fi
    # What a call nested in one of the same routine counted is in that one's count.
    "$B/ktrace" dump --json "$T/faults" >"$T/calls"
    same "a call nested in one of the same routine" "dcopy dcopy" "$(calls faults '[" ".join(c["routine"] for c in d[i:i + 2]) for i in range(len(d) - 1) if d[i + 1]["depth"]][0]')"
    same "sums by routine are those of the calls" "$("$PYTHON" tests/events/sums.py "$T/calls")" \
        "$("$B/ktrace" report --json "$T/faults" | query 'sorted((r["routine"], k, v["total"], v["calls"], v["missing"]) for r in d["routines"] for k, v in r["events"].items())')"
    out=$(KTRACE_EVENTS=perf::PAGE-FAULTS traced close "$faults" 20 close 2>"$T/err")
    same "a program that closes all descriptors works on" 1 "$out"
    same "and the rest of its calls has no counts" None "$(calls close 'd[-1]["events"]["perf::PAGE-FAULTS"]')"
    has "which info tells" "perf::PAGE-FAULTS partly: closed by the program" "$("$B/ktrace" info "$T/close")"
fi
out=$(KTRACE_EVENTS=perf::PAGE-FAULTS KTRACE_OUT="$T/refused" LD_PRELOAD="$PWD/$B/libktrace.so" "$refuse" 13 "$faults" 20 2>"$T/err")
same "calls are recorded without their counts" "True {None}" "$(calls refused 'len(d) >= 7, {c["events"]["perf::PAGE-FAULTS"] for c in d}' | tr -d '(),')"
traced plain "$faults" 20 2>"$T/err"
same "no events, no counters" "[] False" "$(info plain 'd["events"]') $(calls plain 'any("events" in c for c in d)')"
exit $((failures != 0))
