/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * ktrace watch: a trace while it is being written, as top shows processes. It reads the files that the program maps, so
 * the program has nothing to do for it. A look at a long trace takes a while: the next one waits four times as long, so
 * that watching takes a fifth of a processor at most.
 */
#include "model/report/watched.h"
#include "trace/base/interrupt.h"
#include "trace/base/now.h"
#include "trace/command/control_file.h"
#include "trace/command/verb.h"

#include <getopt.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct options {
    bool json, once;
    double interval; /* seconds between looks */
    size_t top;
};

static enum kt_status take_interval(const struct kt_verb_option *option, const char *value, void *out,
                                    struct kt_error *error)
{
    char *end;
    double *seconds = out;
    *seconds = strtod(value, &end);
    return end > value && !*end && *seconds >= 0.1 && *seconds <= 86400
               ? KT_OK
               : kt_fail(error, KT_USAGE, "--%s %s: expected seconds from 0.1 on", option->name, value);
}

static enum kt_status take_rows(const struct kt_verb_option *option, const char *value, void *out,
                                struct kt_error *error)
{
    char *end;
    size_t *rows = out;
    *rows = strtoul(value, &end, 10);
    return *value >= '1' && *value <= '9' && !*end
               ? KT_OK
               : kt_fail(error, KT_USAGE, "--%s %s: expected a number above 0", option->name, value);
}

const struct kt_verb_option kt_verb_watch_options[] = {
    {"interval", 0, "S", "seconds between looks; default 2", take_interval, offsetof(struct options, interval)},
    {"once", 0, NULL, "look once, and end", KT_VERB_FLAG(struct options, once)},
    {"top", 0, "N", "rows of each table; default 8", take_rows, offsetof(struct options, top)},
    {KT_VERB_JSON(struct options, json)},
    {0},
};

/* The trace of a process is two levels above its control file. */
static enum kt_status find_trace(const char *asked, char path[PATH_MAX], struct kt_error *error)
{
    snprintf(path, PATH_MAX, "%s", asked);
    if (!kt_control_file_is_pid(asked) || access(asked, F_OK) == 0)
        return KT_OK;
    KT_TRY(kt_control_file_find(asked, path, error));
    for (int level = 0; level < 2; level++)
        *strrchr(path, '/') = '\0';
    return KT_OK;
}

static enum kt_status look(char *path, const struct kt_watched *before, struct kt_watched *out, struct kt_error *error)
{
    struct kt_report report;
    enum kt_status status = kt_report_make(&path, 1, &report, error);
    if (status == KT_OK)
        kt_watched_look(&report, kt_now(), before, out);
    kt_report_free(&report);
    return status;
}

static void show(const struct kt_watched *watched, const char *path, const struct options *options, bool first)
{
    static const char home_and_clear[] = "\033[H\033[J";
    if (options->json) {
        kt_document_print(&kt_document_watch, kt_watched_json(watched));
        fflush(stdout);
        return;
    }
    if (isatty(STDOUT_FILENO) && !options->once)
        fputs(home_and_clear, stdout);
    else if (!first)
        printf("\n");
    kt_watched_print(watched, path, options->top);
}

/* In short steps, so that Ctrl-C is heard at once. */
static void wait_until(double when)
{
    enum { STEP_US = 50000 };
    while (kt_now() < when && !kt_interrupted())
        usleep(STEP_US);
}

static enum kt_status watch(char *path, const struct options *options, struct kt_error *error)
{
    enum { REST = 4 }; /* times as long as a look takes */
    struct kt_watched before = {0};
    enum kt_status status = KT_OK;
    bool goes_on = true;
    for (bool first = true; goes_on && status == KT_OK; first = false) {
        struct kt_watched now = {0};
        double begin = kt_now();
        status = look(path, &before, &now, error);
        if (status == KT_OK)
            show(&now, path, options, first);
        goes_on = now.is_running && !options->once && !kt_interrupted();
        if (goes_on)
            wait_until(begin + fmax(options->interval, (1 + REST) * (kt_now() - begin)));
        kt_watched_free(&before);
        before = now;
    }
    kt_watched_free(&before);
    return status;
}

int kt_verb_watch(int argc, char **argv)
{
    enum { USUAL_ROWS = 8 };
    struct options options = {.interval = 2, .top = USUAL_ROWS};
    struct kt_error error = {0};
    char path[PATH_MAX];
    int wrong = kt_verb_parse(argc, argv, kt_verb_watch_options, &options);
    if (wrong)
        return wrong;
    if (argc - optind != 1)
        return kt_verb_usage("watch", "which process or trace?");
    kt_interrupt_catch();
    if (find_trace(argv[optind], path, &error) != KT_OK || watch(path, &options, &error) != KT_OK)
        return kt_verb_fail("watch", &error);
    return KT_OK;
}
