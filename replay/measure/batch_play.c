/* SPDX-License-Identifier: BSD-3-Clause */
#include "replay/measure/batch_play.h"

#include "replay/call/call.h"
#include "replay/call/timer.h"
#include "replay/machine/cache.h"
#include "replay/machine/processor.h"
#include "replay/machine/seats.h"
#include "trace/base/memory.h"

#include <stdatomic.h>

/* A call made ready. */
struct prepared {
    kt_thunk *thunk;
    void *function;
    struct kt_by_reference cells;
    struct kt_parameters parameters;
    struct kt_returned returned;
};

/* --- operands ---------------------------------------------------------------------------------------------- */

static struct kt_operand *operands_of(const struct kt_call_batch_player *p, size_t call)
{
    return p->operand + call * (size_t)p->batch->per_call;
}

static void place(struct kt_call_batch_player *p)
{
    size_t count = p->batch->calls * (size_t)p->batch->per_call;
    uint64_t base = (uint64_t)p->arena.base;
    p->operand = kt_resize(p->operand, count, sizeof *p->operand);
    for (size_t i = 0; i < count; i++) {
        p->operand[i] = p->batch->operand[i];
        p->operand[i].base += base;
        p->operand[i].lo += base;
        p->operand[i].hi += base;
    }
}

/* The call changes what it reads there. */
static bool is_changed(const struct kt_operand *o)
{
    return o->access & KT_READ && o->access != KT_READ;
}

static void fill(const struct kt_call_batch_player *p, bool changed)
{
    for (size_t call = 0; call < p->batch->calls; call++)
        for (int i = 0; i < p->batch->per_call; i++)
            if (!changed || is_changed(&operands_of(p, call)[i]))
                kt_data_fill(p->pool, operands_of(p, call), p->batch->per_call, i);
}

static void bring_about(const struct kt_call_batch_player *p, bool cold)
{
    for (size_t i = 0; i < p->batch->calls * (size_t)p->batch->per_call; i++)
        if (cold)
            kt_lines_flush(p->operand[i].lo, p->operand[i].hi);
        else
            kt_lines_touch(p->operand[i].lo, p->operand[i].hi);
    if (cold)
        kt_lines_flushed();
}

/* --- calls ------------------------------------------------------------------------------------------------- */

static void make_ready(struct kt_call_batch_player *p, void *function)
{
    const struct kt_symbol *symbol = &p->batch->entry->symbol;
    uint64_t address[KT_MAX_OPERANDS];
    p->prepared = kt_resize(p->prepared, p->batch->calls, sizeof *p->prepared);
    for (size_t call = 0; call < p->batch->calls; call++) {
        struct prepared *one = &p->prepared[call];
        one->thunk = kt_thunk_of(symbol);
        one->function = function;
        for (int i = 0; i < p->batch->per_call; i++)
            address[i] = p->batch->address[call * (size_t)p->batch->per_call + (size_t)i] + (uint64_t)p->arena.base;
        kt_parameters_fill(symbol, p->batch->args + call * symbol->arg_bytes, address, p->batch->entry->int_bytes,
                           &one->cells, &one->parameters);
    }
}

/* Threads are started where the calling one may not be alone. */
static enum kt_status open_seats(struct kt_call_batch_player *p, unsigned threads, struct kt_error *error)
{
    cpu_set_t here;
    if (threads < 2 || p->seats)
        return KT_OK;
    CPU_ZERO(&here);
    sched_getaffinity(0, sizeof here, &here);
    kt_processor_release(&p->processors);
    enum kt_status status = kt_seats_open(threads, NULL, &p->seats, error);
    kt_processor_release(&here);
    p->threads = threads;
    return status;
}

