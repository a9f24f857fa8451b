/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * ktrace run: runs a program with the shim in front of its libraries. The program keeps its signals, files, terminal
 * and exit status; everything that can go wrong with the trace is found before it starts.
 *
 * The shim is preloaded, and an auditor of the dynamic linker helps it to see what passes it by (preload/audit.c).
 *
 * The child prepares the directory, as its name may hold the child's process id, and tells over a pipe how far it
 * came: the pipe closes by itself when the program is executed.
 */
#include "trace/table/known.h"
#include "trace/base/memory.h"
#include "trace/library/run_library.h"
#include "trace/print/text.h"
#include "trace/shape/settle.h"
#include "trace/command/verb.h"
#include "trace/verbs/run_clock.h"
#include "trace/verbs/run_directory.h"
#include "trace/verbs/run_map.h"

#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <gnu/libc-version.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

enum { NOT_EXECUTABLE = 126, NOT_FOUND = 127, KILLED = 128 };

/* What the child reports. */
enum { CREATED = 'c', FAILED = 'f' };

/* Options that a variable has a word for. */
enum { MODE, NESTED, STACKS, WORDS };

struct run {
    const char *output;             /* of -o, or NULL */
    const char *word[WORDS];        /* of word_variable; NULL: as the environment says */
    const char *blas;               /* of --blas, or NULL */
    const char *lapack;             /* of --lapack, or NULL */
    const char *map;                /* of --map, or NULL */
    const char *block_sizes;        /* of --block-size, or NULL */
    bool no_trace;                  /* of --no-trace */
    struct kt_installed substitute; /* the files of these */
    char **command;
    char library[PATH_MAX];
    char auditor[PATH_MAX]; /* empty: goes without */
    char blocker[PATH_MAX]; /* what applies block sizes */
    char directory[PATH_MAX];
    int killer;         /* the signal that ended the program, or 0 */
    bool created;       /* the directory did not exist before */
    int report[2];      /* pipe from the child */
    sigset_t signals;   /* that the parent waits for */
    sigset_t inherited; /* signal mask for the program */
    struct sigaction child_action;
};

/* --- options ----------------------------------------------------------------------------------------------- */

/* A separator and a number of at most six digits behind it, LEAST or more: moves behind both. */
static bool accept_number(const char **at, char separator, long least)
{
    size_t digits = **at == separator ? strspn(*at + 1, "0123456789") : 0;
    bool fine = digits > 0 && digits <= 6 && strtol(*at + 1, NULL, 10) >= least;
    *at += fine ? digits + 1 : 0;
    return fine;
}

/* ROUTINE=SIZE[:REST], separated by commas. */
static bool are_block_sizes(const char *at)
{
    for (;; at++) {
        size_t length = strspn(at, "abcdefghijklmnopqrstuvwxyz0123456789");
        at += length;
        if (length == 0 || length > 15 || !accept_number(&at, '=', 1))
            return false;
        if (*at == ':' && !accept_number(&at, ':', 0))
            return false;
        if (*at != ',')
            return !*at;
    }
}

/* The first name of the list that is no routine of LAPACK, in which nothing asks for a block size; NULL: all are. */
static const char *not_of_lapack(const char *list, char name[KT_NAME])
{
    for (const char *at = list; *at; at += strcspn(at, ","), at += *at == ',') {
        snprintf(name, KT_NAME, "%.*s", (int)strcspn(at, "="), at);
        if (!kt_known_is_lapack(name))
            return name;
    }
    return NULL;
}

static int check_block_sizes(const char *verb, const char *list)
{
    char name[KT_NAME];
    if (!are_block_sizes(list))
        return kt_verb_usage(verb, "--block-size %s: expected ROUTINE=SIZE[:REST], such as dgeqrf=48", list);
    if (not_of_lapack(list, name))
        return kt_verb_usage(
            verb, "--block-size: %s is no routine of LAPACK; those ask for block sizes, such as dgeqrf", name);
    return 0;
}

static const char *const word_variable[WORDS] = {
    [MODE] = "KTRACE_MODE", [NESTED] = "KTRACE_NESTED", [STACKS] = "KTRACE_STACKS"};

/* The word itself, if it is one of those that there are. */
static enum kt_status take_word(const struct kt_verb_option *option, const char *value, void *out,
                                struct kt_error *error)
{
    int place;
    *(const char **)out = value;
    return kt_verb_take_choice(option, value, &place, error);
}

