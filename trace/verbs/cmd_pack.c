/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * ktrace pack: one compressed file of a trace (trace/files/archive.h). What was written is read back and compared with
 * the trace, byte by byte, before the file gets its name and before --remove removes anything.
 *
 * Text files of processes come first: the reader gives up an archive in which they do not. Streams come last: of a
 * packed file that was cut off, they can be read as far as they go.
 */
#include "trace/files/archive.h"
#include "trace/command/document.h"
#include "trace/command/json.h"
#include "trace/base/memory.h"
#include "trace/print/new_file.h"
#include "trace/files/numbered.h"
#include "trace/read/origin.h"
#include "trace/print/text.h"
#include "trace/shape/settle.h"
#include "trace/command/verb.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

struct member {
    char *name; /* in the trace, and in the archive behind the trace's own name */
    int place;  /* among the parts of the archive */
};

struct pack {
    const char *trace; /* as named */
    const char *named; /* the file, of --output; NULL: as usual */
    char base[NAME_MAX + 1];
    char output[PATH_MAX];
    struct kt_new_file file;
    bool remove, removed, json;
    struct member *member;
    size_t members;
    char **directory; /* in the trace; outer ones first */
    size_t directories;
    size_t others; /* neither files nor directories */
    uint64_t packed_bytes;
};

const struct kt_verb_option kt_verb_pack_options[] = {
    {"output", 'o', "FILE", "default TRACE.tar.zst", KT_VERB_TEXT(struct pack, named)},
    {"remove", 0, NULL, "remove the directory when the file has been verified", KT_VERB_FLAG(struct pack, remove)},
    {KT_VERB_JSON(struct pack, json)},
    {0},
};

static enum kt_status failed(struct kt_error *error, const char *what, const char *path)
{
    return kt_fail(error, KT_SYSTEM, "%s: cannot be %s: %s", path, what, strerror(errno));
}

static char *join(const char *directory, const char *name)
{
    char *path = kt_resize(NULL, strlen(directory) + strlen(name) + 2, 1);
    sprintf(path, "%s%s%s", directory, *directory ? "/" : "", name);
    return path;
}

/* --- what there is to pack --------------------------------------------------------------------------------- */

static enum kt_status add_directory(struct pack *pack, const char *name, struct kt_error *error);

static void add_member(struct pack *pack, const char *name)
{
    const char *slash = strrchr(name, '/');
    const char *base = slash ? slash + 1 : name;
    bool is_stream = strchr("ts", base[0]) && isdigit((unsigned char)base[1]);
    pack->member = kt_room_for_one(pack->member, pack->members, sizeof *pack->member);
    pack->member[pack->members++] =
        (struct member){.name = kt_copy(name), .place = is_stream ? 2 : !kt_is_of_process(name)};
}

static enum kt_status add_name(struct pack *pack, const char *name, struct kt_error *error)
{
    struct stat st;
    char *path = join(pack->trace, name);
    enum kt_status status = KT_OK;
    if (lstat(path, &st) != 0)
        status = failed(error, "read", path);
    else if (S_ISDIR(st.st_mode))
        status = add_directory(pack, name, error);
    else if (!S_ISREG(st.st_mode))
        pack->others++;
    else if (kt_text_ends_with(name, KT_PACKED_SUFFIX))
        status = kt_fail(error, KT_USAGE, "%s: is packed already; move it out of %s", path, pack->trace);
    else
        add_member(pack, name);
    free(path);
    return status;
}

static int is_name(const struct dirent *entry)
{
    return strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
}

static enum kt_status add_directory(struct pack *pack, const char *name, struct kt_error *error)
{
    struct dirent **entry = NULL;
    char *path = join(pack->trace, name);
    int count = scandir(path, &entry, is_name, versionsort);
    enum kt_status status = count < 0 ? failed(error, "read", path) : KT_OK;
    pack->directory = kt_room_for_one(pack->directory, pack->directories, sizeof *pack->directory);
    pack->directory[pack->directories++] = path;
    for (int i = 0; i < count; i++) {
        char *member = join(name, entry[i]->d_name);
        if (status == KT_OK)
            status = add_name(pack, member, error);
        free(member);
        free(entry[i]);
    }
    free(entry);
    return status;
}

