/* SPDX-License-Identifier: BSD-3-Clause */
#include "preload/counters.h"

#include "preload/define.h"
#include "preload/slow.h"
#include "preload/system.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { LEVELS = 64, EMPTY_TRIES = 16, FILES_SHARE = 4, HIGH_FILE = 4096, PAGE = 4096 };

/* One event of one thread. */
struct counter {
    _Atomic int file;                                 /* -1: none */
    uint64_t id;                                      /* the kernel's; no other descriptor answers with it */
    const volatile struct perf_event_mmap_page *page; /* NULL: read through the leader's descriptor */
    unsigned leader;                                  /* event whose descriptor reads the group */
    unsigned members;                                 /* of a leader's group, 0: not a leader */
    unsigned place;                                   /* in the group's reading */
};

struct counters {
    struct counters *next; /* all there ever were, for forked children and threads to come */
    _Atomic bool taken;
    unsigned order[KT_MAX_EVENTS]; /* leaders and counters with a page, in the order in which to read before a call */
    unsigned ordered;
    struct counter of[KT_MAX_EVENTS];
    struct kt_reading level[LEVELS][KT_MAX_EVENTS]; /* when the call at that depth began */
};

static struct counters *all; /* changed within a slow path */
static _Atomic int files;    /* that all threads hold */
static _Atomic bool is_empty_known;
static volatile uint32_t no_fork_seen = 1;
static volatile uint32_t *same_process = &no_fork_seen; /* 0 in a child, however it was made */

static __thread struct counters *own __attribute__((tls_model("initial-exec")));
static __thread enum kt_fact refusal
    __attribute__((tls_model("initial-exec"))); /* why OWN stays NULL; 0: it need not */

/* --- the kernel -------------------------------------------------------------------------------------------- */

/* By a bare system call: read() and close() are points where a thread may be cancelled, and calls of BLAS are not. */
static long read_file(int file, void *out, size_t bytes)
{
    return kt_system_call(SYS_read, file, out, bytes);
}

static bool is_ours(const struct counter *counter)
{
    uint64_t id = 0;
    return kt_system_call(SYS_ioctl, counter->file, PERF_EVENT_IOC_ID, &id) == 0 && id == counter->id;
}

static void close_file(int file)
{
    kt_system_call(SYS_close, file);
}

static int files_limit(void)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur > INT32_MAX)
        return INT32_MAX;
    return (int)limit.rlim_cur;
}

/* Out of the way of programs that select() or count on small numbers. */
static int move_high(int file)
{
    int limit = files_limit();
    int high = fcntl(file, F_DUPFD_CLOEXEC, limit >= 2 * HIGH_FILE ? HIGH_FILE : limit / 2);
    int error = errno;
    close_file(file);
    errno = error;
    return high;
}

/* A leader counts when its group is complete. */
static int open_code(const struct perf_event_attr *wanted, int group)
{
    struct perf_event_attr code = *wanted;
    code.disabled = group < 0;
    int file = (int)kt_system_call(SYS_perf_event_open, &code, 0, -1, group, PERF_FLAG_FD_CLOEXEC);
    return file < 0 ? file : move_high(file);
}

/* Counting these in user mode would give 0: the kernel does them. */
static bool happens_in_kernel(const struct perf_event_attr *code)
{
    return code->type == PERF_TYPE_SOFTWARE &&
           (code->config == PERF_COUNT_SW_CONTEXT_SWITCHES || code->config == PERF_COUNT_SW_CPU_MIGRATIONS ||
            code->config == PERF_COUNT_SW_CGROUP_SWITCHES);
}

/* --- opening ----------------------------------------------------------------------------------------------- */

static void close_counter(struct counter *counter)
{
    if (counter->file >= 0 && is_ours(counter))
        close_file(counter->file);
    if (counter->file >= 0)
        atomic_fetch_sub(&files, 1);
    if (counter->page)
        munmap((void *)(uintptr_t)counter->page, PAGE);
    *counter = (struct counter){.file = -1};
}

static void close_counters(struct counters *c)
{
    for (unsigned i = 0; i < kt_event_count; i++)
        close_counter(&c->of[i]);
    c->ordered = 0;
}

/* A user who may not count in the kernel still may in user mode. */
static int open_allowed(struct kt_wanted *event, int group)
{
    int file = open_code(&event->code, group);
    if (file >= 0 || (errno != EACCES && errno != EPERM) || event->code.exclude_kernel)
        return file;
    int error = errno;
    struct perf_event_attr user_code = event->code;
    user_code.exclude_kernel = 1;
    file = open_code(&user_code, group);
    if (file < 0) {
        errno = error;
        return file;
    }
    if (happens_in_kernel(&event->code)) {
        close_file(file);
        kt_wanted_found(event, KT_FACT_KERNEL_ONLY);
        errno = 0;
        return -1;
    }
    event->code.exclude_kernel = 1;
    kt_wanted_found(event, KT_FACT_USER_ONLY);
    return file;
}

