/* SPDX-License-Identifier: BSD-3-Clause */
#include "replay/call/held.h"

#include "trace/shape/fingerprint.h"
#include "trace/base/memory.h"

static const unsigned char *contents_of(const struct kt_snapshot *s, const struct kt_operand *o, int i)
{
    uint64_t bytes = 0;
    const unsigned char *contents = kt_snapshot_operand(s, i, &bytes);
    return contents && o->lo >= o->base && o->hi - o->base <= bytes ? contents : NULL;
}

static bool is_read(const struct kt_operand *o)
{
    return o->access & KT_READ && o->lo < o->hi;
}

static bool has_all(const struct kt_snapshot *s)
{
    struct kt_values values;
    struct kt_operand operand[KT_MAX_OPERANDS];
    const struct kt_entry *entry = s->call.entry;
    kt_values_decode(&entry->symbol, s->call.args, &values);
    int operands = kt_operands(&entry->symbol, &values, entry->int_bytes, operand);
    for (int i = 0; i < operands; i++)
        if (is_read(&operand[i]) && !contents_of(s, &operand[i], i))
            return false;
    return true;
}

const struct kt_snapshot **kt_held_by_shape(const struct kt_trace *trace, const struct kt_shapes *shapes,
                                            const struct kt_snapshots *snapshots)
{
    struct kt_shapes collected;
    if (!snapshots->count)
        return NULL;
    const struct kt_snapshot **held = kt_resize(NULL, shapes->count, sizeof *held);
    for (size_t i = 0; i < shapes->count; i++)
        held[i] = NULL;
    struct kt_collection *collection = kt_collection_of(trace, shapes);
    for (size_t i = 0; i < snapshots->count; i++) {
        const struct kt_snapshot *s = &snapshots->snapshot[i];
        size_t number = kt_collection_number(collection, &s->call);
        if (number < shapes->count && !held[number] && has_all(s))
            held[number] = s;
    }
    kt_collection_finish(collection, &collected);
    kt_shapes_free(&collected);
    return held;
}

static bool is_same_shape(const struct kt_call *a, const struct kt_call *b)
{
    uint64_t x[KT_MAX_PARAMS];
    uint64_t y[KT_MAX_PARAMS];
    if (strcmp(a->entry->symbol.name, b->entry->symbol.name) != 0)
        return false;
    size_t words = kt_shape_key(a, x);
    return words == kt_shape_key(b, y) && !memcmp(x, y, words * sizeof *x);
}

const struct kt_snapshot *kt_held_of_call(const struct kt_snapshots *snapshots, const struct kt_call *call)
{
    const struct kt_snapshot *found = NULL;
    for (size_t i = 0; i < snapshots->count; i++) {
        const struct kt_snapshot *s = &snapshots->snapshot[i];
        if (!is_same_shape(&s->call, call) || !has_all(s))
            continue;
        if (s->call.process == call->process && !memcmp(s->call.args, call->args, call->entry->symbol.arg_bytes))
            return s; /* the same operands at the same addresses */
        found = found ? found : s;
    }
    return found;
}

bool kt_held_fill(const struct kt_snapshot *s, const struct kt_operand *operand, int i)
{
    const struct kt_operand *o = &operand[i];
    const unsigned char *contents = is_read(o) ? contents_of(s, o, i) : NULL;
    if (!contents)
        return false;
    int64_t runs = kt_operand_runs(o);
    for (int64_t run = 0; run < runs; run++) {
        uint64_t lo, hi;
        kt_operand_run(o, run, &lo, &hi);
        if (lo < o->lo || hi < lo || hi > o->hi)
            return false; /* addresses of a damaged trace, which wrap around */
        memcpy((void *)lo, contents + (lo - o->base), hi - lo);
    }
    return true;
}

uint64_t kt_held_number(const struct kt_snapshot *snapshot)
{
    return kt_bytes_number(snapshot->bytes, snapshot->size);
}
