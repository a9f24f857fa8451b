/* SPDX-License-Identifier: BSD-3-Clause */
#include "trace/read/profile_file.h"

#include "trace/base/memory.h"

#include <inttypes.h>
#include <string.h>

#define MOST_CALLS ((uint64_t)1 << 48) /* of a cell: a century */
#define MOST_BYTES ((size_t)1 << 35)   /* of a file: places of cells in it have 32 bits */

static const struct kt_profile_head *head_of(const struct kt_stream *s)
{
    return (const struct kt_profile_head *)(const void *)s->bytes;
}

/* What is wrong with the head, or NULL. */
static const char *head_problem(const struct kt_stream *s)
{
    if (s->size < sizeof(struct kt_profile_head))
        return "is too short";
    const struct kt_chunk *head = &head_of(s)->chunk;
    if (memcmp(head->magic, KT_PROFILE_MAGIC, sizeof head->magic) != 0)
        return "does not begin like a profile";
    if (head->byte_order != KT_BYTE_ORDER)
        return "has another byte order";
    if (head->major != KT_FORMAT_MAJOR)
        return "has another format version";
    if (head->header_bytes < sizeof(struct kt_profile_head) || head->header_bytes % 8 ||
        head->header_bytes > head->used_bytes || head->header_bytes > s->size)
        return "has a head of impossible length";
    return NULL;
}

/* So that sums do not overflow. */
static bool is_possible(const struct kt_cell *cell)
{
    return cell->begun < MOST_CALLS && cell->calls < MOST_CALLS && cell->nesting <= KT_WITHIN_ITSELF;
}

static size_t bytes_before_inside(const struct kt_cell *cell)
{
    return sizeof *cell + 8 * (kt_bins_of(cell) + cell->words);
}

/* NULL: it has none, as before version 2.2. */
static const struct kt_cell_inside *inside_of(const struct kt_cell *cell)
{
    size_t at = bytes_before_inside(cell);
    bool has_inside = cell->bytes >= at + sizeof(struct kt_cell_inside);
    return has_inside ? (const void *)((const unsigned char *)cell + at) : NULL;
}

/* A process that was killed may have counted more of its last call here than in the cell, or less. */
static bool is_possible_inside(const struct kt_cell *cell)
{
    const struct kt_cell_inside *in = inside_of(cell);
    bool is_outermost = cell->nesting == KT_NOT_NESTED;
    if (!in)
        return true;
    if (!is_outermost && (in->drawn || in->drawn_ticks || in->passed))
        return false;
    return in->drawn <= cell->calls + 1 && in->passed < MOST_CALLS;
}

static bool has_shape(const struct kt_cell *cell)
{
    return cell->kind == KT_CELL_SHAPE || cell->kind == KT_CELL_BARE;
}

static bool is_histogram(const struct kt_cell *cell)
{
    return (cell->calls == 0 || cell->first_bin >= kt_bin_of(0)) && cell->first_bin <= kt_bin_of(UINT64_MAX) - KT_BINS;
}

/* Does the cell hold what it says, and is it of a symbol that is known? */
static bool is_shape(const struct kt_cell *cell, const struct kt_process *p)
{
    const struct kt_symbol *symbol = cell->entry < p->entries ? &p->entry[cell->entry].symbol : NULL;
    return symbol && symbol->routine && cell->words == KT_CALL_HEAD_WORDS + symbol->arg_bytes / 8u &&
           (cell->kind == KT_CELL_BARE ? cell->within <= p->entries : is_histogram(cell)) &&
           cell->bytes >= bytes_before_inside(cell) && is_possible(cell) && is_possible_inside(cell);
}

static bool is_overflow(const struct kt_cell *cell, const struct kt_process *p)
{
    return cell->entry < p->entries && p->entry[cell->entry].symbol.routine && is_possible(cell);
}

static struct kt_profile_cell parts_of(const struct kt_cell *cell)
{
    if (!has_shape(cell))
        return (struct kt_profile_cell){.cell = cell};
    return (struct kt_profile_cell){
        .cell = cell, .word = (const uint64_t *)(const void *)(cell + 1) + kt_bins_of(cell), .inside = inside_of(cell)};
}

struct kt_profile_cell kt_profile_cell(const struct kt_stream *s, size_t number)
{
    return parts_of((const void *)(s->bytes + 8 * (size_t)s->profile->cell[number]));
}

static void add_totals(struct kt_stream *s, const struct kt_cell *cell)
{
    s->calls += cell->begun > cell->calls ? cell->begun : cell->calls;
    s->completed += cell->calls;
    s->outermost += cell->nesting == KT_NOT_NESTED ? cell->begun : 0;
    if (cell->calls && has_shape(cell)) {
        s->longest = cell->most > s->longest ? cell->most : s->longest;
        s->earliest = !s->earliest || cell->start < s->earliest ? cell->start : s->earliest;
        s->latest = cell->start > s->latest ? cell->start : s->latest;
    }
}

