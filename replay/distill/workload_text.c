/* SPDX-License-Identifier: BSD-3-Clause */
#include "replay/distill/workload_text.h"

#include "replay/call/library.h"
#include "trace/base/memory.h"
#include "trace/read/profile.h"

#include <inttypes.h>
#include <stdio.h>

/* --- names ----------------------------------------------------------------------------------------------------- */

/* Other names may tell whose library it is. */
static const char *name_of(const struct kt_object *object)
{
    return kt_library_is_linear_algebra(object->path) ? kt_base_name(object->path) : "library";
}

static const char *soname_of(const struct kt_object *object)
{
    return object->soname && kt_library_is_linear_algebra(object->soname) ? object->soname : name_of(object);
}

static bool is_same_object(const struct kt_object *a, const struct kt_object *b)
{
    return !strcmp(name_of(a), name_of(b)) && !strcmp(a->build_id, b->build_id);
}

static size_t object_id(const struct kt_workload_names *names, const struct kt_object *object)
{
    size_t id = 0;
    while (id < names->objects && !is_same_object(names->object[id], object))
        id++;
    return id;
}

/* One that a call was bound to says more. */
static void add_object(struct kt_workload_names *names, const struct kt_object *object)
{
    size_t id = object_id(names, object);
    if (id == names->objects) {
        names->object = kt_room_for_one(names->object, names->objects, sizeof(struct kt_object *));
        names->object[names->objects++] = object;
    } else if (object->is_library) {
        names->object[id] = object;
    }
}

static bool is_same_entry(const struct kt_entry *a, const struct kt_entry *b)
{
    return !strcmp(a->symbol.name, b->symbol.name) && a->int_bytes == b->int_bytes &&
           is_same_object(a->library, b->library);
}

static void add_entry(struct kt_workload_names *names, const struct kt_entry *entry)
{
    if (!entry->symbol.routine)
        return;
    for (size_t i = 0; i < names->entries; i++)
        if (is_same_entry(names->entry[i], entry))
            return;
    names->entry = kt_room_for_one(names->entry, names->entries, sizeof(struct kt_entry *));
    names->entry[names->entries++] = entry;
}

/* In which order a program makes its first calls is nobody's business. */
static int compare_entries(const void *a, const void *b)
{
    const struct kt_entry *x = *(const struct kt_entry *const *)a;
    const struct kt_entry *y = *(const struct kt_entry *const *)b;
    int order = strcmp(x->symbol.name, y->symbol.name);
    order = order ? order : strcmp(name_of(x->library), name_of(y->library));
    order = order ? order : strcmp(x->library->build_id, y->library->build_id);
    return order ? order : (x->int_bytes > y->int_bytes) - (x->int_bytes < y->int_bytes);
}

static void add_called(const struct kt_trace *trace, const struct kt_shapes *shapes, struct kt_workload_names *names)
{
    struct kt_counts_cursor cursor;
    struct kt_counts counts;
    for (size_t i = 0; i < shapes->count; i++)
        add_entry(names, shapes->shape[i].first.entry);
    kt_counts_begin(trace, &cursor);
    while (kt_counts_next(&cursor, &counts))
        if (counts.nesting == KT_NOT_NESTED)
            add_entry(names, counts.call.entry);
    if (names->entries)
        qsort(names->entry, names->entries, sizeof(struct kt_entry *), compare_entries);
}

static uint16_t entry_id(const struct kt_workload_names *names, const struct kt_entry *entry)
{
    if (!entry->symbol.routine)
        return 0;
    for (size_t i = 0; i < names->entries; i++)
        if (is_same_entry(names->entry[i], entry))
            return (uint16_t)(i + 1);
    return 0;
}

void kt_workload_names_find(const struct kt_trace *trace, const struct kt_shapes *shapes, struct kt_workload_names *out)
{
    *out = (struct kt_workload_names){.processes = trace->processes};
    add_called(trace, shapes, out);
    out->id = kt_resize(NULL, trace->processes, sizeof *out->id);
    for (size_t p = 0; p < trace->processes; p++) {
        const struct kt_process *process = &trace->process[p];
        for (size_t i = 0; i < process->objects; i++)
            if (process->object[i].is_library || kt_library_is_linear_algebra(process->object[i].path))
                add_object(out, &process->object[i]);
        out->id[p] = kt_resize(NULL, process->entries, sizeof **out->id);
        for (size_t i = 0; i < process->entries; i++)
            out->id[p][i] = entry_id(out, &process->entry[i]);
    }
}

void kt_workload_names_free(struct kt_workload_names *names)
{
    for (size_t p = 0; p < names->processes; p++)
        free(names->id[p]);
    free(names->id);
    free(names->entry);
    free(names->object);
    *names = (struct kt_workload_names){0};
}

/* --- files ----------------------------------------------------------------------------------------------------- */

struct text {
    char *bytes;
    size_t size;
    FILE *file;
};

