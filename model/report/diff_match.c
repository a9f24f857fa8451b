/* SPDX-License-Identifier: BSD-3-Clause */
#include "model/report/diff_match.h"

#include "trace/base/memory.h"
#include "trace/shape/shape_words.h"

#include <math.h>
#include <search.h>
#include <string.h>

static int compare_keys(const void *a, const void *b)
{
    const struct kt_diff_key *x = &((const struct kt_diff_node *)a)->key;
    const struct kt_diff_key *y = &((const struct kt_diff_node *)b)->key;
    int names = strcmp(x->routine, y->routine);
    if (names)
        return names;
    if (x->view != y->view)
        return x->view < y->view ? -1 : 1;
    if (x->words != y->words)
        return x->words < y->words ? -1 : 1;
    return memcmp(x->word, y->word, x->words * sizeof *x->word);
}

static struct kt_diff_node *find_node(struct kt_diff_match *m, const struct kt_call *call)
{
    struct kt_diff_node *node = kt_resize(NULL, 1, sizeof *node);
    *node = (struct kt_diff_node){.first = *call};
    node->key = (struct kt_diff_key){.routine = call->entry->symbol.routine->name, .view = call->entry->symbol.view};
    node->key.words = kt_shape_key(call, node->key.word);
    struct kt_diff_node **found = tsearch(node, &m->tree, compare_keys);
    if (!found)
        abort();
    if (*found != node) {
        free(node);
        return *found;
    }
    m->node = kt_room_for_one(m->node, m->count, sizeof *m->node);
    return m->node[m->count++] = node;
}

/* The same shape through another library or in another process: all samples, or of more than are kept from each part
 * as many as correspond to its calls. */
static void join_samples(struct kt_diff_node *node, int side, const struct kt_samples *more)
{
    double *taken = kt_resize(NULL, KT_SAMPLES_KEPT, sizeof *taken);
    struct kt_samples all = {0};
    const struct kt_samples *part[2] = {&node->samples[side], more};
    double total = (double)node->calls[side] + (double)more->n;
    double share = total <= KT_SAMPLES_KEPT ? 1 : KT_SAMPLES_KEPT / 2 / total; /* so many of each are kept */
    for (int i = 0; i < 2; i++) {
        double calls = i ? (double)more->n : (double)node->calls[side];
        size_t n = kt_samples_take(part[i], taken, (size_t)ceil(share * calls));
        for (size_t t = 0; t < n; t++)
            kt_samples_add(&all, taken[t]);
        all.resolution = fmax(all.resolution, part[i]->resolution);
    }
    if (node->joined[side])
        kt_samples_free(&node->samples[side]);
    free(taken);
    node->samples[side] = all;
    node->joined[side] = true;
}

void kt_diff_match_add(struct kt_diff_match *m, int side, const struct kt_shape_group *group)
{
    struct kt_diff_node *node = find_node(m, &group->first);
    if (node->has[side])
        join_samples(node, side, &group->seconds);
    else
        node->samples[side] = group->seconds;
    node->has[side] = true;
    if (!node->most[side] || group->total > node->most[side]->total)
        node->most[side] = group;
    node->total[side] += group->total;
    node->calls[side] += group->calls;
    node->subtracted[side] += isnan(group->inside.clean) ? group->inside.subtracted : 0;
}

void kt_diff_match_words(struct kt_diff_match *m)
{
    const struct kt_call **call = kt_resize(NULL, m->count + 1, sizeof *call);
    uint64_t *also = kt_resize(NULL, m->count + 1, sizeof *also);
    for (size_t i = 0; i < m->count; i++)
        call[i] = &m->node[i]->first;
    kt_shape_words_apart(call, m->count, also);
    for (size_t i = 0; i < m->count; i++)
        m->node[i]->also = also[i];
    free(also);
    free(call);
}

static void drop_node(void *node)
{
    (void)node;
}

void kt_diff_match_free(struct kt_diff_match *m)
{
    tdestroy(m->tree, drop_node);
    for (size_t i = 0; i < m->count; i++) {
        for (int side = 0; side < 2; side++)
            if (m->node[i]->joined[side])
                kt_samples_free(&m->node[i]->samples[side]);
        free(m->node[i]);
    }
    free(m->node);
}
