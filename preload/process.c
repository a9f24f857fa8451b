/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The process as a whole: it reads its options when it is loaded, makes its directory when it first records a call,
 * writes the totals when it ends, and starts afresh in forked children. A program that makes no call leaves no trace.
 */
#include "preload/process.h"

#include "preload/apart.h"
#include "preload/bind.h"
#include "preload/control.h"
#include "preload/cost.h"
#include "preload/events.h"
#include "preload/inside.h"
#include "preload/jump.h"
#include "preload/line.h"
#include "preload/meta.h"
#include "preload/objects.h"
#include "preload/profiler.h"
#include "preload/python.h"
#include "preload/system.h"
#include "preload/settings.h"
#include "preload/checksum.h"
#include "preload/snapshot.h"
#include "preload/substitute.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

struct kt_process_info kt_process;

int (*_Atomic kt_omp_in_parallel)(void);

static pthread_mutex_t slow_lock = PTHREAD_MUTEX_INITIALIZER;

/* All lines of the definitions so far, for forked children; grown by mremap. */
static struct {
    char *text;
    size_t bytes, room;
    size_t saved; /* what the file has of them */
} definitions;

/* --- slow paths -------------------------------------------------------------------------------------------- */

/* What a slow path changes of its thread, to be put back. */
static __thread struct {
    sigset_t mask;
    int cancel, cancel_type;
} outside __attribute__((tls_model("initial-exec")));

/* Signals that a fault of this thread raises could not be waited with. */
static void block_signals(sigset_t *before)
{
    static const int fault[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS, SIGABRT};
    sigset_t all;
    sigfillset(&all);
    for (size_t i = 0; i < sizeof fault / sizeof *fault; i++)
        sigdelset(&all, fault[i]);
    pthread_sigmask(SIG_BLOCK, &all, before);
}

/*
 * Whoever cancels a thread that allows it at any moment sends a signal, which may arrive later. Its handler ends the
 * thread if that is within a system call that is a cancellation point, whether or not it can be cancelled by then
 * (glibc 2.36): it would end with our lock. So it is waited for here, where we hold nothing: such a call does not
 * return before a signal that is under way has arrived.
 */
static void await_cancellation(void)
{
    int saved = errno;
    ssize_t none = read(-1, NULL, 0);
    (void)none;
    errno = saved;
}

bool kt_quiet_begin(void)
{
    sigset_t mask;
    kt_process_adopt();
    if (kt_self.busy || !kt_system_may_ask())
        return false;
    /* The type first: whoever cancels this thread at this moment looks at the type alone. */
    int type, state;
    pthread_setcanceltype(PTHREAD_CANCEL_DEFERRED, &type);
    if (type == PTHREAD_CANCEL_ASYNCHRONOUS)
        await_cancellation();
    block_signals(&mask);
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &state);
    kt_self.busy = true;
    outside.mask = mask;
    outside.cancel_type = type;
    outside.cancel = state;
    return true;
}

void kt_quiet_end(void)
{
    sigset_t mask = outside.mask;
    int type = outside.cancel_type;
    int state = outside.cancel;
    kt_self.busy = false;
    pthread_setcancelstate(state, NULL);
    pthread_setcanceltype(type, NULL); /* a cancellation that waited: only this way it has its result */
    pthread_sigmask(SIG_SETMASK, &mask, NULL);
}

/*
 * The thread that forks has our lock while it waits for those of other libraries, which may be held by threads that
 * wait for ours: they give up in the end.
 */
static _Atomic unsigned forks; /* in progress */
static _Atomic bool hopeless;  /* one thread has given up: until the fork is over others need not wait as long */

/* Threads that ask the linker or a library, and will want the lock back; within it. */
static unsigned paused;

static bool lock_within(long milliseconds)
{
    struct timespec end;
    clock_gettime(CLOCK_REALTIME, &end);
    end.tv_nsec += milliseconds * 1000000;
    end.tv_sec += end.tv_nsec / 1000000000;
    end.tv_nsec %= 1000000000;
    return pthread_mutex_timedlock(&slow_lock, &end) == 0;
}

static bool lock_unless_forking(void)
{
    enum { STEP_MS = 10, PATIENCE_MS = 2000 };
    for (int waited = 0; waited < PATIENCE_MS; waited += atomic_load(&forks) ? STEP_MS : 0) {
        if (pthread_mutex_trylock(&slow_lock) == 0)
            return true;
        if (atomic_load(&hopeless))
            return false;
        if (lock_within(STEP_MS))
            return true;
    }
    atomic_store(&hopeless, atomic_load(&forks) > 0);
    return false;
}

