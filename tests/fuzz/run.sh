#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# make fuzz: builds the fuzzers with clang and runs each for FOR seconds on the corpus and on what earlier runs added to
# it in FOLDER. Prints executions and CPU time; what breaks a fuzzer stays in FOLDER/NAME.*.
# FUZZERS="stream text" runs only these.
set -u
FOLDER=${FOLDER:-build-fuzz}
FOR=${FOR:-60}
command -v clang >/dev/null || { echo "make fuzz: needs clang and its run-time library: Debian packages clang libclang-rt-dev"; exit 1; }
make -s O="$FOLDER" CC=clang LIBFUZZER=1 SAN=fuzzer-no-link,address,undefined \
    CFLAGS='-O2 -fno-sanitize-recover=all -fno-sanitize-coverage=trace-cmp' fuzzers || exit 1
# A quarantine that the second cache holds.
export ASAN_OPTIONS=max_malloc_fill_size=0:malloc_context_size=4:quarantine_size_mb=1:thread_local_quarantine_size_kb=64:max_redzone=16
export UBSAN_OPTIONS=print_stacktrace=1
# Longer inputs than these only cost time.
declare -A longest=([stream]=12288 [text]=12288 [trace]=6144 [packed]=32768 [spec]=2048 [algorithm]=2048
    [profile]=12288 [snapshot]=4096 [machine]=4096 [models]=4096 [result]=4096 [store]=16384)
bad=0
for name in ${FUZZERS:-$(ls tests/fuzz/corpus)}; do
    mkdir -p "$FOLDER/corpus/$name"
    { TIMEFORMAT='%U %S'; time "$FOLDER/tests/fuzz/$name" -max_total_time="$FOR" -timeout=30 -rss_limit_mb=2048 -max_len="${longest[$name]:-4096}" -entropic=0 -reload=0 \
        -close_fd_mask=1 -print_final_stats=1 -artifact_prefix="$FOLDER/$name." "$FOLDER/corpus/$name" "tests/fuzz/corpus/$name" \
        >"$FOLDER/$name.log" 2>&1; } 2>"$FOLDER/$name.time"
    status=$?
    runs=$(sed -n 's/^stat::number_of_executed_units: *//p' "$FOLDER/$name.log")
    echo "$name: ${runs:-?} executions in $(awk '{ print $1 + $2 }' "$FOLDER/$name.time") s of processor time"
    [ $status = 0 ] || { bad=1; echo "$name: status $status, see $FOLDER/$name.log"; grep -hE 'ERROR|SUMMARY|Test unit' "$FOLDER/$name.log"; }
done
exit $bad
