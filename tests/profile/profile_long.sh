# SPDX-License-Identifier: BSD-3-Clause
# check: never
# make profile-long: 10^9 calls (CALLS=) in profile mode take constant memory, and less than 16 MiB of it.
. tests/lib.sh
export KTRACE_QUIET=1
counts=$PWD/$B/tests/profile/counts
CALLS=${CALLS:-1000000000}
kib_of() { awk '/^VmRSS:/ {print $2}' "/proc/$1/status" 2>/dev/null; }

own=$(KTRACE_DISABLE=1 traced none "$counts" fixed 1000 | cut -d' ' -f2)
KTRACE_MODE=profile KTRACE_OUT="$T/long" LD_PRELOAD="$PWD/$B/libktrace.so" "$counts" fixed "$CALLS" >"$T/out" &
while [ ! -e "$T/long"/p*/s* ]; do sleep 0.01; done
early=$(kib_of $!)
seen=$early
while last=$(kib_of $!) && [ -n "$last" ]; do seen=$last; sleep 1; done
wait $!
read -r made kib <"$T/out"
same "all calls are counted" "$CALLS $CALLS" "$made $(info long 'd["calls"]')"
true_that "memory is constant: $early KiB at the begin, $seen KiB at the end" test $((seen - early)) -le 256
true_that "$((kib - own)) KiB more than without us" test $((kib - own)) -lt 16384