const struct kt_verb_option kt_verb_run_options[] = {
    {"output", 'o', "DIR", "where the trace goes: a new or empty directory; default ktrace.PROGRAM.PID",
     KT_VERB_TEXT(struct run, output)},
    {"mode", 0, "full|profile", "record every call, or add them up by shape in constant memory", take_word,
     offsetof(struct run, word[MODE])},
    {"nested", 0, "sample|all|none",
     "calls made inside other calls: record them for a sample of the outer calls (default), for all, or for none",
     take_word, offsetof(struct run, word[NESTED])},
    {"stacks", 0, "lines|paths|off",
     "record the calling line of Python programs, line or function of R programs (default), all callers in any "
     "program, "
     "or neither",
     take_word, offsetof(struct run, word[STACKS])},
    {"blas", 0, "LIB", "run the program on that library: a path, a soname or a short name",
     KT_VERB_TEXT(struct run, blas)},
    {"lapack", 0, "LIB", "library of the routines that the one of --blas lacks", KT_VERB_TEXT(struct run, lapack)},
    {"map", 0, "FILE", "send each call to the library that FILE names for it; ktrace compare --map writes FILE",
     KT_VERB_TEXT(struct run, map)},
    {"no-trace", 0, NULL, "record nothing; --blas, --map and --block-size still hold",
     KT_VERB_FLAG(struct run, no_trace)},
    {"block-size", 0, "LIST",
     "block sizes of LAPACK's routines, such as dgeqrf=48,dgetrf=96:128 (behind the colon: the crossover point)",
     KT_VERB_TEXT(struct run, block_sizes)},
    {0},
};

static int parse_arguments(int argc, char **argv, struct run *run)
{
    int wrong = kt_verb_parse(argc, argv, kt_verb_run_options, run);
    if (wrong)
        return wrong;
    if (run->lapack && !run->blas)
        return kt_verb_usage(argv[0], "--lapack goes with --blas");
    if (run->no_trace && run->output)
        return kt_verb_usage(argv[0], "--no-trace writes nothing to --output");
    if (run->map && run->blas)
        return kt_verb_usage(argv[0], "--blas sends all calls to one library, --map to several: give one of them");
    wrong = run->block_sizes ? check_block_sizes(argv[0], run->block_sizes) : 0;
    if (wrong)
        return wrong;
    if (optind == argc)
        return kt_verb_usage(argv[0], "which command?");
    if (run->output && !*run->output)
        return kt_verb_usage(argv[0], "the name of the directory is empty");
    run->command = argv + optind;
    return 0;
}

/* --- the libraries ----------------------------------------------------------------------------------------- */

/* Next to the command, as it is built, or in ../lib, as it is installed. */
static bool find_file(const char *self, const char *name, char found[PATH_MAX])
{
    static const char *const places[] = {"", "../lib/"};
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        char path[2 * PATH_MAX];
        snprintf(path, sizeof path, "%s/%s%s", self, places[i], name);
        if (realpath(path, found))
            return true;
    }
    found[0] = '\0';
    return false;
}

/* With older versions of the C library it would cost time in every call between libraries. */
static bool can_audit(void)
{
    int major = 0;
    int minor = 0;
    sscanf(gnu_get_libc_version(), "%d.%d", &major, &minor);
    return major > 2 || (major == 2 && minor >= 35);
}

static enum kt_status find_libraries(struct run *run, struct kt_error *error)
{
    char self[PATH_MAX];
    ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    if (length < 0)
        return kt_fail(error, KT_SYSTEM, "/proc/self/exe: %s", strerror(errno));
    self[length] = '\0';
    *strrchr(self, '/') = '\0';
    if (!find_file(self, "libktrace.so", run->library))
        return kt_fail(error, KT_SYSTEM, "libktrace.so is neither in %s nor in %s/../lib: run make or make install",
                       self, self);
    if (strpbrk(run->library, " :"))
        return kt_fail(error, KT_SYSTEM, "%s: cannot be preloaded from a path with a blank or colon", run->library);
    if (run->block_sizes && !find_file(self, "libktrace-block.so", run->blocker))
        return kt_fail(error, KT_SYSTEM, "libktrace-block.so is not beside libktrace.so: run make or make install");
    if (can_audit())
        find_file(self, "libktrace-audit.so", run->auditor);
    return KT_OK;
}

/* --- the child --------------------------------------------------------------------------------------------- */

