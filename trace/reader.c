/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Opens a trace: finds its processes, reads their text files, has their streams checked (trace/stream.c) and works
 * out their clocks. A process that cannot be read is an error only if it is the only one.
 */
#include "trace/reader.h"

#include "ktrace/clock.h"
#include "trace/lines.h"
#include "trace/memory.h"
#include "trace/stream.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { MAX_NOTES = 100, MAX_IDS = 1 << 16, MAX_FIELDS = 10, LEVELS = 64 };

static const struct kt_object unknown_object = {
    .path = "", .build_id = "", .soname = "", .version = "", .int_bytes = 4};

void kt_trace_note(struct kt_trace *trace, const char *format, ...)
{
    char text[2048];
    va_list list;
    if (trace->notes == MAX_NOTES)
        return;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    trace->note = kt_room_for_one(trace->note, trace->notes, sizeof *trace->note);
    bool last = trace->notes == MAX_NOTES - 1;
    trace->note[trace->notes++] = kt_copy(last ? "there is more damage than is listed here" : text);
}

/* --- names in directories ---------------------------------------------------------------------------------- */

/* A file or directory called LETTER NUMBER or LETTER NUMBER . SUFFIX. */
struct name {
    uint64_t number, suffix;
    char text[48];
};

struct names {
    struct name *name;
    size_t count;
    size_t others;
};

static bool parse_name(const char *text, char letter, struct name *out)
{
    char *end;
    if (*text != letter || !isdigit((unsigned char)text[1]) || strlen(text) >= sizeof out->text)
        return false;
    *out = (struct name){.number = strtoull(text + 1, &end, 10)};
    if (*end == '.' && isdigit((unsigned char)end[1]))
        out->suffix = strtoull(end + 1, &end, 10);
    strcpy(out->text, text);
    return *end == '\0' && out->number <= UINT32_MAX;
}

static int compare_names(const void *a, const void *b)
{
    const struct name *x = a;
    const struct name *y = b;
    if (x->number != y->number)
        return x->number < y->number ? -1 : 1;
    return (x->suffix > y->suffix) - (x->suffix < y->suffix);
}

/* The names of that kind in a directory, in the order of their numbers. */
static enum kt_status list_names(const char *path, char letter, struct names *out, struct kt_error *error)
{
    *out = (struct names){0};
    DIR *directory = opendir(path);
    if (!directory)
        return kt_fail(error, KT_SYSTEM, "%s: cannot be read: %s", path, strerror(errno));
    for (const struct dirent *entry = readdir(directory); entry; entry = readdir(directory)) {
        struct name name;
        if (!parse_name(entry->d_name, letter, &name)) {
            out->others += entry->d_name[0] != '.';
            continue;
        }
        out->name = kt_room_for_one(out->name, out->count, sizeof *out->name);
        out->name[out->count++] = name;
    }
    closedir(directory);
    if (out->count)
        qsort(out->name, out->count, sizeof *out->name, compare_names);
    return KT_OK;
}

static char *join(const char *directory, const char *name)
{
    char *path = kt_resize(NULL, strlen(directory) + strlen(name) + 2, 1);
    sprintf(path, "%s/%s", directory, name);
    return path;
}

static bool exists(const char *directory, const char *name)
{
    char *path = join(directory, name);
    bool found = access(path, F_OK) == 0;
    free(path);
    return found;
}

/* --- meta -------------------------------------------------------------------------------------------------- */

static void add_meta(struct kt_process *p, char *line)
{
    char *field[2];
    if (kt_lines_split(line, field, 2) != 2)
        return;
    p->meta = kt_room_for_one(p->meta, p->metas, sizeof *p->meta);
    p->meta[p->metas++] = (struct kt_pair){kt_copy(field[0]), kt_copy(kt_unescape(field[1]))};
}

const char *kt_meta(const struct kt_process *process, const char *key)
{
    for (size_t i = 0; i < process->metas; i++)
        if (!strcmp(process->meta[i].key, key))
            return process->meta[i].value;
    return NULL;
}

