# SPDX-License-Identifier: BSD-3-Clause
# check: fast, 40 s
# ktrace replay --what-if: a change that helps, changes that change nothing, calls that cannot be changed, and what it prints.
. tests/lib.sh
kt=$PWD/$B/ktrace
F=$PWD/$B/tests/advise/faults
export KTRACE_QUIET=1 OPENBLAS_NUM_THREADS=1
# what_if TRACE CHANGE EXPRESSION [OPTION...]: of the document d
what_if() { local trace=$1 change=$2 asked=$3; shift 3; "$kt" replay --json --what-if "$change" "$@" "$T/$trace" 2>"$T/err" | query "$asked"; }
verdicts='[(s["routine"], s["verdict"]) for s in d["shapes"]]'
claims='[s["routine"] for s in d["shapes"] if s["verdict"] in ("faster", "slower")]'
reasons='[(s["routine"], s["verdict"], s["why"]) for s in d["shapes"]]'
traced swaps "$F" swaps wrong 60 100 >/dev/null
traced dots "$F" dots wrong 200 1000 >/dev/null
traced gemm "$F" padding right 60 100 >/dev/null
KTRACE_MODE=profile traced profile "$F" swaps wrong 60 100 >/dev/null

# --- a known fault -------------------------------------------------------------------------------------------------
# Rows of a matrix whose columns are whole pages apart: all elements of a row want the same lines of the first cache.
"$kt" replay --json --what-if ld=+8 --budget 8 "$T/swaps" >"$T/swaps.json" 2>"$T/err"; same "status" 0 $?
of_swaps() { query "$1" <"$T/swaps.json"; }
same "a longer leading dimension helps rows a page apart" "[('dlaswp', 'faster')]" "$(of_swaps "$verdicts")"
same "... the interval leaves out 0" True "$(of_swaps '0 < d["shapes"][0]["gain"]["lo"] <= d["shapes"][0]["gain"]["value"] <= d["shapes"][0]["gain"]["hi"]')"
same "... the gain is what the ratio leaves of the time in the program" True \
    "$(of_swaps 'all(abs(s["gain"]["value"] - s["insitu"] * (1 - s["ratio"]["value"])) < 1e-9 for s in d["shapes"])')"
same "... share of BLAS and of the program" True \
    "$(of_swaps 'abs(d["total"]["share"] * d["blas"] - d["total"]["gain"]["value"]) < 1e-9 and abs(d["total"]["of_program"] * d["seconds"] - d["total"]["gain"]["value"]) < 1e-9')"
same "... in pairs, where the trace says that operands were" True "$(of_swaps 'd["shapes"][0]["pairs"] >= 6 and d["shapes"][0]["context"] == "tracked"')"
same "... one shape is all" True "$(of_swaps 'd["total"]["ratio"] == d["shapes"][0]["ratio"] and d["total"]["shapes"] == 1')"
same "a profile does not tell where operands were" "[('between', True)]" \
    "$(what_if profile ld=+8 '[(s["context"], 0 <= s["place"] <= 1) for s in d["shapes"]]' --budget 1)"

# --- nothing changes -----------------------------------------------------------------------------------------------
# Not rows a page apart: how fast those are depends on which pages a process has got.
same "as many threads as recorded: nothing is claimed" "[]" "$(what_if gemm threads=1 "$claims" --budget 8)"
same "... timed in processes of two" "True True" \
    "$(what_if swaps threads=2 '" ".join(map(str, (d["recorded"]["threads"] == 1, d["changed"]["threads"] == 2)))' --budget 0.5)"
