/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A call is reduced to a key of 64-bit words, one per argument that matters, and looked up in a hash table, unless it
 * has the same arguments as an earlier one of its entry. Calls of several processes share a shape if they are of the
 * same symbol of the same library.
 */
#include "trace/shape/shape.h"

#include "trace/shape/arrangement.h"
#include "trace/base/memory.h"
#include "trace/read/profile.h"
#include "trace/shape/shape_dirt.h"
#include "trace/shape/shape_words.h"

#include <ctype.h>
#include <math.h>
#include <search.h>

enum { KEY_WORDS = KT_MAX_PARAMS + 1, RECENT = 256 /* a power of two */ };

struct key {
    uint64_t word[KEY_WORDS];
    size_t words;
    uint64_t hash;
};

/* The shape of the last call of an entry. */
struct recent {
    const struct kt_entry *entry;
    uint64_t version; /* of its arguments */
    size_t shape;
};

/* Open addressing; at most half full. */
struct kt_collection {
    const struct kt_trace *trace;
    enum kt_level level;
    struct kt_shapes shapes;
    struct recent recent[RECENT]; /* by entry */
    struct kt_call last;          /* leaves: the call before, which may be one */
    uint64_t last_args[KT_CONTEXT_WORDS];
    struct key *key;                      /* of each shape, */
    struct kt_arrangements *arrangements; /* how its operands lay, */
    struct kt_dirt *dirt;                 /* and what recording did to its calls */
    uint32_t *slot;                       /* number of the shape + 1, 0: free */
    size_t slots;                         /* a power of two */
    uint32_t **entry_id; /* for each process and entry, the same number where symbol and library are the same */
    double *on;          /* seconds by processor */
    size_t processors;
};

/* --- keys -------------------------------------------------------------------------------------------------- */

enum scalar_class { SCALAR_ZERO, SCALAR_ONE, SCALAR_MINUS_ONE, SCALAR_OTHER };

static uint64_t class_of(const unsigned char *args, const struct kt_param *p)
{
    double imaginary;
    double real = kt_stored_value(args, p, &imaginary);
    if (imaginary != 0)
        return SCALAR_OTHER;
    return real == 0 ? SCALAR_ZERO : real == 1 ? SCALAR_ONE : real == -1 ? SCALAR_MINUS_ONE : SCALAR_OTHER;
}

static uint64_t key_word(const struct kt_call *call, const struct kt_param *p, enum kt_role role)
{
    if (role == KT_SCALAR)
        return class_of(call->args, p);
    if (p->stored == KT_CHAR)
        return (uint64_t)toupper(call->args[p->offset]);
    return (uint64_t)kt_stored_integer(call->args, p);
}

static uint64_t mix(uint64_t hash, uint64_t word)
{
    hash = (hash ^ word) * 0x9e3779b97f4a7c15u;
    return hash ^ hash >> 29;
}

size_t kt_shape_key(const struct kt_call *call, uint64_t word[KT_MAX_PARAMS])
{
    const struct kt_symbol *symbol = &call->entry->symbol;
    size_t words = 0;
    for (int i = 0; i < symbol->params; i++) {
        const struct kt_param *p = &symbol->param[i];
        enum kt_role role = p->arg < 0 ? KT_OPTION : symbol->routine->arg[p->arg].role;
        if (!kt_stored_is_address(p->stored) && role != KT_INFO)
            word[words++] = key_word(call, p, role);
    }
    return words;
}

static void make_key(const struct kt_call *call, uint32_t entry_id, struct key *out)
{
    out->word[0] = entry_id;
    out->words = 1 + kt_shape_key(call, out->word + 1);
    out->hash = 0;
    for (size_t i = 0; i < out->words; i++)
        out->hash = mix(out->hash, out->word[i]);
}

static bool same_key(const struct key *a, const struct key *b)
{
    return a->hash == b->hash && a->words == b->words && !memcmp(a->word, b->word, a->words * sizeof *a->word);
}

/* --- entries ----------------------------------------------------------------------------------------------- */

/* An entry of the first process that has it. */
struct numbered {
    const struct kt_entry *entry;
    size_t process;
    uint32_t id;
};

static int compare_entries(const void *a, const void *b)
{
    const struct kt_entry *x = ((const struct numbered *)a)->entry;
    const struct kt_entry *y = ((const struct numbered *)b)->entry;
    int order = strcmp(x->symbol.name, y->symbol.name);
    if (order == 0)
        order = strcmp(x->library->path, y->library->path);
    return order ? order : (x->int_bytes > y->int_bytes) - (x->int_bytes < y->int_bytes);
}

