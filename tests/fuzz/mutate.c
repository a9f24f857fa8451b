/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/fuzz/mutate.h"

#include "ktrace/format.h"
#include "tests/fuzz/input.h"
#include "tests/fuzz/target.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

uint64_t kt_draw(uint64_t *random, uint64_t below)
{
    *random ^= *random << 13;
    *random ^= *random >> 7;
    *random ^= *random << 17;
    return *random % below;
}

/* --- pieces of bytes --------------------------------------------------------------------------------------- */

size_t kt_mutate_replace(unsigned char *bytes, size_t size, size_t room, size_t at, size_t length, const void *by,
                         size_t by_length)
{
    unsigned char copy[4096];
    if (by_length > sizeof copy || size - length + by_length > room)
        return size;
    memcpy(copy, by, by_length);
    memmove(bytes + at + by_length, bytes + at + length, size - at - length);
    memcpy(bytes + at, copy, by_length);
    return size - length + by_length;
}

static const uint64_t limits[] = {
    0,         1,          2,          0x7f,       0xff,       0x7fff,     0xffff,    1u << 16,
    4096,      0x7fffffff, 0x80000000, 0xffffffff, 1ull << 32, 1ull << 53, INT64_MAX, (uint64_t)INT64_MIN,
    UINT64_MAX};

uint64_t kt_mutate_limit(uint64_t *random)
{
    uint64_t value = limits[kt_draw(random, sizeof limits / sizeof *limits)];
    return kt_draw(random, 4) ? value : value - 1;
}

/* A multiple of 8 away, at most a few, or hardly. */
static uint64_t near(uint64_t value, uint64_t *random)
{
    return kt_draw(random, 2) ? value + 8 * kt_draw(random, 9) - 32 : value + kt_draw(random, 5) - 2;
}

size_t kt_mutate_bytes(unsigned char *bytes, size_t size, size_t room, uint64_t *random)
{
    if (size == 0)
        return kt_mutate_replace(bytes, 0, room, 0, 0, "x", 1);
    size_t at = kt_draw(random, size);
    size_t width = (size_t)1 << kt_draw(random, 4);
    uint64_t value = kt_mutate_limit(random);
    size_t length = kt_draw(random, 64);
    length = length < size - at ? length : size - at;
    switch (kt_draw(random, 7)) {
    case 0: /* numbers near limits do more harm than random bytes */
        memcpy(bytes + at, &value, width < size - at ? width : size - at);
        return size;
    case 1:
        bytes[at] ^= (unsigned char)(1u << kt_draw(random, 8));
        return size;
    case 2:
        bytes[at] = (unsigned char)kt_draw(random, 256);
        return size;
    case 3:
        return kt_mutate_replace(bytes, size, room, at, length, "", 0);
    case 4:
        return kt_mutate_replace(bytes, size, room, kt_draw(random, size + 1), 0, bytes + at, length);
    case 5:
        bytes[at] = (unsigned char)(bytes[at] + kt_draw(random, 7) - 3);
        return size;
    default:
        return kt_draw(random, 4) ? size : at; /* a cut */
    }
}

/* --- text -------------------------------------------------------------------------------------------------- */

/* A field or line, as a place and a length. */
struct piece {
    size_t at, length;
};

/* The piece around a random place that bytes of STOPS delimit; a line also has its newline. */
static struct piece pick(const unsigned char *bytes, size_t size, const char *stops, uint64_t *random)
{
    size_t middle = kt_draw(random, size);
    struct piece piece = {middle, 0};
    while (piece.at > 0 && !strchr(stops, bytes[piece.at - 1]))
        piece.at--;
    while (piece.at + piece.length < size &&
           (!bytes[piece.at + piece.length] || !strchr(stops, bytes[piece.at + piece.length])))
        piece.length++;
    return piece;
}

static struct piece pick_line(const unsigned char *bytes, size_t size, uint64_t *random)
{
    struct piece line = pick(bytes, size, "\n", random);
    line.length += line.at + line.length < size;
    return line;
}

