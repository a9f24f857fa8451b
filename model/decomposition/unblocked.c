/* SPDX-License-Identifier: BSD-3-Clause */
#include "model/decomposition/unblocked.h"

#include "trace/base/memory.h"

#include <math.h>

enum { MAX_DEPTH = 64, RECENT = 256 /* a power of two */ };

/* Names behind the letter of the type: blocked code, and what does the same without blocks. */
static const struct pair {
    const char *blocked, *inner;
} pairs[] = {{"gbtrf", "gbtf2"},           {"gebrd", "gebd2"},       {"gehrd", "gehd2"}, {"gelqf", "gelq2"},
             {"geqlf", "geql2"},           {"geqrf", "geqr2"},       {"gerqf", "gerq2"}, {"getrf", "getf2"},
             {"hegst", "hegs2"},           {"hetrd", "hetd2"},       {"hetrf", "hetf2"}, {"hetrf_rk", "hetf2_rk"},
             {"hetrf_rook", "hetf2_rook"}, {"lauum", "lauu2"},       {"orglq", "orgl2"}, {"orgql", "org2l"},
             {"orgqr", "org2r"},           {"orgrq", "orgr2"},       {"ormlq", "orml2"}, {"ormql", "orm2l"},
             {"ormqr", "orm2r"},           {"ormrq", "ormr2"},       {"ormrz", "ormr3"}, {"pbtrf", "pbtf2"},
             {"potrf", "potf2"},           {"pstrf", "pstf2"},       {"sygst", "sygs2"}, {"sytrd", "sytd2"},
             {"sytrf", "sytf2"},           {"sytrf_rk", "sytf2_rk"}, {"trtri", "trti2"}, {"sytrf_rook", "sytf2_rook"},
             {"tzrzf", "latrz"},           {"unglq", "ungl2"},       {"ungql", "ung2l"}, {"ungqr", "ung2r"},
             {"ungrq", "ungr2"},           {"unmlq", "unml2"},       {"unmql", "unm2l"}, {"unmqr", "unm2r"},
             {"unmrq", "unmr2"},           {"unmrz", "unmr3"}};

enum { PAIRS = sizeof pairs / sizeof *pairs };

/* What a routine is in the table. */
struct known {
    const struct kt_entry *entry;
    const struct pair *blocked, *inner; /* NULL: not that */
};

/* A blocked call in progress whose inside is being read. */
struct open_call {
    int64_t n; /* -1: none */
    bool told;
    struct kt_values values;
    struct kt_call call; /* without arguments */
    size_t found;
};

struct kt_unblocked_walk {
    struct kt_unblocked *found;
    size_t count;
    struct known recent[RECENT];
    struct open_call open[MAX_DEPTH];
};

struct kt_unblocked_walk *kt_unblocked_walk_new(void)
{
    struct kt_unblocked_walk *walk = kt_zeros(1, sizeof *walk);
    for (int i = 0; i < MAX_DEPTH; i++)
        walk->open[i].n = -1;
    return walk;
}

/* --- routines ---------------------------------------------------------------------------------------------- */

static struct known look_up(const struct kt_entry *entry)
{
    struct known known = {.entry = entry};
    const char *name = entry->symbol.routine->name;
    for (int i = 0; i < PAIRS && *name; i++) {
        if (!strcmp(name + 1, pairs[i].blocked))
            known.blocked = &pairs[i];
        if (!strcmp(name + 1, pairs[i].inner))
            known.inner = &pairs[i];
    }
    return known;
}

static const struct known *known_of(struct kt_unblocked_walk *walk, const struct kt_entry *entry)
{
    struct known *recent = &walk->recent[(uintptr_t)entry / sizeof *entry % RECENT];
    if (recent->entry != entry)
        *recent = look_up(entry);
    return recent;
}

static size_t finding_of(struct kt_unblocked_walk *walk, const char *routine)
{
    for (size_t i = 0; i < walk->count; i++)
        if (!strcmp(walk->found[i].routine, routine))
            return i;
    walk->found = kt_room_for_one(walk->found, walk->count, sizeof *walk->found);
    walk->found[walk->count] = (struct kt_unblocked){.routine = routine};
    return walk->count++;
}

/* --- sizes ------------------------------------------------------------------------------------------------- */

/* Argument of that name; -1: there is none. */
static int find_arg(const struct kt_routine *routine, const char *name)
{
    for (int i = 0; i < routine->args; i++)
        if (!strcmp(routine->arg[i].name, name))
            return i;
    return -1;
}

/* The least of all sizes. Of a part of a matrix, as balancing leaves it, that of the part counts. */
static double least_size(const struct kt_routine *routine, const struct kt_values *values)
{
    double least = INFINITY;
    int ilo = find_arg(routine, "ilo");
    int ihi = find_arg(routine, "ihi");
    for (int i = 0; i < routine->args; i++)
        if (routine->arg[i].role == KT_SIZE)
            least = fmin(least, values->v[i]);
    return ilo >= 0 && ihi >= 0 ? fmin(least, values->v[ihi] - values->v[ilo] + 1) : least;
}

