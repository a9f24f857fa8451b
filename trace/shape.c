/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A call is reduced to a key of 64-bit words, one per argument that matters, and looked up in a hash table, unless it
 * has the same arguments as an earlier one of its entry. Calls of several processes share a shape if they are of the
 * same symbol of the same library.
 */
#include "trace/shape.h"

#include "trace/arrangement.h"
#include "trace/memory.h"
#include "trace/profile.h"

#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <search.h>
#include <stdio.h>

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

/* Of the calls of a shape that calls were recorded in: what is to be known of them if others are clean. */
struct dirt {
    uint64_t unseen; /* outermost calls whose inside was not recorded */
    uint64_t cleans; /* calls that none was recorded in, */
    double clean_total;
    struct kt_samples clean; /* and their durations, once there is a dirty one */
    struct kt_samples drawn; /* of dirty calls that were drawn by chance; */
    double drawn_total, drawn_nested;
    double own_total, own_nested; /* of those that stand for themselves alone */
    double self;                  /* seconds that recording a call takes, as the trace says */
    bool sampled;                 /* the process was to record the inside of some calls only */
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
    struct dirt *dirt;                    /* and what recording did to its calls */
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
    c->dirt[s->count] = (struct dirt){0};
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

/* --- what recording did ------------------------------------------------------------------------------------ */

/* Seconds that recording a call takes, as far as the process measured it. */
static double self_of(const struct kt_call *call)
{
    return call->process->self_ticks * call->process->tick_seconds;
}

static void add_dirty(struct kt_shape_group *shape, struct dirt *dirt, const struct kt_call *call, double seconds)
{
    if (shape->inside.dirty++ == 0)
        dirt->clean = kt_samples_copy(&shape->seconds);
    dirt->self = self_of(call);
    dirt->sampled |= call->process->nested_mode != KT_NESTED_ALL;
    shape->inside.in_dirty += (double)call->nested;
    shape->inside.subtracted += (double)call->nested * dirt->self;
    if (call->weight > 1) {
        kt_samples_add(&dirt->drawn, seconds);
        dirt->drawn_total += seconds;
        dirt->drawn_nested += (double)call->nested;
        return;
    }
    dirt->own_total += seconds;
    dirt->own_nested += (double)call->nested;
}

static void add_clean(struct kt_shape_group *shape, struct dirt *dirt, const struct kt_call *call, double seconds)
{
    dirt->clean_total += seconds;
    dirt->cleans++;
    dirt->unseen += !call->inside_recorded;
    if (shape->inside.dirty)
        kt_samples_add(&dirt->clean, seconds);
}

static void add_inside(struct kt_shape_group *shape, struct dirt *dirt, const struct kt_call *call, double seconds)
{
    shape->inside.calls += call->inside_recorded || call->passed;
    shape->inside.recorded += call->inside_recorded;
    shape->inside.nested += (double)(call->nested + call->passed);
    if (call->nested)
        add_dirty(shape, dirt, call, seconds);
    else
        add_clean(shape, dirt, call, seconds);
}

/* Recording a call in a program takes longer than in the loop that measured it, as caches forget what it needs; not so
 * much longer that the noise of a few calls should be taken for it. */
static const double most_self = 6;

/* Disturbances only add, to some calls: lower quartiles differ by what recording took. */
static double excess_of(const struct dirt *dirt)
{
    double dirty = kt_samples_stat(&dirt->drawn, KT_BEST_QUARTILE).best;
    double clean = kt_samples_stat(&dirt->clean, KT_BEST_QUARTILE).best;
    double each = (dirty - clean) * (double)dirt->drawn.n / dirt->drawn_nested;
    return fmin(fmax(each, -dirt->self), (most_self - 1) * dirt->self);
}

/* Some calls of the shape were recorded without what nests in them: these tell what one takes. */
static void judge_by_clean(struct kt_shape_group *shape, struct dirt *dirt)
{
    struct kt_shape_inside *inside = &shape->inside;
    struct kt_samples all = shape->seconds;
    shape->seconds = dirt->clean;
    dirt->clean = all;
    inside->clean = dirt->clean_total / (double)dirt->cleans;
    inside->excess = dirt->drawn.n ? excess_of(dirt) : 0;
    shape->total += (double)dirt->drawn.n * inside->clean - dirt->drawn_total;
    shape->total -= fmin(inside->excess * dirt->own_nested, dirt->own_total);
}

static void settle(struct kt_shape_group *shape, struct dirt *dirt)
{
    static const double worth_a_mark = 0.05; /* of the time of the shape */
    struct kt_shape_inside *inside = &shape->inside;
    if (inside->dirty && dirt->unseen)
        judge_by_clean(shape, dirt);
    else if (inside->dirty)
        shape->corrected = dirt->sampled || inside->subtracted > worth_a_mark * shape->total;
    kt_samples_free(&dirt->clean);
    kt_samples_free(&dirt->drawn);
}

double kt_shape_call_seconds(const struct kt_shape_group *shape, const struct kt_call *call)
{
    double seconds = kt_call_seconds(call);
    if (!call->complete || call->nested == 0 || isnan(shape->inside.clean))
        return seconds;
    return call->weight > 1 ? shape->inside.clean : fmax(seconds - shape->inside.excess * (double)call->nested, 0);
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
    if (call->depth == 0)
        add_inside(shape, &c->dirt[number], call, seconds);
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
    *c = (struct kt_collection){.trace = trace, .level = level};
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

void kt_collection_finish(struct kt_collection *c, struct kt_shapes *out)
{
    add_if_leaf(c, NULL);
    *out = c->shapes;
    for (size_t i = 0; i < out->count; i++) {
        settle(&out->shape[i], &c->dirt[i]);
        out->shape[i].usual = kt_arrangements_usual(&c->arrangements[i], &out->shape[i].first);
        kt_arrangements_free(&c->arrangements[i]);
        out->seconds += out->shape[i].total;
    }
    if (out->count)
        qsort(out->shape, out->count, sizeof *out->shape, compare_totals);
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
    if (!leaves)
        note_counted(shape, counts);
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

/* --- text -------------------------------------------------------------------------------------------------- */

char *kt_number_text(double value, bool is_float, char *out, size_t size)
{
    for (int digits = is_float ? 6 : 15; digits <= 17; digits++) {
        snprintf(out, size, "%.*g", digits, value);
        double back = strtod(out, NULL);
        if (is_float ? (float)back == (float)value : back == value)
            break;
    }
    return out;
}

static void letter_text(char letter, char *out)
{
    snprintf(out, KT_PARAM_TEXT, "%c", isprint((unsigned char)letter) ? letter : '?');
}

static void enum_text(const struct kt_param *p, int value, char *out)
{
    char letter = kt_cblas_letter(value);
    if (p->arg == KT_ARG_LAYOUT && (value == 101 || value == 102))
        snprintf(out, KT_PARAM_TEXT, "%s", value == 101 ? "row" : "col");
    else if (letter != ' ')
        letter_text(letter, out);
    else
        snprintf(out, KT_PARAM_TEXT, "%d", value);
}

static void scalar_text(const struct kt_param *p, const unsigned char *args, char *out)
{
    char part[KT_PARAM_TEXT / 2 - 2];
    double imaginary;
    bool is_float = p->stored == KT_FLOAT || p->stored == KT_CFLOAT;
    kt_number_text(kt_stored_value(args, p, &imaginary), is_float, out, sizeof part);
    if (p->stored != KT_CFLOAT && p->stored != KT_CDOUBLE)
        return;
    size_t length = strlen(out);
    kt_number_text(imaginary, is_float, part, sizeof part);
    snprintf(out + length, KT_PARAM_TEXT - length, "%s%si", *part == '-' ? "" : "+", part);
}

char *kt_param_text(const struct kt_call *call, const struct kt_param *param, char out[KT_PARAM_TEXT])
{
    int64_t integer;
    switch (param->stored) {
    case KT_CHAR:
        letter_text((char)call->args[param->offset], out);
        break;
    case KT_ENUM:
        enum_text(param, (int)kt_stored_value(call->args, param, NULL), out);
        break;
    case KT_INT:
        memcpy(&integer, call->args + param->offset, sizeof integer);
        snprintf(out, KT_PARAM_TEXT, "%" PRId64, integer);
        break;
    case KT_ADDRESS:
    case KT_CODE:
        snprintf(out, KT_PARAM_TEXT, "0x%" PRIx64, kt_stored_address(call->args, param));
        break;
    default:
        scalar_text(param, call->args, out);
    }
    return out;
}

struct shape_line {
    char *out;
    size_t used, width;
    bool full;
};

/* A word that does not fit leaves ".." and ends the line. */
static void add_word(struct shape_line *line, const char *name, const char *value)
{
    char word[2 * KT_PARAM_TEXT];
    snprintf(word, sizeof word, "%s%s%s%s", line->used ? " " : "", name, *name ? "=" : "", value);
    size_t length = strlen(word);
    if (line->full)
        return;
    if (line->used + length > line->width) {
        line->full = true;
        snprintf(word, sizeof word, "..");
        line->used = line->used + 2 <= line->width ? line->used : line->width - 2;
        length = 2;
    }
    memcpy(line->out + line->used, word, length + 1);
    line->used += length;
}

static bool is_main(enum kt_role role)
{
    return role <= KT_SIZE; /* options and sizes */
}

static void add_words(struct shape_line *line, const struct kt_call *call, bool main_ones)
{
    const struct kt_symbol *symbol = &call->entry->symbol;
    for (int i = 0; i < symbol->params; i++) {
        char text[KT_PARAM_TEXT];
        const struct kt_param *p = &symbol->param[i];
        enum kt_role role = p->arg < 0 ? KT_OPTION : symbol->routine->arg[p->arg].role;
        if (kt_stored_is_address(p->stored) || role == KT_INFO || is_main(role) != main_ones)
            continue;
        kt_param_text(call, p, text);
        if (role != KT_INC || strcmp(text, "1") != 0)
            add_word(line, main_ones ? "" : p->name, text);
    }
}

void kt_shape_text(const struct kt_call *call, char *out, size_t width)
{
    struct shape_line line = {.out = out, .width = width < 2 ? 2 : width};
    struct kt_values values;
    kt_values_decode(&call->entry->symbol, call->args, &values);
    *out = '\0';
    if (kt_is_query(call->entry->symbol.routine, &values))
        add_word(&line, "", "query");
    add_words(&line, call, true);
    add_words(&line, call, false);
}
