# SPDX-License-Identifier: BSD-3-Clause
# check: slow, 80 s
# ktrace repro: programs for calls that real programs made, of routines of many families, compile without a warning, run
# without a report of AddressSanitizer and without touching memory beyond their operands, and end with the recorded info.
. tests/lib.sh
kt=$B/ktrace
blas=$(ls /usr/lib/*/blas/libblas.so.3 | head -n 1)
lapack=$(ls /usr/lib/*/lapack/liblapack.so.3 | head -n 1)
folders=$(dirname "$lapack"):$(dirname "$blas")
libraries="$(ls /usr/lib/*/liblapacke.so.3 | head -n 1) $lapack $(ls /usr/lib/*/libtmglib.so.3 | head -n 1) $blas -Wl,--disable-new-dtags,-rpath,$folders -lm"
# It links hundreds of programs, with the runtime of AddressSanitizer in half the time.
if command -v ld.gold >/dev/null; then libraries+=" -fuse-ld=gold"; fi
strict="-Wall -Wextra -Werror"
export T strict libraries kt

# record NAME PROGRAM: leaves the trace $T/NAME. Test programs of BLAS leave files where they run.
record() { KTRACE_QUIET=1 LD_LIBRARY_PATH=$folders traced "$1" env -C "$T" "$2" >"$T/$1.out" 2>&1; }

# build NAME FLAGS: compiles $T/NAME.c as strictly as can be
build() { gcc $strict $2 -o "$T/$1" "$T/$1.c" $libraries >"$T/$1.log" 2>&1; }

# try TRACE CALL: its program under AddressSanitizer and between guard pages; $T/TRACE.CALL.bad is empty if all is well.
# Where nobody knows what brings about the recorded info, the program says so.
try() {
    local name=$1.$2 flags status
    "$kt" repro "$T/$1" --call "$2" >"$T/$name.c" 2>"$T/$name.bad" || return
    for flags in "-O1 -fsanitize=address" -DGUARD_PAGES; do
        build "$name" "$flags" || { echo "$flags: $(head -n 5 "$T/$name.log")" >>"$T/$name.bad"; return; }
        timeout 20 "$T/$name" >"$T/$name.log" 2>&1; status=$?
        [ $status = 1 ] && grep -q 'expect another one' "$T/$name.c" && status=0
        [ $status = 0 ] && grep -q '^shortest' "$T/$name.log" ||
            echo "$flags: status $status: $(tail -n 3 "$T/$name.log")" >>"$T/$name.bad"
    done
}
export -f build try

