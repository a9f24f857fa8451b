# SPDX-License-Identifier: BSD-3-Clause
# check: slow, 35 s
# ktrace probe where things are missing: one processor, little memory, no huge pages, no permission to pin threads or to
# make code, a system that lies about its caches. It finishes, says what it could not do, and believes its measurements.
# Nothing here depends on how long anything takes.
. tests/lib.sh
export XDG_CACHE_HOME=$T/cache
probe="$B/ktrace probe"
ask() { query "$1" <"$T/probe.json"; }
not_determined() { ask '" / ".join(n["what"]+": "+n["why"] for n in d["not_determined"])'; }

KTRACE_PROBE_PARTS=cores taskset -c 0 $probe --json >"$T/probe.json" 2>"$T/err"
same "on one processor it ends well" 0 $?
same "there is no pair of cores to compare" "[]" "$(ask '[p for s in d["sharing"] for p in s["pairs"]]')"
same "one core is like itself" True "$(ask 'd["cores_alike"]')"
same "nothing is kept of a part" no "$([ -e "$T/cache" ] && echo yes || echo no)"

KTRACE_PROBE_PARTS=caches,bandwidth prlimit --as=$((512 << 20)) $probe --quick --json >"$T/probe.json" 2>"$T/err"
same "with 512 MiB it ends well" 0 $?
same "it has the latency of memory, or says why not" True "$(ask '((d["memory"]["latency_cycles"] or 0) > 0) != any(
    n["what"]=="latency of memory" for n in d["not_determined"])')"
same "it takes no more than it may" True "$(ask 'd["memory"]["span_bytes"] <= 256 << 20')"

# A last cache of 1 TiB: whatever is measured may be in it.
huge=$T/huge/cpu/cpu0/cache/index0
mkdir -p "$huge"
echo Unified >"$huge/type"; echo 1 >"$huge/level"; echo 1024G >"$huge/size"; echo 0 >"$huge/shared_cpu_list"
KTRACE_SYSFS=$T/huge KTRACE_PROBE_PARTS=caches,bandwidth,cores $probe --quick --json >"$T/probe.json" 2>"$T/err"
same "with a cache larger than memory it ends well" 0 $?
same "memory has no latency then" None "$(ask 'd["memory"]["latency_cycles"]')"
same "nor a bandwidth" "[]" "$(ask '[b["name"] for b in d["bandwidth"] if b["level"]=="memory"]')"
for what in "latency of memory" "bandwidth of memory" "bandwidth of all cores"; do
    has "it says why: $what" "$what: it takes" "$(not_determined)"
done
has "caches have theirs" "L1 load" "$(ask '[b["name"] for b in d["bandwidth"]]')"

# Inherited by what is executed.
cat >"$T/no_huge.py" <<'PY'
import ctypes, os, sys
PR_SET_THP_DISABLE = 41
assert ctypes.CDLL(None).prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0) == 0
os.execvp(sys.argv[1], sys.argv[1:])
PY
KTRACE_PROBE_PARTS=caches "$PYTHON" "$T/no_huge.py" $probe --quick --json >"$T/probe.json" 2>"$T/err"
same "with huge pages forbidden it ends well" 0 $?
same "and says that it had none" 0 "$(ask 'd["memory"]["huge_bytes"]')"
same "what has no size has a reason" True \
    "$(ask 'all(c["bytes"] or any(n["what"]=="size of cache level %d" % c["level"] for n in d["not_determined"]) for c in d["caches"])')"

