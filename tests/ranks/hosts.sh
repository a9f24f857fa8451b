# SPDX-License-Identifier: BSD-3-Clause
# check: fast, 7 s
# Two network and UTS namespaces as two hosts whose times of day are seconds apart. Two processes make calls in turns, so that
# the true order is known. What the tool says of the two clocks is held against what their common kernel knows.
. tests/lib.sh
kt=$PWD/$B/ktrace
turns=$PWD/$B/tests/ranks/turns
clock=$PWD/$B/tests/ranks/libother_clock.so
export KTRACE_QUIET=1
# apart NAME COMMAND...: runs it on a host of that name; where $T/boot.NAME is, its kernel is another one, as far as anybody sees.
apart() {
    unshare --net --uts --mount sh -c 'hostname "$1" || exit 77
        [ ! -e "$2" ] || mount --bind "$2" /proc/sys/kernel/random/boot_id || exit 77
        shift 2; exec "$@"' sh "$1" "$T/boot.$1" "${@:2}"
}
echo 00000000-0000-0000-0000-000000000000 >"$T/boot.try"
if ! apart try true 2>/dev/null; then
    skip "two namespaces as two hosts" "namespaces for networks, host names and mounts are not permitted here"
    exit 0
fi
rm "$T/boot.try"
# job NAME AHEAD_NS [ERROR_US]: a trace of each of the hosts here and there, whose time of day is so far ahead; merged to NAME.
job() {
    local name=$1 ahead=$2 error=$3 first
    mkfifo "$T/$name.here" "$T/$name.there"
    exec 8<>"$T/$name.here" 9<>"$T/$name.there" # nobody's byte is lost when the other process ends
    apart here env OMPI_COMM_WORLD_RANK=0 OMPI_COMM_WORLD_SIZE=2 PMIX_NAMESPACE=77 LD_PRELOAD="$clock" ${error:+OTHER_CLOCK_ERROR_US=$error} \
        "$kt" run -o "$T/$name.0" -- "$turns" "$T/$name.here" "$T/$name.there" 1 200 & first=$!
    apart there env OMPI_COMM_WORLD_RANK=1 OMPI_COMM_WORLD_SIZE=2 PMIX_NAMESPACE=77 LD_PRELOAD="$clock" ${error:+OTHER_CLOCK_ERROR_US=$error} OTHER_CLOCK_NS=$ahead \
        "$kt" run -o "$T/$name.1" -- "$turns" "$T/$name.there" "$T/$name.here" 2 200
    wait $first
    exec 8>&- 9>&-
    "$kt" merge -o "$T/$name" "$T/$name.0" "$T/$name.1" >/dev/null 2>"$T/$name.said"
    same "$name: merged, two hosts" "2 400 here there" "$(info "$name" '"%d %d %s" % (d["hosts"]["hosts"], d["calls"], " ".join(sorted(p["host"] for p in d["process_table"])))')"
}
# In the order of the merged trace's times: how many calls come before one that was made before them.
disordered() { calls "$1" 'sum(a > b for a, b in zip(*(lambda n: (n, n[1:]))([c["args"]["n"] for c in sorted(d, key=lambda c: c["t"])])))'; }
# Seconds by which the trace puts there behind where it was beside here: the kernel's clock, which both share in truth, tells.
wrong_by() {
    local anchors
    anchors=$(for p in "$T"/$1/p*/meta; do sed -n 's/^rank\t//p; s/^anchor\t[0-9]*\t\([0-9]*\).*/\1/p' "$p" | tr '\n' ' '; done)
    info "$1" '(lambda a, s: (s[1] - s[0]) - (a[1] - a[0]) * 1e-9)(dict(zip(*(lambda w: (map(int, w[0::2]), map(int, w[1::2])))("'"$anchors"'".split()))), {p["rank"]: p["start"] for p in d["process_table"]})'
}

# --- one kernel -------------------------------------------------------------------------------------------------------
job containers 3000000000
same "one kernel: its clock counts, though the times of day are 3 s apart" "1 0.0 None" "$(info containers '"%d %s %s" % (d["hosts"]["clocks"], d["hosts"]["within"], d["hosts"]["unknown"])')"
same "... calls are in their true order" 0 "$(disordered containers)"
has "... merge says so" '2 hosts of one kernel: they have one clock' "$(<"$T/containers.said")"
has "... info, too" '^clocks +2 hosts of one kernel' "$("$kt" info "$T/containers")"

# --- two kernels, of which nobody knows how well their clocks are set -------------------------------------------------
echo 11111111-1111-1111-1111-111111111111 >"$T/boot.here"; echo 22222222-2222-2222-2222-222222222222 >"$T/boot.there"
job strangers 3000000000
same "two kernels: there are two clocks, and how far they are apart is not known" "2 None here" "$(info strangers '"%d %s %s" % (d["hosts"]["clocks"], d["hosts"]["within"], d["hosts"]["unknown"])')"
same "... in truth 3 s" True "$("$PYTHON" -c 'import sys; print(abs(float(sys.argv[1]) - 3) < 1e-3 or sys.argv[1])' "$(wrong_by strangers)")"
same "... that they are wrong is seen: ranks of a job missed each other" True "$(info strangers '0.5 < d["hosts"]["apart"] <= 3')"
for said in "$(<"$T/strangers.said")" "$("$kt" info "$T/strangers")" "$("$kt" report "$T/strangers")" "$("$kt" report --all "$T/strangers")"; do
    has "... merge, info, report: how well is not known" '2 hosts, aligned by time of day; how well clocks agree is not known \(here\)' "$(tr -s '\n ' ' ' <<<"$said")"
    has "... and that it is wrong" 'ranks of one job would have missed each other by 2\.[0-9]+ s: clocks are apart' "$(tr -s '\n ' ' ' <<<"$said")"
done
same "... within a host calls are in order all the same" 0 "$(disordered strangers.0)"

# --- two kernels which say how well -----------------------------------------------------------------------------------
job neighbours 3000000 5000
same "kernels that say how wrong they can be: both added" "2 0.01 None" "$(info neighbours '"%d %s %s" % (d["hosts"]["clocks"], d["hosts"]["within"], d["hosts"]["unknown"])')"
same "... which holds" True "$("$PYTHON" -c 'import sys; print(0.002 < abs(float(sys.argv[1])) <= float(sys.argv[2]) or sys.argv[1])' "$(wrong_by neighbours)" "$(info neighbours 'd["hosts"]["within"]')")"
has "... merge says how far" '2 hosts, aligned by time of day, to within 10\.0 ms as their kernels said' "$(<"$T/neighbours.said")"
has "... report, too" '2 hosts, aligned by time of day, to within 10\.0 ms' "$("$kt" report "$T/neighbours")"
same "... report, info and merge print the same JSON" 1 "$({ "$kt" report --json "$T/neighbours" | query 'd["hosts"]'; info neighbours 'd["hosts"]'; "$kt" merge --json -o "$T/again" "$T/neighbours" 2>/dev/null | query 'd["hosts"]'; } | sort -u | wc -l)"
# What another machine said of its clock is not believed of this one.
sed -i 's/^option\tCLOCK_ERROR\t22222222/option\tCLOCK_ERROR\t33333333/' "$T"/neighbours/p*/meta
same "what another machine said of its clock does not count" "None there" "$(info neighbours '"%s %s" % (d["hosts"]["within"], d["hosts"]["unknown"])')"
same "one host: nothing is said" 0 "$("$kt" info "$T/strangers.0" | grep -c '^clocks')"
exit $((failures != 0))
