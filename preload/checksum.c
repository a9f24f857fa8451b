/* SPDX-License-Identifier: BSD-3-Clause */
#include "preload/checksum.h"

#include "preload/elements.h"
#include "preload/entries.h"
#include "preload/forward.h"
#include "preload/names.h"
#include "preload/plan.h"
#include "preload/quiet.h"
#include "preload/settings.h"
#include "preload/system.h"
#include "preload/tape.h"
#include "preload/thread.h"

#include <errno.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* An operand of so many places is summed as a whole, unless its columns are many and far from each other. */
enum { WHOLE = 8192, FEW_COLUMNS = 32, SPAN = 128 << 10 };

/* Of a larger one so many blocks are. */
enum { BLOCKS = 32, BLOCK = 64 /* elements */, REACH = 4096 /* bytes */, GOLDEN = 40503 /* 2^16 / 1.618 */ };

/* Whatever lies between two places that are no farther apart lies in the page of one of them. */
enum { NEAR = 4096 };

/* --- reading ----------------------------------------------------------------------------------------------- */

static void take_word(struct kt_summing *r, uint64_t word)
{
    uint64_t *lane = &r->lane[r->count++ % KT_SUM_LANES];
    *lane = kt_mix(*lane, word);
}

static void take_piece(struct kt_summing *r, const unsigned char *at, size_t bytes)
{
    uint64_t word;
    uint32_t half;
    if (r->elem >= sizeof word) {
        for (size_t i = 0; i < bytes; i += sizeof word) {
            memcpy(&word, at + i, sizeof word);
            take_word(r, word);
        }
        return;
    }
    for (size_t i = 0; i < bytes; i += sizeof half) {
        memcpy(&half, at + i, sizeof half);
        take_word(r, half);
    }
}

/* False: a part of it cannot be read. */
static bool read_pieces(struct kt_summing *r)
{
    const struct iovec here = {r->buffer, r->used};
    if (r->used && (!kt_system_may_ask() || kt_system_call(SYS_process_vm_readv, kt_self.stream->tid, &here, 1,
                                                           r->window, r->windows, 0) != (long)r->used))
        return false;
    for (unsigned i = 0; i < r->pieces; i++)
        take_piece(r, r->buffer + r->piece[i].at, r->piece[i].bytes);
    r->used = 0;
    r->windows = r->pieces = 0;
    return true;
}

/* From the end of the last window to ADDRESS; at least NEAR: that needs a window of its own. */
static uint64_t gap_before(const struct kt_summing *r, uint64_t address)
{
    const struct iovec *last = r->windows ? &r->window[r->windows - 1] : NULL;
    return last ? address - ((uintptr_t)last->iov_base + last->iov_len) : NEAR;
}

static bool has_room(const struct kt_summing *r, uint64_t gap)
{
    bool has_window = gap < NEAR || r->windows < KT_SUM_WINDOWS;
    return has_window && r->pieces < KT_SUM_PIECES && r->used + (gap < NEAR ? gap : 0) + 16 <= sizeof r->buffer;
}

static void extend_window(struct kt_summing *r, uint64_t address, uint64_t gap, size_t bytes)
{
    if (gap >= NEAR) {
        r->window[r->windows++] = (struct iovec){(void *)(uintptr_t)address, 0};
        gap = 0;
    }
    r->piece[r->pieces].at = (uint32_t)(r->used + gap);
    r->piece[r->pieces++].bytes = (uint32_t)bytes;
    r->window[r->windows - 1].iov_len += gap + bytes;
    r->used += gap + bytes;
}

static bool add_piece(struct kt_summing *r, uint64_t address, uint64_t bytes)
{
    while (bytes) {
        uint64_t gap = gap_before(r, address);
        if (!has_room(r, gap)) {
            if (!read_pieces(r))
                return false;
            continue;
        }
        uint64_t room = (sizeof r->buffer - r->used - (gap < NEAR ? gap : 0)) & ~(uint64_t)15;
        size_t now = bytes < room ? bytes : room;
        extend_window(r, address, gap, now);
        address += now;
        bytes -= now;
    }
    return true;
}

/* --- which elements ---------------------------------------------------------------------------------------- */

static int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static bool is_sampled(const struct kt_elements *o)
{
    int64_t height = o->form == KT_X_BAND ? least(o->rows, o->below + o->above + 1) : o->rows;
    bool far = o->cols > FEW_COLUMNS && o->ld * (o->cols - 1) > SPAN / (int64_t)o->elem;
    return height * o->cols > WHOLE || far;
}

