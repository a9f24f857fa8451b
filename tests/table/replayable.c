/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Which routines of the table can be replayed: each is called with arguments of a number of legal shapes and the
 * contents that replay would give its operands (replay/call/data.h), many times with restored inputs.
 *
 *     replayable [--calls N] [--seconds N] TABLE LIBRARY[,LIBRARY...] [PATTERN...]
 *
 * Prints a line for each routine that the library has: NAME SECTION RESULT [DETAILS]. RESULT is good, or what went
 * wrong first: info, nan, denormal (in a result), overflow (in the course), hangs, dies, unmade (no legal arguments).
 * Underflow and denormal operands in the course are counted but are no failure: iterations that converge have them with
 * any data, and the library has denormal constants (1 / huge in LAMCH).
 *
 * Each routine has a process of its own, with a time limit, so that one that data lead astray does no harm.
 */
#include "replay/call/arena.h"
#include "replay/call/call.h"
#include "replay/call/data.h"
#include "tests/parts/synth.h"
#include "trace/table/spec.h"

#include <dlfcn.h>
#include <fenv.h>
#include <fnmatch.h>
#include <getopt.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#ifdef __SSE__
#include <xmmintrin.h>
#endif

enum { SHAPES = 40, INT_BYTES = 4, DENORMAL_OPERAND = 2 };

struct settings {
    int calls;   /* of each routine, all shapes together */
    int seconds; /* for each routine */
};

struct trial {
    const struct kt_symbol *symbol;
    void *function;
    struct kt_data_pool *pool;
    struct kt_arena arena;
    unsigned char args[KT_SYNTH_ARG_BYTES];
    struct kt_values values;
    struct kt_operand operand[KT_MAX_OPERANDS];
    uint64_t address[KT_MAX_OPERANDS];
    int operands;
    int calls, underflows, denormals; /* denormals: calls that computed with some */
};

void xerbla_(const char *name, const int *info, size_t length);

/* Instead of the library's, which ends the process. */
void xerbla_(const char *name, const int *info, size_t length)
{
    (void)name, (void)info, (void)length;
}

/* --- one shape --------------------------------------------------------------------------------------------- */

static void move_operands(struct trial *t)
{
    for (int i = 0; i < t->operands; i++) {
        struct kt_operand *o = &t->operand[i];
        t->address[i] += (uint64_t)t->arena.base;
        uint64_t shift = t->address[i] - o->base;
        o->base += shift;
        o->lo += shift;
        o->hi += shift;
    }
}

/* Recorded addresses far apart, then moved into the arena as replay does. */
static bool place(struct trial *t)
{
    uint64_t bytes;
    for (uint64_t i = 0; i < KT_MAX_OPERANDS; i++)
        t->address[i] = 0x100000000 * (i + 1) + 16 * i;
    kt_synth_set_addresses(t->symbol, t->address, t->args);
    kt_values_decode(t->symbol, t->args, &t->values);
    t->operands = kt_operands(t->symbol, &t->values, INT_BYTES, t->operand);
    if (!kt_arena_layout(&(struct kt_layout){0}, t->operand, t->operands, t->address, &bytes) ||
        bytes + KT_ARENA_PAGE > t->arena.bytes)
        return false;
    move_operands(t);
    return true;
}

/* Calls without work are legal but prove nothing. */
static bool has_work(const struct trial *t)
{
    for (int i = 0; i < t->symbol->routine->args; i++)
        if (t->symbol->routine->arg[i].role == KT_SIZE && t->symbol->routine->arg[i].legal.count == 0 &&
            t->values.v[i] <= 0)
            return false;
    return !kt_is_query(t->symbol->routine, &t->values);
}

/* --- results ----------------------------------------------------------------------------------------------- */

static bool is_single(enum kt_type type)
{
    return type == KT_S || type == KT_C;
}

