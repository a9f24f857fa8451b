/* SPDX-License-Identifier: BSD-3-Clause */
#include "preload/python.h"

#include "preload/define.h"
#include "preload/line.h"
#include "preload/notice.h"
#include "preload/python_table.h"
#include "preload/scopes.h"
#include "preload/settings.h"
#include "preload/slow.h"
#include "preload/system.h"

#include <string.h>
#include <sys/mman.h>

bool kt_reads_lines;

/* --- where things lie, by version ---------------------------------------------------------------------------- */

/* Offsets in bytes. */
struct layout {
    uint8_t minor;          /* 3.MINOR */
    uint8_t frame;          /* in the thread's state: the innermost frame, */
    int8_t inner;           /* or what has it there; -1: the frame itself */
    uint8_t code, back, at; /* in a frame: code object, next outer frame, instruction */
    uint8_t owner;          /* in a frame: who owns it; 0: that is not told */
    uint8_t unit;           /* instruction: a number of units of so many bytes; 0: a pointer into the code */
    uint8_t bytecode;       /* in a code object, if instructions are pointers */
    uint8_t filename, name, first_line, table; /* in a code object */
    uint8_t ascii_bytes, text_bytes;           /* of the heads of texts, before characters */
    uint8_t kind;                              /* enum kt_python_table */
};

static const struct layout layouts[] = {
    {8, 24, -1, 32, 24, 104, 0, 1, 0, 104, 112, 40, 120, 48, 72, KT_PYTHON_LNOTAB},
    {9, 24, -1, 32, 24, 104, 0, 1, 0, 104, 112, 40, 120, 48, 72, KT_PYTHON_LNOTAB},
    {10, 24, -1, 32, 24, 96, 0, 2, 0, 104, 112, 40, 120, 48, 72, KT_PYTHON_RANGES},
    {11, 56, 8, 32, 48, 56, 0, 0, 184, 112, 128, 72, 136, 48, 72, KT_PYTHON_LOCATIONS},
    {12, 56, 0, 0, 8, 56, 70, 0, 192, 112, 128, 68, 136, 40, 56, KT_PYTHON_LOCATIONS},
    {13, 72, -1, 0, 8, 56, 70, 0, 200, 112, 128, 68, 136, 40, 56, KT_PYTHON_LOCATIONS},
};

/* Of every object: its type. Of bytes: how many, and where. Of texts: how many characters, and how they are stored. */
enum { TYPE = 8, SIZE = 16, BYTES = 32, STATE = 32, TEXT_HEAD = 40, OWNED_BY_C = 3 };

static const struct layout *layout;
static const char *(*thread_state)(void);
static const char *code_type;

/* --- memory that can be read --------------------------------------------------------------------------------- */

enum { PAGE_BITS = 12, PAGES = 1024, MOST_FRAMES = 200 };

/* Pages that were found readable. */
static _Atomic uintptr_t readable[PAGES];

static bool is_readable_page(uintptr_t page)
{
    _Atomic uintptr_t *known = &readable[page % PAGES];
    if (KT_LIKELY(atomic_load_explicit(known, memory_order_relaxed) == page))
        return true;
    if (!kt_system_is_readable((const void *)(page << PAGE_BITS)))
        return false;
    atomic_store_explicit(known, page, memory_order_relaxed);
    return true;
}

static bool is_readable(const char *at, size_t bytes)
{
    uintptr_t first = (uintptr_t)at >> PAGE_BITS;
    uintptr_t last = ((uintptr_t)at + bytes - 1) >> PAGE_BITS;
    if (first == 0 || last < first)
        return false;
    for (uintptr_t page = first; page <= last; page++)
        if (!is_readable_page(page))
            return false;
    return true;
}

static inline const char *pointer_at(const char *at)
{
    const char *pointer;
    memcpy(&pointer, at, sizeof pointer);
    return pointer;
}

/* An object, or a part of the interpreter's; NULL if it cannot be one. */
static inline const char *object_at(const char *at, size_t bytes)
{
    const char *object = pointer_at(at);
    return (uintptr_t)object % 8 == 0 && is_readable(object, bytes) ? object : NULL;
}

/* As much of it as is looked at. */
static inline const char *frame_at(const char *at)
{
    return object_at(at, layout->at + 2 * sizeof(void *));
}

/* --- lines that were met ------------------------------------------------------------------------------------- */

enum { LINES = 1 << 14, MOST_LINES = LINES / 4 * 3, IDS = 1 << 17, MOST_IDS = (1 << 16) - 1 };

/* An instruction of a code object, called from PARENT. What else is there tells if another object is there instead. */
struct line {
    _Atomic uintptr_t code; /* 0: free */
    uint64_t at;
    const char *filename, *name, *table;
    uint64_t table_begin;
    int32_t first_line;
    uint32_t parent;
    uint32_t id; /* 0: without a number */
    bool is_library;
};

static struct line *lines;         /* LINES of them, of open addressing */
static uint64_t *ids;              /* IDS of hashes of what was told; the number is in IDS numbers behind them */
static _Atomic uint64_t forgotten; /* how often all lines were */
static unsigned line_count, id_count;