/* What was passed on is told by cells only. Where all insides are recorded, they need not tell. */
static void add_inside_totals(struct kt_stream *s, const struct kt_profile_cell *added, bool all)
{
    const struct kt_cell *cell = added->cell;
    if (cell->nesting != KT_NOT_NESTED)
        return;
    if (all)
        s->inside += cell->begun;
    else if (added->inside && cell->nests)
        s->inside += added->inside->drawn;
    s->passed += added->inside ? added->inside->passed : 0;
}

/* False if it is damaged. Later versions may add kinds. */
static bool take_cell(struct kt_stream *s, const struct kt_process *p, const struct kt_cell *cell)
{
    struct kt_profile *profile = s->profile;
    if (cell->kind == KT_CELL_THREAD) {
        profile->thread = kt_room_for_one(profile->thread, profile->threads, sizeof *profile->thread);
        profile->thread[profile->threads++] = (const struct kt_thread_cell *)(const void *)cell;
    }
    if (!has_shape(cell) && cell->kind != KT_CELL_OVERFLOW)
        return true;
    if (cell->bytes < sizeof *cell || !(has_shape(cell) ? is_shape(cell, p) : is_overflow(cell, p)))
        return false;
    size_t at = (size_t)((const unsigned char *)cell - s->bytes);
    struct kt_profile_cell parts = parts_of(cell);
    if (head_of(s)->current == at)
        profile->current = profile->cells + 1;
    profile->cell = kt_room_for_one(profile->cell, profile->cells, sizeof *profile->cell);
    profile->cell[profile->cells++] = (uint32_t)(at / 8);
    add_totals(s, cell);
    add_inside_totals(s, &parts, p->nested_mode == KT_NESTED_ALL);
    return true;
}

static void walk_cells(struct kt_stream *s, const struct kt_process *p, struct kt_trace *trace)
{
    const struct kt_chunk *head = &head_of(s)->chunk;
    size_t end = head->used_bytes < s->size ? head->used_bytes : s->size;
    end = end < MOST_BYTES ? end : MOST_BYTES;
    size_t at = head->header_bytes;
    size_t bad = 0;
    while (at + sizeof(struct kt_thread_cell) <= end) {
        const struct kt_cell *cell = (const struct kt_cell *)(const void *)(s->bytes + at);
        if (cell->bytes % 8 || cell->bytes < sizeof(struct kt_thread_cell) || cell->bytes > end - at)
            break;
        bad += !take_cell(s, p, cell);
        at += cell->bytes;
    }
    s->profile->cell = kt_resize(s->profile->cell, s->profile->cells, sizeof *s->profile->cell);
    s->profile->thread = kt_resize(s->profile->thread, s->profile->threads, sizeof *s->profile->thread);
    if (bad)
        kt_trace_note(trace, "%s: %zu counts are damaged or of a symbol that is not defined, and lost", s->path, bad);
    if (at < head->used_bytes)
        kt_trace_note(trace, "%s: from byte %zu on it is damaged or cut off; the counts there are lost", s->path, at);
}

/* The clocks were read at the begin and then now and then. */
static void take_head(struct kt_stream *s)
{
    const struct kt_profile_head *head = head_of(s);
    bool later = head->laters == 1 || head->laters == 2;
    s->anchor = later ? head->later[head->laters - 1] : head->chunk.anchor;
    s->last_ticks = head->last;
    s->profile->tid = head->chunk.tid;
    s->profile->all_threads = head->threads;
    s->skipped = head->chunk.skipped + head->skipped_before;
    for (int cause = 0; cause < KT_LOSS_COUNT; cause++)
        s->lost[cause] = head->chunk.lost[cause] + head->lost_before[cause];
}

void kt_profile_check(struct kt_stream *s, const struct kt_process *process, struct kt_trace *trace)
{
    s->profile = kt_resize(NULL, 1, sizeof *s->profile);
    *s->profile = (struct kt_profile){0};
    const char *problem = head_problem(s);
    if (problem) {
        kt_trace_note(trace, "%s: %s; the counts in it are lost", s->path, problem);
        return;
    }
    take_head(s);
    walk_cells(s, process, trace);
    if (s->passed < head_of(s)->chunk.passed) /* also in calls that have not returned; of one thread */
        s->passed = head_of(s)->chunk.passed;
    kt_stream_pass_all(s);
}

bool kt_profile_hides_passed(const struct kt_profile_cell *cell)
{
    return cell->cell->nesting == KT_NOT_NESTED && (!cell->word || cell->cell->begun > cell->cell->calls);
}

void kt_profile_free(struct kt_profile *profile)
{
    if (!profile)
        return;
    free(profile->cell);
    free(profile->thread);
    free(profile);
}