/* Blocks of two take less than this, whatever the routine. */
static bool has_room_for_blocks(const struct kt_routine *routine, const struct kt_values *values)
{
    static const double besides = 65 * 64; /* of dgehrd */
    double sizes = 0;
    for (int i = 0; i < routine->args; i++)
        sizes += routine->arg[i].role == KT_SIZE ? values->v[i] : 0;
    for (int i = 0; i < routine->args; i++)
        if (routine->arg[i].role == KT_LWORK)
            return values->v[i] >= 2 * sizes + besides;
    return true;
}

static bool is_extent(const struct kt_arg *arg)
{
    return arg->role == KT_SIZE || arg->role == KT_INTEGER; /* ilo and ihi, of a part */
}

/* Do all sizes that both routines have by the same name agree? */
static bool is_whole(const struct kt_routine *outer, const struct kt_values *all, const struct kt_routine *inner,
                     const struct kt_values *values)
{
    bool any = false;
    for (int i = 0; i < inner->args; i++) {
        int same = is_extent(&inner->arg[i]) ? find_arg(outer, inner->arg[i].name) : -1;
        if (same >= 0 && all->v[same] != values->v[i])
            return false;
        any = any || same >= 0;
    }
    return any;
}

/* --- calls ------------------------------------------------------------------------------------------------- */

static void begin_call(struct kt_unblocked_walk *walk, const struct kt_call *call, struct open_call *open)
{
    const struct kt_symbol *symbol = &call->entry->symbol;
    kt_values_decode(symbol, call->args, &open->values);
    if (kt_is_query(symbol->routine, &open->values) || least_size(symbol->routine, &open->values) <= KT_UNBLOCKED_SMALL)
        return;
    open->n = (int64_t)call->n;
    open->told = false;
    open->call = kt_call_keep(call);
    open->found = finding_of(walk, symbol->routine->name);
    walk->found[open->found].seen++;
}

static void end_call(struct open_call *open)
{
    if (open->n >= 0)
        kt_call_drop(&open->call);
    open->n = -1;
}

static void tell(struct kt_unblocked_walk *walk, struct open_call *open, const char *inner)
{
    struct kt_unblocked *found = &walk->found[open->found];
    const struct kt_routine *routine = open->call.entry->symbol.routine;
    open->told = true;
    if (found->calls++ == 0) {
        found->inner = inner;
        found->first = kt_call_keep(&open->call);
    }
    found->roomy += has_room_for_blocks(routine, &open->values);
    found->seconds += kt_call_seconds(&open->call);
}

static void look_at_inner(struct kt_unblocked_walk *walk, const struct kt_call *call, const struct pair *pair)
{
    struct kt_values values;
    struct open_call *open = &walk->open[call->depth - 1];
    if (open->n < 0 || open->n != call->parent || open->told)
        return;
    const struct kt_routine *outer = open->call.entry->symbol.routine;
    const struct kt_routine *inner = call->entry->symbol.routine;
    if (strcmp(outer->name + 1, pair->blocked) != 0 || *outer->name != *inner->name)
        return;
    kt_values_decode(&call->entry->symbol, call->args, &values);
    if (is_whole(outer, &open->values, inner, &values))
        tell(walk, open, inner->name);
}

void kt_unblocked_walk_add(struct kt_unblocked_walk *walk, const struct kt_call *call)
{
    if (call->depth >= MAX_DEPTH)
        return;
    const struct known *known = known_of(walk, call->entry);
    struct open_call *open = &walk->open[call->depth];
    end_call(open);
    if (known->inner && call->depth > 0)
        look_at_inner(walk, call, known->inner);
    if (known->blocked && call->complete && call->inside_recorded && call->nested)
        begin_call(walk, call, open);
}

/* --- the end ----------------------------------------------------------------------------------------------- */

static int compare_seconds(const void *a, const void *b)
{
    const struct kt_unblocked *x = a;
    const struct kt_unblocked *y = b;
    if (x->seconds != y->seconds)
        return x->seconds > y->seconds ? -1 : 1;
    return strcmp(x->routine, y->routine);
}

struct kt_unblocked *kt_unblocked_walk_finish(struct kt_unblocked_walk *walk, size_t *count)
{
    struct kt_unblocked *found = walk->found;
    *count = 0;
    for (int i = 0; i < MAX_DEPTH; i++)
        end_call(&walk->open[i]);
    for (size_t i = 0; i < walk->count; i++)
        if (found[i].calls)
            found[(*count)++] = found[i];
    if (*count)
        qsort(found, *count, sizeof *found, compare_seconds);
    free(walk);
    return found;
}

void kt_unblocked_free(struct kt_unblocked *found, size_t count)
{
    for (size_t i = 0; i < count; i++)
        kt_call_drop(&found[i].first);
    free(found);
}
