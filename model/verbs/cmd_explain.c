/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * ktrace explain: the main answer by one command. It records the program, has a replay run it again between its rounds,
 * and prints what that comes to. Recording and replaying are the verbs run and replay, in processes of their own.
 */
#include "model/html/html.h"
#include "model/report/explain.h"
#include "trace/base/interrupt.h"
#include "trace/base/memory.h"
#include "trace/command/document.h"
#include "trace/command/itself.h"
#include "trace/command/json.h"
#include "trace/command/verb.h"
#include "trace/print/text.h"

#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The time: so many seconds for each second of the program, within limits; more where LEAST_RUNS would not fit. Runs
 * get a part of it. */
static const double budget_factor = 20;
static const double least_budget = 60;
static const double usual_budget = 120;
static const double most_budget = 900;
static const double runs_part = 0.35;
static const double most_of_runs = 0.7; /* if fewer than LEAST_RUNS would be left */
static const double advice_part = 0.1;  /* besides, if there is something to be tried */
static const double reading = 10;       /* seconds, to look at the machine and to read the trace */
/* An interval needs six pairs, and in one of seven runs no replay of some shape may stand beside it. */
enum { LEAST_RUNS = 7, MOST_RUNS = 30 };

struct explain {
    const char *output; /* of -o, or NULL */
    const char *runs;   /* as it was said; NULL: as many as there is time for */
    const char *budget; /* likewise */
    enum kt_level level;
    const char *html; /* a file; NULL: no page */
    bool again, json; /* AGAIN: the recorded command may be run */
    char **command;   /* NULL: there is a trace */
    char trace[PATH_MAX];
    char runs_text[16], budget_text[16];
    int status;               /* of the program */
    json_t *result, *advised; /* documents of replay and advise */
};

/* --- options ------------------------------------------------------------------------------------------------- */

static enum kt_status take_number(const struct kt_verb_option *option, const char *value, void *out,
                                  struct kt_error *error)
{
    bool is_budget = !strcmp(option->name, "budget");
    double least = is_budget ? 1 : 0;
    char *end;
    double number = strtod(value, &end);
    if (end == value || *end || !(number >= least && number < 1e6))
        return kt_fail(error, KT_USAGE, "--%s needs a number of at least %g, not '%s'", option->name, least, value);
    *(const char **)out = value;
    return KT_OK;
}

static enum kt_status take_output(const struct kt_verb_option *option, const char *value, void *out,
                                  struct kt_error *error)
{
    (void)option;
    *(const char **)out = value;
    return *value ? KT_OK : kt_fail(error, KT_USAGE, "the name of the directory is empty");
}

const struct kt_verb_option kt_verb_explain_options[] = {
    {"output", 'o', "DIR", "where the trace goes: a new or empty directory; default ktrace.PROGRAM.PID", take_output,
     offsetof(struct explain, output)},
    {"runs", 0, "N",
     "how often to run the program again; default: as often as there is time for, at most 30; 0: not at all",
     take_number, offsetof(struct explain, runs)},
    {"budget", 0, "SECONDS",
     "time after the first run; default 20 times the first run, 60 to 120 s, more if 7 runs need it", take_number,
     offsetof(struct explain, budget)},
    {"again", 0, NULL, "also run the recorded command of TRACE again, in the recorded directory",
     KT_VERB_FLAG(struct explain, again)},
    {"html", 0, "FILE", "also one file with tables and figures for a browser, which needs no network",
     KT_VERB_TEXT(struct explain, html)},
    {KT_VERB_LEVEL(struct explain, level)},
    {KT_VERB_JSON(struct explain, json)},
    {KT_VERB_CSV(struct explain, json)},
    {0},
};

/* Of what stands where a trace is expected. */
static enum kt_status check_trace(const struct explain *x, struct kt_error *error)
{
    struct stat file;
    bool is_program = stat(x->trace, &file) == 0 && S_ISREG(file.st_mode) && access(x->trace, X_OK) == 0;
    if (is_program)
        return kt_fail(error, KT_USAGE, "%s is a program and no trace: ktrace explain -- %s", x->trace, x->trace);
    if (x->runs && atof(x->runs) > 0 && !x->again)
        return kt_fail(error, KT_USAGE, "--runs of a trace needs --again, which runs the recorded command");
    return KT_OK;
}

