# SPDX-License-Identifier: BSD-3-Clause
# check: fast, 7 s
# Jobs of many processes: ranks as launchers announce them, one trace of several, one clock for all, who did how much.
. tests/lib.sh
kt=$PWD/$B/ktrace
program=$PWD/$B/tests/ranks/rank
life=$PWD/$B/tests/abi/life
shim=$PWD/$B/libktrace.so
launchers=$(sed -n 's/^ *X("\([A-Z_0-9]*\)", "\([A-Z_0-9]*\)", "\([A-Z_0-9]*\)").*/\1,\2,\3/p' include/ktrace/launcher.h)
for variable in ${launchers//,/ } $(grep -o 'X("[A-Z_]*")' include/ktrace/launcher.h | tr -d 'X(")'); do unset "$variable"; done
# rank NAME RANK CALLS [VARIABLE=VALUE...]: a process that a launcher announces as a rank of four of job 77, into $T/NAME
rank() {
    local name=$1 number=$2 count=$3; shift 3
    env OMPI_COMM_WORLD_RANK="$number" OMPI_COMM_WORLD_SIZE=4 PMIX_NAMESPACE=77 KTRACE_QUIET=1 KTRACE_OUT="$T/$name" "$@" \
        LD_PRELOAD="$shim" "$program" "$count" >/dev/null
}
meta() { sed -n "s/^$2\t//p" "$T"/$1/p*/meta; }

# --- the environment ----------------------------------------------------------------------------------------------
for launcher in $launchers; do
    IFS=, read -r number of job <<<"$launcher"
    env KTRACE_QUIET=1 KTRACE_OUT="$T/$number.%r" "$number=3" ${of:+"$of=8"} ${job:+"$job=name"} LD_PRELOAD="$shim" "$life" calls1 >/dev/null
    same "rank, size and job of $number" "3 ${of:+8} ${job:+name}" "$(meta "$number.3" rank) $(meta "$number.3" ranks) $(meta "$number.3" job)"
done
rank first 1 1 SLURM_PROCID=0 SLURM_JOB_ID=5; same "a launcher counts before the batch system it runs under" "1 77" "$(meta first rank) $(meta first job)"
rank batch 1 1 PMIX_NAMESPACE= SLURM_JOB_ID=5; same "... which names the job otherwise" 5 "$(meta batch job)"
for wrong in "" -1 x 1x 99999999999999999999; do
    env KTRACE_QUIET=1 KTRACE_OUT="$T/wrong.%r" OMPI_COMM_WORLD_RANK=$wrong LD_PRELOAD="$shim" "$life" calls1 >/dev/null
    same "OMPI_COMM_WORLD_RANK=$wrong is no rank; %r is 0" "0 " "$(ls -d "$T"/wrong.* | sed 's/.*\.//') $(meta wrong.0 rank)"; rm -r "$T/wrong.0"
done
rank 'job "odd"\name' 0 1 PMIX_NAMESPACE=$'a\tb\nc'; same "a job's name with odd characters" $'a\tb\nc' "$(info 'job "odd"\name' 'd["process_table"][0]["job"]')"
rank threebytes 2 1 OMPI_COMM_WORLD_SIZE=2; same "a size that cannot be is not believed" "" "$(meta threebytes ranks)"
same "%r in ktrace run" "life.r2" "$(cd "$T" && OMPI_COMM_WORLD_RANK=2 KTRACE_OUT=%x.r%r "$kt" run -- "$life" calls1 >/dev/null 2>&1; ls -d life.r*)"

# --- chosen ranks -----------------------------------------------------------------------------------------------------
# chosen RANKS: which of the ranks 0 to 20 leave a trace
chosen() { rm -rf "$T/chosen"; for r in $(seq 0 20); do rank chosen $r 1 KTRACE_RANKS="$1"; done; ls -d "$T"/chosen/p* 2>/dev/null | while read -r p; do sed -n 's/^rank\t//p' "$p/meta"; done | sort -n | xargs; }
same "KTRACE_RANKS: single ones and a range" "0 7 11 12 13" "$(chosen 0,7,11-13)"
same "... one in eight" "0 8 16" "$(chosen 1/8)"
same "... all" 21 "$(chosen '*' | wc -w)"
same "... none that there is" "" "$(chosen 99)"
for wrong in x 1- -1 5-3 1,,2 2/8 1/0 1/8x '1;2' 1,; do
    has "KTRACE_RANKS=$wrong means nothing: that is said" 'KTRACE_RANKS=.*expected ranks such as' "$(OMPI_COMM_WORLD_RANK=3 KTRACE_RANKS=$wrong KTRACE_OUT="$T/wrong" LD_PRELOAD="$shim" "$life" calls1 2>&1 >/dev/null)"
    same "... and all are recorded" 1 "$(ls -d "$T"/wrong/p* | wc -l)"; rm -rf "$T/wrong"
done
same "a process that is no rank is recorded" 1 "$(KTRACE_QUIET=1 KTRACE_RANKS=5 traced norank "$life" calls1 >/dev/null; ls -d "$T"/norank/p* | wc -l)"

# --- a shared file system ---------------------------------------------------------------------------------------------
# What a rank asks of the file system of its trace from its start to its end, beside creating the files of the trace itself.
if command -v strace >/dev/null && strace -o /dev/null true 2>/dev/null; then
    rank storm 0 1
    for mode in full profile; do
        OMPI_COMM_WORLD_RANK=1 OMPI_COMM_WORLD_SIZE=4 KTRACE_QUIET=1 KTRACE_MODE=$mode KTRACE_OUT="$T/storm" strace -f -o "$T/asked" \
            -E LD_PRELOAD="$shim" -e trace=%file,%fstatfs,fallocate,ftruncate,fsync,getdents64 "$program" 1000 >/dev/null
        asked=$(grep -F -e "$T/storm" -e 'fstatfs(' -e 'fallocate(' -e 'ftruncate(' -e 'fsync(' "$T/asked" | grep -vcE 'execve')
        files=$(ls "$T/storm/$(ls -t "$T/storm" | grep ^p | head -n 1)" | wc -l)
        true_that "$mode: a rank asks $asked times, for its $files files and at most ten times more" test "$asked" -le $((files + 10)) -a "$asked" -gt "$files"
    done
else
    skip "what a rank asks of the file system" "strace is not installed, or may not trace"
fi

# --- one trace of several ------------------------------------------------------------------------------------------
mkdir "$T/one"
"$PYTHON" -c 'import os, sys
while os.path.isdir(sys.argv[1]):
    for name in ("p1", "p2", "README"): os.mkdir(sys.argv[1] + "/" + name)
    for name in ("p1", "p2", "README"): os.rmdir(sys.argv[1] + "/" + name)' "$T/one" 2>/dev/null & other=$!
same "ktrace run into a directory that other ranks are adding to" "0" "$(for _ in $(seq 100); do
    OMPI_COMM_WORLD_RANK=1 "$kt" run -o "$T/one" -- true 2>/dev/null || echo refused; done | wc -l)"
