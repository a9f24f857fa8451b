/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * ktrace merge: one trace of several, such as those of the ranks of a job. A trace is a directory of processes, so
 * nothing is decoded or written anew: each process's directory is taken over with its files, under the next free name
 * if two hosts gave the same process id. Files are linked, which takes no time and no space however large they are,
 * and copied where links cannot be made; packed ones are unpacked. The traces stay as they are, and either may be
 * deleted first.
 *
 * The directory has its name only when it is complete.
 */
#include "trace/command/about.h"
#include "trace/command/json.h"
#include "trace/command/document.h"
#include "trace/command/hosts_json.h"
#include "trace/command/merged_results.h"
#include "trace/base/memory.h"
#include "trace/files/numbered.h"
#include "trace/shape/ranks.h"
#include "trace/print/text.h"
#include "trace/command/verb.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

struct merge {
    const char *output;
    bool copy, json;
    char part[PATH_MAX]; /* the directory while it is made */
    uint64_t linked, copied;
};

const struct kt_verb_option kt_verb_merge_options[] = {
    {"output", 'o', "DIR", "a new or empty directory; default ktrace.merged", KT_VERB_TEXT(struct merge, output)},
    {"copy", 0, NULL, "copy the files; default: make hard links where possible", KT_VERB_FLAG(struct merge, copy)},
    {KT_VERB_JSON(struct merge, json)},
    {0},
};

/* --- files ------------------------------------------------------------------------------------------------- */

static enum kt_status failed(struct kt_error *error, const char *what, const char *path)
{
    return kt_fail(error, KT_SYSTEM, "%s: cannot be %s: %s", path, what, strerror(errno));
}

/* The kernel copies, sharing blocks where the file system can; not every one lets it. */
static bool copy_by_kernel(int from, int to)
{
    ssize_t got;
    while ((got = copy_file_range(from, NULL, to, NULL, 1u << 30, 0)) > 0)
        continue;
    return got == 0 && lseek(from, 0, SEEK_CUR) > 0;
}

static bool copy_bytes(int from, int to)
{
    static char buffer[1 << 16];
    ssize_t got;
    while ((got = read(from, buffer, sizeof buffer)) > 0)
        for (ssize_t done = 0; done < got;) {
            ssize_t put = write(to, buffer + done, (size_t)(got - done));
            if (put < 0)
                return false;
            done += put;
        }
    return got == 0;
}

