# SPDX-License-Identifier: BSD-3-Clause
# For the fault tests: a program runs alone and traced, each time in a folder of its own.
. tests/lib.sh
F=$PWD/$B/tests/fault
shim=$PWD/$B/libktrace.so

# outcome FOLDER COMMAND...: status and output, when all that write to it have ended; what we said goes to $T/said.
# All through pipes: files would be subject to the limits that are tested. What the shell says of a signal does not count.
outcome() {
    local folder=$T/$1; shift
    rm -rf "$folder"; mkdir "$folder"
    (cd "$folder" && { { { timeout -s KILL "300" "$@" </dev/null; echo "status $?" >status; } 2>&3 | cat; } 3>&1 1>&4 | cat >err; } 4>&1) 2>/dev/null
    cat "$folder/status"
    grep '^ktrace: ' "$folder/err" >"$T/said"
    grep -v -e '^ktrace: ' -e '^tests/fault/lib.sh: line [0-9]*: ' "$folder/err"
}
# behaves NAME COMMAND...: as alone; the trace is $OUT or $T/t. Every other one is recorded with call paths; KTRACE_STACKS= is for all.
# Where ALONE=once, a command runs alone once for all ways of recording it: nothing around it may change in between.
turns=0
declare -A alone
behaves() {
    local name=$1 kinds=(paths lines) stacks; shift
    stacks=${KTRACE_STACKS:-${kinds[$((++turns % 2))]}}
    chmod -R u+w "$T/t" 2>/dev/null; rm -rf "$T/t"
    [ -n "${alone[$*]+known}" ] && [ "${ALONE:-}" = once ] || alone[$*]=$(outcome alone "$@")
    same "$name, $stacks" "${alone[$*]}" "$(outcome under env LD_PRELOAD="$shim" KTRACE_STACKS="$stacks" KTRACE_OUT="${OUT:-$T/t}" "$@")"
}
# What `ktrace check` finds beyond losses and an end that was not clean.
damage() {
    "$B/ktrace" check --json "$T/$1" | query '[f for f in d["findings"] if ": incomplete: " not in f and " not recorded: " not in f]'
}
sound() { same "... every record is readable" "[]" "$(damage "${1:-t}")"; }
# holds WHAT EXPECTED EXPRESSION: of ktrace info
holds() { same "... $1" "$2" "$(info "${4:-t}" "$3")"; }
# The program's words about calls: how many were recorded, and how many not.
said() { sed -nE "s/^ktrace: ([0-9]+) calls? $1.*/\1/p" "$T/said" | awk "{ n += \$1 } END { print n + 0 }"; }
# accounted CALLS [TRACE]: recorded, or lost with a cause, as the program says; and as the trace does, if there is one.
accounted() {
    same "... all calls are recorded or said to be lost" "$1" "$(($(said recorded) + $(said 'w(as|ere) not recorded')))"
    [ -z "${2:-}" ] || holds "... by the trace as well" "$1" 'd["calls"] + sum(l["calls"] for l in d["lost"])' "$2"
}
loses() { true_that "... some are lost, for one reason" test "$(grep -cE 'w(as|ere) not recorded' "$T/said")" = 1; }
loses_none() { same "... none is lost" "" "$(grep -E 'w(as|ere) not recorded' "$T/said")"; }
