# SPDX-License-Identifier: BSD-3-Clause
# check: fast, 25 s
# The papers, item by item: what the tables name is there, and make check runs the tests. The scripts that draw the papers'
# figures: what they make of numbers that are known, with a ktrace that prints these.
. tests/lib.sh
kt=$PWD/$B/ktrace
figures=$PWD/examples/figures
same "what the tables name is there, and no item is lost" "items: 25 18 15 15 10" \
    "$("$PYTHON" tests/documents/papers.py "$kt" doc/papers.md doc/papers_machine.md 2>&1)"
cat >"$T/wrong.md" <<'END'
## A paper

| section | item | where | command | test | state |
|---|---|---|---|---|---|
| 1 | file | `no/such.c` | `ktrace probe` | `test_stats` | done |
| 1 | verb | `Makefile` | `ktrace prove` | `test_stats` | done |
| 1 | option | `Makefile` | `ktrace probe --wrong` | `test_stats` | done |
| 1 | letter | `Makefile` | `ktrace probe -x` | `test_stats` | done |
| 1 | part | `Makefile` | `ktrace model bend` | `test_stats` | done |
| 1 | target | `Makefile` | `make no-such-thing` | `test_stats` | done |
| 1 | program | `Makefile` | `examples/figures/no.py` | `test_stats` | done |
| 1 | unit | `Makefile` | `make check` | `test_no_such` | done |
| 1 | script | `Makefile` | `make check` | `bench/flush.sh` | done |
| 1 | state | `Makefile` | `make check` | `test_stats` | part |
| 1 | cells | `Makefile` | `make check` | `test_stats` |
| 1 | right | `Makefile` | `make figures` | `cli/probe.sh` | not: because of a reason that is told |
END
wrong=$("$PYTHON" tests/documents/papers.py "$kt" "$T/wrong.md" 2>&1)
same "a row with a mistake is told, a right one is not" "file verb option letter part target program unit script state cells" \
    "$(sed -n 's/.*A paper: \([a-z]*\): .*/\1/p' <<<"$wrong" | uniq | tr '\n' ' ' | sed 's/ $//')"

# --- figures
mkdir -p "$T/bin" "$T/out"
printf '#!/bin/sh\nexec "%s" -I -S "%s/fake.py" "$@"\n' "$PYTHON" "$T" >"$T/bin/ktrace"
chmod +x "$T/bin/ktrace"
cat >"$T/fake.py" <<'END'
import json, os, sys
verb = " ".join(word for word in sys.argv[1:3] if not word.startswith("-"))
quick, slow = (1.0, 2.0) if os.environ["CASE"] == "as in the paper" else (2.0, 1.0)
def time(t): return {"best": t, "lo": 0.99 * t, "hi": 1.01 * t, "min": t, "median": t, "n": 9}
def predicted(t): return {"seconds": t, "lo": 0.9 * t, "hi": 1.1 * t}
def row(name, said, took): return {"name": name, "rank": 1, "predicted": predicted(said), "measured": time(took)}
about = {"machine": "a machine", "samples": 7}
if verb == "info": answer = {"libraries": [{"name": "reference", "files": ["blas", "lapack"]}]}
elif verb == "model rank":
    answer = {"orders": [{"n": 100.0, "order": [row("cholesky_recursive", 1.0, quick), row("cholesky_right", 1.5, 1.5), row("cholesky_left", 2.0, slow)]}], **about}
elif verb == "model tune dgeqrf" or verb == "model tune":
    points = [{"value": b, "predicted": predicted(t), "warm": 0.8 * t, "cold": 1.3 * t, "measured": time(t * (quick if b != 32 or quick == 1 else 1.5))}
              for b, t in ((16.0, 1.2), (32.0, 1.1), (48.0, 1.0))]
    over = {"best": 1.0 if quick == 1 else 0.5, "lo": 0.49, "hi": 1.0 if quick == 1 else 0.51, "min": 0.49, "median": 0.5, "n": 9}
    answer = {"default": 32.0, "best": 48.0, "curves": [{"n": float(n), "best": 48.0, "fastest": 48.0, "fastest_over_best": over, "curve": points}
                                                       for n in (100, 200)], **about}
elif verb == "probe": answer = {"caches": []}
else: answer = {}
print(json.dumps(answer))
END
# verdicts CASE SCRIPT: whether claims agree, a line for each figure
verdicts() {
    rm -f "$T/out/"*.figure.json
    CASE=$1 B=$T/bin "$figures/$2" --quick -o "$T/out" >"$T/said" 2>&1 || tail -n 3 "$T/said"
    for file in "$T/out/"*.figure.json; do query '[c["agrees"] for c in d["claims"]]' <"$file"; done
}
same "ranking: as in the paper" "[True, True, True]" "$(verdicts "as in the paper" ranking.py)"
same "ranking: the other way round" "[False, False, False]" "$(verdicts other ranking.py)"
same "chosen block sizes: as good as the best" "[True] [True, None] [True]" "$(verdicts "as in the paper" best_block.py | xargs -d '\n')"
same "chosen block sizes: half as good" "[False] [False, None] [False]" "$(verdicts other best_block.py | xargs -d '\n')"
same "block sizes: other times" "[False, False, False]" "$(verdicts other block_size.py | uniq)"
same "block sizes: as in the paper" "[True, True, True]" "$(verdicts "as in the paper" block_size.py | uniq)"
true_that "the index" "$figures/index.py" "$T/out"
same "... shows every figure" 2 "$(grep -c '<h2 id=' "$T/out/index.html")"
same "... and counts what agrees" 1 "$(grep -c '6 statements agree' "$T/out/index.html")"
for bad in "--budget 0" "--budget x" "--no-such-option"; do
    # shellcheck disable=SC2086
    B=$T/bin "$figures/ranking.py" $bad -o "$T/out" >/dev/null 2>&1
    same "$bad: status" 2 $?
done
B=$T/nothing "$figures/ranking.py" -o "$T/out" >/dev/null 2>"$T/err"
same "without ktrace: status" 3 $?
same "... one line" 1 "$(wc -l <"$T/err")"
B=$T/nothing "$figures/all.py" -o "$T/none" >/dev/null 2>&1
same "all of them without ktrace: status" 1 $?
same "... the index names each that failed" "$(grep -o '"[a-z_]*[.]py"' "$figures/all.py" | wc -l)" "$(grep -c 'failed with status 3' "$T/none/index.html")"
exit $((failures != 0))
