# SPDX-License-Identifier: BSD-3-Clause
# check: fast, 1 s
# The arrows of DESIGN.md: those between folders are in lint_rooms.py; the shim uses include/ktrace and itself only. No
# generated file is committed.
. tests/lib.sh

# forbidden NAME FILES PATTERN: none of the files includes a header that matches
forbidden() {
    local found
    found=$(grep -nE "^#include \"($3)" $2 /dev/null)
    if [ -z "$found" ]; then ok "$1"; else not_ok "$1" "$found"; fi
}
forbidden "include/ktrace depends on nothing" "include/ktrace/*.h" "trace|replay|model|preload"
forbidden "the shim depends on include/ktrace only" "preload/*.[ch]" "trace|replay|model"
"$PYTHON" tests/lint/lint_rooms.py || failures=$((failures + 1))
needed=$(readelf -d "$B/libktrace.so" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p' | grep -vE '^(libc\.so|ld-linux)')
same "the shim needs libc only" "" "$needed"
same "file names of the modules are unique" "" "$(git ls-files '*.c' '*.h' | grep -vE '^(tests|examples)/' | xargs -n1 basename | sort | uniq -d)"
# The Makefile finds the scripts of tests by this line.
same "each script of tests says when it runs, and how long" "" "$(grep -lE '^\. tests/(lib|fault/lib|transparency/alike)\.sh' tests/*.sh tests/*/*.sh |
    grep -vE '/(lib|alike)\.sh$' | xargs grep -LE '^# check: ((fast|slow), [0-9]+ s|never)$')"
exit $((failures != 0))
