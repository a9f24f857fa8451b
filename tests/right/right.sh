# SPDX-License-Identifier: BSD-3-Clause
# check: slow, 60 s
# ktrace compare --check: libraries that are wrong are named, with the routine, the shape and how; those that are right are
# not. What is slow only for some shapes is named by its times.
. tests/lib.sh
kt=$PWD/$B/ktrace
wrong=$PWD/$B/tests/right
export KTRACE_QUIET=1 OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1
"$kt" run -o "$T/calls" -- "$wrong/calls" >/dev/null || not_ok "the calls are recorded"

# checks LIBRARY...: a comparison without timing, its status in $status
checks() { local l list=(); for l; do list+=(--blas "$l"); done; "$kt" compare --check only --json "${list[@]}" "$T/calls" >"$T/out" 2>"$T/err"; status=$?; }
found() { query "sorted({(w['routine'], w['args'].get('n')) for l in d['libraries'] if 'fault' in l['name'] for w in l['wrong']})" <"$T/out"; }
what() { query "[w['what'] for l in d['libraries'] if 'fault' in l['name'] for w in l['wrong']][0]" <"$T/out"; }

# names NUMBER TITLE FOUND PATTERN: fault NUMBER is found where it is and nowhere else
names() {
    checks "$wrong/fault$1.so"
    same "$2: exit status" 1 $status
    same "... named, and nothing else" "$3" "$(found)"
    has "... said how" "$4" "$(what)"
    same "... the recorded library is right" "[[]]" "$(query "[l['wrong'] for l in d['libraries'] if 'fault' not in l['name']]" <"$T/out")"
}
names 1 "one element of dtrsm is off by 1e-9" "[('dtrsm', 37)]" 'residual|differs'
names 2 "dgemm writes one element past C" "[('dgemm', 22)]" 'behind the end of [cC], 0 bytes'
names 3 "dgemv reads what it should not" "[('dgemv', 30)]" 'memory that is no input'
names 4 "dpotrf returns another info" "[('dpotrf', 37)]" 'info = 3, that of the reference library is 0'
names 6 "an eigenvector is off by 1e-9" "[('dsyev', 22)]" 'residual'
names 7 "ddot ends the process" "[('ddot', 64)]" 'ended the process with status 0'
names 8 "dgesv writes between the columns of A" "[('dgesv', 30), ('dgesv', 37)]" 'row (30|37), column 0 of the array'
names 9 "dgemv reads memory of malloc" "[('dgemv', 30)]" 'memory that is no input'

# Slow is not wrong: a result that could not be waited for is counted by itself.
unfinished="[(w['routine'], w['args'].get('n')) for l in d['libraries'] if 'fault' in l['name'] for w in l['unfinished']]"
"$kt" compare --check only --budget 20 --json --blas "$wrong/fault12.so" "$T/calls" >"$T/out" 2>"$T/err"
same "a call that takes a minute is not wrong: exit status" 0 $?
same "... nothing is" "[]" "$(query "[w['what'] for l in d['libraries'] for w in l['wrong']]" <"$T/out")"
same "... it is not finished, and nothing else" "[('dpotrf', 37)] 1" "$(query "$unfinished" <"$T/out") $(query "[l['shapes_unfinished'] for l in d['libraries'] if 'fault' in l['name']][0]" <"$T/out")"
has "... in words" '^dpotrf [LU] 37' "$(query "[w['words'] for l in d['libraries'] for w in l['unfinished']][0]" <"$T/out")"
has "... within a time that is said" "not finished within 5\\.[0-9]{2} s" "$(query "[w['why'] for l in d['libraries'] for w in l['unfinished']][0]" <"$T/out")"
"$kt" compare --check only --budget 20 --routine dpotrf --blas "$wrong/fault12.so" "$T/calls" >"$T/out" 2>"$T/err"
has "... also in text" '^fault12.so: [0-9]+ of [0-9]+ shapes checked, 1 not finished' "$(<"$T/out")"
has "... which shape" '^  not finished within 5\.[0-9]{2} s: dpotrf .*37' "$(<"$T/out")"
"$kt" compare --all --check no --budget 2 --context warm --routine dpotrf --blas "$wrong/fault12.so" "$T/calls" >"$T/out" 2>"$T/err"
same "timed, it is not wrong either: exit status" 0 $?
has "... but not run" 'fault12.so: did not return within the time limit of 10.0 s' "$(tr -s '\n ' ' ' <"$T/out")"

