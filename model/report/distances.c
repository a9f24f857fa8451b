/* SPDX-License-Identifier: BSD-3-Clause */
#include "model/report/distances.h"

#include "trace/shape/snapshots.h"
#include "trace/table/operand.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- numbers ----------------------------------------------------------------------------------------------- */

static double number_at(const unsigned char *at, size_t bytes)
{
    float single;
    double wide;
    if (bytes == sizeof single) {
        memcpy(&single, at, sizeof single);
        return single;
    }
    memcpy(&wide, at, sizeof wide);
    return wide;
}

/* Bits of a floating-point number as an integer that grows with it: those of negative numbers are a sign and a size. */
static int64_t place_of(const unsigned char *at, size_t bytes)
{
    int32_t narrow;
    int64_t wide;
    if (bytes == sizeof narrow) {
        memcpy(&narrow, at, sizeof narrow);
        return narrow < 0 ? INT32_MIN - (int64_t)narrow : narrow;
    }
    memcpy(&wide, at, sizeof wide);
    return wide < 0 ? INT64_MIN - wide : wide;
}

double kt_distance_ulps(const unsigned char *a, const unsigned char *b, size_t bytes)
{
    bool none[2] = {isnan(number_at(a, bytes)), isnan(number_at(b, bytes))};
    if (none[0] || none[1])
        return none[0] && none[1] ? 0 : INFINITY;
    int64_t place[2] = {place_of(a, bytes), place_of(b, bytes)};
    bool up = place[1] > place[0];
    return (double)((uint64_t)place[up] - (uint64_t)place[!up]);
}

/* --- one operand of a pair --------------------------------------------------------------------------------- */

/* What a snapshot holds of an operand. */
struct held {
    struct kt_operand operand;
    const unsigned char *contents; /* from its base on */
    uint64_t bytes;
};

static void compare_numbers(const unsigned char *a, const unsigned char *b, size_t bytes, struct kt_distance *out)
{
    double ulps = kt_distance_ulps(a, b, bytes);
    out->numbers++;
    out->differ += ulps > 0;
    if (ulps <= out->ulps)
        return;
    out->ulps = ulps;
    out->value[0] = number_at(a, bytes);
    out->value[1] = number_at(b, bytes);
}

/* The run of the operand, as far as it was kept; NULL: it was not. */
static const unsigned char *run_of(const struct held *h, int64_t i, uint64_t *bytes)
{
    uint64_t lo, hi;
    kt_operand_run(&h->operand, i, &lo, &hi);
    if (lo < h->operand.base || lo >= hi || hi - h->operand.base > h->bytes)
        return NULL;
    *bytes = hi - lo;
    return h->contents + (lo - h->operand.base);
}

static void compare_operands(const struct held h[2], struct kt_distance *out)
{
    int64_t runs = kt_operand_runs(&h[0].operand);
    size_t each = kt_operand_number_bytes(&h[0].operand);
    snprintf(out->name, sizeof out->name, "%s", h[0].operand.name);
    if (kt_operand_runs(&h[1].operand) != runs)
        return;
    uint64_t bytes[2];
    bool from_end = runs && !run_of(&h[0], 0, &bytes[0]); /* addresses fall, and only the beginning was kept */
    uint64_t most = h[0].bytes / each;                    /* runs of which something can be there */
    for (int64_t n = 0; n < runs && (uint64_t)n < most; n++) {
        int64_t i = from_end ? runs - 1 - n : n;
        const unsigned char *at[2] = {run_of(&h[0], i, &bytes[0]), run_of(&h[1], i, &bytes[1])};
        for (uint64_t k = 0; at[0] && at[1] && bytes[0] == bytes[1] && k + each <= bytes[0]; k += each)
            compare_numbers(at[0] + k, at[1] + k, each, out);
    }
}

/* --- one pair ---------------------------------------------------------------------------------------------- */

static int operands_of(const struct kt_snapshot *s, struct kt_operand out[KT_MAX_OPERANDS])
{
    struct kt_values values;
    kt_values_decode(&s->call.entry->symbol, s->call.args, &values);
    return kt_operands(&s->call.entry->symbol, &values, s->call.entry->int_bytes, out);
}

