# SPDX-License-Identifier: BSD-3-Clause
# check: slow, 30 s
# Where a trace cannot be written, or no longer: the program behaves as without us, and what is lost is counted.
. tests/fault/lib.sh
refusals=$F/refusals
MANY=400000

# disk NAME OPTIONS: a file system of its own at $T/disk
disk() { mkdir -p "$T/disk" && mount -t tmpfs -o "$2" ktrace-test "$T/disk" 2>/dev/null || { skip "$1" "cannot mount a file system here"; false; }; }
if disk "full disk" size=1m; then
    OUT=$T/disk/t behaves "full disk" "$refusals" calls$MANY thread$MANY; loses; accounted $((2 * MANY)) disk/t; sound disk/t
    rm -r "$T/disk/t"
    OUT=$T/disk/t behaves "a disk that is full for a while" "$refusals" calls10 fill:"$T/disk/x" calls$MANY free:"$T/disk/x" calls1100 calls10
    accounted $((MANY + 1120)) disk/t; sound disk/t
    rm -rf "$T/disk"/*
    OUT=$T/disk/t behaves "a disk that was full before" "$refusals" fill:"$T/disk/x" calls3000; loses; accounted 3000
    umount "$T/disk"
fi
if disk "read-only file system" size=1m,ro; then
    OUT=$T/disk/t behaves "read-only file system" "$refusals" calls3000; loses; accounted 3000
    umount "$T/disk"
fi
if disk "no space for names" size=4m,nr_inodes=4; then
    OUT=$T/disk/t behaves "no space for names" "$refusals" calls3000 thread10; loses; accounted 3010
    umount "$T/disk"
fi
behaves "quota" "$refusals" calls10 refuse:space:122 calls$MANY thread10; loses; accounted $((MANY + 20)) t; sound
behaves "quota from the start" "$refusals" refuse:space:122 calls3000; loses; accounted 3000
nobody=(); [ "$(id -u)" != 0 ] || nobody=(setpriv --reuid=65534 --clear-groups)
chmod 777 "$T"
if "${nobody[@]}" test -x "$refusals" -a -r "$shim"; then
    mkdir "$T/closed"
    OUT=$T/closed/t behaves "a folder that others own" "${nobody[@]}" "$refusals" calls3000; loses; accounted 3000
    mkdir -m 777 "$T/place"
    OUT=$T/place/t behaves "a trace that is locked" "${nobody[@]}" "$refusals" calls10 lock:"$T/place/t" thread10 calls$MANY
    loses; accounted $((MANY + 20))
else
    skip "folders without permission" "others cannot read the programs"
fi
behaves "a trace deleted meanwhile" "$refusals" calls10 lose:"$T/t" calls$MANY thread10; true_that "... says so" grep -q 'not recorded' "$T/said"
accounted $((MANY + 20))

behaves "RLIMIT_FSIZE" "$refusals" calls10 limit:FSIZE:70000 calls$MANY thread10; accounted $((MANY + 20)) t; sound
behaves "RLIMIT_FSIZE of 0" "$refusals" limit:FSIZE:0 calls3000; loses; accounted 3000
for mode in "" KTRACE_MODE=profile KTRACE_MAX_BYTES=100k:last; do
    for bytes in 0 1000; do
        behaves "RLIMIT_FSIZE of $bytes later ${mode:+, $mode}" env $mode "$refusals" calls100000 limit:FSIZE:$bytes calls100000 thread10
        [ -n "$mode" ] || { accounted 200010 t; sound; }
    done
done
behaves "RLIMIT_NOFILE of 3" "$refusals" limit:NOFILE:3 calls3000 next; loses; accounted 3000
behaves "... and later more" "$refusals" calls10 limit:NOFILE:3 calls$MANY thread100 limit:NOFILE:99 calls$MANY next
accounted $((2 * MANY + 110)) t; sound
behaves "file descriptors are the program's" "$refusals" next calls10 next calls$MANY next; loses_none; accounted $((MANY + 10))
behaves "RLIMIT_AS" "$refusals" limit:AS:20000 calls$MANY; loses; accounted $MANY
behaves "RLIMIT_AS, later" "$refusals" calls10 limit:AS:20000 calls$MANY; accounted $((MANY + 10)) t; sound
for mode in "" KTRACE_MODE=profile; do
    for kind in AS DATA; do
        for bytes in 0 200000 4000000; do
            behaves "RLIMIT_$kind: $bytes more, then more calls ${mode:+, $mode}" env $mode "$refusals" calls10 limit:$kind:$bytes calls$MANY
            [ -n "$mode" ] || accounted $((MANY + 10))
        done
    done
done
behaves "RLIMIT_DATA: memory for the program" "$refusals" limit:DATA:16777216 calls$MANY need:8388608; accounted $MANY
behaves "RLIMIT_AS: memory for the program" "$refusals" limit:AS:16777216 calls$MANY need:8388608; accounted $MANY
# What loading needs, with us: below that the dynamic linker itself fails.
least=$(for ((k = 2000; k < 200000; k += 250)); do
    [ "$(ulimit -v $k; KTRACE_DISABLE=1 LD_PRELOAD=$shim "$refusals" calls10 2>&1)" = "done" ] && break; done 2>/dev/null; echo $k)
for more in 250 1000 4000 8000 16000 32000; do
    behaves "address space of $more KiB more than loading needs" bash -c "ulimit -v $((least + more)); exec '$refusals' calls$MANY"
    accounted $MANY
done
behaves "out of memory" "$refusals" refuse:map:12 calls3000; loses; accounted 3000
behaves "... later" "$refusals" calls10 refuse:map:12 calls$MANY; accounted $((MANY + 10)) t; sound

behaves "no shared mappings" "$refusals" refuse:shared:19 calls$MANY thread10; accounted $((MANY + 10)) "$([ -d "$T/t" ] && echo t)"
true_that "... says so once, if anything is lost" test "$(grep -cE 'w(as|ere) not recorded' "$T/said")" -le 1
behaves "... later" "$refusals" calls10 refuse:shared:19 calls$MANY; accounted $((MANY + 10))
${CC:-gcc} -shared -fPIC -o "$T/btrfs.so" -xc - <<'END'
#include <linux/magic.h>
#include <string.h>
#include <sys/vfs.h>
int fstatfs(int file, struct statfs *out)
{
    (void)file;
    memset(out, 0, sizeof *out);
    out->f_type = BTRFS_SUPER_MAGIC;
    return 0;
}
END
for mode in "" KTRACE_MODE=profile KTRACE_MAX_BYTES=100k:last; do
    shim=$T/btrfs.so:$shim behaves "a file system that does not write in place ${mode:+, $mode}" env $mode "$refusals" calls$MANY thread10; sound
    same "... shares no memory" "" "$(find "$T/t" -name control)"
    if [ "${mode#*BYTES}" != "$mode" ]; then accounted $((MANY + 10)) t
    else holds "calls" "($((MANY + 10)), 'complete')" 'd["calls"], d["state"]'; fi
done
# Threads that are still there when the program ends.
cat >"$T/alive.c" <<'END'
#include <pthread.h>
#include <unistd.h>
double ddot_(const int *n, const double *x, const int *i, const double *y, const int *j);
static _Atomic int done;
static void *work(void *unused)
{
    const int one = 1;
    const double x = 1;
    for (int i = 0; i < 50; i++)
        ddot_(&one, &x, &one, &x, &one);
    done++;
    pause();
    return unused;
}
int main(void)
{
    pthread_t thread;
    for (int i = 0; i < 3; i++)
        pthread_create(&thread, NULL, work, NULL);
    while (done < 3)
        usleep(1000);
    return 0;
}
END
${CC:-gcc} -o "$T/alive" "$T/alive.c" -pthread -L"$PWD/$B/tests/abi" -lfake1 -Wl,-rpath,"$PWD/$B/tests/abi"
rm -rf "$T/t"; LD_PRELOAD=$T/btrfs.so:$shim KTRACE_OUT=$T/t KTRACE_QUIET=1 "$T/alive"
holds "calls of threads that did not end" "(150, 'complete')" 'd["calls"], d["state"]'; sound
${CC:-gcc} -shared -fPIC -o "$T/late.so" -xc - <<'END'
#include <errno.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>
/* Of what is longer than a chunk: every third, which is tried again, and all from the tenth on. */
int close(int file)
{
    static int count;
    struct stat about;
    int is_long = fstat(file, &about) == 0 && S_ISREG(about.st_mode) && about.st_size > 40000;
    long result = syscall(SYS_close, file);
    if (result != 0 || !is_long || (++count % 3 && count < 10))
        return (int)result;
    errno = ENOSPC;
    return -1;
}
END
for limit in "" KTRACE_MAX_BYTES=1M:last; do
    shim=$T/late.so:$shim behaves "a file system that tells late that it is full ${limit:+, $limit}" env $limit "$refusals" calls$MANY thread3000
    [ -n "$limit" ] || loses
    accounted $((MANY + 3000)) t; sound
