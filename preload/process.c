/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The process as a whole: it reads its options when it is loaded, makes its directory when it first records a call,
 * writes the totals when it ends, and starts afresh in forked children. A program that makes no call leaves no trace.
 */
#include "preload/process.h"

#include "ktrace/options.h"
#include "preload/line.h"

#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

extern char **environ;

struct kt_process_info kt_process;

static pthread_mutex_t slow_lock = PTHREAD_MUTEX_INITIALIZER;

static struct {
#define KT_OPTION_FIELD(name, type, fallback, text) const char *name;
    KT_OPTIONS(KT_OPTION_FIELD)
#undef KT_OPTION_FIELD
} option;

static char trace[PATH_MAX];       /* the trace's directory, absolute */
static char program[PATH_MAX];     /* of the executable */
static char *definitions;          /* all lines so far, for forked children; grown by mremap */
static size_t definitions_bytes, definitions_room;
static double clock_ticks;

/* --- slow paths -------------------------------------------------------------------------------------------- */

bool kt_slow_begin(void)
{
    if (kt_self.busy)
        return false;
    kt_self.busy = true;
    pthread_mutex_lock(&slow_lock);
    return true;
}

void kt_slow_end(void)
{
    pthread_mutex_unlock(&slow_lock);
    kt_self.busy = false;
}

/* --- options ----------------------------------------------------------------------------------------------- */

static void notice(const char *a, const char *b, const char *c)
{
    struct kt_line line = {0};
    if (*option.QUIET == '1')
        return;
    kt_line_raw(&line, "ktrace: ");
    kt_line_raw(&line, a);
    kt_line_raw(&line, b);
    kt_line_raw(&line, c);
    kt_line_raw(&line, "\n");
    if (write(STDERR_FILENO, line.text, line.length) < 0)
        return; /* nobody listens */
}

