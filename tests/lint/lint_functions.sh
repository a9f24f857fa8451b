# SPDX-License-Identifier: BSD-3-Clause
# check: fast, 1 s
exec "$PYTHON" tests/lint/lint_functions.py
