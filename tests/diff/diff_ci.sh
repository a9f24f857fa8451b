# SPDX-License-Identifier: BSD-3-Clause
# check: fast, 5 s
# ktrace diff for CI: --fail-above, --markdown and examples/ci/. A shape is ten times slower, which shows on any machine;
# how often a change of 10 % is found is measured by tests/bench/regression.sh.
. tests/lib.sh
kt=$PWD/$B/ktrace
export KTRACE_QUIET=1
cat >"$T/app" <<END
#!/bin/sh
LD_PRELOAD="\$LD_PRELOAD $PWD/$B/tests/diff/slow.so" SLOW_M=48 SLOW_PERCENT=\$1 exec "$PWD/$B/tests/diff/rounds" 60
END
chmod +x "$T/app"

# The example, three runs of each.
KTRACE=$kt examples/ci/regression.sh -n 3 -o "$T/ci" "$T/app 0" "$T/app 900" >"$T/slower.md" 2>"$T/said"
same "ten times slower: the example fails" "1 " "$? $(<"$T/said")"
same "... after three runs of each, in turns" "3 3" "$(ls "$T/ci/before" | wc -l) $(ls "$T/ci/after" | wc -l)"
has "... the verdict comes first" '^\*\*Fails: .* became slower by more than 5 %\.\*\* ' "$(head -n 1 "$T/slower.md")"
row=$(grep '^| slower .*<code>dgemm 48x48x48</code> | 180 |' "$T/slower.md")
has "... the shape is in the table, with its place and interval" '<code>main in .*rounds</code> .* [0-9.]+ \([0-9.]+ to [0-9.]+\) \| +[0-9.]+ % \|$' "$row"
ratio=$(sed -E 's/.*\| ([0-9]+)\.[0-9]* \(.*/\1/' <<<"$row")
true_that "... which is ten times slower" test "$ratio" -ge 8 -a "$ratio" -le 12
same "... all rows have nine bars" 9 "$(grep '^|' "$T/slower.md" | awk -F'|' '{ print NF - 1 }' | sort -u)"
has "... below it what did not change" '^Of [0-9]+ tested shapes [0-9]+ are the same within [0-9.]+ %, of [0-9]+ that cannot be told; ' "$(tail -n 1 "$T/slower.md")"
same "... kept in a file" "$(<"$T/slower.md")" "$(<"$T/ci/diff.md")"
KTRACE=$kt examples/ci/regression.sh -n 1 -o "$T/fails" "$T/app 0" "env false" >/dev/null 2>"$T/said"
same "a program that fails: another status" 4 $?
has "... and why" "'env false' ended with status 1" "$(<"$T/said")"

# The limit decides on the exit status, on nothing else.
decide() { "$kt" diff --json "$@" >"$T/diff.json"; echo "$? $(query 'd["failed"]' <"$T/diff.json")"; }
a=$T/ci/before b=$T/ci/after
same "a run and itself" "0 False" "$(decide --fail-above 0 "$a" "$a")"
same "below the limit" "0 False" "$(decide --fail-above 1000 "$a" "$b")"
same "beyond it" "1 True" "$(decide --fail-above 300% "$a" "$b")"
same "what is faster does not fail" "0 False" "$(decide --fail-above 300 "$b" "$a")"
same "without a limit any change counts" "1 None" "$(decide "$b" "$a")"
has "in words" '^Fails: 1 shape( and the total)? became slower by more than 300 %\.$' "$("$kt" diff --fail-above 300 "$a" "$b")"
has "... or not" '^Passes: nothing became slower by more than 1000 %\.$' "$("$kt" diff --fail-above 1000 "$a" "$b")"
same "without a limit the table begins with the changes" "**0 slower, 0 faster, 0 new, 0 vanished**." "$("$kt" diff --markdown "$a" "$a" | head -n 1 | cut -d ' ' -f 1-8)"
for wrong in "--fail-above x" "--fail-above -1" "--fail-above 5%%" "--json --markdown" "--results --markdown" "--results --fail-above 5"; do
    # shellcheck disable=SC2086
    "$kt" diff $wrong "$a" "$b" >/dev/null 2>&1; same "$wrong" 2 $?
done

# Names that would be marks of Markdown or HTML.
odd=$T/'a|b`<b>*_@x.py'
printf 'import sys\nimport numpy as np\n\ndef go(n):\n    a = np.ones((n, n))\n    return [a @ a for i in range(20)]\n\nfor n in sys.argv[1:]:\n    go(int(n))\n' >"$odd"
traced few "$PYTHON" "$odd" 30
traced more "$PYTHON" "$odd" 30 40
"$kt" diff --markdown "$T/few" "$T/more" >"$T/odd.md"
has "an odd name is its characters" '^\| new \| <code>a&#124;b&#96;&#60;b&#62;&#42;&#95;&#64;x&#46;py&#58;6 go.*</code> \| <code>dgemm 40x40x40' "$(<"$T/odd.md")"
same "... and breaks no table" 9 "$(grep '^|' "$T/odd.md" | awk -F'|' '{ print NF - 1 }' | sort -u)"
exit $((failures != 0))