static FILE *begin(struct text *text)
{
    *text = (struct text){0};
    text->file = open_memstream(&text->bytes, &text->size);
    if (!text->file)
        abort();
    return text->file;
}

static char *end(struct text *text)
{
    if (fclose(text->file) != 0)
        abort();
    return text->bytes;
}

static void put_field(FILE *file, const char *text)
{
    fputc('\t', file);
    for (const unsigned char *at = (const unsigned char *)text; *at; at++)
        fprintf(file, *at < ' ' || *at > '~' || *at == '\\' ? "\\x%02x" : "%c", *at);
}

static void put_anchor(FILE *file, const struct kt_anchor *anchor)
{
    fprintf(file, "anchor\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\n", anchor->ticks, anchor->monotonic_ns,
            anchor->realtime_ns);
}

static void put_meta_of(FILE *file, const struct kt_process *process, const char *key)
{
    const char *value = kt_meta(process, key);
    if (!value)
        return;
    fputs(key, file);
    put_field(file, value);
    fputc('\n', file);
}

/* Which calls a trace has is part of what it stands for. Names that the user wrote are the user's. */
static void put_choice(FILE *file, const struct kt_trace *trace)
{
    uint64_t sample = kt_state_sample(trace);
    if (sample > 1)
        fprintf(file, "option\tSAMPLE\t%" PRIu64 "\n", sample);
    if (strcmp(kt_trace_option(trace, "ROUTINES", "*"), "*") != 0)
        fprintf(file, "option\tROUTINES\t(a choice)\n");
}

/* Of a workload, that it is made from, those that it stands for. */
static size_t processes_of(const struct kt_trace *trace)
{
    size_t count = 0;
    for (size_t i = 0; i < trace->processes; i++)
        count += trace->process[i].workload ? trace->process[i].workload : 1;
    return count;
}

char *kt_workload_meta(const struct kt_trace *trace, const struct kt_process *process,
                       const struct kt_workload_clock *clock)
{
    struct text text;
    FILE *file = begin(&text);
    fprintf(file,
            "format\tktrace\t%d\t%d\nworkload\t%d\t%zu\npid\t1\nbyte_order\tlittle\nclock\ttsc\n"
            "clock_ticks\t0\n",
            KT_FORMAT_MAJOR, KT_FORMAT_MINOR, KT_WORKLOAD_VERSION, processes_of(trace));
    put_anchor(file, &clock->first);
    fprintf(file, "began\t%.0f\n", (double)clock->first.monotonic_ns - 1e9 * clock->before);
    put_meta_of(file, process, "cpus");
    put_meta_of(file, process, "cpu_model");
    put_meta_of(file, process, "page_bytes");
    fprintf(file, "option\tNESTED\tnone\n");
    put_choice(file, trace);
    return end(&text);
}

char *kt_workload_definitions(const struct kt_workload_names *names)
{
    struct text text;
    FILE *file = begin(&text);
    for (size_t i = 0; i < names->objects; i++) {
        const struct kt_object *object = names->object[i];
        fprintf(file, "object\t%zu\t0\t0\t0", i);
        put_field(file, name_of(object));
        put_field(file, object->build_id);
        fputc('\n', file);
        if (!object->is_library)
            continue;
        fprintf(file, "library\t%zu", i);
        put_field(file, soname_of(object));
        put_field(file, object->version);
        fprintf(file, "\t%d\t%d\n", object->int_bytes, object->threads);
    }
    for (size_t i = 0; i < names->entries; i++) {
        const struct kt_entry *entry = names->entry[i];
        const struct kt_routine *routine = entry->symbol.routine;
        fprintf(file, "entry\t%zu\t%s\t%s\t%s\t%zu\t0", i + 1, entry->symbol.name, kt_view_name[entry->symbol.view],
                routine->name, object_id(names, entry->library));
        put_field(file, routine->text);
        fprintf(file, "\t%zu\tcompiled\n", entry->int_bytes);
    }
    return end(&text);
}

char *kt_workload_end(const struct kt_state *state, const struct kt_workload_clock *clock, uint64_t calls,
                      uint64_t passed)
{
    struct text text;
    FILE *file = begin(&text);
    fprintf(file, "calls\t%" PRIu64 "\nskipped\t%" PRIu64 "\npassed\t%" PRIu64 "\n", calls, state->skipped, passed);
    for (int cause = 0; cause < KT_LOSS_COUNT; cause++)
        if (state->lost[cause])
            fprintf(file, "lost\t%s\t%" PRIu64 "\n", kt_loss_name((enum kt_loss)cause), state->lost[cause]);
    put_anchor(file, &clock->last);
    return end(&text);
}

char *kt_workload_readme(void)
{
    return kt_copy("This is a workload: a small trace of BLAS and LAPACK calls that stands for a large one.\n"
                   "`ktrace distill --show` prints what is in it; every verb takes the file as a trace.\n");
}
