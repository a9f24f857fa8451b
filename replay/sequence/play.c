/* SPDX-License-Identifier: BSD-3-Clause */
#include "replay/sequence/play.h"

#include "ktrace/clock.h"
#include "replay/sequence/player.h"
#include "replay/sequence/trouble.h"
#include "trace/base/memory.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/socket.h>

/* A call, and what it takes. */
struct timing {
    const struct kt_player_call *ready;
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
static int64_t call_once(struct kt_player *p, size_t i, bool *ok)
{
    const struct kt_player_call *ready = &p->ready[i];
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
static void refill(const struct kt_player *p, const struct kt_recorded_call *call, enum kt_access access)
{
    static pthread_mutex_t one = PTHREAD_MUTEX_INITIALIZER;
    pthread_mutex_lock(&one);
    kt_contents_refill(&p->contents[0], call, access);
    pthread_mutex_unlock(&one);
}

static void play_call(struct kt_player *p, size_t i, bool waits)
{
    struct kt_board *board = p->play->board;
    const struct kt_recorded_call *call = &p->play->recording->call[i];
    bool ok;
    if (board->part[i] == KT_REFILLED)
        refill(p, call, KT_READ);
    kt_trouble_take();
    if (waits)
        kt_player_wait(p, p->last_end + p->ready[i].gap);
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
static enum outcome attempt(struct kt_player *p, size_t i)
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

static void keep(const struct kt_player *p, const struct kt_recorded_call *call, struct kept *out)
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

static void play_strange(struct kt_player *p, size_t i)
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
static void try_call(struct kt_player *p, size_t i)
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

static void begin_pass(struct kt_player *p)
{
    p->window = 0;
    p->pass.denormal = p->pass.overflowed = 0;
}

/* Calls of a window, or a stretch of these, as several threads play them. */
struct stage {
    struct kt_player *player;
    struct kt_window calls;
    bool waits;
    atomic_int active; /* seats that have not played all of their calls */
};

/* The seat's calls, again if they were played before: no time of these is taken. Returns if its thread went on with
 * others in the program. */
static bool play_calls_of(const struct stage *stage, unsigned seat, bool again)
{
    struct kt_player *own = &stage->player->seated[seat];
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
    struct kt_player *p = stage->player;
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

static void begin_window(struct kt_player *p, const struct kt_window *calls)
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

static void play_window(struct kt_player *p, const struct kt_window *calls, bool waits, bool is_alone)
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

static void play_together(struct kt_player *p, const struct kt_request *request, bool waits)
{
    struct kt_window window = {.first = request->calls.first};
    for (; window.first < request->calls.end; window.first = window.end) {
        window.end = end_of_window(p->play->recording, window.first, request->calls.end);
        play_window(p, &window, waits, request->is_alone);
    }
    for (size_t i = request->calls.first; i < request->calls.counted; i++)
        p->play->board->seconds[i] = KT_NOT_TIMED;
}

static void play_one_by_one(struct kt_player *p, const struct kt_request *request, bool waits)
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

static void play_calls(struct kt_player *p, const struct kt_request *request)
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
    struct kt_player player = {.play = play, .library = *play->library, .random = 1};
    struct kt_error error = {0};
    struct kt_request request;
    player.pass.usable = kt_player_open(&player, &error) == KT_OK;
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
