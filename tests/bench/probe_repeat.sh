#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Ten probes, every other one while a neighbour keeps the last processor busy with a loop: are the discrete
# answers the same? A refusal is no answer; a size within 10 % is the same. RUNS= sets the number.
B=${B:-build}
T=$(mktemp -d)
trap '[ -z "$busy" ] || kill $busy; rm -rf "$T"' EXIT
export XDG_CACHE_HOME=$T/cache
last=$(($(nproc) - 1))
for i in $(seq "${RUNS:-10}"); do
    busy=
    if [ $((i % 2)) = 0 ]; then
        taskset -c "$last" sh -c 'while :; do :; done' &
        busy=$!
    fi
    "$B/ktrace" probe --json 2>/dev/null >"$T/$i.json"
    [ -z "$busy" ] || kill "$busy"
    busy=
done
exec "${PYTHON:-python3}" tests/bench/probe_agree.py "$T"/*.json