/* The number of the same entry of an earlier process, or else the next; entries of one process are all different. */
static uint32_t number_of(void **known, size_t process, const struct kt_entry *entry, uint32_t *next)
{
    const struct numbered key = {entry, process, *next};
    if (!entry->symbol.routine)
        return (*next)++;
    struct numbered **found = tfind(&key, known, compare_entries);
    if (found)
        return (*found)->process < process ? (*found)->id : (*next)++;
    struct numbered *added = kt_resize(NULL, 1, sizeof *added);
    *added = key;
    if (!tsearch(added, known, compare_entries))
        abort();
    return (*next)++;
}

static void number_entries(struct kt_collection *c)
{
    const struct kt_trace *trace = c->trace;
    void *known = NULL;
    uint32_t next = 0;
    c->entry_id = kt_resize(NULL, trace->processes, sizeof *c->entry_id);
    for (size_t p = 0; p < trace->processes; p++) {
        const struct kt_process *process = &trace->process[p];
        c->entry_id[p] = kt_resize(NULL, process->entries, sizeof **c->entry_id);
        for (size_t e = 0; e < process->entries; e++)
            c->entry_id[p][e] = number_of(&known, p, &process->entry[e], &next);
    }
    tdestroy(known, free);
}

static uint32_t entry_id(const struct kt_collection *c, const struct kt_call *call)
{
    return c->entry_id[call->process - c->trace->process][call->entry - call->process->entry];
}

/* --- the table --------------------------------------------------------------------------------------------- */

static void grow_slots(struct kt_collection *c)
{
    c->slots = c->slots ? 2 * c->slots : 256;
    c->slot = kt_resize(c->slot, c->slots, sizeof *c->slot);
    memset(c->slot, 0, c->slots * sizeof *c->slot);
    for (size_t i = 0; i < c->shapes.count; i++) {
        size_t at = c->key[i].hash & (c->slots - 1);
        while (c->slot[at])
            at = (at + 1) & (c->slots - 1);
        c->slot[at] = (uint32_t)i + 1;
    }
}

static void describe(const struct kt_call *call, struct kt_shape_group *shape, struct kt_arrangements *arrangements)
{
    struct kt_values values;
    struct kt_operand operand[KT_MAX_OPERANDS];
    const struct kt_symbol *symbol = &call->entry->symbol;
    kt_values_decode(symbol, call->args, &values);
    int operands = kt_operands(symbol, &values, call->entry->int_bytes, operand);
    *shape = (struct kt_shape_group){.first = kt_call_keep(call),
                                     .flops = kt_flops(symbol->routine, &values),
                                     .bytes = kt_bytes(operand, operands),
                                     .inside.clean = NAN,
                                     .query = kt_is_query(symbol->routine, &values)};
    kt_arrangements_begin(call, operand, operands, arrangements);
}

static size_t add_shape(struct kt_collection *c, const struct key *key, const struct kt_call *call)
{
    struct kt_shapes *s = &c->shapes;
    s->shape = kt_room_for_one(s->shape, s->count, sizeof *s->shape);
    c->key = kt_room_for_one(c->key, s->count, sizeof *c->key);
    c->arrangements = kt_room_for_one(c->arrangements, s->count, sizeof *c->arrangements);
    c->dirt = kt_room_for_one(c->dirt, s->count, sizeof *c->dirt);
    c->dirt[s->count] = (struct kt_dirt){0};
    c->key[s->count] = *key;
    describe(call, &s->shape[s->count], &c->arrangements[s->count]);
    s->shape[s->count].number = s->count;
    return s->count++;
}

static size_t find_shape(struct kt_collection *c, const struct key *key, const struct kt_call *call)
{
    if (2 * c->shapes.count >= c->slots)
        grow_slots(c);
    size_t at = key->hash & (c->slots - 1);
    for (; c->slot[at]; at = (at + 1) & (c->slots - 1))
        if (same_key(&c->key[c->slot[at] - 1], key))
            return c->slot[at] - 1;
    c->slot[at] = (uint32_t)c->shapes.count + 1;
    return add_shape(c, key, call);
}

static size_t shape_of(struct kt_collection *c, const struct kt_call *call)
{
    struct recent *recent = &c->recent[(uintptr_t)call->entry / sizeof *call->entry % RECENT];
    if (!call->version || recent->version != call->version || recent->entry != call->entry) {
        struct key key;
        make_key(call, entry_id(c, call), &key);
        *recent = (struct recent){call->entry, call->version, find_shape(c, &key, call)};
    }
    return recent->shape;
}

