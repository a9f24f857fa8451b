/* SPDX-License-Identifier: BSD-3-Clause */
#include "preload/counters.h"

#include "preload/counter_files.h"
#include "preload/define.h"
#include "preload/slow.h"
#include "preload/system.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { EMPTY_TRIES = 16 };

static struct kt_counters *all; /* changed within a slow path */
static _Atomic bool is_empty_known;
static volatile uint32_t no_fork_seen = 1;
static volatile uint32_t *same_process = &no_fork_seen; /* 0 in a child, however it was made */

static __thread struct kt_counters *own __attribute__((tls_model("initial-exec")));
static __thread enum kt_fact refusal
    __attribute__((tls_model("initial-exec"))); /* why OWN stays NULL; 0: it need not */

/* --- reading ----------------------------------------------------------------------------------------------- */

static KT_COLD void lose_group(struct kt_counters *c, unsigned leader, enum kt_fact fact)
{
    for (unsigned i = 0; i < kt_event_count; i++) {
        if (c->of[i].file < 0 || c->of[i].leader != leader)
            continue;
        if (fact == KT_FACT_CLOSED)
            kt_counter_files_close(&c->of[i]);
        kt_events_found(&kt_wanted[i], fact);
    }
}

/* The program may have closed the descriptor, and another file may have got its number, of which nothing is read. */
static void read_group(struct kt_counters *c, unsigned leader, struct kt_reading *out)
{
    uint64_t words[3 + KT_MAX_EVENTS] = {KT_MAX_EVENTS}; /* how many, time enabled, time running, values */
    const struct kt_counter *counter = &c->of[leader];
    if (counter->file < 0 || !kt_system_may_ask())
        return;
    if (!kt_counter_files_is_ours(counter)) {
        lose_group(c, leader, KT_FACT_CLOSED);
        return;
    }
    size_t bytes = (3 + counter->members) * sizeof *words;
    if (kt_counter_files_read(counter->file, words, bytes) != (long)bytes || words[0] != counter->members) {
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

static void read_one(struct kt_counters *c, unsigned event, struct kt_reading *out)
{
    if (c->of[event].page)
        kt_page_read(c->of[event].page, &out[event]);
    else
        read_group(c, event, out);
}

/* What is read fastest is read last before a call and first behind it. */
static void read_before(struct kt_counters *c, struct kt_reading *out)
{
    forget_reading(out);
    for (unsigned i = 0; i < c->ordered; i++)
        read_one(c, c->order[i], out);
}

static void read_after(struct kt_counters *c, struct kt_reading *out)
{
    forget_reading(out);
    for (unsigned i = c->ordered; i > 0; i--)
        read_one(c, c->order[i - 1], out);
}

/* --- a thread's counters ----------------------------------------------------------------------------------- */

/* The descriptor of a counter that is read in user space is not needed: the mapping keeps it alive. */
static void map_page(struct kt_counter *counter)
{
    void *page = mmap(NULL, KT_COUNTER_PAGE, PROT_READ, MAP_SHARED, counter->file, 0);
    if (page == MAP_FAILED)
        return;
    if (kt_page_is_readable(page))
        counter->page = page;
    else
        munmap(page, KT_COUNTER_PAGE);
}

static bool is_readable_group(const struct kt_counters *c, unsigned leader)
{
    for (unsigned i = 0; i < kt_event_count; i++)
        if (c->of[i].file >= 0 && c->of[i].leader == leader && !c->of[i].page)
            return false;
    return true;
}

static void leave_pages(struct kt_counters *c, unsigned leader)
{
    for (unsigned i = 0; i < kt_event_count; i++) {
        if (c->of[i].leader != leader || !c->of[i].page)
            continue;
        munmap((void *)(uintptr_t)c->of[i].page, KT_COUNTER_PAGE);
        c->of[i].page = NULL;
    }
}

/* A group is read either in user space or through its leader. */
static void choose_way(struct kt_counters *c, unsigned leader)
{
    for (unsigned i = 0; i < kt_event_count; i++)
        if (c->of[i].file >= 0 && c->of[i].leader == leader && kt_wanted[i].code.type != PERF_TYPE_SOFTWARE)
            map_page(&c->of[i]);
    if (is_readable_group(c, leader))
        kt_counter_files_leave(c, leader);
    else
        leave_pages(c, leader);
}

static void close_counters(struct kt_counters *c)
{
    for (unsigned i = 0; i < kt_event_count; i++)
        kt_counter_files_close(&c->of[i]);
    c->ordered = 0;
}

static void put_leaders_in_order(struct kt_counters *c, bool software)
{
    for (unsigned i = 0; i < kt_event_count; i++)
        if (c->of[i].file >= 0 && c->of[i].leader == i && (kt_wanted[i].code.type == PERF_TYPE_SOFTWARE) == software)
            c->order[c->ordered++] = i;
}

static void put_in_order(struct kt_counters *c)
{
    c->ordered = 0;
    put_leaders_in_order(c, true);
    put_leaders_in_order(c, false);
    for (unsigned i = 0; i < kt_event_count; i++)
        if (c->of[i].page)
            c->order[c->ordered++] = i;
}

static void open_in_order(struct kt_counters *c, bool grouped)
{
    kt_counter_files_open(c, grouped);
    put_in_order(c);
}

/* A group that needs more counters than are free never counts, where its members one by one would take turns. */
static bool is_any_group_starved(struct kt_counters *c)
{
    struct kt_reading now[KT_MAX_EVENTS];
    read_before(c, now);
    for (unsigned i = 0; i < kt_event_count; i++)
        if (c->of[i].members > 1 && now[i].enabled != KT_NOT_READ && now[i].enabled > 0 && now[i].running == 0)
            return true;
    return false;
}

static void measure_empty(struct kt_counters *c)
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

static void open_counters(struct kt_counters *c)
{
    open_in_order(c, true);
    if (is_any_group_starved(c)) {
        close_counters(c);
        open_in_order(c, false);
    }
    for (unsigned i = 0; i < kt_event_count; i++)
        if (c->of[i].file >= 0 && c->of[i].leader == i)
            choose_way(c, i);
    put_in_order(c);
    measure_empty(c);
}

/* Faulted in now: a page fault of ours in a call would be counted as the program's. */
static struct kt_counters *new_counters(void)
{
    struct kt_counters *c =
        mmap(NULL, sizeof *c, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
    if (c == MAP_FAILED)
        return NULL;
    c->next = all;
    all = c;
    return c;
}

static struct kt_counters *take_counters(void)
{
    struct kt_counters *c = all;
    while (c && atomic_load(&c->taken))
        c = c->next;
    if (!c)
        c = new_counters();
    if (!c)
        return NULL;
    atomic_store(&c->taken, true);
    for (unsigned i = 0; i < KT_MAX_EVENTS; i++)
        c->of[i] = (struct kt_counter){.file = -1};
    for (unsigned i = 0; i < KT_COUNTER_LEVELS; i++)
        forget_reading(c->level[i]);
    return c;
}

static KT_COLD struct kt_counters *first_call(void)
{
    if (refusal || !kt_slow_begin())
        return NULL;
    struct kt_counters *c = take_counters();
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

void kt_counters_begin(unsigned depth)
{
    int saved = errno;
    if (KT_UNLIKELY(!*same_process))
        kt_counters_after_fork();
    struct kt_counters *c = KT_LIKELY(own != NULL) ? own : first_call();
    if (KT_LIKELY(c && depth < KT_COUNTER_LEVELS))
        read_before(c, c->level[depth]);
    errno = saved;
}

static unsigned not_counted(uint64_t *delta, enum kt_fact fact)
{
    for (unsigned i = 0; i < kt_event_count; i++) {
        delta[i] = UINT64_MAX;
        if (kt_counter_files_has_code(&kt_wanted[i]))
            kt_events_found(&kt_wanted[i], fact);
    }
    return kt_event_count;
}

static void tell_delta(struct kt_wanted *event, enum kt_delta kind)
{
    static const enum kt_fact fact[] = {[KT_DELTA_NONE] = KT_FACT_LATE,
                                        [KT_DELTA_EXACT] = KT_FACT_COUNTED,
                                        [KT_DELTA_SCALED] = KT_FACT_SCALED,
                                        [KT_DELTA_STARVED] = KT_FACT_STARVED};
    kt_events_found(event, fact[kind]);
}

unsigned kt_counters_end(unsigned depth, uint64_t *delta)
{
    struct kt_reading now[KT_MAX_EVENTS];
    struct kt_counters *c = own;
    int saved = errno;
    if (KT_UNLIKELY(!c || depth >= KT_COUNTER_LEVELS || !*same_process))
        return not_counted(delta, depth >= KT_COUNTER_LEVELS ? KT_FACT_TOO_DEEP : refusal ? refusal : KT_FACT_LATE);
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
    void *page = mmap(NULL, KT_COUNTER_PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (page == MAP_FAILED)
        return;
    if (madvise(page, KT_COUNTER_PAGE, MADV_WIPEONFORK) != 0) {
        munmap(page, KT_COUNTER_PAGE);
        return;
    }
    *(volatile uint32_t *)page = 1;
    same_process = page;
}

void kt_counters_close(void)
{
    struct kt_counters *c = own;
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
void kt_counters_after_fork(void)
{
    int saved = errno;
    for (struct kt_counters *c = all; c; c = c->next) {
        for (unsigned i = 0; i < kt_event_count; i++)
            c->of[i].page = NULL;
        close_counters(c);
        atomic_store(&c->taken, false);
    }
    kt_counter_files_forget();
    own = NULL;
    refusal = KT_FACT_COUNTED;
    *same_process = 1;
    errno = saved;
}
