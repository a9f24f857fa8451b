# SPDX-License-Identifier: BSD-3-Clause
# check: fast, 40 s
# Calls nested in others, of which most are passed on: whatever a program does, it does what it does alone, and each call
# is recorded, or counted as passed on in one that is.
. tests/lib.sh
export KTRACE_QUIET=1
N=$PWD/$B/tests/nested
A=$PWD/$B/tests/abi

# under MODE COMMAND...: traced to $T/t; what it prints, and its status, to $said
under() { local mode=$1; shift; rm -rf "$T/t"; said=$(KTRACE_NESTED=$mode traced t timeout 60 "$@" 2>&1; echo "status $?"); }
# as_alone NAME COMMAND...: in all three modes; what each leaves is looked at by the function $then, with the mode
as_alone() {
    local name=$1 alone mode; shift
    alone=$("$@" 2>&1; echo "status $?")
    for mode in all sample none; do
        under $mode "$@"
        same "$name, $mode: output and status" "$alone" "$said"
        "${then:-true}" "$name, $mode" $mode
    done
}
made='d["calls"] + d["skipped"] + d["nested"]["passed"] + sum(l["calls"] for l in d["lost"])'
# totals NAME MODE: as many calls as in mode all, which comes first
totals() { if [ "$2" = all ]; then of_all=$(info t "$made"); else same "$1: calls and those passed on" "$of_all" "$(info t "$made")"; fi; }
outermost='dict(sorted(__import__("collections").Counter(c["routine"] for c in d if c["depth"] == 0).items()))'
same_outermost() { if [ "$2" = all ]; then outer_of_all=$(calls t "$outermost"); else same "$1: outermost calls" "$outer_of_all" "$(calls t "$outermost")"; fi; }
sound() { same "$1: every record is readable" "[]" "$("$B/ktrace" check --json "$T/t" | query '[f for f in d["findings"] if ": incomplete: " not in f and " not recorded: " not in f]')"; }
# The calls that the program numbered: how many of them are not there at all
tags() { grep -oE '[0-9]+ tags' <<<"$said" | cut -d ' ' -f 1; }
missing() { calls t "len(set(range(1, $(tags) + 1)) - {c['args']['n'] for c in d if c['routine'] == 'ddot'})"; }
none_missing() { same "$1: none of the program's calls is missing" 0 "$(missing)"; }
# A call whose inside is recorded may be taken for one in progress when it was left; the first of an entry is such a call.
all_outermost() { [ "$2" = all ] || same "$1: ... nor taken for a nested one" 0 "$(calls t "sum(c['routine'] == 'ddot' and c['depth'] > 0 and not (roots[c['n']]['inside'] and '$2' == 'sample') for roots in [__import__('functools').reduce(lambda r, c: {**r, c['n']: c if c['parent'] is None else r[c['parent']]}, d, {})] for c in d)")"; }
end_line() { awk -v name="$1" '$1 == name { n += $2 } END { print n + 0 }' "$T"/t/p*/end; }

