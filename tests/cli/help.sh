# SPDX-License-Identifier: BSD-3-Clause
# The help names what there is: options that the verbs accept, with the values that they accept.
. tests/lib.sh
kt=$B/ktrace
for verb in run report replay compare diff repro info dump check pack export score env "model build" "model show"; do
    for option in $("$kt" help $verb | grep -oE '^ +(-., )?--[a-z]+' | grep -oE -- '--[a-z]+'); do
        "$kt" $verb "$option" >"$T/out" 2>&1 </dev/null
        same "$verb knows $option" "" "$(grep 'unknown option' "$T/out")"
    done
done
contexts=$("$kt" replay --context none x 2>&1 | sed 's/.*there are: \([a-z0-9, ]*\);.*/\1/')
for context in ${contexts//,/ }; do
    has "help replay names the context $context" "$context" "$("$kt" help replay | grep -A 1 -e --context)"
    has "help compare names the context $context" "$context" "$("$kt" help compare | grep -A 1 -e --context)"
done
for table in $("$kt" help report | sed -n 's/.*--by \([a-z|]*\)/\1/p' | tr '|' ' '); do
    has "report knows the table $table" "which trace" "$("$kt" report --by $table 2>&1)"
done
for part in build show predict tune rank calls; do
    has "model $part --help" "usage: ktrace model $part" "$("$kt" model $part --help)"
done
exit $((failures != 0))
