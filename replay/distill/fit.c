/* SPDX-License-Identifier: BSD-3-Clause */
#include "replay/distill/fit.h"

#include <math.h>
#include <stdbool.h>

/* Counts of which the one fits and the other is too much, and what they take. */
struct bounds {
    size_t fits, too_many;
    uint64_t bytes, bytes_too_many;
};

/* As if each took as many bytes. */
static size_t guess(const struct bounds *b, uint64_t limit)
{
    static const double margin = 0.95;
    double room = fmax(0, margin * (double)limit - (double)b->bytes);
    double part = room / (double)(b->bytes_too_many - b->bytes);
    size_t value = b->fits + (size_t)(part * (double)(b->too_many - b->fits));
    if (value <= b->fits)
        return b->fits + 1;
    return value < b->too_many ? value : b->too_many - 1;
}

static bool is_near(const struct bounds *b, uint64_t limit)
{
    static const double full = 0.9;
    return (double)b->bytes >= full * (double)limit || b->fits + 1 >= b->too_many;
}

static void narrow(struct bounds *b, size_t value, uint64_t bytes, uint64_t limit)
{
    if (bytes > limit) {
        b->too_many = value;
        b->bytes_too_many = bytes;
    } else {
        b->fits = value;
        b->bytes = bytes;
    }
}

enum kt_status kt_fit(kt_fit_write *write, void *context, size_t most, uint64_t limit, struct kt_error *error)
{
    enum { TRIES = 8 };
    struct bounds b = {.fits = 1, .too_many = most};
    KT_TRY(write(context, most, &b.bytes_too_many, error));
    if (b.bytes_too_many <= limit || most <= 1)
        return KT_OK;
    KT_TRY(write(context, b.fits, &b.bytes, error));
    size_t written = b.fits;
    for (int i = 0; i < TRIES && !is_near(&b, limit); i++) {
        uint64_t bytes;
        written = guess(&b, limit);
        KT_TRY(write(context, written, &bytes, error));
        narrow(&b, written, bytes, limit);
    }
    return written == b.fits ? KT_OK : write(context, b.fits, &b.bytes, error);
}