static void add_to_processor(struct kt_collection *c, unsigned cpu, double seconds)
{
    if (cpu >= c->processors) {
        c->on = kt_resize(c->on, cpu + 1, sizeof *c->on);
        while (c->processors <= cpu)
            c->on[c->processors++] = 0;
    }
    c->on[cpu] += seconds;
}

static int busiest_processor(const struct kt_collection *c)
{
    int best = -1;
    for (size_t cpu = 0; cpu < c->processors; cpu++)
        if (c->on[cpu] > (best < 0 ? 0 : c->on[best]))
            best = (int)cpu;
    return best;
}

/* Of so many calls that are taken to be like this one. */
static void note_info(struct kt_shape_group *shape, const struct kt_call *call, uint64_t calls)
{
    int64_t info;
    if (!kt_call_info(call, &info) || info == 0)
        return;
    shape->info = shape->failed ? shape->info : info;
    shape->failed += calls;
}

/* --- calls ------------------------------------------------------------------------------------------------- */

/* Nested calls were drawn with the outermost call that they are in. */
static double stands_for(const struct kt_call *call, double seconds)
{
    return call->depth > 0 ? call->weight * seconds : seconds;
}

static void add_call(struct kt_collection *c, const struct kt_call *call)
{
    size_t number = shape_of(c, call);
    struct kt_shape_group *shape = &c->shapes.shape[number];
    double seconds = kt_call_seconds(call);
    if (call->depth == 0) {
        kt_dirt_add(shape, &c->dirt[number], call, seconds);
        kt_by_caller_add(&c->shapes.callers, call, number, seconds);
    }
    kt_samples_add(&shape->seconds, seconds);
    kt_arrangements_add(&c->arrangements[number], call);
    shape->calls++;
    shape->total += seconds;
    shape->stands_for += stands_for(call, seconds);
    add_to_processor(c, call->cpu, seconds);
    note_info(shape, call, 1);
    if (call->faults >= 0) {
        shape->faults += (double)call->faults;
        shape->faults_known++;
    }
}

/* --- collecting -------------------------------------------------------------------------------------------- */

/* The first call nested in another one follows it at once; calls that were passed on were nested, too. */
bool kt_call_is_leaf(const struct kt_call *call, const struct kt_call *next)
{
    return call->complete && call->passed == 0 && (!next || next->parent != (int64_t)call->n);
}

static void add_if_leaf(struct kt_collection *c, const struct kt_call *next)
{
    if (kt_call_is_leaf(&c->last, next))
        add_call(c, &c->last);
    if (!next)
        return;
    c->last = *next;
    c->last.args = memcpy(c->last_args, next->args, next->entry->symbol.arg_bytes);
}

struct kt_collection *kt_collection_new(const struct kt_trace *trace, enum kt_level level)
{
    struct kt_collection *c = kt_resize(NULL, 1, sizeof *c);
    *c = (struct kt_collection){
        .trace = trace, .level = level, .shapes.callers = {.only_sums = true, .sites = kt_sites_new()}};
    number_entries(c);
    return c;
}

struct kt_collection *kt_collection_of(const struct kt_trace *trace, const struct kt_shapes *shapes)
{
    struct kt_collection *c = kt_collection_new(trace, KT_OUTERMOST);
    for (size_t i = 0; i < shapes->count; i++)
        shape_of(c, &shapes->shape[i].first);
    memset(c->recent, 0, sizeof c->recent); /* their versions are those of another walk */
    return c;
}

size_t kt_collection_number(struct kt_collection *c, const struct kt_call *call)
{
    return shape_of(c, call);
}

void kt_collection_add(struct kt_collection *c, const struct kt_call *call)
{
    if (c->level == KT_LEAVES)
        add_if_leaf(c, call);
    else if (call->complete && call->depth == 0)
        add_call(c, call);
}

static int compare_totals(const void *a, const void *b)
{
    const struct kt_shape_group *x = a;
    const struct kt_shape_group *y = b;
    if (x->total != y->total)
        return x->total > y->total ? -1 : 1;
    return (x->first.n > y->first.n) - (x->first.n < y->first.n);
}

