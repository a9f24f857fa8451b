# SPDX-License-Identifier: BSD-3-Clause
# Runs a program without ktrace, with libktrace.so preloaded, and by `ktrace run`, and compares everything that it leaves
# behind: standard output, standard error, exit status and files, byte by byte. The only things taken out are the times
# that test programs print (TIMES).
#
#   INPUT      file for standard input; default: none
#   LIBRARIES  folders in which libraries are looked for first (LD_LIBRARY_PATH): which BLAS and LAPACK the program gets
#   PRELOAD    a library that the program needs to start at all, in all runs
#   LIMIT      kibibytes that the traced program may write into one file; calls beyond are passed on without a record
#   PATIENCE   seconds after which a program is stopped
#   SHIM       the library that is preloaded; default: libktrace.so
. tests/lib.sh

root=$PWD
built=$(realpath "$B")
SHIM=$built/libktrace.so INPUT=/dev/null LIBRARIES='' PRELOAD='' LIMIT=unlimited PATIENCE=300
export KTRACE_QUIET=1 OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1
# cgemv and zgemv of OpenBLAS 0.3.21 read up to three increments beyond x (its issue 4013), which faults in one run of
# many, with us or without, because x ends the heap. A heap that goes on far beyond what is used has no such end.
export MALLOC_TOP_PAD_=$((512 << 20))

# What the test programs of LAPACK, the unit tests of OpenBLAS and pytest print at their end.
TIMES=(-e '/Total time used = *[0-9.]* seconds/d' -e 's/ran in [0-9]* ms$/ran/'
       -e 's/^\([0-9].* \(passed\|failed\).*\) in [0-9.]*s.*/\1/')

# Debian's providers. Programs are linked to libblas.so.3 and liblapack.so.3 and find those of these folders.
system=/usr/lib/$(gcc -dumpmachine)
declare -A provider=([reference]=$system/lapack:$system/blas [openblas]=$system/openblas-serial)

# leaves FOLDER PRELOADED COMMAND...: runs the command in FOLDER, which it makes
leaves() {
    local folder=$1 preloaded=$2
    shift 2
    mkdir "$folder"
    {
        (cd "$folder" && exec timeout "$PATIENCE" env ${LIBRARIES:+LD_LIBRARY_PATH="$LIBRARIES"} \
             ${preloaded:+LD_PRELOAD="$preloaded"} "$@" <"$INPUT" >stdout 2>stderr)
        echo $? >"$folder/status"
    } 2>/dev/null # the shell tells of signals
}

run_plain() { leaves "$T/plain" "$PRELOAD" "$@"; }
run_preloaded() { ulimit -f "$LIMIT"; leaves "$T/preloaded" "$SHIM${PRELOAD:+:$PRELOAD}" KTRACE_OUT="$T/preloaded.trace" "$@"; }
run_by_us() { ulimit -f "$LIMIT"; leaves "$T/run" "$PRELOAD" "$built/ktrace" run -o "$T/run.trace" -- "$@"; }

# differ WAYS COMMAND...: runs it plainly and in each of the ways (preloaded, by_us), all at the same time. False if
# nobody can tell, else $T/difference shows where.
differ() {
    local ways=$1 way
    shift
    rm -rf "$T"/{plain,preloaded,run,preloaded.trace,run.trace,difference}
    for way in plain $ways; do "run_$way" "$@" & done
    wait
    find "$T"/{plain,preloaded,run} -type f -exec sed -i "${TIMES[@]}" {} + 2>/dev/null
    (cd "$T" && for way in preloaded run; do [ ! -d $way ] || diff -r plain $way; done >difference 2>&1)
    [ -s "$T/difference" ]
}

recorded_calls() { [ -d "$1" ] && "$built/ktrace" info --json "$1" | query 'd["calls"]' || echo 0; }

# alike NAME COMMAND...: one check. Nothing is proven by a program that died or made no call.
alike() {
    local name=$1 calls run_calls status
    shift
    differ "preloaded by_us" "$@"
    calls=$(recorded_calls "$T/preloaded.trace") run_calls=$(recorded_calls "$T/run.trace") status=$(<"$T/plain/status")
    rm -rf "$T"/*.trace
    if [ -s "$T/difference" ]; then not_ok "$name" "$(head -n 12 "$T/difference")"
    elif [ "$status" -ge 124 ]; then not_ok "$name" "status $status without ktrace" "$(tail -n 5 "$T/plain/stderr")"
    elif [ "$run_calls" = 0 ]; then not_ok "$name" "no call was recorded"
    else ok "$name: same, $calls and $run_calls calls"; fi
}

# compiled NAME OPTIONS...: makes $T/NAME
compiled() { gcc -std=gnu11 -O2 -Wall -Wextra -D_GNU_SOURCE -o "$T/$1" "${@:2}" || not_ok "$1 is compiled" "$*"; }

# is_there NAME FILE...: are they all, or one line that says what is skipped
is_there() {
    local file
    for file in "${@:2}"; do
        [ -e "$file" ] || { skip "$1" "${file##*/} is not installed"; return 1; }
    done
}

# --- the test programs of BLAS and LAPACK (Debian: libblas-test, liblapack-test) ----------------------------------

# Each with the inputs that belong to it: `program input`, or `program -` where none is read.
netlib_runs() {
    local p input
    for p in s d c z; do
        printf '%s\n' "xblat1$p -" "xblat2$p ${p}blat2.in" "xblat3$p ${p}blat3.in"
        printf '%s\n' "x${p}cblat1 -" "x${p}cblat2 ${p}in2" "x${p}cblat3 ${p}in3"
        printf '%s\n' "xlintst$p ${p}test.in" "xlintstrf$p ${p}test_rfp.in"
        for input in nep sep se2 svd glm gqr gsv csd lse "$p"{ec,ed,gg,gd,sb,sg,bb,bak,bal,gbak,gbal}; do
            echo "xeigtst$p $input.in"
        done
    done
    printf '%s\n' "xlintstds dstest.in" "xlintstzc zctest.in"
}

# The C interface testers use a variable of the reference library that OpenBLAS does not have.
variable_of_reference() {
    [ -e "$T/variable.so" ] || compiled variable.so -shared -fPIC -x c - <<<'int RowMajorStrg;'
    echo "$T/variable.so"
}

# netlib LIBRARY PATTERN: those runs that match, on one library
netlib() {
    local program input folder INPUT PRELOAD LIBRARIES=${provider[$1]} LIMIT=$((256 << 10))
    while read -r program input; do
        folder=$system/lapack INPUT=/dev/null PRELOAD=''
        [ -e "$folder/$program" ] || folder=$system/blas
        [ "$input" = - ] || INPUT=$folder/$input
        [[ $1 != openblas || $program != x?cblat? ]] || PRELOAD=$(variable_of_reference)
        alike "$program <$input, $1" "$folder/$program"
    done < <(netlib_runs | grep -E "$2")
}
