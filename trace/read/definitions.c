/* SPDX-License-Identifier: BSD-3-Clause */
#include "trace/read/definitions.h"

#include "trace/base/lines.h"
#include "trace/base/memory.h"
#include "trace/read/families.h"
#include "trace/read/stacks.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>

enum { MAX_IDS = 1 << 16, MAX_COUNTERS = 64, MAX_FIELDS = 10 };

static const struct kt_object unknown_object = {
    .path = "", .build_id = "", .soname = "", .file = "", .version = "", .int_bytes = 4};

/* An entry line; it becomes an entry when all are known. */
struct draft {
    unsigned long id, library, int_bytes;
    bool compiled;
    const struct kt_routine *routine;
    enum kt_view view;
    char symbol[KT_SYMBOL_NAME];
};

struct definitions {
    struct kt_process *process;
    struct kt_families *families;
    size_t bytes; /* of the file */
    struct draft *draft;
    size_t drafts;
};

static bool parse_number(const char *text, int base, unsigned long most, unsigned long *out)
{
    char *end;
    errno = 0;
    *out = strtoul(text, &end, base);
    return isxdigit((unsigned char)*text) && *end == '\0' && errno == 0 && *out <= most;
}

/* Ids count lines, so no id is as large as the file: a damaged one does not make a short file a long table. */
static bool parse_id(const struct definitions *d, const char *text, unsigned long *out)
{
    unsigned long most = d->bytes < MAX_IDS ? d->bytes : MAX_IDS;
    return parse_number(text, 10, most - 1, out);
}

static void set_text(char **at, char *escaped)
{
    free(*at);
    *at = kt_copy(kt_unescape(escaped));
}

/* Ids whose line was lost stay as objects that hold no address. */
static struct kt_object *object_with_id(struct kt_process *p, unsigned long id)
{
    while (p->objects <= id) {
        p->object = kt_room_for_one(p->object, p->objects, sizeof *p->object);
        p->object[p->objects++] = (struct kt_object){.path = kt_copy(""),
                                                     .build_id = kt_copy(""),
                                                     .soname = kt_copy(""),
                                                     .file = kt_copy(""),
                                                     .version = kt_copy(""),
                                                     .int_bytes = 4};
    }
    return &p->object[id];
}

static const char *define_object(struct definitions *d, char **field)
{
    unsigned long id, lo, hi, bias;
    if (!parse_id(d, field[1], &id))
        return "the id is not a small number";
    if (!parse_number(field[2], 16, ULONG_MAX, &lo) || !parse_number(field[3], 16, ULONG_MAX, &hi) ||
        !parse_number(field[4], 16, ULONG_MAX, &bias))
        return "an address is not a hexadecimal number";
    struct kt_object *o = object_with_id(d->process, id);
    o->lo = lo;
    o->hi = hi;
    o->bias = bias;
    set_text(&o->path, field[5]);
    set_text(&o->build_id, field[6]);
    return NULL;
}

static const char *define_library(struct definitions *d, char **field)
{
    unsigned long id, int_bytes, threads;
    if (!parse_number(field[1], 10, ULONG_MAX, &id) || id >= d->process->objects)
        return "the object is not defined";
    if (!parse_number(field[4], 10, 8, &int_bytes) || (int_bytes != 4 && int_bytes != 8))
        return "integers have neither 4 nor 8 bytes";
    if (!parse_number(field[5], 10, INT_MAX, &threads))
        return "the number of threads is not a number";
    struct kt_object *o = &d->process->object[id];
    o->is_library = true;
    o->int_bytes = (int)int_bytes;
    o->threads = (int)threads;
    set_text(&o->soname, field[2]);
    set_text(&o->version, field[3]);
    set_text(&o->file, field[6]); /* from version 2.13 on */
    return NULL;
}

static bool find_view(const char *name, enum kt_view *out)
{
    for (int i = 0; i < KT_VIEWS; i++)
        if (!strcmp(kt_view_name[i], name)) {
            *out = (enum kt_view)i;
            return true;
        }
    return false;
}

static bool fits_into_call(const struct kt_routine *routine, enum kt_view view)
{
    struct kt_symbol symbol;
    return kt_symbol_make(routine, view, &symbol) && symbol.arg_bytes <= 8 * (KT_CONTEXT_WORDS - KT_CALL_HEAD_WORDS);
}

