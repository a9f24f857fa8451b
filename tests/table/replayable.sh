# SPDX-License-Identifier: BSD-3-Clause
# check: slow, 49 s
# What replay can call: every routine of the table that a library has, CALLS (200) times in 40 shapes with the contents that replay
# gives its operands and restored inputs (tests/table/replayable.c). What fails has a line with its reason in tests/table/replayable.list;
# a line that is not needed is a failure, too.
. tests/lib.sh
exceptions=tests/table/replayable.list
calls=${CALLS:-200}
reference=$(ls /usr/lib/*/blas/libblas.so.3 | head -n 1),$(ls /usr/lib/*/lapack/liblapack.so.3 | head -n 1)
openblas=$(ls /usr/lib/*/openblas-serial/libopenblas.so.0 | head -n 1)

# tries NAME LIBRARY: a line for each routine to $T/NAME, half of the table at a time
tries() {
    "$B/tests/table/replayable" --calls "$calls" trace/routines "$2" '[sc]*' 'i[sc]*' >"$T/$1.single" 2>"$T/$1.log" &
    "$B/tests/table/replayable" --calls "$calls" trace/routines "$2" '[!sci]*' 'i[!sc]*' >"$T/$1.double" 2>>"$T/$1.log"
    wait
    cat "$T/$1.single" "$T/$1.double" | sort >"$T/$1"
}
# share NAME LIBRARY PATTERN WHAT: at least 98 % of the routines in sections of that pattern are good
share() {
    local all good
    all=$(awk -v p="$3" '$2 ~ p' "$T/$1" | wc -l)
    good=$(awk -v p="$3" '$2 ~ p && $3 == "good"' "$T/$1" | wc -l)
    local text="$4 that can be replayed on $2: $good of $all, $(awk "BEGIN {printf \"%.2f\", 100 * $good / ($all ? $all : 1)}") %"
    if [ "$all" -gt 100 ] && [ $((good * 100)) -ge $((all * 98)) ]; then ok "$text"; else not_ok "$text" "$(tail -n 5 "$T/$1.log")"; fi
}
# excepted NAME: what is not good has a line in the list, and every line is needed
excepted() {
    local known found
    known=$(grep -vE '^(#|$)' $exceptions | awk -v l="$1" '("," $2 ",") ~ ("," l ",") {print $1}' | sort)
    found=$(awk '$3 != "good" {print $1}' "$T/$1" | sort)
    local missing spare
    missing=$(comm -13 <(echo "$known") <(echo "$found") | while read -r name; do grep "^$name " "$T/$1"; done)
    spare=$(comm -23 <(echo "$known") <(echo "$found"))
    if [ -z "$missing" ]; then ok "every other routine has its reason in $exceptions: $1"; else not_ok "without a reason in $exceptions: $1" "$missing"; fi
    if [ -z "$spare" ]; then ok "no exception is without need: $1"; else not_ok "exceptions without need: $1" "$spare"; fi
}
for library in reference openblas; do
    tries $library "${!library}"
    [ -n "${REPLAYABLE_REPORT:-}" ] && cp "$T/$library" "$REPLAYABLE_REPORT.$library"
    share $library "$library" '^lapack_' "routines of LAPACK"
    share $library "$library" '^blas' "routines of BLAS"
    excepted $library
done
reasonless=$(grep -vE '^(#|$)' $exceptions | grep -vE '^[a-z0-9_]+ [a-z,]+ .{20}')
if [ -z "$reasonless" ]; then ok "every exception has a reason"; else not_ok "exceptions without a reason" "$reasonless"; fi

# --- the test tested ----------------------------------------------------------------------------------------------

# Tables without these words must be noticed. without ROUTINE WORD RESULT
mkdir "$T/wrong"
without() {
    cp trace/routines/* "$T/wrong"
    for f in "$T"/wrong/lapack_*.spec; do sed -i ':a;N;$!ba;s/\n / /g' "$f"; sed -i "/^?${1#?} /s/@$2\(([^ ]*)\)\?//g" "$f"; done
    has "noticed: $1 without $2" "^$1 [^ ]* ($3)" "$("$B/tests/table/replayable" --calls 40 --seconds 5 "$T/wrong" "$reference" "$1" 2>/dev/null)"
}
without dpotrf spd info
without dpftrf rfp_spd info
without dtgevc schur info
without dptsv spd info
without dgemqr tsqr 'info|unmade'
without dhsein ladder info
without dlaed1 halves 'dies|info|nan|infinite'
without clarft reflectors overflow
exit $((failures != 0))