/* Counters of one kind can be read together. Software events are apart from the others, which may be multiplexed. */
static uint32_t kind_of(const struct kt_wanted *event)
{
    uint32_t type = event->code.type;
    return type == PERF_TYPE_HARDWARE || type == PERF_TYPE_HW_CACHE ? PERF_TYPE_RAW : type;
}

static bool is_leader_for(const struct counters *c, unsigned leader, unsigned event)
{
    return c->of[leader].members && c->of[leader].file >= 0 &&
           kind_of(&kt_wanted[leader]) == kind_of(&kt_wanted[event]);
}

/* In a group if that can be: what does not fit into one group has one of its own. */
static int open_event(struct counters *c, unsigned event, bool grouped)
{
    struct counter *counter = &c->of[event];
    for (unsigned leader = 0; grouped && leader < event; leader++) {
        if (!is_leader_for(c, leader, event))
            continue;
        int file = open_allowed(&kt_wanted[event], c->of[leader].file);
        if (file >= 0) {
            counter->leader = leader;
            counter->place = c->of[leader].members++;
            return file;
        }
    }
    counter->leader = event;
    counter->place = 0;
    int file = open_allowed(&kt_wanted[event], -1);
    counter->members = file >= 0;
    return file;
}

static void open_counter(struct counters *c, unsigned event, bool grouped)
{
    struct counter *counter = &c->of[event];
    if (happens_in_kernel(&kt_wanted[event].code) && kt_wanted[event].code.exclude_kernel) {
        kt_wanted_found(&kt_wanted[event], KT_FACT_KERNEL_ONLY);
        return;
    }
    if (atomic_load(&files) >= files_limit() / FILES_SHARE) {
        kt_wanted_found(&kt_wanted[event], KT_FACT_TOO_MANY_FILES);
        return;
    }
    int file = open_event(c, event, grouped);
    if (file < 0) {
        if (errno)
            kt_wanted_failed(&kt_wanted[event], errno);
        return;
    }
    atomic_fetch_add(&files, 1);
    counter->file = file;
    if (kt_system_call(SYS_ioctl, file, PERF_EVENT_IOC_ID, &counter->id) != 0)
        counter->id = UINT64_MAX;
}

/* --- reading ----------------------------------------------------------------------------------------------- */

static KT_COLD void lose_group(struct counters *c, unsigned leader, enum kt_fact fact)
{
    for (unsigned i = 0; i < kt_event_count; i++) {
        if (c->of[i].file < 0 || c->of[i].leader != leader)
            continue;
        if (fact == KT_FACT_CLOSED)
            close_counter(&c->of[i]);
        kt_wanted_found(&kt_wanted[i], fact);
    }
}

/* The program may have closed the descriptor, and another file may have got its number, of which nothing is read. */
static void read_group(struct counters *c, unsigned leader, struct kt_reading *out)
{
    uint64_t words[3 + KT_MAX_EVENTS] = {KT_MAX_EVENTS}; /* how many, time enabled, time running, values */
    const struct counter *counter = &c->of[leader];
    if (counter->file < 0 || !kt_system_may_ask())
        return;
    if (!is_ours(counter)) {
        lose_group(c, leader, KT_FACT_CLOSED);
        return;
    }
    size_t bytes = (3 + counter->members) * sizeof *words;
    if (read_file(counter->file, words, bytes) != (long)bytes || words[0] != counter->members) {
        lose_group(c, leader, words[0] < counter->members ? KT_FACT_CLOSED : KT_FACT_STARVED);
        return;
    }
    for (unsigned i = 0; i < kt_event_count; i++)
        if (c->of[i].file >= 0 && c->of[i].leader == leader)
            out[i] = (struct kt_reading){.value = words[3 + c->of[i].place], .enabled = words[1], .running = words[2]};
}

static void forget_reading(struct kt_reading *out)
{
    for (unsigned i = 0; i < kt_event_count; i++)
        out[i].enabled = KT_NOT_READ;
}

static void read_one(struct counters *c, unsigned event, struct kt_reading *out)
{
    if (c->of[event].page)
        kt_page_read(c->of[event].page, &out[event]);
    else
        read_group(c, event, out);
}

/* What is read fastest is read last before a call and first behind it. */
static void read_before(struct counters *c, struct kt_reading *out)
{
    forget_reading(out);
    for (unsigned i = 0; i < c->ordered; i++)
        read_one(c, c->order[i], out);
}

static void read_after(struct counters *c, struct kt_reading *out)
{
    forget_reading(out);
    for (unsigned i = c->ordered; i > 0; i--)
        read_one(c, c->order[i - 1], out);
}

/* --- a thread's counters ----------------------------------------------------------------------------------- */

