# SPDX-License-Identifier: BSD-3-Clause
# check: slow, 520 s
# Unit tests, fuzzers and the tools on real traces under AddressSanitizer and UndefinedBehaviorSanitizer.
. tests/lib.sh
S=${SANITIZED:-build-san}
export UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1
out=$(make -s -j2 O="$S" SAN=address,undefined built sanitized-tests 2>&1) || { not_ok "sanitizer build" "$out"; exit 1; }
for unit in "$S"/tests/unit/test_*; do
    [ -x "$unit" ] && [ -f "$unit" ] || continue
    case $unit in *.o | *.d) continue ;; esac
    true_that "$(basename "$unit")" "$unit"
done
for fuzzer in stream:4000 profile:4000 text:3000 trace:1500 packed:1000 snapshot:5000 spec:10000 algorithm:3000 machine:5000 models:3000 result:3000 store:10000; do
    name=${fuzzer%:*}
    true_that "damaged inputs: $name" "$S/tests/fuzz/$name" -n "${fuzzer#*:}" "tests/fuzz/corpus/$name"
done
true_that "... another seed" "$S/tests/fuzz/stream" -n 2000 -s "$$" tests/fuzz/corpus/stream
asan=$(readlink -f "$(${CC:-gcc} -print-file-name=libasan.so)")
export KTRACE_QUIET=1
out=$(ASAN_OPTIONS=detect_leaks=0 KTRACE_OUT="$T/trace" LD_PRELOAD="$asan $PWD/$S/libktrace.so" OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1 \
    "$PYTHON" -c 'import numpy as np; a = np.random.default_rng(1).standard_normal((60, 60)); b = a @ a.T
for i in range(2000): b[:8, :8] @ a[:8, :8]
print(np.linalg.svd(a)[1].sum() > 0, np.linalg.cholesky(b + 60 * np.eye(60)).shape)' 2>&1)
same "the shim inside NumPy" "True (60, 60)" "$out"
for arguments in "calls2000 fork threads20" "calls10 longjmp calls10" "calls100000"; do
    out=$(ASAN_OPTIONS=detect_leaks=0 KTRACE_OUT="$T/life" LD_PRELOAD="$asan $PWD/$S/libktrace.so" "$PWD/$B/tests/abi/life" $arguments 2>&1)
    same "the shim: $arguments" "done" "$out"
done
# Programs with a sanitizer of their own, which looks symbols up before anything of it works.
cat >"$T/own.c" <<'END'
#include <stdio.h>
double ddot_(const int *n, const double *x, const int *i, const double *y, const int *j);
int main(void)
{
    const int n = 3, one = 1;
    const double x[3] = {1, 2, 3};
    return printf("%g\n", ddot_(&n, x, &one, x, &one)) < 0;
}
END
for runtime in -static-libasan "" -fsanitize=undefined; do
    "${CC:-gcc}" -fsanitize=address $runtime -o "$T/own" "$T/own.c" -L"$PWD/$B/tests/abi" -lfake1 -Wl,-rpath,"$PWD/$B/tests/abi"
    plain=$(ASAN_OPTIONS=detect_leaks=0 "$T/own" 2>&1)
    first=; [ "$runtime" = -static-libasan ] || first=$asan
    same "a program with AddressSanitizer $runtime" "$plain 1" "$(ASAN_OPTIONS=detect_leaks=0 KTRACE_OUT=$T/own.trace LD_PRELOAD="$first $PWD/$B/libktrace.so" "$T/own" 2>&1) $(info own.trace 'd["calls"]')"
    rm -rf "$T/own.trace"
done
for verb in info report dump "dump --json" "info --json" "report --json" check \
    export "export --format perfetto" "export -o $T/calls.sqlite"; do
    true_that "ktrace $verb" "$S/ktrace" $verb "$T/trace"
done
true_that "ktrace replay" "$S/ktrace" replay --budget 1 "$T/trace"
true_that "ktrace report after a replay" "$S/ktrace" report "$T/trace"
exit $((failures != 0))