/* What texts consist of. A list ends with NULL. */
static const char *const trace_words[] = {
    "0",
    "1",
    "-1",
    "4",
    "8",
    "65535",
    "65536",
    "4294967295",
    "4294967296",
    "18446744073709551615",
    "9223372036854775807",
    "ffffffffffffffff",
    "1e308",
    "nan",
    "inf",
    "",
    "fortran",
    "cblas",
    "lapacke",
    "lapacke_work",
    "undescribed",
    "tsc",
    "monotonic",
    "little",
    "object",
    "library",
    "entry",
    "counter",
    "lost",
    "calls",
    "passed",
    "anchor",
    "SPACE",
    "ERROR",
    "option",
    "NESTED",
    "sample",
    "none",
    "rank",
    "\\x00",
    "\\xff",
    "\\x",
    "[",
    "]",
    "dim:n",
    "in:x[n]",
    "ld:lda",
    "inc:incx",
    "info:info",
    NULL,
};

static const char *const spec_words[] = {
    "dim:n ",
    "in:x[n] ",
    "upd(beta):",
    "io:",
    "out:",
    "work:",
    "scal:alpha ",
    "ld:lda ",
    "inc:incx ",
    "uplo:uplo ",
    "lwork:lwork ",
    "info:info ",
    "opt:job ",
    "[",
    "]",
    "[n,n;lda;uplo;diag]",
    ";packed;",
    ",kl,ku;",
    ":R",
    ":I",
    "@spd",
    "@value(",
    "@",
    "|",
    "||",
    "&&",
    "->",
    "-> T",
    "?",
    ":",
    "=NTC",
    "min(",
    "max(",
    "log2(",
    "floor(",
    ")",
    "(",
    "mul=",
    "add=",
    "flops=",
    "0",
    "99999999999999999999",
    "-",
    "/",
    "*",
    "\n",
    "\n ",
    " ",
    "cblas ",
    "s d c z ",
    "ab:z ",
    "#",
    "[s]\n",
    "%s%n",
    "\t",
    "\x7f",
    "\xff",
    "anameoffifteenx",
    "anameofsixteenxx",
    NULL,
};

static size_t put_word(unsigned char *bytes, size_t size, size_t room, struct piece piece, const char *const *words,
                       uint64_t *random)
{
    uint64_t count = 0;
    while (words[count])
        count++;
    const char *word = words[kt_draw(random, count)];
    return kt_mutate_replace(bytes, size, room, piece.at, piece.length, word, strlen(word));
}

size_t kt_mutate_spec(unsigned char *bytes, size_t size, size_t room, uint64_t *random)
{
    if (size == 0)
        return kt_mutate_bytes(bytes, size, room, random);
    struct piece word = pick(bytes, size, " \n,:;[]()*+-/", random);
    struct piece other = pick(bytes, size, " \n", random);
    struct piece between = {kt_draw(random, size + 1), 0};
    switch (kt_draw(random, 6)) {
    case 0:
        return put_word(bytes, size, room, word, spec_words, random);
    case 1:
    case 2:
        return put_word(bytes, size, room, between, spec_words, random);
    case 3:
        return kt_mutate_replace(bytes, size, room, word.at, word.length, bytes + other.at, other.length);
    case 4:
        return kt_mutate_replace(bytes, size, room, other.at, other.length, "", 0);
    default:
        return kt_mutate_bytes(bytes, size, room, random);
    }
}