static struct held hold(const struct kt_snapshot *s, const struct kt_operand *operand, int i)
{
    struct held held = {.operand = *operand};
    held.contents = kt_snapshot_operand(s, i, &held.bytes);
    return held;
}

/* Of the operand whose numbers are farthest apart. */
static struct kt_distance distance_of(const struct kt_snapshot s[2])
{
    struct kt_operand operand[2][KT_MAX_OPERANDS];
    struct kt_distance widest = {0};
    int count = operands_of(&s[0], operand[0]);
    if (operands_of(&s[1], operand[1]) != count)
        return widest;
    for (int i = 0; i < count; i++) {
        struct kt_distance one = {0};
        struct held held[2] = {hold(&s[0], &operand[0][i], i), hold(&s[1], &operand[1][i], i)};
        if (held[0].contents && held[1].contents && kt_operand_number_bytes(&held[0].operand))
            compare_operands(held, &one);
        if (one.ulps > widest.ulps)
            widest = one;
    }
    return widest;
}

static void add_pair(const struct kt_snapshot s[2], struct kt_distances *out)
{
    struct kt_distance found = distance_of(s);
    out->pairs++;
    if (found.ulps == 0)
        return;
    if (out->differ++ == 0) {
        out->first = found;
        for (int side = 0; side < 2; side++)
            out->call[side] = kt_call_keep(&s[side].call);
    }
    if (found.ulps <= out->widest.ulps)
        return;
    out->widest = found;
    snprintf(out->widest_routine, sizeof out->widest_routine, "%s", s[0].call.entry->symbol.routine->name);
}

/* --- all of them ------------------------------------------------------------------------------------------- */

/* The snapshots of a thread, one after the other. */
struct walk {
    const struct kt_snapshots *all;
    const struct kt_process *process;
    uint32_t tid;
    size_t next;
};

static const struct kt_snapshot *next_of(struct walk *w)
{
    while (w->next < w->all->count) {
        const struct kt_snapshot *s = &w->all->snapshot[w->next++];
        if (s->call.process == w->process && s->call.tid == w->tid)
            return s;
    }
    return NULL;
}

static void read_pair(const struct walk w[2], const struct kt_snapshot *const found[2], struct kt_distances *out)
{
    struct kt_snapshot s[2] = {{0}};
    bool there = true;
    for (int side = 0; side < 2; side++)
        there = kt_snapshot_read(w[side].process, found[side]->number, &s[side]) && there;
    if (there && kt_pairing_same_call(&s[0].call, &s[1].call))
        add_pair(s, out);
    else
        out->unread++;
    for (int side = 0; side < 2; side++)
        free(s[side].bytes);
}

static void compare_thread(struct walk w[2], struct kt_distances *out)
{
    for (;;) {
        const struct kt_snapshot *found[2] = {next_of(&w[0]), next_of(&w[1])};
        if (!found[0] || !found[1])
            return;
        read_pair(w, found, out);
    }
}

void kt_distances_make(const struct kt_trace trace[2], const struct kt_pairing_threads threads[2],
                       struct kt_distances *out)
{
    struct kt_snapshots all[2];
    *out = (struct kt_distances){0};
    for (int side = 0; side < 2; side++)
        kt_snapshots_survey(&trace[side], &all[side]);
    for (size_t i = 0; i < threads[0].count && i < threads[1].count; i++) {
        struct walk w[2];
        for (int side = 0; side < 2; side++) {
            const struct kt_pairing_thread *t = &threads[side].thread[i];
            w[side] = (struct walk){&all[side], &trace[side].process[t->process], t->tid, 0};
        }
        compare_thread(w, out);
    }
    for (int side = 0; side < 2; side++)
        kt_snapshots_free(&all[side]);
}

void kt_distances_free(struct kt_distances *distances)
{
    for (int side = 0; side < 2; side++)
        if (distances->call[side].entry)
            kt_call_drop(&distances->call[side]);
}
