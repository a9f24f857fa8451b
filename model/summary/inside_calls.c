/* SPDX-License-Identifier: BSD-3-Clause */
#include "model/summary/inside_calls.h"

#include "trace/base/memory.h"

enum { MAX_DEPTH = 64, RECENT = 256 /* a power of two */ };

/* The latest call at some depth, in the outermost call at hand. */
struct open_call {
    int64_t n, parent;
    bool complete;
    size_t part;
};

struct recent {
    const struct kt_entry *entry;
    size_t routine;
};

/* Calls of a shape that stand for themselves alone. */
struct own {
    uint64_t calls;
    double seconds, nested;
};

struct kt_inside_walk {
    const struct kt_shapes *shapes;
    struct kt_collection *collection;
    struct kt_inside *inside;
    const char **name; /* of routines */
    size_t names;
    struct recent recent[RECENT];
    struct own *own; /* of each shape */
    /* the outermost call at hand, */
    bool sampled;
    struct kt_inside_call call;
    double excess;
    uint64_t end; /* ticks */
    const struct kt_process *process;
    uint32_t tid;
    /* and what was found in it */
    struct open_call open[MAX_DEPTH];
    struct kt_inside_part *part;
    size_t parts;
};

struct kt_call_work kt_call_work_of(const struct kt_call *call)
{
    struct kt_values values;
    struct kt_operand operand[KT_MAX_OPERANDS];
    const struct kt_symbol *symbol = &call->entry->symbol;
    kt_values_decode(symbol, call->args, &values);
    if (kt_is_query(symbol->routine, &values))
        return (struct kt_call_work){0};
    int operands = kt_operands(symbol, &values, call->entry->int_bytes, operand);
    return (struct kt_call_work){kt_flops(symbol->routine, &values), kt_bytes(operand, operands)};
}

struct kt_inside_walk *kt_inside_walk_new(const struct kt_trace *trace, const struct kt_shapes *shapes)
{
    struct kt_inside_walk *walk = kt_resize(NULL, 1, sizeof *walk);
    *walk = (struct kt_inside_walk){.shapes = shapes};
    walk->collection = kt_collection_of(trace, shapes);
    walk->inside = kt_inside_new(shapes->count);
    walk->own = kt_zeros(shapes->count, sizeof *walk->own);
    return walk;
}

/* --- routines ---------------------------------------------------------------------------------------------- */

/* Processes have tables of their own: a routine is known by its name. */
static size_t number_of(struct kt_inside_walk *walk, const char *name)
{
    for (size_t i = 0; i < walk->names; i++)
        if (!strcmp(walk->name[i], name))
            return i;
    walk->name = kt_room_for_one(walk->name, walk->names, sizeof *walk->name);
    walk->name[walk->names] = name;
    return walk->names++;
}

static size_t routine_of(struct kt_inside_walk *walk, const struct kt_entry *entry)
{
    struct recent *recent = &walk->recent[(uintptr_t)entry / sizeof *entry % RECENT];
    if (recent->entry != entry)
        *recent = (struct recent){entry, number_of(walk, entry->symbol.routine->name)};
    return recent->routine;
}

static size_t part_of(struct kt_inside_walk *walk, const struct kt_call *call)
{
    size_t routine = routine_of(walk, call->entry);
    for (size_t i = 0; i < walk->parts; i++)
        if (walk->part[i].routine == routine)
            return i;
    walk->part = kt_room_for_one(walk->part, walk->parts, sizeof *walk->part);
    walk->part[walk->parts] = (struct kt_inside_part){.routine = routine};
    return walk->parts++;
}

/* --- outermost calls --------------------------------------------------------------------------------------- */

static void end_call(struct kt_inside_walk *walk)
{
    if (walk->sampled)
        kt_inside_add(walk->inside, &walk->call, walk->part, walk->parts);
    walk->sampled = false;
    walk->parts = 0;
}

static void begin_call(struct kt_inside_walk *walk, const struct kt_call *call, size_t shape, double weight)
{
    walk->sampled = true;
    walk->call = (struct kt_inside_call){.shape = shape, .weight = weight};
    walk->excess = shape < walk->shapes->count ? walk->shapes->shape[shape].inside.excess : 0;
    walk->end = call->complete ? call->start + call->ticks : UINT64_MAX;
    walk->process = call->process;
    walk->tid = call->tid;
    for (int i = 0; i < MAX_DEPTH; i++)
        walk->open[i].n = -1;
}

/* As it is in the sample: without all that recording took. */
static double seconds_of(const struct kt_inside_walk *walk, const struct kt_call *call)
{
    double seconds = kt_call_seconds(call) - walk->excess * (double)call->nested;
    return seconds > 0 ? seconds : 0;
}

/* Its own part has what nested calls take from it, and more of that if they took less to record than it seems. */
static void take_outermost(struct kt_inside_walk *walk, const struct kt_call *call)
{
    size_t part = part_of(walk, call);
    walk->call.seconds = seconds_of(walk, call);
    walk->call.nested = (double)call->nested;
    walk->part[part].stated[KT_INSIDE_SELF] += kt_call_seconds(call) - walk->call.seconds;
    walk->open[0] = (struct open_call){.n = (int64_t)call->n, .parent = -1, .complete = call->complete, .part = part};
}

