/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Proves the table's operands: does a call touch what trace/routines and trace/table/operand.c say, and nothing else?
 *
 *     footprint [--mutate] [--sets N] [--seed N] [--only SYMBOL] SPEC LIBRARY...
 *
 * Every symbol of the table that the libraries define is called with random legal arguments, its operands in an arena
 * full of poison. The call is made three times, with equal contents in all bytes that the table says it reads and
 * different poison in all others (NaN, a large number, zero): gaps below columns and between vector elements, the
 * other triangle, what is only written, workspaces, the surroundings. Then
 *   - no byte may have changed that the table does not say is written, and
 *   - all bytes that are written, info and the result must be equal in all runs.
 *
 * --mutate tests this test: each operand is declared one element smaller than it is, at its end and at its beginning,
 * and the test must notice.
 *
 * The program defines xerbla_ and cblas_xerbla; it must be linked with -rdynamic so that the libraries find them, or
 * illegal arguments end the program instead of failing the call.
 */
#include "replay/call/call.h"
#include "tests/parts/poison.h"
#include "tests/parts/table_load.h"

#include <dlfcn.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { RUNS = KT_POISON_RUNS, INT_BYTES = KT_POISON_INT_BYTES };

struct settings {
    bool mutate;
    int sets;
    uint64_t seed;
    const char *only;
};

/* One call under test; only the arena of its operands is seen by the routine. */
struct trial {
    struct kt_poison call;
    void *function;
    unsigned char *after[RUNS]; /* the arena */
    struct kt_returned returned[RUNS];
    int64_t info[RUNS];
};

/* What went wrong; an operand of -1: not in an operand. */
struct finding {
    const char *what; /* NULL: nothing */
    int operand;
    int64_t byte; /* from the pointer passed */
};

struct counts {
    int passed, failed, skipped;
};

/* Name of the routine that refused its arguments since it was cleared. */
static char refused_by[32];

void xerbla_(const char *name, const int *info, size_t length);
void cblas_xerbla(int parameter, const char *routine, const char *form, ...);

void xerbla_(const char *name, const int *info, size_t length)
{
    (void)info;
    snprintf(refused_by, sizeof refused_by, "%.*s", (int)length, name);
    refused_by[strcspn(refused_by, " ")] = '\0';
}

void cblas_xerbla(int parameter, const char *routine, const char *form, ...)
{
    (void)parameter, (void)form;
    snprintf(refused_by, sizeof refused_by, "%s", routine);
}

/* --- the call ---------------------------------------------------------------------------------------------- */

static void make_call(struct trial *t, int run)
{
    uint64_t address[KT_MAX_OPERANDS];
    struct kt_by_reference cells;
    struct kt_parameters parameters;
    for (int i = 0; i < t->call.operands; i++)
        address[i] = t->call.operand[i].base;
    kt_parameters_fill(t->call.symbol, t->call.args, address, INT_BYTES, &cells, &parameters);
    t->returned[run] = (struct kt_returned){0};
    kt_thunk_of(t->call.symbol)(t->function, &parameters, &t->returned[run]);
    t->info[run] = kt_parameters_info(t->call.symbol, &cells, &t->returned[run], INT_BYTES);
}

static struct finding finding_at(const struct trial *t, const char *what, size_t at)
{
    for (int i = 0; i < t->call.operands; i++)
        if (at >= t->call.region[i].begin && at < t->call.region[i].end)
            return (struct finding){what, i, (int64_t)at - (int64_t)t->call.region[i].base};
    return (struct finding){what, -1, (int64_t)at};
}

static struct finding check_unchanged(const struct trial *t)
{
    for (size_t at = 0; at < t->call.used; at++)
        if (!(t->call.access[at] & (KT_WRITE | KT_WORK)) && t->call.arena[at] != t->call.before[at])
            return finding_at(t, "changed a byte that the table does not call written", at);
    return (struct finding){0};
}

