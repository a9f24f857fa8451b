# SPDX-License-Identifier: BSD-3-Clause
# For the scripts of make bench: the tools, an empty folder $dir, the reference BLAS, progress on a terminal.
set -euo pipefail
export LC_ALL=C.UTF-8 KTRACE_QUIET=1 PYTHON=${PYTHON:-/usr/bin/python3}
B=${B:-build}
tools=$(realpath "$B")/tests/bench
shim=$(realpath "$B")/libktrace.so
[ -x "$B/ktrace" ] || { echo "$B/ktrace is not there: build it with make bench-tools"; exit 2; }
dir=$(mktemp -d "${TMPDIR:-/tmp}/ktrace-bench.XXXXXX")
cleanup() { rm -rf "$dir"; }
trap cleanup EXIT

reference_blas() { dirname "$(find /usr/lib /usr/lib64 -path '*/blas/libblas.so.3' 2>/dev/null | head -n 1)"; }
progress() { [ ! -t 2 ] || printf '\r\033[K%s' "$*" >&2; }
bytes_in() { du -s --block-size=1 "$1" | cut -f 1; }
# knows VARIABLE: does this build have it?
knows() { "$B/ktrace" env | grep -q "^$1 "; }
# Value of a Python expression of the JSON document d on standard input; of what `ktrace info` prints about a trace.
query() { "$PYTHON" -c 'import json,sys; d=json.load(sys.stdin); print(eval(sys.argv[1]))' "$1"; }
info() { "$B/ktrace" info --json "$1" | query "$2"; }
lost_calls='sum(l["calls"] for l in d["lost"])'
