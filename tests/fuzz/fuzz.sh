# SPDX-License-Identifier: BSD-3-Clause
# check: fast, 5 s
# The inputs that fuzzing found interesting or that broke something once, and a few random mutations of them. The same
# with sanitizers: tests/sanitizers/sanitize.sh. To find new ones: make fuzz.
. tests/lib.sh
for name in $(ls tests/fuzz/corpus); do
    inputs=$(find "tests/fuzz/corpus/$name" -type f | wc -l)
    out=$("$B/tests/fuzz/$name" -n "${MUTATIONS:-500}" "tests/fuzz/corpus/$name" 2>&1 >/dev/null); status=$?
    same "$name: $inputs inputs" "0 $inputs inputs, ${MUTATIONS:-500} mutations: fine" "$status $(tail -n 1 <<<"$out")"
done
exit $((failures != 0))
