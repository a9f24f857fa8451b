/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Calls routines with random legal arguments (tests/parts/synth.h), for libproof.so to prove: routines that the test
 * programs of LAPACK do not call, and others with sizes that are larger than those programs use, which brings in the
 * auxiliary routines of blocked code and of divide and conquer.
 *
 *     drive [--sets N] [--large] TABLE LIBRARY NAME...
 *
 * Each routine is called in a process of its own, so that one that random data lead astray does no harm.
 */
#include "tests/parts/poison.h"
#include "tests/proof/passing.h"
#include "trace/table/spec.h"

#include <dlfcn.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { SECONDS = 400, ZEROS = 2 };

struct cells {
    unsigned char bytes[KT_MAX_ARGS][16];
};

void xerbla_(const char *name, const int *info, size_t length);

/* Instead of the library's, which ends the process. */
void xerbla_(const char *name, const int *info, size_t length)
{
    (void)name, (void)info, (void)length;
}

/* --- SELECT of gees and its like --------------------------------------------------------------------------- */

static int select_float(const float *x)
{
    return *x > 0;
}

static int select_double(const double *x)
{
    return *x > 0;
}

static uint64_t procedure_for(enum kt_type type)
{
    return kt_type_real(type) == KT_S ? (uint64_t)(uintptr_t)select_float : (uint64_t)(uintptr_t)select_double;
}

/* --- one call ---------------------------------------------------------------------------------------------- */

static void store(unsigned char *at, enum kt_type type, double re, double im)
{
    int32_t integer = (int32_t)re;
    float f[2] = {(float)re, (float)im};
    double d[2] = {re, im};
    if (type == KT_I)
        memcpy(at, &integer, sizeof integer);
    else if (kt_type_real(type) == KT_S)
        memcpy(at, f, sizeof f);
    else
        memcpy(at, d, sizeof d);
}

static uint64_t word_for(const struct kt_poison *p, int i, struct cells *cells)
{
    const struct kt_arg *arg = &p->symbol->routine->arg[i];
    if (arg->role == KT_ARRAY)
        return p->values.address[i];
    if (arg->role == KT_PROCEDURE)
        return procedure_for(p->symbol->routine->type);
    if (arg->role <= KT_OPTION)
        cells->bytes[i][0] = (unsigned char)p->values.v[i];
    else
        store(cells->bytes[i], arg->type, p->values.v[i], p->values.imaginary[i]);
    return (uint64_t)(uintptr_t)cells->bytes[i];
}

static void make_call(const struct kt_poison *p, void *function)
{
    static struct cells cells;
    uint64_t word[PROOF_WORDS] = {0};
    struct proof_result result;
    size_t words = proof_words(p->symbol);
    for (int i = 0; i < p->symbol->routine->args; i++)
        word[i] = word_for(p, i, &cells);
    for (size_t i = (size_t)p->symbol->routine->args; i < words; i++)
        word[i] = 1; /* length of an option */
    proof_forward(function, word, words, &result);
}

static void drive_routine(struct kt_poison *p, struct kt_synth synth, int sets)
{
    void *function = dlsym(RTLD_DEFAULT, p->symbol->name);
    for (int set = 0; set < sets && function; set++) {
        if (!kt_poison_draw(p, &synth))
            continue;
        kt_poison_declare(p, (struct kt_mutation){0});
        kt_poison_fill(p, ZEROS);
        make_call(p, function);
    }
}

/* --- all of them ------------------------------------------------------------------------------------------- */

static void drive_apart(const struct kt_routine *r, struct kt_synth synth, int sets)
{
    struct kt_symbol symbol;
    struct kt_poison p;
    pid_t child = fork();
    if (child > 0)
        waitpid(child, NULL, 0);
    if (child != 0)
        return;
    alarm(SECONDS);
    kt_symbol_make(r, KT_FORTRAN, &symbol);
    if (kt_poison_open(&p)) {
        p.symbol = &symbol;
        drive_routine(&p, synth, sets);
    }
    _exit(0);
}

static int usage(void)
{
    fprintf(stderr, "usage: drive [--sets N] [--large] TABLE LIBRARY NAME...\n");
    return KT_USAGE;
}

int main(int argc, char **argv)
{
    static const struct option options[] = {
        {"sets", required_argument, NULL, 's'}, {"large", no_argument, NULL, 'l'}, {0}};
    struct kt_synth synth = {.state = 1, .queries = true};
    struct kt_table table;
    struct kt_error error = {0};
    int sets = 200;
    for (int c; (c = getopt_long(argc, argv, "", options, NULL)) != -1;) {
        if (c != 's' && c != 'l')
            return usage();
        if (c == 's')
            sets = atoi(optarg);
        else
            synth.large = true;
    }
    if (argc - optind < 3)
        return usage();
    if (kt_spec_load(argv[optind], &table, &error) != KT_OK || !dlopen(argv[optind + 1], RTLD_NOW | RTLD_GLOBAL)) {
        fprintf(stderr, "drive: %s\n", *error.text ? error.text : dlerror());
        return KT_BAD_INPUT;
    }
    for (int i = optind + 2; i < argc; i++) {
        const struct kt_routine *r = kt_table_find(&table, argv[i]);
        if (r)
            drive_apart(r, synth, sets);
    }
    kt_table_free(&table);
    return KT_OK;
}
