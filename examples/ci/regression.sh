#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Did the calls to BLAS and LAPACK become slower? Records two versions of a program in turns, so that both meet the same
# spells of the machine, and compares them. Prints a table in Markdown, also to DIR/diff.md.
#
#   regression.sh [-n RUNS] [-l PERCENT] [-o DIR] BEFORE AFTER
#
# BEFORE and AFTER are command lines, in quotes. -n: runs of each, 10. -l: what is too slow, 5. Exit status 1: a shape or the
# total became slower by more; 2 and above: something else went wrong. CPU: the processor to run on; empty for programs with
# threads.
set -eu
runs=10 limit=5 dir=regression
while getopts n:l:o: option; do
    case $option in
    n) runs=$OPTARG ;;
    l) limit=$OPTARG ;;
    o) dir=$OPTARG ;;
    *) exit 2 ;;
    esac
done
shift $((OPTIND - 1))
[ $# -eq 2 ] || { echo "usage: $0 [-n RUNS] [-l PERCENT] [-o DIR] BEFORE AFTER" >&2; exit 2; }
ktrace=${KTRACE:-ktrace}
cpu=${CPU-$(taskset -cp $$ | sed 's/.*[ ,-]//')}

# record TRACE COMMAND
record() {
    # The command is one line, for a shell.
    KTRACE_QUIET=1 ${cpu:+taskset -c "$cpu"} "$ktrace" run -o "$1" -- sh -c "exec $2" >>"$dir/output" 2>&1 || {
        echo "regression.sh: '$2' ended with status $?; its output is in $dir/output" >&2
        exit 4
    }
}

mkdir -p "$dir/before" "$dir/after"
run=1
while [ "$run" -le "$runs" ]; do
    record "$dir/before/$run" "$1"
    record "$dir/after/$run" "$2"
    run=$((run + 1))
done
status=0
"$ktrace" diff --markdown --fail-above "$limit" "$dir/before" "$dir/after" >"$dir/diff.md" || status=$?
cat "$dir/diff.md"
exit "$status"
