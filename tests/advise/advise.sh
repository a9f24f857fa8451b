# SPDX-License-Identifier: BSD-3-Clause
# check: fast, 30 s
# ktrace advise: which rules apply to programs with known faults, and to the same without them; what it prints. That both
# forms of a call give the same results is for tests/unit/test_rules.c.
. tests/lib.sh
kt=$PWD/$B/ktrace
F=$PWD/$B/tests/advise/faults
export KTRACE_QUIET=1 OPENBLAS_NUM_THREADS=1
# tried NAME EXPRESSION: of the document d of a quick trial
tried() { "$kt" advise --json --budget 0.2 "$T/$1" 2>"$T/err" | query "$2"; }
changes='[(c["rule"], c["routine"], c["changed_to"]) for c in d["tried"]]'
arguments='[tuple(c["changed_args"].get(k) for k in KEYS) for c in d["tried"]]'
# of KEY...: their values in changed calls
of() { local keys; keys=$(printf '"%s", ' "$@"); echo "${arguments/KEYS/($keys)}"; }

# --- which rules apply ---------------------------------------------------------------------------------------------
for name in vector one-side symmetric repeated padding; do
    for form in wrong right; do
        case $name in vector|one-side) calls=3000 ;; *) calls=20 ;; esac
        sums+=("$(traced $name-$form "$F" $name $form $calls 100 | awk '{print $2}')")
    done
done
same "both forms of the programs compute the same" "${sums[0]} ${sums[2]} ${sums[6]}" "${sums[1]} ${sums[3]} ${sums[7]}"
same "a product of one column" "[('vector', 'dgemm', 'dgemv')]" "$(tried vector-wrong "$changes")"
same "... its arguments" "[('N', 100, 100, 100, 1, 1, 1.0, 0.0)]" "$(tried vector-wrong "$(of trans m n lda incx incy alpha beta)")"
same "one right-hand side" "[('one-side', 'dtrsm', 'dtrsv')]" "$(tried one-side-wrong "$changes")"
same "... its arguments" "[('L', 'N', 'N', 100, 100, 1)]" "$(tried one-side-wrong "$(of uplo trans diag n lda incx)")"
same "a matrix and itself" "[('symmetric', 'dgemm', 'dsyrk')]" "$(tried symmetric-wrong "$changes")"
same "... its arguments" "[('N', 100, 100, 100, 100)]" "$(tried symmetric-wrong "$(of trans n k lda ldc)")"
same "one matrix and several vectors" "[('repeated', 'dgemv', 'dgemm')]" "$(tried repeated-wrong "$changes")"
same "... its arguments" "[('N', 'N', 100, 64, 100, 100, 100, 100)]" "$(tried repeated-wrong "$(of transa transb m n k lda ldb ldc)")"
same "... and what it replaces" "[(1280, 64)]" "$(tried repeated-wrong '[(c["calls"], c["replaced"]) for c in d["tried"] if c["rule"] == "repeated"]')"
same "columns that are whole pages apart" "[('padding', 'dgemm', 'dgemm')]" "$(tried padding-wrong "$changes")"
same "... its arguments" "[(48, 48, 512, 1032, 1032, 1032)]" "$(tried padding-wrong "$(of m n k lda ldb ldc)")"
inverse_wrong=$(traced inverse-wrong "$F" inverse wrong 20 100 | awk '{print $2}')
inverse_right=$(traced inverse-right "$F" inverse right 20 100 | awk '{print $2}')
same "an inverse for one product: the solution is the same" True "$("$PYTHON" -c "print(abs($inverse_wrong - $inverse_right) < 1e-6 * (1 + abs($inverse_right)))")"
same "... is one change" "[('inverse', 'dgetri', 'dgetrs')]" "$(tried inverse-wrong "$changes")"
same "... its arguments" "[('N', 100, 1, 100, 100)]" "$(tried inverse-wrong "$(of trans n nrhs lda ldb)")"
same "... corrected: nothing to try" "[]" "$(tried inverse-right "$changes")"
for form in wrong right; do
    traced needed "$F" needed $form 20 100 >/dev/null
    same "an inverse that is read twice is needed ($form)" "[]" "$(tried needed "$changes")"