static enum kt_status parse_options(int argc, char **argv, struct explain *x, struct kt_error *error)
{
    int words = 1;
    while (words < argc && strcmp(argv[words], "--") != 0)
        words++;
    x->command = words + 1 < argc ? argv + words + 1 : NULL;
    KT_TRY(kt_verb_take_options(words, argv, kt_verb_explain_options, x, error));
    if (optind == words)
        return x->command ? KT_OK : kt_fail(error, KT_USAGE, "which command? It stands behind --");
    if (words - optind > 1 || x->command || x->output)
        return kt_fail(error, KT_USAGE, "one trace, or a command behind --");
    snprintf(x->trace, sizeof x->trace, "%s", argv[optind]);
    return check_trace(x, error);
}

/* --- recording ----------------------------------------------------------------------------------------------- */

/* As `ktrace run` names it, by our process. */
static void name_trace(struct explain *x)
{
    const char *slash = strrchr(x->command[0], '/');
    if (x->output)
        snprintf(x->trace, sizeof x->trace, "%s", x->output);
    else
        snprintf(x->trace, sizeof x->trace, "ktrace.%.200s.%ld", slash ? slash + 1 : x->command[0], (long)getpid());
}

static bool is_leaves(const struct explain *x)
{
    return x->level == KT_LEAVES;
}

static enum kt_status record(struct explain *x, struct kt_error *error)
{
    char *const option[] = {"run", "-o", x->trace, "--nested", is_leaves(x) ? "all" : "sample", "--"};
    enum { OPTIONS = sizeof option / sizeof *option };
    size_t words = 0;
    while (x->command[words])
        words++;
    char **list = kt_resize(NULL, OPTIONS + words + 1, sizeof *list);
    memcpy(list, option, sizeof option);
    memcpy(list + OPTIONS, x->command, (words + 1) * sizeof *list);
    setenv("KTRACE_QUIET", "1", 0);
    enum kt_status status = kt_itself_run(list, x->json ? STDERR_FILENO : -1, &x->status, error);
    free(list);
    return status;
}

/* --- replaying ----------------------------------------------------------------------------------------------- */

static double seconds_of_program(const char *path, struct kt_error *error)
{
    struct kt_trace trace;
    double seconds = 0;
    if (kt_trace_open(path, &trace, error) == KT_OK)
        for (size_t p = 0; p < trace.processes; p++)
            seconds = fmax(seconds, trace.process[p].seconds);
    kt_trace_close(&trace);
    return seconds;
}

/* How often the program is run again, and for how long all of it may take. */
static void choose_time(struct explain *x, double seconds)
{
    double budget = fmin(fmax(budget_factor * seconds, least_budget), usual_budget);
    budget = fmin(fmax(budget, LEAST_RUNS * seconds / most_of_runs), most_budget);
    if (x->budget)
        budget = atof(x->budget);
    double runs = fmin(floor(runs_part * budget / fmax(seconds, 0.05)), MOST_RUNS);
    if (LEAST_RUNS * seconds <= most_of_runs * budget)
        runs = fmax(runs, LEAST_RUNS);
    bool may_run = x->status == 0 && (x->command || x->again);
    if (x->runs)
        runs = floor(atof(x->runs));
    snprintf(x->runs_text, sizeof x->runs_text, "%.0f", may_run ? runs : 0);
    snprintf(x->budget_text, sizeof x->budget_text, "%.0f", budget);
}

/* Where the user's was too short for that; 0: it was not. */
static double needed_budget(const struct explain *x, double seconds)
{
    bool may_run = x->status == 0 && (x->command || x->again) && !x->runs;
    return may_run && atoi(x->runs_text) < LEAST_RUNS ? ceil(LEAST_RUNS * seconds / most_of_runs) : 0;
}

static void say_time(const struct explain *x, double seconds)
{
    int runs = atoi(x->runs_text);
    double needed = needed_budget(x, seconds);
    if (needed > 0)
        kt_notice("there is no time to run the program, which takes %.3g s, %d times more: --budget %.0f would do",
                  seconds, LEAST_RUNS, needed);
    if (x->status)
        kt_notice("the program ended with status %d, and is not run again", x->status);
    if (runs)
        kt_notice("the program is run %s between replays of its calls: about %.0f s (--runs, --budget)",
                  KT_COUNT(runs, "more time"), fmax(atof(x->budget_text), runs * seconds / runs_part) + reading);
    else
        kt_notice("its calls are replayed: about %.0f s (--budget)", atof(x->budget_text) + reading);
}