cat >"$T/refuse.c" <<'C'
#define _GNU_SOURCE
#include <errno.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>
int sched_setaffinity(pid_t pid, size_t size, const cpu_set_t *set)
{
    (void)pid, (void)size, (void)set;
    errno = EPERM;
    return -1;
}
void *mmap(void *address, size_t size, int protection, int flags, int file, off_t offset)
{
    if (protection & PROT_EXEC && protection & PROT_WRITE) {
        errno = EACCES;
        return MAP_FAILED;
    }
    return (void *)syscall(SYS_mmap, address, size, protection, flags, file, offset);
}
C
gcc -O1 -fPIC -shared -o "$T/refuse.so" "$T/refuse.c"
cat >"$T/alone.c" <<'C'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
/* Every other thread cannot be made. */
int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*start)(void *), void *argument)
{
    static int calls;
    int (*next)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *) = dlsym(RTLD_NEXT, "pthread_create");
    return calls++ % 2 ? EAGAIN : next(thread, attributes, start, argument);
}
C
gcc -O1 -fPIC -shared -o "$T/alone.so" "$T/alone.c" -ldl
KTRACE_PROBE_PARTS=cores LD_PRELOAD=$T/alone.so timeout 120 $probe --json >"$T/probe.json" 2>"$T/err"
same "where a second thread cannot be made nobody waits for it" 0 $?
KTRACE_PROBE_PARTS=contexts,cores,code LD_PRELOAD=$T/refuse.so $probe --json >"$T/probe.json" 2>"$T/err"
same "without permission to pin or to make code it ends well" 0 $?
has "it says that threads cannot be pinned" "SMT: threads cannot be pinned" "$(not_determined)"
has "so cores are not compared" "asymmetry of cores: threads cannot be pinned" "$(not_determined)"
has "and that code cannot be made" "instruction cache: the system does not let code be made" "$(not_determined)"
same "SMT is not guessed" None "$(ask 'd["smt"]')"

# A system that lies: a cache of 1 TiB, one with 0 ways, a missing level, a line of 3 bytes, text where numbers should be.
cache=$T/sysfs/cpu/cpu0/cache
lie() {
    mkdir -p "$cache/index$1"
    printf '%s\n' "$2" >"$cache/index$1/type"; printf '%s\n' "$3" >"$cache/index$1/level"; printf '%s\n' "$4" >"$cache/index$1/size"
    printf '%s\n' "$5" >"$cache/index$1/ways_of_associativity"; printf '%s\n' "$6" >"$cache/index$1/coherency_line_size"
    echo 0-99999 >"$cache/index$1/shared_cpu_list"
}
lie 0 Data 1 2K 0 3
lie 1 Instruction 1 -5K x y
lie 2 Unified 3 1024G 99 garbage
mkdir -p "$T/cache/ktrace"
if [ "$(nproc)" -gt 1 ]; then
    taskset -c 0 $probe --quick >/dev/null 2>"$T/err"
    has "a probe of some processors is kept for these" "kept in .*, for the processors that may be used here" "$(cat "$T/err")"
    same "... and not for the whole machine" 3 "$($probe --show >/dev/null 2>&1; echo $?)"
    true_that "... where it is found again" taskset -c 0 $probe --show
    rm "$T"/cache/ktrace/machine-*.json
fi
$probe --quick >/dev/null 2>"$T/err"
"$PYTHON" - "$T"/cache/ktrace/machine-*.json <<'END'
# As measured on a quiet machine: what a busy one refuses to tell cannot be compared with what the system says.
import json, sys
machine = json.load(open(sys.argv[1]))
machine["caches"] = [{"level": 1, "bytes": 32768, "ways": 8, "latency_cycles": 4.0, "latency_ns": 1.0,
                      "effective_bytes": 31616, "confidence": 1.0}]
json.dump(machine, open(sys.argv[1], "w"))
END
KTRACE_SYSFS=$T/sysfs $probe --show --json >"$T/probe.json" 2>"$T/err"
same "with a lying system it ends well" 0 $?
same "measurements stay what they are" 32768 "$(ask 'd["caches"][0]["bytes"]')"
has "the lie is told apart" "bytes of cache level 1" "$(ask '[x["what"] for x in d["differences"]]')"
has "in words, too" "! bytes of cache level 1: the system says 2 KiB" "$(KTRACE_SYSFS=$T/sysfs $probe --show)"
KTRACE_SYSFS=$T/nowhere $probe --show --json >"$T/probe.json" 2>"$T/err"
same "with no sysfs at all, too" 0 $?
same "it claims nothing then" "[]" "$(ask 'd["claimed_caches"]')"
exit $((failures != 0))
