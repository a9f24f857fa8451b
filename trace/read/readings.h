/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How fast the machine was while a thread recorded its calls: what its stream holds of it (FORMAT.md, YARDSTICK).
 */
#ifndef KT_READINGS_H
#define KT_READINGS_H

#include "trace/base/speed.h"
#include "trace/read/reader.h"

struct kt_yard_reading {
    uint64_t start; /* ticks */
    struct kt_speed speed;
    double processor;      /* seconds that the thread had of it so far; NAN: not known */
    uint32_t taken, given; /* how often the kernel took it from the thread, and the thread gave it away, modulo 2^32 */
};

/* Of a stream. */
struct kt_readings {
    struct kt_yard_reading *reading; /* earliest first; owned */
    size_t count;
};

void kt_readings_load(const struct kt_process *process, size_t stream, struct kt_readings *out);
void kt_readings_free(struct kt_readings *readings);

/* The last one that began no later than at TICKS, or the first; there must be one. From AT on, an index of before. */
size_t kt_readings_before(const struct kt_readings *readings, uint64_t ticks, size_t at);

#endif