static enum kt_status copy_file(const char *source, const char *target, struct kt_error *error)
{
    int from = open(source, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
    if (from < 0)
        return failed(error, "read", source);
    int to = open(target, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    bool fine = to >= 0 && (copy_by_kernel(from, to) || copy_bytes(from, to));
    enum kt_status status = fine ? KT_OK : failed(error, "written", target);
    close(from);
    if (to >= 0 && close(to) != 0 && status == KT_OK)
        status = failed(error, "written", target);
    return status;
}

static enum kt_status take_file(struct merge *merge, const char *source, const char *target, struct kt_error *error)
{
    if (!merge->copy && link(source, target) == 0) {
        merge->linked++;
        return KT_OK;
    }
    merge->copied++;
    return copy_file(source, target, error);
}

static enum kt_status too_long(const char *path, struct kt_error *error)
{
    return kt_fail(error, KT_SYSTEM, "%s: the path is too long", path);
}

static enum kt_status write_file(const unsigned char *bytes, size_t size, const char *target, struct kt_error *error)
{
    FILE *file = fopen(target, "wx");
    if (!file)
        return failed(error, "written", target);
    bool fine = size == 0 || fwrite(bytes, 1, size, file) == size;
    return fclose(file) == 0 && fine ? KT_OK : failed(error, "written", target);
}

static enum kt_status unpack_file(struct merge *merge, const struct kt_files *files, const char *source,
                                  const char *target, struct kt_error *error)
{
    size_t size;
    const unsigned char *bytes = kt_files_view(files, source, &size);
    merge->copied++;
    return write_file(bytes, size, target, error);
}

static enum kt_status take_entry(struct merge *merge, const struct kt_process *process, const char *target,
                                 const char *name, struct kt_error *error)
{
    char from[PATH_MAX];
    char to[PATH_MAX];
    struct stat st;
    if (snprintf(from, sizeof from, "%s/%s", process->path, name) >= PATH_MAX ||
        snprintf(to, sizeof to, "%s/%s", target, name) >= PATH_MAX)
        return too_long(process->path, error);
    if (kt_files_are_packed(process->files))
        return unpack_file(merge, process->files, from, to, error);
    if (lstat(from, &st) != 0 || !S_ISREG(st.st_mode))
        return KT_OK;
    return take_file(merge, from, to, error);
}

/* --- processes --------------------------------------------------------------------------------------------- */

/* p<PID> or, if that is taken, the next of p<PID>.1, p<PID>.2, ... */
static enum kt_status make_process_directory(const struct merge *merge, uint32_t pid, char out[PATH_MAX],
                                             struct kt_error *error)
{
    for (unsigned i = 0; i < UINT_MAX; i++) {
        int length = i ? snprintf(out, PATH_MAX, "%s/p%" PRIu32 ".%u", merge->part, pid, i)
                       : snprintf(out, PATH_MAX, "%s/p%" PRIu32, merge->part, pid);
        if (length >= PATH_MAX)
            return too_long(merge->part, error);
        if (mkdir(out, 0700) == 0)
            return KT_OK;
        if (errno != EEXIST)
            break;
    }
    return failed(error, "created", out);
}

static enum kt_status take_process(struct merge *merge, const struct kt_process *process, struct kt_error *error)
{
    char target[PATH_MAX];
    KT_TRY(make_process_directory(merge, process->pid, target, error));
    struct kt_file_names names;
    KT_TRY(kt_files_list(process->files, process->path, &names, error));
    enum kt_status status = KT_OK;
    for (size_t i = 0; i < names.count && status == KT_OK; i++)
        status = take_entry(merge, process, target, names.name[i], error);
    kt_file_names_free(&names);
    return status;
}

/* --- the trace --------------------------------------------------------------------------------------------- */

static enum kt_status write_readme(const struct merge *merge, size_t traces, struct kt_error *error)
{
    char path[PATH_MAX + 8];
    snprintf(path, sizeof path, "%s/README", merge->part);
    FILE *file = fopen(path, "w");
    if (!file)
        return failed(error, "written", path);
    fprintf(file,
            "This directory is a trace of BLAS and LAPACK calls: ktrace merge put %zu together.\n"
            "`ktrace report` on it says where the time went; `ktrace help` names everything else.\n",
            traces);
    return fclose(file) == 0 ? KT_OK : failed(error, "written", path);
}

static int remove_one(const char *path, const struct stat *st, int kind, struct FTW *at)
{
    (void)st, (void)kind, (void)at;
    return remove(path);
}

/* An empty directory may be there, as for ktrace run; renaming replaces it. */
static enum kt_status check_output(const char *path, struct kt_error *error)
{
    struct dirent **entry = NULL;
    int count = scandir(path, &entry, NULL, NULL);
    for (int i = 0; i < count; i++)
        free(entry[i]);
    free(entry);
    if (count > 2 || (count < 0 && errno == ENOTDIR))
        return kt_fail(error, KT_USAGE, "%s: is not empty; choose a new directory with -o", path);
    return KT_OK;
}

static enum kt_status make_output(struct merge *merge, struct kt_error *error)
{
    if (snprintf(merge->part, sizeof merge->part, "%s.part", merge->output) >= PATH_MAX)
        return too_long(merge->output, error);
    KT_TRY(check_output(merge->output, error));
    if (mkdir(merge->part, 0700) == 0)
        return KT_OK;
    if (errno == EEXIST)
        return kt_fail(error, KT_SYSTEM,
                       "%s: is there already: another merge is at work, or was killed; then remove it", merge->part);
    return failed(error, "created", merge->part);
}

static enum kt_status fill(struct merge *merge, const struct kt_trace *trace, struct kt_error *error)
{
    KT_TRY(write_readme(merge, trace->traces, error));
    for (size_t i = 0; i < trace->processes; i++)
        KT_TRY(take_process(merge, &trace->process[i], error));
    return rename(merge->part, merge->output) == 0 ? KT_OK : failed(error, "created", merge->output);
}

static enum kt_status merge_traces(struct merge *merge, const struct kt_trace *trace, struct kt_error *error)
{
    KT_TRY(make_output(merge, error));
    enum kt_status status = fill(merge, trace, error);
    if (status != KT_OK)
        nftw(merge->part, remove_one, 16, FTW_DEPTH | FTW_PHYS);
    return status;
}

/* --- what is said ------------------------------------------------------------------------------------------ */

static uint64_t count_calls(const struct kt_trace *trace)
{
    uint64_t calls = 0;
    for (size_t i = 0; i < trace->processes; i++)
        calls += trace->process[i].calls;
    return calls;
}

/* What the merged trace cannot tell. */
static void tell_doubts(const struct kt_trace *trace)
{
    for (size_t i = 0; i < trace->notes; i++)
        kt_notice("%s", trace->note[i]);
    for (size_t i = 0; i < trace->processes; i++)
        if (trace->process[i].running)
            kt_notice("%s: is still being recorded; what comes later may be missing", trace->process[i].path);
    kt_about_hosts_notice(trace);
}

static const struct kt_field merge_fields[] = {{"path", KT_AS_TEXT, .meaning = "the merged trace"},
                                               {"traces", KT_AS_COUNT, .meaning = "traces in it"},
                                               {"processes", KT_AS_COUNT, .meaning = "processes"},
                                               {"ranks", KT_AS_COUNT, .meaning = "ranks of parallel jobs"},
                                               {"calls", KT_AS_COUNT, .meaning = "recorded calls"},
                                               {KT_HOSTS_FIELD},
                                               {"files_linked", KT_AS_COUNT, .meaning = "files that are hard links"},
                                               {"files_copied", KT_AS_COUNT, .meaning = "files that are copies"},
                                               {0}};

const struct kt_document kt_document_merge = {
    .verb = "merge", .what = "ktrace merge --json", .version = 1, .field = merge_fields};

static void print_result(const struct merge *merge, const struct kt_trace *trace)
{
    struct kt_ranks ranks;
    kt_ranks_find(trace, &ranks);
    if (merge->json)
        kt_document_print(&kt_document_merge,
                          json_pack("{s:o, s:I, s:I, s:I, s:I, s:o, s:I, s:I}", "path", kt_json_text(merge->output),
                                    "traces", (json_int_t)trace->traces, "processes", (json_int_t)trace->processes,
                                    "ranks", (json_int_t)ranks.count, "calls", (json_int_t)count_calls(trace), "hosts",
                                    kt_hosts_json(trace), "files_linked", (json_int_t)merge->linked, "files_copied",
                                    (json_int_t)merge->copied));
    else
        printf("%s of %s, %s, in %s; next: ktrace report %s\n", KT_COUNT(count_calls(trace), "call"),
               KT_COUNT(trace->processes, "process"), KT_COUNT(ranks.count, "rank"), merge->output, merge->output);
    kt_ranks_free(&ranks);
}

static int parse_arguments(int argc, char **argv, struct merge *out)
{
    *out = (struct merge){.output = "ktrace.merged"};
    int wrong = kt_verb_parse(argc, argv, kt_verb_merge_options, out);
    if (wrong)
        return wrong;
    return optind < argc ? KT_OK : kt_verb_usage(argv[0], "which traces?");
}

/* --- stores of results ------------------------------------------------------------------------------------- */

static bool is_store(const char *path)
{
    static const char magic[] = "SQLite format 3";
    char head[sizeof magic] = "";
    FILE *file = fopen(path, "r");
    bool is = file && fread(head, 1, sizeof head, file) == sizeof head && !memcmp(head, magic, sizeof head);
    if (file)
        fclose(file);
    return is;
}

static int merge_stores(const struct merge *merge, int count, char **path)
{
    size_t series = 0;
    struct kt_error error = {0};
    for (int i = 0; i < count; i++)
        if (!is_store(path[i]))
            return kt_verb_usage("merge", "%s is no store of results: stores and traces are merged apart", path[i]);
    if (merge->json)
        return kt_verb_usage("merge", "--json is for traces: these are stores of results");
    if (kt_merge_stores(path, (size_t)count, merge->output, &series, &error) != KT_OK)
        return error.status == KT_USAGE ? kt_verb_usage("merge", "%s", error.text) : kt_verb_fail("merge", &error);
    printf("%s of %s in %s; next: ktrace compare --store %s --shard 1/1 TRACE\n", KT_COUNT(series, "series"),
           KT_COUNT(count, "store"), merge->output, merge->output);
    return KT_OK;
}

int kt_verb_merge(int argc, char **argv)
{
    struct merge merge;
    struct kt_trace trace;
    struct kt_error error = {0};
    int wrong = parse_arguments(argc, argv, &merge);
    if (wrong)
        return wrong;
    if (kt_merge_stores && is_store(argv[optind]))
        return merge_stores(&merge, argc - optind, argv + optind);
    char *output = kt_path_without_slashes(merge.output);
    merge.output = output;
    enum kt_status status = kt_trace_open_all(argv + optind, (size_t)(argc - optind), &trace, &error);
    if (status == KT_OK)
        status = merge_traces(&merge, &trace, &error);
    if (status == KT_OK) {
        tell_doubts(&trace);
        if (kt_merge_results)
            kt_merge_results(argv + optind, (size_t)(argc - optind), merge.output);
        print_result(&merge, &trace);
    }
    kt_trace_close(&trace);
    free(output);
    return status == KT_OK ? KT_OK : kt_verb_fail(argv[0], &error);
}
