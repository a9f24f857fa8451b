#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# What recording a call adds, as a multiple of what the least possible shim adds (tests/bench/least.c): every mode of
# ktrace, and other recorders. All take turns, in rounds; a run is timed from its first call on.
# Usage: tests/bench/run.sh [ROUNDS] [SECONDS]
. tests/bench/lib.sh
rounds=${1:-6} seconds=${2:-1}
peer_seconds=0.5 # they take part in every second round
export LD_LIBRARY_PATH; LD_LIBRARY_PATH=$(reference_blas)
out=$dir/out samples=$dir/samples notes=$dir/notes
touch "$samples" "$notes"

# --- the variants: run_NAME PROGRAM... runs it, what is recorded goes to $out -----------------------------------------
ktrace() { KTRACE_OUT=$out/trace LD_PRELOAD=$shim "$@"; }
run_plain() { "$@"; }
run_least() { LD_PRELOAD=$tools/least.so "$@"; }
run_full() { ktrace "$@"; }
run_profile() { KTRACE_MODE=profile ktrace "$@"; }
run_sampled() { KTRACE_SAMPLE=100 ktrace "$@"; }
run_filtered() { KTRACE_ROUTINES=dgetrf ktrace "$@"; }
run_disabled() { KTRACE_DISABLE=1 ktrace "$@"; }
run_event() { KTRACE_EVENTS=perf::PAGE-FAULTS ktrace "$@"; }
run_uftrace() { uftrace record --force -d "$out/uftrace" "$@"; }
run_uftrace_arguments() {
    uftrace record --force -d "$out/uftrace" -A ddot_@arg1,arg2,arg3,arg4,arg5 \
        -A dgemm_@arg1,arg2,arg3,arg4,arg5,arg6,arg7,arg8,arg9,arg10,arg11,arg12,arg13 "$@"
}
run_lttng() {
    lttng create bench --output="$out/lttng" >>"$dir/lttng.log"
    lttng enable-channel --userspace --subbuf-size=4M --num-subbuf=8 calls >>"$dir/lttng.log"
    lttng enable-event --userspace --channel=calls 'blas:*' >>"$dir/lttng.log"
    lttng start >>"$dir/lttng.log"
    LD_PRELOAD=$tools/lttng.so "$@"
    lttng stop >>"$dir/lttng.log"
    lttng list bench | awk '/Discarded events:/ { print $3 }' >"$dir/discarded"
    lttng destroy bench >>"$dir/lttng.log"
}
run_ltrace() { ltrace -f -T -e ddot_+dgemm_ -o "$out/ltrace" "$@"; }
run_naive() { NAIVE_OUT=$out/naive LD_PRELOAD=$tools/naive.so "$@"; }

ours=(plain least full profile sampled filtered disabled event)
peers=(uftrace uftrace_arguments lttng ltrace naive)
declare -A needs=([profile]=KTRACE_MODE [sampled]=KTRACE_SAMPLE [filtered]=KTRACE_ROUTINES [event]=KTRACE_EVENTS)
declare -A commands=([uftrace]=uftrace [uftrace_arguments]=uftrace [lttng]=lttng-sessiond [ltrace]=ltrace)
declare -A packages=([uftrace]=uftrace [uftrace_arguments]=uftrace [lttng]='lttng-tools liblttng-ust-dev' [ltrace]=ltrace)

# Why a variant cannot run; nothing if it can.
missing() {
    if [ -n "${needs[$1]:-}" ] && ! knows "${needs[$1]}"; then echo "this build has no ${needs[$1]}"
    elif [ -n "${commands[$1]:-}" ] && ! command -v "${commands[$1]}" >/dev/null; then
        echo "not installed (apt: ${packages[$1]})"
    elif [ "$1" = lttng ] && [ ! -e "$tools/lttng.so" ]; then echo "not built (apt: ${packages[lttng]})"
    fi
}

