# SPDX-License-Identifier: BSD-3-Clause
# check: fast, 35 s
# ktrace pack: a packed trace is the trace for every verb; tar takes it apart; nothing is lost, left behind or replaced.
. tests/lib.sh
kt=$PWD/$B/ktrace
life=$PWD/$B/tests/abi/life
export KTRACE_QUIET=1
traced good "$life" threads2 calls60000 >/dev/null # long enough for its clock to be known from its anchors
traced good "$life" calls60000 >/dev/null
traced second "$life" calls100 >/dev/null
cd "$T" || exit 1
pack_info() { query "$1" <pack.json; }

"$kt" pack --json good >pack.json 2>err; same "pack" 0 $?
same "... says nothing else" "" "$(<err)"
same "... makes one file" "good good.tar.zst" "$(echo good*)"
same "... of the size it says" "$(stat -c %s good.tar.zst)" "$(pack_info 'd["packed_bytes"]')"
same "... of all calls" "$("$kt" info --json good | query 'd["calls"]')" "$(pack_info 'd["calls"]')"
before=$(find good -type f -printf '%s\n' | awk '{ sum += $1 } END { print sum - size }' size="$(stat -c %s good/README)")
same "... and tells the size before" "$before" "$(pack_info 'd["bytes"]')"
text=$("$kt" pack good -o text.tar.zst)
has "text for people" "verified; the directory is kept" "$text"
same "... of 80 columns" "" "$(grep -E '.{81}' <<<"$text")"
mkdir out; tar -C out --zstd -xf good.tar.zst
same "tar takes it apart" "" "$(diff -r good out/good 2>&1)"
true_that "zstd finds a checksum" sh -c 'zstd -lv good.tar.zst | grep -q XXH64'

same_for_both() { # NAME VERB...: prints the same for the directory and the packed file, but for the path
    local name=$1; shift
    same "$name" "$("$kt" "$@" good 2>&1)" "$("$kt" "$@" good.tar.zst 2>&1 | sed 's/good\.tar\.zst/good/g')"
}
for verb in info "info --json" check "check --json" report "report --json" "score --json" "repro --call 5"; do same_for_both "$verb" $verb; done
same "dump" "$("$kt" dump --json good | sha256sum)" "$("$kt" dump --json good.tar.zst | sha256sum)"
same "report of a packed and another trace" "$("$kt" report --json good second | query 'd["calls"]')" \
    "$("$kt" report --json good.tar.zst second | query 'd["calls"]')"
"$kt" replay --budget 1 good.tar.zst >/dev/null 2>err; same "replay" 0 $?
same "... keeps its results beside the file" good.tar.zst.replay.json "$(ls -d *.replay.json)"
has "... where report finds them" "warm" "$("$kt" report --json good.tar.zst | query '[s.get("contexts", {}) for s in d["shapes"]][:3]')"
rm good.tar.zst.replay.json
cp -r good replayed; "$kt" replay --budget 1 replayed >/dev/null 2>&1; "$kt" pack replayed >/dev/null
has "results from before are packed with the trace" "warm" "$("$kt" report --json replayed.tar.zst | query '[s.get("contexts", {}) for s in d["shapes"]][:3]')"

mkdir job; "$kt" pack good -o job/a.tar.zst >/dev/null; cp -r second job/b
same "a job of packed and other traces" "$("$kt" report --json good second | query 'd["calls"]')" "$("$kt" report --json job | query 'd["calls"]')"
"$kt" merge -o merged good.tar.zst second >/dev/null; same "merge" 0 $?
same "... has all of both" "$("$kt" report --json good second | query 'd["calls"]')" "$("$kt" info --json merged | query 'd["calls"]')"

for how in "--zstd -cf" "-czf" "-cJf" "--zstd -S --format=gnu -cf" "--format=posix -cf" "--format=v7 -cf"; do
    rm -f own.tar; tar $how own.tar good
    same "packed with tar $how" "$("$kt" info --json good | query 'd["calls"]')" "$("$kt" info --json own.tar | query 'd["calls"]')"
done
(cd good && tar --zstd -cf ../own.tar .); true_that "packed with tar in the directory" "$kt" check own.tar
tar --zstd -cf own.tar -C good "$(ls good | grep '^p' | head -n 1)"; true_that "a process alone" "$kt" check own.tar
"$kt" pack "good/$(ls good | grep '^p' | head -n 1)" -o process.tar.zst >/dev/null
true_that "a process alone, packed by us" "$kt" check process.tar.zst

refuses() { # NAME STATUS PATTERN ARGS...: one line that matches, the status, and no new file
    local name=$1 status=$2 pattern=$3 code before; shift 3; before=$(ls -A)
    "$kt" "$@" >out.text 2>err; code=$?
    same "$name: status" "$status" "$code"
    has "$name: one line" "$pattern" "$(<err)"; same "$name: not more" "1 0" "$(wc -l <err) $(wc -c <out.text)"
    same "$name: leaves nothing behind" "$before" "$(ls -A)"
}
: >err; : >out.text
sum=$(sha256sum <good.tar.zst)
refuses "a file that is there" 2 "good.tar.zst: exists already" pack good
same "... which stays as it is" "$sum" "$(sha256sum <good.tar.zst)"
refuses "a packed trace" 2 "is packed already" pack good.tar.zst
refuses "two traces" 2 "one trace" pack good second
refuses "packed traces in a directory" 2 "a.tar.zst: is packed already" pack job -o j.tar.zst
refuses "no place for the file" 4 "nowhere/x: cannot be written" pack good -o nowhere/x
refuses "no such trace" 3 "nowhere" pack nowhere
refuses "no name to call the file by" 2 "choose one with -o" pack good/..
# The program makes calls and sleeps; what it has recorded may still grow.
cat >sleeps.py <<'END'
import ctypes, sys, time
blas = ctypes.CDLL("libblas.so.3")
one, x = ctypes.c_int(1), (ctypes.c_double * 1)(1.0)
blas.dscal_(ctypes.byref(one), ctypes.byref(ctypes.c_double(2.0)), x, ctypes.byref(one))
print("ready", flush=True); time.sleep(60)
END
coproc running { exec env KTRACE_OUT="$T/running" LD_PRELOAD="${kt%/ktrace}/libktrace.so" "$PYTHON" sleeps.py; }
read -r -t 20 -u "${running[0]}" ready; same "a program that runs" ready "$ready"
refuses "... is not packed" 3 "still being recorded" pack running
kill "$running_PID"; wait "$running_PID" 2>/dev/null
true_that "... until it has ended" "$kt" pack running

