# SPDX-License-Identifier: BSD-3-Clause
# check: slow, 15 s
# A second compiler, clang, has no warning about the sources. make CC=clang builds with it.
. tests/lib.sh
command -v clang >/dev/null || { skip "no warning of clang" "needs clang (package clang)"; exit 0; }
flags="-std=gnu11 -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -D_GNU_SOURCE -DKT_VERSION=\"x\" -I. -Iinclude -I$B/gen"
# Behind its driver the compiler takes all files in one process: a third of the time. The last word of its command is the file.
eval "command=($(clang -### -fsyntax-only $flags preload/api.c 2>&1 | tail -n 1))"
said=$("${command[@]:0:${#command[@]}-1}" trace/*/*.c replay/*/*.c model/*/*.c preload/*.c 2>&1) || said+=" status $?"
if [ -z "$said" ]; then ok "no warning of clang"; else not_ok "no warning of clang" "$said"; fi
exit $((failures != 0))