static bool is_option_name(const char *name, size_t length)
{
#define KT_OPTION_NAME(option_name, type, fallback, text) \
    if (length == sizeof #option_name - 1 && !memcmp(name, #option_name, length)) \
        return true;
    KT_OPTIONS(KT_OPTION_NAME)
#undef KT_OPTION_NAME
    return false;
}

static void warn_of_unknown_options(void)
{
    for (char **variable = environ; variable && *variable; variable++) {
        if (strncmp(*variable, "KTRACE_", 7) != 0)
            continue;
        size_t length = strcspn(*variable + 7, "=");
        char name[64];
        if (is_option_name(*variable + 7, length) || length >= sizeof name)
            continue;
        memcpy(name, *variable + 7, length);
        name[length] = '\0';
        notice("unknown variable KTRACE_", name, " is ignored (ktrace env lists them all)");
    }
}

static void read_options(void)
{
#define KT_OPTION_READ(name, type, fallback, text)  \
    option.name = getenv("KTRACE_" #name);          \
    if (!option.name || !*option.name)              \
        option.name = fallback;
    KT_OPTIONS(KT_OPTION_READ)
#undef KT_OPTION_READ
}

static const char *program_name(void)
{
    const char *slash = strrchr(program, '/');
    return slash ? slash + 1 : program;
}

/* Is the program's name among the patterns, which commas separate? */
static bool is_selected(const char *patterns)
{
    while (*patterns) {
        size_t length = strcspn(patterns, ",");
        char pattern[256];
        snprintf(pattern, sizeof pattern, "%.*s", (int)length, patterns);
        if (fnmatch(pattern, program_name(), 0) == 0)
            return true;
        patterns += length + (patterns[length] == ',');
    }
    return false;
}

static void append(char *out, const char *text)
{
    size_t used = strlen(out);
    snprintf(out + used, PATH_MAX - used, "%s", text);
}

static void append_escape(char *out, char which)
{
    char text[256] = "%";
    if (which == 'p')
        snprintf(text, sizeof text, "%ld", (long)getpid());
    if (which == 'h')
        gethostname(text, sizeof text - 1);
    append(out, which == 'x' ? program_name() : text);
}

/* Absolute now, as the program may change its working directory. */
static void expand_trace_path(void)
{
    trace[0] = '\0';
    if (*option.OUT != '/') {
        if (!getcwd(trace, sizeof trace))
            trace[0] = '\0';
        append(trace, "/");
    }
    for (const char *c = option.OUT; *c; c++) {
        char letter[2] = {*c, '\0'};
        if (*c == '%' && c[1])
            append_escape(trace, *++c);
        else
            append(trace, letter);
    }
}

/* --- files ------------------------------------------------------------------------------------------------- */

void kt_process_path(char out[PATH_MAX], const char *name, uint64_t number, unsigned suffix)
{
    struct kt_line line = {0};
    kt_line_raw(&line, kt_process.directory);
    kt_line_raw(&line, "/");
    kt_line_raw(&line, name);
    if (number)
        kt_line_unsigned(&line, number, 10);
    if (suffix) {
        kt_line_raw(&line, ".");
        kt_line_unsigned(&line, suffix, 10);
    }
    size_t length = line.length < PATH_MAX ? line.length : PATH_MAX - 1;
    memcpy(out, line.text, length);
    out[length] = '\0';
}

struct kt_anchor kt_anchor_now(void)
{
    struct timespec monotonic;
    struct timespec real;
    clock_gettime(CLOCK_MONOTONIC, &monotonic);
    uint64_t ticks = kt_clock_start();
    clock_gettime(CLOCK_REALTIME, &real);
    return (struct kt_anchor){.ticks = ticks,
                              .monotonic_ns = (uint64_t)monotonic.tv_sec * 1000000000u + (uint64_t)monotonic.tv_nsec,
                              .realtime_ns = (uint64_t)real.tv_sec * 1000000000u + (uint64_t)real.tv_nsec};
}

/* What two readings with nothing in between show: part of every recorded duration. */
static void measure_clock(void)
{
    uint64_t least = UINT64_MAX;
    for (int i = 0; i < 200; i++) {
        unsigned cpu;
        uint64_t start = kt_clock_start();
        uint64_t ticks = kt_clock_stop(&cpu) - start;
        least = ticks < least ? ticks : least;
    }
    clock_ticks = (double)least;
}

/* --- the meta file ----------------------------------------------------------------------------------------- */

static void field(struct kt_line *line, const char *key, const char *value)
{
    kt_line_raw(line, key);
    kt_line_raw(line, "\t");
    kt_line_escaped(line, value, strlen(value));
    kt_line_raw(line, "\n");
}

static void number_field(struct kt_line *line, const char *key, uint64_t value)
{
    kt_line_raw(line, key);
    kt_line_raw(line, "\t");
    kt_line_unsigned(line, value, 10);
    kt_line_raw(line, "\n");
}

static void anchor_field(struct kt_line *line)
{
    struct kt_anchor now = kt_anchor_now();
    kt_line_raw(line, "anchor\t");
    kt_line_unsigned(line, now.ticks, 10);
    kt_line_raw(line, "\t");
    kt_line_unsigned(line, now.monotonic_ns, 10);
    kt_line_raw(line, "\t");
    kt_line_unsigned(line, now.realtime_ns, 10);
    kt_line_raw(line, "\n");
}

static void argument_fields(struct kt_line *line)
{
    static char text[KT_LINE_BYTES / 2];
    size_t length = kt_read_file("/proc/self/cmdline", text, sizeof text);
    for (size_t at = 0; at < length; at += strlen(text + at) + 1)
        field(line, "arg", text + at);
}

static void first_line_field(struct kt_line *line, const char *key, const char *path)
{
    char text[256];
    kt_read_file(path, text, sizeof text);
    text[strcspn(text, "\n")] = '\0';
    field(line, key, text);
}

/* Field 22 of /proc/self/stat; the second, the name, may hold blanks and parentheses. */
static void start_time_field(struct kt_line *line)
{
    char text[1024];
    kt_read_file("/proc/self/stat", text, sizeof text);
    char *at = strrchr(text, ')');
    for (int i = 2; at && i < 22; i++)
        at = strchr(at + 1, ' ');
    if (!at)
        return;
    at[1 + strcspn(at + 1, " ")] = '\0';
    field(line, "start_time", at + 1);
}

static void cpu_model_field(struct kt_line *line)
{
    static char text[8192];
    kt_read_file("/proc/cpuinfo", text, sizeof text);
    char *at = strstr(text, "model name");
    at = at ? strchr(at, ':') : NULL;
    if (!at)
        return;
    at += strspn(at, ": \t");
    at[strcspn(at, "\n")] = '\0';
    field(line, "cpu_model", at);
}

static void option_fields(struct kt_line *line)
{
#define KT_OPTION_WRITE(name, type, fallback, text) \
    kt_line_raw(line, "option\t");                  \
    field(line, #name, option.name);
    KT_OPTIONS(KT_OPTION_WRITE)
#undef KT_OPTION_WRITE
}

static void machine_fields(struct kt_line *line)
{
    char host[256] = "";
    gethostname(host, sizeof host - 1);
    field(line, "host", host);
    first_line_field(line, "boot_id", "/proc/sys/kernel/random/boot_id");
    start_time_field(line);
    field(line, "byte_order", "little");
    field(line, "clock", KT_CLOCK_NAME);
    number_field(line, "clock_ticks", (uint64_t)clock_ticks);
    anchor_field(line);
    number_field(line, "cpus", (uint64_t)sysconf(_SC_NPROCESSORS_ONLN));
    cpu_model_field(line);
    number_field(line, "page_bytes", (uint64_t)sysconf(_SC_PAGESIZE));
}

static bool write_meta(void)
{
    static struct kt_line line; /* within a slow path: one at a time */
    char path[PATH_MAX];
    line.length = 0;
    kt_line_raw(&line, "format\tktrace\t");
    kt_line_unsigned(&line, KT_FORMAT_MAJOR, 10);
    kt_line_raw(&line, "\t");
    kt_line_unsigned(&line, KT_FORMAT_MINOR, 10);
    kt_line_raw(&line, "\n");
    number_field(&line, "pid", (uint64_t)getpid());
    number_field(&line, "ppid", (uint64_t)getppid());
    field(&line, "program", program);
    if (getcwd(path, sizeof path))
        field(&line, "cwd", path);
    machine_fields(&line);
    option_fields(&line);
    argument_fields(&line);
    kt_process_path(path, "meta", 0, 0);
    return kt_append_file(path, line.text, line.length);
}

/* --- opening and definitions ------------------------------------------------------------------------------- */

static void write_readme(void)
{
    static const char text[] =
        "This directory is a trace of BLAS and LAPACK calls, recorded by ktrace.\n"
        "`ktrace report` on it says where the time went; `ktrace help` names everything else.\n"
        "Each directory p<PID> holds one process: meta (text), definitions (text), t<TID> (one stream of\n"
        "calls per thread) and, if the process ended cleanly, end (text).\n";
    struct kt_line path = {0};
    kt_line_raw(&path, trace);
    kt_line_raw(&path, "/README");
    if (path.length < PATH_MAX && access(path.text, F_OK) != 0)
        kt_append_file(path.text, text, sizeof text - 1);
}

/* A directory of its own, whoever else traces into the same place. */
static bool make_directory(void)
{
    if (mkdir(trace, 0777) != 0 && errno != EEXIST)
        return false;
    size_t room = sizeof kt_process.directory;
    for (int i = 0; i < 1000; i++) {
        int length = i ? snprintf(kt_process.directory, room, "%s/p%ld.%d", trace, (long)getpid(), i)
                       : snprintf(kt_process.directory, room, "%s/p%ld", trace, (long)getpid());
        if (length < 0 || (size_t)length > room - 64)
            return false;
        if (mkdir(kt_process.directory, 0777) == 0)
            return true;
        if (errno != EEXIST)
            return false;
    }
    return false;
}

static bool write_definitions(const char *text, size_t bytes)
{
    char path[PATH_MAX];
    kt_process_path(path, "definitions", 0, 0);
    return kt_append_file(path, text, bytes);
}

bool kt_process_open(void)
{
    if (atomic_load(&kt_process.state) == KT_STATE_OPEN)
        return true;
    if (atomic_load(&kt_process.state) != KT_STATE_READY)
        return false;
    if (!make_directory())
        return false;
    write_readme();
    if (!write_meta() || !write_definitions(definitions, definitions_bytes))
        return false;
    atomic_store(&kt_process.state, KT_STATE_OPEN);
    return true;
}

static bool grow_definitions(size_t bytes)
{
    size_t room = definitions_room ? 2 * definitions_room : 256 << 10;
    while (room < bytes)
        room *= 2;
    void *at = definitions ? mremap(definitions, definitions_room, room, MREMAP_MAYMOVE)
                           : mmap(NULL, room, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (at == MAP_FAILED)
        return false;
    definitions = at;
    definitions_room = room;
    return true;
}

void kt_define(const char *text, size_t length)
{
    if (definitions_bytes + length > definitions_room && !grow_definitions(definitions_bytes + length))
        return;
    memcpy(definitions + definitions_bytes, text, length);
    definitions_bytes += length;
    if (atomic_load(&kt_process.state) == KT_STATE_OPEN)
        write_definitions(text, length);
}

/* --- the end ----------------------------------------------------------------------------------------------- */

static void losses_lines(struct kt_line *line, const uint64_t *lost)
{
    static const char *const name[] = {
#define KT_LOSS_NAME(name, text) #name,
        KT_LOSSES(KT_LOSS_NAME)
#undef KT_LOSS_NAME
    };
    for (int i = 0; i < KT_LOSS_COUNT; i++) {
        if (!lost[i])
            continue;
        kt_line_raw(line, "lost\t");
        number_field(line, name[i], lost[i]);
    }
}

static void write_end(uint64_t calls, const uint64_t *lost)
{
    struct kt_line line = {0};
    char temporary[PATH_MAX];
    char path[PATH_MAX];
    number_field(&line, "calls", calls);
    losses_lines(&line, lost);
    anchor_field(&line);
    kt_process_path(temporary, "end.part", 0, 0);
    kt_process_path(path, "end", 0, 0);
    if (!kt_append_file(temporary, line.text, line.length) || rename(temporary, path) != 0)
        unlink(temporary);
}

static void tell_losses(const uint64_t *lost)
{
    static const char *const reason[] = {
#define KT_LOSS_TEXT(name, text) text,
        KT_LOSSES(KT_LOSS_TEXT)
#undef KT_LOSS_TEXT
    };
    for (int i = 0; i < KT_LOSS_COUNT; i++) {
        struct kt_line number = {0};
        if (!lost[i])
            continue;
        kt_line_unsigned(&number, lost[i], 10);
        notice(number.text, " calls were not recorded: ", reason[i]);
    }
}

/* Relative to the working directory where that is shorter to type. */
static const char *short_trace_path(void)
{
    static char cwd[PATH_MAX];
    if (!getcwd(cwd, sizeof cwd))
        return trace;
    size_t length = strlen(cwd);
    return !strncmp(trace, cwd, length) && trace[length] == '/' ? trace + length + 1 : trace;
}

static void tell_calls(uint64_t calls)
{
    struct kt_line text = {0};
    kt_line_unsigned(&text, calls, 10);
    kt_line_raw(&text, " calls recorded in ");
    kt_line_raw(&text, short_trace_path());
    kt_line_raw(&text, "; next: ktrace report ");
    notice(text.text, short_trace_path(), "");
}

__attribute__((destructor)) static void close_process(void)
{
    uint64_t lost[KT_LOSS_COUNT];
    int saved = errno;
    kt_thread_close();
    if (kt_slow_begin()) {
        bool was_open = atomic_load(&kt_process.state) == KT_STATE_OPEN;
        uint64_t calls = kt_threads_calls(lost);
        if (was_open) {
            write_end(calls, lost);
            tell_calls(calls);
        }
        tell_losses(lost);
        if (was_open)
            atomic_store(&kt_process.state, KT_STATE_CLOSED);
        kt_slow_end();
    }
    errno = saved;
}

/* --- the start and forks ----------------------------------------------------------------------------------- */

static void before_fork(void)
{
    if (!kt_self.busy)
        pthread_mutex_lock(&slow_lock);
}

static void after_fork_in_parent(void)
{
    if (!kt_self.busy)
        pthread_mutex_unlock(&slow_lock);
}

/* The child writes into a directory of its own, in the same trace. */
static void after_fork_in_child(void)
{
    pthread_mutex_init(&slow_lock, NULL);
    kt_self.busy = false;
    kt_process.number++;
    kt_threads_forget();
    atomic_store(&kt_process.calls, 0);
    for (int i = 0; i < KT_LOSS_COUNT; i++)
        atomic_store(&kt_process.lost[i], 0);
    if (atomic_load(&kt_process.state) != KT_STATE_OFF)
        atomic_store(&kt_process.state, KT_STATE_READY);
}

/* Our own name leaves LD_PRELOAD, so that programs executed from here on run without us; others stay in it. */
static void stop_following(void)
{
    static char rest[PATH_MAX];
    const char *preload = getenv("LD_PRELOAD");
    rest[0] = '\0';
    while (preload && *preload) {
        size_t length = strcspn(preload, ": ");
        if (length && !memmem(preload, length, "libktrace", 9)) {
            size_t used = strlen(rest);
            snprintf(rest + used, sizeof rest - used, "%s%.*s", used ? ":" : "", (int)length, preload);
        }
        preload += length + (preload[length] != '\0');
    }
    if (*rest)
        setenv("LD_PRELOAD", rest, 1);
    else
        unsetenv("LD_PRELOAD");
}

static void start_recording(void)
{
    warn_of_unknown_options();
    expand_trace_path();
    measure_clock();
    kt_threads_init();
    pthread_atfork(before_fork, after_fork_in_parent, after_fork_in_child);
    atomic_store(&kt_process.state, KT_STATE_READY);
}

__attribute__((constructor)) void kt_process_start(void)
{
    int saved = errno;
    if (atomic_load(&kt_process.state) != KT_STATE_START)
        return;
    atomic_store(&kt_process.state, KT_STATE_OFF);
    read_options();
    ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
    program[length > 0 ? length : 0] = '\0';
    if (*option.FOLLOW == '0')
        stop_following();
    if (*option.DISABLE != '1' && is_selected(option.PROGRAMS))
        start_recording();
    errno = saved;
}
