/* SPDX-License-Identifier: BSD-3-Clause */
#include "model/report/results.h"

#include "model/report/pairing.h"
#include "trace/base/memory.h"

#include <stdio.h>

/* The outermost calls of one thread of one run. */
struct walk {
    struct kt_pairing_thread thread;
    struct kt_cursor cursor;
    struct kt_call call; /* that is next, */
    bool is_there;       /* if there is one */
    struct kt_checksums checksums;
};

enum verdict { AGREE, DIFFER, UNKNOWN };

/* --- one pair ---------------------------------------------------------------------------------------------- */

static void add_name(struct kt_result_pair *pair, const char *name)
{
    size_t used = strlen(pair->names);
    snprintf(pair->names + used, sizeof pair->names - used, "%s%s", used ? " " : "", name);
}

static const char *operand_name(const struct kt_symbol *symbol, unsigned offset)
{
    for (int i = 0; i < symbol->params; i++)
        if (symbol->param[i].stored == KT_ADDRESS && symbol->param[i].offset == offset)
            return symbol->param[i].name;
    return "result";
}

static bool same_leading_dimensions(const struct kt_call *a, const struct kt_call *b)
{
    const struct kt_symbol *s = &a->entry->symbol;
    for (int i = 0; i < s->params; i++)
        if (kt_pairing_role(s, &s->param[i]) == KT_LD && !kt_pairing_same_bits(a, b, &s->param[i]))
            return false;
    return true;
}

static bool scalars_differ(const struct kt_call *a, const struct kt_call *b, struct kt_result_pair *pair)
{
    const struct kt_symbol *s = &a->entry->symbol;
    bool differ = false;
    for (int i = 0; i < s->params; i++)
        if (kt_pairing_is_number(&s->param[i]) && !kt_pairing_same_bits(a, b, &s->param[i])) {
            add_name(pair, s->param[i].name);
            differ = true;
        }
    return differ;
}

struct pair_checks {
    const struct kt_call *call[2];
    struct kt_checksum check[2][KT_CHECK_OPERANDS];
    int count;
    bool same_ld;
};

/* Sums of one operand, before or after: do they agree? Which elements of a large one are summed depends on its leading
 * dimension. */
static enum verdict compare_sums(const struct pair_checks *c, int i, bool after)
{
    const struct kt_checksum *a = &c->check[0][i];
    const struct kt_checksum *b = &c->check[1][i];
    unsigned known = after ? KT_CHECK_OUT : KT_CHECK_IN;
    unsigned unread = after ? KT_CHECK_OUT_UNREAD : KT_CHECK_IN_UNREAD;
    bool sampled = (a->flags | b->flags) & KT_CHECK_PART;
    bool alike = !((a->flags ^ b->flags) & (known | KT_CHECK_PART)) && a->offset == b->offset;
    if ((a->flags | b->flags) & unread || !alike || (sampled && !c->same_ld && a->flags & known))
        return UNKNOWN;
    if (!(a->flags & known))
        return AGREE;
    return after ? (a->out == b->out ? AGREE : DIFFER) : (a->in == b->in ? AGREE : DIFFER);
}

static enum verdict compare_operands(const struct pair_checks *c, bool after, struct kt_result_pair *pair)
{
    enum verdict verdict = AGREE;
    for (int i = 0; i < c->count; i++) {
        enum verdict one = compare_sums(c, i, after);
        if (one == DIFFER) {
            add_name(pair, operand_name(&c->call[0]->entry->symbol, c->check[0][i].offset));
            pair->sampled |= c->check[0][i].flags & KT_CHECK_PART;
        }
        if (one == DIFFER || verdict == AGREE)
            verdict = one;
    }
    return verdict;
}

static bool infos_differ(const struct pair_checks *c, struct kt_result_pair *pair)
{
    int64_t info[2];
    if (!kt_call_info(c->call[0], &info[0]) || !kt_call_info(c->call[1], &info[1]) || info[0] == info[1])
        return false;
    add_name(pair, "info");
    return true;
}

/* --- the first of its kind --------------------------------------------------------------------------------- */

static void drop_pair(struct kt_result_pair *pair)
{
    for (int side = 0; side < 2; side++)
        if (pair->call[side].entry)
            kt_call_drop(&pair->call[side]);
    *pair = (struct kt_result_pair){0};
}

static double time_of(const struct kt_call *call)
{
    return call->process->start +
           ((double)call->start - (double)call->process->first_ticks) * call->process->tick_seconds;
}

/* Keeps the pair if it is earlier than what is there. */
static void keep_first(const struct walk w[2], const struct kt_result_pair *found, struct kt_result_pair *first)
{
    double when = time_of(&w[w[0].is_there ? 0 : 1].call);
    if (first->is_there && first->when <= when)
        return;
    drop_pair(first);
    *first = *found;
    first->is_there = true;
    first->when = when;
    for (int side = 0; side < 2; side++)
        if (w[side].is_there) {
            first->call[side] = kt_call_keep(&w[side].call);
            first->number[side] = w[side].thread.before + w[side].call.n;
        }
}