# --- LTTng's daemon: of the one that is running, if there is one --------------------------------------------------------
sessiond=
start_lttng() {
    [ -z "$(missing lttng)" ] && ! lttng --no-sessiond list >/dev/null 2>&1 || return 0
    export LTTNG_HOME=$dir
    lttng-sessiond --no-kernel --background --pidfile="$dir/sessiond.pid" >>"$dir/lttng.log" 2>&1 || return 0
    sessiond=$(cat "$dir/sessiond.pid")
}
stop_lttng() { [ -z "$sessiond" ] || { kill "$sessiond" && while kill -0 "$sessiond" 2>/dev/null; do sleep 0.1; done; }; }
trap 'stop_lttng; cleanup' EXIT

# --- samples ------------------------------------------------------------------------------------------------------------
declare -A program=([ddot]="ddot S" [threads]="ddot S 2" [dgemm]="dgemm S")

# check WHAT VARIANT CALLS: was recorded what should be? One note for each that was not.
check() {
    local recorded=0 lost=none expected=0
    [[ $2 =~ ^(full|profile|event)$ ]] && expected=$3
    if [ -d "$out/trace" ]; then
        recorded=$(info "$out/trace" 'd["calls"]')
        lost=$(info "$out/trace" '", ".join("%d (%s)" % (l["calls"], l["cause"]) for l in d["lost"]) or "none"')
    fi
    [ "$recorded $lost" = "$expected none" ] || echo "$1, $2: $recorded of $3 recorded, lost: $lost" >>"$notes"
}
# A row of a counter that does not count would be the row of full recording.
check_event() {
    local reasons; reasons=$(info "$out/trace" '", ".join(e["reason"] or "" for e in d["events"]) if d["events"] else "not opened"')
    [ -z "$reasons" ] || echo "$1, event: perf::PAGE-FAULTS: $reasons" >>"$notes"
}

sample() { # ROUND WHAT VARIANT SECONDS
    local round=$1 what=$2 variant=$3 ns calls
    rm -rf "$out"
    mkdir "$out"
    # shellcheck disable=SC2086 # several words
    if ! "run_$variant" "$tools/calls" ${program[$what]/S/${4}s} >"$dir/result" 2>"$dir/error"; then
        echo "$what, $variant failed: $(tail -n 1 "$dir/error")" >>"$notes"
        return
    fi
    read -r ns calls < <(tail -n 1 "$dir/result")
    echo "$round $what $variant $ns $calls $(bytes_in "$out")" >>"$samples"
    case $variant in
        uftrace*) grep -i lost "$dir/error" | sed "s/^/$what, $variant: /" >>"$notes" || true ;;
        full | profile | filtered | disabled | event) [ "$round" != 1 ] || check "$what" "$variant" "$calls" ;;&
        event) [ "$round" != 1 ] || check_event "$what" ;;
        lttng) grep -qx 0 "$dir/discarded" || echo "$what, lttng: $(cat "$dir/discarded") of $calls lost" >>"$notes" ;;
    esac
}

start_lttng
for variant in "${ours[@]}" "${peers[@]}"; do
    why=$(missing "$variant")
    [ -z "$why" ] || echo "- $variant $why" >>"$samples"
done
for ((round = 1; round <= rounds; round++)); do
    for what in ddot threads dgemm; do
        for variant in $(turns "$round" "${ours[@]}" "${peers[@]}"); do
            [ -z "$(missing "$variant")" ] || continue
            progress "round $round of $rounds: $what $variant"
            if [[ " ${ours[*]} " == *" $variant "* ]]; then sample "$round" "$what" "$variant" "$seconds"
            elif ((round % 2)); then sample "$round" "$what" "$variant" "$peer_seconds"; fi
        done
    done
done
progress
"$PYTHON" tests/bench/table.py "$rounds" "$seconds" "$peer_seconds" <"$samples"
[ ! -s "$notes" ] || { echo; sort "$notes" | uniq | cut -c 1-78 | sed 's/^/! /'; }