/* The descriptor of a counter that is read in user space is not needed: the mapping keeps it alive. */
static void map_page(struct counter *counter)
{
    void *page = mmap(NULL, PAGE, PROT_READ, MAP_SHARED, counter->file, 0);
    if (page == MAP_FAILED)
        return;
    if (kt_page_is_readable(page))
        counter->page = page;
    else
        munmap(page, PAGE);
}

static bool is_readable_group(const struct counters *c, unsigned leader)
{
    for (unsigned i = 0; i < kt_event_count; i++)
        if (c->of[i].file >= 0 && c->of[i].leader == leader && !c->of[i].page)
            return false;
    return true;
}

static void leave_files(struct counters *c, unsigned leader)
{
    for (unsigned i = 0; i < kt_event_count; i++) {
        if (c->of[i].file < 0 || c->of[i].leader != leader)
            continue;
        close_file(c->of[i].file);
        c->of[i].file = -1;
        atomic_fetch_sub(&files, 1);
    }
}

static void leave_pages(struct counters *c, unsigned leader)
{
    for (unsigned i = 0; i < kt_event_count; i++) {
        if (c->of[i].leader != leader || !c->of[i].page)
            continue;
        munmap((void *)(uintptr_t)c->of[i].page, PAGE);
        c->of[i].page = NULL;
    }
}

/* A group is read either in user space or through its leader. */
static void choose_way(struct counters *c, unsigned leader)
{
    for (unsigned i = 0; i < kt_event_count; i++)
        if (c->of[i].file >= 0 && c->of[i].leader == leader && kt_wanted[i].code.type != PERF_TYPE_SOFTWARE)
            map_page(&c->of[i]);
    if (is_readable_group(c, leader))
        leave_files(c, leader);
    else
        leave_pages(c, leader);
}

static void put_leaders_in_order(struct counters *c, bool software)
{
    for (unsigned i = 0; i < kt_event_count; i++)
        if (c->of[i].file >= 0 && c->of[i].leader == i && (kt_wanted[i].code.type == PERF_TYPE_SOFTWARE) == software)
            c->order[c->ordered++] = i;
}

static void put_in_order(struct counters *c)
{
    c->ordered = 0;
    put_leaders_in_order(c, true);
    put_leaders_in_order(c, false);
    for (unsigned i = 0; i < kt_event_count; i++)
        if (c->of[i].page)
            c->order[c->ordered++] = i;
}

static bool has_code(const struct kt_wanted *event)
{
    return !(atomic_load(&event->facts) & (1u << KT_FACT_NO_CODE | 1u << KT_FACT_NO_LIBRARY));
}

/* Members that join a group at work do not count before the thread was rescheduled (seen in Linux 6.18): 0 would be
 * read.
 */
static void enable_groups(struct counters *c)
{
    for (unsigned i = 0; i < kt_event_count; i++)
        if (c->of[i].members)
            kt_system_call(SYS_ioctl, c->of[i].file, PERF_EVENT_IOC_ENABLE, PERF_IOC_FLAG_GROUP);
}

static void open_files(struct counters *c, bool grouped)
{
    for (unsigned i = 0; i < kt_event_count; i++)
        if (has_code(&kt_wanted[i]))
            open_counter(c, i, grouped);
    enable_groups(c);
    put_in_order(c);
}

/* A group that needs more counters than are free never counts, where its members one by one would take turns. */
static bool is_any_group_starved(struct counters *c)
{
    struct kt_reading now[KT_MAX_EVENTS];
    read_before(c, now);
    for (unsigned i = 0; i < kt_event_count; i++)
        if (c->of[i].members > 1 && now[i].enabled != KT_NOT_READ && now[i].enabled > 0 && now[i].running == 0)
            return true;
    return false;
}

static void measure_empty(struct counters *c)
{
    if (atomic_exchange(&is_empty_known, true))
        return;
    for (unsigned i = 0; i < kt_event_count; i++)
        kt_wanted[i].empty = UINT64_MAX;
    for (int try = 0; try < EMPTY_TRIES; try++) {
        struct kt_reading a[KT_MAX_EVENTS];
        struct kt_reading b[KT_MAX_EVENTS];
        read_before(c, a);
        read_after(c, b);
        for (unsigned i = 0; i < kt_event_count; i++) {
            uint64_t delta;
            kt_reading_delta(&a[i], &b[i], &delta);
            kt_wanted[i].empty = delta < kt_wanted[i].empty ? delta : kt_wanted[i].empty;
        }
    }
    for (unsigned i = 0; i < kt_event_count; i++)
        kt_wanted[i].empty = kt_wanted[i].empty == UINT64_MAX ? 0 : kt_wanted[i].empty;
}

