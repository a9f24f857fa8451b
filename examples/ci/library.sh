#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Is a new build of a BLAS library slower than the old one for any of the workloads (ktrace distill)? Plays each on both, in
# turns, and prints tables in Markdown.
#
#   library.sh [-l PERCENT] [-b SECONDS] OLD NEW WORKLOAD...
#
# -l: what is too slow, 3. -b: time for each workload, 30. Exit status 1: all calls, a routine or a shape of a workload are
# slower by more, or a result is wrong; 2 and above: something else went wrong.
set -eu
limit=3 budget=30
while getopts l:b: option; do
    case $option in
    l) limit=$OPTARG ;;
    b) budget=$OPTARG ;;
    *) exit 2 ;;
    esac
done
shift $((OPTIND - 1))
[ $# -ge 3 ] || { echo "usage: $0 [-l PERCENT] [-b SECONDS] OLD NEW WORKLOAD..." >&2; exit 2; }
ktrace=${KTRACE:-ktrace}
old=$1 new=$2
shift 2
worst=0
for workload; do
    printf '### %s\n\n' "$(basename "$workload")"
    status=0
    "$ktrace" compare --markdown --fail-above "$limit" --budget "$budget" --baseline "$old" --blas "$new" "$workload" || status=$?
    echo
    [ "$status" -le "$worst" ] || worst=$status
done
exit "$worst"
