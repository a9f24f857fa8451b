/* SPDX-License-Identifier: BSD-3-Clause */
#include "replay/measure/workingset.h"

#include "replay/call/held.h"
#include "trace/base/memory.h"

#include <errno.h>
#include <math.h>
#include <sys/mman.h>
#include <unistd.h>

enum { LINE = 64, DEFAULT_MODULUS = 64, FEWEST_SETS = 2, CACHES = 4 };

static const double default_interval = 100e-6;

struct kt_workingset {
    const struct kt_job *job;
    const struct kt_data_pool *pool;
    struct kt_workingset_options options;
    struct kt_workingset_layout layout;
    struct kt_rotation rotation;
    struct kt_by_reference cells[2]; /* the rotation's parameters point here */
    unsigned char *area;             /* of the sets; owned */
    uint64_t area_bytes;
    unsigned char *home; /* of the operands that stay; owned */
    uint64_t home_bytes;
    uint64_t calls; /* in an interval */
    bool refills;
};

uint64_t kt_workingset_cache(void)
{
    enum { USUAL = 32 << 20 };
    static const int level[] = {_SC_LEVEL2_CACHE_SIZE, _SC_LEVEL3_CACHE_SIZE, _SC_LEVEL4_CACHE_SIZE};
    long largest = 0;
    for (size_t i = 0; i < sizeof level / sizeof *level; i++)
        largest = sysconf(level[i]) > largest ? sysconf(level[i]) : largest;
    return (uint64_t)(largest > 0 ? largest : USUAL);
}

uint64_t kt_workingset_flush(void)
{
    return CACHES * kt_workingset_cache();
}

/* --- where operands are ------------------------------------------------------------------------------------ */

static bool is_referenced(const struct kt_operand *o)
{
    return o->lo != o->hi;
}

static bool shares(const struct kt_operand *a, const struct kt_operand *b)
{
    return a->lo < b->hi && b->lo < a->hi;
}

/* An operand that shares memory with one that moves moves, too, and so does what shares memory with that. */
static uint32_t those_that_stay(const struct kt_job *job, uint32_t still)
{
    uint32_t before;
    for (int i = 0; i < job->operands; i++)
        if (!is_referenced(&job->operand[i]))
            still |= 1u << i;
    do {
        before = still;
        for (int i = 0; i < job->operands; i++)
            for (int j = 0; j < job->operands; j++)
                if (!(still >> j & 1) && shares(&job->operand[i], &job->operand[j]))
                    still &= ~(1u << i);
    } while (still != before);
    return still;
}

/* Indices of the operands that move by address; returns how many. */
static int sort_moving(const struct kt_job *job, uint32_t still, int order[KT_MAX_OPERANDS])
{
    int count = 0;
    for (int i = 0; i < job->operands; i++) {
        if (still >> i & 1)
            continue;
        int at = count++;
        for (; at > 0 && job->operand[order[at - 1]].lo > job->operand[i].lo; at--)
            order[at] = order[at - 1];
        order[at] = i;
    }
    return count;
}

/* Bytes of the lines that the operand has elements in, runs taken one by one. */
static uint64_t touched_bytes(const struct kt_operand *o)
{
    uint64_t bytes = 0;
    uint64_t done = 0;
    int64_t runs = kt_operand_runs(o);
    for (int64_t i = 0; i < runs; i++) {
        uint64_t lo;
        uint64_t hi;
        kt_operand_run(o, i, &lo, &hi);
        if (lo == hi)
            continue;
        lo -= lo % LINE;
        hi = (hi + LINE - 1) / LINE * LINE;
        lo = lo < done && done <= hi ? done : lo;
        bytes += hi - lo;
        done = hi;
    }
    return bytes;
}

void kt_workingset_lay_out(const struct kt_job *job, uint32_t still, uint64_t modulus, struct kt_workingset_layout *out)
{
    int order[KT_MAX_OPERANDS];
    uint64_t hi = 0;    /* end of what is behind us, in the job */
    uint64_t shift = 0; /* from there to the set; wraps */
    *out = (struct kt_workingset_layout){.still = those_that_stay(job, still)};
    int count = sort_moving(job, out->still, order);
    for (int i = 0; i < count; i++) {
        const struct kt_operand *o = &job->operand[order[i]];
        if (i == 0)
            shift = o->lo % modulus - o->lo;
        else if (o->lo > hi && o->lo - hi >= KT_ARENA_PAGE)
            shift = (hi + shift + modulus - 1) / modulus * modulus + o->lo % modulus - o->lo;
        hi = o->hi > hi ? o->hi : hi;
        out->shift[order[i]] = shift;
        out->touched += touched_bytes(o);
    }
    out->stride = (hi + shift + modulus - 1) / modulus * modulus;
}

