/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The counters of the shim without the shim: "calls" that do what the arguments say, one after the other. Each prints a
 * line with what its counters saw; at the end come the lines for the definitions.
 */
#include "preload/counters.h"
#include "preload/define.h"
#include "preload/events.h"
#include "preload/linker_own.h"
#include "preload/notice.h"
#include "preload/settings.h"
#include "preload/slow.h"
#include "preload/system.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { PAGE = 4096, THREADS = 8 };

/* --- the rest of the shim ---------------------------------------------------------------------------------- */

struct kt_options kt_option;
static pthread_mutex_t slow = PTHREAD_MUTEX_INITIALIZER;
static __thread bool is_slow;
static char defined[1 << 16];

atomic_bool kt_in_sandbox;

bool kt_slow_begin(void)
{
    if (is_slow)
        return false;
    pthread_mutex_lock(&slow);
    is_slow = true;
    return true;
}

void kt_slow_end(void)
{
    is_slow = false;
    pthread_mutex_unlock(&slow);
}

void kt_define_line(const char *text, size_t length)
{
    strncat(defined, text, length);
}

void *kt_linker_own_open(const char *file, int mode)
{
    return dlopen(file, mode);
}

void *kt_linker_own_find(void *handle, const char *name)
{
    return dlsym(handle, name);
}

void kt_notice(const char *a, const char *b, const char *c)
{
    fprintf(stderr, "%s%s%s\n", a, b, c);
}

/* --- work -------------------------------------------------------------------------------------------------- */

static char *page; /* touched by the next call */

static void fresh_pages(int count)
{
    page = mmap(NULL, (size_t)count * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    madvise(page, (size_t)count * PAGE, MADV_NOHUGEPAGE);
}

static void touch(int count)
{
    for (int i = 0; i < count; i++)
        ((volatile char *)page)[i * PAGE] = 1;
}

static void sleep_often(int count)
{
    for (int i = 0; i < count; i++)
        nanosleep(&(struct timespec){.tv_nsec = 100000}, NULL);
}

static int64_t thread_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return now.tv_sec * 1000000000LL + now.tv_nsec;
}

static void burn(int milliseconds)
{
    for (int64_t end = thread_ns() + milliseconds * 1000000LL; thread_ns() < end;)
        ;
}

static void nothing(int count)
{
    (void)count;
}

/* --- calls ------------------------------------------------------------------------------------------------- */

static void print_deltas(const char *name, int number, const uint64_t *delta, unsigned count)
{
    printf("%s %d:", name, number);
    for (unsigned i = 0; i < count; i++)
        if (delta[i] == UINT64_MAX)
            printf(" n/a");
        else
            printf(" %" PRIu64, delta[i]);
    printf("\n");
}

static void call(const char *name, void (*work)(int), int number)
{
    uint64_t delta[KT_MAX_EVENTS];
    errno = 77;
    kt_counters_begin(0);
    work(number);
    unsigned count = kt_counters_end(0, delta);
    bool kept = errno == 77;
    print_deltas(name, number, delta, count);
    if (!kept && work == nothing)
        printf("errno is lost\n");
}

/* Each level touches a page of its own, before and behind the one nested in it. */
static void nest(int depth, int levels)
{
    uint64_t delta[KT_MAX_EVENTS];
    if (depth == levels)
        return;
    kt_counters_begin((unsigned)depth);
    ((volatile char *)page)[2 * depth * PAGE] = 1;
    nest(depth + 1, levels);
    ((volatile char *)page)[(2 * depth + 1) * PAGE] = 1;
    unsigned count = kt_counters_end((unsigned)depth, delta);
    print_deltas("level", depth, delta, count);
}

/* --- descriptors ------------------------------------------------------------------------------------------- */

static int visit_counters(void (*visit)(int file))
{
    int found = 0;
    struct dirent *entry;
    DIR *files = opendir("/proc/self/fd");
    while ((entry = readdir(files))) {
        char path[300];
        char link[256] = "";
        snprintf(path, sizeof path, "/proc/self/fd/%s", entry->d_name);
        if (readlink(path, link, sizeof link - 1) < 0 || !strstr(link, "perf_event"))
            continue;
        found++;
        if (visit)
            visit(atoi(entry->d_name));
    }
    closedir(files);
    return found;
}

static void print_file(int file)
{
    struct rlimit limit;
    getrlimit(RLIMIT_NOFILE, &limit);
    printf("%s%s", file < (int)limit.rlim_cur / 2 && file < 4096 ? "low" : "high",
           fcntl(file, F_GETFD) & FD_CLOEXEC ? " " : " stays open ");
}

static void close_file(int file)
{
    close(file);
}

/* A pipe of the program gets the number; what is in it is the program's. */
static int pipes[2];
static void replace_file(int file)
{
    dup2(pipes[0], file);
}

static void replace_files(void)
{
    char text[512];
    memset(text, 'x', sizeof text);
    if (pipe(pipes) != 0 || write(pipes[1], text, sizeof text) != sizeof text)
        abort();
    visit_counters(replace_file);
}

static void count_pipe(void)
{
    char text[1024];
    fcntl(pipes[0], F_SETFL, O_NONBLOCK);
    printf("pipe: %zd bytes\n", read(pipes[0], text, sizeof text));
}

/* --- processes and threads --------------------------------------------------------------------------------- */

static void child_work(int pages)
{
    printf("inherited %d\n", visit_counters(NULL));
    fresh_pages(pages);
    call("child", touch, pages);
    printf("child holds %d\n", visit_counters(NULL));
    fflush(stdout);
    _exit(0);
}