# last_calls TRACE: of the outermost calls, the last of each symbol, layout and sign of info: number, symbol and info.
# The first ones of the test programs are their tests of illegal arguments.
last_calls() {
    "$kt" dump "$T/$1" | awk 'match($0, /s  [a-zA-Z]/) {
        symbol = substr($0, RSTART + 3); layout = symbol ~ /\(row/; sub(/\(.*/, "", symbol)
        info = match($0, /info=-?[0-9]+/) ? substr($0, RSTART + 5, RLENGTH - 5) : 0
        last[symbol " " layout (info > 0) (info < 0)] = $1 " " symbol " " info
    } END { for (i in last) print last[i] }' | sort -n
}

# reproduces TRACE: all its last calls but those whose symbol and info match LEFT_OUT, two at a time
reproduces() {
    local trace=$1 left_out=${2:-nothing} number symbol info
    last_calls "$trace" | grep -vE " ($left_out)" >"$T/$trace.list"
    xargs -P 2 -L 1 bash -c 'try '"$trace"' $0' <"$T/$trace.list"
    while read -r number symbol info; do
        if [ -s "$T/$trace.$number.c" ] && [ ! -s "$T/$trace.$number.bad" ]; then ok "$symbol with info $info, call $number of $trace"
        else not_ok "$symbol with info $info, call $number of $trace" "$(<"$T/$trace.$number.bad")"; fi
    done <"$T/$trace.list"
    [ -s "$T/$trace.list" ] || not_ok "calls of $trace" "$(tail -n 3 "$T/$trace.out")"
}

gcc -std=gnu11 -O1 $strict -o "$T/program" tests/replay/repro_calls.c $libraries >"$T/log" 2>&1 || not_ok "tests/replay/repro_calls.c" "$(<"$T/log")"
record calls "$T/program"
# The table gives superb the length of the Fortran interface's workspace.
reproduces calls LAPACKE_dgesvd
record level1 "$(dirname "$blas")/xdcblat1"
reproduces level1
record level2 "$(dirname "$blas")/xzcblat2" <"$(dirname "$blas")/zin2"
reproduces level2
record level3 "$(dirname "$blas")/xblat3s" <"$(dirname "$blas")/sblat3.in"
reproduces level3
record generalised "$(dirname "$lapack")/xeigtstd" <"$(dirname "$lapack")/gsv.in"
reproduces generalised "dla"
# Linear equations: one size, some types of matrices.
sed -E '2s/.*/1/; 3s/.*/5/; 4s/.*/1/; 5s/.*/5/; 6s/.*/1/; 7s/.*/2/; 8s/.*/1/; 9s/.*/3/; 10s/.*/0/; 11s/.*/1/; 12s/.*/90/; /^D(SR|SK|SA|S2|QX|XQ|QT|TQ|TS|HH)/d' \
    "$(dirname "$lapack")/dtest.in" >"$T/linear.in"
record linear "$(dirname "$lapack")/xlintstd" <"$T/linear.in"
reproduces linear "dla|d[a-z0-9]+_ -"

# The ways in which a program can be built.
call=$(calls calls '[c["n"] for c in d if c["routine"] == "dgemm" and c["depth"] == 0][0]')
"$kt" repro "$T/calls" --call "$call" >"$T/ways.c"
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
slowest=$(calls calls 'max((c["dt"], c["n"]) for c in d if c["routine"] == "dgetrf")[1]')
symbol=$("$kt" report --json "$T/calls" | query 'd["shapes"][2]["symbol"]')
has "a shape of the report" "\* $symbol as recorded" "$("$kt" repro "$T/calls" --shape 3 | head -n 4)"
has "the slowest call of a routine" "call $slowest of " "$("$kt" repro "$T/calls" --routine dgetrf | head -n 2)"

# What is wrong is noticed: a fill that is one element too long, a library that reads beyond, another info.
sed -i 's/\(col \* 7\]\) = number/\1 = a[36] = number/' "$T/ways.c"; build ways -fsanitize=address
has "AddressSanitizer sees an element outside" 'AddressSanitizer: heap-buffer-overflow' "$("$T/ways" 2>&1)"
sed 's/const integer k = 5/const integer k = 600/' "$T/again.c" >"$T/beyond.c"; build beyond -DGUARD_PAGES
"$T/beyond" >"$T/out" 2>&1; same "guard pages stop a library that goes beyond" 139 $?
call=$(calls calls '[c["n"] for c in d if c["routine"] == "dgesv" and c["symbol"] == "dgesv_" and c["info"] > 0][0]')
"$kt" repro "$T/calls" --call "$call" | sed 's/ != 5/ != 4/' >"$T/other.c"; build other
"$T/other" >"$T/out" 2>&1; same "another info than the recorded one" 1 $?

# refuses NAME STATUS PATTERN ARGS...: one line that matches, and no program
refuses() {
    local name=$1 status=$2 pattern=$3 out code; shift 3
    out=$("$kt" repro "$@" 2>"$T/err"); code=$?
    if [ "$code $(wc -l <"$T/err") $out" = "$status 1 " ] && grep -qE -- "$pattern" "$T/err"; then ok "$name"
    else not_ok "$name" "status $code, expected $status; one line matching: $pattern" "$(<"$T/err")"; fi
}
refuses "no such shape" 2 "there is no shape 0; the report has" "$T/calls" --shape 0
refuses "a shape that is no number" 2 "as .ktrace report. prints it" "$T/calls" --shape x
refuses "no call" 2 "which call" "$T/calls"
refuses "a call and a routine" 2 "one of them" "$T/calls" --call 1 --routine dgemm
refuses "a number that is none" 2 "number of a call" "$T/calls" --call 1x
refuses "a call that there is not" 2 "numbered from 0 to [0-9]+" "$T/calls" --call 1000000
refuses "a routine that was not called" 2 "no recorded call of dgemv3" "$T/calls" --routine dgemv3
refuses "no trace" 3 "$T/none" "$T/none" --call 1
exit $((failures != 0))
