# SPDX-License-Identifier: BSD-3-Clause
# check: slow, 1 s
# make bench measures; that its arithmetic and its verdicts are right is checked here, with made-up times.
. tests/lib.sh

# samples VARIANT NS...: one line a round
samples() { local variant=$1 round=0 ns; shift; for ns in "$@"; do echo "$((round += 1)) ddot $variant $ns 1000 24000"; done; }
{
    samples plain 12 10; samples least 40 60; samples full 50 46
    samples profile 67 65; samples disabled 16 18; samples lttng 100 110; samples ltrace 5010 6000
    echo "- uftrace not installed (apt: uftrace)"
} >"$T/samples"
table=$("$PYTHON" tests/bench/table.py 2 1 0.5 <"$T/samples")
has "minima, multiples of the least shim, the median of the rounds, bytes" '^  full +46\.0 +36\.0 +1\.20 +1\.04 +24\.0  met 1\.2$' "$table"
has "a target that is missed" '^  KTRACE_MODE=profile +65\.0 +55\.0 +1\.83 .* not 1\.8$' "$table"
has "a mode that has met its target" '^  KTRACE_DISABLE=1 +16\.0 +6\.0 +0\.20 .* met 0\.2$' "$table"
has "large numbers without decimals" '^  ltrace +5010 +5000 +166\.67 ' "$table"
has "what is not installed" '^  uftrace +not installed \(apt: uftrace\)$' "$table"
has "comparison with others" '^  full adds 0\.40 of LTTng-UST$' "$table"
same "no line is longer than 80 columns" "" "$(grep -E '.{81}' <<<"$table")"

interval() { (cd tests/bench && "$PYTHON" -B -c 'import sys, programs; print(programs.sign_test_interval(range(1, int(sys.argv[1]) + 1)))' "$1"); }
same "sign test: five pairs are too few" None "$(interval 5)"
same "sign test: six pairs, the extremes (1 - 2/64)" "(1, 6)" "$(interval 6)"
same "sign test: ten pairs (1 - 22/1024)" "(2, 9)" "$(interval 10)"
same "sign test: twenty-five pairs, as in tables" "(8, 18)" "$(interval 25)"

same "the calls asked for, of two threads" 5000 "$("$B/tests/bench/calls" ddot 2500 2 | cut -d ' ' -f 2)"
for what in ddot dgemm; do
    traced "$what" "$B/tests/bench/calls" "$what" 2500 >"$T/out" 2>"$T/err"
    same "$what: all are recorded" 2500 "$(info "$what" 'd["calls"]')"
done
"$B/tests/bench/pauses" 100000 >"$T/gaps"
same "pauses: counts fall with the limit" sorted "$(awk '{ for (i = 5; i <= 9; i++) if ($i > $(i - 1)) { print; exit } print "sorted" }' "$T/gaps")"
same "pauses: every gap above 20 us has a cause" "$(cut -d ' ' -f 7 "$T/gaps")" "$(awk '{ print $11 + $12 + $13 + $14 }' "$T/gaps")"
exit $((failures != 0))
