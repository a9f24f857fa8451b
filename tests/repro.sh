# SPDX-License-Identifier: BSD-3-Clause
# ktrace repro: programs for calls of routines of many families compile without a warning, run without a report of
# AddressSanitizer and without touching memory beyond their operands, and end with the recorded info.
. tests/lib.sh
kt=$B/ktrace
blas=$(ls /usr/lib/*/blas/libblas.so.3 | head -n 1)
lapack=$(ls /usr/lib/*/lapack/liblapack.so.3 | head -n 1)
folders=$(dirname "$lapack"):$(dirname "$blas")
libraries="$lapack $blas $(ls /usr/lib/*/liblapacke.so.3 2>/dev/null | head -n 1) -Wl,--disable-new-dtags,-rpath,$folders -lm"
strict="-O1 -Wall -Wextra -Werror"
export T strict libraries kt

gcc -std=gnu11 -O1 -Wall -Wextra -Werror -o "$T/calls" tests/repro_calls.c $libraries 2>"$T/err" || not_ok "tests/repro_calls.c" "$(<"$T/err")"
for program in "$B/tests/roundtrip_c" "$B/tests/roundtrip_cblas" "$T/calls"; do
    KTRACE_QUIET=1 LD_LIBRARY_PATH=$folders traced "trace_$(basename "$program")" "$program" >/dev/null 2>"$T/err" </dev/null
done

# build NAME FLAGS: compiles $T/NAME.c as strictly as can be
build() { gcc $strict $2 -o "$T/$1" "$T/$1.c" $libraries >"$T/$1.log" 2>&1; }

# try TRACE CALL SYMBOL: the program for one call, under AddressSanitizer and between guard pages; an empty $T/NAME.bad
# means that all is well
try() {
    local name=$1.$2
    "$kt" repro "$T/$1" --call "$2" >"$T/$name.c" 2>"$T/$name.bad" || return
    for flags in -fsanitize=address -DGUARD_PAGES; do
        build "$name" $flags || { echo "$flags: $(head -n 5 "$T/$name.log")" >>"$T/$name.bad"; return; }
        timeout 20 "$T/$name" >"$T/$name.log" 2>&1 && grep -q '^shortest' "$T/$name.log" ||
            echo "$flags: status $?: $(grep -E 'ERROR|info' "$T/$name.log")" >>"$T/$name.bad"
    done
}
export -f build try

# The outermost calls of TRACE whose symbol or routine is one of the NAMES: number and symbol, one per line.
select_calls() { calls "$1" '"\n".join("%d %s" % (c["n"], c["symbol"]) for c in d if c["depth"] == 0 and {c["symbol"], c["routine"]} & set("'"${2//$'\n'/ }"'".split()))'; }

# reproduces TRACE NAMES: the calls of these routines, two at a time
reproduces() {
    local trace=$1 number symbol
    select_calls "$trace" "$2" >"$T/list"
    xargs -P 2 -L 1 bash -c 'try '"$trace"' $0 $1' <"$T/list"
    while read -r number symbol; do
        if [ -s "$T/$trace.$number.c" ] && [ ! -s "$T/$trace.$number.bad" ]; then ok "$symbol, call $number of $trace"
        else not_ok "$symbol, call $number of $trace" "$(<"$T/$trace.$number.bad")"; fi
    done <"$T/list"
    [ -s "$T/list" ] || not_ok "calls of $trace" "none of: $2"
}
reproduces trace_roundtrip_c "srot drotm zdscal ccopy daxpy dsdot zdotc scnrm2 izamax drotmg
    dgemv zgbmv chemv dsbmv sspmv dtrmv ztbsv ctpsv dger zher2 dspr2
    zgemm dsymm cherk dsyr2k strmm ztrsm
    dpotrf zpotrs dgetrf cgetrs dgesv sgeqrf dorgqr zunmqr dtrtrs ctrtri dsyev zheevd dgesvd zgesdd dgelsd sgeev"
reproduces trace_roundtrip_cblas "cblas_dgemm cblas_zhemm cblas_dgbmv cblas_ctrmv cblas_zhpr2 cblas_sgemv cblas_zdotu_sub cblas_dnrm2 cblas_isamax"
reproduces trace_calls "dpotrf zpotrf dgetrf dgesv dtrtri dtrtrs daxpy zaxpy ddot dgemm dgesvd"

# The ways in which a program can be built.
call=$(calls trace_calls '[c["n"] for c in d if c["routine"] == "dgemm" and c["depth"] == 0][0]')
"$kt" repro "$T/trace_calls" --call "$call" >"$T/ways.c"
cp "$T/ways.c" "$T/again.c"; build ways; build again "-DREPEATS=50 -DALIGNMENT=4096"
"$T/ways" >"$T/ways.out"; "$T/again" >"$T/again.out"
has "repeated calls are timed" 'of 50 calls' "$(<"$T/again.out")"
has "... and what they leave summed up" '^c +sum [^0]' "$(<"$T/again.out")"
same "... which is what one call leaves" "$(grep sum "$T/ways.out")" "$(grep sum "$T/again.out")"
build ways "-DKEEP_LAYOUT -fsanitize=address"; same "operands in one block" "$(grep sum "$T/again.out")" "$("$T/ways" | grep sum)"
has "overlapping operands share a block" 'a, b \*/' "$(<"$T/ways.c")"
command=$(sed -n 's/^ \*   \(gcc .*disable-new-dtags.*\)/\1/p' "$T/ways.c")
(cd "$T" && cp ways.c repro.c && eval "$command") >"$T/log" 2>&1 && "$T/repro" >"$T/out"
same "the compile line for the recorded library" 0 $?
has "... which is what the program then uses" "$blas" "$(ldd "$T/repro" | grep -o '/.*libblas[^ ]*')"
slowest=$(calls trace_calls 'max((c["dt"], c["n"]) for c in d if c["routine"] == "dgetrf")[1]')
has "the slowest call of a routine" "call $slowest of " "$("$kt" repro "$T/trace_calls" --routine dgetrf | head -n 2)"

# What is wrong is noticed: a fill that is one element too long, a library that reads beyond, another info.
sed -i 's/\(col \* 7\]\) = number/\1 = a[36] = number/' "$T/ways.c"; build ways -fsanitize=address
has "AddressSanitizer sees an element outside" 'AddressSanitizer: heap-buffer-overflow' "$("$T/ways" 2>&1)"
sed 's/const integer k = 5/const integer k = 600/' "$T/again.c" >"$T/beyond.c"; build beyond -DGUARD_PAGES
"$T/beyond" >"$T/out" 2>&1; same "guard pages stop a library that goes beyond" 139 $?
call=$(calls trace_calls '[c["n"] for c in d if c["routine"] == "dgesv" and c["info"] > 0][0]')
"$kt" repro "$T/trace_calls" --call "$call" | sed 's/ != 5/ != 4/' >"$T/other.c"; build other
"$T/other" >"$T/out" 2>&1; same "another info than the recorded one" 1 $?
exit $((failures != 0))
