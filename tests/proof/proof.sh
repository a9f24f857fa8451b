# SPDX-License-Identifier: BSD-3-Clause
# check: slow, 280 s
# The operand ranges of LAPACK routines, proven with the calls of real programs: LAPACK's own test programs on the reference
# library, and tests/proof/drive for what those never call, under the checker libproof.so (tests/proof/check.c). What fails or
# cannot be called has a line with its reason in tests/proof/exceptions.list; a line that is not needed is a failure, too.
. tests/lib.sh
tools=$PWD/$B/tests/proof
table=$PWD/trace/routines
exceptions=tests/proof/exceptions.list
lapack=$(ls -d /usr/lib/*/lapack | head -n 1)
blas=$(ls -d /usr/lib/*/blas | head -n 1)
state=${PROOF_STATE:-$T/state}
export PROOF_PART=${PROOF_PART:-4}
if [ ! -x "$lapack/xlintstd" ]; then skip "operand ranges of LAPACK" "the package liblapack-test is not installed"; exit 0; fi

# Every program of the package with each of its inputs, those that take longest first.
programs() {
    local t i
    for t in s d c z; do echo "xlintst$t ${t}test.in"; done
    for i in svd sep se2 nep glm gqr gsv csd lse; do
        for t in s d c z; do echo "xeigtst$t $i.in"; done
    done
    for t in s d c z; do
        echo "xlintstrf$t ${t}test_rfp.in"
        for i in ec ed gg gd sb sg bb bal bak gbal gbak; do echo "xeigtst$t $t$i.in"; done
    done
    echo "xlintstds dstest.in"; echo "xlintstzc zctest.in"
}
# checked COMMAND...: under the checker, which need not know its table in the time limit, too, on the reference libraries
checked() { timeout 2000 env LD_LIBRARY_PATH="$lapack:$blas" PROOF_TABLE="$table" PROOF_STATE="$state" LD_PRELOAD="$tools/libproof.so $lapack/liblapack.so.3 libtmglib.so.3" "$@"; }
program() { (cd "$lapack" && checked "./$1" <"$2" >/dev/null 2>&1) || echo "$1 $2: status $?"; }
drive() { checked "$tools/drive" "$@" >/dev/null 2>&1 || echo "drive $*: status $?"; }

# Families, without the letter of the type, that the programs do not call: random legal arguments will do.
small='gegs|gegv|gelsx|geqpf|geqrt2|getf2|ggsvd|ggsvp|disna|lacon|lacrt|lahrd|laqsb|laqsp|laqsy|larfy|latzm|tzrqf|orm22|unm22
       poequb|geequb|gbequb|syequb|heequb|syconvf|syconvf_rook|laed5|lasd5|lasq6|lahilb'
# Families whose auxiliary routines are only called for sizes that the programs do not use.
large='stedc|stegr|stemr|syevr|heevr|stebz|hseqr|laqr4|gghd3|gesdd|bdsdc|gelsd|gesvj'
# drives FAMILIES OPTION...: lines of some routines each
drives() {
    local names families
    names=$("$tools/proof" report "$table" "$state" | cut -d' ' -f1)
    families=$(tr -s ' \n' '|' <<<"$1" | sed 's/|$//'); shift
    grep -E "^[sdcz]($families)$" <<<"$names" | xargs -n 4 echo "$*" "$table" "$lapack/liblapack.so.3"
}
# Forking copies page tables: of large pages there are fewer.
export GLIBC_TUNABLES=glibc.malloc.hugetlb=1
export -f checked program drive
export lapack blas table state tools
trouble=$({ programs | sed 's/^/program /'
            drives "$small" --sets 100 | sed 's/^/drive /'
            drives "$large" --sets 40 --large | sed 's/^/drive /'; } | xargs -P "$(nproc)" -I{} bash -c '{}')
if [ -z "$trouble" ]; then ok "all programs end well under the checker"; else not_ok "programs under the checker" "$trouble"; fi

# --- what came of it ----------------------------------------------------------------------------------------------

