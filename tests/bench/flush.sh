#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Do flushing lines and reading a large area bring about the same (Whaley & Castaldo, section 3)? On ten kernels; reading
# also empties the caches of code, so it is compared to flushing with code and TLB cold, after what is left at a call of
# one element, which is measured, too. Of page tables as well: no constant, but a load from memory for every few pages.
# With huge pages there are none; small ones show what they take.
. tests/bench/lib.sh
export OPENBLAS_NUM_THREADS=1 KTRACE_QUIET=1
"$B/ktrace" run -o "$dir/kernels" -- "$PYTHON" tests/bench/flush_methods.py
for pages in huge small; do
    for i in 1 2 3; do
        "$B/ktrace" replay --json --store none --blas openblas-serial --budget "${BUDGET:-15}" --pages $pages --context cold,allcold,l3 "$dir/kernels" >"$dir/$i.json" || exit
    done
    echo "Operands in $pages pages:"
    "$PYTHON" tests/bench/flush_methods.py "$dir"/?.json
done