size_t kt_mutate_text(unsigned char *bytes, size_t size, size_t room, uint64_t *random)
{
    if (size == 0)
        return kt_mutate_bytes(bytes, size, room, random);
    struct piece field = pick(bytes, size, "\t\n", random);
    struct piece word = pick(bytes, size, "\t\n ,:;[]()*+-/", random);
    struct piece line = pick_line(bytes, size, random);
    struct piece other = pick(bytes, size, "\t\n", random);
    struct piece other_line = pick_line(bytes, size, random);
    switch (kt_draw(random, 8)) {
    case 0:
        return put_word(bytes, size, room, field, trace_words, random);
    case 1:
        return put_word(bytes, size, room, word, trace_words, random);
    case 2:
        return kt_mutate_replace(bytes, size, room, field.at, field.length, bytes + other.at, other.length);
    case 3:
        return kt_mutate_replace(bytes, size, room, line.at, line.length, "", 0);
    case 4:
        return kt_mutate_replace(bytes, size, room, line.at, 0, bytes + other_line.at, other_line.length);
    case 5:
        return kt_mutate_replace(bytes, size, room, line.at, line.length, bytes + other_line.at, other_line.length);
    case 6:
        return kt_mutate_replace(bytes, size, room, field.at, 0, "\t", 1);
    default:
        return kt_mutate_bytes(bytes, size, room, random);
    }
}

/* --- streams ----------------------------------------------------------------------------------------------- */

static uint64_t word_at(const unsigned char *bytes, size_t at)
{
    uint64_t word;
    memcpy(&word, bytes + at, sizeof word);
    return word;
}

static void set_word(unsigned char *bytes, size_t at, uint64_t word)
{
    memcpy(bytes + at, &word, sizeof word);
}

/* A random chunk; length 0: there is none. */
static struct piece pick_chunk(const unsigned char *bytes, size_t size, uint64_t *random)
{
    struct piece chosen = {0, 0};
    uint64_t seen = 0;
    for (size_t at = 0; size - at >= sizeof(struct kt_chunk);) {
        uint64_t length = word_at(bytes, at + offsetof(struct kt_chunk, chunk_bytes));
        if (length < sizeof(struct kt_chunk) || length > size - at)
            length = size - at;
        if (kt_draw(random, ++seen) == 0)
            chosen = (struct piece){at, length};
        at += length;
    }
    return chosen;
}

/* Where the events of a chunk end. */
static size_t events_end(const unsigned char *bytes, struct piece chunk)
{
    uint64_t used = word_at(bytes, chunk.at + offsetof(struct kt_chunk, used_bytes));
    return chunk.at + (used < chunk.length ? used : chunk.length);
}

/* A random event of a chunk, by its lengths; length 0: there is none. */
static struct piece pick_event(const unsigned char *bytes, struct piece chunk, uint64_t *random)
{
    struct piece chosen = {0, 0};
    uint64_t seen = 0;
    size_t end = events_end(bytes, chunk);
    for (size_t at = chunk.at + sizeof(struct kt_chunk); at + 8 <= end;) {
        uint64_t length = 8 * (word_at(bytes, at) >> 8 & 0xff);
        if (length == 0 || length > end - at)
            break;
        if (kt_draw(random, ++seen) == 0)
            chosen = (struct piece){at, length};
        at += length;
    }
    return chosen;
}

static void change_chunk_head(unsigned char *bytes, struct piece chunk, uint64_t *random)
{
    static const unsigned char fields[] = {
        offsetof(struct kt_chunk, header_bytes), offsetof(struct kt_chunk, index),
        offsetof(struct kt_chunk, index),        offsetof(struct kt_chunk, chunk_bytes),
        offsetof(struct kt_chunk, used_bytes),   offsetof(struct kt_chunk, used_bytes),
        offsetof(struct kt_chunk, calls),        offsetof(struct kt_chunk, ended),
        offsetof(struct kt_chunk, anchor),       offsetof(struct kt_chunk, lost),
        offsetof(struct kt_chunk, passed),
    };
    size_t at = chunk.at + fields[kt_draw(random, sizeof fields)];
    uint64_t value = kt_draw(random, 3) ? near(word_at(bytes, at), random) : kt_mutate_limit(random);
    memcpy(bytes + at, &value, kt_draw(random, 2) ? 8 : 4);
}