/* KTRACE_OUT is a pattern: percent signs are doubled. */
static void set_output(const struct run *run)
{
    char value[2 * PATH_MAX];
    char *to = value;
    for (const char *from = run->directory; *from; from++) {
        if (*from == '%')
            *to++ = '%';
        *to++ = *from;
    }
    *to = '\0';
    setenv("KTRACE_OUT", value, 1);
}

static void put_in_front(const char *variable, const char *path)
{
    const char *others = getenv(variable);
    size_t size = strlen(path) + (others ? strlen(others) : 0) + 2;
    char *value = kt_resize(NULL, size, 1);
    snprintf(value, size, "%s%s%s", path, others && *others ? ":" : "", others ? others : "");
    setenv(variable, value, 1);
    free(value);
}

static void tell_parent(const struct run *run, char what)
{
    if (write(run->report[1], &what, 1) != 1)
        _exit(KT_SYSTEM); /* the parent is gone */
}

__attribute__((noreturn)) static void fail_in_child(const struct run *run, int status, const struct kt_error *error)
{
    kt_verb_fail("run", error);
    tell_parent(run, FAILED);
    _exit(status);
}

static void set_environment(const struct run *run)
{
    for (int i = 0; i < WORDS; i++)
        if (run->word[i])
            setenv(word_variable[i], run->word[i], 1);
    kt_run_clock_export();
    if (run->substitute.files)
        kt_run_library_export(&run->substitute);
    if (run->block_sizes) {
        setenv("KTRACE_BLOCK_SIZE", run->block_sizes, 1);
        put_in_front("LD_PRELOAD", run->blocker);
    }
    put_in_front("LD_PRELOAD", run->library);
    if (*run->auditor)
        put_in_front("LD_AUDIT", run->auditor);
}

/* Returns only if it cannot be executed, with the exit status that shells have for that. */
static int execute(const struct run *run, struct kt_error *error)
{
    execvp(run->command[0], run->command);
    bool missing = errno == ENOENT;
    kt_fail(error, KT_SYSTEM, "%s: %s", run->command[0], missing ? "command not found" : strerror(errno));
    return missing ? NOT_FOUND : NOT_EXECUTABLE;
}

__attribute__((noreturn)) static void be_the_program(struct run *run)
{
    struct kt_error error = {0};
    kt_run_directory_find(run->output, run->command[0], getpid(), run->directory);
    enum kt_status status = kt_run_directory_prepare(run->directory, &run->created, &error);
    if (status != KT_OK)
        fail_in_child(run, (int)status, &error);
    if (run->created)
        tell_parent(run, CREATED);
    set_output(run);
    set_environment(run);
    sigaction(SIGCHLD, &run->child_action, NULL);
    sigprocmask(SIG_SETMASK, &run->inherited, NULL);
    int failed = execute(run, &error);
    fail_in_child(run, failed, &error);
}

/* --- the parent -------------------------------------------------------------------------------------------- */

/* Signals stay blocked in the parent: those it waits for are forwarded. */
static void block_signals(struct run *run)
{
    static const int awaited[] = {SIGCHLD, SIGTERM, SIGHUP, SIGINT, SIGQUIT, SIGUSR1, SIGUSR2};
    struct sigaction standard = {.sa_handler = SIG_DFL};
    sigemptyset(&run->signals);
    for (size_t i = 0; i < sizeof awaited / sizeof *awaited; i++)
        sigaddset(&run->signals, awaited[i]);
    sigprocmask(SIG_BLOCK, &run->signals, &run->inherited);
    sigaction(SIGCHLD, &standard, &run->child_action); /* if it is ignored there is nothing to wait for */
}

/* False if the program was not started. */
static bool read_report(struct run *run)
{
    char what;
    bool started = true;
    close(run->report[1]);
    for (ssize_t got; (got = read(run->report[0], &what, 1)) != 0;) {
        if (got < 0 && errno != EINTR)
            break;
        run->created |= got > 0 && what == CREATED;
        started &= got <= 0 || what != FAILED;
    }
    close(run->report[0]);
    return started;
}

/* The terminal sends its own to the child as well. */
static bool is_for_child(const siginfo_t *signal)
{
    bool is_key = (signal->si_signo == SIGINT || signal->si_signo == SIGQUIT) && signal->si_code > 0;
    return signal->si_signo != SIGCHLD && !is_key;
}

static int wait_for(struct run *run, pid_t child)
{
    int status = 0;
    while (waitpid(child, &status, WNOHANG) == 0) {
        siginfo_t signal;
        if (sigwaitinfo(&run->signals, &signal) > 0 && is_for_child(&signal))
            kill(child, signal.si_signo);
    }
    run->killer = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    return run->killer ? KILLED + run->killer : WEXITSTATUS(status);
}