rm -rf "$T/one"; kill $other 2>/dev/null; wait $other 2>/dev/null; rm -rf "$T/one"
mkdir "$T/one"; touch "$T/one/p1" "$T/one/README"
"$kt" run -o "$T/one" -- true 2>/dev/null; same "... is refused where this is no rank" 2 $?
touch "$T/one/notes"; OMPI_COMM_WORLD_RANK=1 "$kt" run -o "$T/one" -- true 2>/dev/null; same "... or if there is anything else" 2 $?
mkdir "$T/job"
for r in 0 1 2 3; do rank "job/trace.%r" $r $((1000 * (r + 1))); done
touch "$T/job/notes.txt"; mkdir "$T/job/results"
for r in 0 1 2 3; do rank together $r $((1000 * (r + 1))); done
same "ranks into one directory" "4 4 10000" "$(info together '"%d %d %d" % (d["processes"], d["ranks"], d["calls"])')"
same "a directory of traces is the whole job" "4 4 10000 4" "$(info job '"%d %d %d %d" % (d["processes"], d["ranks"], d["calls"], d["traces"])')"
same "traces on the command line, too" 3000 "$("$kt" info --json "$T/job/trace.0" "$T/job/trace.1/" | query 'd["calls"]')"
for verb in report info check; do true_that "$verb of a job" "$kt" $verb "$T/job"; done
"$kt" dump --json "$T/job" >"$T/dump"; same "dump of a job" 10000 "$(wc -l <"$T/dump")"
same "ranks that are missing" "2 4" "$("$kt" info --json "$T"/job/trace.[01] | query '"%d %d" % (d["ranks"], d["ranks_expected"])')"
has "... are told" '^ranks +2 of 4, job 77; the others made no call' "$("$kt" report --all "$T"/job/trace.[01])"
true_that "merge" "$kt" merge -o "$T/merged" "$T"/job/trace.*
contents() { "$kt" dump --json "$1" | sed 's/"n":[^,]*,//' | LC_ALL=C sort | sha256sum; }
same "... has every call" "$(contents "$T/job")" "$(contents "$T/merged")"
same "... links files" 2 "$(stat -c %h "$T"/merged/p*/meta | sort -u)"
"$kt" merge --copy -o "$T/copied" "$T/job" >/dev/null; same "merge --copy copies them" 1 "$(stat -c %h "$T"/copied/p*/* | sort -u)"
same "... to the byte" "$(cat "$T"/merged/p*/* | sha256sum)" "$(cat "$T"/copied/p*/* | sha256sum)"
mkdir "$T/empty"; same "... says what it did" "4 4 10000 0" "$("$kt" merge --json -o "$T/empty" "$T/job" | query '"%(processes)d %(ranks)d %(calls)d %(files_copied)d" % d')"
"$kt" merge -o "$T/merged" "$T/job" 2>"$T/err"; same "merge into what is not empty is refused" 2 $?
"$kt" merge -o "$T/none" "$T/results.none" 2>"$T/err"; same "merge of nothing" 3 $?
true_that "... leaves nothing" test ! -e "$T/none" -a ! -e "$T/none.part"
"$kt" merge -o "$T/twice" "$T/job" "$T/merged" >/dev/null 2>"$T/err"; same "a process that comes twice is taken once" 10000 "$(info twice 'd["calls"]')"
has "... which is said" 'is the same process as' "$(<"$T/err")"
if mkdir "$T/other" && mount -t tmpfs -o size=16m ktrace-test "$T/other" 2>/dev/null; then
    "$kt" merge -o "$T/other/merged" "$T/job" >/dev/null; same "merge onto another file system" "$(contents "$T/job")" "$(contents "$T/other/merged")"
    umount "$T/other"; mount -t tmpfs -o size=64k ktrace-test "$T/other"
    "$kt" merge -o "$T/other/full" "$T/job" 2>"$T/err"; same "merge onto a full one" 4 $?
    same "... leaves nothing" "" "$(ls "$T/other")"; umount "$T/other"