static double add_outermost(struct kt_inside_walk *walk, const struct kt_call *call, size_t number)
{
    const struct kt_shape_group *shape = number < walk->shapes->count ? &walk->shapes->shape[number] : NULL;
    double seconds = shape ? kt_shape_call_seconds(shape, call) : 0;
    bool nests = shape ? shape->inside.nested > 0 : true;
    bool drawn = shape && call->weight > 1;
    end_call(walk);
    if (!call->inside_recorded || !nests)
        return seconds;
    begin_call(walk, call, number, drawn ? call->weight : 1);
    take_outermost(walk, call);
    if (!shape || drawn)
        return seconds;
    struct own *own = &walk->own[number];
    own->calls++;
    own->seconds += seconds;
    own->nested += (double)call->nested;
    return seconds;
}

/* --- nested calls ------------------------------------------------------------------------------------------ */

static const struct open_call *parent_of(const struct kt_inside_walk *walk, const struct kt_call *call)
{
    if (call->depth > MAX_DEPTH || call->parent < 0)
        return NULL;
    const struct open_call *parent = &walk->open[call->depth - 1];
    return parent->n == call->parent ? parent : NULL;
}

/* True if the routine is already at work in PARENT or in a call that PARENT is nested in. */
static bool is_inside(const struct kt_inside_walk *walk, const struct open_call *parent, size_t part)
{
    for (; parent; parent--) {
        if (parent->part == part)
            return true;
        if (parent == walk->open || parent[-1].n != parent->parent)
            return false;
    }
    return false;
}

static void add_times(struct kt_inside_walk *walk, const struct kt_call *call, const struct open_call *parent,
                      struct kt_inside_part *part)
{
    double seconds = seconds_of(walk, call);
    double stated = kt_call_seconds(call);
    part->quantity[KT_INSIDE_SELF] += seconds;
    part->stated[KT_INSIDE_SELF] += stated;
    if (parent && parent->complete) {
        walk->part[parent->part].quantity[KT_INSIDE_SELF] -= seconds;
        walk->part[parent->part].stated[KT_INSIDE_SELF] -= stated;
    }
    if (is_inside(walk, parent, (size_t)(part - walk->part)))
        return;
    struct kt_call_work work = kt_call_work_of(call);
    part->quantity[KT_INSIDE_SECONDS] += seconds;
    part->stated[KT_INSIDE_SECONDS] += stated;
    part->quantity[KT_INSIDE_FLOPS] += work.flops;
    part->quantity[KT_INSIDE_BYTES] += work.bytes;
}

/* Of a call whose outermost one was lost. */
static bool is_elsewhere(const struct kt_inside_walk *walk, const struct kt_call *call)
{
    return !walk->sampled || walk->process != call->process || walk->tid != call->tid ||
           (call->complete && call->start > walk->end);
}

static void add_nested(struct kt_inside_walk *walk, const struct kt_call *call)
{
    if (is_elsewhere(walk, call)) {
        end_call(walk);
        begin_call(walk, call, SIZE_MAX, 1);
        walk->end = UINT64_MAX;
    }
    size_t place = part_of(walk, call);
    struct kt_inside_part *part = &walk->part[place];
    const struct open_call *parent = parent_of(walk, call);
    part->quantity[KT_INSIDE_CALLS]++;
    part->stated[KT_INSIDE_CALLS]++;
    if (call->complete)
        add_times(walk, call, parent, part);
    if (call->depth < MAX_DEPTH)
        walk->open[call->depth] = (struct open_call){
            .n = (int64_t)call->n, .parent = parent ? parent->n : -1, .complete = call->complete, .part = place};
}

double kt_inside_walk_add(struct kt_inside_walk *walk, const struct kt_call *call, size_t *shape)
{
    *shape = SIZE_MAX;
    if (call->depth > 0) {
        add_nested(walk, call);
        return 0;
    }
    if (call->complete)
        *shape = kt_collection_number(walk->collection, call);
    return add_outermost(walk, call, *shape);
}

/* --- the end ----------------------------------------------------------------------------------------------- */

static void describe(struct kt_inside_walk *walk, size_t number)
{
    const struct kt_shape_group *shape = &walk->shapes->shape[number];
    const struct own *own = &walk->own[number];
    struct kt_inside_population others = {.calls = shape->calls - shape->inside.counted - own->calls,
                                          .seconds = shape->total - shape->inside.counted_seconds - own->seconds,
                                          .nested = shape->inside.nested - own->nested,
                                          .idle = shape->query || (shape->failed == shape->calls && shape->info < 0)};
    kt_inside_describe(walk->inside, number, routine_of(walk, shape->first.entry), &others);
}

void kt_inside_walk_finish(struct kt_inside_walk *walk, struct kt_inside_found *out)
{
    struct kt_shapes ignored;
    end_call(walk);
    for (size_t i = 0; i < walk->shapes->count; i++)
        if (walk->shapes->shape[i].inside.nested > 0)
            describe(walk, i);
    kt_inside_finish(walk->inside, walk->names, &out->of);
    out->name = walk->name;
    kt_collection_finish(walk->collection, &ignored);
    kt_shapes_free(&ignored);
    free(walk->own);
    free(walk->part);
    free(walk);
}

void kt_inside_found_free(struct kt_inside_found *found)
{
    kt_insides_free(&found->of);
    free(found->name);
    found->name = NULL;
}