done
traced later "$F" later wrong 20 100 >/dev/null
same "... behind a call of a lighter shape" "[('repeated', 'dgemv', 'dgemm')]" "$(tried later "$changes")"
same "symmetric, corrected: the whole square may be faster" "[('square', 'dsyrk', 'dgemm')]" "$(tried symmetric-right "$changes")"
for name in vector one-side repeated padding; do
    same "$name, corrected: nothing to try" "[] []" "$(tried $name-right "$changes") $(tried $name-right 'd["advice"]')"
done
traced chain "$F" chain wrong 20 100 >/dev/null; same "results that are the next vectors cannot be joined" "[]" "$(tried chain "$changes")"
traced reused "$F" chain right 20 100 >/dev/null; same "nor results that all lie in one place" "[]" "$(tried reused "$changes")"
KTRACE_MODE=profile traced profile "$F" vector wrong 3000 100 >/dev/null
same "a profile does not tell where operands were" "[('vector', 'dgemm', 'dgemv', 'between', True)]" \
    "$(tried profile '[(c["rule"], c["routine"], c["changed_to"], c["context"], 0 <= c["place"] <= 1) for c in d["tried"]]')"
same "a trace does" "[('tracked', None)]" "$(tried vector-wrong '[(c["context"], c["place"]) for c in d["tried"]]')"

# --- what a gain is ------------------------------------------------------------------------------------------------
# 64 products with a vector read the matrix 64 times; one product of matrices does not.
traced gain "$F" repeated wrong 4 600 >/dev/null
"$kt" advise --json --blas openblas --budget 12 "$T/gain" >"$T/gain.json" 2>"$T/err"; same "status" 0 $?
same "the ratio is that of a large gain" True "$(query '0 < d["tried"][0]["ratio"]["value"] < 0.7' <"$T/gain.json")"
same "... which is advised, or said why not" True "$(query '(d["tried"][0]["outcome"] == "advised") == (len(d["advice"]) == 1)' <"$T/gain.json")"
text=$("$kt" advise --all --budget 0.2 "$T/vector-wrong" 2>"$T/err")
has "text: what was tried" ', of which BLAS and LAPACK take [0-9.]+ m?s; 1 change tried on 1 shape$' "$text"
same "text: 80 columns" "" "$(grep -E '.{81}' <<<"$text")"
traced processes sh -c "'$F' vector wrong 300 100; '$F' vector wrong 300 100" >/dev/null
has "text: of how many processes" '^[0-9.]+ m?s in 2 processes, of which BLAS and LAPACK take ' "$("$kt" advise --budget 0.2 "$T/processes" 2>"$T/err")"
has "text: nothing to try" '^Nothing to try: no rule fits a call of this program' "$("$kt" advise "$T/vector-right")"
if "$PYTHON" -c 'import scipy.linalg.blas' 2>/dev/null; then
    printf 'import numpy as np\nfrom scipy.linalg.blas import dgemm\na = np.ones((300, 300), order="F"); x = np.ones((300, 1), order="F")\nfor i in range(900):\n    dgemm(1, a, x)\n' >"$T/product.py"
    traced python "$PYTHON" "$T/product.py"
    same "a line of Python" "[('vector', 'dgemm', 'dgemv', 'product.py', 5)]" \
        "$(tried python '[(c["rule"], c["routine"], c["changed_to"], c["source"]["file"].split("/")[-1], c["source"]["line"]) for c in d["tried"]]')"
fi

# --- what cannot be -------------------------------------------------------------------------------------------------
fails() { local name=$1 status=$2 words=$3; shift 3; "$kt" advise "$@" >"$T/out" 2>"$T/err"; same "$name: status" "$status" $?; has "$name" "$words" "$(<"$T/err")"; }
fails "no trace" 2 "which trace"
fails "two traces" 2 "one trace at a time" "$T/vector-wrong" "$T/vector-right"
fails "two libraries" 2 "one --blas" --blas openblas --blas reference "$T/vector-wrong"
fails "no such trace" 3 "nowhere" "$T/nowhere"
fails "no such routine" 2 "no recorded call of a routine" --routine dtrsm "$T/vector-wrong"
fails "no such library" 2 "no-such-library" --blas no-such-library "$T/vector-wrong"
timeout --preserve-status -s INT 3 "$kt" advise --json --budget 60 "$T/gain" >"$T/out" 2>"$T/err"; same "interrupted: status" 130 $?
same "... prints what there is" "True 1" "$(query 'str(d["interrupted"]) + " " + str(len([c for c in d["tried"] if c["rule"] == "repeated"]))' <"$T/out")"
exit $((failures != 0))
