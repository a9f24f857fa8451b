# SPDX-License-Identifier: BSD-3-Clause
# check: fast, 8 s
# The sources are as `make fmt` leaves them. Versions of clang-format differ: the one that counts is that of Debian 12.
. tests/lib.sh
case $(clang-format --version 2>/dev/null) in
*' version 14.'*) ;;
*) skip "the sources are formatted" "needs clang-format 14 (package clang-format)"; exit 0 ;;
esac
out=$(git ls-files '*.c' '*.h' ':!preload/stub.h' | xargs clang-format --dry-run -Werror 2>&1)
if [ -z "$out" ]; then ok "the sources are formatted"; else not_ok "the sources are formatted (make fmt does it)" "$out"; fi
exit $((failures != 0))