/* Who is about to fork lets those that ask come to an end first: they would wait for the lock as long as the fork
 * waits for them. */
static void lock_when_nobody_asks(void)
{
    enum { PATIENCE_MS = 200 };
    const struct timespec step = {0, 1000000};
    pthread_mutex_lock(&slow_lock);
    for (int waited = 0; paused && waited < PATIENCE_MS; waited++) {
        pthread_mutex_unlock(&slow_lock);
        nanosleep(&step, NULL);
        pthread_mutex_lock(&slow_lock);
    }
}

bool kt_slow_begin(void)
{
    if (!kt_quiet_begin())
        return false;
    if (lock_unless_forking())
        return true;
    kt_quiet_end();
    return false;
}

void kt_slow_end(void)
{
    pthread_mutex_unlock(&slow_lock);
    kt_quiet_end();
}

void kt_slow_pause(void)
{
    paused++;
    pthread_mutex_unlock(&slow_lock);
}

void kt_slow_resume(void)
{
    pthread_mutex_lock(&slow_lock);
    paused -= paused > 0; /* none in a child that was forked meanwhile */
}

/* --- files ------------------------------------------------------------------------------------------------- */

/* Formatted print would take 4 KB of stack in programs that have formats of their own, such as Fortran's. */
void kt_path_in(const char *directory, char out[PATH_MAX], const char *name, uint64_t number, unsigned suffix)
{
    static struct kt_line line; /* as this is within a slow path; programs have threads with small stacks */
    line.length = 0;
    kt_line_raw(&line, directory);
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

void kt_process_path(char out[PATH_MAX], const char *name, uint64_t number, unsigned suffix)
{
    kt_path_in(kt_process.directory, out, name, number, suffix);
}

/* --- opening and definitions ------------------------------------------------------------------------------- */

/* Whoever owns the directory of a trace can put links into the place of what we write. */
static bool is_ours(const char *directory)
{
    struct stat st;
    if (stat(directory, &st) != 0)
        return false;
    errno = S_ISDIR(st.st_mode) ? EPERM : ENOTDIR;
    return S_ISDIR(st.st_mode) && st.st_uid == geteuid();
}

/* A directory of its own, whoever else traces into the same place. */
static bool make_directory(void)
{
    if (mkdir(kt_trace, 0700) != 0 && (errno != EEXIST || !is_ours(kt_trace)))
        return false;
    for (unsigned i = 0; i < 1000; i++) {
        kt_path_in(kt_trace, kt_process.directory, "p", (uint64_t)getpid(), i);
        if (strlen(kt_process.directory) > sizeof kt_process.directory - 64)
            return false;
        if (mkdir(kt_process.directory, 0700) == 0)
            return true;
        if (errno != EEXIST)
            return false;
    }
    return false;
}

/* Nothing stays behind: the next attempt makes another directory. */
static void remove_directory(void)
{
    static const char *const name[] = {"meta", "definitions"};
    static char path[PATH_MAX]; /* within a slow path: one at a time */
    int saved = errno;
    for (size_t i = 0; i < sizeof name / sizeof *name; i++) {
        kt_process_path(path, name[i], 0, 0);
        unlink(path);
    }
    rmdir(kt_process.directory);
    errno = saved; /* says why the directory is of no use */
}

/* What a full disk kept out of the file follows when there is room. */
static bool save_definitions(void)
{
    static char path[PATH_MAX]; /* within a slow path: one at a time */
    kt_process_path(path, "definitions", 0, 0);
    definitions.saved +=
        kt_append_file(path, definitions.text + definitions.saved, definitions.bytes - definitions.saved);
    if (definitions.saved == definitions.bytes)
        return true;
    int saved = errno;
    if (truncate(path, (off_t)definitions.saved) != 0 && errno == ENOENT)
        definitions.saved = 0;
    errno = saved; /* what kept it from being written */
    return false;
}

/* LLVM's, asked that, would make a thread known to it that it has never seen, which takes memory. */
static void find_openmp(void)
{
    void *found = kt_find_at_start("libgomp.so.1", "omp_in_parallel");
    int (*in_parallel)(void);
    memcpy(&in_parallel, &found, sizeof in_parallel);
    atomic_store(&kt_omp_in_parallel, in_parallel);
}

bool kt_process_open(void)
{
    if (atomic_load(&kt_process.state) == KT_STATE_OPEN)
        return definitions.saved == definitions.bytes || save_definitions();
    if (atomic_load(&kt_process.state) != KT_STATE_READY)
        return false;
    if (!make_directory())
        return false;
    kt_write_readme();
    definitions.saved = 0;
    if (!kt_write_meta() || !save_definitions()) {
        remove_directory();
        return false;
    }
    atomic_store(&kt_process.state, KT_STATE_OPEN);
    kt_events_describe(kt_define);
    kt_control_open();
    find_openmp();
    kt_python_find();
    return true;
}

static bool grow_definitions(size_t bytes)
{
    size_t room = definitions.room ? 2 * definitions.room : 256 << 10;
    while (room < bytes)
        room *= 2;
    void *at = definitions.text ? mremap(definitions.text, definitions.room, room, MREMAP_MAYMOVE)
                                : mmap(NULL, room, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (at == MAP_FAILED)
        return false;
    definitions.text = at;
    definitions.room = room;
    return true;
}

void kt_define(const char *text, size_t length)
{
    if (definitions.bytes + length > definitions.room && !grow_definitions(definitions.bytes + length))
        return;
    memcpy(definitions.text + definitions.bytes, text, length);
    definitions.bytes += length;
    if (atomic_load(&kt_process.state) == KT_STATE_OPEN)
        save_definitions();
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
        kt_meta_number(line, name[i], lost[i]);
    }
}

static void write_end(const struct kt_totals *total)
{
    static struct kt_line line;
    static char temporary[PATH_MAX]; /* likewise */
    static char path[PATH_MAX];      /* within a slow path: one at a time */
    line.length = 0;
    kt_meta_number(&line, "calls", total->calls);
    kt_meta_number(&line, "skipped", total->skipped);
    kt_meta_number(&line, "passed", total->passed);
    kt_meta_number(&line, "room_ticks", total->room_ticks);
    losses_lines(&line, total->lost);
    if (kt_snapshots_missing())
        kt_meta_number(&line, "snapshots_missing", kt_snapshots_missing());
    kt_meta_anchor(&line);
    kt_process_path(temporary, "end.part", 0, 0);
    kt_process_path(path, "end", 0, 0);
    if (kt_append_file(temporary, line.text, line.length) != line.length || rename(temporary, path) != 0)
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
        char number[24];
        if (!lost[i])
            continue;
        snprintf(number, sizeof number, "%llu", (unsigned long long)lost[i]);
        kt_notice(number, " calls were not recorded: ", reason[i]);
    }
}