# A compressor that errs: the file is not kept, nor is the trace removed.
${CC:-gcc} -shared -fPIC -O1 -o errs.so -x c - -ldl <<'END'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stddef.h>
struct in { const void *bytes; size_t size, at; };
size_t ZSTD_compressStream2(void *zstd, void *out, struct in *in, int how)
{
    static int calls;
    size_t (*real)(void *, void *, struct in *, int) = (size_t (*)(void *, void *, struct in *, int))dlsym(RTLD_NEXT, "ZSTD_compressStream2");
    if (++calls == 5)
        ((char *)in->bytes)[in->size - 1] ^= 4;
    return real(zstd, out, in, how);
}
END
LD_PRELOAD=$T/errs.so refuses "what does not compare equal" 4 "could not be read back|damaged" pack --remove good -o wrong.tar.zst
true_that "... the trace is still there" "$kt" check good
if [ "$(id -u)" = 0 ] && mkdir small && mount -t tmpfs -o size=64k none small 2>/dev/null; then
    head -c 60K /dev/zero >small/full
    "$kt" pack good -o small/x >out.text 2>err; same "full disk" 4 $?
    has "... says so" "No space left" "$(<err)"; same "... leaves nothing" "full" "$(ls -A small)"
    umount small
else
    skip "full disk" "cannot mount a tmpfs"
fi

half() { head -c $(($(stat -c %s good.tar.zst) / 2)) good.tar.zst >cut.tar.zst; }
half; "$kt" check cut.tar.zst >out.text 2>&1; same "cut off: a finding" 1 $?
has "... says so" "cut.tar.zst: the packed file is damaged or cut off" "$(<out.text)"
has "... and what is left" "in spite of that: [1-9][0-9,]* calls" "$(<out.text)"
head -c 50 good.tar.zst >cut.tar.zst; refuses "nothing left of it" 3 "damaged or cut off" check cut.tar.zst
cp good.tar.zst flip.tar.zst # in the last of its blocks, as nothing is left if the first is damaged
printf '\377\377' | dd of=flip.tar.zst bs=1 seek=$(($(stat -c %s good.tar.zst) * 7 / 8)) conv=notrunc status=none
"$kt" check flip.tar.zst >out.text 2>&1; same "flipped bits: a finding" 1 $?
echo text >text; refuses "no trace at all" 3 "text: not a trace" info text

cp -r good extra; ln -s /etc/passwd extra/link
"$kt" pack extra >out.text 2>err; has "links are not packed" "1 links or special files" "$(<err)"
rm extra.tar.zst; "$kt" pack --remove extra >/dev/null 2>err
same "--remove leaves what was not packed" "extra/link" "$(find extra -type l)"; has "... and says so" "not all of it could be removed" "$(<err)"
rm -rf extra extra.tar.zst; cp -r good extra; ln -s /etc/passwd extra/link
"$kt" pack --remove --json extra >pack.json 2>err; same "... with a status" 4 $?
same "... and in JSON" False "$(pack_info 'd["removed"]')"
cp -r good elsewhere; rm elsewhere/p*/end; sed -i 's/^host\t.*/host\tanother/' elsewhere/p*/meta
refuses "--remove of what may still be recorded on another machine" 3 "may still be recorded" pack --remove elsewhere
true_that "... without it, it is packed" "$kt" pack elsewhere
has "... which report says, too" "killed, crashed or still running on another" "$("$kt" report --all elsewhere | tr -s ' \n' ' ')"
has "... and check" "or still runs on another machine" "$("$kt" check elsewhere)"
mkdir job; cp -r second job; seq 300 | (cd job && mkdir other && cd other && xargs touch); tar -C job --zstd -cf job/a.tar.zst other; rm -r job/other
"$kt" info --json job >job.json; same "an archive of other files among the traces of a job" "1 100" "$(query 'str(d["processes"]) + " " + str(d["calls"])' <job.json)"
has "... is told" "a.tar.zst: not a trace: .*ignored" "$(query 'd["damage"]' <job.json)"
# An archive that would fill a disk: zeros, which pack to a ten-thousandth.
mkdir bomb; cp -r good/p* bomb; truncate -s 1200M bomb/p*/t*; tar -cf - bomb | zstd -q -o bomb.tar.zst; rm -r bomb
"$kt" check bomb.tar.zst >out.text 2>err
has "an archive that unpacks to more than 200 times its size is cut off" "unpacks to more than 200 times its size" "$(cat out.text err)"
rm bomb.tar.zst
"$kt" pack --remove --json second >pack.json; same "--remove" "second.tar.zst" "$(echo second*)"
same "... says so" True "$(pack_info 'd["removed"]')"
true_that "... all calls are in the file" test "$("$kt" info --json second.tar.zst | query 'd["calls"]')" = 100
exit $((failures != 0))
