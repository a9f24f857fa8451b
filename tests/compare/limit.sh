# SPDX-License-Identifier: BSD-3-Clause
# check: slow, 70 s
# ktrace compare --baseline, --fail-above, --markdown: two builds of a library on one workload, as a library's CI has it.
. tests/lib.sh
kt=$PWD/$B/ktrace
slower=$PWD/$B/tests/diff/slower.so # of dgemm, where m is SLOW_M; otherwise the reference library
reference=$(ldd "$slower" | awk '/libblas/ { print $3 }')
export KTRACE_QUIET=1
KTRACE_OUT=$T/rounds LD_PRELOAD=$PWD/$B/libktrace.so "$B/tests/diff/rounds" 60
"$kt" distill -o "$T/rounds.ktw" "$T/rounds" >/dev/null
cp -L "$reference" "$T/same.so"
# compared TRACE OPTION...: what is beyond is in $T/out
compared() { "$kt" compare --store none --check no --budget 6 "${@:2}" "$1" >"$T/out" 2>"$T/err"; }
limit() { query "$1" <"$T/out"; }

# A shape that takes twice as long shows on any machine, all calls do not.
export SLOW_M=64 SLOW_PERCENT=100
for trace in rounds rounds.ktw; do
    compared "$T/$trace" --baseline "$T/same.so" --blas "$slower" --fail-above 40% --json; same "$trace: twice as long, 40 % allowed" 1 $?
    same "... the baseline is not the recorded library" "same.so False" "$(limit '"%s %s" % (d["baseline"], d["baseline_is_recorded"])')"
    same "... what fails" "True 0.4 [('slower.so', 'dgemm', 'dgemm 64x64x64')]" \
        "$(limit '"%s %s %s" % (d["limit"]["fails"], d["limit"]["above"], [(b["library"], b["routine"], b["what"]) for b in d["limit"]["beyond"] if "x" in b["what"]])')"
    same "... about twice, with an interval" True "$(limit 'all(1.4 < b["ratio"]["lo"] <= b["ratio"]["value"] <= b["ratio"]["hi"] and b["ratio"]["value"] < 3 for b in d["limit"]["beyond"] if "x" in b["what"])')"
done
compared "$T/rounds" --baseline "$T/same.so" --blas "$slower" --fail-above 40 --markdown; same "as Markdown: status" 1 $?
has "... the verdict first" '^\*\*Fails: [0-9]+ (is|are) slower than on same.so by more than 40 %.\*\* Replayed times' "$(head -n 1 "$T/out")"
same "... rows of five and of four cells" "6 7" "$(grep '^|' "$T/out" | awk -F'|' '{ print NF }' | sort -u | sort -nr | paste -sd' ' | awk '{ print $2, $1 }')"
compared "$T/rounds" --baseline "$T/same.so" --blas "$slower" --fail-above 40; same "on the screen: status" 1 $?
has "... as a finding" '^- Fails: [0-9]+ (is|are) slower than on same.so by more than 40 %:' "$(<"$T/out")"
same "... within a screen" True "$([ "$(wc -l <"$T/out")" -le 24 ] && [ "$(awk '{ if (length > 80) print }' "$T/out" | wc -l)" = 0 ] && echo True)"
compared "$T/rounds" --baseline "$T/same.so" --blas "$slower" --fail-above 400%; same "400 % allowed: it passes" 0 $?
has "... and says so" '^- Passes: nothing is slower than on same.so by more than 400 %$' "$(<"$T/out")"
SLOW_PERCENT=0
compared "$T/rounds" --baseline "$slower" --blas "$T/same.so" --fail-above 40% --json; same "the same library: it passes" 0 $?
same "... with nothing to tell" "False []" "$(limit '"%s %s" % (d["limit"]["fails"], d["limit"]["beyond"])')"
compared "$T/rounds" --baseline "$reference" --blas "$T/same.so" --json
same "the recorded library, named as the baseline" "True False" "$(limit '"%s %s" % (d["baseline_is_recorded"], "limit" in d)')"

# Many workloads, by the example.
KTRACE=$kt examples/ci/library.sh -l 40 -b 6 "$T/same.so" "$slower" "$T/rounds.ktw" "$T/rounds" >"$T/out" 2>"$T/err"; same "the example: equal libraries" 0 $?
same "... both pass" 2 "$(grep -c '^\*\*Passes: ' "$T/out")"
XDG_CACHE_HOME=$T/cache SLOW_PERCENT=100 KTRACE=$kt examples/ci/library.sh -l 40 -b 6 "$T/same.so" "$slower" "$T/rounds.ktw" >"$T/out" 2>&1; same "... a slower one" 1 $?
KTRACE=$kt examples/ci/library.sh "$T/same.so" >/dev/null 2>&1; same "... without workloads" 2 $?

for wrong in "--fail-above x" "--fail-above -1" "--fail-above 3 --check only" "--markdown --json" "--baseline reference --map $T/map"; do
    # shellcheck disable=SC2086 # words
    compared "$T/rounds" --blas "$T/same.so" $wrong; same "$wrong" 2 $?
    same "... one line" 1 "$(wc -l <"$T/err")"
done
compared "$T/rounds" --baseline "$T/none.so" --blas "$T/same.so"; same "a baseline that is not there" 3 $?
same "... one line" 1 "$(wc -l <"$T/err")"
exit $((failures != 0))
