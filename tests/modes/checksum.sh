# SPDX-License-Identifier: BSD-3-Clause
# check: slow, 10 s
# KTRACE_CHECKSUM: the sums are those of the operands' elements and of nothing else, whatever memory is like; diff --results
# finds the call that made two runs differ.
. tests/lib.sh
export KTRACE_QUIET=1 OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1
reference=$(ls /usr/lib/*/blas/libblas.so.3 | head -n 1)
openblas=$(ls /usr/lib/*/openblas-serial/libblas.so.3 2>/dev/null | head -n 1)
library=$reference
# calls NAME STEPS...: the trace $T/NAME, and what the program said of its own results, $T/NAME.said
calls() { rm -rf "${T:?}/$1"; KTRACE_CHECKSUM=${CHECKSUM-in,out} traced "$1" "$PYTHON" tests/modes/checksum.py calls "$library" "${@:2}" >"$T/$1.said"; }
sums() { "$PYTHON" tests/modes/checksum.py sums "$T/$1"; }
results() { "$B/ktrace" diff --results --json "$T/$1" "$T/$2" >"$T/results.json"; }
of_results() { query "$1" <"$T/results.json"; }
counts='d["same"], d["outputs_differ"], d["inputs_differ"], d["not_compared"], d["other_order"]'

# --- the sums
small="dot axpy gemv gemv1 gemm syrk gbmv spmv sdot amax zcopy zdotu zeros"
for set in "$small" "long far large flat"; do
    # shellcheck disable=SC2086
    calls t $set; same "a program with checksums ends as usual" 0 $?
    # shellcheck disable=SC2086
    same "its sums are those that FORMAT.md defines" "$("$PYTHON" tests/modes/checksum.py expected "$reference" $set)" "$(sums t)"
done
same "of large operands a part counts" 4 "$(sums t | grep -c '\*')"
"$B/ktrace" check "$T/t" >/dev/null; same "check finds nothing" 0 $?
CHECKSUM=in calls t gemv1; same "in: sums before only" "1 0" "$(sums t | grep -c '[0-9a-f]/-') $(sums t | grep -c '/[0-9a-f]')"
CHECKSUM=out calls t gemv1; same "out: after only" "- - -" "$(sums t | sed 's,/[^ ]*,,g')"
CHECKSUM="" calls t gemv1; same "none unless asked for" "" "$(sums t)"
for wrong in x in,x out,; do CHECKSUM=$wrong calls t gemv1; same "KTRACE_CHECKSUM=$wrong: none" "0 " "$? $(sums t)"; done
has "... and it says so" 'KTRACE_CHECKSUM=in,x: expected in, out or in,out' "$(KTRACE_QUIET=0 CHECKSUM=in,x calls t dot 2>&1)"
KTRACE_MODE=profile calls t dot; same "profile mode: none" "0 []" "$? $(query '[k for k in d if "sum" in k]' < <("$B/ktrace" info --json "$T/t"))"
calls t fork; same "a forked child has its own" "1 0" "$(sums t | wc -l) $("$B/ktrace" check "$T/t" >/dev/null; echo $?)"

# --- memory
calls t end; same "columns at the ends of memory: the call returns" 0 $?
same "... and all that belongs to them is summed" "0 1" "$(sums t | grep -c '?') $(sums t | wc -l)"
calls t nowhere; same "operands where nothing is: the call returns" 0 $?
same "... and they are told apart" "?/- ?/-" "$(sums t | cut -d' ' -f1,2)"
has "... check says so" '2 operands could not be read' "$("$B/ktrace" check "$T/t")"

# --- differences
# shellcheck disable=SC2086
{ calls one $small long large; calls two $small long large; }
results one two; same "a program and itself: no difference" "0 (15, 0, 0, 0, 0)" "$? $(of_results "$counts")"
same "... and no first call" "None None None" "$(of_results 'd["first"]') $(of_results 'd["first_other_inputs"]') $(of_results 'd["first_other_call"]')"
# shellcheck disable=SC2086
GAP=-3 calls two $small long large
results one two; same "what is between columns does not matter" "0 (15, 0, 0, 0, 0)" "$? $(of_results "$counts")"
calls two dot axpy gemm; calls one dot gemv gemm
results one two; same "where the runs make other calls: status" 1 $?
same "... they are named" "daxpy_ 1 dgemv_ 1" "$(of_results 'd["first_other_call"]["after"]["symbol"]') $(of_results 'd["first_other_call"]["after"]["call"]') $(of_results 'd["first_other_call"]["before"]["symbol"]') $(of_results 'd["first_other_call"]["before"]["call"]')"
same "... and what stands before was compared" "(1, 0, 0, 0, 1)" "$(of_results "$counts")"
calls two dot; results one two; same "one run ends: where" "None 1" "$(of_results 'd["first_other_call"]["after"]') $(of_results 'd["first_other_call"]["before"]["call"]')"
CHECKSUM="" calls none dot
results one none; same "a trace without checksums" 3 $?
"$B/ktrace" diff --results --margin 3 "$T/one" "$T/one" >/dev/null 2>&1; same "--margin means nothing to --results" 2 $?