static void change_event_head(unsigned char *bytes, struct piece event, uint64_t *random)
{
    uint64_t head = word_at(bytes, event.at);
    switch (kt_draw(random, 4)) {
    case 0: /* kind */
        head = (head & ~(uint64_t)0xff) | kt_draw(random, KT_EVENT_WORK + 2);
        break;
    case 1: /* length */
        head = (head & ~(uint64_t)0xff00) | ((head + ((kt_draw(random, 5) - 2) << 8)) & 0xff00);
        break;
    case 2: /* entry or depth */
        head = (head & ~(uint64_t)0xffff0000) |
               (kt_draw(random, 4) ? kt_draw(random, 16) : kt_mutate_limit(random) & 0xffff) << 16;
        break;
    default: /* changed words or ticks */
        head ^= 1ull << (32 + kt_draw(random, 32));
    }
    set_word(bytes, event.at, head);
}

/* The chunk keeps its length: what moves does so at the cost of the unused end, and the events get longer or shorter.
 */
static void move_events(unsigned char *bytes, struct piece chunk, struct piece event, bool remove)
{
    size_t end = events_end(bytes, chunk);
    size_t limit_at = chunk.at + chunk.length;
    uint64_t used = end - chunk.at;
    if (remove) {
        memmove(bytes + event.at, bytes + event.at + event.length, end - event.at - event.length);
        used -= event.length;
    } else if (event.length <= limit_at - end) {
        memmove(bytes + event.at + event.length, bytes + event.at, end - event.at);
        used += event.length;
    }
    set_word(bytes, chunk.at + offsetof(struct kt_chunk, used_bytes), used);
}

static void change_event_body(unsigned char *bytes, struct piece event, uint64_t *random)
{
    size_t at = event.at + 8 + (event.length > 8 ? kt_draw(random, event.length - 8) : 0);
    if (at >= event.at + event.length)
        return;
    if (kt_draw(random, 2))
        bytes[at] = (unsigned char)kt_draw(random, 256);
    else
        set_word(bytes, event.at + 8 + (at - event.at - 8) / 8 * 8, kt_mutate_limit(random));
}

size_t kt_mutate_stream(unsigned char *bytes, size_t size, size_t room, uint64_t *random)
{
    struct piece chunk = pick_chunk(bytes, size, random);
    uint64_t how = kt_draw(random, 12);
    if (chunk.length == 0 || how == 0)
        return kt_mutate_bytes(bytes, size, room, random);
    if (how == 1)
        return kt_mutate_replace(bytes, size, room, chunk.at, 0, bytes + chunk.at, chunk.length); /* twice */
    if (how == 2)
        return kt_mutate_replace(bytes, size, room, chunk.at, chunk.length, "", 0);
    struct piece event = pick_event(bytes, chunk, random);
    if (how <= 4 || event.length == 0)
        change_chunk_head(bytes, chunk, random);
    else if (how <= 7)
        change_event_head(bytes, event, random);
    else if (how <= 9)
        change_event_body(bytes, event, random);
    else
        move_events(bytes, chunk, event, how == 10);
    return size;
}

/* --- profiles ---------------------------------------------------------------------------------------------- */

/* A random cell of a profile; length 0: there is none. */
static struct piece pick_cell(const unsigned char *bytes, size_t size, uint64_t *random)
{
    struct piece chosen = {0, 0};
    uint64_t seen = 0;
    for (size_t at = sizeof(struct kt_profile_head); size > at && size - at >= sizeof(struct kt_thread_cell);) {
        uint32_t length;
        memcpy(&length, bytes + at, sizeof length);
        if (length < 8 || length > size - at)
            break;
        if (kt_draw(random, ++seen) == 0)
            chosen = (struct piece){at, length};
        at += length;
    }
    return chosen;
}

/* The word at that place or a part of it gets a value near its own, near a limit, or near where something begins. */
static void change_word(unsigned char *bytes, size_t at, struct piece other, uint64_t *random)
{
    uint64_t value = word_at(bytes, at);
    switch (kt_draw(random, 4)) {
    case 0:
    case 1:
        value = near(value, random);
        break;
    case 2:
        value = other.at + kt_draw(random, 3) * other.length;
        break;
    default:
        value = kt_mutate_limit(random);
    }
    memcpy(bytes + at, &value, (size_t)1 << kt_draw(random, 4));
}

