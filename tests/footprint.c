/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Proves the table's operands: does a call touch what trace/routines.spec and trace/operand.c say, and nothing else?
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
#include "replay/call.h"
#include "tests/synth.h"
#include "tests/table_load.h"
#include "trace/operand.h"

#include <dlfcn.h>
#include <getopt.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { ARENA_BYTES = 1 << 25, LINE = 64, INT_BYTES = 4, RUNS = 3 };

enum end { NO_END, FIRST_ELEMENT, LAST_ELEMENT };

/* Which operand is declared one element too small, and at which end. */
struct mutation {
    int operand;
    enum end end;
};

struct settings {
    bool mutate;
    int sets;
    uint64_t seed;
    const char *only;
};

/* Bytes [begin, end) of the arena around an operand. */
struct region {
    size_t begin, end;
    size_t base; /* where the pointer passed points */
    enum kt_type type;
    size_t elem;
};

/* One call under test. All arenas have the same layout; only the first is seen by the routine. */
struct trial {
    const struct kt_symbol *symbol;
    void *function;
    unsigned char args[KT_SYNTH_ARG_BYTES];
    struct kt_values values;
    struct kt_operand operand[KT_MAX_OPERANDS];
    struct region region[KT_MAX_OPERANDS];
    int operands;
    size_t used;
    unsigned char *arena;
    unsigned char *input;  /* legal contents */
    unsigned char *access; /* KT_READ, KT_WRITE, KT_WORK: what the table says of each byte */
    unsigned char *before;
    unsigned char *after[RUNS];
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

/* --- where operands lie ------------------------------------------------------------------------------------ */

static size_t round_up(size_t x)
{
    return (x + LINE - 1) / LINE * LINE;
}

/* The operands must have been computed with all addresses 0. The margin lets errors of a column or row stay inside. */
static void place_operands(struct trial *t)
{
    uint64_t address[KT_MAX_OPERANDS];
    t->used = 0;
    for (int i = 0; i < t->operands; i++) {
        const struct kt_operand *o = &t->operand[i];
        size_t step = (size_t)(o->ld < 0 ? -o->ld : o->ld);
        size_t margin = round_up((16 + 2 * step) * o->elem);
        struct region *r = &t->region[i];
        r->begin = t->used;
        r->base = r->begin + margin;
        r->end = t->used = r->base + round_up(o->hi) + margin;
        r->type = o->arg ? o->arg->type : t->symbol->routine->result;
        r->elem = o->elem;
        address[i] = (uint64_t)(uintptr_t)(t->arena + r->base);
    }
    if (t->used > ARENA_BYTES) {
        fprintf(stderr, "footprint: %s: operands of %zu bytes do not fit the arena\n", t->symbol->name, t->used);
        exit(KT_SYSTEM);
    }
    kt_synth_set_addresses(t->symbol, address, t->args);
}

/* Offset in the arena of the I-th run of an operand; returns its length in bytes. */
static size_t run_of(const struct trial *t, int operand, int64_t i, size_t *offset)
{
    uint64_t lo, hi;
    kt_operand_run(&t->operand[operand], i, &lo, &hi);
    *offset = (size_t)(lo - (uint64_t)(uintptr_t)t->arena);
    return (size_t)(hi - lo);
}

/* Takes the first or last element of the operand out of what is declared. */
static void apply_mutation(struct trial *t, struct mutation m)
{
    const struct kt_operand *o = &t->operand[m.operand];
    int64_t runs = kt_operand_runs(o);
    bool first = m.end == FIRST_ELEMENT;
    for (int64_t i = first ? 0 : runs - 1; i >= 0 && i < runs; i += first ? 1 : -1) {
        size_t offset;
        size_t bytes = run_of(t, m.operand, i, &offset);
        if (bytes == 0)
            continue;
        memset(t->access + offset + (first ? 0 : bytes - o->elem), 0, o->elem);
        return;
    }
}

static void declare_access(struct trial *t, struct mutation m)
{
    memset(t->access, 0, t->used);
    for (int i = 0; i < t->operands; i++) {
        int64_t runs = kt_operand_runs(&t->operand[i]);
        for (int64_t run = 0; run < runs; run++) {
            size_t offset;
            size_t bytes = run_of(t, i, run, &offset);
            memset(t->access + offset, t->operand[i].access, bytes);
        }
    }
    if (m.end != NO_END)
        apply_mutation(t, m);
}

/* --- contents ---------------------------------------------------------------------------------------------- */

static void store_element(unsigned char *at, enum kt_type type, double re, double im)
{
    float f[2] = {(float)re, (float)im};
    double d[2] = {re, im};
    int32_t integer = (int32_t)re;
    switch (type) {
    case KT_S:
    case KT_C:
        memcpy(at, f, kt_type_bytes(type));
        break;
    case KT_D:
    case KT_Z:
        memcpy(at, d, kt_type_bytes(type));
        break;
    case KT_I:
        memcpy(at, &integer, sizeof integer);
        break;
    }
}

static size_t diagonal_offset(const struct kt_operand *o, int64_t j)
{
    bool upper = o->below <= 0;
    int64_t element = j * o->ld + j;
    if (o->form == KT_FORM_BAND)
        element = j * o->ld + o->diagonal;
    if (o->form == KT_FORM_PACKED)
        element = upper ? j * (j + 1) / 2 + j : j * o->rows - j * (j - 1) / 2;
    return (size_t)element * o->elem;
}

/* Makes the diagonal dominate: the triangle is well-conditioned, the symmetric matrix is positive definite. */
static void fill_dominant(struct trial *t, int operand)
{
    const struct kt_operand *o = &t->operand[operand];
    for (int64_t j = 0; j < o->cols && j < o->rows; j++)
        store_element(t->input + t->region[operand].base + diagonal_offset(o, j), t->region[operand].type,
                      (double)o->rows + 1 + (double)j / 8, 0);
}

static void fill_pivots(struct trial *t, struct kt_synth *s, int operand)
{
    int64_t n = t->operand[operand].rows;
    for (int64_t i = 0; i < n; i++)
        store_element(t->input + t->region[operand].base + (size_t)i * t->region[operand].elem, KT_I,
                      (double)(i + 1 + (int64_t)kt_synth_draw(s, (uint64_t)(n - i))), 0);
}

/* The first element selects which of the others the routine reads. */
static void fill_rotm(struct trial *t, struct kt_synth *s, int operand)
{
    store_element(t->input + t->region[operand].base, t->region[operand].type, (double)kt_synth_draw(s, 4) - 2, 0);
}

static void fill_input(struct trial *t, struct kt_synth *s, int operand)
{
    const struct region *r = &t->region[operand];
    for (size_t at = r->begin; at < r->end; at += r->elem)
        store_element(t->input + at, r->type, kt_synth_number(s), kt_synth_number(s));
    switch (t->operand[operand].arg ? t->operand[operand].arg->data : KT_ANY) {
    case KT_SPD:
    case KT_TRIANGLE:
    case KT_LU:
        fill_dominant(t, operand);
        break;
    case KT_PIVOTS:
        fill_pivots(t, s, operand);
        break;
    case KT_ROTM:
        fill_rotm(t, s, operand);
        break;
    default:
        break;
    }
}

/*
 * NAN shows where a poisoned element is only multiplied by 0, but is absorbing: adding to it goes unnoticed. The large
 * number is not, as long as the sum has enough digits for both. Comparisons treat NAN like a large number, not like 0.
 * Integer poison is small: pivots among it then lead into the margins and not out of the arena.
 */
static void store_poison(unsigned char *at, enum kt_type type, int run)
{
    static const double numbers[RUNS] = {(double)NAN, 12345.678, 0};
    double number = type == KT_I ? 1 + run : numbers[run];
    store_element(at, type, number, number);
}

static void fill_arena(struct trial *t, int run)
{
    for (int i = 0; i < t->operands; i++) {
        const struct region *r = &t->region[i];
        for (size_t at = r->begin; at < r->end; at += r->elem) {
            if (t->access[at] & KT_READ)
                memcpy(t->arena + at, t->input + at, r->elem);
            else
                store_poison(t->arena + at, r->type, run);
        }
    }
    memcpy(t->before, t->arena, t->used);
}

/* --- the call ---------------------------------------------------------------------------------------------- */

static void make_call(struct trial *t, int run)
{
    uint64_t address[KT_MAX_OPERANDS];
    struct kt_by_reference cells;
    struct kt_parameters parameters;
    for (int i = 0; i < t->operands; i++)
        address[i] = t->operand[i].base;
    kt_parameters_fill(t->symbol, t->args, address, INT_BYTES, &cells, &parameters);
    t->returned[run] = (struct kt_returned){0};
    kt_thunk_of(t->symbol)(t->function, &parameters, &t->returned[run]);
    t->info[run] = kt_parameters_info(t->symbol, &cells, INT_BYTES);
}

static struct finding finding_at(const struct trial *t, const char *what, size_t at)
{
    for (int i = 0; i < t->operands; i++)
        if (at >= t->region[i].begin && at < t->region[i].end)
            return (struct finding){what, i, (int64_t)at - (int64_t)t->region[i].base};
    return (struct finding){what, -1, (int64_t)at};
}

static struct finding check_unchanged(const struct trial *t)
{
    for (size_t at = 0; at < t->used; at++)
        if (!(t->access[at] & (KT_WRITE | KT_WORK)) && t->arena[at] != t->before[at])
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
    size_t bytes = result_bytes(t->symbol);
    if (t->symbol->routine->result == KT_I)
        return bytes && t->returned[0].integer != t->returned[run].integer;
    return memcmp(t->returned[0].number, t->returned[run].number, bytes) != 0;
}

/* A call with a size of 0 may leave even what it is to overwrite as it was. */
static bool may_do_nothing(const struct trial *t)
{
    const struct kt_routine *r = t->symbol->routine;
    for (int i = 0; i < r->args; i++)
        if (r->arg[i].role == KT_SIZE && t->values.v[i] == 0)
            return true;
    return false;
}

static bool is_untouched(const struct trial *t, size_t at)
{
    unsigned char poison[RUNS][16];
    const struct region *r = t->region;
    while (at >= r->end)
        r++;
    size_t byte = (at - r->begin) % r->elem;
    for (int run = 0; run < RUNS; run++) {
        store_poison(poison[run], r->type, run);
        if (t->after[run][at] != poison[run][byte])
            return false;
    }
    return true;
}

static struct finding compare_with_first(const struct trial *t, int run)
{
    bool lazy = may_do_nothing(t);
    if (t->info[0] != t->info[run])
        return (struct finding){"info depends on bytes that the table does not call read", -1, 0};
    if (results_differ(t, run))
        return (struct finding){"the result depends on bytes that the table does not call read", -1, 0};
    for (size_t at = 0; at < t->used; at++)
        if (t->access[at] & KT_WRITE && t->after[0][at] != t->after[run][at] && !(lazy && is_untouched(t, at)))
            return finding_at(t, "an output depends on bytes that the table does not call read", at);
    return (struct finding){0};
}

/*
 * cblas_[cz]gemv and cblas_[cz]gbmv of the reference library never return from a row-major call with a conjugate
 * transpose and M = 0 (https://github.com/Reference-LAPACK/lapack/pull/1374).
 */
static bool hangs(const struct trial *t)
{
    const struct kt_routine *r = t->symbol->routine;
    return t->values.row_major && kt_type_is_complex(r->type) && r->arg[0].role == KT_TRANS &&
           t->values.v[0] == 'C' && may_do_nothing(t);
}

/* The alternative is a defect of the library: legal arguments, but illegal ones for a routine that it calls itself,
 * as the gelsd family does with lalsd where there are no right-hand sides. */
static bool refuses_itself(const struct trial *t)
{
    return !strcasecmp(refused_by, t->symbol->routine->name) || !strcmp(refused_by, t->symbol->name);
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
        fill_arena(t, run);
        *refused_by = '\0';
        make_call(t, run);
        if (*refused_by && (*told = refuses_itself(t)))
            return (struct finding){"refuses the arguments", -1, 0};
        struct finding found = check_unchanged(t);
        if (found.what)
            return found;
        memcpy(t->after[run], t->arena, t->used);
    }
    return *told ? compare_runs(t) : (struct finding){0};
}

