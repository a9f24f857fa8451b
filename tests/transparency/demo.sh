# SPDX-License-Identifier: BSD-3-Clause
# check: slow, 50 s
# A real NumPy program: the same output and status with and without ktrace, and as many calls as a debugger counts.
. tests/lib.sh
kt=$B/ktrace
export OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1 KTRACE_QUIET=1
program=("$PYTHON" examples/demo.py)
"${program[@]}" >"$T/plain" 2>"$T/plain.err"; plain=$?
"$kt" run --nested all -o "$T/trace" -- "${program[@]}" >"$T/traced" 2>"$T/traced.err"; traced=$?
same "exit status" "$plain" "$traced"
true_that "output, bit by bit" cmp "$T/plain" "$T/traced"
true_that "standard error" cmp "$T/plain.err" "$T/traced.err"
same "complete, nothing lost" "complete []" "$("$kt" info --json "$T/trace" | query 'd["state"] + " " + str(d["lost"])')"

# A breakpoint takes a hundred times as long as a small call: without the two parts that make tens of thousands of them.
parts=("${program[@]}" robust_fit principal_components gaussian_process vibrations subspace_iteration block_systems neural_network beamformer)
"$kt" run --nested all -o "$T/parts" -- "${parts[@]}" >/dev/null 2>&1
symbols=cblas_dgemm,cblas_dgemv,cblas_ddot,cblas_sgemm,dpotrf_,dgesdd_,dsyevd_,dgelsd_,dgesv_,dgeqrf_,dgeev_
counted=$("$PYTHON" tests/transparency/count.py $symbols "${parts[@]}" 2>"$T/err") || not_ok "counting in gdb" "$(<"$T/err")"
recorded=$("$kt" dump --json "$T/parts" | "$PYTHON" -c 'import collections, json, re, sys
print(json.dumps(collections.Counter(re.search(r"\"symbol\":\"(\w+)", line)[1] for line in sys.stdin)))')
for symbol in ${symbols//,/ }; do
    expected=$(query "d['$symbol']" <<<"$counted")
    same "calls of $symbol as a debugger counts them: $expected" "$expected" "$(query "d['$symbol']" <<<"$recorded")"
done
same "arguments of the largest product" "row N N 1000 1000 1000" \
     "$("$kt" report --json "$T/trace" | query '"row N N %d %d %d" % max((s["args"]["M"], s["args"]["N"], s["args"]["K"]) for s in d["shapes"] if s["routine"] == "dgemm" and s["args"]["layout"] == 101 and s["args"]["TransA"] == 111 == s["args"]["TransB"])')"
exit $((failures != 0))