static void open_counters(struct counters *c)
{
    open_files(c, true);
    if (is_any_group_starved(c)) {
        close_counters(c);
        open_files(c, false);
    }
    for (unsigned i = 0; i < kt_event_count; i++)
        if (c->of[i].file >= 0 && c->of[i].leader == i)
            choose_way(c, i);
    put_in_order(c);
    measure_empty(c);
}

/* Faulted in now: a page fault of ours in a call would be counted as the program's. */
static struct counters *new_counters(void)
{
    struct counters *c =
        mmap(NULL, sizeof *c, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
    if (c == MAP_FAILED)
        return NULL;
    c->next = all;
    all = c;
    return c;
}

static struct counters *take_counters(void)
{
    struct counters *c = all;
    while (c && atomic_load(&c->taken))
        c = c->next;
    if (!c)
        c = new_counters();
    if (!c)
        return NULL;
    atomic_store(&c->taken, true);
    for (unsigned i = 0; i < KT_MAX_EVENTS; i++)
        c->of[i] = (struct counter){.file = -1};
    for (unsigned i = 0; i < LEVELS; i++)
        forget_reading(c->level[i]);
    return c;
}

static KT_COLD struct counters *first_call(void)
{
    if (refusal || !kt_slow_begin())
        return NULL;
    struct counters *c = take_counters();
    if (c)
        open_counters(c);
    else
        refusal = KT_FACT_NO_MEMORY;
    own = c;
    kt_events_describe(kt_define_line);
    kt_slow_end();
    return c;
}

/* --- calls ------------------------------------------------------------------------------------------------- */

void kt_events_begin(unsigned depth)
{
    int saved = errno;
    if (KT_UNLIKELY(!*same_process))
        kt_events_after_fork();
    struct counters *c = KT_LIKELY(own != NULL) ? own : first_call();
    if (KT_LIKELY(c && depth < LEVELS))
        read_before(c, c->level[depth]);
    errno = saved;
}

static unsigned not_counted(uint64_t *delta, enum kt_fact fact)
{
    for (unsigned i = 0; i < kt_event_count; i++) {
        delta[i] = UINT64_MAX;
        if (has_code(&kt_wanted[i]))
            kt_wanted_found(&kt_wanted[i], fact);
    }
    return kt_event_count;
}

static void tell_delta(struct kt_wanted *event, enum kt_delta kind)
{
    static const enum kt_fact fact[] = {[KT_DELTA_NONE] = KT_FACT_LATE,
                                        [KT_DELTA_EXACT] = KT_FACT_COUNTED,
                                        [KT_DELTA_SCALED] = KT_FACT_SCALED,
                                        [KT_DELTA_STARVED] = KT_FACT_STARVED};
    kt_wanted_found(event, fact[kind]);
}

unsigned kt_events_end(unsigned depth, uint64_t *delta)
{
    struct kt_reading now[KT_MAX_EVENTS];
    struct counters *c = own;
    int saved = errno;
    if (KT_UNLIKELY(!c || depth >= LEVELS || !*same_process))
        return not_counted(delta, depth >= LEVELS ? KT_FACT_TOO_DEEP : refusal ? refusal : KT_FACT_LATE);
    read_after(c, now);
    for (unsigned i = 0; i < kt_event_count; i++) {
        enum kt_delta kind = kt_reading_delta(&c->level[depth][i], &now[i], &delta[i]);
        if (c->of[i].file >= 0 || c->of[i].page) /* otherwise it is known why there is nothing */
            tell_delta(&kt_wanted[i], kind);
    }
    errno = saved;
    return kt_event_count;
}

/* --- the ends of threads and the beginnings of processes --------------------------------------------------- */

/* A word that a child finds to be 0: raw clone() runs no handler of pthread_atfork(). */
void kt_counters_start(void)
{
    void *page = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (page == MAP_FAILED)
        return;
    if (madvise(page, PAGE, MADV_WIPEONFORK) != 0) {
        munmap(page, PAGE);
        return;
    }
    *(volatile uint32_t *)page = 1;
    same_process = page;
}

void kt_events_thread_close(void)
{
    struct counters *c = own;
    int saved = errno;
    refusal = KT_FACT_ENDED; /* calls of destructors that still run would leave descriptors behind */
    own = NULL;
    if (c && *same_process) {
        close_counters(c);
        atomic_store(&c->taken, false);
    }
    errno = saved;
}

/* What is inherited counts the parent's threads. Mappings of counters are not inherited. */
void kt_events_after_fork(void)
{
    int saved = errno;
    for (struct counters *c = all; c; c = c->next) {
        for (unsigned i = 0; i < kt_event_count; i++)
            c->of[i].page = NULL;
        close_counters(c);
        atomic_store(&c->taken, false);
    }
    atomic_store(&files, 0);
    own = NULL;
    refusal = KT_FACT_COUNTED;
    *same_process = 1;
    errno = saved;
}
