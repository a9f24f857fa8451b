/* SPDX-License-Identifier: BSD-3-Clause */
#include "preload/line_numbers.h"

#include "preload/define.h"
#include "preload/line.h"
#include "preload/slow.h"

#include <string.h>
#include <sys/mman.h>

enum { LINES = 1 << 14, MOST_LINES = LINES / 4 * 3, IDS = 1 << 17, MOST_IDS = (1 << 16) - 1 };

static struct kt_met_line *lines;  /* LINES of them, of open addressing */
static uint64_t *ids;              /* IDS of hashes of what was told; the number is in IDS numbers behind them */
static _Atomic uint64_t forgotten; /* how often all lines were */
static unsigned line_count, id_count;

static inline bool is_same_line(const struct kt_met_line *a, const struct kt_met_line *b)
{
    return a->at == b->at && a->parent == b->parent && a->first_line == b->first_line && a->filename == b->filename &&
           a->name == b->name && a->table == b->table && a->table_begin == b->table_begin;
}

static inline size_t place_of(const struct kt_met_line *line)
{
    uint64_t hash = (line->code >> 4) * 0x9e3779b97f4a7c15u ^ line->at ^ (uint64_t)line->parent << 20;
    hash *= 0x9e3779b97f4a7c15u;
    return hash >> 40 & (LINES - 1);
}

/* Where it is, or would be. */
static inline struct kt_met_line *find_line(const struct kt_met_line *line)
{
    size_t at = place_of(line);
    for (;; at = (at + 1) & (LINES - 1)) {
        uintptr_t code = atomic_load_explicit(&lines[at].code, memory_order_acquire);
        if (!code || (code == line->code && is_same_line(&lines[at], line)))
            return &lines[at];
    }
}

static uint64_t hash_of(uint64_t hash, const char *text, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++)
        hash = (hash ^ (unsigned char)text[i]) * 1099511628211u; /* FNV-1a */
    return hash;
}

/* The number of the line that TEXT tells; told if it is new. 0: there are too many. */
static uint32_t number_for(const struct kt_line *text)
{
    static struct kt_line line; /* within a slow path */
    uint32_t *number = (uint32_t *)(ids + IDS);
    uint64_t hash = hash_of(14695981039346656037u, text->text, text->length) | 1;
    size_t at = hash % IDS;
    for (; ids[at]; at = (at + 1) % IDS)
        if (ids[at] == hash)
            return number[at];
    if (id_count >= MOST_IDS)
        return 0;
    ids[at] = hash;
    number[at] = ++id_count;
    line.length = 0;
    kt_line_raw(&line, "line\t");
    kt_line_unsigned(&line, id_count, 10);
    kt_line_raw(&line, text->text);
    kt_define_line(line.text, line.length);
    return id_count;
}

typedef void teller(const struct kt_met_line *line, struct kt_line_told *out);

static void describe(struct kt_met_line *line, teller *tell)
{
    static struct kt_line text; /* within a slow path, both */
    static struct kt_line_told told;
    tell(line, &told);
    text.length = 0;
    kt_line_raw(&text, "\t");
    kt_line_unsigned(&text, line->parent, 10);
    kt_line_raw(&text, "\t");
    kt_line_unsigned(&text, told.number > 0 ? (uint64_t)told.number : 0, 10);
    kt_line_raw(&text, "\t");
    kt_line_escaped(&text, told.function, strlen(told.function));
    kt_line_raw(&text, "\t");
    kt_line_escaped(&text, told.file, strlen(told.file));
    kt_line_raw(&text, told.language ? "\t" : "");
    kt_line_raw(&text, told.language ? told.language : "");
    kt_line_raw(&text, "\n");
    text.text[text.length < KT_LINE_BYTES ? text.length : KT_LINE_BYTES - 1] = '\0';
    line->kind = told.kind;
    line->id = number_for(&text);
}

/* Code that is made again and again, by exec(), may come to lie anywhere: then all is met anew. */
static void forget_lines(void)
{
    atomic_fetch_add(&forgotten, 1);
    for (size_t i = 0; i < LINES; i++)
        atomic_store_explicit(&lines[i].code, 0, memory_order_relaxed);
    line_count = 0;
    atomic_fetch_add(&forgotten, 1);
}

/* The code is in use, so it stays as it is. */
static KT_COLD void meet(struct kt_met_line *line, teller *tell)
{
    if (!kt_slow_begin())
        return;
    if (line_count >= MOST_LINES)
        forget_lines();
    struct kt_met_line *place = find_line(line);
    if (!place->code) {
        describe(line, tell);
        uintptr_t code = line->code;
        atomic_store_explicit(&place->code, 0, memory_order_relaxed);
        place->at = line->at;
        place->filename = line->filename;
        place->name = line->name;
        place->table = line->table;
        place->table_begin = line->table_begin;
        place->first_line = line->first_line;
        place->parent = line->parent;
        place->id = line->id;
        place->kind = line->kind;
        atomic_store_explicit(&place->code, code, memory_order_release);
        line_count++;
    }
    line->id = place->id;
    line->kind = place->kind;
    kt_slow_end();
}

void kt_line_numbers_meet(struct kt_met_line *line, teller *tell)
{
    uint64_t before = atomic_load_explicit(&forgotten, memory_order_acquire);
    const struct kt_met_line *found = find_line(line);
    if (KT_LIKELY(found->code)) {
        line->id = found->id;
        line->kind = found->kind;
        atomic_thread_fence(memory_order_acquire);
    }
    if (KT_UNLIKELY(!found->code || atomic_load_explicit(&forgotten, memory_order_relaxed) != before || before & 1))
        meet(line, tell);
}

static void *pages(size_t bytes)
{
    void *at = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return at == MAP_FAILED ? NULL : at;
}

bool kt_line_numbers_open(void)
{
    lines = pages(LINES * sizeof *lines);
    ids = pages(IDS * (sizeof *ids + sizeof(uint32_t)));
    line_count = id_count = 0;
    return lines && ids;
}