else
    skip "merge onto another file system" "cannot mount one here"
fi
cp -r "$T/job/trace.1" "$T/killed"; rm "$T"/killed/p*/end; "$kt" merge -o "$T/half/" "$T/job/trace.0" "$T/killed" >/dev/null
same "a killed rank stays one" "incomplete 3000" "$(info half 'd["state"] + " " + str(d["calls"])')"

for i in 1 2 3; do traced three "$life" calls100 >/dev/null; done
has "processes beyond --top are told" '^\.\.\. and 2 more: --by process --top 3' "$("$kt" report --top 1 "$T/three")"

# --- one clock ----------------------------------------------------------------------------------------------------
# elsewhere TRACE BOOT MONOTONIC REALTIME: the trace as if recorded on another machine, whose clocks are ahead (ns)
elsewhere() {
    sed -i "s/^boot_id\t.*/boot_id\t$2/; s/^host\t.*/host\t$2/" "$T"/$1/p*/meta
    for file in "$T"/$1/p*/meta "$T"/$1/p*/end; do
        "$PYTHON" -c 'import re, sys
add = lambda m: "anchor\t%s\t%d\t%d" % (m[1], int(m[2]) + int(sys.argv[2]), int(m[3]) + int(sys.argv[3]))
text = re.sub(r"(?m)^anchor\t(\d+)\t(\d+)\t(\d+)", add, open(sys.argv[1]).read())
open(sys.argv[1], "w").write(text)' "$file" "$3" "$4"
    done
}
# When the processes of a trace began, from its anchors: field 2 CLOCK_MONOTONIC, 3 CLOCK_REALTIME, after the first process
began() { sed -n 's/^anchor\t//p' $(printf "$T/%s " "$@" | sed 's,\([^ ]\) ,\1/p*/meta ,g') | cut -f "$field" | "$PYTHON" -c 'import sys; t=[int(l) for l in sys.stdin]; print(*["%.9f" % ((x - min(t)) * 1e-9) for x in t])'; }
starts() { "$kt" info --json $(printf "$T/%s " "$@") | query '" ".join("%.9f" % p["start"] for p in sorted(d["process_table"], key=lambda p: p["rank"]))'; }
field=2
same "processes of one machine: CLOCK_MONOTONIC" "$(began job/trace.0 job/trace.1)" "$(starts job/trace.0 job/trace.1)"
cp -r "$T/job/trace.1" "$T/reset"; elsewhere reset "$(meta job/trace.0 boot_id)" 0 3600000000000
same "... also when the time of day is set" "$(began job/trace.0 job/trace.1)" "$(starts job/trace.0 reset)"
cp -r "$T/job/trace.1" "$T/far"; elsewhere far elsewhere 7200000000000 250000000
field=3
same "processes of two machines: CLOCK_REALTIME" "$(began job/trace.0 far)" "$(starts job/trace.0 far)"
true_that "... is another order than that of CLOCK_MONOTONIC" test "$(field=2 began job/trace.0 far)" != "$(began job/trace.0 far)"
same "dump: t counts from the first process" True "$("$kt" dump --json "$T/job/trace.0" "$T/far" | "$PYTHON" -c '
import json, sys
calls = [json.loads(l) for l in sys.stdin]
first = {p: min(c["t"] for c in calls if c["pid"] == p) for p in (calls[0]["pid"], calls[-1]["pid"])}
begin = dict(zip(first, map(float, sys.argv[1].split())))
print(all(begin[p] <= t < begin[p] + 0.2 for p, t in first.items()))' "$(began job/trace.0 far)")"
cp -r "$T/job/trace.0" "$T/clash"; elsewhere clash beyond 0 0; "$kt" merge -o "$T/clashed" "$T/job/trace.0" "$T/clash" >/dev/null
same "two hosts with one process id" 2 "$(ls -d "$T"/clashed/p"$(meta job/trace.0 pid)" "$T"/clashed/p"$(meta job/trace.0 pid)".1 | wc -l)"

