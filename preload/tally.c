/* SPDX-License-Identifier: BSD-3-Clause */
#include "preload/tally.h"

#include "preload/system.h"

/* Of a stream and of what its file says. A signal handler may count as well, before, between or after these steps; and
 * the thread may be cancelled between them, when the file must not say less. */
static void add_in_both(uint64_t *number, uint64_t *in_file, uint64_t more)
{
    __atomic_fetch_add(in_file, more, __ATOMIC_RELAXED);
    atomic_signal_fence(memory_order_seq_cst);
    __atomic_fetch_add(number, more, __ATOMIC_RELAXED);
}

static void count_lost(enum kt_loss cause, uint64_t calls)
{
    struct kt_thread *thread = &kt_self;
    struct kt_stream *stream = thread->stream;
    thread->failures += cause == KT_LOSS_SPACE || cause == KT_LOSS_ERROR || cause == KT_LOSS_LIMIT;
    thread->last_failure = cause;
    if (!stream->chunk) {
        __atomic_fetch_add(&kt_control()->lost[cause], calls, __ATOMIC_RELAXED);
        return;
    }
    add_in_both(&stream->lost[cause], &stream->chunk->lost[cause], calls);
}

enum kt_loss kt_tally_cause_when_busy(void)
{
    return kt_system_may_ask() ? KT_LOSS_SIGNAL : KT_LOSS_ERROR;
}

void kt_tally_skipped(uint64_t calls)
{
    struct kt_stream *stream = kt_self.stream;
    if (stream->chunk)
        add_in_both(&stream->skipped, &stream->chunk->skipped, calls);
    else
        __atomic_fetch_add(&kt_control()->skipped, calls, __ATOMIC_RELAXED);
}

void kt_tally_lost_call(struct kt_frame *frame, enum kt_loss cause)
{
    count_lost(cause, 1);
    frame->cpu = KT_FATE_LOST + (unsigned)cause;
}

void kt_tally_passed(const struct kt_frame *frame)
{
    if (frame->outer)
        return; /* it is one of those that were passed on */
    if (frame->cpu == KT_FATE_SKIPPED)
        kt_tally_skipped(kt_take_passed());
    else
        count_lost((enum kt_loss)(frame->cpu - KT_FATE_LOST), kt_take_passed());
}

void kt_tally_passed_in(struct kt_stream *stream, uint64_t passed)
{
    add_in_both(&stream->passed, &stream->chunk->passed, passed);
}

void kt_tally_rest(void)
{
    if (kt_self.stream->chunk)
        kt_tally_passed_in(kt_self.stream, kt_take_passed());
    else
        atomic_fetch_add(&kt_recorder.passed, kt_take_passed());
}
