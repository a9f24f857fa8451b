# SPDX-License-Identifier: BSD-3-Clause
# check: fast, 3 s
# ktrace info --libraries: what is installed, and libraries that do not behave.
. tests/lib.sh
kt=$PWD/$B/ktrace
A=$PWD/$B/tests/abi
list() { "$kt" info --libraries --json "$@" 2>/dev/null; }
make_library() { echo "$2" | "${CC:-gcc}" -x c -w -shared -fPIC -o "$T/$1" -; }

list >"$T/all"
same "what is listed can be used" True "$(query 'all(l["usable"] and l["has"]["blas"] for l in d["libraries"])' <"$T/all")"
same "names are different" True "$(query 'len({l["name"] for l in d["libraries"]}) == len(d["libraries"])' <"$T/all")"
same "64-bit integers are found out" True "$(query 'all((l["int_bits"] == 64) == ("64" in l["name"]) for l in d["libraries"])' <"$T/all")"
same "the reference library" "['libblas.so.3', 'liblapack.so.3'] 32" \
    "$(query '" ".join(str([f.split("/")[-1] for f in l["files"]]) + " " + str(l["int_bits"]) for l in d["libraries"] if l["name"] == "reference")' <"$T/all")"
same "OpenBLAS: version, kernel, threads" True \
    "$(query 'all(l["number"] and l["kernel"] and l["threads"] and l["number"] in l["version"] for l in d["libraries"] if "openblas" in l["name"])' <"$T/all")"
same "BLIS: version, kernel" True "$(query 'all(l["number"] and l["kernel"] for l in d["libraries"] if "blis" in l["name"])' <"$T/all")"
for name in $(query '" ".join(l["name"] for l in d["libraries"] if "." not in l["name"])' <"$T/all"); do
    same "the name $name can be given" "['$name']" "$(list "$name" | query '[l["name"] for l in d["libraries"]]')"
done
same "in 80 columns" 0 "$("$kt" info --libraries | sed '/^has:/q' | awk 'length > 80' | wc -l)"
same "two versions by path" "['libfake1.so', 'libfake2.so'] [32, 32]" \
    "$(list "$A/libfake1.so" "$A/libfake2.so" | query 'str([l["name"] for l in d["libraries"]]) + " " + str([l["int_bits"] for l in d["libraries"]])')"
same "64-bit integers by path" 64 "$(list "$A/libfake64.so" | query 'd["libraries"][0]["int_bits"]')"

make_library crash.so '#include <stdlib.h>
__attribute__((constructor)) static void start(void) { abort(); }'
make_library leave.so '#include <stdlib.h>
__attribute__((constructor)) static void start(void) { exit(3); }'
make_library chatter.so '#include <stdio.h>
__attribute__((constructor)) static void start(void) { puts("hello"); fflush(stdout); fputs("there\n", stderr); }
int idamax_(const int *n, const double *x, const int *i) { return *n == 3 ? 2 : 0; }'
list "$T/crash.so" "$T/leave.so" "$T/chatter.so" "$A/libfake1.so" >"$T/odd"; status=$?
same "a library that crashes, ends the process or prints stops no other" "[False, False, True, True]" "$(query '[l["usable"] for l in d["libraries"]]' <"$T/odd")"
same "... exit status" 1 $status
same "... and why" "signal 6 exit status 3" "$(query 'd["libraries"][0]["reason"].split("(")[1][:8] + " " + d["libraries"][1]["reason"].split("(")[1][:-1]' <"$T/odd")"
"$kt" info --libraries nosuchlibrary >/dev/null 2>&1; same "a name that means nothing" 2 $?
exit $((failures != 0))
