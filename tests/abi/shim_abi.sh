# SPDX-License-Identifier: BSD-3-Clause
# check: fast, 6 s
# The calling conventions and ways of loading that interposers get wrong, on libraries that tell who they are.
. tests/lib.sh
export KTRACE_NESTED=all # what nests in calls is looked at
A=$PWD/$B/tests/abi
export KTRACE_QUIET=1

# Each caller reaches the library it would have reached without us.
modules="$A/module_one.so $A/module_two.so $A/module_mixed.so"
same "modules with different libraries, local scopes" "$("$A/scopes" $modules)" "$(traced scopes "$A/scopes" $modules)"
same "... and all calls are recorded" 20 "$(info scopes 'd["calls"]')"
same "... on both libraries" "['libfake1.so', 'libfake2.so']" "$(info scopes 'sorted(l["soname"] for l in d["libraries"])')"
same "a tail call inside the library nests in its caller" 1 "$(calls scopes 'max(c["depth"] for c in d)')"

# same_as_alone NAME COMMAND...: in a limited time, as what goes wrong here may never end
same_as_alone() {
    local name=$1; shift
    same "$name" "$("$@"; echo $?)" "$(traced alone timeout 20 "$@" 2>&1; echo $?)"
}
reloaded="$A/module_one.so $A/module_three.so $A/module_two.so $A/module_one.so"
same_as_alone "libraries at the addresses of others that were unloaded" "$A/reload" $reloaded
same "... and each has its calls" "['libfake1.so', 'libfake3.so', 'libfake2.so']" "$(info alone '[l["soname"] for l in d["libraries"]]')"; rm -r "$T/alone"
same_as_alone "a library linked for a higher address than it gets" "$A/reload" "$A/module_three.so"; rm -r "$T/alone"
same_as_alone "a library that makes calls when asked for its integers" "$A/reload" "$A/module_nested.so"
true_that "... which are not the program's" "$B/ktrace" check "$T/alone"
same "... nor in the trace" "$(calls alone 'sum(c["symbol"] != "cblas_idamax" for c in d)')" "$(info alone 'd["calls"]')"; rm -r "$T/alone"
same_as_alone "a constructor's call while another thread looks a symbol up" "$A/reload" "$A/module_early.so"

for convention in gfortran f2c; do
    plain=$("$A/results_$convention")
    same "function results and hidden lengths, $convention" "$plain" "$(traced "results_$convention" "$A/results_$convention")"
done
for convention in gfortran f2c; do
    same "arguments of a complex function, $convention" "3" "$(calls results_$convention '[c["args"]["n"] for c in d if c["routine"] == "zdotu"][0]')"
    same "... and of others, $convention" "3" "$(calls results_$convention '[c["args"]["m"] for c in d if c["routine"] == "dormqr"][0]')"
done
same "hidden lengths arrive" 405 "$("$A/results_gfortran" | tail -n 1)"

traced wide "$A/wide" >/dev/null
same "64-bit integers are recognised" 8 "$(info wide 'd["libraries"][0]["int_bits"] // 8')"
same "... and recorded" 4294967298 "$(calls wide 'd[0]["args"]["n"]')"

true_that "32-bit and 64-bit integers in one library" traced both "$A/both"
same "... are both recorded" "[2, 4294967298]" "$(calls both '[c["args"]["n"] for c in d]')"
same "... each with its width" "4 8" "$(grep -rh '^entry' "$T/both" | awk '{ print $(NF - 1) }' | paste -sd ' ')"

traced long "$A/life" longjmp calls2 >/dev/null
same "after longjmp out of a routine calls are outermost again" "[0, 0, 0]" "$(calls long '[c["depth"] for c in d]')"
same "... and the one that was left is incomplete" "[False, True, True]" "$(calls long '[c["complete"] for c in d]')"

true_that "a child whose stack is where a routine was left" traced cover "$A/life" longjmp cover
true_that "calls after the stack is gone that a routine was left on" traced vanish "$A/life" vanish calls2
same "... are outermost" "[0, 0, 0]" "$(calls vanish '[c["depth"] for c in d]')"
reference=$(dirname /usr/lib/*/lapack/liblapack.so.3):$(dirname /usr/lib/*/blas/libblas.so.3)
same "signal handlers that call routines within routines" "0 wrong, many" \
    "$(export LD_LIBRARY_PATH=$reference KTRACE_OUT=$T/storm; LD_PRELOAD=$PWD/$B/libktrace.so timeout 60 "$A/storm")"; rm -rf "$T/storm"
same "at the end of a coroutine's stack" "$("$A/coroutine")" "$(traced coroutine "$A/coroutine")"
if [ -x "$A/unwind" ]; then
    same "the caller is found from every instruction" "ddot is seen dormqr is seen drot is seen" "$(traced unwind "$A/unwind" | xargs)"
else
    skip "the caller is found from every instruction" "single steps are written for x86-64"
fi
exit $((failures != 0))