/* The operands as they are with this set; returns them with ADDRESS, the pointers to pass. */
static void place(const struct kt_workingset *w, uint64_t set, struct kt_operand *operand, uint64_t *address)
{
    for (int i = 0; i < w->job->operands; i++) {
        bool stays = w->layout.still >> i & 1;
        uint64_t shift = stays ? (uint64_t)w->home : (uint64_t)w->area + w->layout.shift[i] + set * w->layout.stride;
        operand[i] = w->job->operand[i];
        operand[i].base += shift;
        operand[i].lo += shift;
        operand[i].hi += shift;
        address[i] = w->job->address[i] + shift;
    }
}

/* Writes the operands in this set, or those that stay. */
static void fill(const struct kt_workingset *w, uint64_t set, bool those_that_move)
{
    struct kt_operand operand[KT_MAX_OPERANDS];
    uint64_t address[KT_MAX_OPERANDS];
    place(w, set, operand, address);
    for (int i = 0; i < w->job->operands; i++)
        if (those_that_move != (w->layout.still >> i & 1) && (!w->job->held || !kt_held_fill(w->job->held, operand, i)))
            kt_data_fill(w->pool, operand, w->job->operands, i);
}

/* --- what keeps numbers ordinary --------------------------------------------------------------------------- */

static const struct kt_param *find_scalar(const struct kt_symbol *symbol, const char *name)
{
    for (int i = 0; i < symbol->params; i++) {
        int arg = symbol->param[i].arg;
        if (arg >= 0 && symbol->routine->arg[arg].role == KT_SCALAR && !strcmp(symbol->routine->arg[arg].name, name))
            return &symbol->param[i];
    }
    return NULL;
}

static double scalar_size(const struct kt_call *call, const struct kt_param *p)
{
    double imaginary = 0;
    return hypot(kt_stored_value(call->args, p, &imaginary), imaginary);
}

/* Routines that add alpha times something to an operand, where no beta says so. */
static bool adds(const char *routine)
{
    static const char *const name[] = {"axpy", "ger", "syr", "her", "spr", "hpr"};
    for (size_t i = 0; i < sizeof name / sizeof *name; i++)
        if (!strncmp(routine + 1, name[i], strlen(name[i])))
            return true;
    return false;
}

enum guard { NO_GUARD, ALTERNATE, REFILL, IMPOSSIBLE };

/* For one operand that the call reads and changes. With |beta| < 1 what is there fades by itself. */
static enum guard guard_of_still(const struct kt_call *call)
{
    const struct kt_param *alpha = find_scalar(&call->entry->symbol, "alpha");
    const struct kt_param *beta = find_scalar(&call->entry->symbol, "beta");
    if (beta && scalar_size(call, beta) < 1)
        return NO_GUARD;
    bool accumulates = beta ? kt_stored_value(call->args, beta, NULL) == 1 && scalar_size(call, beta) == 1
                            : adds(call->entry->symbol.routine->name);
    return alpha && accumulates ? ALTERNATE : IMPOSSIBLE;
}

static bool is_changed_input(const struct kt_job *job, int i)
{
    return job->restore[i] && is_referenced(&job->operand[i]);
}

static enum kt_status choose_guards(struct kt_workingset *w, struct kt_error *error)
{
    const struct kt_call *call = &w->job->shape->first;
    for (int i = 0; i < w->job->operands; i++) {
        if (!is_changed_input(w->job, i))
            continue;
        enum guard guard = w->layout.still >> i & 1 ? guard_of_still(call) : REFILL;
        if (guard == IMPOSSIBLE)
            return kt_fail(error, KT_BAD_INPUT, "%s changes %s in every call: it cannot stay where it is",
                           call->entry->symbol.name, w->job->operand[i].name);
        w->refills |= guard == REFILL;
        w->rotation.alternate |= guard == ALTERNATE;
    }
    return KT_OK;
}