enum kt_status kt_call_batch_prepare(struct kt_call_batch_player *p, const struct kt_call_batch_form *form,
                                     const struct kt_layout *layout, void *function, struct kt_error *error)
{
    KT_TRY(open_seats(p, form->threads, error));
    if (p->batch == form->batch)
        return KT_OK;
    kt_arena_close(&p->arena);
    p->batch = NULL;
    KT_TRY(kt_arena_open(form->batch->bytes, layout->pages, &p->arena, error));
    p->batch = form->batch;
    kt_arena_touch(&p->arena, p->batch->bytes);
    place(p);
    make_ready(p, function);
    fill(p, false);
    return KT_OK;
}

static void play(struct kt_call_batch_player *p, size_t from, size_t to)
{
    for (size_t call = from; call < to; call++) {
        struct prepared *one = &p->prepared[call];
        one->thunk(one->function, &one->parameters, &one->returned);
    }
}

/* --- a loop of several threads ----------------------------------------------------------------------------- */

struct loop {
    struct kt_call_batch_player *player;
    atomic_uint arrived;
    struct {
        _Alignas(128) uint64_t begin, end; /* of the clock */
        struct kt_witness before, after;
    } seat[KT_MOST_BATCHED];
};

static void play_share(void *context, unsigned seat)
{
    struct loop *loop = context;
    size_t calls = loop->player->batch->calls;
    unsigned threads = loop->player->threads;
    kt_witness_take(&loop->seat[seat].before);
    loop->arrived++;
    while (loop->arrived < threads)
        ;
    loop->seat[seat].begin = kt_clock_start();
    play(loop->player, calls * seat / threads, calls * (seat + 1) / threads);
    loop->seat[seat].end = kt_clock_stop();
    kt_witness_take(&loop->seat[seat].after);
}

/* From when the first thread began to when the last one was done. One of them that was disturbed disturbs all. */
static uint64_t time_loop(struct kt_call_batch_player *p, struct kt_disturbances *disturbances)
{
    static struct loop loop;
    uint64_t begin = UINT64_MAX;
    uint64_t end = 0;
    unsigned disturbed = 0;
    loop.player = p;
    loop.arrived = 0;
    kt_seats_run(p->seats, play_share, &loop);
    for (unsigned i = 0; i < p->threads; i++) {
        begin = loop.seat[i].begin < begin ? loop.seat[i].begin : begin;
        end = loop.seat[i].end > end ? loop.seat[i].end : end;
        if (kt_witness_compare(&loop.seat[i].before, &loop.seat[i].after))
            disturbed = i;
    }
    kt_disturbances_add(disturbances, &loop.seat[disturbed].before, &loop.seat[disturbed].after);
    return end - begin;
}

static uint64_t time_row(struct kt_call_batch_player *p, struct kt_disturbances *disturbances)
{
    struct kt_witness before;
    struct kt_witness after;
    kt_witness_take(&before);
    kt_timer_settle();
    uint64_t begin = kt_clock_start();
    play(p, 0, p->batch->calls);
    uint64_t ticks = kt_clock_stop() - begin;
    kt_witness_take(&after);
    kt_disturbances_add(disturbances, &before, &after);
    return ticks;
}

/* --- a sample ---------------------------------------------------------------------------------------------- */

static int64_t first_info(const struct kt_call_batch_player *p)
{
    for (size_t call = 0; call < p->batch->calls; call++) {
        const struct prepared *one = &p->prepared[call];
        int64_t info =
            kt_parameters_info(&p->batch->entry->symbol, &one->cells, &one->returned, p->batch->entry->int_bytes);
        if (info)
            return info;
    }
    return 0;
}

double kt_call_batch_time(struct kt_call_batch_player *p, const struct kt_call_batch_form *form, bool cold,
                          struct kt_disturbances *disturbances, int64_t *info)
{
    fill(p, true);
    bring_about(p, cold);
    uint64_t ticks = form->threads > 1 ? time_loop(p, disturbances) : time_row(p, disturbances);
    *info = first_info(p);
    return (double)ticks * kt_timer_tick() / (double)p->batch->calls;
}