static double meta_number(const struct kt_process *p, const char *key)
{
    const char *value = kt_meta(p, key);
    double number = value ? strtod(value, NULL) : 0;
    return isfinite(number) && number > 0 ? number : 0;
}

static bool parse_anchor(const char *text, struct kt_anchor *out)
{
    return text && sscanf(text, "%" SCNu64 "\t%" SCNu64 "\t%" SCNu64, &out->ticks, &out->monotonic_ns,
                          &out->realtime_ns) == 3;
}

/* What everything else hangs on. The format comes first: of another version nothing more may be assumed. */
static enum kt_status check_meta(const struct kt_process *p, struct kt_error *error)
{
    static const char *const needed[] = {"pid", "byte_order", "clock", "anchor"};
    int major;
    const char *format = kt_meta(p, "format");
    if (!format || sscanf(format, "ktrace\t%d", &major) != 1)
        return kt_fail(error, KT_BAD_INPUT, "%s/meta: is empty, cut short or not from ktrace: it has no format line",
                       p->path);
    if (major != KT_FORMAT_MAJOR)
        return kt_fail(error, KT_BAD_INPUT, "%s/meta: format version %d; this ktrace reads version %d", p->path, major,
                       KT_FORMAT_MAJOR);
    for (size_t i = 0; i < sizeof needed / sizeof *needed; i++)
        if (!kt_meta(p, needed[i]))
            return kt_fail(error, KT_BAD_INPUT, "%s/meta: is cut short or damaged: the %s line is missing", p->path,
                           needed[i]);
    if (strcmp(kt_meta(p, "byte_order"), "little") != 0)
        return kt_fail(error, KT_BAD_INPUT, "%s/meta: byte order %.32s; this ktrace reads little-endian traces",
                       p->path, kt_meta(p, "byte_order"));
    struct kt_anchor anchor;
    if (!parse_anchor(kt_meta(p, "anchor"), &anchor))
        return kt_fail(error, KT_BAD_INPUT, "%s/meta: the anchor line does not hold three numbers", p->path);
    return KT_OK;
}

static enum kt_status read_meta(struct kt_process *p, struct kt_trace *trace, struct kt_error *error)
{
    struct kt_lines lines;
    char *path = join(p->path, "meta");
    enum kt_status status = kt_lines_load(path, &lines, error);
    free(path);
    if (status != KT_OK)
        return status;
    trace->bytes += lines.bytes;
    for (char *line = kt_lines_next(&lines); line; line = kt_lines_next(&lines))
        add_meta(p, line);
    kt_lines_free(&lines);
    KT_TRY(check_meta(p, error));
    p->pid = (uint32_t)meta_number(p, "pid");
    p->clock_ticks = meta_number(p, "clock_ticks");
    return KT_OK;
}

/* --- definitions ------------------------------------------------------------------------------------------- */

/* An entry line; its symbol is made when all routines are known, as the table moves while it grows. */
struct draft {
    unsigned long id, library;
    size_t routine; /* index in the table */
    enum kt_view view;
    char symbol[2 * KT_NAME];
};

struct definitions {
    struct kt_process *process;
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
        p->object[p->objects++] = (struct kt_object){.path = kt_copy(""), .build_id = kt_copy(""),
                                                     .soname = kt_copy(""), .version = kt_copy(""), .int_bytes = 4};
    }
    return &p->object[id];
}

static const char *define_object(struct definitions *d, char **field)
{
    unsigned long id, lo, hi, bias;
    if (!parse_number(field[1], 10, MAX_IDS - 1, &id))
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
    return NULL;
}

static bool find_routine(const struct kt_table *table, const char *name, const char *family, size_t *out)
{
    for (size_t i = 0; i < table->count; i++)
        if (!strcmp(table->routine[i].name, name) && !strcmp(table->routine[i].text, family)) {
            *out = i;
            return true;
        }
    return false;
}

