# SPDX-License-Identifier: BSD-3-Clause
# check: slow, 110 s
# waits
# Jobs under Slurm, which this script configures for the machine that it runs on: HPL of four ranks, a replay in shares of which
# one is killed, and a job that its time limit ends.
. tests/lib.sh
PATH=$PATH:/usr/sbin:/sbin
kt=$PWD/$B/ktrace
export KTRACE_QUIET=1 OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1 OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export OMPI_MCA_btl=self,vader OMPI_MCA_mpi_yield_when_idle=1
all="jobs under Slurm"
for command in slurmctld slurmd munged srun; do
    command -v $command >/dev/null || { skip "$all" "$command is not installed (slurmctld, slurmd, slurm-client, munge)"; exit 0; }
done
[ "$(id -u)" = 0 ] || { skip "$all" "slurmd runs jobs of others: it has to be started by root"; exit 0; }

# --- a cluster of one node ------------------------------------------------------------------------------------------
S=$T/slurm
mkdir -p "$S/state" "$S/spool"; chmod 755 "$T" "$S"
port=$((20000 + $$ % 10000))
export SLURM_CONF=$S/slurm.conf
cat >"$SLURM_CONF" <<CONF
ClusterName=ktrace
SlurmctldHost=$(hostname -s)(127.0.0.1)
SlurmUser=root
SlurmdUser=root
AuthInfo=socket=$S/munge.socket
StateSaveLocation=$S/state
SlurmdSpoolDir=$S/spool
SlurmctldPidFile=$S/slurmctld.pid
SlurmdPidFile=$S/slurmd.pid
SlurmctldPort=$port
SlurmdPort=$((port + 1))
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SwitchType=switch/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
KillWait=2
MpiDefault=none
SlurmdParameters=config_overrides
NodeName=$(hostname -s) NodeAddr=127.0.0.1 CPUs=16 State=UNKNOWN
PartitionName=all Nodes=ALL Default=YES State=UP
CONF
head -c 1024 /dev/urandom >"$S/key"; chmod 400 "$S/key"
munged --foreground --force --key-file="$S/key" --socket="$S/munge.socket" --pid-file="$S/munged.pid" --seed-file="$S/seed" --log-file="$S/munged.log" >"$S/munged.said" 2>&1 &
daemons=$!
slurmctld -D >"$S/slurmctld.log" 2>&1 & daemons+=" $!"
slurmd -D >"$S/slurmd.log" 2>&1 & daemons+=" $!"
# Daemons that still want to tell each other of a job wait for ever.
until_idle() { for _ in $(seq 150); do [ "$(sinfo -h -o %t 2>/dev/null)" = idle ] && break; sleep 0.2; done; }
trap 'until_idle; kill $daemons 2>/dev/null; sleep 2; kill -KILL $daemons 2>/dev/null; wait 2>/dev/null' EXIT
until_idle
if ! timeout 30 srun -n 2 true 2>"$S/srun.said"; then
    skip "$all" "Slurm does not run here: $(tail -q -n 1 "$S/srun.said" "$S/slurmd.log" | xargs)"
    exit 0
fi

# --- a job that ends at its time limit: it runs beside the others ---------------------------------------------------------
# SIGTERM ends rank 1; rank 0 ignores it, so SIGKILL ends it.
srun --time=1 -n 2 "$kt" run -o "$T/limit" -- bash -c '[ "$SLURM_PROCID" = 1 ] || trap "" TERM; exec "$0" "$1.$SLURM_PROCID"' \
    "$PWD/$B/tests/ranks/paced" "$T/made" >"$T/limit.said" 2>&1 &
limited=$!

# --- ranks and HPL -------------------------------------------------------------------------------------------------------
srun -n 4 "$kt" run -o "$T/inside" -- "$PWD/$B/tests/ranks/rank" 3 >/dev/null 2>&1
same "srun ktrace run: a trace of all ranks" "4 4 4 12" "$(info inside '"%d %d %d %d" % (d["processes"], d["ranks"], d["ranks_expected"], d["calls"])')"
"$kt" run -o "$T/around" -- srun -n 4 "$PWD/$B/tests/ranks/rank" 3 >/dev/null 2>&1
same "ktrace run srun: the same" "4 4 4 12" "$(info around '"%d %d %d %d" % (d["processes"], d["ranks"], d["ranks_expected"], d["calls"])')"
same "... their ranks" "[0, 1, 2, 3]" "$(info around 'sorted(p["rank"] for p in d["process_table"])')"
same "... one job" 1 "$(info around 'len({p["job"] for p in d["process_table"]})')"
if ! command -v hpcc >/dev/null || ! timeout 30 srun --mpi=pmix -n 1 true 2>"$T/err"; then
    skip "HPL under srun" "hpcc is not installed, or Slurm does not find PMIx (libpmix-dev): $(tail -n 1 "$T/err")"
