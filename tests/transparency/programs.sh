# SPDX-License-Identifier: BSD-3-Clause
# check: slow, 24 s
# Programs that print all bits of their results: ours, NumPy, SciPy, several BLAS libraries in one process, 64-bit
# integers, and modules in scopes of their own.
. tests/transparency/alike.sh
here=$root/tests/transparency

# --- examples, on two libraries -----------------------------------------------------------------------------------

compiled c_example examples/c_example.c "$system"/{lapack/liblapack,blas/libblas}.so.3 -lm
compiled cblas_rowmajor examples/cblas_rowmajor.c "$system/blas/libblas.so.3" -lm
compiled lapacke_rowmajor examples/lapacke_rowmajor.c "$system"/{liblapacke,lapack/liblapack,blas/libblas}.so.3 -lm
compiled untouched -fexceptions "$here/untouched.c" "$system"/{lapack/liblapack,blas/libblas}.so.3 -lm -lpthread
gfortran -O2 -o "$T/fortran_example" examples/fortran_example.f90 "$system"/{lapack/liblapack,blas/libblas}.so.3
for library in reference openblas; do
    LIBRARIES=${provider[$library]}
    for program in c_example cblas_rowmajor lapacke_rowmajor fortran_example; do alike "$program, $library" "$T/$program"; done
    alike "errno, floating-point state, ways out of a routine, $library" "$T/untouched"
    alike "NumPy, $library" "$PYTHON" "$root/examples/numpy_linalg.py"
    if "$PYTHON" -c 'import scipy' 2>/dev/null; then alike "SciPy, $library" "$PYTHON" "$root/examples/scipy_linalg.py"
    else skip "SciPy, $library" "python3-scipy is not installed"; fi
done
LIBRARIES=''

# --- libraries of the same names in one process -------------------------------------------------------------------

# linked NAME INTEGER LIBRARY...: a program and a module that are linked to these libraries; one check of the program
linked() {
    local name=$1 integer=$2 folders
    shift 2
    is_there "$name" "$@" || return
    folders=$(printf ':%s' "${@%/*}")
    compiled "$name.so" "-DINT=$integer" -shared -fPIC "$here/work.c" "$@" "-Wl,-rpath,${folders:1}"
    compiled "$name" "-DINT=$integer" -DMAIN "$here/work.c" "$@" "-Wl,-rpath,${folders:1}"
    alike "program with $name" "$T/$name"
    modules+=("$T/$name.so")
}

modules=()
linked reference int "$system"/{lapack/liblapack,blas/libblas}.so.3
linked openblas int "$system/openblas-serial/libopenblas.so.0"
linked reference64 long "$system"/{lapack64/liblapack64,blas64/libblas64}.so.3
linked openblas64 long "$system/openblas64-pthread/libopenblas64.so.0"
compiled load "$here/load.c" -ldl
others=("${modules[@]:1}")
alike "several libraries, local scopes" "$T/load" "${modules[@]/#/local:}"
alike "... in another order" "$T/load" "${others[@]/#/local:}" "local:${modules[0]}"
alike "... in the global scope" "$T/load" "${modules[@]/#/global:}"
alike "... one bound deeply, first" "$T/load" "deep:${modules[0]}" "${modules[@]/#/local:}"
alike "... one bound deeply, last" "$T/load" "${modules[@]/#/local:}" "deep:${modules[1]}"
alike "... all bound deeply but one" "$T/load" "${others[@]/#/deep:}" "local:${modules[0]}"
exit $((failures != 0))
