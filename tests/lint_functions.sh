# SPDX-License-Identifier: BSD-3-Clause
exec "$PYTHON" tests/lint_functions.py