same "packed copies do not know the leading dimension: nothing is claimed" "[]" "$(what_if gemm ld=+8 "$claims" --budget 5)"
same "no matrix" "[('ddot', None, 'no operand has columns that are a leading dimension apart')]" "$(what_if dots ld=+8 "$reasons" --budget 0.2)"
same "... and no sum" "(0, None, None, None)" "$(what_if dots ld=+8 '(d["total"]["shapes"], d["total"]["ratio"], d["total"]["gain"], d["total"]["verdict"])' --budget 0.2)"
same "aligned as asked for" "[('dlaswp', None, 'its operands lie so as recorded')]" "$(what_if swaps align=4 "$reasons" --budget 0.2)"
same "aligned otherwise" "[('dlaswp', None)]" "$(what_if swaps align=4096 '[(s["routine"], s["why"]) for s in d["shapes"]]' --budget 1)"
same "other pages" "[('dlaswp', None)]" "$(what_if swaps pages=small '[(s["routine"], s["why"]) for s in d["shapes"]]' --budget 1)"

# --- calls at the same time ----------------------------------------------------------------------------------------
traced batch "$F" batch wrong 30 >/dev/null
if [ "$(nproc)" -gt 1 ]; then
    traced chain "$F" chain wrong 20 100 >/dev/null
    traced threads "$F" batch right 30 >/dev/null
    traced other "$F" vector wrong 60 100 >/dev/null
    "$kt" replay --json --what-if batch=16 --budget 6 "$T/batch" >"$T/batch.json" 2>"$T/err"; same "independent calls in a loop: status" 0 $?
    of_batch() { query "$1" <"$T/batch.json"; }
    same "... all are in batches" "[('dgemm', 1920, 1920, None)]" "$(of_batch '[(s["routine"], s["calls"], s["changed_calls"], s["why"]) for s in d["shapes"]]')"
    same "... several threads share a loop, one thread of the library each" "True 1 1" "$(of_batch '" ".join(map(str, (2 <= d["loop_threads"] <= 16, d["recorded"]["threads"], d["changed"]["threads"])))')"
    same "... of a library that had two" "2 1" "$(what_if batch batch=16 '" ".join(map(str, (d["recorded"]["threads"], d["changed"]["threads"])))' --blas openblas --threads 2 --budget 0.5)"
    same "... never slower" "[]" "$(of_batch '[s["ratio"] for s in d["shapes"] if s["verdict"] == "slower"]')"
    same "... times are those of one call" True "$(of_batch 'all(s["replayed"]["median"] < 3 * s["insitu"] / s["changed_calls"] for s in d["shapes"])')"
    same "what does not fill a batch is not changed" "[(1920, 1900)]" "$(what_if batch batch=50 '[(s["calls"], s["changed_calls"]) for s in d["shapes"]]' --budget 0.5)"
    same "results that are the next vectors" "[('dgemv', None, 'not independent: y of one call is x of another; 2 calls in a row at most')]" "$(what_if chain batch=16 "$reasons" --budget 0.2)"
    same "results in one place" "[('dgemm', None, 'not independent: c of one call is c of another; 1 call in a row at most')]" "$(what_if other batch=2 "$reasons" --budget 0.2)"
    traced later "$F" later wrong 20 100 >/dev/null
    same "behind a call of a lighter shape" "[('dgemv', 1280, None), ('ddot', 1, 'fewer than 16 calls follow each other: 1 call at most')]" \
        "$(what_if later batch=16 '[(s["routine"], s["changed_calls"], s["why"]) for s in d["shapes"]]' --budget 0.5)"
    same "calls of several threads" "[('dgemm', None, 'several threads of the program make such calls already')]" "$(what_if threads batch=16 "$reasons" --budget 0.2)"
    has "text: what runs at the same time" '^recorded: [a-z-]+, 1 thread; changed: the same, in each of [0-9]+ threads of a loop$' "$("$kt" replay --what-if batch=16 --budget 0.3 "$T/batch" 2>"$T/err")"
fi
taskset -c 0 "$kt" replay --what-if batch=16 "$T/batch" >"$T/out" 2>"$T/err"; same "one processor: status" 4 $?; has "... says so" "there is one processor" "$(<"$T/err")"