static size_t result_bytes(const struct kt_symbol *symbol)
{
    const struct kt_routine *r = symbol->routine;
    bool stored = symbol->view == KT_CBLAS && kt_type_is_complex(r->result);
    return r->has_result && !stored ? kt_type_bytes(r->result) : 0;
}

static bool results_differ(const struct trial *t, int run)
{
    size_t bytes = result_bytes(t->call.symbol);
    if (t->call.symbol->routine->result == KT_I)
        return bytes && t->returned[0].integer != t->returned[run].integer;
    return memcmp(t->returned[0].number, t->returned[run].number, bytes) != 0;
}

/* A call with a size of 0 may leave even what it is to overwrite as it was, and so may a query. */
static bool may_do_nothing(const struct trial *t)
{
    const struct kt_routine *r = t->call.symbol->routine;
    if (kt_is_query(r, &t->call.values))
        return true;
    for (int i = 0; i < r->args; i++)
        if (r->arg[i].role == KT_SIZE && t->call.values.v[i] == 0)
            return true;
    return false;
}

static bool is_untouched(const struct trial *t, size_t at)
{
    for (int run = 0; run < RUNS; run++)
        if (t->after[run][at] != kt_poison_byte(&t->call, at, run))
            return false;
    return true;
}

static struct finding compare_with_first(const struct trial *t, int run)
{
    bool lazy = may_do_nothing(t);
    if (t->info[0] != t->info[run])
        return (struct finding){"info depends on bytes that the table does not call read", -1, 0};
    if (results_differ(t, run))
        return (struct finding){"the result depends on bytes that the table does not call read", -1, 0};
    for (size_t at = 0; at < t->call.used; at++)
        if (t->call.access[at] & KT_WRITE && t->after[0][at] != t->after[run][at] && !(lazy && is_untouched(t, at)))
            return finding_at(t, "an output depends on bytes that the table does not call read", at);
    return (struct finding){0};
}

/*
 * cblas_[cz]gemv and cblas_[cz]gbmv of the reference library never return from a row-major call with a conjugate
 * transpose and M = 0 (https://github.com/Reference-LAPACK/lapack/pull/1374).
 */
static bool hangs(const struct trial *t)
{
    const struct kt_routine *r = t->call.symbol->routine;
    return t->call.values.row_major && kt_type_is_complex(r->type) && r->arg[0].role == KT_TRANS &&
           t->call.values.v[0] == 'C' && may_do_nothing(t);
}

/* The alternative is a defect of the library: legal arguments, but illegal ones for a routine that it calls itself,
 * as the gelsd family does with lalsd where there are no right-hand sides. */
static bool refuses_itself(const struct trial *t)
{
    return !strcasecmp(refused_by, t->call.symbol->routine->name) || !strcmp(refused_by, t->call.symbol->name);
}

static struct finding compare_runs(const struct trial *t)
{
    struct finding found = {0};
    for (int run = 1; run < RUNS && !found.what; run++)
        found = compare_with_first(t, run);
    return found;
}

/* Returns with finding.what NULL also where nothing can be said: *TOLD is false then. */
static struct finding run_trial(struct trial *t, bool *told)
{
    *told = !hangs(t);
    for (int run = 0; run < RUNS && *told; run++) {
        kt_poison_fill(&t->call, run);
        *refused_by = '\0';
        make_call(t, run);
        if (*refused_by && (*told = refuses_itself(t)))
            return (struct finding){"refuses the arguments", -1, 0};
        struct finding found = check_unchanged(t);
        if (found.what)
            return found;
        memcpy(t->after[run], t->call.arena, t->call.used);
    }
    return *told ? compare_runs(t) : (struct finding){0};
}

/* --- reports ----------------------------------------------------------------------------------------------- */

