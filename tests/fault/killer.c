/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The kill test: starts the victim under the shim, kills it at a random time and compares what the trace holds with
 * what the victim counted, thread by thread and routine by routine; then asks `ktrace check` and `ktrace info`.
 *
 * The victims record all nested calls, some, or none, in turn: those that were passed on are counted by the call that
 * they nest in.
 *
 * Usage: killer KTRACE LIBKTRACE VICTIM FOLDER RUNS [cut]   With "cut" each trace is damaged before it is read, to see
 * that this is noticed. Prints a line for each difference, one that counts, and returns 1 if there was any.
 */
#include "tests/fault/victim.h"
#include "trace/read/cursor.h"
#include "trace/base/error.h"

#include <fcntl.h>
#include <ftw.h>
#include <inttypes.h>
#include <jansson.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { SPREAD_US = 30000 };

static const char *ktrace, *library, *victim;
static char trace_path[4096], page_path[4096];
static struct victim_page *page;
static unsigned run, differences;
static uint64_t nested_calls[VICTIM_ROUTINES]; /* in one call of the routine */
static const char *nested_mode = "all";

/* What a trace holds of one thread. */
struct found {
    uint64_t complete[VICTIM_ROUTINES]; /* outermost calls */
    uint64_t open;                      /* outermost calls that have not returned */
    uint64_t nested[VICTIM_ROUTINES];   /* complete calls within complete ones, and those passed on there */
    int inside;                         /* the routine of the last outermost call */
    bool inside_complete;
};

static struct {
    uint64_t runs, empty, calls, open;
} total;

__attribute__((format(printf, 1, 2))) static void differ(const char *format, ...)
{
    va_list list;
    va_start(list, format);
    differences++;
    printf("run %u: ", run);
    vprintf(format, list);
    printf("\n");
    va_end(list);
}

/* --- files ------------------------------------------------------------------------------------------------- */

static int remove_one(const char *path, const struct stat *info, int kind, struct FTW *at)
{
    (void)info, (void)kind, (void)at;
    return remove(path);
}

static int cut_one(const char *path, const struct stat *info, int kind, struct FTW *at)
{
    bool stream = kind == FTW_F && path[at->base] == 't' && info->st_size > 8192;
    return stream ? truncate(path, 4096) : 0;
}

static void prepare(void)
{
    nftw(trace_path, remove_one, 16, FTW_DEPTH | FTW_PHYS);
    memset(page, 0, sizeof *page);
}

