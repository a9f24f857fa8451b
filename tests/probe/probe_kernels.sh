# SPDX-License-Identifier: BSD-3-Clause
# check: fast, 1 s
# The instructions of the probe's nano-benchmarks, in the disassembly.
. tests/lib.sh
if [ "$(uname -m)" != x86_64 ] || ! command -v objdump >/dev/null; then
    skip "instructions of the nano-benchmarks" "needs objdump on x86-64"
    exit 0
fi
exec "$PYTHON" tests/probe/probe_kernels.py "$B/model/loops/probe_kernels.o"
