# SPDX-License-Identifier: BSD-3-Clause
# Static analysis, and all warnings as errors.
. tests/lib.sh
out=$(cppcheck --quiet --std=c11 --enable=warning,performance,portability --inline-suppr --error-exitcode=1 -I. -Iinclude \
    --suppress=missingIncludeSystem -D__x86_64__ preload trace replay model 2>&1)
if [ $? = 0 ]; then ok "cppcheck"; else not_ok "cppcheck" "$out"; fi
out=$(make -s O="$T/build" WERROR=1 2>&1)
if [ $? = 0 ]; then ok "no warning of -Wall -Wextra -Wshadow"; else not_ok "warnings" "$out"; fi
exit $((failures != 0))