# --- the kernels of other processors: the program says which of its results differ, and the trace has to say the same
if [ -n "$openblas" ]; then
    library=$openblas
    order="dot axpy gemv gemm syrk gbmv large"
    # shellcheck disable=SC2086
    { OPENBLAS_CORETYPE=Haswell calls one $order; OPENBLAS_CORETYPE=Sandybridge calls two $order; }
    same "two kernels: something differs on this machine" 1 "$(cmp -s "$T/one.said" "$T/two.said"; echo $?)"
    first=$(paste -d' ' "$T/one.said" "$T/two.said" | awk '$2 != $4 { print NR - 1; exit }')
    number=$(paste -d' ' "$T/one.said" "$T/two.said" | awk '$2 != $4' | wc -l)
    results one two; same "... diff says so" 1 $?
    same "... the first call is the first of which the program says it" "$first $first" "$(of_results 'd["first"]["before"]["call"], d["first"]["after"]["call"]' | tr -d '(),')"
    same "... and so many do" "$((7 - number)) $number 0" "$(of_results 'd["same"], d["outputs_differ"], d["inputs_differ"]' | tr -d '(),')"
    # shellcheck disable=SC2046
    name=$(set -- $order; shift "$first"; echo "$1")
    has "... as text: routine and number" "^before +call $first, thread [0-9]+: d$name" "$("$B/ktrace" diff --results "$T/one" "$T/two")"
    has "... and the next step" "^Next: ktrace repro --call $first " "$("$B/ktrace" diff --results "$T/one" "$T/two")"
    "$B/ktrace" pack "$T/one" >/dev/null; results one.tar.zst two; same "... of a packed trace" "1 $first" "$? $(of_results 'd["first"]["before"]["call"]')"
    OPENBLAS_CORETYPE=Haswell calls one threads; OPENBLAS_CORETYPE=Sandybridge calls two threads
    # In one of the runs the system's numbers begin anew with the third thread.
    "$PYTHON" - "$T"/two/p* <<'END'
import glob, os, struct, sys
pid = int(sys.argv[1].rsplit("/p", 1)[1])
files = sorted(glob.glob(sys.argv[1] + "/t*"), key=lambda f: (int(f.rsplit("/t", 1)[1]) - pid) % 2**32)
assert len(files) == 4
for i, name in enumerate(files):
    data = bytearray(open(name, "rb").read())
    tid = pid + 1 + i if i < 2 else i
    struct.pack_into("<I", data, 36, tid)
    os.remove(name)
    open(os.path.join(sys.argv[1], f"t{tid}"), "wb").write(data)
END
    thread=$("$B/ktrace" dump --json "$T/one" | "$PYTHON" -c 'import json, sys; print(*{c["tid"] for c in map(json.loads, sys.stdin) if c["symbol"] == "dgemm_"})')
    results one two; same "one thread of four makes the call" "$thread 8 1" "$(of_results 'd["first"]["before"]["thread"], d["same"], d["outputs_differ"]' | tr -d '(),')"
    CHECKSUM=out calls one gemv; library=$reference; CHECKSUM=out calls two gemv
    results one two; same "without inputs: outputs alone" "False" "$(of_results 'd["inputs_known"]')"
else
    skip "the kernels of other processors" "needs OpenBLAS"
fi

# --- what follows from a difference is not one of its own
cat >"$T/chain.py" <<'END'
import os, sys
import numpy as np
a = np.arange(1, 1601).reshape(40, 40) / 997
if os.environ.get("OTHER"):
    a[39, 39] += 2.0**-20
