/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Calls of a thread whose stream is not ready come here: the first one, those during a pause, those of which a sample
 * is taken, those of signal handlers that interrupt an event. What cannot be recorded is counted.
 */
#include "preload/gate.h"

#include "preload/control.h"
#include "preload/process.h"
#include "preload/system.h"
#include "preload/tape.h"

#include <errno.h>
#include <signal.h>

enum { RETRY_CALLS = 1024 };
enum { SIGNAL_FRAME = 1024 }; /* what the kernel puts on the stack for a handler is larger on every machine */

uint64_t kt_interval = 1;

/* --- losses ------------------------------------------------------------------------------------------------ */

/* Of a stream and of what its file says. A signal handler may count as well, before, between or after these steps; and
 * the thread may be cancelled between them, when the file must not say less. */
static void add_in_both(uint64_t *number, uint64_t *in_file, uint64_t more)
{
    __atomic_fetch_add(in_file, more, __ATOMIC_RELAXED);
    atomic_signal_fence(memory_order_seq_cst);
    __atomic_fetch_add(number, more, __ATOMIC_RELAXED);
}

void kt_count_loss(enum kt_loss cause, uint64_t calls)
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

enum kt_loss kt_loss_when_busy(void)
{
    return kt_system_may_ask() ? KT_LOSS_SIGNAL : KT_LOSS_ERROR;
}

bool kt_is_time_to_try(void)
{
    return kt_self.failures % RETRY_CALLS == 0;
}

/* --- the gate ---------------------------------------------------------------------------------------------- */

uintptr_t kt_writer_of(const struct kt_stream *stream)
{
    uintptr_t ready = atomic_load(&stream->ready);
    return kt_is_frame(ready) ? ready : 0;
}

uintptr_t kt_odd_epoch(void)
{
    uintptr_t epoch = kt_epoch();
    return epoch % 2 ? epoch : (uintptr_t)__atomic_or_fetch(&kt_control()->epoch, 1, __ATOMIC_RELAXED);
}

static bool is_on(const stack_t *stack, const void *at)
{
    return stack->ss_sp && (uintptr_t)at - (uintptr_t)stack->ss_sp < stack->ss_size;
}

/* What is interrupted is among the calls in progress. */
static bool is_in_progress(const struct kt_frame *frame, const struct kt_frame *now)
{
    const struct kt_frame *call = kt_live_frame(kt_self.top, now);
    while (call && call != frame)
        call = call->parent;
    return call;
}

/* Will the call of that frame go on? A handler on the alternate stack has interrupted whatever is on the other one. */
static bool will_go_on(const struct kt_frame *writer, const struct kt_frame *now)
{
    stack_t alternate = {0};
    if (!is_in_progress(writer, now))
        return false;
    if (kt_system_may_ask())
        sigaltstack(NULL, &alternate);
    bool writer_is_on_it = is_on(&alternate, writer);
    if (writer_is_on_it != is_on(&alternate, now))
        return !writer_is_on_it;
    return (uintptr_t)writer - (uintptr_t)now >= SIGNAL_FRAME && kt_is_live(writer, now);
}

bool kt_interrupts_writer(struct kt_stream *stream, const struct kt_frame *now)
{
    uintptr_t writer = kt_writer_of(stream);
    if (!writer)
        return false;
    if (will_go_on((const struct kt_frame *)writer, now))
        return true;
    kt_tape_skip(stream);
    return false;
}

static enum kt_loss try_to_open(struct kt_stream **out)
{
    if (!kt_is_time_to_try())
        return kt_self.last_failure;
    if (!kt_slow_begin())
        return kt_loss_when_busy();
    enum kt_loss cause = kt_stream_open(out);
    kt_slow_end();
    return cause;
}

/* Any number below MOST, the same ones in each run. */
static uint64_t draw(uint64_t most)
{
    static __thread uint64_t state __attribute__((tls_model("initial-exec"))) = 88172645463325252u;
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state % most;
}

/*
 * Of each KT_INTERVAL of the program's own calls one passes; then the stream is ready for what nests in it. Which one
 * is drawn: programs repeat themselves, and each hundredth of their calls may always be the same one.
 */
static bool is_sampled(const struct kt_frame *frame)
{
    if (!(kt_extras & KT_EXTRA_SAMPLE))
        return true;
    if (frame->depth != 0)
        return false;
    if (kt_self.unsampled == 0)
        kt_self.drawn = draw(kt_interval);
    bool sampled = kt_self.unsampled == kt_self.drawn;
    kt_self.unsampled = (kt_self.unsampled + 1) % kt_interval;
    return sampled;
}