report=$("$tools/proof" report "$table" "$state")
[ -n "${PROOF_REPORT:-}" ] && echo "$report" >"$PROOF_REPORT"
count() { grep -cE "^[^ ]+ $1 " <<<"$report"; }
described=$(wc -l <<<"$report") passed=$(count passed) failed=$(count failed) idle=$(count idle)
figures="$described routines: $passed passed, $failed failed, $idle not exercised"
if [ $((passed * 100)) -ge $((described * 98)) ]; then ok "operand ranges hold: $figures"; else not_ok "operand ranges: $figures"; fi

excepted=$(grep -vE '^(#|$)' $exceptions | cut -d' ' -f1 | sort)
needed=$(awk '$2 != "passed" {print $1}' <<<"$report" | sort)
missing=$(comm -13 <(echo "$excepted") <(echo "$needed") | while read -r name; do grep "^$name " <<<"$report"; done)
if [ -z "$missing" ]; then ok "every other routine has its reason in $exceptions"; else not_ok "without a reason in $exceptions" "$missing"; fi
spare=$(comm -23 <(echo "$excepted") <(echo "$needed"))
if [ -z "$spare" ]; then ok "no exception is without need"; else not_ok "exceptions without need" "$spare"; fi
reasonless=$(grep -vE '^(#|$)' $exceptions | grep -vE '^[a-z0-9_]+ +[^ ]+ ')
if [ -z "$reasonless" ]; then ok "every exception has a reason"; else not_ok "exceptions without a reason" "$reasonless"; fi

# --- the proof proven ---------------------------------------------------------------------------------------------

# Most elements that no call needs are there for a reason: unit diagonals, vectors that are not asked for, ...
ends=$("$tools/proof" mutations "$table" "$state")
[ -n "${PROOF_REPORT:-}" ] && echo "$ends" >"$PROOF_REPORT.mutations"
noticed=$(grep -c ^noticed <<<"$ends") all=$(wc -l <<<"$ends")
if [ "$all" -gt 0 ] && [ $((noticed * 100)) -ge $((all * 95)) ]; then
    ok "that the first or last element of an operand is missing shows for $noticed of $all"
else not_ok "missing elements show for $noticed of $all only" "$(grep ^missed <<<"$ends")"; fi

# The checker must refuse a table with mistakes. mistake ROUTINE NAME SED
mkdir "$T/wrong"; cp trace/routines/* "$T/wrong"
for f in "$T"/wrong/*.spec; do sed -i ':a;N;$!ba;s/\n / /g' "$f"; done
mistakes=()
mistake() {
    cat "$T"/wrong/*.spec >"$T/before"; sed -i "$3" "$T"/wrong/*.spec
    if cat "$T"/wrong/*.spec | cmp -s - "$T/before"; then not_ok "$2" "does not apply: $3"; else mistakes+=("$1 $2"); fi
}
mistake dgeqrf "an output that is too short" '/^?geqrf /s/out:tau\[min(m,n)\]/out:tau[min(m,n)-1]/'
mistake dgetrs "an input that is too short" '/^?getrs /s/in:ipiv\[n\]/in:ipiv[n-1]/'
mistake dtrtrs "an input that is written" '/^?trtrs /s/io:b\[n,nrhs/in:b[n,nrhs/'
mistake dpotrf "an output that is read" '/^?potrf /s/io:a\[/out:a[/'
mistake dpocon "a workspace that is too short" '/^?pocon s d /s/work:work\[3\*n\]/work:work[3*n-1]/'
mistake dlange "the other triangle of a matrix" '/^?lange /s/in:a\[m,n;lda\]/in:a[m,n;lda;U]/'
(table=$T/wrong state=$T/wrong.state; program xlintstd dtest.in)
report=$("$tools/proof" report "$T/wrong" "$T/wrong.state")
for m in "${mistakes[@]}"; do has "noticed in the table: ${m#* }" "^${m%% *} failed" "$(grep "^${m%% *} " <<<"$report")"; done
exit $((failures != 0))