/* It becomes part of programs (repro), of scripts and of tables. */
static bool is_name(const char *text)
{
    return (isalpha((unsigned char)*text) || *text == '_') && !text[strspn(text, "abcdefghijklmnopqrstuvwxyz"
                                                                                 "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                                                                 "0123456789_")];
}

static const char *define_entry(struct definitions *d, char **field)
{
    struct draft draft;
    const char *family = kt_unescape(field[7]);
    if (!parse_id(d, field[1], &draft.id))
        return "the id is not a small number";
    if (strlen(kt_unescape(field[2])) >= sizeof draft.symbol)
        return "the symbol is too long";
    if (!is_name(field[2]))
        return "the symbol is no name of a function";
    strcpy(draft.symbol, field[2]);
    if (!find_view(field[3], &draft.view))
        return "the view is not known";
    if (!parse_number(field[5], 10, ULONG_MAX, &draft.library) || draft.library >= d->process->objects ||
        !d->process->object[draft.library].is_library)
        return "the library is not defined";
    draft.int_bytes = (unsigned long)d->process->object[draft.library].int_bytes;
    draft.compiled = !strcmp(field[9], "compiled");
    if (*field[8] &&
        (!parse_number(field[8], 10, 8, &draft.int_bytes) || (draft.int_bytes != 4 && draft.int_bytes != 8)))
        return "integers have neither 4 nor 8 bytes";
    draft.routine = kt_families_routine(d->families, family, field[4]);
    if (!draft.routine)
        return "the description of the routine cannot be understood";
    if (!kt_symbol_exists(draft.routine, draft.view))
        return "the routine has no such interface";
    if (!fits_into_call(draft.routine, draft.view))
        return "the routine has more arguments than a call can hold";
    d->draft = kt_room_for_one(d->draft, d->drafts, sizeof *d->draft);
    d->draft[d->drafts++] = draft;
    return NULL;
}

/* Counters whose line was lost stay as counters without a name. */
static struct kt_counter *counter_with_id(struct kt_process *p, unsigned long id)
{
    while (p->counters <= id) {
        p->counter = kt_room_for_one(p->counter, p->counters, sizeof *p->counter);
        p->counter[p->counters++] =
            (struct kt_counter){.name = kt_copy(""), .status = kt_copy(""), .reason = kt_copy(""), .code = kt_copy("")};
    }
    return &p->counter[id];
}

/* The last line of a counter counts: more became known of it. */
static const char *define_counter(struct definitions *d, char **field)
{
    unsigned long id, empty = 0;
    if (!parse_number(field[1], 10, MAX_COUNTERS - 1, &id))
        return "the id is not a small number";
    if (*field[5] && !parse_number(field[5], 10, LONG_MAX, &empty))
        return "what reading it adds is not a number";
    struct kt_counter *counter = counter_with_id(d->process, id);
    counter->empty = empty;
    set_text(&counter->name, field[2]);
    set_text(&counter->status, field[3]);
    set_text(&counter->reason, field[4]);
    set_text(&counter->code, field[6]);
    return NULL;
}

/* Names whose line was lost are empty. */
static const char *define_region(struct definitions *d, char **field)
{
    struct kt_process *p = d->process;
    unsigned long id;
    if (!parse_id(d, field[1], &id))
        return "the id is not a small number";
    while (p->region_names <= id) {
        p->region_name = kt_room_for_one(p->region_name, p->region_names, sizeof *p->region_name);
        p->region_name[p->region_names++] = kt_copy("");
    }
    set_text(&p->region_name[id], field[2]);
    return NULL;
}

/* Whoever called the function was told before: parents have smaller ids, so paths end. */
static const char *define_line(struct definitions *d, char **field)
{
    struct kt_process *p = d->process;
    unsigned long id, parent, line;
    if (!parse_id(d, field[1], &id) || id == 0)
        return "the id is not a small number";
    if (!parse_number(field[2], 10, id - 1, &parent))
        return "the calling line is not an earlier one";
    if (!parse_number(field[3], 10, INT_MAX, &line))
        return "the line is not a number";
    while (p->sources <= id) {
        p->source = kt_room_for_one(p->source, p->sources, sizeof *p->source);
        p->source[p->sources++] = (struct kt_source_line){0};
    }
    struct kt_source_line *source = &p->source[id];
    source->parent = (uint32_t)parent;
    source->line = (int)line;
    set_text(&source->function, field[4]);
    set_text(&source->file, field[5]);
    source->is_r = !strcmp(field[6], "R") || !kt_source_has_line(source); /* version 2.11 had no languages */
    return NULL;
}

static const char *define_stack(struct definitions *d, char **field)
{
    return kt_stack_define(d->process, field);
}

static const char *define_path(struct definitions *d, char **field)
{
    return kt_stack_define_path(d->process, field);
}

static const struct {
    const char *word;
    size_t fields;
    const char *(*define)(struct definitions *d, char **field); /* returns what is wrong, or NULL */
} kinds[] = {{"object", 7, define_object},   {"library", 6, define_library}, {"entry", 8, define_entry},
             {"counter", 4, define_counter}, {"region", 3, define_region},   {"line", 6, define_line},
             {"stack", 8, define_stack},     {"path", 3, define_path}};

/* Lines of kinds that a later minor version may add are no concern of ours. */
static const char *define(struct definitions *d, char *line)
{
    char nothing[] = ""; /* what is taken from a field is changed in place */
    char *field[MAX_FIELDS];
    size_t count = kt_lines_split(line, field, MAX_FIELDS);
    for (size_t i = count; i < MAX_FIELDS; i++)
        field[i] = nothing;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (!strcmp(field[0], kinds[i].word))
            return count < kinds[i].fields ? "fields are missing" : kinds[i].define(d, field);
    return NULL;
}

static void make_entry(struct kt_process *p, const struct draft *draft)
{
    struct kt_entry *entry = &p->entry[draft->id];
    kt_symbol_make(draft->routine, draft->view, &entry->symbol);
    strcpy(entry->symbol.name, draft->symbol);
    entry->library = &p->object[draft->library];
    entry->int_bytes = draft->int_bytes;
    entry->compiled = draft->compiled;
}

static void make_entries(struct definitions *d)
{
    struct kt_process *p = d->process;
    for (size_t i = 0; i < d->drafts; i++)
        p->entries = d->draft[i].id >= p->entries ? d->draft[i].id + 1 : p->entries;
    p->entry = kt_resize(NULL, p->entries, sizeof *p->entry);
    for (size_t i = 0; i < p->entries; i++)
        p->entry[i] = (struct kt_entry){.library = &unknown_object, .int_bytes = (size_t)unknown_object.int_bytes};
    for (size_t i = 0; i < d->drafts; i++)
        make_entry(p, &d->draft[i]);
    free(d->draft);
}

enum kt_status kt_definitions_read(const char *path, struct kt_process *process, struct kt_trace *trace,
                                   struct kt_error *error)
{
    struct definitions d = {.process = process, .families = trace->families};
    struct kt_lines lines;
    enum kt_status status = kt_files_lines(process->files, path, &lines, error);
    if (status == KT_OK) {
        d.bytes = lines.bytes;
        trace->bytes += lines.bytes;
        for (char *line = kt_lines_next(&lines); line; line = kt_lines_next(&lines)) {
            const char *problem = define(&d, line);
            if (problem)
                kt_trace_note(trace, "%s:%d: %s; the line is ignored", path, lines.number, problem);
        }
        if (process->complete && kt_lines_left(&lines))
            kt_trace_note(trace, "%s: the last line is cut off", path);
        kt_lines_free(&lines);
    }
    make_entries(&d);
    return status;
}

void kt_definitions_free(struct kt_process *process)
{
    for (size_t i = 0; i < process->objects; i++) {
        free(process->object[i].path);
        free(process->object[i].build_id);
        free(process->object[i].soname);
        free(process->object[i].file);
        free(process->object[i].version);
    }
    for (size_t i = 0; i < process->counters; i++) {
        free(process->counter[i].name);
        free(process->counter[i].status);
        free(process->counter[i].reason);
        free(process->counter[i].code);
    }
    for (size_t i = 0; i < process->region_names; i++)
        free(process->region_name[i]);
    for (size_t i = 0; i < process->sources; i++) {
        free(process->source[i].function);
        free(process->source[i].file);
    }
    kt_stacks_free(process);
    free(process->source);
    free(process->region_name);
    free(process->counter);
    free(process->object);
    free(process->entry);
}