static void print_argument(const struct trial *t, const struct kt_param *p)
{
    double imaginary;
    if (p->stored == KT_ADDRESS)
        return;
    double value = kt_stored_value(t->call.args, p, &imaginary);
    if (p->stored == KT_CHAR)
        printf(" %s=%c", p->name, (int)value);
    else if (p->stored == KT_CFLOAT || p->stored == KT_CDOUBLE)
        printf(" %s=(%g,%g)", p->name, value, imaginary);
    else
        printf(" %s=%g", p->name, value);
}

static void print_finding(const struct trial *t, struct finding f)
{
    printf("%s: %s", t->call.symbol->name, f.what);
    if (f.operand >= 0)
        printf(": %s + %lld bytes", t->call.operand[f.operand].name, (long long)f.byte);
    printf(";");
    for (int i = 0; i < t->call.symbol->params; i++)
        print_argument(t, &t->call.symbol->param[i]);
    printf("\n");
}

/* --- all symbols ------------------------------------------------------------------------------------------- */

static void test_symbol(struct trial *t, const struct settings *settings, struct counts *counts)
{
    struct kt_synth synth = {.state = settings->seed, .queries = true};
    int completed = 0;
    struct finding found = {0};
    for (int set = 0; set < settings->sets && !found.what; set++) {
        bool told;
        if (!kt_poison_draw(&t->call, &synth))
            continue;
        kt_poison_declare(&t->call, (struct kt_mutation){0});
        found = run_trial(t, &told);
        completed += told;
    }
    if (!completed)
        found = (struct finding){"no set of arguments could be tested", -1, 0};
    if (found.what)
        print_finding(t, found);
    counts->failed += found.what != NULL;
    counts->passed += found.what == NULL;
}

/* Why the missing element cannot be noticed although the table is right; NULL: it should have been. */
static const char *why_unnoticed(const struct trial *t, struct kt_mutation m)
{
    const struct kt_operand *o = &t->call.operand[m.operand];
    const char *name = t->call.symbol->routine->name;
    if (!strcmp(name, "scsum") || !strcmp(name, "dzsum"))
        return "OpenBLAS 0.3.21 returns 0 whatever the numbers";
    if (o->arg && o->arg->data == KT_REFLECTORS && o->access == KT_READ && m.end == KT_FIRST_ELEMENT)
        return "the first element of a reflector is 1 and not stored";
    return NULL;
}

/* Returns whether any set had such an element; *NOTICED: whether a set showed that it is missing. */
static bool test_mutation(struct trial *t, const struct settings *settings, struct kt_mutation m, bool *noticed)
{
    struct kt_synth synth = {.state = settings->seed};
    bool possible = false;
    *noticed = false;
    for (int set = 0; set < settings->sets && !*noticed; set++) {
        if (!kt_poison_draw(&t->call, &synth) || t->call.operand[m.operand].elements == 0)
            continue;
        bool told;
        kt_poison_declare(&t->call, m);
        *noticed = run_trial(t, &told).what != NULL;
        possible |= told;
    }
    return possible;
}

static void mutate_operand(struct trial *t, const struct settings *settings, int operand, struct counts *counts)
{
    for (enum kt_end end = KT_FIRST_ELEMENT; end <= KT_LAST_ELEMENT; end++) {
        struct kt_mutation m = {operand, end};
        bool noticed;
        if (!test_mutation(t, settings, m, &noticed))
            continue;
        counts->passed += noticed;
        if (noticed)
            continue;
        const char *why = why_unnoticed(t, m);
        counts->skipped += why != NULL;
        counts->failed += why == NULL;
        printf("%s: without the %s element of %s: not noticed%s%s\n", t->call.symbol->name,
               end == KT_FIRST_ELEMENT ? "first" : "last", t->call.operand[operand].name, why ? ": " : "",
               why ? why : "");
    }
}

static void mutate_symbol(struct trial *t, const struct settings *settings, struct counts *counts)
{
    struct kt_synth synth = {.state = settings->seed};
    kt_poison_draw(&t->call, &synth);
    for (int i = 0; i < t->call.operands; i++)
        if (t->call.operand[i].access != KT_WORK)
            mutate_operand(t, settings, i, counts);
}