static bool load_checks(const struct walk w[2], struct pair_checks *out)
{
    int count[2];
    for (int side = 0; side < 2; side++) {
        out->call[side] = &w[side].call;
        count[side] = kt_checksums_of(&w[side].checksums, &w[side].call, out->check[side]);
    }
    out->count = count[0];
    out->same_ld = same_leading_dimensions(out->call[0], out->call[1]);
    return count[0] >= 0 && count[0] == count[1];
}

static void compare_pair(const struct walk w[2], struct kt_results *out)
{
    struct pair_checks checks;
    struct kt_result_pair in = {0};
    struct kt_result_pair after = {0};
    if (!load_checks(w, &checks)) {
        out->unknown++;
        return;
    }
    enum verdict inputs = compare_operands(&checks, false, &in);
    enum verdict outputs = compare_operands(&checks, true, &after);
    if (scalars_differ(&w[0].call, &w[1].call, &in))
        inputs = DIFFER;
    if (infos_differ(&checks, &after))
        outputs = DIFFER;
    if (inputs == DIFFER) {
        out->inputs_differ++;
        keep_first(w, &in, &out->first_input);
    } else if (inputs == AGREE && outputs == DIFFER) {
        out->differ++;
        keep_first(w, &after, &out->first);
    } else if (inputs == UNKNOWN || outputs == UNKNOWN) {
        out->unknown++;
    } else {
        out->same++;
    }
}

/* --- threads ----------------------------------------------------------------------------------------------- */

static void next_call(struct walk *w)
{
    do
        w->is_there = kt_cursor_next(&w->cursor, &w->call) && w->cursor.process == w->thread.process &&
                      w->cursor.stream == w->thread.stream;
    while (w->is_there && w->call.depth > 0);
}

static void begin_thread(const struct kt_trace *trace, struct kt_pairing_thread thread, struct walk *w)
{
    w->thread = thread;
    kt_cursor_begin_stream(trace, thread.process, thread.stream, &w->cursor);
    kt_checksums_load(&trace->process[thread.process], thread.stream, &w->checksums);
    next_call(w);
}

static void take_call(struct walk *w, uint64_t *calls)
{
    if (!w->is_there)
        return;
    next_call(w);
    ++*calls;
}

static void compare_threads(struct walk w[2], struct kt_results *out)
{
    const struct kt_result_pair none = {0};
    bool ordered = true;
    while (w[0].is_there || w[1].is_there) {
        bool paired = ordered && w[0].is_there && w[1].is_there && kt_pairing_same_call(&w[0].call, &w[1].call);
        if (paired) {
            compare_pair(w, out);
        } else if (ordered) {
            ordered = false;
            out->orders++;
            keep_first(w, &none, &out->order);
        }
        take_call(&w[0], &out->calls[0]);
        take_call(&w[1], &out->calls[1]);
    }
}

static void compare_all(const struct kt_trace trace[2], const struct kt_pairing_threads threads[2],
                        struct kt_results *out)
{
    struct walk *w = kt_resize(NULL, 2, sizeof *w);
    for (size_t i = 0; i < threads[0].count && i < threads[1].count; i++) {
        for (int side = 0; side < 2; side++)
            begin_thread(&trace[side], threads[side].thread[i], &w[side]);
        compare_threads(w, out);
        for (int side = 0; side < 2; side++)
            kt_checksums_free(&w[side].checksums);
    }
    free(w);
}

static bool all_have(const struct kt_trace trace[2], const char *word)
{
    bool have = true;
    for (int side = 0; side < 2; side++)
        for (size_t p = 0; p < trace[side].processes; p++)
            have &= kt_checksums_have(&trace[side].process[p], word);
    return have;
}

void kt_results_make(const struct kt_trace trace[2], struct kt_results *out)
{
    struct kt_pairing_threads threads[2];
    *out = (struct kt_results){.has_in = all_have(trace, "in"), .has_out = all_have(trace, "out")};
    for (int side = 0; side < 2; side++) {
        threads[side] = kt_pairing_threads_find(&trace[side]);
        out->processes[side] = trace[side].processes;
        out->threads[side] = threads[side].count;
    }
    compare_all(trace, threads, out);
    kt_distances_make(trace, threads, &out->distances);
    for (int side = 0; side < 2; side++)
        kt_pairing_threads_free(&threads[side]);
}

void kt_results_free(struct kt_results *results)
{
    drop_pair(&results->first);
    drop_pair(&results->first_input);
    drop_pair(&results->order);
    kt_distances_free(&results->distances);
}

bool kt_results_differ(const struct kt_results *r)
{
    return r->differ || r->inputs_differ || r->orders || r->processes[0] != r->processes[1] ||
           r->threads[0] != r->threads[1];
}
