/* SPDX-License-Identifier: BSD-3-Clause */
#include "preload/writer.h"

#include "preload/shim.h"
#include "preload/system.h"
#include "preload/tape.h"

#include <signal.h>

enum { SIGNAL_FRAME = 1024 }; /* what the kernel puts on the stack for a handler is larger on every machine */

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

bool kt_writer_will_go_on(struct kt_stream *stream, uintptr_t writer, const struct kt_frame *now)
{
    if (will_go_on((const struct kt_frame *)writer, now))
        return true;
    kt_tape_skip(stream);
    return false;
}
