/* SPDX-License-Identifier: BSD-3-Clause */
#include "trace/shape/snapshots.h"

#include "trace/base/memory.h"

#include <inttypes.h>
#include <stdio.h>

/* Of one file; more is none that the shim wrote. And of what is in front of the contents. */
static const size_t most_bytes = (size_t)1 << 36;
static const size_t most_front = (size_t)1 << 16;

/* A file, or its beginning. */
struct loaded {
    unsigned char *bytes; /* owned */
    size_t count, size;   /* bytes; of the whole file */
};

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* --- files ------------------------------------------------------------------------------------------------- */

static struct loaded read_stream(FILE *file, size_t most)
{
    if (fseek(file, 0, SEEK_END) != 0)
        return (struct loaded){0};
    long end = ftell(file);
    if (end <= 0 || (size_t)end > most_bytes || fseek(file, 0, SEEK_SET) != 0)
        return (struct loaded){0};
    size_t wanted = least((size_t)end, most);
    struct loaded loaded = {.bytes = kt_resize(NULL, wanted, 1), .size = (size_t)end};
    loaded.count = fread(loaded.bytes, 1, wanted, file);
    if (loaded.count < wanted)
        loaded.size = loaded.count;
    return loaded;
}

static struct loaded read_packed(const struct kt_files *files, const char *path, size_t most)
{
    size_t size;
    const unsigned char *view = kt_files_view(files, path, &size);
    size_t count = least(size, most);
    return (struct loaded){view ? memcpy(kt_resize(NULL, count, 1), view, count) : NULL, count, size};
}

static struct loaded read_file(const struct kt_files *files, const char *path, size_t most)
{
    if (kt_files_are_packed(files))
        return read_packed(files, path, most);
    FILE *file = kt_files_regular(path);
    struct loaded loaded = file ? read_stream(file, most) : (struct loaded){0};
    if (file)
        fclose(file);
    return loaded;
}

/* --- one snapshot ------------------------------------------------------------------------------------------ */

static bool is_sound_operand(const struct kt_snapshot *s, const struct kt_snapshot_operand *operand, uint32_t arg_bytes)
{
    return operand->offset % 8 == 0 && operand->offset < arg_bytes && operand->at % 8 == 0 && operand->at <= s->size &&
           operand->bytes <= s->size - operand->at && operand->bytes <= operand->asked;
}

static bool is_sound_head(const struct kt_snapshot_head *head, const struct kt_process *process, size_t size)
{
    if (head->byte_order != KT_BYTE_ORDER || head->major != KT_FORMAT_MAJOR || head->header_bytes < sizeof *head ||
        head->header_bytes % 8 || head->header_bytes > size || head->operands > KT_MAX_PARAMS ||
        head->entry >= process->entries || !process->entry[head->entry].symbol.routine)
        return false;
    return head->arg_bytes == process->entry[head->entry].symbol.arg_bytes && head->arg_bytes % 8 == 0 &&
           head->header_bytes + (uint64_t)head->arg_bytes + head->operands * sizeof(struct kt_snapshot_operand) <= size;
}

/* Nothing is believed that was not checked. COUNT bytes are there. */
static bool parse(const struct kt_process *process, size_t count, struct kt_snapshot *s)
{
    struct kt_snapshot_head head;
    memcpy(&head, s->bytes, sizeof head);
    if (!is_sound_head(&head, process, count))
        return false;
    s->call = (struct kt_call){.process = process,
                               .tid = head.tid,
                               .entry = &process->entry[head.entry],
                               .parent = -1,
                               .args = s->bytes + head.header_bytes};
    s->operand = (const struct kt_snapshot_operand *)(const void *)(s->bytes + head.header_bytes + head.arg_bytes);
    s->operands = head.operands;
    for (unsigned i = 0; i < s->operands; i++)
        if (!is_sound_operand(s, &s->operand[i], head.arg_bytes))
            return false;
    return true;
}

static bool is_finished(const struct loaded *loaded)
{
    return loaded->bytes && loaded->count >= sizeof(struct kt_snapshot_head) &&
           !memcmp(loaded->bytes, KT_SNAPSHOT_MAGIC, strlen(KT_SNAPSHOT_MAGIC));
}

/* What is done with each file; VISIT: with its contents, which are not kept. */
struct walk {
    size_t most; /* bytes to be read. Of a file that is longer only the size is kept */
    void (*visit)(const struct kt_snapshot *, void *);
    void *context;
};

