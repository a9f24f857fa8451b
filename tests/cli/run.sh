# SPDX-License-Identifier: BSD-3-Clause
# check: fast, 3 s
# ktrace run: status, signals, output and standard input of the program pass through.
. tests/lib.sh
kt=$PWD/$B/ktrace
life=$PWD/$B/tests/abi/life
cd "$T" || exit 1
same "output and status" $'done\n0' "$("$kt" run -o one -- "$life" calls3 2>/dev/null; echo $?)"
same "... and the trace" 3 "$("$kt" info --json one | query 'd["calls"]')"
"$kt" run -o two -- "$life" exit9 2>/dev/null; same "exit status" 9 $?
"$kt" run -o three -- "$life" calls1 abort 2>/dev/null; same "killed by a signal" 134 $?
"$kt" run -o four -- sh -c 'kill -TERM $$' 2>/dev/null; same "killed by SIGTERM" 143 $?
"$kt" run -o five -- sleep 30 2>/dev/null & sleep 0.5; kill -TERM $!; wait $!; same "SIGTERM is passed on" 143 $?
for name in INT QUIT; do # with interrupts as a terminal would have them
    env --default-signal=INT,QUIT "$kt" run -o "by$name" -- sleep 30 2>/dev/null & sleep 0.5; kill -$name $!; wait $!; status=$?
    same "SIG$name to us alone is passed on" $((128 + $(kill -l $name))) $status
done
same "standard input" "text" "$(echo text | "$kt" run -o six -- cat 2>/dev/null)"
"$kt" run -o seven -- ./missing 2>err; same "command not found" 127 $?
same "... one line" 1 "$(wc -l <err)"; true_that "... nothing left" test ! -e seven
touch plain; "$kt" run -o eight -- ./plain 2>err; same "command not executable" 126 $?
true_that "... nothing left" test ! -e eight
has "a program without calls: says so" "no BLAS or LAPACK call" "$("$kt" run -o nine -- true 2>&1)"
true_that "... nothing left" test ! -e nine
"$kt" run -- "$life" calls2 >/dev/null 2>err; same "default name" 1 "$(ls -d ktrace.life.* 2>/dev/null | wc -l)"
has "the next command is named" "ktrace report ktrace.life" "$(<err)"
same "children are traced into the same trace" "2 5" "$("$kt" run -o ten -- sh -c "$life calls2; $life calls3" >/dev/null 2>&1; "$kt" info --json ten | query 'str(d["processes"]) + " " + str(d["calls"])')"
same "options of the program stay its own" "-o" "$("$kt" run -o eleven echo -o 2>/dev/null)"
"$kt" run --nested few -o twelve -- "$life" calls3 2>err; same "--nested: a word that is none" 2 $?
same "... one line" "1 0" "$(wc -l <err) $(ls -d twelve 2>/dev/null | wc -l)"; has "... says which there are" "--nested few: expected sample, all or none" "$(<err)"
for word in sample all none; do
    KTRACE_NESTED=other "$kt" run --nested $word -o "nested.$word" -- "$life" calls3 >/dev/null 2>&1
    same "--nested $word" "$word" "$("$kt" info --json nested.$word | query 'd["options"]["KTRACE_NESTED"] if d["nested"]["mode"] == d["options"]["KTRACE_NESTED"] else d["nested"]')"
done
"$kt" run --stacks few -o stacks -- "$life" calls3 2>err; same "--stacks: a word that is none" "2 1" "$? $(grep -c -- '--stacks few: expected lines, paths or off' err)"
"$kt" run --mode few -o stacks -- "$life" calls3 2>err; same "--mode: a word that is none" "2 1" "$? $(grep -c -- '--mode few: expected full or profile' err)"
same "--stacks paths" paths "$("$kt" run --stacks paths -o stacks -- "$life" calls3 >/dev/null 2>&1; "$kt" info --json stacks | query 'd["options"]["KTRACE_STACKS"]')"
same "... without it as the environment says" none "$(KTRACE_NESTED=none "$kt" run -o thirteen -- "$life" calls3 >/dev/null 2>&1; "$kt" info --json thirteen | query 'd["nested"]["mode"]')"
same "... and sample if that says nothing" sample "$("$kt" run -o fourteen -- "$life" calls3 >/dev/null 2>&1; "$kt" info --json fourteen | query 'd["nested"]["mode"]')"
has "version" "^ktrace [0-9]+\.[0-9]+" "$("$kt" --version)"
for verb in run report replay compare diff repro info dump check env; do
    has "help $verb" "ktrace $verb" "$("$kt" help $verb)"
done
has "env lists the variables" KTRACE_OUT "$("$kt" env)"
exit $((failures != 0))
