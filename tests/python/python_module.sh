# SPDX-License-Identifier: BSD-3-Clause
# check: fast, 8 s
# The Python module: its tables are what --json prints, with and without pandas; errors, pages and cells of Jupyter.
. tests/lib.sh
export KTRACE_QUIET=1 OPENBLAS_NUM_THREADS=1
cat >"$T/program.py" <<'END'
import numpy as np
a = np.eye(40) + 0.01
for _ in range(20):
    np.linalg.solve(a, a[0])
    a @ a
np.linalg.eigh(a)
END
for run in 1 2; do traced "run$run" "$PYTHON" "$T/program.py"; done
try() { "$PYTHON" tests/python/python_module.py "$PWD/$B/ktrace" "$T/run1" "$T/run2" "$T" "$1" || failures=1; }
try without
if "$PYTHON" -c 'import pandas' 2>/dev/null; then try with; else skip "data frames" "pandas is not installed (apt: python3-pandas)"; fi

# As it is installed: the command beside it.
mkdir -p "$T/usr/bin" "$T/usr/share/ktrace/python"
cp share/python/ktrace.py "$T/usr/share/ktrace/python"; ln -s "$PWD/$B/ktrace" "$T/usr/bin/ktrace"
same "an installed module starts the ktrace of its installation" "$T/usr/bin/ktrace" "$(PYTHONPATH=$T/usr/share/ktrace/python "$PYTHON" -c 'import ktrace; print(ktrace.command)')"
exit $((failures != 0))