/* Changes the sign of a stored scalar, real or complex. */
static void negate(unsigned char *args, const struct kt_param *p)
{
    bool single = p->stored == KT_FLOAT || p->stored == KT_CFLOAT;
    size_t size = single ? sizeof(float) : sizeof(double);
    for (size_t at = 0; at < kt_stored_bytes(p->stored); at += size)
        args[p->offset + at + size - 1] ^= 0x80;
}

/* --- memory ------------------------------------------------------------------------------------------------ */

static uint64_t round_up(uint64_t x, uint64_t unit)
{
    return (x + unit - 1) / unit * unit;
}

/* Pages are written to: what the call does not read would be mapped in the timed part. */
static unsigned char *map(uint64_t bytes, bool huge)
{
    enum { HUGE = 2 << 20 };
    unsigned char *memory =
        mmap(NULL, KT_ARENA_PAGE + bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED)
        return NULL;
    memory += KT_ARENA_PAGE; /* what is before is readable, as in kt_arena_open */
    madvise(memory - KT_ARENA_PAGE, KT_ARENA_PAGE + bytes, huge ? MADV_HUGEPAGE : MADV_NOHUGEPAGE);
    for (uint64_t at = round_up(bytes, KT_ARENA_PAGE); at > 0; at -= KT_ARENA_PAGE)
        *(volatile unsigned char *)(memory + at - KT_ARENA_PAGE) = 0;
    return memory;
}

static enum kt_status reserve(struct kt_workingset *w, struct kt_error *error)
{
    struct kt_rotation *r = &w->rotation;
    uint64_t flush = w->options.flush_bytes * (uint64_t)w->options.threads;
    r->stride = w->layout.stride;
    if (w->layout.touched == 0)
        return kt_fail(error, KT_BAD_INPUT, "no operand of %s moves", w->job->shape->first.entry->symbol.name);
    r->sets = (flush + w->layout.touched - 1) / w->layout.touched + 1;
    r->sets = r->sets < FEWEST_SETS ? FEWEST_SETS : r->sets;
    w->home_bytes = w->job->bytes;
    if (r->sets > (w->options.limit - w->home_bytes) / r->stride || w->home_bytes > w->options.limit)
        return kt_fail(error, KT_BAD_INPUT, "%.2g sets of %.2g bytes are more than the memory for them",
                       (double)r->sets, (double)r->stride);
    w->area_bytes = round_up(r->sets * r->stride + KT_ARENA_PAGE, KT_ARENA_PAGE);
    w->area = map(w->area_bytes, w->options.huge);
    w->home = map(w->home_bytes, false);
    if (!w->area || !w->home)
        return kt_fail(error, KT_SYSTEM, "cannot map %llu bytes for operands: %s", (unsigned long long)w->area_bytes,
                       strerror(errno));
    return KT_OK;
}

/* --- the call ---------------------------------------------------------------------------------------------- */

/* Words that change with the set's address are found by filling the parameters with two addresses. */
static void find_moving_words(struct kt_workingset *w, size_t int_bytes)
{
    const struct kt_call *call = &w->job->shape->first;
    struct kt_parameters parameters = {0};
    struct kt_operand operand[KT_MAX_OPERANDS];
    uint64_t address[KT_MAX_OPERANDS];
    place(w, 1, operand, address);
    kt_parameters_fill(&call->entry->symbol, call->args, address, int_bytes, &w->cells[0], &parameters);
    for (int i = 0; i < KT_MAX_WORDS; i++)
        if (parameters.word[i] != w->rotation.parameters[0].word[i])
            w->rotation.word[w->rotation.words++] = (unsigned char)i;
}

static void make_parameters(struct kt_workingset *w, size_t int_bytes)
{
    const struct kt_call *call = &w->job->shape->first;
    const struct kt_symbol *symbol = &call->entry->symbol;
    const struct kt_param *alpha = find_scalar(symbol, "alpha");
    struct kt_operand operand[KT_MAX_OPERANDS];
    uint64_t address[KT_MAX_OPERANDS];
    unsigned char *args = kt_resize(NULL, symbol->arg_bytes, 1);
    memcpy(args, call->args, symbol->arg_bytes);
    place(w, 0, operand, address);
    for (int i = 0; i < 2; i++) {
        kt_parameters_fill(symbol, args, address, int_bytes, &w->cells[i], &w->rotation.parameters[i]);
        if (alpha)
            negate(args, alpha);
    }
    find_moving_words(w, int_bytes);
    free(args);
}