# --- numbers --------------------------------------------------------------------------------------------------------
# Of each outermost call: routine, size, whether its inside is there, calls nested in it, calls passed on in it
insides='[(o["routine"], o["args"].get("n"), o["inside"], sum(r == o["n"] for r in root.values()) - 1, o["passed"], o["weight"]) for root in [__import__("functools").reduce(lambda r, c: {**r, c["n"]: c["n"] if c["parent"] is None else r[c["parent"]]}, d, {})] for o in d if o["depth"] == 0]'
counted() {
    totals "$@"; same_outermost "$@"; sound "$1"; none_missing "$1"
    same "$1: the file of the end says the same" "$(info t 'd["calls"], d["skipped"], d["nested"]["passed"]')" "($(end_line calls), $(end_line skipped), $(end_line passed))"
    calls t "$insides" >"$T/$2"
}
then=counted as_alone "calls of several routines" "$N/nest_counts" mixed 60
# whole MODE: with what mode all has
whole() { "$PYTHON" -c 'import ast,sys; a,b=(ast.literal_eval(open(p).read()) for p in sys.argv[2:]); print(eval(sys.argv[1]))' "$1" "$T/all" "$T/$2"; }
same "none: no nested call is recorded" "(0, False)" "$(whole 'sum(x[3] for x in b), any(x[2] for x in b)' none)"
same "... each call tells how many it passed on" True "$(whole '[x[3] for x in a] == [x[4] for x in b]' none)"
same "sample: an inside is whole, or passed on" True "$(whole 'all(y[3:5] == ((x[3], 0) if y[2] else (0, x[3])) for x, y in zip(a, b))' sample)"
same "... weights are 1 or more, of others 0" True "$(whole 'all(x[5] >= 1 if x[2] else x[5] == 0 for x in b)' sample)"
same "... the first call of each routine that calls others has its inside" True "$(whole 'all(x[2] and x[5] == 1 for i, x in enumerate(b) if x[0] not in [y[0] for y in b[:i]] and x[3] + x[4])' sample)"
same "all: every inside is there" True "$(whole 'all(x[2] and x[4] == 0 and x[5] == 1 for x in a)' all)"
under sample "$N/nest_counts" inner 20
same "... also if another one called it before" "True" "$(calls t '[c["inside"] for c in d if c["depth"] == 0 and c["routine"] == "dgetrf"][0]')"
then=totals as_alone "pauses" "$N/nest_counts" paused 60
for rule in SAMPLE=3 MODE=profile 'ROUTINES=dgesv' 'ROUTINES=!dgetr*,!dgesv' 'ROUTINES=dgetrf,dgees' MAX_BYTES=20k EVENTS=; do
    export "KTRACE_$rule"; then=totals as_alone "KTRACE_$rule" "$N/nest_counts" mixed 60; unset "KTRACE_${rule%%=*}"
done
export KTRACE_NESTED=often
has "a mode that there is not" 'KTRACE_NESTED=often: expected sample, all or none; sample is assumed' "$(KTRACE_QUIET=0 traced odd "$N/nest_counts" mixed 2 2>&1 >/dev/null)"
same "... one line says so" 1 "$(rm -rf "$T/odd"; KTRACE_QUIET=0 traced odd "$N/nest_counts" mixed 2 2>&1 >/dev/null | grep -c often)"
same "... sample is assumed" "('sample', True, True)" "$(info odd 'd["nested"]["mode"], d["nested"]["outermost_inside"] > 0, d["nested"]["passed"] > 0')"
unset KTRACE_NESTED

# --- the budget -----------------------------------------------------------------------------------------------------
drawn='d["nested"]["outermost_inside"]'
under sample "$N/nest_counts" short 20000
same "short calls: some insides are recorded, of fewer than one call in twenty" True "$(info t "0 < $drawn < 1000 and d['nested']['outermost'] == 20000")"
under sample "$N/nest_counts" long 30
same "long calls: about every second inside" True "$(info t "6 <= $drawn <= 24 and d['nested']['outermost'] == 30")"

# --- calls that are left --------------------------------------------------------------------------------------------
left() { none_missing "$1"; all_outermost "$@"; sound "$1"; totals "$@"; }
stays() { left "$@"; same_outermost "$@"; same "$1: every call returned" 0 "$(calls t 'sum(not c["complete"] for c in d)')"; }
for way in longjmp _longjmp siglongjmp handler; do
    then=left as_alone "out of a call: $way" "$N/nest_jumps" $way 12
done
# Jumps by instructions of the program's own are not seen: what it calls next may be counted as nested in the call.
for way in builtin context; do then=totals as_alone "out of a call, unseen: $way" "$N/nest_jumps" $way 12; done
then=left as_alone "out of a call: __longjmp_chk" "$N/nest_jumps_fortified" longjmp 12
for way in within within_handler nowhere; do then=stays as_alone "a longjmp that leaves no call: $way" "$N/nest_jumps" $way 12; done
for way in throw again clean; do then=left as_alone "an exception: $way" "$N/nest_throws" $way 12; done
then=totals as_alone "an exception, unseen, by an unwinder of the program's own" "$N/nest_throws_static" throw 12
for way in within nowhere; do then=stays as_alone "an exception that leaves no call: $way" "$N/nest_throws" $way 12; done