# What was right is known the next time, what was wrong is looked at again.
checks "$wrong/fault6.so"
same "checked again: named, and nothing else" "[('dsyev', 22)]" "$(found)"
same "... as many shapes" "[(22, 0), (22, 0)]" "$(query "[(l['shapes_checked'], l['shapes_unchecked']) for l in d['libraries']]" <"$T/out")"

# The reproducing program is made by the command that is named.
checks "$wrong/fault1.so"
command=$(query "[w['reproduce'] for l in d['libraries'] for w in l['wrong']][0]" <"$T/out")
"$kt" repro "$T/calls" --call "${command##* }" >"$T/repro.c" 2>"$T/err"
has "the command writes a program that makes the call" 'dtrsm_\(' "$(<"$T/repro.c")"

# As text: the library, the routine, how wrong, the command.
"$kt" compare --check only --blas "$wrong/fault1.so" "$T/calls" >"$T/out" 2>"$T/err"
has "text names library and shape" 'fault1.so is wrong: dtrsm .*37 37' "$(<"$T/out")"
same "text fits 80 columns" 0 "$(grep -v 'ktrace repro' "$T/out" | awk 'length > 80' | wc -l)"

# Slow for odd k, ten times: seen whatever else the machine does.
"$kt" compare --check no --json --budget 6 --blas "$wrong/fault5.so" --routine dgemm "$T/calls" >"$T/out" 2>"$T/err"
slow="sorted({s['args']['k'] for s in d['shapes'] for l in s['libraries'] if 'fault' in l['name'] and l['ratio']['value'] is not None and l['ratio']['value'] > 4})"
same "dgemm that is slow for odd k: these shapes" "[49, 51, 53]" "$(query "$slow" <"$T/out")"

# Libraries that are right, over what programs really call.
right() { # NAME TRACE [LIBRARY]
    local l libraries=(${3:+--blas "$3"})
    for l in openblas-serial reference blis-serial atlas; do "$kt" info --libraries "$l" >/dev/null 2>&1 && libraries+=(--blas "$l"); done
    "$kt" compare --check only --json --budget 200 "${libraries[@]}" "$2" >"$T/out" 2>"$T/err"
    same "$1: exit status" 0 $?
    same "... nothing is wrong" "[]" "$(query "[(l['label'], w['routine'], w['what']) for l in d['libraries'] for w in l['wrong']]" <"$T/out")"
    same "... most shapes are checked" True "$(query "max(l['shapes_checked'] / (l['shapes_checked'] + l['shapes_unchecked']) for l in d['libraries']) > 0.5" <"$T/out")"
    echo "# $1: $(query "[(l['label'], l['shapes_checked'], l['worst_residual']) for l in d['libraries']]" <"$T/out")"
}
right "the calls of this test" "$T/calls"
system=$(dirname "$(ls /usr/lib/*/libopenblas.so.0 /usr/lib/*/blas/libblas.so.3 2>/dev/null | head -n 1 | sed 's,/blas/,/,')")
for program in cblas lapacke; do
    cc -O1 -o "$T/rows" "examples/${program}_rowmajor.c" "$system"/{liblapacke,lapack/liblapack,blas/libblas}.so.3 -lm \
        -Wl,-rpath,"$system/lapack:$system/blas" && "$kt" run -o "$T/$program.t" -- "$T/rows" >/dev/null 2>&1
    right "row-major, $program" "$T/$program.t" reference,liblapacke.so.3
done
"$kt" run -o "$T/numpy" -- "$PYTHON" examples/demo.py >/dev/null 2>&1
right "a NumPy program" "$T/numpy"

# Why shapes are not checked.
LD_LIBRARY_PATH=$(dirname /usr/lib/*/openblas-serial/libblas.so.3) "$kt" run -o "$T/values" -- "$PYTHON" -c 'import numpy as np; a = np.random.rand(400, 400); np.linalg.eigvalsh(a + a.T)' >/dev/null 2>&1
text=$("$kt" compare --check only --blas reference --routine dsyevd "$T/values" 2>/dev/null | tr -s "\n " " ")
has "text says why shapes are not checked, and how many" '1 too large to ask the reference library' "$text"
has "... for each reason" '1 asks for a workspace only' "$text"
exit $((failures != 0))
