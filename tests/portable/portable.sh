# SPDX-License-Identifier: BSD-3-Clause
# check: slow, 40 s
# All sources compile for aarch64, and its unit tests of pure logic pass in an emulator: analysis, statistics, congruent
# lines, expressions; every nano-benchmark runs. Needs the packages of `make check-portable`.
. tests/lib.sh
cross=aarch64-linux-gnu-gcc
emulator=qemu-aarch64-static
if ! command -v $cross >/dev/null || [ ! -e /usr/aarch64-linux-gnu/lib/libc.so.6 ]; then
    skip "compiles for aarch64" "no cross compiler: make check-portable installs it"
    exit 0
fi
out=$T/portable
mkdir -p "$out"
# Headers of libraries that are not there for aarch64 are those of this machine: to compile they do.
host=$(gcc -print-multiarch)
flags="-std=gnu11 -O1 -Wall -Wextra -Werror -D_GNU_SOURCE -DKT_VERSION=\"x\" -I. -Iinclude -I$B/gen -idirafter /usr/include -idirafter /usr/include/$host"
# What has instructions of its own, or is run below, becomes an object; of all else it is enough that the compiler reads it:
# what else it would find does not depend on the processor, and the build has found it.
compile() {
    local object=$out/$(tr / _ <<<"${1%.*}").o how=-fsyntax-only
    case $1 in *.S | trace/base/* | trace/table/* | model/analysis/* | model/probe/* | model/loops/* | replay/compare/ratio.c) how=-c ;; esac
    if grep -qE '\basm\b|__asm__|__aarch64__' "$1"; then how=-c; fi
    $cross $flags $how -o "$object" "$1" 2>"$object.err" || { echo "$1"; grep -m 3 -E "error|warning" "$object.err"; }
}
export -f compile
export out cross flags
failed=$(printf '%s\n' $(git ls-files 'trace/*.c' 'replay/*.c' 'model/*.c') preload/*.c preload/*.S "$B"/gen/*.c "$B"/gen/*.S | grep -v 'gen/wrap_' |
    xargs -P 2 -I{} bash -c 'compile {}')
same "every source compiles for aarch64 without warnings" "" "$failed"

if ! command -v $emulator >/dev/null; then
    skip "unit tests for aarch64" "no $emulator"
    exit $((failures != 0))
fi
rm -f "$out"/trace_verbs_main.o "$out"/*ktgen*.o "$out"/*libktrace*.o "$out"/preload_*.o "$out"/*stubs.o "$out"/*slots.o
aarch64-linux-gnu-ar rc "$out/all.a" "$out"/*.o
# run NAME SOURCE...
run() {
    if $cross $flags -Itests/portable -o "$out/test" "${@:2}" "$out/all.a" -lm 2>"$out/err"; then
        true_that "$1" $emulator -L /usr/aarch64-linux-gnu "$out/test"
    else
        not_ok "$1" "$(head -n 5 "$out/err")"
    fi
}
for test in analysis stats congruent expr ratio; do
    run "unit tests of $test on aarch64" tests/unit/test_$test.c tests/unit/blackjack.c
done
run "all nano-benchmarks run on aarch64" tests/portable/kernels.c
exit $((failures != 0))
