/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Opens a trace: finds its processes, which trace/read/process_read.c reads, in directories, packed files, jobs of
 * several. A process that cannot be read is an error only if it is the only one.
 */
#include "trace/read/reader.h"

#include "trace/base/memory.h"
#include "trace/files/numbered.h"
#include "trace/read/families.h"
#include "trace/read/origin.h"
#include "trace/read/process_read.h"

#include <search.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_NOTES = 100 };

void kt_trace_note(struct kt_trace *trace, const char *format, ...)
{
    char text[2048];
    va_list list;
    if (trace->notes == MAX_NOTES)
        return;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    kt_one_line(text);
    trace->note = kt_room_for_one(trace->note, trace->notes, sizeof *trace->note);
    bool last = trace->notes == MAX_NOTES - 1;
    trace->note[trace->notes++] = kt_copy(last ? "there is more damage than is listed here" : text);
}

/* --- processes --------------------------------------------------------------------------------------------- */

/* No two processes have the same id and read the same clocks: a copy, such as one in a merged trace. */
struct met {
    uint32_t pid;
    const char *anchor, *boot; /* borrowed from the process */
    size_t process;
};

static int compare_met(const void *a, const void *b)
{
    const struct met *x = a;
    const struct met *y = b;
    if (x->pid != y->pid)
        return x->pid < y->pid ? -1 : 1;
    int order = strcmp(x->anchor, y->anchor);
    return order ? order : strcmp(x->boot, y->boot);
}

/* Adds P, the next process of the trace, unless it was met: then returns the one that it is a copy of. */
static const struct kt_process *meet(struct kt_trace *trace, const struct kt_process *p)
{
    const char *boot = kt_meta(p, "boot_id");
    if (!boot)
        return NULL;
    struct met *met = kt_resize(NULL, 1, sizeof *met);
    *met = (struct met){p->pid, kt_meta(p, "anchor"), boot, trace->processes};
    struct met **found = tsearch(met, &trace->met, compare_met);
    if (!found)
        abort();
    if (*found == met)
        return NULL;
    free(met);
    return &trace->process[(*found)->process];
}

/* Takes ownership of PATH. An unusable process is noted; what the system refuses is an error at once. */
static enum kt_status add_process(struct kt_trace *trace, const struct kt_files *files, char *path,
                                  struct kt_error *error)
{
    struct kt_error cause = {0};
    struct kt_process p = {.path = path, .files = files};
    trace->process = kt_room_for_one(trace->process, trace->processes, sizeof *trace->process);
    enum kt_status status = kt_process_read(&p, trace, &cause);
    const struct kt_process *same = status == KT_OK ? meet(trace, &p) : NULL;
    if (status == KT_OK && !same) {
        p.number = trace->processes;
        trace->process[trace->processes++] = p;
        return KT_OK;
    }
    if (same)
        kt_trace_note(trace, "%s: is the same process as %s and left out", p.path, same->path);
    kt_process_free(&p);
    if (same)
        return KT_OK;
    kt_fail(error, status, "%s", cause.text);
    kt_trace_note(trace, "%s; the process is ignored", cause.text);
    return status == KT_SYSTEM ? KT_SYSTEM : KT_OK;
}

/* --- traces ------------------------------------------------------------------------------------------------ */

static enum kt_status no_process(const char *path, const struct kt_numbered *names, struct kt_error *error)
{
    if (names->others == 0)
        return kt_fail(error, KT_BAD_INPUT, "%s: empty: no process has recorded a call here", path);
    return kt_fail(error, KT_BAD_INPUT, "%s: not a trace: there is no process directory p<PID> in it", path);
}

/* Adds the processes of one directory; those that cannot be used leave their cause in FIRST. */
static enum kt_status add_processes(struct kt_trace *trace, const struct kt_files *files, const char *directory,
                                    const struct kt_numbered *names, struct kt_error *first)
{
    enum kt_status status = KT_OK;
    for (size_t i = 0; i < names->count && status == KT_OK; i++)
        status = add_process(trace, files, kt_path_join(directory, names->name[i].text), first);
    trace->traces++;
    return status;
}

static enum kt_status add_path(struct kt_trace *trace, const char *path, struct kt_error *error);