static int compare_members(const void *a, const void *b)
{
    const struct member *x = a;
    const struct member *y = b;
    return x->place != y->place ? x->place - y->place : strverscmp(x->name, y->name);
}

/* --- the file ---------------------------------------------------------------------------------------------- */

static enum kt_status add_file(const struct pack *pack, const struct member *member, struct kt_archive_writer *writer,
                               struct kt_error *error)
{
    char *path = join(pack->trace, member->name);
    char *name = join(pack->base, member->name);
    int source = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
    if (source < 0)
        failed(error, "read", path);
    else
        kt_archive_add(writer, name, source, path, error);
    if (source >= 0)
        close(source);
    free(name);
    free(path);
    return error->status;
}

static enum kt_status write_archive(struct pack *pack, struct kt_error *error)
{
    struct kt_archive_writer *writer;
    enum kt_status status = kt_archive_begin(pack->file.file, pack->output, &writer, error);
    for (size_t i = 0; i < pack->members && status == KT_OK; i++)
        status = add_file(pack, &pack->member[i], writer, error);
    KT_TRY(kt_archive_end(writer, error));
    pack->packed_bytes = (uint64_t)lseek(pack->file.file, 0, SEEK_CUR);
    return KT_OK;
}

/* --- verification ------------------------------------------------------------------------------------------ */

/* The file of the trace that is compared with what the archive holds next. */
struct comparison {
    const struct pack *pack;
    size_t next; /* member */
    int file;    /* or -1 */
    uint64_t at;
};

static enum kt_status differs(const struct pack *pack, const char *name, struct kt_error *error)
{
    return kt_fail(error, KT_SYSTEM, "%s: %s could not be read back as it is in %s; was it changed meanwhile?",
                   pack->output, name, pack->trace);
}

static enum kt_status end_file(struct comparison *c, struct kt_error *error)
{
    struct stat st;
    bool whole = c->file < 0 || (fstat(c->file, &st) == 0 && (uint64_t)st.st_size == c->at);
    if (c->file >= 0)
        close(c->file);
    c->file = -1;
    return whole ? KT_OK : differs(c->pack, c->pack->member[c->next - 1].name, error);
}

static enum kt_status begin_file(void *context, const char *name, struct kt_error *error)
{
    struct comparison *c = context;
    const struct pack *pack = c->pack;
    size_t base = strlen(pack->base);
    KT_TRY(end_file(c, error));
    if (c->next == pack->members || strncmp(name, pack->base, base) != 0 || name[base] != '/' ||
        strcmp(name + base + 1, pack->member[c->next].name) != 0)
        return differs(pack, name, error);
    char *path = join(pack->trace, pack->member[c->next++].name);
    c->file = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
    c->at = 0;
    enum kt_status status = c->file < 0 ? failed(error, "read", path) : KT_OK;
    free(path);
    return status;
}

static enum kt_status compare_bytes(void *context, const void *bytes, size_t size, uint64_t at, struct kt_error *error)
{
    static unsigned char original[1 << 17];
    struct comparison *c = context;
    const char *name = c->pack->member[c->next - 1].name;
    if (at != c->at)
        return differs(c->pack, name, error);
    for (size_t done = 0; done < size;) {
        size_t piece = size - done < sizeof original ? size - done : sizeof original;
        ssize_t got = pread(c->file, original, piece, (off_t)c->at);
        if (got <= 0 || memcmp(original, (const char *)bytes + done, (size_t)got) != 0)
            return differs(c->pack, name, error);
        done += (size_t)got;
        c->at += (uint64_t)got;
    }
    return KT_OK;
}

static enum kt_status verify(const struct pack *pack, struct kt_error *error)
{
    struct comparison c = {.pack = pack, .file = -1};
    const struct kt_archive_reader reader = {begin_file, compare_bytes, &c};
    enum kt_status status = kt_archive_read(pack->file.file, pack->output, &reader, error);
    if (status == KT_OK)
        status = end_file(&c, error);
    else if (c.file >= 0)
        close(c.file);
    if (status == KT_OK && c.next != pack->members)
        return differs(pack, pack->member[c.next].name, error);
    return status;
}

