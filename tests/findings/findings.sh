# SPDX-License-Identifier: BSD-3-Clause
# check: fast, 5 s
# What report tells of single calls: shapes whose calls are of two kinds, LAPACK that ran without blocks.
. tests/lib.sh
export KTRACE_QUIET=1
kt=$B/ktrace
F=$B/tests/findings
# reported TRACE EXPRESSION: of the JSON document d
reported() { "$kt" report --json "$T/$1" | query "$2"; }

# --- kinds of calls -------------------------------------------------------------------------------------------------
# Pages of 4 KiB. Kernels differ in how often a page that is read and then written is a page fault: once or twice.
each=$("$PYTHON" -c 'import mmap, resource
m, faults = mmap.mmap(-1, 7812 * 4096, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS), lambda: resource.getrusage(resource.RUSAGE_SELF).ru_minflt
m.madvise(mmap.MADV_NOHUGEPAGE)
before = faults()
for at in range(0, len(m), 4096): m[at] = m[at] + 1
print(round((faults() - before) / 7812))')
faults=$((7812 * each / 10 * 10))
met=$("$PYTHON" -c "print(f'{$faults:,}'[:-1])")
kinds='[(s["kinds"]["by"], [(k["calls"], round(k["page_faults"], -1)) for k in s["kinds"]["kinds"]]) if s["kinds"] else None for s in d["shapes"]]'
traced fresh "$F/fresh_pages" fftttfftfttfttfffttftftf || exit 1
same "results in new and in touched pages: two kinds" "[('page_faults', [(12, 0.0), (12, $faults.0)])]" "$(reported fresh "$kinds")"
same "... and the one in new pages takes longer" True \
    "$(reported fresh '(lambda k: k[1]["median"] > 1.25 * k[0]["median"] > 0)(d["shapes"][0]["kinds"]["kinds"])')"
same "... the median of all is told as before" True "$(reported fresh '(lambda s: s["kinds"]["kinds"][0]["median"] <= s["insitu"]["median"] <= s["kinds"]["kinds"][1]["median"])(d["shapes"][0])')"
text=$("$kt" report --all "$T/fresh")
has "text: the median is marked" '^1  dscal .* 24 +\*[0-9.]+ .s ' "$text"
has "text: the quick kind" '^1  dscal +12 +[0-9.]+ .s  met [0-9]{1,2} page faults$' "$text"
has "text: the slow kind" "^ +12 +[0-9.]+ .s  met $met[0-9] page faults\$" "$text"
traced touched "$F/fresh_pages" tttttttttttttttttttttttt
same "results in touched pages alone: not by page faults" True "$(reported touched 'all(not s["kinds"] or s["kinds"]["by"] != "page_faults" for s in d["shapes"])')"
KTRACE_MODE=profile traced sums "$F/fresh_pages" fftttfftfttfttfffttftftf
same "a profile has no single calls" "[None]" "$(reported sums "$kinds")"

# --- LAPACK without blocks ------------------------------------------------------------------------------------------
unblocked='[(u["routine"], u["handed_to"], u["calls"], u["inside_known"], u["workspace_suffices"]) for u in d["unblocked"]]'
# factored NAME PRELOAD NESTED ARGUMENTS...
factored() {
    local name=$1 preload=$2 nested=$3; shift 3
    KTRACE_NESTED=$nested KTRACE_OUT=$T/$name LD_PRELOAD="$PWD/$B/libktrace.so $preload" "$F/factor" "$@"
}
no_block=$PWD/$F/no_block.so
factored blocked "" all 300
same "blocked code: nothing to tell" "[]" "$(reported blocked "$unblocked")"
same "... and nothing is told" "" "$("$kt" report --all "$T/blocked" | grep -i "without blocks")"
factored unblocked "$no_block" all 300
same "ILAENV does not know a name" "[('dgeqrf', 'dgeqr2', 3, 3, 3)]" "$(reported unblocked "$unblocked")"
same "... with the arguments of the first and the time of all" "300, True" \
    "$(reported unblocked '"%d, %s" % (d["unblocked"][0]["args"]["n"], abs(d["unblocked"][0]["seconds"] / [r["seconds"] for r in d["routines"] if r["routine"] == "dgeqrf"][0] - 1) < 0.01)')"
text=$("$kt" report --all "$T/unblocked")
has "text: what it did" '^dgeqrf: 3 of 3 calls, [0-9.]+ m?s, handed all to dgeqr2$' "$text"
has "text: and why" '^  The block size that ILAENV gives for it is 1' "$text"
factored sampled "$no_block" sample 300
same "the first call alone was recorded inside, or others, too" True "$(reported sampled '[u["calls"] == u["inside_known"] > 0 for u in d["unblocked"]] == [True]')"
factored unknown "$no_block" none 300
same "no inside was recorded: nothing is told" "[]" "$(reported unknown "$unblocked")"
factored small "$no_block" all 128
same "below the crossover: nothing is told" "[]" "$(reported small "$unblocked")"
factored narrow "" all 300 1
same "a workspace without room for blocks is another cause" "[('dgeqrf', 'dgeqr2', 3, 3, 0), ('dsytrd', 'dsytd2', 1, 1, 0)]" "$(reported narrow "sorted($unblocked)")"
has "... which is said" '^  Either ILAENV gives it a block size of 1, or lwork left no room for blocks' "$("$kt" report --all "$T/narrow")"
exit $((failures != 0))
