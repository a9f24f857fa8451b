/* SPDX-License-Identifier: BSD-3-Clause */
#include "replay/flush/filler.h"

#include "replay/machine/cache.h"
#include "replay/flush/crew.h"
#include "replay/machine/pages.h"

enum { LEAST_PIECE = 2 << 20, MOST_PIECE = 8 << 20, PIECES = 16 };

/* Several times the last cache that a processor has for itself. */
static uint64_t choose_piece(const struct kt_caches *caches)
{
    uint64_t inner = caches->count ? caches->cache[caches->count > 1 ? 1 : 0].bytes : 0;
    uint64_t piece = 4 * inner;
    return piece < LEAST_PIECE ? LEAST_PIECE : piece < MOST_PIECE ? piece : MOST_PIECE;
}

void kt_filler_make(const struct kt_caches *caches, struct kt_crew *crew, struct kt_filler *out)
{
    *out = (struct kt_filler){.piece = choose_piece(caches), .crew = crew};
}

void kt_filler_free(struct kt_filler *filler)
{
    kt_pages_unmap(filler->area, filler->bytes);
    *filler = (struct kt_filler){0};
}

/* At least two pieces, unless there is not even memory for these. */
static void open_area(struct kt_filler *f)
{
    uint64_t pieces = kt_pages_limit() / 8 / f->piece;
    f->bytes = f->piece * (pieces < 2 ? 0 : pieces < PIECES ? pieces : PIECES);
    f->area = f->bytes ? kt_pages_map(f->bytes, KT_PAGES_HUGE) : NULL;
    for (uint64_t at = 0; f->area && at < f->bytes; at += 4096)
        f->area[at] = 1; /* pages that were never written are all one page */
}

static void read_piece(void *argument)
{
    const struct kt_filler *f = argument;
    uint64_t from = (uint64_t)f->area + f->at;
    kt_lines_touch(from, from + f->piece);
}

void kt_filler_fill(struct kt_filler *f)
{
    if (!f->area)
        open_area(f);
    if (!f->area)
        return;
    f->at = (f->at + f->piece) % f->bytes;
    kt_crew_run(f->crew, read_piece, f);
}