done
for error in 95 38; do
    behaves "no reservations, error $error" "$refusals" refuse:fallocate:$error calls$MANY thread10; loses_none; accounted $((MANY + 10)) t; sound
done
for what in madvise:22 madvise:38 membarrier:38; do
    behaves "refused: $what" "$refusals" refuse:$what calls$MANY thread10; loses_none; accounted $((MANY + 10)) t; sound
done
behaves "no threads for anybody" "$refusals" refuse:thread:11 calls$MANY thread10; loses_none; accounted $MANY t; sound

rm -rf "$T/t"
for i in 1 2 3; do LD_PRELOAD=$shim KTRACE_OUT=$T/t KTRACE_QUIET=1 "$refusals" calls1000 >"$T/out$i" & done; wait
same "three processes with one place: output" "done done done" "$(cat "$T"/out? | paste -sd' ')"; sound
holds "processes and calls" "(3, 3000, 'complete')" 'd["processes"], d["calls"], d["state"]'
if unshare --pid --fork --mount-proc true 2>/dev/null; then
    rm -rf "$T/t"
    for i in 1 2 3; do LD_PRELOAD=$shim KTRACE_OUT=$T/t KTRACE_QUIET=1 unshare --pid --fork "$refusals" calls1000 >/dev/null & done; wait
    sound; holds "... and one process id" "(3, 3000, 'complete')" 'd["processes"], d["calls"], d["state"]'
else
    skip "processes of one id" "cannot make a process namespace here"
fi
exit $((failures != 0))
