# SPDX-License-Identifier: BSD-3-Clause
# check: fast, 1 s
# ktrace score: what it predicts from a short run is what a long one turns out to be.
. tests/lib.sh
kt=$PWD/$B/ktrace
life=$PWD/$B/tests/abi/life
export KTRACE_QUIET=1
traced short "$life" calls20000 >/dev/null
traced long "$life" calls400000 >/dev/null
cd "$T" || exit 1
"$kt" score --json short >score.json; same "status" 0 $?
same "calls" 20000 "$(query 'd["calls"]' <score.json)"
real=$(stat -c %s long/p*/t*)
same "the size of a run that is twenty times as long, within 2 %" True \
    "$(query "abs(d['bytes_per_call'] * 400000 / $real - 1) < 0.02 or (d['bytes_per_call'], $real)" <score.json)"
same "... an hour of which is 3600 seconds" True "$(query 'abs(d["bytes_per_hour"] / d["bytes_per_second"] - 3600) < 1e-6' <score.json)"
same "the only routine" "ddot 1.0" "$(query 'd["routines"][0]["routine"] + " " + str(d["routines"][0]["share"])' <score.json)"
same "overhead or the reason why not" True \
    "$(query 'd["overhead"] is None if d["self_seconds_per_call"] is None else 0 < d["overhead"]' <score.json)"
"$kt" score short >text; same "text: status" 0 $?
for label in calls size overhead ddot filter setting; do has "text: $label" "^$label  " "$(<text)"; done
same "text: an empty line before its heading" "" "$(grep -B 1 '^Routines' text | head -n 1)"
same "text: 80 columns" "" "$(grep -v KTRACE_ROUTINES text | grep -E '.{81}')"
sed -i '/^self_ticks/d; /^price_/d' short/p*/meta
has "a trace that does not tell the cost of a call" "overhead   n/a" "$("$kt" score short)"
same "... in JSON" "None None" "$("$kt" score --json short | query 'str(d["overhead"]) + " " + str(d["self_seconds_per_call"])')"
same "nothing is missing" "[] []" "$(query 'str(d["lost"]) + " " + str(d["damage"])' <score.json)"
cp -r short damaged; truncate -s -100 damaged/p*/t*
has "a damaged trace: says so" "^damage " "$("$kt" score damaged)"
same "... in JSON" True "$("$kt" score --json damaged | query 'len(d["damage"]) > 0')"
same "... as info and report do" "True True" "$("$kt" info --json damaged | query 'len(d["damage"]) > 0') $("$kt" report --json damaged | query 'len(d["damage"]) > 0')"
has "several traces" "420,000 in" "$("$kt" score short long)"
exit $((failures != 0))