static struct victim_page *map_page(void)
{
    int file = open(page_path, O_RDWR | O_CREAT | O_TRUNC, 0600);
    if (file < 0 || ftruncate(file, sizeof *page) != 0)
        return NULL;
    void *at = mmap(NULL, sizeof *page, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    close(file);
    return at == MAP_FAILED ? NULL : at;
}

/* --- the victim -------------------------------------------------------------------------------------------- */

static pid_t start(const char *threads, const char *calls)
{
    pid_t pid = fork();
    if (pid != 0)
        return pid;
    setenv("LD_PRELOAD", library, 1);
    setenv("KTRACE_OUT", trace_path, 1);
    setenv("KTRACE_QUIET", "1", 1);
    setenv("KTRACE_NESTED", nested_mode, 1);
    execl(victim, victim, page_path, threads, calls, (char *)NULL);
    _exit(127);
}

/* Half of the runs are killed at any time from their start, half from their first call. */
static void wait_for_call(void)
{
    const struct timespec moment = {.tv_nsec = 50000};
    for (int i = 0; i < 20000 && !atomic_load(&page->thread[0].tid); i++)
        nanosleep(&moment, NULL);
}

static void start_and_kill(const char *threads)
{
    struct timespec delay = {.tv_nsec = 1000L * (random() % SPREAD_US)};
    int status;
    pid_t pid = start(threads, "0");
    if (run % 4 >= 2)
        wait_for_call();
    nanosleep(&delay, NULL);
    kill(pid, SIGKILL);
    waitpid(pid, &status, 0);
    if (!WIFSIGNALED(status) || WTERMSIG(status) != SIGKILL)
        differ("the victim did not die of SIGKILL: status %x", (unsigned)status);
}

/* --- what the trace holds ---------------------------------------------------------------------------------- */

static int routine_number(const char *name)
{
    for (int i = 0; i < VICTIM_ROUTINES; i++)
        if (!strcmp(name, victim_routine[i]))
            return i;
    return -1;
}

static int thread_number(uint32_t tid)
{
    for (int i = 0; i < VICTIM_THREADS; i++)
        if (atomic_load(&page->thread[i].tid) == tid)
            return i;
    return -1;
}

static void count_outermost(struct found *found, const struct kt_call *call)
{
    found->inside = routine_number(call->entry->symbol.routine->name);
    found->inside_complete = call->complete;
    if (found->inside < 0) {
        differ("call %" PRIu64 " is of %s, which nobody made", call->n, call->entry->symbol.routine->name);
        return;
    }
    found->complete[found->inside] += call->complete;
    found->nested[found->inside] += call->passed;
    found->open += !call->complete;
}

static void count_call(struct found found[VICTIM_THREADS], const struct kt_call *call)
{
    int thread = thread_number(call->tid);
    if (thread < 0) {
        differ("a call of thread %" PRIu32 ", which nobody is", call->tid);
        return;
    }
    if (call->parent < 0)
        count_outermost(&found[thread], call);
    else if (found[thread].inside >= 0 && found[thread].inside_complete)
        found[thread].nested[found[thread].inside] += call->complete;
}

static void compare_thread(int number, const struct found *found)
{
    uint64_t in_flight = 0;
    for (int i = 0; i < VICTIM_ROUTINES; i++) {
        uint64_t begun = atomic_load(&page->thread[number].of[i].begun);
        uint64_t ended = atomic_load(&page->thread[number].of[i].ended);
        uint64_t complete = found->complete[i];
        in_flight += begun - ended;
        total.calls += complete;
        if (complete < ended || complete > begun)
            differ("thread %d made %" PRIu64 " calls of %s, began %" PRIu64 "; the trace holds %" PRIu64, number, ended,
                   victim_routine[i], begun, complete);
        if (found->nested[i] != complete * nested_calls[i])
            differ("thread %d: %" PRIu64 " calls within %" PRIu64 " of %s, expected %" PRIu64 " in each", number,
                   found->nested[i], complete, victim_routine[i], nested_calls[i]);
    }
    total.open += found->open;
    if (found->open > in_flight)
        differ("thread %d: %" PRIu64 " calls in flight are more than %" PRIu64, number, found->open, in_flight);
}

static uint64_t ended_calls(void)
{
    uint64_t sum = 0;
    for (int t = 0; t < VICTIM_THREADS; t++)
        for (int i = 0; i < VICTIM_ROUTINES; i++)
            sum += atomic_load(&page->thread[t].of[i].ended);
    return sum;
}

/* --- the command ------------------------------------------------------------------------------------------- */

static json_t *ask(const char *verb)
{
    char command[3 * 4096];
    snprintf(command, sizeof command, "'%s' %s --json '%s' 2>&1", ktrace, verb, trace_path);
    FILE *answer = popen(command, "r");
    json_t *document = answer ? json_loadf(answer, 0, NULL) : NULL;
    if (answer)
        pclose(answer);
    if (!document)
        differ("ktrace %s gives no document", verb);
    return document;
}

static void check_findings(uint64_t calls)
{
    json_t *document = ask("check");
    json_t *findings = json_object_get(document, "findings");
    json_t *finding;
    size_t i;
    json_array_foreach(findings, i, finding)
    {
        if (!strstr(json_string_value(finding), ": incomplete: "))
            differ("ktrace check: %s", json_string_value(finding));
    }
    if (json_array_size(findings) != 1)
        differ("ktrace check: %zu findings instead of the one of being incomplete", json_array_size(findings));
    if ((uint64_t)json_integer_value(json_object_get(document, "calls")) != calls)
        differ("ktrace check: not %" PRIu64 " calls", calls);
    json_decref(document);
}

static void check_info(uint64_t calls)
{
    json_t *document = ask("info");
    const char *state = json_string_value(json_object_get(document, "state"));
    if (!state || strcmp(state, "incomplete") != 0)
        differ("ktrace info: state %s", state ? state : "missing");
    if ((uint64_t)json_integer_value(json_object_get(document, "calls")) != calls)
        differ("ktrace info: not %" PRIu64 " calls", calls);
    if (json_array_size(json_object_get(document, "lost")) != 0)
        differ("ktrace info: calls were lost");
    json_decref(document);
}

/* --- one run ----------------------------------------------------------------------------------------------- */

static uint64_t read_calls(const struct kt_trace *trace, struct found found[VICTIM_THREADS])
{
    struct kt_cursor cursor;
    struct kt_call call;
    uint64_t calls = 0;
    for (kt_cursor_begin(trace, &cursor); kt_cursor_next(&cursor, &call); calls++)
        count_call(found, &call);
    return calls;
}

static void compare(void)
{
    struct kt_trace trace;
    struct kt_error error = {0};
    struct found found[VICTIM_THREADS] = {0};
    if (kt_trace_open(trace_path, &trace, &error) != KT_OK) {
        total.empty++;
        if (ended_calls() != 0)
            differ("%" PRIu64 " calls were made and there is no trace: %s", ended_calls(), error.text);
        kt_trace_close(&trace);
        return;
    }
    for (size_t i = 0; i < trace.notes; i++)
        differ("%s", trace.note[i]);
    uint64_t calls = read_calls(&trace, found);
    for (int i = 0; i < VICTIM_THREADS; i++)
        compare_thread(i, &found[i]);
    kt_trace_close(&trace);
    check_findings(calls);
    check_info(calls);
}

/* A run that nobody kills tells how many calls nest in each. */
static bool calibrate(void)
{
    struct kt_trace trace;
    struct kt_error error = {0};
    struct found found[VICTIM_THREADS] = {0};
    int status;
    waitpid(start("1", "1000"), &status, 0);
    if (status != 0 || kt_trace_open(trace_path, &trace, &error) != KT_OK)
        return false;
    read_calls(&trace, found);
    kt_trace_close(&trace);
    for (int i = 0; i < VICTIM_ROUTINES; i++) {
        uint64_t calls = found[0].complete[i];
        if (calls == 0 || found[0].nested[i] % calls != 0)
            return false;
        nested_calls[i] = found[0].nested[i] / calls;
    }
    return nested_calls[0] == 0 && nested_calls[2] > 0;
}

int main(int argc, char **argv)
{
    static const char *const mode[] = {"sample", "all", "none"};
    if (argc < 6)
        return 2;
    ktrace = argv[1];
    library = argv[2];
    victim = argv[3];
    bool cut = argc > 6;
    snprintf(trace_path, sizeof trace_path, "%s/trace", argv[4]);
    snprintf(page_path, sizeof page_path, "%s/page", argv[4]);
    page = map_page();
    unsigned seed = (unsigned)time(NULL);
    srandom(seed);
    if (!page || (prepare(), !calibrate())) {
        printf("the victim does not work\n");
        return 2;
    }
    for (run = 0; run < (unsigned)atoi(argv[5]); run++) {
        prepare();
        nested_mode = mode[run / 4 % 3];
        start_and_kill(run % 2 ? "4" : "1");
        if (cut)
            nftw(trace_path, cut_one, 16, FTW_PHYS);
        compare();
    }
    prepare();
    printf("%u runs (seed %u), %" PRIu64 " of them killed before a trace began; %" PRIu64 " calls compared, %" PRIu64
           " in flight; %u differences\n",
           run, seed, total.empty, total.calls, total.open, differences);
    return differences != 0;
}