static void test_routine(struct trial *t, const struct kt_routine *routine, const struct settings *settings,
                         struct counts *counts)
{
    for (enum kt_view view = 0; view < KT_UNDESCRIBED; view++) {
        struct kt_symbol symbol;
        if (!kt_symbol_make(routine, view, &symbol) || (settings->only && strcmp(settings->only, symbol.name)))
            continue;
        t->call.symbol = &symbol;
        t->function = dlsym(RTLD_DEFAULT, symbol.name);
        if (!t->function) {
            printf("%s: skipped, no library defines it\n", symbol.name);
            counts->skipped++;
        } else if (settings->mutate) {
            mutate_symbol(t, settings, counts);
        } else {
            test_symbol(t, settings, counts);
        }
    }
}

static int test_table(const struct kt_table *table, const struct settings *settings)
{
    struct counts counts = {0};
    struct trial t = {0};
    unsigned char *after = calloc(RUNS, KT_POISON_BYTES);
    if (!after || !kt_poison_open(&t.call)) {
        free(after);
        return KT_SYSTEM;
    }
    for (int run = 0; run < RUNS; run++)
        t.after[run] = after + (size_t)run * KT_POISON_BYTES;
    for (size_t i = 0; i < table->count; i++)
        test_routine(&t, &table->routine[i], settings, &counts);
    kt_poison_close(&t.call);
    free(after);
    const char *const text = settings->mutate ? "%d mutations noticed, %d not noticed, %d explained\n"
                                              : "%d passed, %d failed, %d skipped\n";
    printf(text, counts.passed, counts.failed, counts.skipped);
    return counts.failed ? KT_FINDING : KT_OK;
}

/* --- command line ------------------------------------------------------------------------------------------ */

static int usage(void)
{
    fprintf(stderr, "usage: footprint [--mutate] [--sets N] [--seed N] [--only SYMBOL] SPEC LIBRARY...\n");
    return KT_USAGE;
}

static bool read_settings(int argc, char **argv, struct settings *out)
{
    static const struct option options[] = {{"mutate", no_argument, NULL, 'm'},
                                            {"sets", required_argument, NULL, 's'},
                                            {"seed", required_argument, NULL, 'r'},
                                            {"only", required_argument, NULL, 'o'},
                                            {0}};
    *out = (struct settings){.sets = 60, .seed = 1};
    for (int c; (c = getopt_long(argc, argv, "", options, NULL)) != -1;) {
        if (c == 'm')
            out->mutate = true;
        else if (c == 's')
            out->sets = atoi(optarg);
        else if (c == 'r')
            out->seed = strtoull(optarg, NULL, 0);
        else if (c == 'o')
            out->only = optarg;
        else
            return false;
    }
    return argc - optind >= 2;
}

/* Loaded in order and for all to see, so that a LAPACK finds the BLAS that was named before it. */
static bool load_libraries(int count, char **path)
{
    for (int i = 0; i < count; i++)
        if (!dlopen(path[i], RTLD_NOW | RTLD_GLOBAL)) {
            fprintf(stderr, "footprint: %s\n", dlerror());
            return false;
        }
    return true;
}

int main(int argc, char **argv)
{
    struct settings settings;
    struct kt_table table;
    struct kt_error error = {0};
    if (!read_settings(argc, argv, &settings))
        return usage();
    if (!load_libraries(argc - optind - 1, argv + optind + 1))
        return KT_BAD_INPUT;
    if (dlsym(RTLD_DEFAULT, "xerbla_") != (void *)xerbla_) {
        fprintf(stderr, "footprint: libraries do not find its xerbla_: link it with -rdynamic\n");
        return KT_SYSTEM;
    }
    enum kt_status status = kt_spec_load(argv[optind], &table, &error);
    if (status != KT_OK)
        fprintf(stderr, "footprint: %s\n", error.text);
    else
        status = (enum kt_status)test_table(&table, &settings);
    kt_table_free(&table);
    return (int)status;
}