static bool is_packed_name(const char *path)
{
    size_t length = strlen(path);
    size_t suffix = strlen(KT_PACKED_SUFFIX);
    return length > suffix && !strcmp(path + length - suffix, KT_PACKED_SUFFIX);
}

/* One that cannot be used is noted, as a process is. */
static enum kt_status add_packed_of_job(struct kt_trace *trace, const char *path, struct kt_error *first)
{
    struct kt_error cause = {0};
    enum kt_status status = add_path(trace, path, &cause);
    if (status == KT_OK)
        return KT_OK;
    kt_fail(first, status, "%s", cause.text);
    kt_trace_note(trace, "%s; it is ignored", cause.text);
    return status == KT_SYSTEM ? KT_SYSTEM : KT_OK;
}

/* A trace of a job that is kept in a directory with the others; other files there are none of our business. */
static enum kt_status add_trace_of_job(struct kt_trace *trace, const struct kt_files *files, const char *path,
                                       struct kt_error *first)
{
    struct kt_numbered names = {0};
    struct kt_error ignored = {0};
    enum kt_status status = KT_OK;
    if (kt_files_is_directory(files, path)) {
        if (kt_numbered_list(files, path, 'p', &names, &ignored) == KT_OK && names.count)
            status = add_processes(trace, files, path, &names, first);
        free(names.name);
    } else if (is_packed_name(path) && !kt_files_are_packed(files)) {
        status = add_packed_of_job(trace, path, first);
    }
    return status;
}

static int compare_versions(const void *a, const void *b)
{
    return strverscmp(*(char *const *)a, *(char *const *)b);
}

static enum kt_status add_job(struct kt_trace *trace, const struct kt_files *files, const char *path,
                              struct kt_error *first)
{
    struct kt_file_names names;
    KT_TRY(kt_files_list(files, path, &names, first));
    enum kt_status status = KT_OK;
    if (names.count)
        qsort(names.name, names.count, sizeof *names.name, compare_versions);
    for (size_t i = 0; i < names.count && status == KT_OK; i++) {
        char *member = kt_path_join(path, names.name[i]);
        status = add_trace_of_job(trace, files, member, first);
        free(member);
    }
    kt_file_names_free(&names);
    return status;
}

static enum kt_status add_directory(struct kt_trace *trace, const struct kt_files *files, const char *path,
                                    struct kt_error *error)
{
    struct kt_numbered names;
    struct kt_error first = {0};
    size_t before = trace->processes;
    size_t traces = trace->traces;
    KT_TRY(kt_numbered_list(files, path, 'p', &names, error));
    enum kt_status status =
        names.count ? add_processes(trace, files, path, &names, &first) : add_job(trace, files, path, &first);
    if (status == KT_OK && trace->traces == traces)
        status = no_process(path, &names, error);
    free(names.name);
    if (status == KT_SYSTEM || (status == KT_OK && trace->processes == before && first.status != KT_OK))
        return kt_fail(error, first.status, "%s", first.text);
    return status;
}

bool kt_is_workload(const struct kt_trace *trace)
{
    for (size_t i = 0; i < trace->processes; i++)
        if (trace->process[i].workload)
            return true;
    return false;
}

/* Of a trace what is left is told; a part of a workload would not stand for what it says. */
static enum kt_status check_workload(const struct kt_trace *trace, const struct kt_files *files, const char *path,
                                     struct kt_error *error)
{
    for (size_t i = 0; kt_files_damage(files) && i < trace->processes; i++)
        if (trace->process[i].files == files && trace->process[i].workload)
            return kt_fail(error, KT_BAD_INPUT, "%s: is damaged or cut off, and a part of a workload tells nothing",
                           path);
    return KT_OK;
}

/* Takes ownership of FILES. */
static enum kt_status add_files(struct kt_trace *trace, struct kt_files *files, const char *path,
                                struct kt_error *error)
{
    trace->files = kt_room_for_one(trace->files, trace->opened, sizeof *trace->files);
    trace->files[trace->opened++] = files;
    if (kt_files_damage(files))
        kt_trace_note(trace, "%s", kt_files_damage(files));
    if (!kt_is_in(files, path, "meta")) {
        KT_TRY(add_directory(trace, files, path, error));
        return check_workload(trace, files, path, error);
    }
    struct kt_error cause = {0};
    size_t before = trace->processes;
    add_process(trace, files, kt_copy(path), &cause);
    trace->traces++;
    return trace->processes > before || cause.status == KT_OK ? KT_OK : kt_fail(error, cause.status, "%s", cause.text);
}

