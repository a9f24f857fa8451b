# SPDX-License-Identifier: BSD-3-Clause
# check: slow, 25 s
# Open MPI jobs of four ranks of HPL: one trace per rank, one report of the job, and readable traces of ranks that are
# killed, one after the other.
. tests/lib.sh
kt=$PWD/$B/ktrace
death=$PWD/$B/tests/ranks/libdeath.so
if ! command -v mpirun >/dev/null || ! mpirun --version 2>/dev/null | grep -q 'Open MPI' || ! command -v hpcc >/dev/null; then
    skip "an Open MPI job" "mpirun (openmpi-bin) or hpcc is not installed"
    exit 0
fi
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1 KTRACE_QUIET=1
mpi="mpirun --oversubscribe --mca btl self,vader -n 4"
# job NAME [N BLOCK]: a folder with the input of HPL, on two by two ranks. Another benchmark of hpcc sends messages in proportion
# to N * N, one by one, which takes most of the time: N is small where it does not matter.
job() {
    mkdir -p "$T/$1"
    sed -e "s/^1000  /${2:-60}  /" -e "s/^80  /${3:-8}  /" /usr/share/doc/hpcc/examples/_hpccinf.txt >"$T/$1/hpccinf.txt"
}
# hpcc says each verdict of PTRANS twice, the second time, behind CPU, only if the 1 ms of the clock that it reads went by.
results() { sed -n 's/.*\(HPL_N=\|HPL_nprow=\|HPL_npcol=\|HPL_residual\|Success=\)/\1/p' "$1/hpccoutf.txt" | grep -vE 'residual|time'; grep -v '^CPU' "$1/hpccoutf.txt" | grep -cE 'PASSED|FAILED'; grep -c FAILED "$1/hpccoutf.txt"; }

job plain; (cd "$T/plain" && $mpi hpcc >out 2>err; echo $? >status)
if [ "$(<"$T/plain/status")" != 0 ] || ! grep -q PASSED "$T/plain/hpccoutf.txt"; then
    skip "an Open MPI job" "mpirun cannot run one here: $(tail -n 1 "$T/plain/err")"
    exit 0
fi
job traced
(cd "$T/traced" && "$kt" run -o "$T/together" -- $mpi hpcc >out 2>err; echo $? >status)
same "the job: status and output" "0 $(<"$T/plain/out") $(<"$T/plain/err")" "$(<"$T/traced/status") $(<"$T/traced/out") $(<"$T/traced/err")"
same "... and results" "$(results "$T/plain")" "$(results "$T/traced")"
same "a trace per rank, none of mpirun" "4 4 4 complete" "$(info together '"%d %d %d %s" % (d["processes"], d["ranks"], d["ranks_expected"], d["state"])')"
same "... by rank" "[0, 1, 2, 3]" "$(info together '[p["rank"] for p in d["process_table"]]')"
true_that "... nothing wrong with them" "$kt" check "$T/together"

job inside 300 80 # times of ranks are compared: not of a few microseconds
(cd "$T/inside" && KTRACE_OUT=$T/separate/%x.%r && export KTRACE_OUT && mkdir "$T/separate" && $mpi "$kt" run -- hpcc >out 2>err)
same "ktrace run inside mpirun, one directory each" "hpcc.0 hpcc.1 hpcc.2 hpcc.3" "$(echo $(ls "$T/separate"))"
job shared
(cd "$T/shared" && $mpi "$kt" run -o "$T/one" -- hpcc >out 2>err; echo $? >status)
same "... one directory for all" "0 4" "$(<"$T/shared/status") $(info one 'd["ranks"]')"
"$kt" merge -o "$T/merged" "$T/separate" >/dev/null; same "merged" "4 4" "$(info merged '"%d %d" % (d["processes"], d["ranks"])')"
"$kt" report --all "$T/merged" >"$T/report"
has "report of the job: imbalance" '^imbalance +[1-3]\.[0-9]{2}: ' "$(<"$T/report")"
same "... and its ranks" 4 "$(awk '/^Ranks/ { on = 1 } /^Imbalance/ { on = 0 } on && $1 ~ /^[0-3]$/' "$T/report" | wc -l)"
same "... every rank multiplies matrices" True "$("$kt" report --json "$T/merged" | query 'd["imbalance"] >= 1 and [b for b in d["imbalance_routines"] if b["routine"] == "dgemm"][0]["min"] > 0')"
same "... in 80 columns" 0 "$(grep -v '^trace ' "$T/report" | grep -cE '.{81}')"

# When a rank dies, mpirun ends the others; what they did is there. The one that dies does so in its 20th product. With a larger
# matrix, once, traces are long: HPL makes empty calls while it waits.
for rank in 0 1 2 3; do
    job "killed$rank" $([ $rank = 3 ] && echo 300 80)
    (cd "$T/killed$rank" && LD_PRELOAD=$death DEATH_RANK=$rank "$kt" run -o "$T/dead$rank" -- $mpi hpcc >out 2>err; echo $? >status)
    same "rank $rank killed: status of the job" 137 "$(<"$T/killed$rank/status")"
    # mpirun does not wait for those that it killed.
    for _ in $(seq 1000); do [ "$(info "dead$rank" 'd["state"]')" = running ] || break; sleep 0.1; done
    same "... all traces" "4 incomplete" "$(info "dead$rank" '"%d %s" % (d["ranks"], d["state"])')"
    same "... the call in which it died" "[('dgemm', $rank)]" \
        "$(info "dead$rank" '[(c["routine"], p["rank"]) for c in d["in_flight"] for p in d["process_table"] if p["pid"] == c["pid"] and p["rank"] == '$rank']')"
    same "... the 20 products that it began" 20 "$("$kt" dump "$T/dead$rank/p$(info "dead$rank" "d['process_table'][$rank]['pid']")" | grep -c cblas_dgemm)"
    same "... calls of every rank" True "$(info "dead$rank" 'all(p["calls"] > 0 for p in d["process_table"])')"
    same "... and no damage" 4 "$("$kt" check --json "$T/dead$rank" | query 'len(d["findings"]) if all("without closing" in f for f in d["findings"]) else d["findings"]')"
    true_that "... report" "$kt" report --all "$T/dead$rank"
done
exit $((failures != 0))