static void tell_calls(uint64_t calls)
{
    static char text[PATH_MAX + 80]; /* within a slow path */
    const char *path = kt_short_trace_path();
    const char *done = kt_extras & KT_EXTRA_PROFILE ? "counted" : "recorded";
    snprintf(text, sizeof text, "%llu calls %s in %s; next: ktrace report ", (unsigned long long)calls, done, path);
    kt_notice(text, path, "");
}

__attribute__((destructor)) static void close_process(void)
{
    int saved = errno;
    kt_thread_close();
    if (kt_slow_begin()) {
        bool was_open = atomic_load(&kt_process.state) == KT_STATE_OPEN;
        kt_threads_save();
        const struct kt_totals total = kt_threads_totals();
        if (was_open) {
            kt_profile_finish();
            save_definitions();
            write_end(&total);
            tell_calls(total.calls);
        }
        if (atomic_load(&kt_process.state) != KT_STATE_OFF)
            tell_losses(total.lost);
        if (was_open)
            atomic_store(&kt_process.state, KT_STATE_CLOSED);
        kt_control_change();
        kt_slow_end();
    }
    errno = saved;
}

/* --- the start and forks ----------------------------------------------------------------------------------- */

/* Of this thread, and of that which it becomes in the child. */
static __thread struct {
    bool now;
    bool within_slow_path; /* which has the lock already */
} forking __attribute__((tls_model("initial-exec")));

static void before_fork(void)
{
    kt_process_adopt();
    atomic_fetch_add(&forks, 1);
    forking.within_slow_path = !kt_quiet_begin();
    if (!forking.within_slow_path)
        lock_when_nobody_asks();
    kt_objects_before_fork();
    forking.now = true;
}

