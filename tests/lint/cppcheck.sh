# SPDX-License-Identifier: BSD-3-Clause
# check: slow, 81 s
# Static analysis, and all warnings as errors.
. tests/lib.sh
# What it found in files that are as they were stays in the build folder. Of jansson's headers it only needs what loops are.
mkdir -p "$B/cppcheck"
out=$(cppcheck --quiet --cppcheck-build-dir="$B/cppcheck" --std=c11 --enable=warning,performance,portability --inline-suppr --error-exitcode=1 -I. -Iinclude \
    --suppress=missingIncludeSystem -D__x86_64__ '-Djson_array_foreach(a,i,v)=for(i=0;(v=json_array_get(a,i));i++)' \
    '-Djson_object_foreach(o,k,v)=for(k=0;(v=json_next(o,&k));)' preload trace replay model 2>&1)
if [ $? = 0 ]; then ok "cppcheck"; else not_ok "cppcheck" "$out"; fi
# What the compiler said when it made the build (Makefile): a file for each source, empty if there was nothing to say.
made() { ls {trace,replay,model,preload}/*.c {trace,replay,model}/*/*.c 2>/dev/null | grep -vE '^preload/(audit|block_size)\.c$'; echo libktrace-audit.c libktrace-block.c ktrace_api.c; cd "$B" && ls gen/*.c; }
said=$(made | xargs -n 1 | sed "s|^|$B/|; s/c$/said/" | xargs cat 2>&1)
if [ -z "$said" ]; then ok "no warning of -Wall -Wextra -Wshadow"; else not_ok "warnings" "$said"; fi
exit $((failures != 0))
