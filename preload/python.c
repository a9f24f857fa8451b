/* SPDX-License-Identifier: BSD-3-Clause */
#include "preload/python.h"

#include "preload/line_numbers.h"
#include "preload/notice.h"
#include "preload/python_table.h"
#include "preload/readable.h"
#include "preload/scopes.h"

#include <string.h>

bool kt_reads_python;

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
enum { TYPE = 8, SIZE = 16, BYTES = 32, STATE = 32, TEXT_HEAD = 40, OWNED_BY_C = 3, MOST_FRAMES = 200 };

static const struct layout *layout;
static const char *(*thread_state)(void);
static const char *code_type;

/* As much of it as is looked at. */
static inline const char *frame_at(const char *at)
{
    return kt_readable_object(at, layout->at + 2 * sizeof(void *));
}

static inline struct kt_met_line line_of(const char *frame, const char *code, uint32_t parent)
{
    struct kt_met_line line = {.parent = parent};
    line.code = (uintptr_t)code;
    if (layout->unit) {
        int32_t at;
        memcpy(&at, frame + layout->at, sizeof at);
        line.at = at < 0 ? 0 : (uint64_t)at * layout->unit;
    } else {
        line.at = (uintptr_t)kt_readable_pointer(frame + layout->at) - (uintptr_t)(code + layout->bytecode);
    }
    line.filename = kt_readable_pointer(code + layout->filename);
    line.name = kt_readable_pointer(code + layout->name);
    memcpy(&line.first_line, code + layout->first_line, sizeof line.first_line);
    line.table = kt_readable_object(code + layout->table, BYTES + sizeof line.table_begin);
    if (line.table)
        memcpy(&line.table_begin, line.table + BYTES, sizeof line.table_begin);
    return line;
}

/* --- what a line is called ----------------------------------------------------------------------------------- */

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
static void read_text(const char *object, char out[KT_LINE_TEXT])
{
    enum { KIND = 2, COMPACT = 5, ASCII = 6 };
    uint32_t state;
    size_t count, length = 0;
    *out = '\0';
    if (!object || !kt_readable(object, TEXT_HEAD))
        return;
    memcpy(&count, object + SIZE, sizeof count);
    memcpy(&state, object + STATE, sizeof state);
    const unsigned width = state >> KIND & 7;
    const char *at = object + (state >> ASCII & 1 ? layout->ascii_bytes : layout->text_bytes);
    if (!(state >> COMPACT & 1) || (width != 1 && width != 2 && width != 4))
        return;
    count = count < KT_LINE_TEXT ? count : KT_LINE_TEXT;
    if (!kt_readable(at, count * width + 1))
        return;
    for (size_t i = 0; i < count && length < KT_LINE_TEXT - 4; i++)
        length += put_utf8(out + length, character(at + i * width, width));
    out[length] = '\0';
}

static int number_of(const struct kt_met_line *line)
{
    enum { MOST = 1 << 20 };
    const int first = line->first_line;
    size_t bytes;
    if (!line->table)
        return first;
    memcpy(&bytes, line->table + SIZE, sizeof bytes);
    if (bytes > MOST || !kt_readable(line->table + BYTES, bytes + 1))
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

static void tell(const struct kt_met_line *line, struct kt_line_told *out)
{
    out->number = number_of(line);
    out->language = NULL;
    read_text(line->filename, out->file);
    read_text(line->name, out->function);
    out->kind = is_of_library(out->file) ? KT_LINE_LIBRARY : KT_LINE_OWN;
}

/* --- the frames of a call ------------------------------------------------------------------------------------ */

static inline const char *code_of(const char *frame)
{
    if (layout->owner && frame[layout->owner] == OWNED_BY_C)
        return NULL;
    const char *code = kt_readable_object(frame + layout->code, layout->table + sizeof(void *));
    return code && kt_readable_pointer(code + TYPE) == code_type ? code : NULL;
}

/* The line that the frame is at; without a code object nothing is known of it. */
static struct kt_met_line line_at(const char *frame, uint32_t parent)
{
    const char *code = code_of(frame);
    struct kt_met_line line = {0};
    if (!code)
        return line;
    line = line_of(frame, code, parent);
    kt_line_numbers_meet(&line, tell);
    return line;
}

static inline const char *frame_of_thread(void)
{
    const char *thread = thread_state();
    if (!thread)
        return NULL;
    if (layout->inner < 0)
        return frame_at(thread + layout->frame);
    const char *holder = kt_readable_object(thread + layout->frame, 2 * sizeof(void *));
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
        struct kt_met_line line = line_at(above[--count], parent);
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
        struct kt_met_line line = line_at(frame, 0);
        if (line.id && line.kind == KT_LINE_OWN)
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

void kt_python_find(bool paths)
{
    whole_paths = paths;
    kt_reads_python = find_interpreter();
}
