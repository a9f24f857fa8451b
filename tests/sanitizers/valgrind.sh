# SPDX-License-Identifier: BSD-3-Clause
# check: slow, 28 s
# The tools and the shim under valgrind: no error, no leak in the tools.
. tests/lib.sh
export KTRACE_QUIET=1 OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1
memcheck() { valgrind -q --error-exitcode=99 --leak-check=full --errors-for-leak-kinds=definite "$@"; }
traced trace "$PYTHON" -c 'import numpy as np; a = np.eye(40); print(np.linalg.solve(a, a).sum(), (a @ a).sum())' >/dev/null
for verb in info "info --json" dump "dump --json" check report "report --json" "roofline --machine tests/roofline/machine.json" \
    export "export --format perfetto" "export -o $T/calls.sqlite"; do
    true_that "ktrace $verb" memcheck "$B/ktrace" $verb "$T/trace"
done
true_that "ktrace of nothing" bash -c "valgrind -q --error-exitcode=99 $B/ktrace info $T/none; [ \$? = 3 ]"
out=$(KTRACE_OUT=$T/life LD_PRELOAD=$PWD/$B/libktrace.so valgrind -q --error-exitcode=99 "$B/tests/abi/life" calls100 threads3 2>&1)
same "the shim" "done" "$out"
same "... and its trace" 115 "$(info life 'd["calls"]')"
exit $((failures != 0))
