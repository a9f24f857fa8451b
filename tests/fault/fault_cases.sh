# SPDX-License-Identifier: BSD-3-Clause
# check: slow, 11 s
# What has once harmed a traced program (tests/fault/cases.c and others), each in all modes, preloaded and by ktrace run, there with
# call paths: the outcome is that of the program alone. RUNS=50 of each take half an hour; MILLISECONDS= for those that have no end
# of their own.
. tests/fault/lib.sh
runs=${RUNS:-1}
module=$PWD/$B/tests/abi/module_any.so
is_open() { [ -n "$(find "$T/t" -perm /077 2>/dev/null)" ]; }
is_over() { [ -n "$(ls "$T"/t/p*/t* 2>/dev/null)" ] && [ "$(du -b -c "$T"/t/p*/t* | tail -n 1 | cut -f 1)" -gt 100000 ]; }
# once COMMAND...: how it ends
once() {
    rm -rf "$T/t"
    outcome under "$@"
    [ -d "$T/t" ] || [ $mode = KTRACE_DISABLE=1 ] || echo "no trace"
    case "$case" in
        limit*) ! is_over || echo "more than KTRACE_MAX_BYTES" ;;
        snapshot*) ! is_open || echo "others can read it" ;;
    esac
}
# always WHAT COMMAND...: alone and in all modes
always() {
    case=$1; shift
    local alone mode way i found other
    alone=$(outcome alone "$@")
    for mode in KTRACE_MODE=full KTRACE_MODE=profile KTRACE_SAMPLE=10 KTRACE_DISABLE=1; do
        for way in preloaded run; do
            other=
            for ((i = 0; i < runs; i++)); do
                if [ $way = run ]; then found=$(once env "$mode" "$PWD/$B/ktrace" run --stacks paths -o "$T/t" -- "$@")
                else found=$(once env "$mode" LD_PRELOAD="$shim" KTRACE_OUT="$T/t" "$@"); fi
                [ "$found" = "$alone" ] || other+="run $i: $found "
            done
            same "$case, ${mode#KTRACE_}, $way: $runs runs end as alone ($(head -n 1 <<<"$alone"))" "" "$other"
        done
    done
}
for name in signal jump cancel; do
    always "$name during dlclose" "$F/cases" $name "${MILLISECONDS:-200}" "$module"
done
KTRACE_MAX_BYTES=100k always "limit of many threads" "$F/cases" threads 0 -
always "small alternate stack" "$F/cases" stack 0 -
KTRACE_SNAPSHOT=1 always "snapshot" "$F/cases" secret 0 -
always "system calls forbidden" "$F/sandbox" 1 strict 100000
for use in standard all lowest; do
    always "descriptors, $use" "$F/descriptors" $use 100000
done
exit $((failures != 0))