# --- who did how much ---------------------------------------------------------------------------------------------
same "time of each rank and imbalance are those of the calls" True "$("$kt" report --json "$T/job" | "$PYTHON" -c '
import json, math, sys
d = json.load(sys.stdin)
calls = [json.loads(l) for l in open(sys.argv[1])]
spent = {r["pid"]: math.fsum(c["dt"] for c in calls if c["pid"] == r["pid"] and c["depth"] == 0) for r in d["ranks"]}
close = lambda a, b: math.isclose(a, b, rel_tol=1e-9)
ratio = max(spent.values()) / (math.fsum(spent.values()) / 4)
print([r["rank"] for r in d["ranks"]] == [0, 1, 2, 3] and [r["calls"] for r in d["ranks"]] == [1000, 2000, 3000, 4000]
      and all(close(r["seconds_blas"], spent[r["pid"]]) and r["host"] for r in d["ranks"]) and close(d["imbalance"], ratio)
      and [b["routine"] for b in d["imbalance_routines"]] == ["ddot"] and close(d["imbalance_routines"][0]["imbalance"], ratio))' "$T/dump")"
same "no ranks: no imbalance" "0 [] None" "$(traced plain "$life" calls5 >/dev/null 2>&1; "$kt" report --json "$T/plain" | query 'str(len(d["ranks"])) + " " + str(d["imbalance_routines"]) + " " + str(d["imbalance"])')"
for r in $(seq 0 39); do rank many $r $((100 + r)) OMPI_COMM_WORLD_SIZE=40; done
sed -i "s/^host\t.*/host\tnode-with-a-very-long-name-0123456789.cluster.example.org/" "$T"/many/p*/meta
"$kt" report --all "$T/many" >"$T/out"; same "report of 40 ranks fits 80 columns" 0 "$(grep -cE '.{81}' "$T/out")"
same "... shows 16 of them" "16 of 40 ranks" "$(grep -oE '16 of 40 ranks' "$T/out")"
same "... those with most and least time" True "$("$kt" report --json "$T/many" | query '(lambda o: (o[:8] + o[-8:]) == ['"$(awk '/^Ranks/ { on = 1 } /16 of 40/ { on = 0 } on && $1 ~ /^[0-9]+$/ { printf "%s,", $1 }' "$T/out")"'])([r["rank"] for r in sorted(d["ranks"], key=lambda r: (-r["seconds_blas"], r["rank"]))])')"
"$kt" report --by rank --top 40 "$T/many" >"$T/out"; same "... all on request" 40 "$(awk '/^Ranks/ { on = 1 } /^Imbalance/ { on = 0 } on && $1 ~ /^[0-9]+$/' "$T/out" | wc -l)"
"$kt" info "$T/many" >"$T/out"; same "info of 40 ranks fits 80 columns" 0 "$(tail -n +4 "$T/out" | sed -n '/^Processes/,$p' | grep -cE '.{81}')"
has "... counts the others" '24 more' "$(<"$T/out")"
rank two 0 5; rank two 1 5; rank two 0 5 PMIX_NAMESPACE=78; same "ranks of two jobs" "3 2" "$("$kt" report --json "$T/two" | query 'str(len(d["ranks"])) + " " + str(len(set(r["job"] for r in d["ranks"])))')"
has "... are told apart" '^ranks +3 of 8 in 2 jobs' "$("$kt" report --all "$T/two")"
rank script 0 5; rank script 0 7; same "processes of one rank are one rank" "1 2 12" "$("$kt" report --json "$T/script" | query '"%d %d %d" % (len(d["ranks"]), d["ranks"][0]["processes"], d["ranks"][0]["calls"])')"
for mode in full profile; do
    for r in 0 1 0 1; do rank turns.$mode $r 5 KTRACE_MODE=$mode; done
    same "$mode: processes of two ranks in turns: each has its shapes once" "[(0, 2, 1)]" "$("$kt" report --json "$T/turns.$mode" | query '[(g["first_rank"], g["ranks"], g["shapes"]) for g in d["rank_groups"]]')"