static int class_of_run(const struct kt_operand *o, uint64_t lo, uint64_t hi)
{
    int worst = FP_NORMAL;
    size_t step = is_single(o->arg->type) ? sizeof(float) : sizeof(double);
    for (; lo < hi; lo += step) {
        int class = step == sizeof(float) ? fpclassify(*(const float *)lo) : fpclassify(*(const double *)lo);
        if (class == FP_NAN || class == FP_INFINITE)
            return class;
        worst = class == FP_SUBNORMAL ? class : worst;
    }
    return worst;
}

static const char *class_name(int class)
{
    return class == FP_NAN ? "nan" : class == FP_INFINITE ? "infinite" : "denormal";
}

/* Prints what is wrong with the results; true: nothing. */
static bool check_results(const struct trial *t)
{
    for (int i = 0; i < t->operands; i++) {
        const struct kt_operand *o = &t->operand[i];
        bool counts = o->arg && o->arg->type != KT_I && o->access != KT_WORK && o->lo != o->hi;
        for (int64_t run = 0; counts && run < kt_operand_runs(o); run++) {
            uint64_t lo, hi;
            kt_operand_run(o, run, &lo, &hi);
            int class = class_of_run(o, lo, hi);
            if (class != FP_NORMAL) {
                printf("%s %s", class_name(class), o->name);
                return false;
            }
        }
    }
    return true;
}

/* --- calls ------------------------------------------------------------------------------------------------- */

static void print_arguments(const struct trial *t)
{
    const struct kt_routine *r = t->symbol->routine;
    for (int i = 0; i < r->args; i++) {
        enum kt_role role = r->arg[i].role;
        if (role <= KT_OPTION)
            printf(" %s=%c", r->arg[i].name, (char)t->values.v[i]);
        else if (role == KT_SIZE || role == KT_INTEGER || role == KT_SCALAR || role == KT_LOGICAL)
            printf(" %s=%.4g", r->arg[i].name, t->values.v[i]);
    }
}

/* FE_ALL_EXCEPT does not include the flag of denormal operands. */
static void clear_flags(void)
{
    feclearexcept(FE_ALL_EXCEPT);
#ifdef __SSE__
    _mm_setcsr(_mm_getcsr() & ~(unsigned)DENORMAL_OPERAND);
#endif
}

/* Whether some operand since the last clearing was denormal; where it cannot be told, none. */
static int denormal_operands(void)
{
#ifdef __SSE__
    return (int)(_mm_getcsr() & DENORMAL_OPERAND);
#else
    return 0;
#endif
}

/* Makes the call on fresh inputs; returns info. */
static int64_t make_call(struct trial *t, int *raised)
{
    struct kt_by_reference cells;
    struct kt_parameters parameters;
    struct kt_returned returned;
    for (int i = 0; i < t->operands; i++)
        kt_data_fill(t->pool, t->operand, t->operands, i);
    kt_parameters_fill(t->symbol, t->args, t->address, INT_BYTES, &cells, &parameters);
    clear_flags();
    kt_thunk_of(t->symbol)(t->function, &parameters, &returned);
    *raised = fetestexcept(FE_OVERFLOW | FE_UNDERFLOW) | denormal_operands();
    return kt_parameters_info(t->symbol, &cells, &returned, INT_BYTES);
}

/* The library refuses an argument that is no array: synthetic arguments are legal one by one, not always together. */
static bool refuses(const struct trial *t, int64_t info)
{
    return info < 0 && -info <= t->symbol->params && t->symbol->param[-info - 1].stored != KT_ADDRESS;
}

static bool draw_shape(struct trial *t, struct kt_synth *synth, int64_t *refused)
{
    enum { ATTEMPTS = 2000 };
    for (int i = 0; i < ATTEMPTS; i++) {
        int raised;
        kt_synth_arguments(synth, t->symbol, false, t->args);
        if (!place(t) || !has_work(t))
            continue;
        int64_t info = make_call(t, &raised);
        if (!refuses(t, info))
            return true;
        *refused = info;
    }
    return false;
}

/* True if all is well; otherwise prints what is not. */
static bool call_once(struct trial *t)
{
    int raised;
    int64_t info = make_call(t, &raised);
    t->denormals += (raised & DENORMAL_OPERAND) != 0;
    t->underflows += (raised & FE_UNDERFLOW) != 0;
    t->calls++;
    if (info != 0)
        printf("info %lld", (long long)info);
    else if (raised & FE_OVERFLOW)
        printf("overflow -");
    return info == 0 && !(raised & FE_OVERFLOW) && check_results(t);
}