/* Exactly what was packed; a directory that still holds something stays. */
static enum kt_status remove_trace(const struct pack *pack, struct kt_error *error)
{
    bool all = true;
    for (size_t i = 0; i < pack->members; i++) {
        char *path = join(pack->trace, pack->member[i].name);
        all &= unlink(path) == 0;
        free(path);
    }
    for (size_t i = pack->directories; i-- > 0;)
        all &= rmdir(pack->directory[i]) == 0;
    if (!all)
        return kt_fail(error, KT_SYSTEM, "%s: is packed, but not all of it could be removed", pack->trace);
    return KT_OK;
}

/* --- the verb ---------------------------------------------------------------------------------------------- */

static enum kt_status check_trace(const struct kt_trace *trace, bool remove, struct kt_error *error)
{
    if (kt_files_are_packed(trace->files[0]))
        return kt_fail(error, KT_USAGE, "%s: is packed already", trace->path);
    for (size_t i = 0; i < trace->processes; i++)
        if (trace->process[i].running)
            return kt_fail(error, KT_BAD_INPUT, "%s: is still being recorded; pack it when the program has ended",
                           trace->process[i].path);
    /* What it still writes would be lost. */
    for (size_t i = 0; i < trace->processes && remove; i++)
        if (kt_process_may_run_elsewhere(&trace->process[i]))
            return kt_fail(error, KT_BAD_INPUT,
                           "%s: has not ended, and on another machine it may still be recorded; pack it without "
                           "--remove",
                           trace->process[i].path);
    return KT_OK;
}

/* The archive holds one directory, called as the trace is. */
static enum kt_status choose_names(struct pack *pack, struct kt_error *error)
{
    const char *output = pack->named;
    char resolved[PATH_MAX];
    if (!realpath(pack->trace, resolved))
        return failed(error, "read", pack->trace);
    const char *slash = strrchr(resolved, '/');
    snprintf(pack->base, sizeof pack->base, "%s", slash[1] ? slash + 1 : "trace");
    const char *last = strrchr(pack->trace, '/');
    last = last ? last + 1 : pack->trace;
    if (!output && (!strcmp(last, ".") || !strcmp(last, "..") || !*last))
        return kt_fail(error, KT_USAGE, "%s: has no name for the packed file; choose one with -o", pack->trace);
    int length = output ? snprintf(pack->output, sizeof pack->output, "%s", output)
                        : snprintf(pack->output, sizeof pack->output, "%s%s", pack->trace, KT_PACKED_SUFFIX);
    return length < PATH_MAX ? KT_OK : kt_fail(error, KT_SYSTEM, "%s: the path is too long", pack->trace);
}

static enum kt_status make(struct pack *pack, struct kt_error *error)
{
    KT_TRY(kt_new_file_create(pack->output, KT_NEW_NAMELESS, &pack->file, error));
    KT_TRY(add_directory(pack, "", error));
    qsort(pack->member, pack->members, sizeof *pack->member, compare_members);
    KT_TRY(write_archive(pack, error));
    KT_TRY(verify(pack, error));
    return kt_new_file_publish(&pack->file, error);
}

static void release(struct pack *pack)
{
    kt_new_file_close(&pack->file);
    for (size_t i = 0; i < pack->members; i++)
        free(pack->member[i].name);
    for (size_t i = 0; i < pack->directories; i++)
        free(pack->directory[i]);
    free(pack->member);
    free(pack->directory);
}

static const struct kt_field pack_fields[] = {
    {"path", KT_AS_TEXT, .meaning = "the compressed file"},
    {"calls", KT_AS_COUNT, .meaning = "recorded calls"},
    {"bytes", KT_AS_COUNT, .unit = "bytes", .meaning = "size before"},
    {"packed_bytes", KT_AS_COUNT, .unit = "bytes", .meaning = "size of the file"},
    {"packed_bytes_per_call", KT_AS_NUMBER, KT_NULL, .unit = "bytes", .meaning = "the same for each call"},
    {"removed", KT_AS_FLAG, .meaning = "the directory was removed"},
    {0}};

