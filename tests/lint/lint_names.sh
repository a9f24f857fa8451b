# SPDX-License-Identifier: BSD-3-Clause
# check: fast, 3 s
exec "$PYTHON" tests/lint/lint_names.py
