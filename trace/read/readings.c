/* SPDX-License-Identifier: BSD-3-Clause */
#include "trace/read/readings.h"

#include "trace/base/memory.h"
#include "trace/read/stream.h"

#include <math.h>

/* The number of additions and loads is in the event: what it is now need not be what it was. */
static struct kt_yard_reading reading_at(const struct kt_process *process, const unsigned char *event)
{
    struct kt_head head = kt_event_at(event);
    uint64_t additions = kt_word_at(event + 16);
    uint64_t time = kt_word_at(event + 32);
    uint64_t switches = kt_word_at(event + 40);
    struct kt_yard_ticks ticks = {.chain = (double)(uint32_t)additions,
                                  .wide = (double)(additions >> 32),
                                  .memory = (double)(uint32_t)kt_word_at(event + 24),
                                  .additions = head.upper,
                                  .loads = head.id,
                                  .clock = process->clock_ticks};
    return (struct kt_yard_reading){.start = kt_word_at(event + 8),
                                    .speed = kt_speed_of(&ticks, process->tick_seconds),
                                    .processor = time == KT_YARD_UNKNOWN ? NAN : (double)time * 1e-6,
                                    .taken = (uint32_t)switches,
                                    .given = (uint32_t)(switches >> 32)};
}

/* In a damaged stream time may run backwards. */
static void add(struct kt_readings *out, struct kt_yard_reading reading)
{
    if (out->count && reading.start < out->reading[out->count - 1].start)
        return;
    out->reading = kt_room_for_one(out->reading, out->count, sizeof *out->reading);
    out->reading[out->count++] = reading;
}

static void load_span(const struct kt_process *process, const unsigned char *at, const unsigned char *end,
                      struct kt_readings *out)
{
    while (at < end) {
        struct kt_head head = kt_event_at(at);
        if (head.words == 0)
            return; /* the file changed since it was checked */
        if (head.kind == KT_EVENT_YARDSTICK && head.words >= KT_YARDSTICK_WORDS && head.id && head.upper)
            add(out, reading_at(process, at));
        at += 8 * (size_t)head.words;
    }
}

void kt_readings_load(const struct kt_process *process, size_t stream, struct kt_readings *out)
{
    const struct kt_stream *s = &process->stream[stream];
    uint64_t passed = 0;
    *out = (struct kt_readings){0};
    for (size_t i = 0; i < s->spans; i++) {
        load_span(process, s->bytes + s->span[i].begin, s->bytes + s->span[i].end, out);
        kt_stream_pass(s, &passed, s->span[i].end);
    }
}

void kt_readings_free(struct kt_readings *readings)
{
    free(readings->reading);
    *readings = (struct kt_readings){0};
}

size_t kt_readings_before(const struct kt_readings *readings, uint64_t ticks, size_t at)
{
    while (at + 1 < readings->count && readings->reading[at + 1].start <= ticks)
        at++;
    return at;
}