/* "replay ... TRACE [-- COMMAND]", to be freed. */
static char **replay_arguments(struct explain *x)
{
    char *const option[] = {"replay",
                            "--json",
                            "--fresh",
                            "--context",
                            "warm,cold,tracked,sequence",
                            "--budget",
                            x->budget_text,
                            "--level",
                            is_leaves(x) ? "leaves" : "outermost",
                            x->trace,
                            "--runs",
                            x->runs_text,
                            "--"};
    enum { OPTIONS = sizeof option / sizeof *option, WITHOUT_RUNS = 10, WITHOUT_COMMAND = 12 };
    bool has_runs = strcmp(x->runs_text, "0") != 0;
    size_t options = !has_runs ? WITHOUT_RUNS : x->command ? OPTIONS : WITHOUT_COMMAND;
    size_t words = 0;
    while (has_runs && x->command && x->command[words])
        words++;
    char **list = kt_resize(NULL, options + words + 1, sizeof *list);
    memcpy(list, option, options * sizeof *list);
    for (size_t i = 0; i < words; i++)
        list[options + i] = x->command[i];
    list[options + words] = NULL;
    return list;
}

/* The document that a verb prints in the end; its first argument names it. */
static enum kt_status ask(const struct explain *x, char *const *arguments, json_t **out, struct kt_error *error)
{
    int exit;
    json_error_t wrong;
    FILE *output = tmpfile();
    if (!output)
        return kt_fail(error, KT_SYSTEM, "no temporary file for %s: %s", arguments[0], strerror(errno));
    enum kt_status status = kt_itself_run(arguments, fileno(output), &exit, error);
    rewind(output);
    *out = status == KT_OK ? json_loadf(output, 0, &wrong) : NULL;
    fclose(output);
    if (status == KT_OK && !*out)
        return kt_fail(error, exit == KT_BAD_INPUT ? KT_BAD_INPUT : KT_SYSTEM, "%s: ktrace %s ended with status %d",
                       x->trace, arguments[0], exit);
    return status;
}

static enum kt_status replay(struct explain *x, struct kt_error *error)
{
    char **list = replay_arguments(x);
    enum kt_status status = ask(x, list, &x->result, error);
    free(list);
    return status;
}

/* What to change. Without it all else is still true, so it is only said that it failed. */
static void advise(struct explain *x)
{
    char budget[16];
    struct kt_error error = {0};
    snprintf(budget, sizeof budget, "%.3g", advice_part * atof(x->budget_text));
    char *const list[] = {"advise", "--json", "--budget", budget, x->trace, NULL};
    if (!kt_interrupted() && ask(x, list, &x->advised, &error) != KT_OK)
        kt_notice("no advice: %s", error.text);
}

/* --- the verb ------------------------------------------------------------------------------------------------ */

static enum kt_status write_html(const struct kt_explain *found, const char *path, struct kt_error *error)
{
    json_t *document = kt_explain_json(found);
    enum kt_status status = kt_html_write(&found->report, &(struct kt_html_more){.explain = document}, path, error);
    json_decref(document);
    return status;
}

static enum kt_status explain(struct explain *x, struct kt_error *error)
{
    struct kt_explain found;
    char *trace = x->trace;
    double seconds = seconds_of_program(x->trace, error);
    KT_TRY(error->status);
    choose_time(x, seconds);
    say_time(x, seconds);
    KT_TRY(replay(x, error));
    advise(x);
    enum kt_status status =
        kt_explain_make(&trace, x->result, x->advised, is_leaves(x) ? KT_LEAVES : KT_OUTERMOST, &found, error);
    found.needed_budget = needed_budget(x, seconds);
    if (x->status && !found.stopped)
        found.stopped = "it ended with another status than 0";
    if (status == KT_OK && x->html)
        status = write_html(&found, x->html, error);
    if (status == KT_OK && x->json)
        kt_document_print(&kt_document_explain, kt_explain_json(&found));
    else if (status == KT_OK)
        kt_explain_print(&found, x->html);
    kt_explain_free(&found);
    json_decref(x->advised);
    return status;
}

/* The status is the program's, unless that went well and we did not. */
int kt_verb_explain(int argc, char **argv)
{
    struct explain x = {0};
    struct kt_error error = {0};
    enum kt_status status = parse_options(argc, argv, &x, &error);
    if (status != KT_OK)
        return kt_verb_usage("explain", "%s", error.text);
    if (x.html && kt_html_check(&error) != KT_OK)
        return kt_verb_fail("explain", &error);
    kt_interrupt_catch();
    if (x.command) {
        name_trace(&x);
        status = record(&x, &error);
        bool is_over = kt_interrupted() || access(x.trace, R_OK) != 0; /* what there is to say was said */
        if (status == KT_OK && is_over)
            return x.status ? x.status : kt_verb_status(kt_interrupted());
    }
    if (status == KT_OK)
        status = explain(&x, &error);
    if (status != KT_OK)
        kt_verb_fail("explain", &error);
    return x.status ? x.status : kt_interrupted() ? kt_verb_status(kt_interrupted()) : (int)status;
}
