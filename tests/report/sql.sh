# SPDX-License-Identifier: BSD-3-Clause
# check: fast, 4 s
# The questions of doc/sql.md: what their SQL answers is what the list of calls says.
. tests/lib.sh
export KTRACE_QUIET=1 OPENBLAS_NUM_THREADS=1
# Two threads, three sizes, failures on a line, columns that are 4096 bytes apart, results that the next call reads, one long pause.
cat >"$T/program.py" <<'END'
import threading
import time
import numpy as np
a = np.eye(30) + 0.01
def work():
    for _ in range(20):
        b = a @ a
        np.linalg.solve(b, b[0])
        np.linalg.eigh(a)
thread = threading.Thread(target=work)
thread.start()
work()
thread.join()
wide = np.ones((8, 512))
np.ones((8, 256)) @ np.ones((256, 8))  # half as far
for _ in range(12):
    (wide @ wide.T) @ np.ones((8, 3))
# Of calls with the same number of operations, one whose elements lie on pages of their own, which it is the first to touch.
near = np.ones(20000)
for _ in range(15):
    near @ near
np.zeros(20000 * 512)[::512] @ near
time.sleep(0.05)
for _ in range(3):
    try:
        np.linalg.solve(np.zeros((5, 5)), np.ones(5))
    except np.linalg.LinAlgError:
        pass
END
traced run "$PYTHON" "$T/program.py"
"$B/ktrace" dump --json "$T/run" >"$T/calls.jsonl"
"$B/ktrace" export "$T/run" -o "$T/calls.sqlite" >/dev/null || not_ok "the export ends with status $?"
"$PYTHON" tests/report/sql.py "$T/calls.jsonl" "$T/calls.sqlite" || failures=1
exit $((failures != 0))
