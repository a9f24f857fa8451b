# SPDX-License-Identifier: BSD-3-Clause
# A real NumPy program: the same output and status with and without ktrace, and as many calls as a debugger counts.
. tests/lib.sh
kt=$B/ktrace
export OPENBLAS_NUM_THREADS=1 KTRACE_QUIET=1
program=("$PYTHON" examples/demo.py)
"${program[@]}" >"$T/plain" 2>"$T/plain.err"; plain=$?
"$kt" run -o "$T/trace" -- "${program[@]}" >"$T/traced" 2>"$T/traced.err"; traced=$?
same "exit status" "$plain" "$traced"
true_that "output, bit by bit" cmp "$T/plain" "$T/traced"
true_that "standard error" cmp "$T/plain.err" "$T/traced.err"
same "complete, nothing lost" "complete []" "$("$kt" info --json "$T/trace" | query 'd["state"] + " " + str(d["lost"])')"
symbols=cblas_dgemm,cblas_dgemv,cblas_ddot,cblas_sgemm,dgemm_,dgemv_,dpotrf_,dgesdd_,dsyevd_,dgelsd_,dgesv_,dgeqrf_
counted=$("$PYTHON" tests/count.py $symbols "${program[@]}" 2>"$T/err")
for symbol in ${symbols//,/ }; do
    same "calls of $symbol as a debugger counts them" "$(query "d['$symbol']" <<<"$counted")" \
         "$(calls trace "sum(c['symbol'] == '$symbol' for c in d)")"
done
same "arguments of the largest product" "{'layout': 101, 'TransA': 111, 'TransB': 111, 'M': 1000, 'N': 1000, 'K': 1000}" \
     "$(calls trace "{k: v for k, v in max((c for c in d if c['symbol'] == 'cblas_dgemm'), key=lambda c: c['args']['M'] * c['args']['N'] * c['args']['K'])['args'].items() if k in ('layout', 'TransA', 'TransB', 'M', 'N', 'K')}")"
exit $((failures != 0))
