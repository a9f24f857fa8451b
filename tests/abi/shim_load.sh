# SPDX-License-Identifier: BSD-3-Clause
# check: fast, 8 s
# Every way in which a program gets at a library: it prints the same as alone, and its calls are recorded.
. tests/lib.sh
A=$PWD/$B/tests/abi
export KTRACE_QUIET=1
shim=$PWD/$B/libktrace.so

# In a limited time, as what goes wrong here may never end.
run_with() { local preload=$1; shift; LD_PRELOAD=$preload KTRACE_OUT=$T/t timeout 20 "$@" 2>&1; echo "status $?"; }
recorded() { if [ -d "$T/t" ]; then info t 'd["calls"], sorted(l["soname"] for l in d["libraries"])'; else echo "nothing"; fi; }
# like_alone NAME RECORDED COMMAND...: with $before and $behind the shim preloaded too
like_alone() {
    local name=$1 expected=$2; shift 2
    rm -rf "$T/t"
    same "$name" "$(KTRACE_DISABLE=1 run_with "${before:-}${behind:-}" "$@")" "$(run_with "${before:+$before:}$shim${behind:+:$behind}" "$@")"
    same "... what is recorded" "$expected" "$(recorded)"
}
# The same for ktrace run, which loads an auditor too, and says so if there is nothing.
like_alone_when_run() {
    local name=$1 expected=$2; shift 2
    rm -rf "$T/t"
    same "$name, ktrace run" "$(KTRACE_DISABLE=1 run_with "" "$@")" \
        "$({ "$B/ktrace" run -o "$T/t" -- timeout 20 "$@" 2>&1; echo "status $?"; } | grep -v '^ktrace: the program made no')"
    same "... what is recorded" "$expected" "$(recorded)"
}
both() { like_alone "$@"; like_alone_when_run "$@"; }

same "our look-up of symbols finds what dlsym() does" checked \
    "$("$A/lookup" libc.so.6 libm.so.6 "$shim" "$A/libsysv.so" "$A/libfake3.so" "$A/libversions.so")"
both "a constructor that waits for a thread's first call" "(4, ['libfake1.so'])" "$A/reload" "$A/module_join.so"
both "a program bound when it starts" "(3, ['libfake1.so'])" "$A/life_now" calls3
both "a module bound when it is opened" "(2, ['libfake2.so'])" "$A/ways" local "$A/module_now.so"
both "two libraries in local scopes" "(4, ['libfake1.so', 'libfake2.so'])" "$A/ways" local "$A/module_one.so" local "$A/module_two.so"
both "a library opened globally goes before one that is local" "(4, ['libfake1.so', 'libfake2.so'])" \
    "$A/ways" local "$A/module_one.so" global "$A/libfake2.so" local "$A/module_any.so"
both "a module made global later" "(8, ['libfake1.so', 'libfake2.so'])" \
    "$A/ways" local "$A/module_one.so" local "$A/module_two.so" noload "$A/module_two.so" local "$A/module_any.so"
both "versions of a routine" "(7, ['libversions.so'])" "$A/ways" local "$A/module_old.so" local "$A/module_new.so" version "$A/libversions.so"
both "a library without versions" "(1, ['libfake1.so'])" "$A/ways" version "$A/libfake1.so"
both "handles, of libraries loaded one at the place of another" "(8, ['libfake1.so', 'libfake2.so', 'libfake3.so'])" \
    "$A/ways" handle "$A/libfake1.so" handle "$A/libfake2.so" handle "$A/libfake1.so" handle "$A/libfake3.so"
both "a library that looks up what it passes calls on to, as MKL does" "(2, ['libmkl_pass.so'])" "$A/ways" handle "$A/libmkl_pass.so"
both "three libraries, by linking, in a local scope and by handle" "(5, ['libfake1.so', 'libfake3.so'])" \
    "$A/ways_linked" linked - local "$A/module_two.so" handle "$A/libfake3.so"
both "a module that jumps to a routine which its caller does not know" "(1, ['libfake2.so'])" \
    "$A/ways" local "$A/libfake1.so" jump "$A/module_two.so"
like_alone_when_run "... and other modules know another" "(3, ['libfake1.so', 'libfake2.so'])" \
    "$A/ways" local "$A/module_one.so" jump "$A/module_two.so"
like_alone "RTLD_DEEPBIND: unseen if only preloaded" nothing "$A/ways" deep "$A/module_two.so"
like_alone_when_run "RTLD_DEEPBIND" "(2, ['libfake2.so'])" "$A/ways" deep "$A/module_two.so"
like_alone_when_run "RTLD_DEEPBIND beside the program's library" "(3, ['libfake1.so', 'libfake3.so'])" "$A/ways_linked" linked - deep "$A/module_three.so"
python_program="
import ctypes
x = (ctypes.c_double * 1)(1); n = ctypes.byref(ctypes.c_int(1))
for name in ('libfake1.so', 'libfake2.so'):
    dot = ctypes.CDLL('$A/' + name).ddot_
    dot.restype = ctypes.c_double
    print(dot(n, x, n, x, n))"
both "ctypes" "(2, ['libfake1.so', 'libfake2.so'])" "$PYTHON" -c "$python_program"

crowd="1500 $A/module_one.so $A/module_two.so $A/module_three.so $A/libfake1.so $A/libfake2.so $A/libfake3.so"
rm -rf "$T/t"
same "threads that load and unload libraries all the time" "$(printf '%s\n' "0 wrong" 1 1 2 2 3 3 "status 0")" \
    "$({ "$B/ktrace" run -o "$T/t" -- timeout 60 "$A/crowd" $crowd 2>&1; echo "status $?"; } | sort)"