static bool add_column(struct kt_summing *r, const struct kt_elements *o, int64_t j)
{
    int64_t at;
    int64_t count = kt_elements_column(o, j, &at);
    return add_piece(r, o->base + (uint64_t)at * o->elem, (uint64_t)count * o->elem);
}

/* Where the block begins in a column of COUNT elements. */
static int64_t block_offset(const struct kt_elements *o, int64_t i, int64_t count)
{
    bool is_last = o->cols > 1 ? i % 4 == 3 : i == BLOCKS - 1;
    if (count <= BLOCK)
        return 0;
    return is_last ? count - BLOCK : (i * GOLDEN % 65536) * (count - BLOCK + 1) >> 16;
}

/* From there on, also in the columns behind if they are near. */
static bool add_block(struct kt_summing *r, const struct kt_elements *o, int64_t i)
{
    int64_t at;
    int64_t j = i * (o->cols - 1) / (BLOCKS - 1);
    int64_t count = kt_elements_column(o, j, &at);
    int64_t skipped = block_offset(o, i, count);
    int64_t left = count ? BLOCK : 0;
    const uint64_t begin = o->base + (uint64_t)(at + skipped) * o->elem;
    uint64_t from = begin;
    count -= skipped;
    while (left) {
        int64_t room = (int64_t)((REACH - (from - begin)) / o->elem);
        int64_t now = least(least(count, left), room);
        if (!add_piece(r, from, (uint64_t)now * o->elem))
            return false;
        left -= now;
        if (++j >= o->cols)
            break;
        count = kt_elements_column(o, j, &at);
        from = o->base + (uint64_t)at * o->elem;
        if (from - begin > REACH - o->elem)
            break;
    }
    return true;
}

static uint64_t sum_of(const struct kt_summing *r)
{
    uint64_t sum = r->count;
    for (unsigned i = 0; i < KT_SUM_LANES; i++)
        sum = kt_mix(sum, r->lane[i]);
    return sum;
}

static void begin_sum(struct kt_summing *r, unsigned elem)
{
    memset(r, 0, offsetof(struct kt_summing, window));
    r->elem = elem;
}

/* False: it cannot be read. */
static bool sum_operand(struct kt_summing *r, const struct kt_elements *o, uint64_t *sum)
{
    bool good = true;
    bool sampled = is_sampled(o);
    int64_t parts = sampled ? BLOCKS : o->cols;
    begin_sum(r, o->elem);
    for (int64_t i = 0; i < parts && good; i++)
        good = sampled ? add_block(r, o, i) : add_column(r, o, i);
    good = good && read_pieces(r);
    *sum = good ? sum_of(r) : 0;
    return good;
}

/* --- inputs and outputs ------------------------------------------------------------------------------------ */

/* KT_X_READ, KT_X_WRITE: what is wanted. */
static unsigned rule;

bool kt_checksum_start(void)
{
    rule = kt_settings_checksum();
    return rule != 0;
}

static void begin_walk(const struct kt_checks *c, const struct kt_frame *frame, struct kt_element_walk *out)
{
    const struct kt_interface *interface = kt_entries_interface(frame->binding->entry);
    kt_elements_begin((unsigned)(interface - kt_interfaces), c->args, frame->binding->wide, out);
}

static void check_input(struct kt_checks *c, const struct kt_elements *o)
{
    struct kt_check *check = &c->operand[c->operands++];
    *check = (struct kt_check){.offset = o->offset, .flags = is_sampled(o) ? KT_CHECK_PART : 0};
    if (!(rule & o->access & KT_X_READ))
        return;
    check->flags |= sum_operand(&c->summing, o, &check->in) ? KT_CHECK_IN : KT_CHECK_IN_UNREAD;
}

static void check_output(struct kt_checks *c, const struct kt_elements *o, struct kt_check *check)
{
    if (rule & o->access & KT_X_WRITE)
        check->flags |= sum_operand(&c->summing, o, &check->out) ? KT_CHECK_OUT : KT_CHECK_OUT_UNREAD;
}