static inline struct line line_of(const char *frame, const char *code, uint32_t parent)
{
    struct line line = {.parent = parent};
    line.code = (uintptr_t)code;
    if (layout->unit) {
        int32_t at;
        memcpy(&at, frame + layout->at, sizeof at);
        line.at = at < 0 ? 0 : (uint64_t)at * layout->unit;
    } else {
        line.at = (uintptr_t)pointer_at(frame + layout->at) - (uintptr_t)(code + layout->bytecode);
    }
    line.filename = pointer_at(code + layout->filename);
    line.name = pointer_at(code + layout->name);
    memcpy(&line.first_line, code + layout->first_line, sizeof line.first_line);
    line.table = object_at(code + layout->table, BYTES + sizeof line.table_begin);
    if (line.table)
        memcpy(&line.table_begin, line.table + BYTES, sizeof line.table_begin);
    return line;
}

static inline bool is_same_line(const struct line *a, const struct line *b)
{
    return a->at == b->at && a->parent == b->parent && a->first_line == b->first_line && a->filename == b->filename &&
           a->name == b->name && a->table == b->table && a->table_begin == b->table_begin;
}

static inline size_t place_of(const struct line *line)
{
    uint64_t hash = (line->code >> 4) * 0x9e3779b97f4a7c15u ^ line->at ^ (uint64_t)line->parent << 20;
    hash *= 0x9e3779b97f4a7c15u;
    return hash >> 40 & (LINES - 1);
}

/* Where it is, or would be. */
static inline struct line *find_line(const struct line *line)
{
    size_t at = place_of(line);
    for (;; at = (at + 1) & (LINES - 1)) {
        uintptr_t code = atomic_load_explicit(&lines[at].code, memory_order_acquire);
        if (!code || (code == line->code && is_same_line(&lines[at], line)))
            return &lines[at];
    }
}

/* --- what a line is called ----------------------------------------------------------------------------------- */

enum { TEXT = 4096 };

static size_t put_utf8(char *out, uint32_t c)
{
    static const uint8_t first[] = {0, 0, 0xc0, 0xe0, 0xf0};
    unsigned bytes = c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
    for (unsigned i = bytes; i-- > 1; c >>= 6)
        out[i] = (char)(0x80 | (c & 0x3f));
    out[0] = (char)(bytes == 1 ? c : first[bytes] | c);
    return bytes;
}

static uint32_t character(const char *at, unsigned bytes)
{
    uint32_t c = 0;
    memcpy(&c, at, bytes);
    return c;
}

/* A text of the interpreter's, in UTF-8, cut where there is no room. */
static void read_text(const char *object, char out[TEXT])
{
    enum { KIND = 2, COMPACT = 5, ASCII = 6 };
    uint32_t state;
    size_t count, length = 0;
    *out = '\0';
    if (!object || !is_readable(object, TEXT_HEAD))
        return;
    memcpy(&count, object + SIZE, sizeof count);
    memcpy(&state, object + STATE, sizeof state);
    const unsigned width = state >> KIND & 7;
    const char *at = object + (state >> ASCII & 1 ? layout->ascii_bytes : layout->text_bytes);
    if (!(state >> COMPACT & 1) || (width != 1 && width != 2 && width != 4))
        return;
    count = count < TEXT ? count : TEXT;
    if (!is_readable(at, count * width + 1))
        return;
    for (size_t i = 0; i < count && length < TEXT - 4; i++)
        length += put_utf8(out + length, character(at + i * width, width));
    out[length] = '\0';
}

static int number_of(const struct line *line)
{
    enum { MOST = 1 << 20 };
    const int first = line->first_line;
    size_t bytes;
    if (!line->table)
        return first;
    memcpy(&bytes, line->table + SIZE, sizeof bytes);
    if (bytes > MOST || !is_readable(line->table + BYTES, bytes + 1))
        return first;
    return kt_python_table_line((enum kt_python_table)layout->kind, (const unsigned char *)line->table + BYTES, bytes,
                                first, line->at);
}