/* A variable that keeps calls from being recorded; NULL: none is set. */
static const char *hiding_variable(void)
{
    static const char *const name[] = {"KTRACE_DISABLE", "KTRACE_PROGRAMS", "KTRACE_ROUTINES"};
    for (size_t i = 0; i < sizeof name / sizeof *name; i++) {
        const char *value = getenv(name[i]);
        if (value && *value && strcmp(value, "0") != 0)
            return name[i];
    }
    return NULL;
}

static void tell_of_nothing(int status)
{
    char ended[16] = "";
    const char *variable = hiding_variable();
    if (status)
        snprintf(ended, sizeof ended, "%d", status);
    if (variable)
        kt_notice("no call was recorded: %s=%s is set", variable, getenv(variable));
    else
        kt_notice("the program made no BLAS or LAPACK call that can be seen"
                  " (it may be statically linked, set-uid, or use its own copy)%s%s",
                  status ? "; it ended with status " : "", ended);
}

/* A process that a signal ends cannot say where its calls are. */
static void tell_of_death(const struct run *run)
{
    const char *quiet = getenv("KTRACE_QUIET");
    if (run->killer && !(quiet && *quiet == '1'))
        kt_notice("%s: ended by signal %d (%s); next: ktrace info %s", run->command[0], run->killer,
                  strsignal(run->killer), run->output ? run->output : run->directory);
}

/* Whether the option or the environment says so. */
static bool keeps_stacks(const struct run *run)
{
    const char *stacks = run->word[STACKS] ? run->word[STACKS] : getenv("KTRACE_STACKS");
    return stacks && !strcmp(stacks, "paths");
}

/* The files that the program had loaded are here now. What cannot be unwound stays as it was recorded. */
static void settle_stacks(const struct run *run)
{
    struct kt_trace trace;
    struct kt_error error = {0};
    if (kt_trace_open(run->directory, &trace, &error) != KT_OK || kt_settle_stacks(&trace, &error) != KT_OK)
        kt_notice("call paths: %s", error.text);
    kt_trace_close(&trace);
}

/* STATUS: the program's. */
static void look_at_trace(const struct run *run, int status)
{
    struct kt_run_contents found;
    if (!kt_run_directory_read(run->directory, &found))
        return;
    if (found.processes) {
        tell_of_death(run);
        if (keeps_stacks(run))
            settle_stacks(run);
        return;
    }
    tell_of_nothing(status);
    if (run->created)
        rmdir(run->directory);
}

static int run_command(struct run *run)
{
    struct kt_error error = {0};
    if (pipe2(run->report, O_CLOEXEC) != 0) {
        kt_fail(&error, KT_SYSTEM, "a pipe cannot be made: %s", strerror(errno));
        return kt_verb_fail("run", &error);
    }
    block_signals(run);
    pid_t child = fork();
    if (child < 0) {
        kt_fail(&error, KT_SYSTEM, "a process cannot be made: %s", strerror(errno));
        return kt_verb_fail("run", &error);
    }
    if (child == 0)
        be_the_program(run);
    kt_run_directory_find(run->output, run->command[0], child, run->directory);
    bool started = read_report(run);
    int status = wait_for(run, child);
    if (started)
        look_at_trace(run, status);
    else if (run->created)
        rmdir(run->directory);
    return status;
}

/* There is nothing to be done when it has ended. */
static int run_untraced(const struct run *run)
{
    struct kt_error error = {0};
    setenv("KTRACE_DISABLE", "1", 1);
    set_environment(run);
    int failed = execute(run, &error);
    kt_verb_fail("run", &error);
    return failed;
}

int kt_verb_run(int argc, char **argv)
{
    struct run run = {0};
    struct kt_error error = {0};
    int wrong = parse_arguments(argc, argv, &run);
    if (wrong)
        return wrong;
    if (find_libraries(&run, &error) != KT_OK)
        return kt_verb_fail(argv[0], &error);
    if (run.blas && kt_run_library(run.blas, run.lapack, run.command[0], &run.substitute, &error) != KT_OK)
        return kt_verb_fail(argv[0], &error);
    if (run.map && kt_run_map(run.map, run.command[0], &error) != KT_OK)
        return kt_verb_fail(argv[0], &error);
    int status = run.no_trace ? run_untraced(&run) : run_command(&run);
    kt_installed_free(&run.substitute);
    return status;
}