static void find_words(struct kt_shapes *shapes)
{
    const struct kt_call **call = kt_resize(NULL, shapes->count + 1, sizeof *call);
    uint64_t *also = kt_resize(NULL, shapes->count + 1, sizeof *also);
    for (size_t i = 0; i < shapes->count; i++)
        call[i] = &shapes->shape[i].first;
    kt_shape_words_apart(call, shapes->count, also);
    for (size_t i = 0; i < shapes->count; i++)
        shapes->shape[i].also = also[i];
    free(also);
    free(call);
}

void kt_collection_finish(struct kt_collection *c, struct kt_shapes *out)
{
    add_if_leaf(c, NULL);
    *out = c->shapes;
    for (size_t i = 0; i < out->count; i++) {
        kt_dirt_settle(&out->shape[i], &c->dirt[i]);
        out->shape[i].usual = kt_arrangements_usual(&c->arrangements[i], &out->shape[i].first);
        kt_arrangements_free(&c->arrangements[i]);
        out->seconds += out->shape[i].total;
    }
    if (out->count)
        qsort(out->shape, out->count, sizeof *out->shape, compare_totals);
    find_words(out);
    out->processor = busiest_processor(c);
    for (size_t p = 0; p < c->trace->processes; p++)
        free(c->entry_id[p]);
    free(c->entry_id);
    free(c->on);
    free(c->key);
    free(c->arrangements);
    free(c->dirt);
    free(c->slot);
    free(c);
}

static void note_counted(struct kt_shape_group *shape, const struct kt_counts *counts)
{
    if (counts->nest) {
        shape->inside.calls += counts->calls;
        shape->inside.recorded += counts->drawn;
    }
    shape->inside.counted += counts->calls;
    shape->inside.counted_seconds += counts->seconds;
}

/* Leaves stand for as much as all calls of their cell do: some calls of a shape that nest others are rare. */
static double counts_stand_for(const struct kt_counts *counts, double seconds)
{
    const struct kt_counts_weighted *weighted = &counts->weighted;
    bool is_sample = counts->nesting != KT_NOT_NESTED && weighted->is_known && counts->calls;
    return is_sample ? seconds * weighted->calls / (double)counts->calls : seconds;
}

/* Of the calls of a profile only those that have a shape. */
static void add_counts(struct kt_collection *c, const struct kt_counts *counts)
{
    bool leaves = c->level == KT_LEAVES;
    uint64_t calls = leaves ? counts->leaves : counts->calls;
    double seconds = leaves ? counts->seconds_leaves : counts->seconds;
    if (!counts->call.args || !calls || (!leaves && counts->nesting != KT_NOT_NESTED))
        return;
    size_t number = shape_of(c, &counts->call);
    struct kt_shape_group *shape = &c->shapes.shape[number];
    kt_counts_samples(counts, leaves, &shape->seconds);
    note_info(shape, &counts->call, calls); /* only the first one's is known */
    shape->calls += calls;
    shape->total += seconds;
    shape->stands_for += counts_stand_for(counts, seconds);
    if (leaves)
        return;
    note_counted(shape, counts);
    kt_by_caller_add_counts(&c->shapes.callers, counts, number);
}

void kt_collection_add_profiles(struct kt_collection *c)
{
    struct kt_counts_cursor cursor;
    struct kt_counts counts;
    kt_counts_begin(c->trace, &cursor);
    while (kt_counts_next(&cursor, &counts))
        add_counts(c, &counts);
}

void kt_shapes_collect(const struct kt_trace *trace, enum kt_level level, struct kt_shapes *out)
{
    struct kt_collection *c = kt_collection_new(trace, level);
    struct kt_cursor cursor;
    struct kt_call call;
    kt_cursor_begin(trace, &cursor);
    while (kt_cursor_next(&cursor, &call))
        kt_collection_add(c, &call);
    kt_collection_add_profiles(c);
    kt_collection_finish(c, out);
}

void kt_shapes_free(struct kt_shapes *shapes)
{
    for (size_t i = 0; i < shapes->count; i++) {
        kt_call_drop(&shapes->shape[i].first);
        kt_call_drop(&shapes->shape[i].usual);
        kt_samples_free(&shapes->shape[i].seconds);
    }
    free(shapes->shape);
    kt_by_caller_free(&shapes->callers);
    *shapes = (struct kt_shapes){0};
}

int kt_shapes_processor(const struct kt_trace *trace)
{
    struct kt_shapes shapes;
    kt_shapes_collect(trace, KT_OUTERMOST, &shapes);
    int processor = shapes.processor;
    kt_shapes_free(&shapes);
    return processor;
}