else
    # hpl NAME COMMAND...: what HPL found, and the status of the job. (It has a line of processor time only where that is not 0.)
    hpl() {
        local name=$1; shift
        mkdir "$T/$name"; sed -e 's/^1000  /60  /' -e 's/^80  /8  /' /usr/share/doc/hpcc/examples/_hpccinf.txt >"$T/$name/hpccinf.txt"
        (cd "$T/$name" && timeout 300 "$@" srun --mpi=pmix -n 4 hpcc >out 2>err; echo $?; grep -v '^CPU' hpccoutf.txt | grep -c PASSED; sed -n '/HPL_nprow=\|HPL_N=\|Success=/p' hpccoutf.txt)
    }
    same "HPL under srun: status and results" "$(hpl plain env)" "$(hpl hpl "$kt" run -o "$T/hplt" --)"
    same "... a trace of four ranks" "[0, 1, 2, 3] 4 complete" "$(info hplt '"%s %d %s" % (sorted(p["rank"] for p in d["process_table"]), d["ranks_expected"], d["state"])')"
    true_that "... nothing wrong with it" "$kt" check "$T/hplt"
fi

# --- a replay in shares ----------------------------------------------------------------------------------------------
traced job "$PWD/$B/tests/profile/counts" shapes 24 30 >/dev/null
whole=(--store none --context warm,cold --budget 4)
stored() { query "$2" <"$T/$1/replay.json"; }
shapes='sorted(s["symbol"] + str(s["args"]) for s in d["shapes"])'
for n in 1 2 4; do
    cp -r "$T/job" "$T/of$n"
    timeout 120 srun -n $n "$kt" replay "${whole[@]}" "$T/of$n" >/dev/null 2>&1
    same "srun -n $n ktrace replay: status" 0 $?
    same "... all shapes" "24 True" "$(stored of$n '"%d %s" % (len(d["shapes"]), len(set('"$shapes"')) == 24)')"
done
same "... the same in one share and in four" "$(stored of1 "$shapes")" "$(stored of4 "$shapes")"
same "... whose shares are told" 4 "$(stored of4 'len(d["shards"])')"
cp -r "$T/job" "$T/killed"
timeout 120 srun -n 2 bash -c 'if [ "$SLURM_PROCID" = 1 ]; then exec timeout -s KILL 0.5 "$@"; else exec "$@"; fi' share "$kt" replay "${whole[@]}" "$T/killed" >/dev/null 2>&1
same "a share that is killed: no result" no "$([ -e "$T/killed/replay.json" ] && echo yes || echo no)"
"$kt" replay --shard 2/2 "${whole[@]}" "$T/killed" >/dev/null 2>&1
same "... another run completes it" "24 2" "$(stored killed '"%d %d" % (len(d["shapes"]), len(d["shards"]))')"

# --- at the time limit ------------------------------------------------------------------------------------------------
wait $limited; same "at its time limit Slurm ends the job" True "$([ $? != 0 ] && echo True)"
has "... as it says" 'TIME LIMIT' "$(<"$T/limit.said")"
for _ in $(seq 100); do [ "$(info limit 'd["state"]')" = running ] || break; sleep 0.1; done
same "... ranks whose traces have no end" "2 incomplete" "$(info limit '"%d %s" % (d["ranks"], d["state"])')"
for rank in 0 1; do
    made=$(od -An -tu8 "$T/made.$rank" | xargs)
    kept=$(info limit "[p['calls'] for p in d['process_table'] if p['rank'] == $rank][0]")
    same "... every call of rank $rank is there up to the kill" True "$([ "$made" -gt 1000 ] && [ $((kept - made)) -ge 0 ] && [ $((kept - made)) -le 1 ] && echo True || echo "$made made, $kept kept")"
done
exit $((failures != 0))
