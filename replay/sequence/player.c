/* SPDX-License-Identifier: BSD-3-Clause */
#include "replay/sequence/player.h"

#include "ktrace/clock.h"
#include "replay/machine/processor.h"
#include "trace/base/memory.h"
#include "trace/base/random.h"

#include <string.h>
#include <time.h>

/* --- gaps ------------------------------------------------------------------------------------------------------ */

enum { LINE = 64, TRAFFIC_BYTES = 64 << 20, TRAFFIC_STEP = 4096 };

static void read_some(struct kt_player_traffic *traffic)
{
    for (size_t end = traffic->at + TRAFFIC_STEP; traffic->at < end; traffic->at += LINE)
        (void)*(volatile unsigned char *)(traffic->memory + traffic->at);
    traffic->at %= TRAFFIC_BYTES;
}

/* --- the process ----------------------------------------------------------------------------------------------- */

enum { BRANCHES = 255 };                /* with a return a page */
static const double row_seconds = 5e-6; /* at most */

void kt_player_wait(struct kt_player *p, uint64_t until)
{
    const int64_t row_ticks = (int64_t)(row_seconds / p->tick);
    int64_t left;
    while ((left = (int64_t)(until - kt_clock_start())) > 0) {
        if (p->traffic.memory)
            read_some(&p->traffic);
        if (left > row_ticks)
            kt_branches_run(&p->code, p->row++, (uint32_t)kt_random(&p->random));
    }
}

static uint64_t now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static double measure_tick(void)
{
    enum { LONG_ENOUGH_NS = 50000000 };
    uint64_t start = now_ns();
    uint64_t ticks = kt_clock_start();
    uint64_t ns;
    while ((ns = now_ns() - start) < LONG_ENOUGH_NS)
        ;
    return (double)ns * 1e-9 / (double)(kt_clock_start() - ticks);
}

/* Addresses of operands that a call does not reference are those of spare pages. */
static const uint64_t *place(const struct kt_player *p, const struct kt_recorded_call *call)
{
    struct kt_operand operand[KT_MAX_OPERANDS];
    int count = kt_operands_placed(call, &p->space, operand);
    uint64_t *address = kt_resize(NULL, (size_t)count, sizeof *address);
    for (int i = 0; i < count; i++)
        address[i] = operand[i].base;
    return address;
}

static void make_ready(struct kt_player *p, size_t i)
{
    const struct kt_recorded_call *call = &p->play->recording->call[i];
    const struct kt_symbol *symbol = &call->entry->symbol;
    const struct kt_recorded_call *before = i ? call - 1 : NULL;
    struct kt_player_call *ready = &p->ready[i];
    unsigned char *absent = &p->play->board->absent[call->shape];
    bool is_known = before && before->entry == call->entry;
    *ready = (struct kt_player_call){.symbol = symbol, .thunk = is_known ? ready[-1].thunk : kt_thunk_of(symbol)};
    ready->function =
        is_known ? ready[-1].function : kt_library_symbol(&p->library, symbol->name, call->entry->library->path);
    ready->gap = (uint64_t)(call->gap / p->tick);
    kt_scalars_steady(symbol, (unsigned char *)call->args);
    ready->address = place(p, call);
    if (!ready->thunk && !*absent)
        *absent = KT_NO_THUNK;
    if (!ready->function && !*absent)
        *absent = KT_MISSING;
    if (!kt_library_takes(&p->library, call->entry->int_bytes) && !*absent)
        *absent = KT_OTHER_INTEGERS;
}

static void plan_contents(struct kt_player *p)
{
    const struct kt_recording *r = p->play->recording;
    size_t window = 0;
    p->contents = kt_resize(NULL, r->windows, sizeof *p->contents);
    for (size_t first = 0; first < r->calls;) {
        size_t end = first + 1;
        while (end < r->calls && !r->call[end].opens)
            end++;
        kt_contents_plan(&p->space, p->pool, &r->call[first], end - first, &p->contents[window++]);
        first = end;
    }
}

/* Regions that have most of the calls are where their company is: calls outside of them are made one at a time. */
static bool are_in_parallel(const struct kt_recording *r)
{
    size_t in_parallel = 0;
    for (size_t i = 0; i < r->calls; i++)
        in_parallel += r->call[i].in_parallel;
    return 2 * in_parallel > r->calls;
}

static enum kt_status open_seats(struct kt_player *p, struct kt_error *error)
{
    const struct kt_recording *r = p->play->recording;
    p->in_team = p->team.threads && are_in_parallel(r);
    if (r->seats < 2)
        return KT_OK;
    p->seated = kt_resize(NULL, r->seats, sizeof *p->seated);
    for (unsigned i = 0; i < r->seats; i++) {
        p->seated[i] = *p;
        p->seated[i].random += i;
        p->seated[i].team.threads = 0; /* they are in it, or have none */
    }
    return kt_seats_open(r->seats, p->in_team ? &p->team : NULL, &p->seats, error);
}

enum kt_status kt_player_open(struct kt_player *p, struct kt_error *error)
{
    const struct kt_recording *r = p->play->recording;
    KT_TRY(kt_space_map(p->play->ranges, &p->space, error));
    kt_team_open(r->team, &p->team);
    KT_TRY(kt_library_load(&p->library, error));
    kt_library_ask(&p->library);
    if (p->library.threads == 1 && !p->team.threads && r->seats < 2)
        kt_processor_pin(p->play->processor);
    p->pool = kt_data_pool_new();
    p->tick = measure_tick();
    p->clock_ticks = kt_clock_cost();
    p->ready = kt_resize(NULL, r->calls, sizeof *p->ready);
    for (size_t i = 0; i < r->calls; i++)
        make_ready(p, i);
    plan_contents(p);
    if (p->play->gaps == KT_GAPS_TRAFFIC) {
        p->traffic.memory = kt_resize(NULL, TRAFFIC_BYTES, 1);
        memset(p->traffic.memory, 1, TRAFFIC_BYTES);
    }
    if (p->play->gaps == KT_GAPS_CODE)
        kt_branches_make(KT_GAP_CODE_PAGES, BRANCHES, &p->code);
    return open_seats(p, error);
}
