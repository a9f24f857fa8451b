/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * ktrace control: tells a process that is being traced to pause, to go on, or has what it recorded written to the disk.
 * No signal is sent: the process has the file `control` of its trace mapped into memory.
 */
#include "ktrace/format.h"
#include "trace/command/control_file.h"
#include "trace/command/document.h"
#include "trace/command/json.h"
#include "trace/command/verb.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

struct options {
    bool json;
};

const struct kt_verb_option kt_verb_control_options[] = {
    {KT_VERB_JSON(struct options, json)},
    {0},
};

/* --- what to do -------------------------------------------------------------------------------------------- */

static enum kt_status map_control(const char *path, struct kt_control **out, struct kt_error *error)
{
    int file = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
    if (file < 0)
        return kt_fail(error, KT_SYSTEM, "%s: %s", path, strerror(errno));
    off_t bytes = lseek(file, 0, SEEK_END);
    void *at = bytes < (off_t)sizeof **out ? MAP_FAILED
                                           : mmap(NULL, sizeof **out, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    close(file);
    *out = at == MAP_FAILED ? NULL : at;
    if (!*out || memcmp((*out)->magic, KT_CONTROL_MAGIC, sizeof(*out)->magic) != 0)
        return kt_fail(error, KT_BAD_INPUT, "%s: expected the control file of this version of ktrace", path);
    return KT_OK;
}

static void pause_or_not(struct kt_control *control, uint32_t paused)
{
    __atomic_store_n(&control->paused, paused, __ATOMIC_RELAXED);
    __atomic_fetch_add(&control->epoch, 1, __ATOMIC_RELEASE);
}

static enum kt_status save_file(const char *directory, const char *name, struct kt_error *error)
{
    char path[2 * PATH_MAX];
    snprintf(path, sizeof path, "%s/%s", directory, name);
    int file = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
    bool saved = file >= 0 && fsync(file) == 0;
    if (file >= 0)
        close(file);
    return saved ? KT_OK : kt_fail(error, KT_SYSTEM, "%s: cannot be written to the disk: %s", path, strerror(errno));
}

/* What is committed is in the files already; this has the kernel write them out. */
static enum kt_status flush(const char *control, struct kt_error *error)
{
    char path[PATH_MAX];
    enum kt_status status = KT_OK;
    snprintf(path, sizeof path, "%.*s", (int)(strrchr(control, '/') - control), control);
    DIR *directory = opendir(path);
    if (!directory)
        return kt_fail(error, KT_SYSTEM, "%s: %s", path, strerror(errno));
    for (struct dirent *entry; status == KT_OK && (entry = readdir(directory));)
        if (*entry->d_name != '.')
            status = save_file(path, entry->d_name, error);
    closedir(directory);
    return status;
}

static enum kt_status obey(const char *path, const char *order, bool *paused, struct kt_error *error)
{
    struct kt_control *control = NULL;
    KT_TRY(map_control(path, &control, error));
    enum kt_status status = KT_OK;
    if (!strcmp(order, "pause"))
        pause_or_not(control, 1);
    else if (!strcmp(order, "resume"))
        pause_or_not(control, 0);
    else if (!strcmp(order, "flush"))
        status = flush(path, error);
    *paused = __atomic_load_n(&control->paused, __ATOMIC_RELAXED);
    munmap(control, sizeof *control);
    return status;
}

static const struct kt_field control_fields[] = {
    {"pid", KT_AS_ID, .meaning = "process id"},
    {"asked", KT_AS_TEXT, .meaning = "what was asked: pause, resume, flush or status"},
    {"state", KT_AS_TEXT, .meaning = "what the process does now"},
    {0}};

const struct kt_document kt_document_control = {
    .verb = "control", .what = "ktrace control --json", .version = 1, .field = control_fields};

static void tell(const char *pid, const char *order, bool paused, bool json)
{
    const char *state = paused ? "paused" : "recording";
    if (json)
        kt_document_print(&kt_document_control,
                          json_pack("{s:I, s:s, s:s}", "pid", (json_int_t)atoll(pid), "asked", order, "state", state));
    else if (!strcmp(order, "status"))
        printf("%s\n", state);
}

static bool is_order(const char *text)
{
    static const char *const orders[] = {"pause", "resume", "flush", "status"};
    for (size_t i = 0; i < sizeof orders / sizeof *orders; i++)
        if (!strcmp(text, orders[i]))
            return true;
    return false;
}

int kt_verb_control(int argc, char **argv)
{
    struct kt_error error = {0};
    char path[PATH_MAX];
    struct options options = {0};
    bool paused;
    int wrong = kt_verb_parse(argc, argv, kt_verb_control_options, &options);
    if (wrong)
        return wrong;
    if (argc - optind != 2)
        return kt_verb_usage("control", "expected a process id and what to do");
    const char *pid = argv[optind];
    const char *order = argv[optind + 1];
    if (!kt_control_file_is_pid(pid))
        return kt_verb_usage("control", "%s: expected the id of a running process", pid);
    if (!is_order(order))
        return kt_verb_usage("control", "%s: expected pause, resume, flush or status", order);
    if (kt_control_file_find(pid, path, &error) != KT_OK || obey(path, order, &paused, &error) != KT_OK)
        return kt_verb_fail("control", &error);
    tell(pid, order, paused, options.json);
    return KT_OK;
}
