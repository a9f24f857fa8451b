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

# folder_of SUFFIX: of the installed library whose path ends so.
folder_of() { dirname "$(find /usr/lib /usr/lib64 -path "*/$1" 2>/dev/null | head -n 1)"; }
reference_blas() { folder_of blas/libblas.so.3; }
reference_lapack() { folder_of lapack/liblapack.so.3; }
serial_openblas() { folder_of openblas-serial/libblas.so.3; }
# The last of the processors that we may use: interrupts tend to go to the first.
one_processor() { taskset -cp $$ | sed 's/.*[ ,-]//'; }
# turns ROUND WAY...: every second round the other way round, so that nobody always follows the same neighbour.
turns() { if (($1 % 2)); then printf '%s\n' "${@:2}"; else printf '%s\n' "${@:2}" | tac; fi; }
progress() { [ ! -t 2 ] || printf '\r\033[K%s' "$*" >&2; }
bytes_in() { du -s --block-size=1 "$1" | cut -f 1; }
# knows VARIABLE: does this build have it?
knows() { grep -q "^$1 " <<<"$("$B/ktrace" env)"; }
# Value of a Python expression of the JSON document d on standard input; of what `ktrace info` prints about a trace.
query() { "$PYTHON" -c 'import json,sys; d=json.load(sys.stdin); print(eval(sys.argv[1]))' "$1"; }
info() { "$B/ktrace" info --json "$1" | query "$2"; }
lost_calls='sum(l["calls"] for l in d["lost"])'
