# SPDX-License-Identifier: BSD-3-Clause
# check: slow, 190 s
# waits
# Traces, machine files and models that somebody else made: none of their texts is executed, none reaches the terminal as a
# control character, and verbs write no file but those that they are asked for.
. tests/lib.sh
command -v gnuplot >/dev/null || { skip "pictures of hostile files" "gnuplot is not installed (apt: gnuplot-nox)"; exit 0; }
kt=$PWD/$B/ktrace
export KTRACE_QUIET=1
# A program whose trace has every kind of line: arguments, a region, a routine that others nest in.
traced all "$B/tests/modes/steps" begin=a numbered=20 end dot=3 || not_ok "the program ends with status $?"
mkdir -p "$T/work"
XDG_CACHE_HOME=$T/cache "$kt" probe --quick --json >"$T/machine.json" 2>/dev/null || not_ok "probe ends with status $?"
"$PYTHON" tests/hostile/hostile.py trace "$kt" "$T/all" "$T/work" "$T/machine.json" || failures=1

"$PYTHON" tests/hostile/hostile.py json "$kt" "$T/machine.json" "$T/work" roofline --machine FILE -o x.svg "$T/all" || failures=1

# A file of models, and results beside a trace.
"$kt" model build "$T/all" --blas reference --models "$T/models.json" --budget 4 --routine ddot --samples rounds=2,processes=1,heldout=3 >"$T/out" 2>&1
if [ -s "$T/models.json" ]; then
    for how in "" "--plot x.svg"; do
        # shellcheck disable=SC2086
        "$PYTHON" tests/hostile/hostile.py json "$kt" "$T/models.json" "$T/work" model show --blas reference --models FILE $how || failures=1
    done
else not_ok "a file of models" "$(<"$T/out")"; fi
mkdir -p "$T/work/hostile"; cp -r "$T/all" "$T/work/hostile/with"
"$kt" replay --budget 1 --context warm,cold --store none "$T/work/hostile/with" >/dev/null 2>"$T/out" || not_ok "replay ends with status $?" "$(<"$T/out")"
cp "$T/work/hostile/with/replay.json" "$T/replay.json"
HOSTILE_TARGET=$T/work/hostile/with/replay.json \
    "$PYTHON" tests/hostile/hostile.py json "$kt" "$T/replay.json" "$T/work" report hostile/with || failures=1

# A script is drawn by a gnuplot that cannot start another program; files that are not ours stay.
printf '%s\n' '# made by ktrace' 'system("touch pwned")' >"$T/work/mine.gp"
cp "$T/work/mine.gp" "$T/work/other.gp"; sed -i 1d "$T/work/other.gp"; echo data >"$T/work/lone.csv"
for name in other lone; do
    (cd "$T/work" && "$kt" roofline -o $name.svg "$T/all") >"$T/out" 2>&1
    same "$name: what ktrace did not make stays" 2 $?
    has "... and is named" 'exists already, and ktrace did not make it' "$(<"$T/out")"
done
same "... as it was" "data" "$(<"$T/work/lone.csv")"
ln -s "$T/target" "$T/work/link.csv"
(cd "$T/work" && "$kt" report "$T/all" >/dev/null; ln -s "$T/target" link.gp; "$kt" roofline -o link.svg "$T/all") >/dev/null 2>&1
true_that "a link is not written through" test ! -e "$T/target"

# The library that is timed is the one that was recorded, and a trace does not choose whose file is loaded.
mkdir "$T/lib"
cp "$(readlink -f "$(dirname /usr/lib/*/openblas-serial/libblas.so.3)/libblas.so.3")" "$T/lib/libblas.so.3"
LD_LIBRARY_PATH=$T/lib traced own "$B/tests/modes/steps" numbered=200 dot=20 || not_ok "the program ends with status $?"
replayed() { "$kt" replay --budget 1 --context warm "$@" "$T/own" >"$T/out" 2>&1; }
true_that "the recorded library is replayed" replayed
"$kt" replay --budget 1 --context warm --fresh "$T/own" >/dev/null 2>&1
file=$T/own/replay.json
same "what it found says which builds it timed" "True" "$(query 'all(len(b) == 40 for b in d["library"]["build_ids"])' <"$file")"
same "... and is in the report" "True False" "$("$kt" report --json "$T/own" 2>"$T/out" | query 'd["decomposition"] is not None') $(grep -q 'left out' "$T/out" && echo True || echo False)"
cp "$file" "$T/kept.json"
"$PYTHON" -c 'import json, sys
d = json.load(open(sys.argv[1])); d["library"]["build_ids"] = ["0" * 40] * len(d["library"]["build_ids"])
json.dump(d, open(sys.argv[1], "w"))' "$file"
for verb in "report --json" "report --by part" "roofline --machine $T/machine.json -o $T/x.svg"; do
    # shellcheck disable=SC2086
    out=$("$kt" $verb "$T/own" 2>&1 >"$T/out.json")
    same "$verb: times of another build are left out, in one line" 1 "$(grep -c 'replay.json is left out: it timed another build of .*libblas.so.3 (build id 000000000000' <<<"$out")"
done
same "... and not in the report" "True" "$("$kt" report --json "$T/own" 2>/dev/null | query 'd.get("decomposition") is None')"
cp "$T/kept.json" "$file"
if [ "$(id -u)" = 0 ]; then
    chown 4242 "$T/lib/libblas.so.3"
    replayed; same "one that belongs to another user is not loaded" 3 $?
    has "... and the reason is given" 'libblas.so.3, which the trace names, belongs to user 4242' "$(<"$T/out")"
    true_that "... unless it is named" replayed --blas "$T/lib/libblas.so.3"
    chown 0 "$T/lib/libblas.so.3"
else skip "a library of another user" "only root can make one"; fi
cp "$(readlink -f "$(dirname /usr/lib/*/blas/libblas.so.3)/libblas.so.3")" "$T/lib/libblas.so.3"
replayed; same "one that was replaced in place is not timed for it" 3 $?
has "... and the reason is given" 'is not the library that was recorded: its build id is' "$(<"$T/out")"
true_that "... unless it is named" replayed --blas "$T/lib/libblas.so.3"
has "... which is not kept with the trace" 'not stored with the trace: only a replay on the recorded library' "$(<"$T/out")"
"$kt" model build "$T/own" --blas "$T/lib/libblas.so.3" --models "$T/other.json" --budget 2 --routine ddot --samples rounds=2,processes=1,heldout=3 >/dev/null 2>&1
out=$("$kt" model predict "$T/own" --blas "$T/lib/libblas.so.3" --models "$T/other.json" 2>&1)
same "models of another build than the trace has are named so, in one line" 1 "$(grep -c 'libblas.so.3 is another build than .* was recorded with' <<<"$out")"

# Whoever may read a trace: its owner.
same "a trace is private" "700 700 600" "$(stat -c %a "$T/all" "$T"/all/p* | tr '\n' ' ')$(stat -c %a "$T"/all/p*/* | sort -u)"
exit $((failures != 0))