same "... what is recorded" 45006 "$(info t 'd["calls"] + sum(l["calls"] for l in d["lost"])')"

forking_program="
import ctypes, os, threading
def dot(name):
    function = ctypes.CDLL('$A/' + name).module_dot
    function.restype = ctypes.c_double
    return function()
done = threading.Event()
threading.Thread(target=done.wait).start()
print(dot('module_one.so'), flush=True)
if os.fork() == 0:
    print(dot('module_two.so'), dot('module_three.so'), flush=True)
    os._exit(0)
os.wait()
done.set()"
both "modules that a child of a process with threads opens" "(3, ['libfake1.so', 'libfake2.so', 'libfake3.so'])" "$PYTHON" -c "$forking_program"

crowded_program="
import ctypes, shutil, sys
for i in range(2100):
    shutil.copy('$A/libbare.so', '$T/many/%d.so' % i)
    ctypes.CDLL('$T/many/%d.so' % i)
dot = ctypes.CDLL('$A/module_one.so').module_dot
dot.restype = ctypes.c_double
print(dot())"
mkdir -p "$T/many"; rm -rf "$T/t"
same "more objects than are told apart" "1.0" "$(KTRACE_QUIET=0 traced t "$PYTHON" -c "$crowded_program" 2>"$T/err")"
has "... their calls are counted as lost" '^ktrace: 1 call was not recorded' "$(<"$T/err")"; rm -r "$T/many"

lookup_program="
import ctypes, shutil
names = 'cblas_ddot cblas_dscal cdotu_ ddot_ dormqr_ dpotrf_ idamax_ sdot_ zdotu_'.split()
for i in range(920):
    shutil.copy('$A/libfake1.so', '$T/many/%d.so' % i)
    library = ctypes.CDLL('$T/many/%d.so' % i)
    for name in names:
        getattr(library, name)
library.ddot_.restype = ctypes.c_double
x = (ctypes.c_double * 1)(1); n = ctypes.byref(ctypes.c_int(1))
print(library.ddot_(n, x, n, x, n))"
mkdir -p "$T/many"
same "more functions looked up than there are stubs" "1.0" "$(KTRACE_QUIET=0 traced t "$PYTHON" -c "$lookup_program" 2>"$T/err")"
same "... which is said once" 1 "$(grep -c 'too many functions were looked up' "$T/err")"; rm -r "$T/many"

absent="default dgemmt_ next dgemmt_ program dgemmt_"
both "a routine that no library has is not found" nothing "$A/ways" default ddot_ $absent default puts
both "... one that the program is linked with is" nothing "$A/ways_linked" default ddot_ next ddot_ program ddot_ $absent
both "... or that was opened globally" nothing "$A/ways" global "$A/libfake2.so" default ddot_ next ddot_ program ddot_ $absent

both "a routine of the program's own" "(1, ['libfake1.so'])" "$A/own" "$A/module_one.so"
both "... that the program's libraries call, too" nothing "$A/own_exported" "$A/module_one.so"
both "a library whose names have no underscore" "(1, ['libshort.so'])" "$A/short"
both "other functions that have short names of routines" "(1, ['libfake1.so'])" "$A/bare"
both "error handlers of the program" "(2, ['libfake1.so'])" "$A/errors"
both "a program linked with the shim, before its library" "(3, ['libfake1.so'])" "$A/linked_first" calls3
both "... and behind it" "(3, ['libfake1.so'])" "$A/linked_last" calls3
rm -rf "$T/t"; KTRACE_OUT=$T/t "$A/linked_first" calls3 >"$T/out"
same "... without preloading" "done (3, ['libfake1.so'])" "$(<"$T/out") $(recorded)"

tool=$A/libtool.so
behind=$tool like_alone "another tool behind us" "(1, ['libtool.so'])" "$A/ways_linked" linked - default ddot_
before=$tool like_alone "another tool before us" "(1, ['libfake1.so'])" "$A/ways_linked" linked -
behind=$tool like_alone "another tool behind us, a local library" "(2, ['libtool.so'])" "$A/ways" local "$A/module_two.so"
before=$tool like_alone "another tool before us, a local library" nothing "$A/ways" local "$A/module_two.so"

both "a static program" nothing "$A/own_static"
both "a static position-independent program" nothing "$A/own_static_pie"
has "... ktrace run says why there is nothing" 'statically linked' "$(KTRACE_QUIET=0 "$B/ktrace" run -o "$T/none" -- "$A/own_static" 2>&1)"
for hidden in KTRACE_DISABLE=1 'KTRACE_ROUTINES=!ddot' KTRACE_PROGRAMS=none; do
    has "... or which variable hides it: $hidden" "no call was recorded: $hidden is set" \
        "$(env KTRACE_QUIET=0 "$hidden" "$B/ktrace" run -o "$T/none" -- "$A/life" calls3 2>&1)"
done
cp "$A/life" "$T/life"
chmod 755 "$T"
if [ "$(id -u)" = 0 ] && chmod 4755 "$T/life" && setpriv --reuid=65534 --clear-groups test -x "$T/life" -a -r "$A/libfake1.so"; then
    like_alone "a set-uid program" nothing setpriv --reuid=65534 --clear-groups "$T/life" calls3
else
    skip "a set-uid program" "needs root, and libraries that others can read"
fi
took=$("$PYTHON" tests/abi/start_time.py "$PWD/$B/libktrace.so" /bin/true)
if [ "$("$PYTHON" -c "print($took < 2)")" = True ]; then ok "loading takes less than twice what the least program takes alone: $took"; else not_ok "loading takes $took of what the least program takes alone"; fi
exit $((failures != 0))