static void fork_child(int pages)
{
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        kt_counters_after_fork();
        child_work(pages);
    }
    waitpid(child, NULL, 0);
}

/* No handler of pthread_atfork() runs, so nobody says that this is a child. */
static void clone_child(int pages)
{
    fflush(stdout);
    pid_t child = (pid_t)syscall(SYS_clone, SIGCHLD, NULL, NULL, NULL, NULL);
    if (child == 0) {
        fresh_pages(pages);
        call("child", touch, pages);
        printf("child holds %d\n", visit_counters(NULL));
        fflush(stdout);
        _exit(0);
    }
    waitpid(child, NULL, 0);
}

struct crew {
    pthread_t thread;
    int pages;
    uint64_t delta[KT_MAX_EVENTS];
};
static pthread_barrier_t together;

static void *thread_work(void *argument)
{
    struct crew *self = argument;
    size_t bytes = (size_t)self->pages * PAGE;
    char *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    madvise(memory, bytes, MADV_NOHUGEPAGE);
    kt_counters_begin(0);
    kt_counters_end(0, self->delta);
    pthread_barrier_wait(&together);
    kt_counters_begin(0);
    for (int i = 0; i < self->pages; i++)
        ((volatile char *)memory)[i * PAGE] = 1;
    kt_counters_end(0, self->delta);
    pthread_barrier_wait(&together);
    pthread_barrier_wait(&together);
    kt_counters_close();
    uint64_t late[KT_MAX_EVENTS];
    kt_counters_begin(0);
    kt_counters_end(0, late);
    if (kt_event_count && late[0] != UINT64_MAX)
        printf("a thread that has ended counts\n");
    return NULL;
}

static void crew(int step)
{
    static struct crew member[THREADS];
    pthread_barrier_init(&together, NULL, THREADS + 1);
    for (int i = 0; i < THREADS; i++) {
        member[i].pages = (i + 1) * step;
        pthread_create(&member[i].thread, NULL, thread_work, &member[i]);
    }
    pthread_barrier_wait(&together);
    pthread_barrier_wait(&together);
    printf("held %d\n", visit_counters(NULL));
    pthread_barrier_wait(&together);
    for (int i = 0; i < THREADS; i++) {
        pthread_join(member[i].thread, NULL);
        print_deltas("thread", i, member[i].delta, kt_event_count);
    }
    printf("left %d\n", visit_counters(NULL));
}

/* --- what the kernel is told ------------------------------------------------------------------------------- */

static void print_codes(void)
{
    for (unsigned i = 0; i < kt_event_count; i++) {
        const struct perf_event_attr *code = &kt_wanted[i].code;
        printf("%s %u %#" PRIx64 " %#" PRIx64 "%s%s\n", kt_wanted[i].name, code->type, (uint64_t)code->config,
               (uint64_t)code->config1, code->exclude_kernel ? " user" : "", code->exclude_user ? " kernel" : "");
    }
}

/* Nanoseconds that both readings of a call take: the least of many. */
static void print_cost(int calls)
{
    int64_t least = INT64_MAX;
    uint64_t delta[KT_MAX_EVENTS];
    for (int i = 0; i < calls; i++) {
        struct timespec a;
        struct timespec b;
        clock_gettime(CLOCK_MONOTONIC, &a);
        for (int j = 0; j < 100; j++) {
            kt_counters_begin(0);
            kt_counters_end(0, delta);
        }
        clock_gettime(CLOCK_MONOTONIC, &b);
        int64_t ns = (b.tv_sec - a.tv_sec) * 1000000000LL + b.tv_nsec - a.tv_nsec;
        least = ns < least ? ns : least;
    }
    printf("cost %.0f ns\n", (double)least / 100);
}

static void do_with_number(const char *what, int number)
{
    if (!strcmp(what, "fresh"))
        fresh_pages(number);
    else if (!strcmp(what, "touch"))
        call("touch", touch, number);
    else if (!strcmp(what, "sleep"))
        call("sleep", sleep_often, number);
    else if (!strcmp(what, "burn"))
        call("burn", burn, number);
    else if (!strcmp(what, "nothing"))
        call("nothing", nothing, number);
    else if (!strcmp(what, "nest"))
        nest(0, number);
    else if (!strcmp(what, "fork"))
        fork_child(number);
    else if (!strcmp(what, "clone"))
        clone_child(number);
    else if (!strcmp(what, "crew"))
        crew(number);
    else if (!strcmp(what, "cost"))
        print_cost(number);
    else
        abort();
}

static void do_alone(const char *what)
{
    if (!strcmp(what, "codes"))
        print_codes();
    else if (!strcmp(what, "close"))
        printf("closed %d\n", visit_counters(close_file));
    else if (!strcmp(what, "replace"))
        replace_files();
    else if (!strcmp(what, "pipe"))
        count_pipe();
    else if (!strcmp(what, "files"))
        printf("files %d\n", visit_counters(print_file));
    else
        abort();
}

/* Arguments: steps as in do_alone, and as in do_with_number with =NUMBER. */
int main(int argc, char **argv)
{
    const char *events = getenv("KTRACE_EVENTS");
    kt_option.EVENTS = events ? events : "";
    kt_events_start();
    for (int i = 1; i < argc; i++) {
        char *number = strchr(argv[i], '=');
        if (number)
            *number++ = '\0';
        if (number)
            do_with_number(argv[i], atoi(number));
        else
            do_alone(argv[i]);
    }
    if (kt_slow_begin())
        kt_events_describe(kt_define_line);
    printf("%s", defined);
    return 0;
}
