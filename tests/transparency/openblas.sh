# SPDX-License-Identifier: BSD-3-Clause
# check: never
# The tests that come with the sources of OpenBLAS, built by its makefiles against the installed library: the Fortran and
# C interface testers, with the three-product routines, and the unit tests, some of which fork.
. tests/transparency/alike.sh

programs=("test "{s,d,c,z}"blat"{1,2,3} "test "{c,z}blat3_3m "ctest x"{s,d,c,z}"cblat"{1,2,3} "utest openblas_utest")
options="TARGET=GENERIC USE_THREAD=0 NO_LAPACKE=1 LIBNAME=installed.so"

if ! (cd "$T" && apt-get source -qq openblas >apt.log 2>&1); then
    skip "tests of OpenBLAS" "no sources: apt-get source openblas ended with: $(tail -n 1 "$T/apt.log")"
    exit 0
fi
source=$(echo "$T"/openblas-*/)
ln -s "$system/openblas-serial/libopenblas.so.0" "$source/installed.so"
for folder in test ctest utest; do # without the options that our own make tells those it starts
    targets=$(printf '%s\n' "${programs[@]}" | sed -n "s/^$folder //p")
    # shellcheck disable=SC2086
    true_that "$folder of OpenBLAS is built" env -u MAKEFLAGS -u MFLAGS make -s -C "$source/$folder" $options $targets
done

LIBRARIES=$system/openblas-serial
for line in "${programs[@]}"; do
    read -r folder program <<<"$line"
    # dblat2 reads dblat2.dat, xdcblat2 reads din2
    INPUT=$source/$folder/$(sed -E 's/^x(.)cblat/\1in/; s/^(.blat.*)/\1.dat/' <<<"$program")
    [ -e "$INPUT" ] || INPUT=/dev/null
    alike "OpenBLAS $folder/$program" "$source/$folder/$program"
done
exit $((failures != 0))
