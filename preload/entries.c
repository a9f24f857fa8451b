/* SPDX-License-Identifier: BSD-3-Clause */
#include "preload/entries.h"

#include "preload/define.h"
#include "preload/file.h"
#include "preload/line.h"
#include "preload/settings.h"
#include "preload/soname.h"

#include <limits.h>
#include <string.h>
#include <sys/mman.h>

enum { MAX_ENTRIES = UINT16_MAX };

/* An object as the trace knows it; its id is its index. Objects that were unloaded keep theirs. */
struct defined {
    uintptr_t lo, hi;
    char build_id[48];
    bool is_library;
    bool is_asked[KT_FAMILIES];
    struct kt_convention convention[KT_FAMILIES];
};

struct entry {
    const struct kt_slot *slot;
    void *target;
    int library;
};

/* All of this is used within slow paths only. */
static struct {
    struct defined *defined;
    int defined_count;
    struct entry *entry; /* index = entry of the trace; 0 stays unused */
    unsigned entry_count;
} table;

bool kt_entries_start(void)
{
    size_t defined = KT_MAX_OBJECTS * sizeof *table.defined;
    size_t bytes = defined + MAX_ENTRIES * sizeof *table.entry;
    if (table.defined)
        return true;
    char *at = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (at == MAP_FAILED)
        return false;
    table.defined = (void *)at;
    table.entry = (void *)(at + defined);
    table.entry_count = 1;
    return true;
}

const struct kt_interface *kt_entries_interface(unsigned entry)
{
    return kt_names_interface(table.entry[entry].slot);
}

/* --- definitions ------------------------------------------------------------------------------------------- */

static void add_number(struct kt_line *line, uint64_t value, unsigned base)
{
    kt_line_raw(line, "\t");
    kt_line_unsigned(line, value, base);
}

static void add_text(struct kt_line *line, const char *text)
{
    kt_line_raw(line, "\t");
    kt_line_escaped(line, text, strlen(text));
}

static void define(struct kt_line *line)
{
    kt_line_raw(line, "\n");
    kt_define_line(line->text, line->length);
}

static void define_object(const struct kt_loaded *o, int id)
{
    static struct kt_line line; /* this and those below: programs have threads with small stacks */
    line.length = 0;
    kt_line_raw(&line, "object");
    add_number(&line, (uint64_t)id, 10);
    add_number(&line, o->lo, 16);
    add_number(&line, o->hi, 16);
    add_number(&line, o->bias, 16);
    add_text(&line, *o->path ? o->path : kt_program);
    add_text(&line, o->build_id);
    define(&line);
}

/* The id of an object in the trace, defined on first use; -1 if there are too many. */
int kt_entries_object(const struct kt_loaded *o)
{
    for (int i = table.defined_count - 1; i >= 0; i--) {
        const struct defined *d = &table.defined[i];
        if (d->lo == o->lo && d->hi == o->hi && !strcmp(d->build_id, o->build_id))
            return i;
    }
    if (table.defined_count == KT_MAX_OBJECTS)
        return -1;
    struct defined *d = &table.defined[table.defined_count];
    *d = (struct defined){.lo = o->lo, .hi = o->hi};
    memcpy(d->build_id, o->build_id, sizeof d->build_id);
    define_object(o, table.defined_count);
    return table.defined_count++;
}

/* Within a slow path that may pause. */
static struct kt_convention convention_of(const struct kt_loaded *o, int id, const char *symbol)
{
    int family = kt_ask_family(symbol);
    if (!table.defined[id].is_asked[family]) {
        struct kt_convention answer = kt_ask_convention(o, symbol);
        table.defined[id].convention[family] = answer;
        table.defined[id].is_asked[family] = true;
    }
    return table.defined[id].convention[family];
}

static void define_library(const struct kt_loaded *o, int id, bool wide)
{
    static struct kt_line line;
    static char file[PATH_MAX];
    struct kt_library_answer answer = {0};
    if (!table.defined[id].is_library)
        answer = kt_ask_library(o);
    struct defined *d = &table.defined[id];
    if (d->is_library) /* before, or by another thread since */
        return;
    d->is_library = true;
    line.length = 0;
    kt_line_raw(&line, "library");
    add_number(&line, (uint64_t)id, 10);
    add_text(&line, kt_soname_of(o->soname));
    add_text(&line, answer.version);
    add_number(&line, wide ? 8 : 4, 10);
    add_number(&line, (uint64_t)answer.threads, 10);
    kt_file_real(o->path, file, sizeof file);
    add_text(&line, file);
    define(&line);
}

static void define_entry(unsigned id, const struct kt_slot *slot, const void *target, int library, bool wide)
{
    const struct kt_interface *interface = kt_names_interface(slot);
    static struct kt_line line;
    line.length = 0;
    kt_line_raw(&line, "entry");
    add_number(&line, id, 10);
    add_text(&line, kt_names_text(slot));
    add_text(&line, interface->view);
    add_text(&line, kt_texts + interface->routine);
    add_number(&line, (uint64_t)library, 10);
    add_number(&line, (uintptr_t)target, 16);
    add_text(&line, kt_texts + interface->family);
    add_number(&line, wide ? 8 : 4, 10);
    add_text(&line, !kt_names_target(slot) && kt_names_info(slot)->compiled ? "compiled" : "trampoline");
    define(&line);
}

/* 0 if there are too many entries. WIDE: as all names of the slot's kind in that library. */
static unsigned entry_of(const struct kt_slot *slot, void *target, int library, bool wide)
{
    for (unsigned i = 1; i < table.entry_count; i++)
        if (table.entry[i].slot == slot && table.entry[i].target == target && table.entry[i].library == library)
            return i;
    if (table.entry_count == MAX_ENTRIES || library < 0)
        return 0;
    unsigned id = table.entry_count++;
    table.entry[id] = (struct entry){slot, target, library};
    define_entry(id, slot, target, library, wide);
    return id;
}

unsigned kt_entries_number(const struct kt_slot *slot, void *target, const struct kt_loaded *library, int id,
                           struct kt_convention *convention)
{
    *convention = convention_of(library, id, kt_names_text(slot));
    define_library(library, id, convention->wide);
    return entry_of(slot, target, id, convention->wide);
}
