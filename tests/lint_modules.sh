# SPDX-License-Identifier: BSD-3-Clause
# check: fast, 1 s
# The arrows of DESIGN.md: format.h <- trace <- {replay, model}; the shim uses include/ktrace and itself only; replay and
# model do not see each other. main.c, which links the verbs, may see all. No generated file is committed.
. tests/lib.sh

# forbidden NAME FILES PATTERN: none of the files includes a header that matches
forbidden() {
    local found
    found=$(grep -nE "^#include \"($3)" $2 /dev/null | grep -v '^trace/main.c')
    if [ -z "$found" ]; then ok "$1"; else not_ok "$1" "$found"; fi
}
forbidden "include/ktrace depends on nothing" "include/ktrace/*.h" "trace|replay|model|preload"
forbidden "the shim depends on include/ktrace only" "preload/*.[ch]" "trace|replay|model"
forbidden "trace does not see replay, model or the shim" "trace/*.[ch] trace/*/*.[ch]" "replay|model|preload"
forbidden "replay does not see model or the shim" "replay/*.[ch] replay/*/*.[ch]" "model|preload"
forbidden "model does not see the shim" "model/*/*.[ch]" "preload"
others=$(grep -nE '^#include "replay' model/*/*.[ch] /dev/null | grep -vE '"replay/(timing|placement|machine/caches).h"')
if [ -z "$others" ]; then ok "model reaches replay through narrow headers"; else not_ok "model reaches replay through narrow headers" "$others"; fi
needed=$(readelf -d "$B/libktrace.so" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p' | grep -vE '^(libc\.so|ld-linux)')
same "the shim needs libc only" "" "$needed"
same "file names of the modules are unique" "" "$(git ls-files '*.c' '*.h' | grep -vE '^(tests|examples)/' | xargs -n1 basename | sort | uniq -d)"
# The Makefile finds the scripts of tests by this line.
same "each script of tests says when it runs, and how long" "" "$(grep -lE '^\. tests/(lib|fault/lib|transparency/alike)\.sh' tests/*.sh tests/*/*.sh |
    grep -vE '/(lib|alike)\.sh$' | xargs grep -LE '^# check: ((fast|slow), [0-9]+ s|never)$')"
exit $((failures != 0))