static void after_fork_in_parent(void)
{
    forking.now = false;
    if (atomic_fetch_sub(&forks, 1) == 1)
        atomic_store(&hopeless, false);
    if (!forking.within_slow_path)
        kt_slow_end();
}

/* 1 in the process that stored it there; forked children find 0. */
static int *own_page;

static void mark_own_page(void)
{
    if (!own_page) {
        void *at = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (at == MAP_FAILED || madvise(at, 4096, MADV_WIPEONFORK) != 0)
            return;
        own_page = at;
    }
    *own_page = 1;
}

/* The child writes into a directory of its own, in the same trace. */
static void start_afresh(bool told)
{
    kt_objects_after_fork(told);
    mark_own_page();
    paused = 0;
    atomic_store(&hopeless, false);
    kt_events_after_fork();
    kt_control_after_fork();
    kt_threads_forget();
    kt_bind_after_fork();
    atomic_store(&kt_process.calls, 0);
    atomic_store(&kt_process.skipped, 0);
    atomic_store(&kt_process.passed, 0);
    atomic_store(&kt_process.room_ticks, 0);
    for (int i = 0; i < KT_LOSS_COUNT; i++)
        atomic_store(&kt_process.lost[i], 0);
    if (atomic_load(&kt_process.state) == KT_STATE_STARTING) /* by a thread that is not here */
        atomic_store(&kt_process.state, KT_STATE_OFF);
    if (atomic_load(&kt_process.state) != KT_STATE_OFF)
        atomic_store(&kt_process.state, KT_STATE_READY);
}

/* Others' handlers, which run before this one, may have made calls: then it has been run for them. */
static void after_fork_in_child(void)
{
    if (!forking.now)
        return;
    start_afresh(true);
    atomic_store(&forks, 1);
    after_fork_in_parent();
}

/* A child of clone() has one thread, and a lock that other threads of its parent may have held. */
void kt_process_adopt(void)
{
    if (KT_LIKELY(!own_page || *own_page))
        return;
    if (forking.now) {
        after_fork_in_child();
        return;
    }
    static const pthread_mutex_t fresh = PTHREAD_MUTEX_INITIALIZER;
    slow_lock = fresh;
    kt_self.busy = false;
    atomic_store(&forks, 0);
    start_afresh(false);
}

static bool start_recording(void)
{
    kt_warn_of_unknown_options();
    kt_expand_trace_path();
    kt_extras |= kt_uses_kernel_clock() ? KT_EXTRA_CLOCK : 0;
    kt_measure_clock();
    kt_events_start();
    kt_control()->paused = *kt_option.PAUSED == '1';
    kt_limit = kt_byte_limit();
    kt_interval = kt_sampling_interval();
    kt_extras |= kt_is_profile() ? KT_EXTRA_PROFILE : 0;
    kt_extras |= kt_event_count ? KT_EXTRA_EVENTS : 0;
    kt_extras |= kt_interval > 1 ? KT_EXTRA_SAMPLE : 0;
    kt_extras |= !(kt_extras & KT_EXTRA_PROFILE) && kt_snapshots_start() ? KT_EXTRA_SNAPSHOT : 0;
    kt_extras |= !(kt_extras & KT_EXTRA_PROFILE) && kt_checksums_start() ? KT_EXTRA_CHECKSUM : 0;
    kt_costs_measure();
    kt_inside_start(kt_nested_option(), kt_cost_of_call());
    return kt_threads_init();
}

/* Calls are bound in children, too, whether or not they are recorded. */
static bool start_following_forks(void)
{
    mark_own_page();
    return pthread_atfork(before_fork, after_fork_in_parent, after_fork_in_child) == 0;
}

__attribute__((constructor)) void kt_process_start(void)
{
    int saved = errno;
    enum kt_state start = KT_STATE_START;
    if (!atomic_compare_exchange_strong(&kt_process.state, &start, KT_STATE_STARTING))
        return;
    kt_meta_note_start();
    kt_apart_start();
    kt_jumps_start();
    kt_read_options();
    kt_warn_of_bad_flags();
    if (*kt_option.FOLLOW == '0')
        kt_stop_following();
    bool selected = kt_is_program_selected();
    bool sees_forks = start_following_forks();
    bool records = sees_forks && *kt_option.DISABLE != '1' && selected && start_recording();
    atomic_store(&kt_process.state, records ? KT_STATE_READY : KT_STATE_OFF);
    if (selected)
        kt_substitute_start();
    errno = saved;
}