static enum kt_status add_path(struct kt_trace *trace, const char *path, struct kt_error *error)
{
    struct kt_files *files;
    struct kt_error cause = {0};
    KT_TRY(kt_files_open(path, &files, error));
    size_t before = trace->processes;
    enum kt_status status = add_files(trace, files, path, &cause);
    if (status == KT_OK)
        return KT_OK;
    kt_fail(error, status, "%s", kt_files_damage(files) ? kt_files_damage(files) : cause.text);
    if (trace->processes == before && trace->files[trace->opened - 1] == files)
        kt_files_close(trace->files[--trace->opened]);
    return status;
}

/* When all processes are known. */
static void finish(struct kt_trace *trace)
{
    tdestroy(trace->met, free);
    trace->met = NULL;
    kt_processes_align(trace->process, trace->processes);
}

enum kt_status kt_trace_open_all(char *const *path, size_t paths, struct kt_trace *out, struct kt_error *error)
{
    enum kt_status status = KT_OK;
    *out = (struct kt_trace){.path = kt_path_without_slashes(path[0]), .families = kt_families_new()};
    for (size_t i = 0; i < paths && status == KT_OK; i++) {
        char *clean = kt_path_without_slashes(path[i]);
        status = add_path(out, clean, error);
        free(clean);
    }
    finish(out);
    return status;
}

enum kt_status kt_trace_open(const char *path, struct kt_trace *out, struct kt_error *error)
{
    char *copy = kt_copy(path);
    enum kt_status status = kt_trace_open_all(&copy, 1, out, error);
    free(copy);
    return status;
}

enum kt_status kt_trace_open_files(struct kt_files *files, const char *path, struct kt_trace *out,
                                   struct kt_error *error)
{
    *out = (struct kt_trace){.path = kt_copy(path), .families = kt_families_new()};
    enum kt_status status = add_files(out, files, path, error);
    finish(out);
    return status;
}

void kt_trace_close(struct kt_trace *trace)
{
    for (size_t i = trace->processes; i-- > 0;)
        kt_process_free(&trace->process[i]);
    for (size_t i = 0; i < trace->opened; i++)
        kt_files_close(trace->files[i]);
    free(trace->files);
    kt_families_free(trace->families);
    for (size_t i = 0; i < trace->notes; i++)
        free(trace->note[i]);
    free(trace->process);
    free(trace->note);
    free(trace->path);
    *trace = (struct kt_trace){0};
}

/* The value of a line "option NAME VALUE", or NULL. */
const char *kt_process_option(const struct kt_process *p, const char *name)
{
    size_t length = strlen(name);
    for (size_t i = 0; i < p->metas; i++)
        if (!strcmp(p->meta[i].key, "option") && !strncmp(p->meta[i].value, name, length) &&
            p->meta[i].value[length] == '\t')
            return p->meta[i].value + length + 1;
    return NULL;
}

const char *kt_trace_option(const struct kt_trace *trace, const char *name, const char *fallback)
{
    for (size_t i = 0; i < trace->processes; i++) {
        const char *value = kt_process_option(&trace->process[i], name);
        if (value && strcmp(value, fallback) != 0)
            return value;
    }
    return fallback;
}

const char *kt_region_name(const struct kt_process *process, uint32_t id)
{
    bool named = id < process->region_names && *process->region_name[id];
    return named ? process->region_name[id] : "(no name)";
}

const struct kt_source_line *kt_source_line(const struct kt_process *process, uint32_t id)
{
    return id < process->sources && process->source[id].file ? &process->source[id] : NULL;
}

/* Where files were loaded one after the other at the same place, the last one counts. */
const struct kt_object *kt_object_at(const struct kt_process *process, uint64_t address)
{
    for (size_t i = process->objects; i-- > 0;)
        if (address >= process->object[i].lo && address < process->object[i].hi)
            return &process->object[i];
    return NULL;
}