# --- another library -----------------------------------------------------------------------------------------------
"$kt" replay --json --what-if library=openblas --budget 8 "$T/gemm" >"$T/library.json" 2>"$T/err"; same "another library: status" 0 $?
of_library() { query "$1" <"$T/library.json"; }
same "... by its name" "('reference', 'openblas')" "$(of_library '(d["recorded"]["library"], d["changed"]["library"])')"
same "... which is several times faster" True "$(of_library '0 < d["shapes"][0]["ratio"]["value"] < 0.6')"
same "... claimed where there are pairs enough" True \
    "$(of_library '(d["shapes"][0]["verdict"] == "faster") == (d["shapes"][0]["pairs"] >= 6 and d["shapes"][0]["ratio"]["hi"] < 1)')"
echo 'void dgemm_(void) {}' | cc -shared -fPIC -o "$T/libless.so" -x c -
same "a library without the routine" "[('ddot', None, 'libless.so has no ddot_')]" "$(what_if dots library="$T/libless.so" "$reasons" --budget 0.5)"

# --- text ----------------------------------------------------------------------------------------------------------
text=$("$kt" replay --what-if ld=+8 --budget 0.5 "$T/swaps" 2>"$T/err")
has "text: the change" '^What if ld=\+8\? [0-9.]+ m?s, of which BLAS and LAPACK take [0-9.]+ m?s$' "$text"
has "text: times" '^   recorded [0-9.]+ [mu]s, changed [0-9.]+ [mu]s \(ratio [0-9.]+, [0-9.]+ to [0-9.]+; [0-9]+ pairs?\)$' "$text"
has "text: all" '^1 of 1 shape timed, [0-9.]+ m?s in the program$' "$text"
has "text: no other form" '^   not timed: no operand has columns that are a leading dimension apart$' "$("$kt" replay --what-if ld=+8 "$T/dots")"
same "text: 80 columns" "" "$(grep -E '.{81}' <<<"$text")"
traced processes sh -c "'$F' dots wrong 20 100; '$F' dots wrong 20 100" >/dev/null
has "text: of how many processes" '^What if ld=\+8\? [0-9.]+ [mu]?s in 2 processes, of which BLAS and LAPACK take ' "$("$kt" replay --what-if ld=+8 "$T/processes")"
same "nothing is stored with the trace" "" "$(find "$T/swaps" "$T/dots" -name 'replay*.json')"

# --- what cannot be ------------------------------------------------------------------------------------------------
fails() { local name=$1 status=$2 words=$3; shift 3; "$kt" replay "$@" >"$T/out" 2>"$T/err"; same "$name: status" "$status" $?; has "$name" "$words" "$(<"$T/err")"; same "$name: one line" 1 "$(wc -l <"$T/err")"; same "$name: prints nothing" "" "$(<"$T/out")"; }
for change in "" ld=8 ld=+0 ld=+8x ld=+ ld ld= align=63 align=8192 threads=0 threads=1.5 pages=large library= batch=1 batch=257 batch=+4 batch= L=+8 =+8; do
    fails "--what-if '$change'" 2 "replay: --what-if" --what-if "$change" "$T/swaps"
done
fails "two changes" 2 "one --what-if at a time" --what-if ld=+8 --what-if threads=1 "$T/swaps"
for option in "--context warm" "--context sequence" --alone "--runs 2" "--shard 1/2" "--timer cpu" --fresh; do
    fails "with $option" 2 "what-if goes without" --what-if ld=+8 $option "$T/swaps"
done
fails "no such library" 2 "no-such-library" --what-if library=no-such-library "$T/swaps"
fails "no such routine" 2 "no recorded call of a routine" --what-if ld=+8 --routine dtrsm "$T/swaps"
fails "no trace" 3 "nowhere" --what-if ld=+8 "$T/nowhere"
timeout --preserve-status -s INT 3 "$kt" replay --json --what-if ld=+8 --budget 60 "$T/swaps" >"$T/out" 2>"$T/err"; same "interrupted: status" 130 $?
same "... prints what there is" "True 1" "$(query 'str(d["interrupted"]) + " " + str(len(d["shapes"]))' <"$T/out")"
exit $((failures != 0))
