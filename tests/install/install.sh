# SPDX-License-Identifier: BSD-3-Clause
# check: fast, 10 s
# What make install puts where: it works from there, manual pages and completion follow from the options, and nothing stays.
. tests/lib.sh
kt=$PWD/$B/ktrace
place=$T/root
with() { make -s "$1" O="$B" DESTDIR="$place" PREFIX=/usr; }
true_that "make install" with install
installed=$place/usr
version=$(sed -n 's/^VERSION *:= //p' Makefile)
same "the command says its version" "ktrace $version" "$("$installed/bin/ktrace" --version)"
same "it finds the recorder where that is installed" "0" "$("$installed/bin/ktrace" run -- true 2>"$T/err"; echo $?)"
has "... which sees no call in true" "made no BLAS or LAPACK call" "$(<"$T/err")"
if [ -e "$B/report.html" ]; then
    "$installed/bin/ktrace" report --html "$T/page.html" "$T/nothing" 2>"$T/err"
    same "... and the page for browsers: only the trace is missing" 3 $?
else skip "the page for browsers" "d3 is not installed (apt: node-d3)"; fi

same "regions for R and Octave" "ktrace.R ktrace_api.mex ktrace_region.m" "$(cd "$installed/lib/ktrace" && echo *)"

# --- the header
export PKG_CONFIG_PATH=$installed/share/pkgconfig PKG_CONFIG_SYSROOT_DIR=$place
same "pkg-config: version" "$version" "$(pkg-config --modversion ktrace)"
printf '#include <ktrace/ktrace.h>\nint main(void)\n{\n    ktrace_begin("all");\n    ktrace_end();\n    return ktrace_recording();\n}\n' >"$T/region.c"
true_that "a program with the header" cc -Wall -Werror $(PKG_CONFIG_ALLOW_SYSTEM_CFLAGS=1 pkg-config --cflags ktrace) -o "$T/region" "$T/region.c"
true_that "... which runs" "$T/region"
true_that "an example of a kernel with its header" cc -Wall -Werror -shared -fPIC $(PKG_CONFIG_ALLOW_SYSTEM_CFLAGS=1 pkg-config --cflags ktrace) -o "$T/wht.so" "$installed/share/doc/ktrace/examples/kernels/wht.c"
same "... which is timed" 3 "$("$kt" kernel "$T/wht.so" --machine tests/roofline/machine.json --n 4:16:3 --states warm --budget 1 --csv points 2>&1 | grep -c '^wht,')"

# --- manual pages
mapfile -t verbs < <("$kt" help | sed -n 's/^  \([a-z][a-z]*\)  .*/\1/p')
true_that "there are verbs" test ${#verbs[@]} -gt 15
for verb in "" "${verbs[@]}"; do
    page=$installed/share/man/man1/ktrace${verb:+-$verb}.1
    if [ ! -e "$page" ]; then not_ok "a manual page of $verb" "doc/man/$verb.man is missing"; continue; fi
    text=$(MANWIDTH=200 man --warnings -l "$page" 2>"$T/err" | col -b)
    same "ktrace${verb:+ $verb}: the page has no faults" "" "$(<"$T/err")"
    for option in $("$kt" help $verb | grep -oE '^  (-., )?--[a-z-]+' | grep -oE -- '--[a-z-]+'); do
        has "... it has $option" "^ +(-., )?$option( |$)" "$text"
    done
    if [ -n "$verb" ] && "$kt" help --json-schema "$verb" >"$T/schema" 2>"$T/err"; then
        lacking=$("$PYTHON" tests/json_check.py keys <"$T/schema" | while read -r key; do
            grep -qE "^\s+$key: " <<<"$text" || echo "$key"; done)
        same "... it has every JSON key" "" "$lacking"
    fi
    for other in $(grep -oE 'ktrace\\-[a-z]+ \(1\)' "$page" | sed 's/ktrace\\-\([a-z]*\).*/\1/'); do
        has "... it refers to $other, which there is" " $other " " ${verbs[*]} "
    done
done
run_page=$(MANWIDTH=200 man -l "$installed/share/man/man1/ktrace-run.1" | col -b)
for variable in $("$kt" env | grep -oE '^KTRACE_[A-Z_]+'); do
    has "ktrace-run(1) has $variable" "^ +$variable \(" "$run_page"
done
page=$(MANWIDTH=200 man -l "$installed/share/man/man1/ktrace.1" | col -b)
for status in $(sed -n 's/^    X([A-Z_]*, \([0-9]\).*/\1/p' trace/base/error.h); do
    has "ktrace(1) has the exit status $status" "^ +$status  " "$page"
done

# --- completion
export PATH=$installed/bin:$PATH
# completed WORD...: what bash offers for the last one
completed() {
    bash -c '. "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _ktrace; echo "${COMPREPLY[*]}"' - \
        "$installed/share/bash-completion/completions/ktrace" ktrace "$@"
}
same "bash: verbs" "report replay repro" "$(completed rep)"
same "bash: options" "--blas --block-size" "$(completed run --bl)"
same "bash: the values of an option" "lines paths off" "$(completed run --stacks "")"
same "bash: ... behind an equals sign" "paths" "$(completed run --stacks = p)"
same "bash: parts of model, and their options" "build --fresh" "$(completed model bu) $(completed model build --fr)"
same "bash: the verbs of help" "replay repro" "$(completed help repl) $(completed help repr)"
same "bash: what control takes" "pause" "$(completed control 12 pau)"
library=$("$kt" info --libraries --json | query 'next(l["name"] for l in d["libraries"] if l["name"])')
has "bash: names of libraries" "(^| )$library( |$)" "$(completed compare --blas "${library:0:3}")"
has "bash: ... of a list of them" "(^| )x,$library( |$)" "$(completed compare --blas "x,${library:0:3}")"
has "bash: ... for info --libraries" "(^| )$library( |$)" "$(completed info --libraries "${library:0:3}")"
has "bash: commands behind --" "(^| )make( |$)" "$(completed run -- mak)"
same "bash: files, where there is nothing else" "" "$(completed report tr)"
if command -v zsh >/dev/null; then true_that "zsh: a completion without faults" zsh -n "$installed/share/zsh/site-functions/_ktrace"
else skip "zsh: a completion without faults" "zsh is not installed"; fi

# --- and away
echo mine >"$installed/share/doc/mine"
true_that "make uninstall" with uninstall
same "... leaves what is somebody else's, and nothing more" "$installed/share/doc/mine" "$(find "$place" -type f -o -type l)"
same "... no folder of its own either" "" "$(find "$place" -name '*ktrace*')"
exit $((failures != 0))