static void draw_arguments(struct trial *t, struct kt_synth *s)
{
    kt_synth_arguments(s, t->symbol, kt_synth_draw(s, 2), t->args);
    kt_values_decode(t->symbol, t->args, &t->values);
    t->operands = kt_operands(t->symbol, &t->values, INT_BYTES, t->operand);
    place_operands(t);
    kt_values_decode(t->symbol, t->args, &t->values);
    t->operands = kt_operands(t->symbol, &t->values, INT_BYTES, t->operand);
    for (int i = 0; i < t->operands; i++)
        fill_input(t, s, i);
}

/* --- reports ----------------------------------------------------------------------------------------------- */

static void print_argument(const struct trial *t, const struct kt_param *p)
{
    double imaginary;
    if (p->stored == KT_ADDRESS)
        return;
    double value = kt_stored_value(t->args, p, &imaginary);
    if (p->stored == KT_CHAR)
        printf(" %s=%c", p->name, (int)value);
    else if (p->stored == KT_CFLOAT || p->stored == KT_CDOUBLE)
        printf(" %s=(%g,%g)", p->name, value, imaginary);
    else
        printf(" %s=%g", p->name, value);
}

static void print_finding(const struct trial *t, struct finding f)
{
    printf("%s: %s", t->symbol->name, f.what);
    if (f.operand >= 0)
        printf(": %s + %lld bytes", t->operand[f.operand].name, (long long)f.byte);
    printf(";");
    for (int i = 0; i < t->symbol->params; i++)
        print_argument(t, &t->symbol->param[i]);
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
        draw_arguments(t, &synth);
        declare_access(t, (struct mutation){0});
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
static const char *why_unnoticed(const struct trial *t, struct mutation m)
{
    const struct kt_operand *o = &t->operand[m.operand];
    if (o->arg && o->arg->data == KT_REFLECTORS && o->access == KT_READ && m.end == FIRST_ELEMENT)
        return "the first element of a reflector is 1 and not stored";
    return NULL;
}

/* Returns whether any set had such an element; *NOTICED: whether a set showed that it is missing. */
static bool test_mutation(struct trial *t, const struct settings *settings, struct mutation m, bool *noticed)
{
    struct kt_synth synth = {.state = settings->seed};
    bool possible = false;
    *noticed = false;
    for (int set = 0; set < settings->sets && !*noticed; set++) {
        draw_arguments(t, &synth);
        if (t->operand[m.operand].elements == 0)
            continue;
        bool told;
        declare_access(t, m);
        *noticed = run_trial(t, &told).what != NULL;
        possible |= told;
    }
    return possible;
}

static void mutate_operand(struct trial *t, const struct settings *settings, int operand, struct counts *counts)
{
    for (enum end end = FIRST_ELEMENT; end <= LAST_ELEMENT; end++) {
        struct mutation m = {operand, end};
        bool noticed;
        if (!test_mutation(t, settings, m, &noticed))
            continue;
        counts->passed += noticed;
        if (noticed)
            continue;
        const char *why = why_unnoticed(t, m);
        counts->skipped += why != NULL;
        counts->failed += why == NULL;
        printf("%s: without the %s element of %s: not noticed%s%s\n", t->symbol->name,
               end == FIRST_ELEMENT ? "first" : "last", t->operand[operand].name, why ? ": " : "", why ? why : "");
    }
}

static void mutate_symbol(struct trial *t, const struct settings *settings, struct counts *counts)
{
    struct kt_synth synth = {.state = settings->seed};
    draw_arguments(t, &synth);
    for (int i = 0; i < t->operands; i++)
        if (t->operand[i].access != KT_WORK)
            mutate_operand(t, settings, i, counts);
}

static void test_routine(struct trial *t, const struct kt_routine *routine, const struct settings *settings,
                         struct counts *counts)
{
    for (enum kt_view view = 0; view < KT_VIEWS; view++) {
        struct kt_symbol symbol;
        if (!kt_symbol_make(routine, view, &symbol) || (settings->only && strcmp(settings->only, symbol.name)))
            continue;
        t->symbol = &symbol;
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
    unsigned char *memory = calloc(4 + RUNS, ARENA_BYTES);
    if (!memory)
        return KT_SYSTEM;
    struct trial t = {.arena = memory, .input = memory + ARENA_BYTES, .access = memory + 2 * ARENA_BYTES,
                      .before = memory + 3 * ARENA_BYTES};
    for (int run = 0; run < RUNS; run++)
        t.after[run] = memory + (size_t)(4 + run) * ARENA_BYTES;
    for (size_t i = 0; i < table->count; i++)
        test_routine(&t, &table->routine[i], settings, &counts);
    free(memory);
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
    enum kt_status status = kt_table_load(argv[optind], &table, &error);
    if (status != KT_OK)
        fprintf(stderr, "footprint: %s\n", error.text);
    else
        status = (enum kt_status)test_table(&table, &settings);
    kt_table_free(&table);
    return (int)status;
}
