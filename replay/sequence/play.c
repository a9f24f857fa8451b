/* SPDX-License-Identifier: BSD-3-Clause */
#include "replay/sequence/play.h"

#include "ktrace/clock.h"
#include "replay/call/call.h"
#include "replay/flush/branches.h"
#include "replay/machine/processor.h"
#include "replay/machine/seats.h"
#include "trace/base/random.h"
#include "replay/sequence/contents.h"
#include "replay/sequence/trouble.h"
#include "trace/base/memory.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/socket.h>

/* --- gaps ------------------------------------------------------------------------------------------------------ */

enum { LINE = 64, TRAFFIC_BYTES = 64 << 20, TRAFFIC_STEP = 4096 };

struct traffic {
    unsigned char *memory;
    size_t at;
};

static void read_some(struct traffic *traffic)
{
    for (size_t end = traffic->at + TRAFFIC_STEP; traffic->at < end; traffic->at += LINE)
        (void)*(volatile unsigned char *)(traffic->memory + traffic->at);
    traffic->at %= TRAFFIC_BYTES;
}

/* --- the process ----------------------------------------------------------------------------------------------- */

/* A call made ready. */
struct ready {
    const struct kt_symbol *symbol;
    void *function;
    kt_thunk *thunk;
    const uint64_t *address; /* to pass, in the order of the operands */
    uint64_t gap;            /* ticks */
};

struct player {
    const struct kt_play *play;
    struct kt_library library;
    struct kt_space space;
    struct kt_data_pool *pool;
    struct ready *ready;
    struct kt_contents *contents; /* by window */
    size_t window;                /* that comes next */
    struct traffic traffic;
    struct kt_branches code;
    struct kt_team team;
    size_t row; /* of it that is executed next */
    uint64_t random;
    double tick; /* seconds */
    uint64_t clock_ticks;
    struct kt_pass pass;
    uint64_t last_end;      /* ticks: of the last call played, or when playing began */
    struct kt_seats *seats; /* NULL: calls are played one after the other */
    bool in_team;           /* they are threads of the team */
    struct player *seated;  /* what each of them has of its own; owned */
};

enum { BRANCHES = 255 };                /* with a return a page */
static const double row_seconds = 5e-6; /* at most */