/* The call on set 0 brings code and stack in. Then everything is written, the sets in the order of their use, so that
 * the first ones are displaced when it begins; what stays is written last. */
static void prepare(struct kt_workingset *w)
{
    struct kt_returned returned;
    const struct kt_rotation *r = &w->rotation;
    fill(w, 0, false);
    fill(w, 0, true);
    struct kt_parameters first = r->parameters[0];
    for (int i = 0; i < r->words; i++)
        first.word[r->word[i]] -= (int64_t)(kt_rotation_set(r, 0) * r->stride);
    r->thunk(r->function, &first, &returned);
    for (uint64_t i = 0; i < r->sets; i++)
        fill(w, kt_rotation_set(r, (int64_t)i), true);
    fill(w, 0, false);
}

/* As many calls as fill an interval, by the time of one; the second attempt excludes an interruption in the first. */
static void choose_calls(struct kt_workingset *w)
{
    uint64_t most = w->refills ? w->rotation.sets : UINT64_C(1) << 24;
    for (int i = 0; i < 2; i++) {
        double wanted = w->options.interval / fmax(kt_workingset_time(w), 1e-9);
        if (wanted <= (double)w->calls)
            return;
        w->calls = wanted < (double)most ? (uint64_t)ceil(wanted) : most;
    }
}

static void set_defaults(struct kt_workingset_options *o)
{
    o->flush_bytes = o->flush_bytes ? o->flush_bytes : kt_workingset_flush();
    o->threads = o->threads ? o->threads : 1;
    o->modulus = o->modulus ? o->modulus : DEFAULT_MODULUS;
    o->interval = o->interval > 0 ? o->interval : default_interval;
    o->limit = o->limit ? o->limit : kt_pages_limit();
}

static enum kt_status begin(struct kt_workingset *w, void *function, size_t int_bytes, struct kt_error *error)
{
    const struct kt_symbol *symbol = &w->job->shape->first.entry->symbol;
    kt_workingset_lay_out(w->job, w->options.still, w->options.modulus, &w->layout);
    w->rotation.thunk = kt_thunk_of(symbol);
    w->rotation.function = function;
    w->rotation.walk = w->options.walk;
    KT_TRY(choose_guards(w, error));
    KT_TRY(reserve(w, error));
    make_parameters(w, int_bytes);
    if (!kt_rotation_begin(&w->rotation))
        return kt_fail(error, KT_BAD_INPUT, "%s: too many working sets", symbol->name);
    prepare(w);
    choose_calls(w);
    return KT_OK;
}

struct kt_workingset *kt_workingset_open(const struct kt_job *job, void *function, size_t int_bytes,
                                         const struct kt_data_pool *pool, const struct kt_workingset_options *options,
                                         struct kt_error *error)
{
    struct kt_workingset *w = kt_resize(NULL, 1, sizeof *w);
    *w = (struct kt_workingset){.job = job, .pool = pool, .options = *options, .calls = 1};
    set_defaults(&w->options);
    if (begin(w, function, int_bytes, error) == KT_OK)
        return w;
    kt_workingset_close(w);
    return NULL;
}

void kt_workingset_close(struct kt_workingset *w)
{
    if (!w)
        return;
    kt_rotation_end(&w->rotation);
    if (w->area)
        munmap(w->area - KT_ARENA_PAGE, KT_ARENA_PAGE + w->area_bytes);
    if (w->home)
        munmap(w->home - KT_ARENA_PAGE, KT_ARENA_PAGE + w->home_bytes);
    free(w);
}

double kt_workingset_time(struct kt_workingset *w)
{
    double seconds = kt_rotation_time(&w->rotation, w->calls);
    for (uint64_t i = w->calls; w->refills && i > 0; i--)
        fill(w, kt_rotation_set(&w->rotation, -(int64_t)i), true);
    return seconds;
}

struct kt_workingset_facts kt_workingset_facts(const struct kt_workingset *w)
{
    const struct kt_rotation *r = &w->rotation;
    return (struct kt_workingset_facts){.sets = r->sets,
                                        .stride = r->stride,
                                        .bytes = w->area_bytes,
                                        .touched = w->layout.touched,
                                        .calls = w->calls,
                                        .still = w->layout.still,
                                        .overhead = r->overhead,
                                        .alternates = r->alternate,
                                        .refills = w->refills};
}
