# SPDX-License-Identifier: BSD-3-Clause
# check: fast, 1 s
# Wrong command lines and unusable input: one clear line on standard error, the documented status, nothing left behind.
. tests/lib.sh
kt=$B/ktrace
life=$PWD/$B/tests/abi/life

# refuses NAME STATUS PATTERN ARGS...: one line that matches, the status, nothing on standard output
refuses() {
    local name=$1 status=$2 pattern=$3 out code; shift 3
    out=$("$kt" "$@" 2>"$T/err"); code=$?
    if [ "$code" = "$status" ] && [ -z "$out" ] && [ "$(wc -l <"$T/err")" = 1 ] && grep -qE -- "$pattern" "$T/err"; then
        ok "$name"
    else
        not_ok "$name" "ktrace $*" "status $code, expected $status; one line matching: $pattern" "$(<"$T/err")" "$out"
    fi
}
refuses "no verb" 2 'ktrace help'
refuses "unknown verb" 2 "no verb frobnicate; 'ktrace help'" frobnicate
refuses "a verb with a letter too few" 2 "did you mean report\?" repor
refuses "... with two letters in the wrong order" 2 "did you mean replay\?" rpelay
refuses "a block size of what has none" 2 "dgemm is no routine of LAPACK" run --block-size dgeqrf=8,dgemm=64 -- true
refuses "... of what there is not" 2 "dnothing is no routine of LAPACK" run --block-size dnothing=64 -- true
for verb in run report replay compare repro info dump check pack export score env; do
    refuses "unknown option of $verb" 2 "--nonsense|nonsense" $verb --nonsense
done
for verb in report replay repro info dump check pack export score; do refuses "$verb without a trace" 2 "" $verb; done
refuses "run without a command" 2 "" run
refuses "run of a mode that there is not" 2 "mode" run --mode nonsense -- true
for verb in report replay info dump check; do refuses "$verb of nothing" 3 "$T/none" $verb "$T/none"; done

KTRACE_QUIET=1 traced good "$life" threads2 calls5000 >/dev/null
process=$(echo "$T"/good/p*)
stream=$(ls -S "$process"/t* | head -n 1)
damaged() { rm -rf "$T/bad"; cp -r "$T/good" "$T/bad"; bad_process=$(echo "$T"/bad/p*); bad_stream=$bad_process/$(basename "$stream"); }

mkdir "$T/empty"; refuses "an empty directory" 3 "empty" info "$T/empty"
refuses "a file that is no trace" 3 "Makefile" info Makefile
mkdir "$T/other"; touch "$T/other/file"; refuses "a directory that is no trace" 3 "other" info "$T/other"
damaged; : >"$bad_process/meta"; refuses "an empty meta file" 3 "meta" report "$T/bad"
damaged; rm "$bad_process/meta"; refuses "no meta file" 3 "meta" report "$T/bad"
damaged; sed -i 's/^format\tktrace\t[0-9]*/format\tktrace\t99/' "$bad_process/meta"; refuses "another version" 3 "version|99" report "$T/bad"
damaged; sed -i 's/^byte_order\t.*/byte_order\tbig/' "$bad_process/meta"; refuses "another byte order" 3 "byte order|big" report "$T/bad"
damaged; printf '\1\2\3\4' | dd of="$bad_stream" bs=1 seek=8 conv=notrunc status=none
has "byte order of a stream" "byte order" "$("$kt" check "$T/bad" 2>&1)"
damaged; truncate -s 100 "$bad_stream"
"$kt" check "$T/bad" >"$T/out" 2>&1; same "a truncated stream is a finding" 1 $?
has "... which says how much is readable" '[0-9]+ .*calls' "$(<"$T/out")"
# The first event, behind a head of 192 bytes.
damaged; printf '\377\377\377\377' | dd of="$bad_stream" bs=1 seek=192 conv=notrunc status=none
"$kt" check "$T/bad" >"$T/out" 2>&1; same "flipped bits are a finding" 1 $?
true_that "... and the rest is reported" "$kt" report "$T/bad"
damaged; printf 'entry\tnonsense\n' >>"$bad_process/definitions"
"$kt" check "$T/bad" >"$T/out" 2>&1; same "nonsense in the definitions is a finding" 1 $?
damaged; rm "$bad_process/end"; same "no end: incomplete, not an error" incomplete "$(info bad 'd["state"]')"
"$kt" check "$T/good" >"$T/out" 2>&1; same "a good trace has no finding" 0 $?

refuses "an unknown library name" 2 "nonsense" compare "$T/good" --blas nonsense
refuses "replay on a library that does not exist" 3 "nonexistent" replay "$T/good" --blas /nonexistent.so
refuses "replay on a file that is no library" 3 "Makefile" replay "$T/good" --blas ./Makefile
refuses "replay in a context that there is not" 2 "context" replay "$T/good" --context lukewarm
refuses "output directory that cannot be made" 4 "/proc/nowhere" run -o /proc/nowhere/x -- true
refuses "output directory in use" 2 "$T/good" run -o "$T/good" -- true
exit $((failures != 0))