static void wait_until(uint64_t ticks, struct player *p)
{
    const int64_t row_ticks = (int64_t)(row_seconds / p->tick);
    int64_t left;
    while ((left = (int64_t)(ticks - kt_clock_start())) > 0) {
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
static const uint64_t *place(const struct player *p, const struct kt_recorded_call *call)
{
    struct kt_operand operand[KT_MAX_OPERANDS];
    int count = kt_operands_placed(call, &p->space, operand);
    uint64_t *address = kt_resize(NULL, (size_t)count, sizeof *address);
    for (int i = 0; i < count; i++)
        address[i] = operand[i].base;
    return address;
}

static void make_ready(struct player *p, size_t i)
{
    const struct kt_recorded_call *call = &p->play->recording->call[i];
    const struct kt_symbol *symbol = &call->entry->symbol;
    const struct kt_recorded_call *before = i ? call - 1 : NULL;
    struct ready *ready = &p->ready[i];
    unsigned char *absent = &p->play->board->absent[call->shape];
    bool is_known = before && before->entry == call->entry;
    *ready = (struct ready){.symbol = symbol, .thunk = is_known ? ready[-1].thunk : kt_thunk_of(symbol)};
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

static void plan_contents(struct player *p)
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

static enum kt_status open_seats(struct player *p, struct kt_error *error)
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

static enum kt_status prepare(struct player *p, struct kt_error *error)
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

/* A call, and what it takes. */
struct timing {
    const struct ready *ready;
    const struct kt_parameters *parameters;
    struct kt_returned returned;
    uint64_t ticks;
};

static void time_call(void *data)
{
    struct timing *t = data;
    uint64_t start = kt_clock_start();
    t->ready->thunk(t->ready->function, t->parameters, &t->returned);
    t->ticks = kt_clock_stop() - start;
}

/* Returns the ticks that the call took; *OK: with info = 0. */
static int64_t call_once(struct player *p, size_t i, bool *ok)
{
    const struct ready *ready = &p->ready[i];
    const struct kt_recorded_call *call = &p->play->recording->call[i];
    struct kt_by_reference cells;
    struct kt_parameters parameters;
    struct timing timing = {.ready = ready, .parameters = &parameters};
    kt_parameters_fill(ready->symbol, (const unsigned char *)call->args, ready->address, call->entry->int_bytes, &cells,
                       &parameters);
    p->play->board->inside[i] = 1;
    if (call->in_parallel)
        kt_team_call(&p->team, time_call, &timing);
    else
        time_call(&timing);
    int64_t ticks = (int64_t)(timing.ticks - p->clock_ticks);
    p->play->board->inside[i] = 0;
    *ok = kt_parameters_info(ready->symbol, &cells, &timing.returned, call->entry->int_bytes) == 0;
    return ticks > 0 ? ticks : 0;
}

/* One at a time: it takes from a pool. */
static void refill(const struct player *p, const struct kt_recorded_call *call, enum kt_access access)
{
    static pthread_mutex_t one = PTHREAD_MUTEX_INITIALIZER;
    pthread_mutex_lock(&one);
    kt_contents_refill(&p->contents[0], call, access);
    pthread_mutex_unlock(&one);
}

static void play_call(struct player *p, size_t i, bool waits)
{
    struct kt_board *board = p->play->board;
    const struct kt_recorded_call *call = &p->play->recording->call[i];
    bool ok;
    if (board->part[i] == KT_REFILLED)
        refill(p, call, KT_READ);
    kt_trouble_take();
    if (waits)
        wait_until(p->last_end + p->ready[i].gap, p);
    int64_t ticks = call_once(p, i, &ok);
    p->last_end = kt_clock_start();
    enum kt_trouble trouble = kt_trouble_take();
    p->pass.denormal += trouble == KT_DENORMAL;
    p->pass.overflowed += trouble == KT_OVERFLOW;
    if (board->part[i] == KT_STRANGE)
        refill(p, call, KT_WRITE);
    if (ok && call->ok) /* one that failed in the program did so by what its operands held, which is not known */
        board->seconds[i] = (float)((double)ticks * p->tick);
}

enum outcome { GOOD, SLOW, UNFIT }; /* the less the better */

/* SLOW: its results are fit for later calls, but it met denormal numbers on the way, which take processors a hundred
 * times as long. */
static enum outcome attempt(struct player *p, size_t i)
{
    bool ok;
    kt_trouble_take();
    call_once(p, i, &ok);
    enum kt_trouble trouble = kt_trouble_take();
    if (!ok || !kt_results_ordinary(&p->space, &p->play->recording->call[i]))
        return UNFIT;
    return trouble == KT_DENORMAL ? SLOW : GOOD;
}

/* What memory of a call's operands holds. */
struct kept {
    int ranges;
    struct {
        uint64_t lo, hi;
        void *bytes; /* owned */
    } range[KT_MAX_OPERANDS];
};

static void keep(const struct player *p, const struct kt_recorded_call *call, struct kept *out)
{
    struct kt_operand operand[KT_MAX_OPERANDS];
    out->ranges = kt_operands_placed(call, &p->space, operand);
    for (int i = 0; i < out->ranges; i++) {
        uint64_t lo = operand[i].lo;
        uint64_t hi = operand[i].hi > lo ? operand[i].hi : lo;
        out->range[i].lo = lo;
        out->range[i].hi = hi;
        out->range[i].bytes = kt_resize(NULL, hi - lo + 1, 1);
        if (lo < hi)
            memcpy(out->range[i].bytes, (const void *)lo, hi - lo);
    }
}

static void put_back(struct kept *kept, bool is_wanted)
{
    for (int i = 0; i < kept->ranges; i++) {
        if (is_wanted && kept->range[i].lo < kept->range[i].hi)
            memcpy((void *)kept->range[i].lo, kept->range[i].bytes, kept->range[i].hi - kept->range[i].lo);
        free(kept->range[i].bytes);
    }
}

static void play_strange(struct player *p, size_t i)
{
    struct kt_board *board = p->play->board;
    const struct kt_recorded_call *call = &p->play->recording->call[i];
    bool ok;
    kt_contents_refill(&p->contents[0], call, KT_READ);
    call_once(p, i, &ok);
    if (!ok && call->ok)
        board->absent[call->shape] = KT_WRONG_INFO;
    board->part[i] = KT_STRANGE;
    kt_contents_refill(&p->contents[0], call, KT_WRITE);
}

/* The first pass: times do not matter, so results can be looked at. Where what is there is no fit input, the call gets
 * fresh ones, unless these are no better; where its results then are none for later calls, they are replaced. */
static void try_call(struct player *p, size_t i)
{
    const struct kt_recorded_call *call = &p->play->recording->call[i];
    unsigned char *part = &p->play->board->part[i];
    enum outcome found = kt_contents_used_up(&p->space, call) ? UNFIT : attempt(p, i);
    struct kept kept = {0};
    *part = KT_PLAYED;
    if (found == GOOD)
        return;
    if (found == SLOW)
        keep(p, call, &kept);
    kt_contents_refill(&p->contents[0], call, KT_READ);
    enum outcome fresh = attempt(p, i);
    if (fresh < found)
        *part = KT_REFILLED;
    else if (found == UNFIT)
        play_strange(p, i);
    put_back(&kept, fresh >= found); /* as it is in passes */
}

static void begin_pass(struct player *p)
{
    p->window = 0;
    p->pass.denormal = p->pass.overflowed = 0;
}

/* Calls of a window, or a stretch of these, as several threads play them. */
struct stage {
    struct player *player;
    struct kt_window calls;
    bool waits;
    atomic_int active; /* seats that have not played all of their calls */
};

/* The seat's calls, again if they were played before: no time of these is taken. Returns if its thread went on with
 * others in the program. */
static bool play_calls_of(const struct stage *stage, unsigned seat, bool again)
{
    struct player *own = &stage->player->seated[seat];
    struct kt_board *board = own->play->board;
    bool goes_on = false;
    for (size_t i = stage->calls.first; i < stage->calls.end; i++) {
        const struct kt_recorded_call *call = &own->play->recording->call[i];
        float seconds = board->seconds[i];
        if (call->seat != seat || board->absent[call->shape])
            continue;
        if (again && !stage->active)
            return false;
        goes_on = call->goes_on;
        play_call(own, i, stage->waits);
        if (again)
            board->seconds[i] = seconds;
    }
    return goes_on;
}

/* A seat whose thread was stopped is not waited for. */
enum { MOST_TIMES_MORE = 64 };

/* Until the last seat has played its calls it has the company that it had in the program. */
static void play_seat(void *data, unsigned seat)
{
    struct stage *stage = data;
    bool goes_on = play_calls_of(stage, seat, false);
    stage->active--;
    for (int more = 0; goes_on && stage->active && more < MOST_TIMES_MORE; more++)
        goes_on = play_calls_of(stage, seat, true);
}

static size_t end_of_window(const struct kt_recording *r, size_t first, size_t end)
{
    size_t i = first + 1;
    while (i < end && !r->call[i].opens)
        i++;
    return i;
}

/* Alone the calls of a seat wait for nothing: it is what they take that is asked for. */
static void play_alone(void *data)
{
    struct stage *stage = data;
    stage->waits = false;
    for (unsigned i = 0; i < stage->player->play->recording->seats; i++)
        play_calls_of(stage, i, false);
}

/* Between a program's regions only the thread that opens them makes calls. */
static void play_between_regions(const struct stage *stage)
{
    for (size_t i = stage->calls.first; i < stage->calls.end; i++) {
        const struct kt_recorded_call *call = &stage->player->play->recording->call[i];
        if (!stage->player->play->board->absent[call->shape])
            play_call(&stage->player->seated[call->seat], i, stage->waits);
    }
}

static size_t end_of_stretch(const struct kt_recording *r, size_t first, size_t end)
{
    size_t i = first + 1;
    while (i < end && r->call[i].in_parallel == r->call[first].in_parallel)
        i++;
    return i;
}

/* What seats in a team play: regions as such, and what is between them outside. */
static void play_stretches(struct stage *stage, bool is_alone)
{
    struct player *p = stage->player;
    const struct kt_recording *r = p->play->recording;
    const size_t end = stage->calls.end;
    for (; stage->calls.first < end; stage->calls.first = stage->calls.end) {
        stage->calls.end = end_of_stretch(r, stage->calls.first, end);
        stage->active = (int)r->seats;
        if (!r->call[stage->calls.first].in_parallel)
            play_between_regions(stage);
        else if (is_alone)
            kt_team_call(&p->team, play_alone, stage);
        else
            kt_seats_run(p->seats, play_seat, stage);
    }
}

static void begin_window(struct player *p, const struct kt_window *calls)
{
    for (size_t i = calls->first; i < calls->end; i++)
        p->play->board->seconds[i] = KT_NOT_TIMED;
    if (p->play->recording->call[calls->first].opens)
        kt_contents_fill(&p->contents[p->window++]);
    uint64_t now = kt_clock_start();
    for (unsigned i = 0; i < p->play->recording->seats; i++) {
        p->seated[i].pass.denormal = p->seated[i].pass.overflowed = 0;
        p->seated[i].last_end = now;
    }
}

static void play_window(struct player *p, const struct kt_window *calls, bool waits, bool is_alone)
{
    const unsigned seats = p->play->recording->seats;
    struct stage stage = {p, *calls, waits, (int)seats};
    begin_window(p, calls);
    if (p->in_team)
        play_stretches(&stage, is_alone);
    else if (is_alone)
        play_alone(&stage);
    else
        kt_seats_run(p->seats, play_seat, &stage);
    for (unsigned i = 0; i < seats; i++) {
        p->pass.denormal += p->seated[i].pass.denormal;
        p->pass.overflowed += p->seated[i].pass.overflowed;
    }
}

static void play_together(struct player *p, const struct kt_request *request, bool waits)
{
    struct kt_window window = {.first = request->calls.first};
    for (; window.first < request->calls.end; window.first = window.end) {
        window.end = end_of_window(p->play->recording, window.first, request->calls.end);
        play_window(p, &window, waits, request->is_alone);
    }
    for (size_t i = request->calls.first; i < request->calls.counted; i++)
        p->play->board->seconds[i] = KT_NOT_TIMED;
}

static void play_one_by_one(struct player *p, const struct kt_request *request, bool waits)
{
    const struct kt_recording *r = p->play->recording;
    struct kt_board *board = p->play->board;
    p->last_end = kt_clock_start();
    for (size_t i = request->calls.first; i < request->calls.end; i++) {
        if (r->call[i].opens) {
            kt_contents_fill(&p->contents[p->window++]);
            p->last_end = kt_clock_start();
        }
        board->seconds[i] = KT_NOT_TIMED;
        if (board->absent[r->call[i].shape])
            continue;
        if (request->is_trial)
            try_call(p, i);
        else
            play_call(p, i, waits);
        if (i < request->calls.counted)
            board->seconds[i] = KT_NOT_TIMED;
    }
}

static void play_calls(struct player *p, const struct kt_request *request)
{
    bool waits = p->play->gaps != KT_GAPS_NONE && !request->is_warming;
    if (p->seats && !request->is_trial)
        play_together(p, request, waits);
    else
        play_one_by_one(p, request, waits);
}

void kt_play_serve(const void *context, int socket)
{
    const struct kt_play *play = context;
    struct player player = {.play = play, .library = *play->library, .random = 1};
    struct kt_error error = {0};
    struct kt_request request;
    player.pass.usable = prepare(&player, &error) == KT_OK;
    player.pass.space = player.space.kind;
    snprintf(player.pass.text, sizeof player.pass.text, "%.500s", error.text);
    while (send(socket, &player.pass, sizeof player.pass, MSG_NOSIGNAL) == sizeof player.pass && player.pass.usable) {
        if (recv(socket, &request, sizeof request, 0) != sizeof request)
            break;
        if (request.calls.first == 0)
            begin_pass(&player);
        play_calls(&player, &request);
    }
}