done

# --- trees of processes -------------------------------------------------------------------------------------------
printf 'all: a b c\na b c:\n\t@%s calls10 fork calls5\n' "$life" >"$T/makefile"
KTRACE_QUIET=1 traced tree make -s -j2 -f "$T/makefile" >/dev/null 2>&1
same "make -j: every process that made calls, no other" "6 54" "$(info tree '"%d %d" % (d["processes"], d["calls"])')"
same "... children behind their parents" True "$(info tree 'all(c["ppid"] == p["pid"] for p, c in zip(d["process_table"][::2], d["process_table"][1::2]))')"
same "... the parents are children of make, which is not there" 1 "$(info tree 'len({p["ppid"] for p in d["process_table"][::2]})')"
same "... seen in the table" 3 "$("$kt" info "$T/tree" | awk '/^process / { at = index($0, "program") } at && substr($0, at, 6) == "  life"' | wc -l)"

# --- the clock ----------------------------------------------------------------------------------------------------
if [ "$(meta plain clock)" = tsc ] && grep -qE '^flags.* constant_tsc .*nonstop_tsc' /proc/cpuinfo; then
    same "an invariant time stamp counter" 1 "$(meta plain tsc_invariant)"
else
    skip "an invariant time stamp counter" "this processor has none, or the kernel found it unreliable"
fi
sed -e '/^tsc_invariant\t/d' -e '$a tsc_invariant\t0' -i "$T"/reset/p*/meta
"$kt" check "$T/reset" >"$T/out"; same "one that is not is a finding" 1 $?
has "... in words" 'durations are doubtful' "$(<"$T/out")"
has "... that info says, too" '^clock +doubtful' "$("$kt" info "$T/reset")"
has "... and report" '^clock +doubtful' "$("$kt" report --all "$T/reset")"
# As if the process had begun when it rested behind its calls.
anchor=$(cat "$T"/reset/p*/meta "$T"/reset/p*/end | sed -n 's/^anchor\t//p' | "$PYTHON" -c 'import sys
first, last = (list(map(int, line.split())) for line in sys.stdin)
print(*(b - (b - a) // 4 for a, b in zip(first, last)), sep="\t")')
sed "s/^anchor\t.*/anchor\t$anchor/" -i "$T"/reset/p*/meta
same "calls that cannot have been when they were are counted" True "$(info reset '0 < d["clock"]["implausible"] <= 2000')"
has "... and told" 'have impossible durations' "$("$kt" check "$T/reset")"
same "... none in a good trace" 0 "$(info job 'd["clock"]["implausible"]')"
exit $((failures != 0))
