# SPDX-License-Identifier: BSD-3-Clause
# check: slow, 33 s
# The shim under the thread sanitizer, in programs whose threads do everything at once.
. tests/lib.sh
S=${THREAD_SANITIZED:-build-tsan}
out=$(make -s -j2 O="$S" SAN=thread "$S/libktrace.so" 2>&1) || { not_ok "thread sanitizer build" "$out"; exit 1; }
tsan=$(readlink -f "$(${CC:-gcc} -print-file-name=libtsan.so)")
# It takes descriptors of one number for one thing; tasks that open files have tables of their own (preload/apart.c).
printf 'race_top:%s\n' open close pwrite pwritev >"$T/descriptors"
export KTRACE_QUIET=1 TSAN_OPTIONS="exitcode=66 die_after_fork=0 halt_on_error=0 log_path=$T/report suppressions=$T/descriptors"
# The sanitizer wants its memory where address randomisation may have put something else.
sanitized() { KTRACE_OUT=$T/t LD_PRELOAD="$tsan $PWD/$S/libktrace.so" timeout -s KILL 300 setarch -R "$@" 2>&1; echo "status $?"; }
# quiet NAME EXPECTED COMMAND...
quiet() {
    local name=$1 expected=$2; shift 2
    rm -rf "$T"/t "$T"/report*
    same "$name" "$expected" "$(sanitized "$@")"
    same "... reports" "" "$(cat "$T"/report* 2>/dev/null)"
    same "... the trace" "[]" "$("$B/ktrace" check --json "$T/t" | query '[f for f in d["findings"] if ": incomplete: " not in f and " not recorded: " not in f]')"
}
F=$PWD/$B/tests/fault
quiet "threads, modules and forks" "0 wrong
status 0" "$F/race" 20 "$PWD/$B/tests/abi/module_any.so"
quiet "short threads" "done
status 0" "$F/crew" short 500
quiet "threads alive at exit" "done
status 0" "$F/crew" alive 50000
exit $((failures != 0))