# --- threads and processes that end or fork within a call -----------------------------------------------------------
then=left as_alone "pthread: exit in a call" "$N/nest_ends" exit
then=totals as_alone "pthread: cancel in a call" "$N/nest_ends" cancel
for way in fork on handler vfork; do then=totals as_alone "process: $way in a call" "$N/nest_ends" $way; done
then=totals as_alone "process: exit in a call, and calls then" "$N/nest_ends" end

# --- signal handlers and coroutines ---------------------------------------------------------------------------------
for where in same below above; do then=totals as_alone "a handler's stack: $where" "$N/nest_signals" $where; done
for when in outside first both; do
    for above in first second; do then=totals as_alone "coroutines, $when, the $above above" "$N/nest_switch" $when $above; done
done
then=none_missing as_alone "a coroutine whose stack is gone in a call" "$N/nest_switch" dropped second
# stepped NAME: each main call has all its own, and what the handler made while it ran
stepped() {
    same "$1: calls, passed on and lost are all" "$(grep -oE '[0-9]+ calls' <<<"$said" | cut -d ' ' -f 1)" "$(info t "$made")"
    same "$1: none is wrong" 0 "$(cut -d ' ' -f 1 <<<"$said" | head -n 1)"
    none_missing "$1"; sound "$1"
}
if [ -x "$N/nest_steps" ]; then
    export LD_BIND_NOW=1
    for way in return jump; do
        for mode in all sample none; do
            under $mode "$N/nest_steps" $way 1 "$([ $mode = none ] && echo 3 || echo 7)" 1400
            stepped "a handler at each instruction, $way, $mode"
        done
    done
    for mode in all sample none; do
        under $mode "$N/nest_steps" leave 1 7 1400
        same "a handler at each instruction, leave, $mode: status" "status 0" "$(tail -n 1 <<<"$said")"
        # What comes right after an event that was left unfinished may be lost, and is counted then.
        same "a handler at each instruction, leave, $mode: none is missing but those that are counted as lost" True "$([ "$(missing)" -le "$(info t 'sum(l["calls"] for l in d["lost"])')" ] && echo True)"
        sound "a handler at each instruction, leave, $mode"
    done
    unset LD_BIND_NOW
else
    skip "a handler at each instruction" "single steps are written for x86-64"
fi

# --- registers, flags, whose routine it is --------------------------------------------------------------------------
foreign() {
    if [ -x "$N/nest_foreign" ] && grep -qw avx /proc/cpuinfo; then
        as_alone "foreign functions of a routine's name$1" "$N/nest_foreign"
        as_alone "... of three callers$1" "$N/nest_foreign" "$N/module_foreign1.so" "$N/module_foreign2.so"
    else
        skip "foreign functions of a routine's name$1" "they need AVX"
    fi
    grep -qw avx512f /proc/cpuinfo || skip "... that take 64 bytes in a register$1" "they need AVX-512"
}
scopes() {
    foreign "$1"
    as_alone "modules with different libraries$1" "$A/scopes" "$A/module_one.so" "$A/module_two.so" "$A/module_mixed.so"
    as_alone "... that call within a call first$1" "$N/nest_scopes" 0 "$A/module_one.so=1" "$A/module_two.so=2" "$A/module_three.so=3"
    as_alone "... the other way round$1" "$N/nest_scopes" 0 "$A/module_three.so=3" "$A/module_two.so=2" "$A/module_one.so=1"
    as_alone "libraries at the addresses of others$1" "$A/reload" "$A/module_one.so" "$A/module_three.so" "$A/module_two.so" "$A/module_one.so"
    as_alone "... while a thread makes calls$1" "$N/nest_scopes" 20 "$A/module_two.so=2" "$A/module_one.so=1" "$A/module_three.so=3" "$A/module_one.so=1"
    as_alone "unwinders of modules' own$1" "$N/nest_unwinder" "$N/module_unwinder1.so" "$N/module_unwinder2.so"
}
scopes ""
KTRACE_DISABLE=1 scopes ", KTRACE_DISABLE=1"
KTRACE_ROUTINES='!*' scopes ", no routine"
KTRACE_MODE=profile foreign ", profile mode"
KTRACE_SAMPLE=3 foreign ", KTRACE_SAMPLE=3"
as_alone "no floating-point exception" "$N/nest_flags" 20000
KTRACE_MODE=profile as_alone "... nor in profile mode" "$N/nest_flags" 20000
exit $((failures != 0))
