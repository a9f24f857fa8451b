/* SPDX-License-Identifier: BSD-3-Clause */
#include "trace/shape/fingerprint.h"

#include "trace/read/stream.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Several sums side by side: each step waits for a multiplication. */
enum { SUMS = 4 };

struct sums {
    uint64_t sum[SUMS];
};

static uint64_t mix(uint64_t sum, uint64_t word)
{
    sum = (sum ^ word) * 0x9e3779b97f4a7c15u;
    return sum ^ sum >> 32;
}

static void add(struct sums *s, const void *bytes, size_t size)
{
    uint64_t word[SUMS] = {0};
    const unsigned char *at = bytes;
    size_t left = size;
    for (; left >= sizeof word; at += sizeof word, left -= sizeof word) {
        memcpy(word, at, sizeof word);
        for (int i = 0; i < SUMS; i++)
            s->sum[i] = mix(s->sum[i], word[i]);
    }
    memset(word, 0, sizeof word);
    if (left)
        memcpy(word, at, left);
    for (int i = 0; i < SUMS; i++)
        s->sum[i] = mix(s->sum[i], word[i] + size);
}

static void add_text(struct sums *s, const char *text)
{
    add(s, text, strlen(text));
}

static void add_process(struct sums *s, const struct kt_process *process)
{
    for (size_t i = 0; i < process->entries; i++) {
        const struct kt_entry *entry = &process->entry[i];
        add_text(s, entry->symbol.routine ? entry->symbol.name : "");
        if (entry->symbol.routine)
            add_text(s, entry->library->path);
    }
    for (size_t i = 0; i < process->streams; i++)
        add(s, process->stream[i].bytes, process->stream[i].size);
}

void kt_trace_fingerprint(const struct kt_trace *trace, char out[KT_FINGERPRINT])
{
    struct sums s = {{1, 2, 3, 4}};
    for (size_t i = 0; i < trace->processes; i++)
        add_process(&s, &trace->process[i]);
    uint64_t high = mix(mix(s.sum[0], s.sum[1]), s.sum[2] + s.sum[3]);
    uint64_t low = mix(mix(s.sum[3], s.sum[2]), s.sum[1] + 3 * s.sum[0]);
    snprintf(out, KT_FINGERPRINT, "%016" PRIx64 "%016" PRIx64, high, low);
}

uint64_t kt_bytes_number(const void *bytes, size_t size)
{
    struct sums s = {{1, 2, 3, 4}};
    add(&s, bytes, size);
    return mix(mix(s.sum[0], s.sum[1]), s.sum[2] + 3 * s.sum[3]);
}
