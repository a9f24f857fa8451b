/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Writes programs that call every symbol of the table, each argument with a value of its own, and say before each
 * call what a trace of it must hold:
 *
 *     gen_roundtrip SPEC c|fortran|cblas|lapacke|lapacke_work|names > PROGRAM
 *
 *     c        C that calls the Fortran interfaces, with hidden lengths
 *     fortran  Fortran that calls the same under their usual names
 *     cblas    C that calls the CBLAS interfaces, row-major and column-major, through the header of a BLAS
 *     lapacke, lapacke_work  the same for LAPACKE
 *     names    a library that has all names and passes calls on to the usual ones in others
 *
 * The C programs call each symbol by all its names. The lines that the programs print are what
 * tests/roundtrip/roundtrip_check.py compares with `ktrace dump --json`:
 *
 *     {"routine": NAME, "symbol": NAME, "args": {NAME: VALUE}, "code": [NAME], "has_info": BOOLEAN}
 *
 * where "code" names the arguments that are addresses of procedures. All numbers, with two decimals, are exact in
 * every type.
 */
#include "tests/roundtrip/programs.h"
#include "tests/parts/table_load.h"

#include <stdio.h>
#include <string.h>

static enum kt_status print_program(const struct kt_table *table, const char *kind)
{
    if (!strcmp(kind, "c"))
        trip_print_c(table, KT_FORTRAN);
    else if (!strcmp(kind, "cblas"))
        trip_print_c(table, KT_CBLAS);
    else if (!strcmp(kind, "lapacke"))
        trip_print_c(table, KT_LAPACKE);
    else if (!strcmp(kind, "lapacke_work"))
        trip_print_c(table, KT_LAPACKE_WORK);
    else if (!strcmp(kind, "names"))
        trip_print_names(table);
    else if (!strcmp(kind, "fortran"))
        trip_print_fortran(table);
    else
        return KT_USAGE;
    return KT_OK;
}

int main(int argc, char **argv)
{
    struct kt_table table = {0};
    struct kt_error error = {0};
    enum kt_status status = KT_USAGE;
    if (argc == 3 && kt_spec_load(argv[1], &table, &error) != KT_OK) {
        fprintf(stderr, "gen_roundtrip: %s\n", error.text);
        status = error.status;
    } else if (argc == 3) {
        status = print_program(&table, argv[2]);
    }
    if (status == KT_USAGE)
        fprintf(stderr, "usage: gen_roundtrip SPEC c|fortran|cblas|lapacke|lapacke_work|names\n");
    kt_table_free(&table);
    return (int)status;
}