/* Adds all routines of a family line; a damaged line costs only its own routines. */
static bool add_family(struct kt_table *table, const char *family)
{
    struct kt_table one;
    struct kt_error ignored = {0};
    if (kt_table_parse(family, "family", &one, &ignored) != KT_OK) {
        kt_table_free(&one);
        return false;
    }
    if (one.count) {
        table->routine = kt_resize(table->routine, table->count + one.count, sizeof *table->routine);
        memcpy(table->routine + table->count, one.routine, one.count * sizeof *one.routine);
        table->count += one.count;
    }
    free(one.routine); /* what it points to now belongs to the table */
    return true;
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

static const char *define_entry(struct definitions *d, char **field)
{
    struct draft draft;
    struct kt_table *table = &d->process->table;
    const char *family = kt_unescape(field[7]);
    if (!parse_number(field[1], 10, MAX_IDS - 1, &draft.id))
        return "the id is not a small number";
    if (strlen(kt_unescape(field[2])) >= sizeof draft.symbol)
        return "the symbol is too long";
    strcpy(draft.symbol, field[2]);
    if (!find_view(field[3], &draft.view))
        return "the view is neither fortran nor cblas";
    if (!parse_number(field[5], 10, ULONG_MAX, &draft.library) || draft.library >= d->process->objects ||
        !d->process->object[draft.library].is_library)
        return "the library is not defined";
    if (!find_routine(table, field[4], family, &draft.routine) &&
        !(add_family(table, family) && find_routine(table, field[4], family, &draft.routine)))
        return "the description of the routine cannot be understood";
    if (draft.view == KT_CBLAS && !table->routine[draft.routine].cblas)
        return "the routine has no CBLAS interface";
    d->draft = kt_room_for_one(d->draft, d->drafts, sizeof *d->draft);
    d->draft[d->drafts++] = draft;
    return NULL;
}

static const struct {
    const char *word;
    size_t fields;
    const char *(*define)(struct definitions *d, char **field); /* returns what is wrong, or NULL */
} kinds[] = {{"object", 7, define_object}, {"library", 6, define_library}, {"entry", 8, define_entry}};

/* Lines of kinds that a later minor version may add are no concern of ours. */
static const char *define(struct definitions *d, char *line)
{
    char *field[MAX_FIELDS];
    size_t count = kt_lines_split(line, field, MAX_FIELDS);
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (!strcmp(field[0], kinds[i].word))
            return count < kinds[i].fields ? "fields are missing" : kinds[i].define(d, field);
    return NULL;
}

static void make_entry(struct kt_process *p, const struct draft *draft)
{
    struct kt_entry *entry = &p->entry[draft->id];
    kt_symbol_make(&p->table.routine[draft->routine], draft->view, &entry->symbol);
    strcpy(entry->symbol.name, draft->symbol);
    entry->library = &p->object[draft->library];
}

static void make_entries(struct definitions *d)
{
    struct kt_process *p = d->process;
    for (size_t i = 0; i < d->drafts; i++)
        p->entries = d->draft[i].id >= p->entries ? d->draft[i].id + 1 : p->entries;
    p->entry = kt_resize(NULL, p->entries, sizeof *p->entry);
    for (size_t i = 0; i < p->entries; i++)
        p->entry[i] = (struct kt_entry){.library = &unknown_object};
    for (size_t i = 0; i < d->drafts; i++)
        make_entry(p, &d->draft[i]);
    free(d->draft);
}

static enum kt_status read_definitions(struct kt_process *p, struct kt_trace *trace, struct kt_error *error)
{
    struct definitions d = {.process = p};
    struct kt_lines lines;
    char *path = join(p->path, "definitions");
    enum kt_status status = kt_lines_load(path, &lines, error);
    if (status == KT_OK) {
        trace->bytes += lines.bytes;
        for (char *line = kt_lines_next(&lines); line; line = kt_lines_next(&lines)) {
            const char *problem = define(&d, line);
            if (problem)
                kt_trace_note(trace, "%s:%d: %s; the line is ignored", path, lines.number, problem);
        }
        if (p->complete && kt_lines_left(&lines))
            kt_trace_note(trace, "%s: the last line is cut off", path);
        kt_lines_free(&lines);
    }
    free(path);
    make_entries(&d);
    return status;
}

/* --- end --------------------------------------------------------------------------------------------------- */

struct totals {
    uint64_t calls;
    uint64_t lost[KT_LOSS_COUNT];
    struct kt_anchor anchor;
    bool has_anchor;
};

static void take_loss(struct totals *totals, const char *text)
{
    static const char *const name[] = {
#define KT_LOSS_NAME(name, text) #name,
        KT_LOSSES(KT_LOSS_NAME)
#undef KT_LOSS_NAME
    };
    for (int i = 0; i < KT_LOSS_COUNT; i++) {
        size_t length = strlen(name[i]);
        if (!strncmp(text, name[i], length) && text[length] == '\t')
            totals->lost[i] = strtoull(text + length + 1, NULL, 10);
    }
}

static void take_end_line(struct totals *totals, char *line)
{
    char *field[2];
    if (kt_lines_split(line, field, 2) != 2)
        return;
    if (!strcmp(field[0], "calls"))
        totals->calls = strtoull(field[1], NULL, 10);
    if (!strcmp(field[0], "lost"))
        take_loss(totals, field[1]);
    if (!strcmp(field[0], "anchor"))
        totals->has_anchor = parse_anchor(field[1], &totals->anchor);
}

/* Only a process that ended cleanly has this file. */
static enum kt_status read_end(struct kt_process *p, struct kt_trace *trace, struct totals *totals,
                               struct kt_error *error)
{
    struct kt_lines lines;
    char *path = join(p->path, "end");
    *totals = (struct totals){0};
    enum kt_status status = kt_lines_load(path, &lines, error);
    if (status == KT_OK) {
        trace->bytes += lines.bytes;
        for (char *line = kt_lines_next(&lines); line; line = kt_lines_next(&lines))
            take_end_line(totals, line);
        if (!totals->has_anchor)
            kt_trace_note(trace, "%s: is empty or cut short", path);
        kt_lines_free(&lines);
    }
    free(path);
    return status;
}

/* --- is it still running? ---------------------------------------------------------------------------------- */

static bool read_line_of(const char *path, char *out, size_t size)
{
    FILE *file = fopen(path, "r");
    bool fine = file && fgets(out, (int)size, file);
    if (file)
        fclose(file);
    if (fine)
        out[strcspn(out, "\n")] = '\0';
    return fine;
}

static bool meta_is(const struct kt_process *p, const char *key, const char *value)
{
    const char *is = kt_meta(p, key);
    return is && !strcmp(is, value);
}

static bool same_boot(const struct kt_process *p)
{
    char boot[64];
    char host[256] = "";
    gethostname(host, sizeof host - 1);
    return read_line_of("/proc/sys/kernel/random/boot_id", boot, sizeof boot) && meta_is(p, "boot_id", boot) &&
           meta_is(p, "host", host);
}

/* Fields 3 (state) and 22 (start time) of the kernel's line; the second, the name, may hold blanks and brackets. */
static bool is_running(const struct kt_process *p)
{
    char path[64];
    char line[1024];
    char state;
    char start[32];
    snprintf(path, sizeof path, "/proc/%" PRIu32 "/stat", p->pid);
    if (!same_boot(p) || !read_line_of(path, line, sizeof line))
        return false;
    const char *after_name = strrchr(line, ')');
    if (!after_name || sscanf(after_name + 1, " %c %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s"
                                              " %*s %*s %31s", &state, start) != 2)
        return false;
    return state != 'Z' && state != 'X' && meta_is(p, "start_time", start);
}

/* --- the clock --------------------------------------------------------------------------------------------- */

static uint64_t monotonic_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* Ticks per second of this machine's clock. */
static double calibrate(void)
{
    const struct timespec pause = {0, 20000000};
    uint64_t ns = monotonic_ns();
    uint64_t ticks = kt_clock_start();
    nanosleep(&pause, NULL);
    ns = monotonic_ns() - ns;
    ticks = kt_clock_start() - ticks;
    return (double)ticks / (double)ns * 1e9;
}

/* The later of the anchors is the end's or, without one, a chunk's. */
static struct kt_anchor last_anchor(const struct kt_process *p, const struct totals *totals)
{
    struct kt_anchor last = totals->anchor;
    for (size_t i = 0; i < p->streams && !totals->has_anchor; i++)
        if (p->stream[i].anchor.monotonic_ns > last.monotonic_ns)
            last = p->stream[i].anchor;
    return last;
}

static double find_tick_hz(const struct kt_process *p, const struct kt_anchor *first, const struct kt_anchor *last,
                           struct kt_trace *trace)
{
    static const double shortest_ns = 1e6; /* anchors are good to about 100 ns */
    if (meta_is(p, "clock", "monotonic"))
        return 1e9;
    double ns = (double)(int64_t)(last->monotonic_ns - first->monotonic_ns);
    double hz = (double)(int64_t)(last->ticks - first->ticks) / ns * 1e9;
    bool possible = ns > 0 && hz > 1e6 && hz < 1e11;
    if (possible && ns >= shortest_ns)
        return hz;
    if (same_boot(p) && meta_is(p, "clock", KT_CLOCK_NAME))
        return calibrate();
    kt_trace_note(trace, "%s: too short, on another machine, to tell how fast its clock ticked; %s", p->path,
                  possible ? "times are estimates" : "a tick counts as a nanosecond");
    return possible ? hz : 1e9;
}

static void set_clock(struct kt_process *p, const struct totals *totals, struct kt_trace *trace)
{
    struct kt_anchor first;
    parse_anchor(kt_meta(p, "anchor"), &first);
    struct kt_anchor last = last_anchor(p, totals);
    p->tick_hz = find_tick_hz(p, &first, &last, trace);
    uint64_t end = last.ticks;
    for (size_t i = 0; i < p->streams && !totals->has_anchor; i++)
        if (p->stream[i].last_ticks > end)
            end = p->stream[i].last_ticks;
    p->seconds = end > first.ticks ? (double)(end - first.ticks) / p->tick_hz : 0;
}

/* --- processes --------------------------------------------------------------------------------------------- */

static enum kt_status load_streams(struct kt_process *p, struct kt_trace *trace, struct kt_error *error)
{
    struct names names;
    KT_TRY(list_names(p->path, 't', &names, error));
    enum kt_status status = KT_OK;
    p->stream = kt_resize(NULL, names.count, sizeof *p->stream);
    for (size_t i = 0; i < names.count && status == KT_OK; i++) {
        char *path = join(p->path, names.name[i].text);
        struct kt_stream *stream = &p->stream[p->streams++];
        status = kt_stream_load(path, p->running, stream, error);
        stream->tid = (uint32_t)names.name[i].number;
        trace->bytes += stream->size;
        free(path);
    }
    free(names.name);
    return status;
}

static void check_streams(struct kt_process *p, struct kt_trace *trace)
{
    for (size_t i = 0; i < p->streams; i++)
        kt_stream_check(&p->stream[i], p, trace);
}

/* Losses: a chunk's head counts those of its thread, the end file those of the process. */
static void set_totals(struct kt_process *p, const struct totals *totals, struct kt_trace *trace)
{
    uint64_t completed = 0;
    for (size_t i = 0; i < p->streams; i++) {
        completed += p->stream[i].completed;
        for (int cause = 0; cause < KT_LOSS_COUNT; cause++)
            p->lost[cause] += p->stream[i].lost[cause];
    }
    for (int cause = 0; cause < KT_LOSS_COUNT; cause++)
        if (totals->lost[cause] > p->lost[cause])
            p->lost[cause] = totals->lost[cause];
    if (totals->calls > completed)
        kt_trace_note(trace, "%s: %" PRIu64 " of %" PRIu64 " calls cannot be read", p->path, totals->calls - completed,
                      totals->calls);
}

/* A running process defines symbols before it records calls of them: its streams are copied first. */
static enum kt_status open_process(struct kt_process *p, struct kt_trace *trace, struct kt_error *error)
{
    struct totals totals = {0};
    KT_TRY(read_meta(p, trace, error));
    p->complete = exists(p->path, "end");
    p->running = !p->complete && is_running(p);
    if (p->complete)
        KT_TRY(read_end(p, trace, &totals, error));
    KT_TRY(load_streams(p, trace, error));
    KT_TRY(read_definitions(p, trace, error));
    check_streams(p, trace);
    set_totals(p, &totals, trace);
    set_clock(p, &totals, trace);
    return KT_OK;
}

static void close_process(struct kt_process *p)
{
    for (size_t i = 0; i < p->metas; i++) {
        free(p->meta[i].key);
        free(p->meta[i].value);
    }
    for (size_t i = 0; i < p->objects; i++) {
        free(p->object[i].path);
        free(p->object[i].build_id);
        free(p->object[i].soname);
        free(p->object[i].version);
    }
    for (size_t i = 0; i < p->streams; i++)
        kt_stream_free(&p->stream[i]);
    kt_table_free(&p->table);
    free(p->path);
    free(p->meta);
    free(p->object);
    free(p->entry);
    free(p->stream);
}

/* Takes ownership of PATH. An unusable process is noted; what the system refuses is an error at once. */
static enum kt_status add_process(struct kt_trace *trace, char *path, struct kt_error *error)
{
    struct kt_error cause = {0};
    struct kt_process p = {.path = path};
    trace->process = kt_room_for_one(trace->process, trace->processes, sizeof *trace->process);
    enum kt_status status = open_process(&p, trace, &cause);
    if (status == KT_OK) {
        trace->process[trace->processes++] = p;
        return KT_OK;
    }
    close_process(&p);
    kt_fail(error, status, "%s", cause.text);
    kt_trace_note(trace, "%s; the process is ignored", cause.text);
    return status == KT_SYSTEM ? KT_SYSTEM : KT_OK;
}

/* --- traces ------------------------------------------------------------------------------------------------ */

static enum kt_status check_path(const char *path, struct kt_error *error)
{
    struct stat st;
    if (stat(path, &st) != 0) {
        enum kt_status status = errno == ENOENT || errno == ENOTDIR ? KT_BAD_INPUT : KT_SYSTEM;
        return kt_fail(error, status, "%s: %s", path, strerror(errno));
    }
    if (!S_ISDIR(st.st_mode))
        return kt_fail(error, KT_BAD_INPUT, "%s: not a trace: a trace is a directory", path);
    return KT_OK;
}

static enum kt_status no_process(const char *path, const struct names *names, struct kt_error *error)
{
    if (names->others == 0)
        return kt_fail(error, KT_BAD_INPUT, "%s: empty: no process has recorded a call here", path);
    return kt_fail(error, KT_BAD_INPUT, "%s: not a trace: there is no process directory p<PID> in it", path);
}

static enum kt_status open_processes(struct kt_trace *trace, struct kt_error *error)
{
    struct names names;
    struct kt_error first = {0};
    KT_TRY(list_names(trace->path, 'p', &names, error));
    enum kt_status status = names.count ? KT_OK : no_process(trace->path, &names, error);
    for (size_t i = 0; i < names.count && status == KT_OK; i++)
        status = add_process(trace, join(trace->path, names.name[i].text), &first);
    free(names.name);
    if (status == KT_SYSTEM || (status == KT_OK && trace->processes == 0))
        return kt_fail(error, first.status, "%s", first.text);
    return status;
}

enum kt_status kt_trace_open(const char *path, struct kt_trace *out, struct kt_error *error)
{
    *out = (struct kt_trace){.path = kt_copy(path)};
    size_t length = strlen(out->path);
    while (length > 1 && out->path[length - 1] == '/')
        out->path[--length] = '\0';
    KT_TRY(check_path(out->path, error));
    if (!exists(out->path, "meta"))
        return open_processes(out, error);
    struct kt_error cause = {0};
    add_process(out, kt_copy(out->path), &cause);
    return out->processes ? KT_OK : kt_fail(error, cause.status, "%s", cause.text);
}

void kt_trace_close(struct kt_trace *trace)
{
    for (size_t i = 0; i < trace->processes; i++)
        close_process(&trace->process[i]);
    for (size_t i = 0; i < trace->notes; i++)
        free(trace->note[i]);
    free(trace->process);
    free(trace->note);
    free(trace->path);
    *trace = (struct kt_trace){0};
}

/* --- calls ------------------------------------------------------------------------------------------------- */

static void forget_open(struct kt_cursor *cursor, size_t from)
{
    for (size_t i = from; i < LEVELS; i++)
        cursor->open[i] = -1;
}

void kt_cursor_begin(const struct kt_trace *trace, struct kt_cursor *out)
{
    *out = (struct kt_cursor){.trace = trace};
    forget_open(out, 0);
}

/* The stream and span of the next record, or NULL at the end of the trace. */
static const struct kt_stream *seek(struct kt_cursor *cursor)
{
    for (; cursor->process < cursor->trace->processes; cursor->process++) {
        const struct kt_process *p = &cursor->trace->process[cursor->process];
        for (; cursor->stream < p->streams; cursor->stream++) {
            const struct kt_stream *s = &p->stream[cursor->stream];
            for (; cursor->span < s->spans; cursor->span++) {
                if (cursor->offset < s->span[cursor->span].end - s->span[cursor->span].begin)
                    return s;
                cursor->offset = 0;
            }
            cursor->span = 0;
            forget_open(cursor, 0);
        }
        cursor->stream = 0;
    }
    return NULL;
}

/* The call that this one is nested in, unless it was not recorded: then an earlier call of that depth is over. */
static int64_t find_parent(const struct kt_cursor *cursor, const struct kt_record *record)
{
    size_t depth = record->depth;
    if (depth == 0 || depth > LEVELS || record->start > cursor->until[depth - 1])
        return -1;
    return cursor->open[depth - 1];
}

static void remember_open(struct kt_cursor *cursor, const struct kt_record *record, uint64_t n)
{
    if (record->depth >= LEVELS)
        return;
    forget_open(cursor, record->depth);
    cursor->open[record->depth] = (int64_t)n;
    cursor->until[record->depth] = kt_record_is_complete(record) ? record->start + record->ticks : UINT64_MAX;
}

bool kt_cursor_next(struct kt_cursor *cursor, struct kt_call *out)
{
    const struct kt_stream *s = seek(cursor);
    if (!s)
        return false;
    const unsigned char *at = s->bytes + s->span[cursor->span].begin + cursor->offset;
    const struct kt_record *record = (const struct kt_record *)(const void *)at;
    const struct kt_process *process = &cursor->trace->process[cursor->process];
    *out = (struct kt_call){.n = cursor->n++, .process = process, .tid = s->tid,
                            .entry = &process->entry[record->entry], .record = record, .args = at + sizeof *record,
                            .parent = find_parent(cursor, record), .complete = kt_record_is_complete(record)};
    remember_open(cursor, record, out->n);
    cursor->offset += 8 * (uint64_t)record->words;
    return true;
}

/* Where files were loaded one after the other at the same place, the last one counts. */
const struct kt_object *kt_object_at(const struct kt_process *process, uint64_t address)
{
    for (size_t i = process->objects; i-- > 0;)
        if (address >= process->object[i].lo && address < process->object[i].hi)
            return &process->object[i];
    return NULL;
}

double kt_call_seconds(const struct kt_call *call)
{
    double ticks = call->complete ? (double)call->record->ticks - call->process->clock_ticks : 0;
    return ticks > 0 ? ticks / call->process->tick_hz : 0;
}

bool kt_call_info(const struct kt_call *call, int64_t *info)
{
    const struct kt_symbol *symbol = &call->entry->symbol;
    for (int i = 0; call->complete && i < symbol->params; i++) {
        const struct kt_param *p = &symbol->param[i];
        if (p->arg < 0 || symbol->routine->arg[p->arg].role != KT_INFO)
            continue;
        *info = (int64_t)kt_stored_value(call->args, p, NULL);
        return true;
    }
    return false;
}