static void count_skipped(uint64_t calls)
{
    struct kt_stream *stream = kt_self.stream;
    if (stream->chunk)
        add_in_both(&stream->skipped, &stream->chunk->skipped, calls);
    else
        __atomic_fetch_add(&kt_control()->skipped, calls, __ATOMIC_RELAXED);
}

/* A process that records nothing yet has its directory all the same: that is how it is told to go on, and tells of it.
 */
static void have_directory(void)
{
    if (atomic_load(&kt_process.state) == KT_STATE_READY && kt_is_time_to_try() && kt_slow_begin()) {
        kt_self.failures += !kt_process_open();
        kt_slow_end();
    }
}

/* The two change places; what they hold has no order between them. */
static enum kt_loss use_second(const struct kt_frame *frame)
{
    if (kt_extras & KT_EXTRA_PROFILE)
        return kt_loss_when_busy();
    enum kt_loss cause = kt_self.second ? KT_LOSS_COUNT : try_to_open(&kt_self.second);
    if (cause != KT_LOSS_COUNT)
        return kt_loss_when_busy();
    if (kt_writer_of(kt_self.second) ==
        kt_writer_of(kt_self.stream)) /* no frame writes both: this one was in the same place */
        kt_tape_skip(kt_self.second);
    else if (kt_interrupts_writer(kt_self.second, frame))
        return kt_loss_when_busy();
    struct kt_stream *stream = kt_self.stream;
    kt_self.stream = kt_self.second;
    kt_self.second = stream;
    return KT_LOSS_COUNT;
}

enum kt_loss kt_pass(const struct kt_frame *frame)
{
    if (atomic_load(&kt_process.state) == KT_STATE_CLOSED)
        return KT_LOSS_EXIT;
    if (kt_self.stream == &kt_no_stream)
        return try_to_open(&kt_self.stream);
    if (kt_interrupts_writer(kt_self.stream, frame)) {
        enum kt_loss cause = use_second(frame);
        if (cause != KT_LOSS_COUNT)
            return cause;
    }
    if (kt_self.stream->cursor > kt_self.stream->limit && !kt_is_time_to_try())
        return kt_self.last_failure;
    return KT_LOSS_COUNT;
}

/* Does the user want the call in the trace? If not, that is counted. */
static bool is_wanted(struct kt_frame *frame)
{
    frame->cpu = KT_FATE_NONE;
    if (kt_self.silent || atomic_load(&kt_process.state) == KT_STATE_OFF)
        return false;
    kt_process_adopt();
    if (!kt_is_paused() && is_sampled(frame))
        return true;
    have_directory();
    count_skipped(1);
    frame->cpu = KT_FATE_SKIPPED;
    return false;
}

void kt_lose(struct kt_frame *frame, enum kt_loss cause)
{
    kt_count_loss(cause, 1);
    frame->cpu = KT_FATE_LOST + (unsigned)cause;
}

void kt_lose_nameless(struct kt_frame *frame)
{
    int saved = errno;
    if (is_wanted(frame))
        kt_lose(frame, (enum kt_loss)frame->binding->cause);
    errno = saved;
}

void kt_count_passed(const struct kt_frame *frame)
{
    if (frame->outer)
        return; /* it is one of those that were passed on */
    if (frame->cpu == KT_FATE_SKIPPED)
        count_skipped(kt_take_passed());
    else
        kt_count_loss((enum kt_loss)(frame->cpu - KT_FATE_LOST), kt_take_passed());
}

void kt_count_passed_in(struct kt_stream *stream, uint64_t passed)
{
    add_in_both(&stream->passed, &stream->chunk->passed, passed);
}

void kt_count_rest(void)
{
    if (kt_self.stream->chunk)
        kt_count_passed_in(kt_self.stream, kt_take_passed());
    else
        atomic_fetch_add(&kt_process.passed, kt_take_passed());
}

bool kt_gate(struct kt_frame *frame)
{
    int saved = errno;
    if (!is_wanted(frame)) {
        errno = saved;
        return false;
    }
    enum kt_loss cause = kt_pass(frame);
    errno = saved;
    if (cause != KT_LOSS_COUNT) {
        kt_lose(frame, cause);
        return false;
    }
    kt_tell_regions(kt_self.stream, frame);
    errno = saved;
    atomic_store(&kt_self.stream->ready, kt_odd_epoch());
    return true;
}

/* Our own calls come to the gate, and no further. */
void kt_silence_begin(void)
{
    kt_self.silent = true;
    kt_self.passed_before = kt_self.passed;
    if (!kt_writer_of(kt_self.stream))
        atomic_store(&kt_self.stream->ready, 0);
}

void kt_silence_end(void)
{
    kt_self.silent = false;
    kt_self.passed = kt_self.passed_before;
}
