# SPDX-License-Identifier: BSD-3-Clause
# check: fast, 2 s
# The help names what there is: options that the verbs accept, with the values that they accept.
. tests/lib.sh
kt=$B/ktrace
mapfile -t verbs < <("$kt" help | sed -n 's/^  \([a-z][a-z]*\)  .*/\1/p' | grep -vx 'help\|model'; printf 'model %s\n' build show predict tune rank calls)
true_that "there are verbs" test ${#verbs[@]} -gt 20
for verb in "${verbs[@]}"; do
    has "$verb has options" "usage: ktrace $verb" "$("$kt" $verb --help)"
    for option in $("$kt" help $verb | grep -oE '^  (-., )?--[a-z]+' | grep -oE -- '--[a-z]+'); do
        "$kt" $verb "$option" --no-such-option 1 --no-such-option >"$T/out" 2>&1 </dev/null # what is unknown keeps it from starting
        same "$verb knows $option" "" "$(grep -F "unknown option $option;" "$T/out")"
    done
done
contexts=$("$kt" replay --context none x 2>&1 | sed 's/.*there are: \([a-z0-9, ]*\);.*/\1/')
for context in ${contexts//,/ }; do
    has "help replay names the context $context" "$context" "$("$kt" help replay | grep -A 3 -e --context)"
    has "help compare names the context $context" "$context" "$("$kt" help compare | grep -A 3 -e --context)"
done
tables=$("$kt" help report | tr -d '\n' | sed -n 's/.*--by \([a-z| ]*|[a-z]*\) .*/\1/p' | tr -d ' ' | tr '|' ' ')
true_that "there are tables" test "$(wc -w <<<"$tables")" -gt 10
for table in $tables; do
    has "report knows the table $table" "which trace" "$("$kt" report --by $table 2>&1)"
done
for option in --json --json-schema --columns; do
    has "help $option without a verb: what to do" "need a verb, as in 'ktrace help --json-schema report'" "$("$kt" help $option 2>&1)"
    same "... status" 2 "$("$kt" help $option >/dev/null 2>&1; echo $?)"
done
same "no line is longer than 80 columns" "" "$({ "$kt" help; "$kt" env; for verb in "${verbs[@]}" help model; do "$kt" help $verb; done; } | grep -E '.{81}')"
exit $((failures != 0))
