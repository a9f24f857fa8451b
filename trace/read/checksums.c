/* SPDX-License-Identifier: BSD-3-Clause */
#include "trace/read/checksums.h"

#include "trace/base/memory.h"
#include "trace/read/stream.h"

static int compare_starts(const void *a, const void *b)
{
    uint64_t x = ((const struct kt_checked_call *)a)->start;
    uint64_t y = ((const struct kt_checked_call *)b)->start;
    return (x > y) - (x < y);
}

static void load_span(const unsigned char *at, const unsigned char *end, struct kt_checksums *out)
{
    while (at < end) {
        struct kt_head head = kt_event_at(at);
        if (head.words == 0)
            return; /* the file changed since it was checked */
        if (head.kind == KT_EVENT_CHECKSUMS) {
            out->call = kt_room_for_one(out->call, out->count, sizeof *out->call);
            out->call[out->count++] = (struct kt_checked_call){kt_word_at(at + 8), at};
        }
        at += 8 * (size_t)head.words;
    }
}

void kt_checksums_load(const struct kt_process *process, size_t stream, struct kt_checksums *out)
{
    const struct kt_stream *s = &process->stream[stream];
    *out = (struct kt_checksums){0};
    for (size_t i = 0; i < s->spans; i++)
        load_span(s->bytes + s->span[i].begin, s->bytes + s->span[i].end, out);
    if (out->count)
        qsort(out->call, out->count, sizeof *out->call, compare_starts);
}

void kt_checksums_free(struct kt_checksums *checksums)
{
    free(checksums->call);
    *checksums = (struct kt_checksums){0};
}

static int take_checks(const unsigned char *event, struct kt_checksum out[KT_CHECK_OPERANDS])
{
    struct kt_head head = kt_event_at(event);
    const unsigned char *at = event + 8 * (size_t)KT_CHECK_HEAD_WORDS;
    for (unsigned i = 0; i < head.id; i++) {
        uint64_t first = kt_word_at(at);
        at += 8;
        out[i] = (struct kt_checksum){.offset = first & 0xffff, .flags = first >> 16 & 0xffff};
        if (out[i].flags & KT_CHECK_IN) {
            out[i].in = kt_word_at(at);
            at += 8;
        }
        if (out[i].flags & KT_CHECK_OUT) {
            out[i].out = kt_word_at(at);
            at += 8;
        }
    }
    return (int)head.id;
}

int kt_checksums_of(const struct kt_checksums *checksums, const struct kt_call *call,
                    struct kt_checksum out[KT_CHECK_OPERANDS])
{
    const struct kt_checked_call key = {.start = call->start};
    const struct kt_checked_call *found = NULL;
    if (call->complete && call->depth == 0 && checksums->count)
        found = bsearch(&key, checksums->call, checksums->count, sizeof key, compare_starts);
    return found ? take_checks(found->event, out) : -1;
}

bool kt_checksums_have(const struct kt_process *process, const char *word)
{
    const char *option = kt_process_option(process, "CHECKSUM");
    return option && strstr(option, word);
}

static void count_unread(const struct kt_checksums *checksums, struct kt_checksum_counts *out)
{
    struct kt_checksum check[KT_CHECK_OPERANDS];
    for (size_t i = 0; i < checksums->count; i++) {
        int checks = take_checks(checksums->call[i].event, check);
        for (int c = 0; c < checks; c++)
            out->unread += !!(check[c].flags & (KT_CHECK_IN_UNREAD | KT_CHECK_OUT_UNREAD));
    }
}

/* Of outermost calls that have returned no more are counted than those that began and are not in progress. */
static void count_stream(const struct kt_process *process, size_t stream, struct kt_checksum_counts *out)
{
    struct kt_checksums checksums;
    const struct kt_stream *s = &process->stream[stream];
    uint64_t returned = s->outermost - (s->opens > 0);
    if (!kt_checksums_have(process, "in") && !kt_checksums_have(process, "out"))
        return;
    kt_checksums_load(process, stream, &checksums);
    count_unread(&checksums, out);
    out->calls += checksums.count;
    out->missing += returned > checksums.count ? returned - checksums.count : 0;
    kt_checksums_free(&checksums);
}

void kt_checksums_count(const struct kt_trace *trace, struct kt_checksum_counts *out)
{
    *out = (struct kt_checksum_counts){0};
    for (size_t p = 0; p < trace->processes; p++)
        for (size_t s = 0; s < trace->process[p].streams; s++)
            count_stream(&trace->process[p], s, out);
}
