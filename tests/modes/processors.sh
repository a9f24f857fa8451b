#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# check: fast, 10 s
# Which processors a program had, as its trace, the report and a replay tell: by affinity, by quotas of control groups
# (real ones, where this may make them), by the environment.
. tests/lib.sh
export KTRACE_QUIET=1
kt=$PWD/$B/ktrace
machine() { "$kt" info --json "$T/$1" | query "d['machine'][$2]"; }
cat >"$T/product.py" <<'END'
import numpy as np
a = np.ones((200, 200))
for _ in range(20): a @ a
END
all=$(getconf _NPROCESSORS_ONLN)
last=$(taskset -cp $$ | grep -oE '[0-9]+$')

OMP_WAIT_POLICY=passive OPENBLAS_NUM_THREADS=2 UNKNOWN=1 traced t taskset -c "$last" "$PYTHON" "$T/product.py"
same "affinity" "$last" "$(machine t '"affinity"')"
same "... of which there are more" "$all" "$(machine t '"cpus"')"
same "the environment, as far as it is about threads" "['passive', '2'] False" \
    "$("$kt" info --json "$T/t" | query "[d['machine']['environment'][k] for k in ('OMP_WAIT_POLICY', 'OPENBLAS_NUM_THREADS')], 'UNKNOWN' in d['machine']['environment']" | tr -d '()' | sed 's/\], /] /')"
true_that "a decoder that knows only FORMAT.md reads it" "$PYTHON" tests/decoder/decoder.py "$T/t"
if [ "$all" -gt 1 ]; then
    has "the report says it" "^processors affinity to 1 of $all processors, library starts [0-9]+ thread" "$("$kt" report --all "$T/t")"
    has "... and info" "^processors affinity to 1 of $all processors$" "$("$kt" info "$T/t")"
    [ "$(nproc)" -gt 1 ] && has "a replay has as many" "recorded on 1 of $all processors: replayed on as many" \
        "$("$kt" replay --budget 1 --store none "$T/t" 2>&1 >"$T/out")"
fi

# What a trace says, with numbers that this machine has not.
says() { cp -r "$T/t" "$T/$1"; sed -i -E "s/^(cpus)\t.*/\1\t16/; s/^(affinity)\t.*/\1\t0-15/; s/^cpuset\t.*/cpuset\t0-15/" "$T/$1"/p*/meta; printf 'quota\t200000\t100000\n' >>"$T/$1/$(ls "$T/$1" | grep ^p)/meta"; sed -i -E "s/^(library(\t[^\t]*){4})\t[0-9]+/\1\t16/" "$T/$1"/p*/definitions; "$kt" "${@:2}" "$T/$1"; }
has "a quota, and a library that counts the machine" 'a quota of 2 of 16 processors, library starts 16 threads: try$' "$(says quota report)"
has "... in all tables" '^processors a quota of 2 of 16 processors, library starts 16 threads$' "$("$kt" report --all "$T/quota")"
same "... in numbers" "2.0" "$(machine quota '"quota"')"

# Real groups: of the first version, or of the second one.
group=
for place in /sys/fs/cgroup/cpu /sys/fs/cgroup; do
    [ -z "$group" ] && mkdir "$place/ktrace-test-$$" 2>"$T/err" && group=$place/ktrace-test-$$
done
if [ -e "$group/cpu.cfs_quota_us" ] && echo 50000 >"$group/cpu.cfs_quota_us" 2>"$T/err"; then is_set=1; fi
if [ -e "$group/cpu.max" ] && echo "50000 100000" >"$group/cpu.max" 2>"$T/err"; then is_set=1; fi
if [ -n "$is_set" ] && (echo $BASHPID >"$group/cgroup.procs") 2>"$T/err"; then
    (echo $BASHPID >"$group/cgroup.procs" && traced real "$PYTHON" "$T/product.py"
     "$kt" replay --budget 1 --store none "$T/t" >"$T/out" 2>"$T/said")
    same "a quota that the kernel holds" 0.5 "$(machine real '"quota"')"
    has "... and that a replay has alone" 'this replay has a quota of 0.5 processors, which the program had not' "$(cat "$T/said")"
else
    skip "a quota that the kernel holds" "no control group with a quota can be made here"
fi
[ -n "$group" ] && rmdir "$group"
exit $((failures != 0))