static size_t change_cells(unsigned char *bytes, size_t size, size_t room, struct piece cell, uint64_t *random)
{
    size_t words = cell.length < sizeof(struct kt_cell) ? cell.length / 8 : sizeof(struct kt_cell) / 8;
    switch (kt_draw(random, 8)) {
    case 0:
        return kt_mutate_replace(bytes, size, room, cell.at, cell.length, "", 0);
    case 1:
        return kt_mutate_replace(bytes, size, room, cell.at, 0, bytes + cell.at, cell.length);
    case 2:
        bytes[cell.at + offsetof(struct kt_cell, kind)] = (unsigned char)kt_draw(random, KT_CELL_THREAD + 2);
        return size;
    case 3: /* histogram, words */
        change_word(bytes, cell.at + kt_draw(random, cell.length / 8) * 8, cell, random);
        return size;
    default:
        change_word(bytes, cell.at + kt_draw(random, words) * 8, cell, random);
        return size;
    }
}

size_t kt_mutate_profile(unsigned char *bytes, size_t size, size_t room, uint64_t *random)
{
    uint64_t how = kt_draw(random, 10);
    if (size < sizeof(struct kt_profile_head) || how == 0)
        return kt_mutate_bytes(bytes, size, room, random);
    struct piece cell = pick_cell(bytes, size, random);
    if (how <= 2 || cell.length == 0)
        change_word(bytes, kt_draw(random, sizeof(struct kt_profile_head) / 8) * 8, cell, random);
    else
        size = change_cells(bytes, size, room, cell, random);
    if (kt_draw(random, 2)) /* what was added or removed is known */
        set_word(bytes, offsetof(struct kt_chunk, used_bytes), size / 8 * 8);
    return size;
}

/* --- inputs ------------------------------------------------------------------------------------------------ */

/* The file that is changed, with room to grow. */
static unsigned char changed[1 << 20];

static kt_mutator *mutator_of(int file)
{
    if (file < KT_INPUT_TEXTS)
        return kt_mutate_text;
    return *kt_input_names[file] == 's' ? kt_mutate_profile : kt_mutate_stream;
}

size_t kt_mutate_file(unsigned char *data, size_t size, size_t room, uint64_t *random, int file, kt_mutator *mutator)
{
    struct kt_input in;
    if (!kt_input_parse(data, size, &in))
        return LLVMFuzzerMutate(data, size, room);
    size_t length = in.file[file].size;
    size_t others = size - length;
    if (room <= others || length > sizeof changed)
        return size;
    size_t most = room - others < sizeof changed ? room - others : sizeof changed;
    memcpy(changed, in.file[file].bytes, length);
    for (uint64_t times = 1 + kt_draw(random, 3); times > 0; times--)
        if (kt_draw(random, 8))
            length = mutator(changed, length, most, random);
        else
            length = length ? LLVMFuzzerMutate(changed, length, most) : 0;
    in.file[file] = (struct kt_input_file){changed, length};
    unsigned char *copy = malloc(room);
    size_t written = kt_input_write(&in, copy, room);
    if (written)
        memcpy(data, copy, written);
    free(copy);
    return written ? written : size;
}

size_t kt_mutate_input(unsigned char *data, size_t size, size_t room, unsigned seed, int first, int last)
{
    struct kt_input in;
    uint64_t random = seed * 0x9e3779b97f4a7c15u | 1;
    if (!kt_input_parse(data, size, &in))
        return LLVMFuzzerMutate(data, size, room);
    int file = first + (int)kt_draw(&random, (uint64_t)(last - first + 1));
    if (in.missing >> file & 1)
        file = first + (int)kt_draw(&random, (uint64_t)(last - first + 1));
    if (kt_draw(&random, 200) == 0)
        data[2] ^= (unsigned char)(1u << file); /* missing */
    return kt_mutate_file(data, size, room, &random, file, mutator_of(file));
}