/* NumPy's and SciPy's own, and what imports them: who calls these is asked for. NumPy makes functions from texts. */
static bool is_of_library(const char *file)
{
    static const char *const packages[] = {"-packages/numpy/", "-packages/scipy/", "<__array_function__ internals>",
                                           "<frozen importlib"};
    for (size_t i = 0; i < sizeof packages / sizeof *packages; i++)
        if (strstr(file, packages[i]))
            return true;
    return false;
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

static void describe(struct line *line)
{
    static struct kt_line text; /* within a slow path, all three */
    static char function[TEXT], file[TEXT];
    int number = number_of(line);
    read_text(line->filename, file);
    read_text(line->name, function);
    text.length = 0;
    kt_line_raw(&text, "\t");
    kt_line_unsigned(&text, line->parent, 10);
    kt_line_raw(&text, "\t");
    kt_line_unsigned(&text, number > 0 ? (uint64_t)number : 0, 10);
    kt_line_raw(&text, "\t");
    kt_line_escaped(&text, function, strlen(function));
    kt_line_raw(&text, "\t");
    kt_line_escaped(&text, file, strlen(file));
    kt_line_raw(&text, "\n");
    text.text[text.length < KT_LINE_BYTES ? text.length : KT_LINE_BYTES - 1] = '\0';
    line->is_library = is_of_library(file);
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

/* Fills in what LINE is; the code is in use, so it stays as it is. */
static KT_COLD void meet(struct line *line)
{
    if (!kt_slow_begin())
        return;
    if (line_count >= MOST_LINES)
        forget_lines();
    struct line *place = find_line(line);
    if (!place->code) {
        describe(line);
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
        place->is_library = line->is_library;
        atomic_store_explicit(&place->code, code, memory_order_release);
        line_count++;
    }
    line->id = place->id;
    line->is_library = place->is_library;
    kt_slow_end();
}

/* --- the frames of a call ------------------------------------------------------------------------------------ */

static inline const char *code_of(const char *frame)
{
    if (layout->owner && frame[layout->owner] == OWNED_BY_C)
        return NULL;
    const char *code = object_at(frame + layout->code, layout->table + sizeof(void *));
    return code && pointer_at(code + TYPE) == code_type ? code : NULL;
}

/* The line that the frame is at; without a code object nothing is known of it. */
static struct line line_at(const char *frame, uint32_t parent)
{
    const char *code = code_of(frame);
    struct line line = {0};
    if (!code)
        return line;
    line = line_of(frame, code, parent);
    uint64_t before = atomic_load_explicit(&forgotten, memory_order_acquire);
    const struct line *found = find_line(&line);
    if (KT_LIKELY(found->code)) {
        line.id = found->id;
        line.is_library = found->is_library;
        atomic_thread_fence(memory_order_acquire);
    }
    if (KT_UNLIKELY(!found->code || atomic_load_explicit(&forgotten, memory_order_relaxed) != before || before & 1))
        meet(&line);
    return line;
}

static inline const char *frame_of_thread(void)
{
    const char *thread = thread_state();
    if (!thread)
        return NULL;
    if (layout->inner < 0)
        return frame_at(thread + layout->frame);
    const char *holder = object_at(thread + layout->frame, 2 * sizeof(void *));
    return holder ? frame_at(holder + layout->inner) : NULL;
}

static inline const char *outer(const char *frame)
{
    return frame_at(frame + layout->back);
}

/* With the lines that its function was called from, the outermost first. */
static uint32_t path_to(const char *frame)
{
    const char *above[MOST_FRAMES / 4];
    unsigned count = 0;
    uint32_t parent = 0;
    for (; frame && count < sizeof above / sizeof *above; frame = outer(frame))
        above[count++] = frame;
    while (count) {
        struct line line = line_at(above[--count], parent);
        parent = line.id ? line.id : parent;
    }
    return parent;
}

static bool whole_paths;

uint32_t kt_python_line(void)
{
    const char *frame = frame_of_thread();
    uint32_t innermost = 0;
    for (unsigned i = 0; frame && i < MOST_FRAMES; i++, frame = outer(frame)) {
        struct line line = line_at(frame, 0);
        if (line.id && !line.is_library)
            return whole_paths ? path_to(frame) : line.id;
        innermost = innermost ? innermost : line.id;
    }
    return innermost;
}

/* --- the start ----------------------------------------------------------------------------------------------- */

static const struct layout *layout_of(const char *version)
{
    unsigned minor = 0;
    if (strncmp(version, "3.", 2) != 0)
        return NULL;
    for (const char *c = version + 2; *c >= '0' && *c <= '9'; c++)
        minor = 10 * minor + (unsigned)(*c - '0');
    for (size_t i = 0; i < sizeof layouts / sizeof *layouts; i++)
        if (layouts[i].minor == minor)
            return &layouts[i];
    return NULL;
}

static bool find_interpreter(void)
{
    const char *(*version)(void);
    void *state = kt_scopes_find_first("PyGILState_GetThisThreadState");
    void *text = kt_scopes_find_first("Py_GetVersion");
    code_type = kt_scopes_find_first("PyCode_Type");
    if (!state || !text || !code_type)
        return false;
    memcpy(&thread_state, &state, sizeof state);
    memcpy(&version, &text, sizeof text);
    layout = layout_of(version());
    if (!layout)
        kt_notice("lines of Python ", version(), " are not known: calls have none");
    return layout != NULL;
}

static void *pages(size_t bytes)
{
    void *at = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return at == MAP_FAILED ? NULL : at;
}

void kt_python_find(void)
{
    enum kt_stacks wanted = kt_settings_stacks();
    if (kt_reads_lines || wanted == KT_STACKS_OFF || !find_interpreter())
        return;
    whole_paths = wanted == KT_STACKS_PATHS;
    lines = pages(LINES * sizeof *lines);
    ids = pages(IDS * (sizeof *ids + sizeof(uint32_t)));
    kt_reads_lines = lines && ids;
}
