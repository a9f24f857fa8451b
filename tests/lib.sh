# SPDX-License-Identifier: BSD-3-Clause
# For test scripts: each check prints one TAP line, with the reason if it fails. Scripts run in the project's root with
# B (the build folder) and T (an empty folder of their own) set by tests/run.

failures=0
ok() { echo "ok - $1"; }
not_ok() { echo "not ok - $1"; shift; printf '%s\n' "$@" | sed 's/^/#   /' | head -n 20; failures=$((failures + 1)); }
# A misspelt check would otherwise be no check at all. One that is missing on purpose goes through env.
command_not_found_handle() { not_ok "command not found: $1"; return 127; }
skip() { echo "ok - $1 # SKIP $2"; }

# same NAME EXPECTED FOUND
same() { if [ "$2" = "$3" ]; then ok "$1"; else not_ok "$1" "expected: $2" "found:    $3"; fi; }
# has NAME PATTERN TEXT
has() { if grep -qE -- "$2" <<<"$3"; then ok "$1"; else not_ok "$1" "expected a line with: $2" "found: $3"; fi; }
# true_that NAME COMMAND...
true_that() { local name=$1 out; shift; if out=$("$@" 2>&1); then ok "$name"; else not_ok "$name" "failed: $*" "$out"; fi; }

# Runs a command under the shim; the trace goes to $T/$1. stderr stays what it is.
traced() { local out=$1; shift; KTRACE_OUT="$T/$out" LD_PRELOAD="$PWD/$B/libktrace.so" "$@"; }
# Value of a Python expression of the JSON document d on standard input, which tests/query.py knows. What verbs print is kept
# for tests/run, which holds it against the verbs' schemas.
query() { asked document "$1"; }
export asking=${asking:-$T.asked} # also for a script that calls itself with another T
asked() {
    local answer= back
    [ -p "$asking/$BASHPID" ] || mkfifo "$asking/$BASHPID"
    # Open both ways before the question is put: then the pipe does not end with the writer of the last answer.
    exec {back}<>"$asking/$BASHPID"
    printf '%s\0' "$BASHPID" "$1" "$2" >"$asking/ask"
    IFS= read -u "$back" -t 600 -r -d '' answer # whose standard input is still the document's
    exec {back}>&-
    if [ "${answer:0:1}" = 0 ]; then printf '%s\n' "${answer:1}"; else printf '%s\n' "${answer:1}" >&2; return 1; fi
}
# The same for `ktrace info` of a trace in $T, and for the list of its calls.
info() { "$B/ktrace" info --json "$T/$1" | query "$2"; }
calls() { "$B/ktrace" dump --json "$T/$1" | asked lines "$2"; }
# valid NAME FILE VERB [PART]: FILE holds what that verb prints with --json, as its schema says.
valid() { local name=$1 file=$2; shift 2; same "$name" "" "$("$PYTHON" tests/json_check.py valid "$B/ktrace" "$@" <"$file" 2>&1)"; }