void kt_checksum_inputs(const struct kt_frame *frame, const uint64_t *word, unsigned words)
{
    struct kt_checks *c = &kt_self.stream->checks;
    struct kt_element_walk walk;
    struct kt_elements o;
    int saved = errno;
    c->frame = NULL;
    c->call = NULL;
    c->operands = 0;
    if (kt_entries_interface(frame->binding->entry)->undescribed)
        return;
    memcpy(c->args, word + KT_CALL_HEAD_WORDS, (words - KT_CALL_HEAD_WORDS) * sizeof *word);
    begin_walk(c, frame, &walk);
    while (c->operands + 1 < KT_CHECK_OPERANDS && kt_elements_next(&walk, &o))
        check_input(c, &o);
    c->frame = frame;
    errno = saved;
}

void kt_checksum_registers(const struct kt_call *call)
{
    struct kt_checks *c = &kt_self.stream->checks;
    if (c->frame == &call->frame)
        c->call = call;
}

/* --- what a function returns ------------------------------------------------------------------------------- */

/* The first word of it, in the registers. */
static uint64_t first_returned(const struct kt_checks *c, unsigned result)
{
    const struct kt_call *call = c->call;
    if (!call)
        return kt_self.returned;
    return result == KT_X_INTEGER ? call->returned[0] : call->returned_number[0].low;
}

static void take_returned(struct kt_checks *c, unsigned result, bool wide)
{
    const struct kt_call *call = c->call;
    uint64_t first = first_returned(c, result);
    bool is_half = result == KT_X_FLOAT || (result == KT_X_INTEGER && !wide);
#ifdef __aarch64__
    if (result == KT_X_CFLOAT && call)
        first = (uint32_t)first | call->returned_number[1].low << 32;
#endif
    take_word(&c->summing, is_half ? (uint32_t)first : first);
    if (result == KT_X_CDOUBLE && call)
        take_word(&c->summing, call->returned_number[1].low);
}

/* Complex results of some compilers are in memory, which a hidden first argument tells. */
static void check_result(struct kt_checks *c, const struct kt_frame *frame, unsigned result)
{
    const struct kt_call *call = c->call;
    struct kt_check *check = &c->operand[c->operands++];
    bool good = true;
    begin_sum(&c->summing, result == KT_X_CDOUBLE ? 16 : 8);
    if (frame->binding->hidden_result && call)
        good = add_piece(&c->summing, call->word[0], c->summing.elem) && read_pieces(&c->summing);
    else
        take_returned(c, result, frame->binding->wide);
    *check = (struct kt_check){.offset = KT_CHECK_RESULT,
                               .flags = good ? KT_CHECK_OUT : KT_CHECK_OUT_UNREAD,
                               .out = good ? sum_of(&c->summing) : 0};
}

void kt_checksum_outputs(struct kt_stream *stream, const struct kt_frame *frame)
{
    struct kt_checks *c = &stream->checks;
    struct kt_element_walk walk;
    struct kt_elements o;
    int saved = errno;
    if (c->frame != frame)
        return;
    begin_walk(c, frame, &walk);
    for (unsigned i = 0; i < c->operands && kt_elements_next(&walk, &o); i++)
        check_output(c, &o, &c->operand[i]);
    if (rule & KT_X_WRITE && walk.result != KT_X_NOTHING)
        check_result(c, frame, walk.result);
    errno = saved;
}

/* --- the event --------------------------------------------------------------------------------------------- */

/* Returns how many words it takes. */
static uint64_t put_check(uint64_t *at, const struct kt_check *check)
{
    uint64_t words = 0;
    at[words++] = check->offset | (uint64_t)check->flags << 16;
    if (check->flags & KT_CHECK_IN)
        at[words++] = check->in;
    if (check->flags & KT_CHECK_OUT)
        at[words++] = check->out;
    return words;
}

static bool has_room_for(struct kt_stream *stream, size_t words)
{
    if (kt_tape_is_full(stream) && kt_quiet_begin()) {
        kt_tape_advance(stream);
        kt_quiet_end();
    }
    return stream->cursor + 8 * words <= stream->touched;
}

void kt_checksum_store(struct kt_stream *stream, const struct kt_frame *frame)
{
    struct kt_checks *c = &stream->checks;
    if (c->frame != frame)
        return;
    c->frame = NULL;
    if (!has_room_for(stream, KT_CHECK_HEAD_WORDS + 3 * (size_t)c->operands))
        return;
    uint64_t *at = (uint64_t *)(void *)stream->cursor;
    uint64_t words = KT_CHECK_HEAD_WORDS;
    at[1] = frame->start;
    for (unsigned i = 0; i < c->operands; i++)
        words += put_check(at + words, &c->operand[i]);
    kt_commit(stream, kt_event_head(KT_EVENT_CHECKSUMS, words, c->operands, 0));
}