const struct kt_document kt_document_pack = {
    .verb = "pack", .what = "ktrace pack --json", .version = 1, .field = pack_fields};

static void print_json(const struct pack *pack, const struct kt_trace *trace, uint64_t calls)
{
    json_t *document = json_object();
    json_object_set_new(document, "path", kt_json_text(pack->output));
    json_object_set_new(document, "calls", json_integer((json_int_t)calls));
    json_object_set_new(document, "bytes", json_integer((json_int_t)trace->bytes));
    json_object_set_new(document, "packed_bytes", json_integer((json_int_t)pack->packed_bytes));
    json_object_set_new(document, "packed_bytes_per_call",
                        calls ? kt_json_number((double)pack->packed_bytes / (double)calls) : json_null());
    json_object_set_new(document, "removed", json_boolean(pack->removed));
    kt_document_print(&kt_document_pack, document);
}

static void print_text(const struct pack *pack, const struct kt_trace *trace, uint64_t calls)
{
    char before[32];
    char after[32];
    printf("%s: %s, %s before; %s, %.1f bytes each\n", pack->output,
           kt_text_rate((double)pack->packed_bytes, "B", after, sizeof after),
           kt_text_rate((double)trace->bytes, "B", before, sizeof before), KT_COUNT(calls, "call"),
           calls ? (double)pack->packed_bytes / (double)calls : 0.0);
    printf("verified%s\nevery verb takes it as a trace; tar --zstd -xf unpacks it\n",
           !pack->remove   ? "; the directory is kept"
           : pack->removed ? ", the directory is removed"
                           : ", but not all of the directory could be removed");
}

static void print_result(const struct pack *pack, const struct kt_trace *trace)
{
    uint64_t calls = 0;
    for (size_t i = 0; i < trace->processes; i++)
        calls += trace->process[i].calls;
    if (pack->others)
        kt_notice("%s: %zu links or special files in it are not packed", pack->trace, pack->others);
    if (pack->json)
        print_json(pack, trace, calls);
    else
        print_text(pack, trace, calls);
}

static int parse_arguments(int argc, char **argv, struct pack *pack)
{
    int wrong = kt_verb_parse(argc, argv, kt_verb_pack_options, pack);
    if (wrong)
        return wrong;
    if (optind + 1 == argc)
        return 0;
    return kt_verb_usage(argv[0],
                         optind == argc ? "which trace?" : "one trace at a time; ktrace merge makes one of several");
}

/* Where the file goes the programs may not be. */
static void settle(const struct kt_trace *trace)
{
    struct kt_error error = {0};
    if (kt_settle_stacks(trace, &error) != KT_OK)
        kt_notice("call paths stay as they were recorded: %s", error.text);
}

static enum kt_status run(struct pack *pack, const char *named, struct kt_error *error)
{
    struct kt_trace trace;
    enum kt_status status = kt_trace_open(named, &trace, error);
    pack->trace = trace.path;
    if (status == KT_OK)
        status = check_trace(&trace, pack->remove, error);
    if (status == KT_OK)
        status = choose_names(pack, error);
    if (status == KT_OK)
        settle(&trace);
    if (status == KT_OK)
        status = make(pack, error);
    if (status == KT_OK) {
        status = pack->remove ? remove_trace(pack, error) : KT_OK;
        pack->removed = pack->remove && status == KT_OK;
        print_result(pack, &trace);
    }
    release(pack);
    kt_trace_close(&trace);
    return status;
}

int kt_verb_pack(int argc, char **argv)
{
    struct pack pack = {.file = {.file = -1}};
    struct kt_error error = {0};
    int wrong = parse_arguments(argc, argv, &pack);
    if (wrong)
        return wrong;
    return run(&pack, argv[optind], &error) == KT_OK ? KT_OK : kt_verb_fail(argv[0], &error);
}
