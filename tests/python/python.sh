# SPDX-License-Identifier: BSD-3-Clause
# check: slow, 13 s
# Source lines of Python programs (KTRACE_STACKS): each call is of the line that the interpreter itself names at that moment,
# in every version of CPython that is found: python3.8 to python3.13 of PATH, and the programs that PYTHONS names.
. tests/lib.sh
export KTRACE_QUIET=1 OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1
blas=$(ls /usr/lib/*/blas/libblas.so.3 2>/dev/null | head -n 1)
# agrees TRACE HOW: how many places are those that the program noted
agrees() { "$B/ktrace" dump --json "$T/$1" | "$PYTHON" tests/python/compare.py "$T/log" "$2" 2>&1; }
# program PYTHON HOW WORDS...: with a log
program() { KTRACE_STACKS=$2 traced t "$1" tests/python/lines.py "$T/log" "${@:3}"; }

for how in lines paths; do
    rm -rf "$T/t"; program "$PYTHON" "$how" numpy
    has "NumPy, SciPy, three threads: $how are those of the interpreter" '^(1[5-9]|2)[0-9]+ places' "$(agrees t "$how")"
    cp -r "$T/t" "$T/$how"
    for python in $(command -v python3.8 python3.9 python3.10 python3.11 python3.12 python3.13) ${PYTHONS:-}; do
        "$python" -c 'import ctypes' 2>/dev/null || continue
        rm -rf "$T/t"; program "$python" "$how" ctypes "$blas"
        has "$("$python" --version): $how are those of the interpreter" '^1[0-9]+ places' "$(agrees t "$how")"
    done
done
"$B/ktrace" dump --json "$T/paths" >"$T/dump"
same "calls in calls have none" 0 "$("$PYTHON" -c 'import json, sys
print(sum(c["depth"] > 0 and len(c["source"]) for c in map(json.loads, sys.stdin)))' <"$T/dump")"
has "the independent decoder says the same" '^[0-9]+ calls$' "$("$PYTHON" tests/decoder/decoder_check.py "$T/paths" "$T/dump" 2>&1)"
true_that "check finds nothing wrong" "$B/ktrace" check "$T/paths"

rm -rf "$T/t"; program "$PYTHON" off numpy
same "off: no lines" 0 "$(grep -c '^line' "$T"/t/p*/definitions)"
rm -rf "$T/t"; KTRACE_QUIET=0 program "$PYTHON" else numpy 2>"$T/err"
has "another word: said, and lines" 'KTRACE_STACKS=else: expected lines, paths or off' "$(<"$T/err")"
true_that "... there are" grep -q '^line' "$T"/t/p*/definitions

# What reports say.
cat >"$T/small.py" <<'END'
import numpy as np
a = np.random.default_rng(1).standard_normal((200, 200))
def often(): [a @ a for _ in range(20)]
def once(): a.T @ a
often(), once()
END
for mode in full profile; do
    rm -rf "$T/small"; KTRACE_MODE=$mode traced small "$PYTHON" "$T/small.py"
    same "$mode: callers are lines" "[('often', 3, 20), ('once', 4, 1)]" "$("$B/ktrace" report --json "$T/small" | query \
        '[(c["function"].split(".")[0], c["line"], c["calls"]) for c in d["callers"] if c["object"] == "Python" and c["line"] in (3, 4)]')"
done
has "... as text" '^small.py:3 +often.* Python +20 ' "$("$B/ktrace" report --by caller "$T/small"; "$B/ktrace" report --all "$T/small")"

# A forked child names lines that its parent met.
cat >"$T/fork.py" <<'END'
import os
import numpy as np
def product(): return np.ones((9, 9)) @ np.ones((9, 9))
product()
if os.fork() == 0:
    product()
else:
    os.wait()
END
rm -rf "$T/fork"; traced fork "$PYTHON" "$T/fork.py"
same "a forked child: the same line" "[['product', 'product']]" "$("$B/ktrace" dump --json "$T/fork" | "$PYTHON" -c 'import json, sys
print([[c["source"][0]["function"] for c in map(json.loads, sys.stdin) if c["routine"] == "dgemm" and c["depth"] == 0]])')"

# Code that is made again and again lies where other code lay.
cat >"$T/made.py" <<'END'
import numpy as np
a = np.ones((5, 5))
for i in range(20000):
    exec("\n" * (i % 40) + "a @ a", {"a": a})
END
rm -rf "$T/made"; traced made "$PYTHON" "$T/made.py"
same "20,000 pieces of code of one place: lines are right" "40 [500]" "$("$B/ktrace" dump --json "$T/made" | "$PYTHON" -c 'import collections, json, sys
of = collections.Counter(c["source"][0]["line"] for c in map(json.loads, sys.stdin) if c["source"] and c["source"][0]["file"] == "<string>")
print(len(of), sorted(set(of.values())))')"
exit $((failures != 0))