static bool try_shape(struct trial *t, const struct settings *settings)
{
    for (int i = 0; i < settings->calls / SHAPES; i++)
        if (!call_once(t)) {
            print_arguments(t);
            return false;
        }
    return true;
}

static void try_routine(struct trial *t, const struct settings *settings)
{
    struct kt_error error = {0};
    struct kt_synth synth = {.state = 1};
    int64_t refused = 0;
    t->pool = kt_data_pool_new();
    if (kt_arena_open(64 << 20, KT_PAGES_ANY, &t->arena, &error) != KT_OK)
        return;
    for (int shape = 0; shape < SHAPES; shape++) {
        synth.large = shape == SHAPES - 1;
        if (!draw_shape(t, &synth, &refused)) {
            printf("unmade %d%s info %lld", shape, synth.large ? " large" : "", (long long)refused);
            print_arguments(t);
            return;
        }
        if (!try_shape(t, settings))
            return;
    }
    printf("good %d calls, underflow in %d, denormal operands in %d", t->calls, t->underflows, t->denormals);
}

/* --- all of them ------------------------------------------------------------------------------------------- */

static void try_apart(const struct kt_symbol *symbol, void *function, const struct settings *settings)
{
    struct trial t = {.symbol = symbol, .function = function};
    int status = 0;
    printf("%s %s ", symbol->routine->name, symbol->routine->section);
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        struct rlimit none = {0, 0};
        setrlimit(RLIMIT_CORE, &none);
        alarm((unsigned)settings->seconds);
        try_routine(&t, settings);
        fflush(stdout);
        _exit(0);
    }
    waitpid(child, &status, 0);
    if (WIFSIGNALED(status))
        printf("%s %d", WTERMSIG(status) == SIGALRM ? "hangs" : "dies", WTERMSIG(status));
    printf("\n");
}

static bool is_wanted(const char *name, char **patterns, int count)
{
    for (int i = 0; i < count; i++)
        if (fnmatch(patterns[i], name, 0) == 0)
            return true;
    return count == 0;
}

static bool load_libraries(char *list)
{
    for (char *file; (file = strsep(&list, ","));)
        if (!dlopen(file, RTLD_NOW | RTLD_GLOBAL)) {
            fprintf(stderr, "replayable: %s\n", dlerror());
            return false;
        }
    return true;
}

static void try_table(const struct kt_table *table, char **patterns, int count, const struct settings *settings)
{
    for (size_t i = 0; i < table->count; i++) {
        struct kt_symbol symbol;
        if (!is_wanted(table->routine[i].name, patterns, count) ||
            !kt_symbol_make(&table->routine[i], KT_FORTRAN, &symbol))
            continue;
        void *function = dlsym(RTLD_DEFAULT, symbol.name);
        if (function)
            try_apart(&symbol, function, settings);
    }
}

int main(int argc, char **argv)
{
    static const struct option options[] = {
        {"calls", required_argument, NULL, 'c'}, {"seconds", required_argument, NULL, 's'}, {0}};
    struct settings settings = {.calls = 1000, .seconds = 20};
    struct kt_table table;
    struct kt_error error = {0};
    for (int c; (c = getopt_long(argc, argv, "", options, NULL)) != -1;) {
        if (c == 'c')
            settings.calls = atoi(optarg);
        else if (c == 's')
            settings.seconds = atoi(optarg);
        else
            return KT_USAGE;
    }
    if (argc - optind < 2)
        return KT_USAGE;
    if (kt_spec_load(argv[optind], &table, &error) != KT_OK) {
        fprintf(stderr, "replayable: %s\n", error.text);
        return KT_BAD_INPUT;
    }
    if (!load_libraries(argv[optind + 1]))
        return KT_BAD_INPUT;
    try_table(&table, argv + optind + 2, argc - optind - 2, &settings);
    kt_table_free(&table);
    return KT_OK;
}