/* The contents of the file; false: not there, not finished or DAMAGED. */
static bool read_snapshot(const struct kt_process *process, uint64_t number, size_t most, struct kt_snapshot *out,
                          struct loaded *loaded, size_t *damaged)
{
    char path[4096];
    if (snprintf(path, sizeof path, "%s/o%" PRIu64, process->path, number) >= (int)sizeof path)
        return false;
    *loaded = read_file(process->files, path, most);
    *out = (struct kt_snapshot){.number = number, .bytes = loaded->bytes, .size = loaded->size};
    bool finished = is_finished(loaded);
    if (finished && parse(process, loaded->count, out))
        return true;
    *damaged += finished;
    free(loaded->bytes);
    return false;
}

static void load(const struct kt_process *process, uint64_t number, const struct walk *walk, struct kt_snapshots *out)
{
    struct kt_snapshot s;
    struct loaded loaded;
    if (!read_snapshot(process, number, walk->most, &s, &loaded, &out->damaged))
        return;
    out->bytes += s.size;
    if (walk->visit && loaded.count == loaded.size)
        walk->visit(&s, walk->context);
    if (walk->visit || loaded.count < loaded.size) {
        struct kt_call call = {.process = process, .tid = s.call.tid, .parent = -1};
        free(s.bytes);
        s = (struct kt_snapshot){.number = number, .call = call, .size = s.size};
    }
    out->snapshot = kt_room_for_one(out->snapshot, out->count, sizeof *out->snapshot);
    out->snapshot[out->count++] = s;
}

bool kt_snapshot_read(const struct kt_process *process, uint64_t number, struct kt_snapshot *out)
{
    struct loaded loaded;
    size_t damaged = 0;
    return read_snapshot(process, number, most_bytes, out, &loaded, &damaged);
}

/* --- all of them ------------------------------------------------------------------------------------------- */

static int compare_names(const void *a, const void *b)
{
    return strverscmp(*(char *const *)a, *(char *const *)b);
}

static bool is_name(const char *name, uint64_t *number)
{
    char again[32];
    *number = name[0] == 'o' ? strtoull(name + 1, NULL, 10) : 0;
    snprintf(again, sizeof again, "o%" PRIu64, *number);
    return !strcmp(name, again);
}

static void load_process(const struct kt_process *process, const struct walk *walk, struct kt_snapshots *out)
{
    uint64_t number;
    struct kt_error ignored = {0};
    struct kt_file_names names = {0};
    out->missing += process->snapshots_missing;
    if (kt_files_list(process->files, process->path, &names, &ignored) != KT_OK)
        return;
    if (names.count)
        qsort(names.name, names.count, sizeof *names.name, compare_names);
    for (size_t i = 0; i < names.count; i++)
        if (is_name(names.name[i], &number))
            load(process, number, walk, out);
    kt_file_names_free(&names);
}

static void load_trace(const struct kt_trace *trace, const struct walk *walk, struct kt_snapshots *out)
{
    *out = (struct kt_snapshots){0};
    for (size_t i = 0; i < trace->processes; i++)
        load_process(&trace->process[i], walk, out);
}

void kt_snapshots_load(const struct kt_trace *trace, struct kt_snapshots *out)
{
    load_trace(trace, &(struct walk){.most = most_bytes}, out);
}

void kt_snapshots_survey(const struct kt_trace *trace, struct kt_snapshots *out)
{
    load_trace(trace, &(struct walk){.most = most_front}, out);
}

void kt_snapshots_visit(const struct kt_trace *trace, void (*visit)(const struct kt_snapshot *, void *), void *context)
{
    struct kt_snapshots passed;
    load_trace(trace, &(struct walk){most_bytes, visit, context}, &passed);
    kt_snapshots_free(&passed);
}

void kt_snapshots_free(struct kt_snapshots *snapshots)
{
    for (size_t i = 0; i < snapshots->count; i++)
        free(snapshots->snapshot[i].bytes);
    free(snapshots->snapshot);
    *snapshots = (struct kt_snapshots){0};
}

const unsigned char *kt_snapshot_contents(const struct kt_snapshot *s, const struct kt_param *param, uint64_t *bytes)
{
    for (unsigned i = 0; i < s->operands; i++)
        if (s->operand[i].offset == param->offset) {
            *bytes = s->operand[i].bytes;
            return s->bytes + s->operand[i].at;
        }
    *bytes = 0;
    return NULL;
}

static const struct kt_param *param_of(const struct kt_symbol *symbol, int i)
{
    for (int p = 0; p < symbol->params; p++)
        if (symbol->param[p].stored == KT_ADDRESS && i-- == 0)
            return &symbol->param[p];
    return NULL;
}

const unsigned char *kt_snapshot_operand(const struct kt_snapshot *s, int i, uint64_t *bytes)
{
    const struct kt_param *param = param_of(&s->call.entry->symbol, i);
    *bytes = 0;
    return param ? kt_snapshot_contents(s, param, bytes) : NULL;
}