b = a @ a[:, :30]
print(np.linalg.norm(b.T @ b))
END
numpy() { rm -rf "${T:?}/$1"; KTRACE_CHECKSUM=in,out LD_LIBRARY_PATH=${openblas%/*} traced "$@" >"$T/$1.said"; }
numpy one "$PYTHON" "$T/chain.py"; OTHER=1 numpy two "$PYTHON" "$T/chain.py"
results one two; same "a program that passes something else: no call made the difference" "0 cblas_dgemm A" \
    "$(of_results '" ".join([str(d["outputs_differ"]), d["first_other_inputs"]["before"]["symbol"], *d["first_other_inputs"]["differs"]])')"
same "... made by this line of the script" "chain.py:6" \
    "$(of_results '"{}:{}".format(d["first_other_inputs"]["after"]["file"].rsplit("/", 1)[1], d["first_other_inputs"]["after"]["line"])')"
if [ -n "$openblas" ]; then
    OPENBLAS_CORETYPE=Haswell numpy one "$PYTHON" "$T/chain.py"; OPENBLAS_CORETYPE=Sandybridge numpy two "$PYTHON" "$T/chain.py"
    results one two; same "NumPy on two kernels: the first product makes the difference" "cblas_dgemm C" \
        "$(of_results '" ".join([d["first"]["before"]["symbol"], *d["first"]["differs"]])')"
    true_that "... and what follows had other inputs" test "$(of_results 'd["inputs_differ"]')" -ge 1
fi

# --- by how much: snapshots of what calls read
numpy() { rm -rf "${T:?}/$1"; KTRACE_CHECKSUM=in,out KTRACE_SNAPSHOT=9 LD_LIBRARY_PATH=${openblas%/*} traced "$@" >"$T/$1.said"; }
distance='d["distances"]'
numpy one "$PYTHON" "$T/chain.py"; numpy two "$PYTHON" "$T/chain.py"
results one two; same "a program and itself: no distance" "$(find "$T"/one/p* -name 'o*' | wc -l) 0 0 None" "$(of_results "\" \".join(str($distance[k]) for k in (\"pairs\", \"differ\", \"not_compared\", \"first\"))")"
OTHER=1 numpy two "$PYTHON" "$T/chain.py"
results one two; same "one number that is 2^-20 larger: so many steps of 2^-52" "dgemm A 1600 1 4294967296.0" \
    "$(of_results "\" \".join(str($distance[\"first\"][k]) for k in (\"routine\", \"operand\", \"numbers\", \"differ\", \"ulps\"))")"
has "... as text" 'A: 1 of 1600 numbers, at most by 4.29e\+09 ulps: 1\.604' "$("$B/ktrace" diff --results "$T/one" "$T/two")"
same "... of a packed trace, too" 4294967296.0 "$("$B/ktrace" pack "$T/two" >/dev/null; results one two.tar.zst; of_results "$distance[\"first\"][\"ulps\"]")"

# --- nested calls have none
cat >"$T/chol.py" <<'END'
import numpy as np
np.linalg.cholesky(np.eye(200) * 3 + np.ones((200, 200)))
END
KTRACE_NESTED=all numpy one "$PYTHON" "$T/chol.py"
outermost=$("$B/ktrace" dump --json "$T/one" | "$PYTHON" -c 'import json, sys; c = [json.loads(l) for l in sys.stdin]; print(sum(x["depth"] == 0 for x in c), len(c) > 3)')
same "nested calls are recorded and have no sums" "$outermost" "$(sums one | wc -l) True"

# --- damage
library=$reference; calls one dot gemv gemm; cp -r "$T/one" "$T/bad"
"$PYTHON" - "$T"/bad/p*/t* <<'END'
import struct, sys
data = bytearray(open(sys.argv[1], "rb").read())
at = 192
while at < struct.unpack_from("<Q", data, 144)[0]:
    head = struct.unpack_from("<Q", data, at)[0]
    if head & 0xFF == 12:  # the last one says that it has more operands
        last = at
    at += 8 * (1 if head & 0xFF in (6, 7) else head >> 8 & 0xFF)
struct.pack_into("<H", data, last + 2, 30)
open(sys.argv[1], "wb").write(data)
END
out=$("$B/ktrace" check "$T/bad"); same "a damaged event: check finds it" 1 $?
has "... and says what it is" 'does not have the length of what it holds' "$out"
has "... and whose sums are missing" '1 call has no checksums' "$out"
results one bad; same "... and the others are compared" "0 (2, 0, 0, 1, 0)" "$? $(of_results "$counts")"
truncate -s 700 "$T"/bad/p*/t*
results one bad; true_that "a trace that was cut off: the calls that are there" test $? -le 1
exit $((failures != 0))
