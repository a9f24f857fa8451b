/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Calls of a thread whose stream is not ready come here: the first one, those during a pause, those of which a sample
 * is taken, those of signal handlers that interrupt an event. What cannot be recorded is counted.
 */
#include "preload/gate.h"

#include "preload/directory.h"
#include "preload/life.h"
#include "preload/region.h"
#include "preload/slow.h"
#include "preload/streams.h"
#include "preload/tally.h"
#include "preload/tape.h"
#include "preload/writer.h"

#include <errno.h>

enum { RETRY_CALLS = 1024 };

uint64_t kt_interval = 1;

/* After a failure the thread asks again only now and then: a call must not cost a system call each time. */
static bool is_time_to_try(void)
{
    return kt_self.failures % RETRY_CALLS == 0;
}

static enum kt_loss try_to_open(struct kt_stream **out)
{
    if (!is_time_to_try())
        return kt_self.last_failure;
    if (!kt_slow_begin())
        return kt_tally_cause_when_busy();
    enum kt_loss cause = kt_streams_open(out);
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

/* A process that records nothing yet has its directory all the same: that is how it is told to go on, and tells of it.
 */
static void have_directory(void)
{
    if (atomic_load(&kt_recorder.state) == KT_STATE_READY && is_time_to_try() && kt_slow_begin()) {
        kt_self.failures += !kt_directory_open();
        kt_slow_end();
    }
}

/* The two change places; what they hold has no order between them. */
static enum kt_loss use_second(const struct kt_frame *frame)
{
    if (kt_extras & KT_EXTRA_PROFILE)
        return kt_tally_cause_when_busy();
    enum kt_loss cause = kt_self.second ? KT_LOSS_COUNT : try_to_open(&kt_self.second);
    if (cause != KT_LOSS_COUNT)
        return kt_tally_cause_when_busy();
    if (kt_writer_of(kt_self.second) ==
        kt_writer_of(kt_self.stream)) /* no frame writes both: this one was in the same place */
        kt_tape_skip(kt_self.second);
    else if (kt_writer_is_interrupted(kt_self.second, frame))
        return kt_tally_cause_when_busy();
    struct kt_stream *stream = kt_self.stream;
    kt_self.stream = kt_self.second;
    kt_self.second = stream;
    return KT_LOSS_COUNT;
}

enum kt_loss kt_gate_pass(const struct kt_frame *frame)
{
    if (atomic_load(&kt_recorder.state) == KT_STATE_CLOSED)
        return KT_LOSS_EXIT;
    if (kt_self.stream == &kt_no_stream)
        return try_to_open(&kt_self.stream);
    if (kt_writer_is_interrupted(kt_self.stream, frame)) {
        enum kt_loss cause = use_second(frame);
        if (cause != KT_LOSS_COUNT)
            return cause;
    }
    if (kt_tape_is_full(kt_self.stream) && !is_time_to_try())
        return kt_self.last_failure;
    return KT_LOSS_COUNT;
}

/* Does the user want the call in the trace? If not, that is counted. */
static bool is_wanted(struct kt_frame *frame)
{
    frame->cpu = KT_FATE_NONE;
    if (kt_self.silent || atomic_load(&kt_recorder.state) == KT_STATE_OFF)
        return false;
    kt_life_adopt();
    if (!kt_is_paused() && is_sampled(frame))
        return true;
    have_directory();
    kt_tally_skipped(1);
    frame->cpu = KT_FATE_SKIPPED;
    return false;
}

void kt_gate_lose_nameless(struct kt_frame *frame)
{
    int saved = errno;
    if (is_wanted(frame))
        kt_tally_lost_call(frame, (enum kt_loss)frame->binding->cause);
    errno = saved;
}

bool kt_gate_open(struct kt_frame *frame)
{
    int saved = errno;
    if (!is_wanted(frame)) {
        errno = saved;
        return false;
    }
    enum kt_loss cause = kt_gate_pass(frame);
    errno = saved;
    if (cause != KT_LOSS_COUNT) {
        kt_tally_lost_call(frame, cause);
        return false;
    }
    kt_region_tell(kt_self.stream, frame);
    errno = saved;
    atomic_store(&kt_self.stream->ready, kt_control_odd_epoch());
    return true;
}
