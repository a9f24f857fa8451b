/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The child writes into memory that it shares with the tool how far it has come, so that this is known however it ends.
 * What stands there is a stranger's: it is checked before it is used.
 */
#include "replay/setup/kernel_exam.h"

#include "replay/call/own_kernel.h"
#include "replay/machine/pages.h"
#include "replay/measure/child.h"
#include "trace/base/now.h"
#include "trace/base/random.h"
#include "trace/table/symbol.h"

#include <math.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

_Static_assert((int)KT_KERNEL_BUFFERS == (int)KTRACE_MOST_BUFFERS, "buffers of the interface");

enum { PAGE = 4096, GUARD = 1 << 20, CANARY = 0xA5, DEFAULT_ALIGNMENT = 64 };

/* Columns: name, what the kernel, or ktrace with it, was doing. */
#define PHASES(X)                          \
    X(LOADING, "while it is loaded")       \
    X(ASKED, "asked for sizes and counts") \
    X(MAKING, "before prepare")            \
    X(PREPARING, "in prepare")             \
    X(FILLING, "in fill")                  \
    X(RUNNING, "in run")

enum phase {
#define PHASE_ENUM(name, text) name,
    PHASES(PHASE_ENUM)
#undef PHASE_ENUM
        PHASE_COUNT
};

static const char *const phase_text[] = {
#define PHASE_TEXT(name, text) text,
    PHASES(PHASE_TEXT)
#undef PHASE_TEXT
};

enum finding { NOTHING_FOUND, SOUND, TAKES_NOT, IS_NONE, WRONG, OUTSIDE, CHANGES_INPUT, LEAVES_OUTPUT };

/* Shared with the child. */
struct scene {
    const char *path;
    int64_t n;
    double limit;         /* seconds that all of the kernel's own code may take */
    _Atomic double until; /* when that will be over, if it does not return before; INFINITY: ktrace itself is at work */
    enum phase phase;
    enum finding finding;
    int buffer; /* that the finding is about */
    char text[160];
    struct kt_kernel_facts facts;
};

/* --- the child's side: whose time it is -------------------------------------------------------------------- */

static struct {
    double entered, used; /* seconds */
} own;

/* The kernel's code runs. */
static void enter(struct scene *s, enum phase phase)
{
    s->phase = phase;
    own.entered = kt_now();
    s->until = own.entered + s->limit - own.used;
}

static void leave(struct scene *s)
{
    s->until = INFINITY;
    own.used += kt_now() - own.entered;
}

/* --- the child's side: what the kernel says ---------------------------------------------------------------- */

/* Ends the process, as what follows rests on what was found wrong. */
static void __attribute__((format(printf, 3, 4), noreturn))
conclude(struct scene *s, enum finding finding, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    vsnprintf(s->text, sizeof s->text, format, list);
    va_end(list);
    s->finding = finding;
    _exit(0);
}

static const struct ktrace_kernel *load(struct scene *s)
{
    struct kt_library library;
    struct kt_error error = {0};
    kt_own_kernel_library(s->path, &library);
    if (kt_library_load(&library, &error) != KT_OK)
        conclude(s, IS_NONE, "%s", error.text);
    const struct ktrace_kernel *kernel = kt_library_symbol(&library, "ktrace_kernel", NULL);
    if (!kernel)
        conclude(s, IS_NONE, "has no ktrace_kernel, which ktrace/kernel.h tells of");
    if (kernel->version != KTRACE_KERNEL_VERSION)
        conclude(s, IS_NONE, "its ktrace_kernel is of version %d of the interface, not %d", kernel->version,
                 KTRACE_KERNEL_VERSION);
    return kernel;
}

static void check_kernel(struct scene *s, const struct ktrace_kernel *kernel)
{
    struct kt_kernel_facts *facts = &s->facts;
    snprintf(facts->name, sizeof facts->name, "%s", kernel->name ? kernel->name : "");
    facts->number = kernel->number ? kernel->number : (int)sizeof(double);
    facts->buffers = kt_own_kernel_buffers(kernel);
    if (!*facts->name || !kernel->run || !kernel->flops)
        conclude(s, IS_NONE, "its ktrace_kernel lacks a name, run or flops");
    if (facts->number != sizeof(float) && facts->number != sizeof(double))
        conclude(s, IS_NONE, "numbers of %d bytes: expected 4 or 8", facts->number);
    if (facts->buffers == 0)
        conclude(s, IS_NONE, "it has no buffers");
    if (kernel->takes && !kernel->takes(s->n))
        conclude(s, TAKES_NOT, "does not take this n");
}

static bool is_alignment(int64_t alignment)
{
    return alignment >= 1 && alignment <= PAGE && !(alignment & (alignment - 1));
}

static void check_buffer(struct scene *s, const struct ktrace_buffer *from, struct kt_kernel_buffer *out)
{
    snprintf(out->name, sizeof out->name, "%s", from->name);
    if (!from->bytes || (from->access & ~KTRACE_READ_WRITE) || !from->access)
        conclude(s, IS_NONE, "buffer %s lacks a size or an access", out->name);
    out->access = (enum kt_access)from->access;
    out->alignment = from->alignment ? from->alignment : DEFAULT_ALIGNMENT;
    out->bytes = from->bytes(s->n);
    if (!is_alignment(out->alignment))
        conclude(s, IS_NONE, "buffer %s: alignment %lld is no power of two up to %d", out->name,
                 (long long)out->alignment, PAGE);
    if (out->bytes <= 0 || out->bytes % s->facts.number)
        conclude(s, WRONG, "buffer %s has %lld bytes, which is no number of its numbers of %d bytes", out->name,
                 (long long)out->bytes, s->facts.number);
}

static void check_memory(struct scene *s)
{
    double bytes = 0;
    for (int i = 0; i < s->facts.buffers; i++)
        bytes += (double)s->facts.buffer[i].bytes;
    if (bytes > (double)kt_pages_limit() / 4)
        conclude(s, WRONG, "its buffers take %.3g GiB, which is too much for this machine", bytes / (1 << 30));
}

static void ask(struct scene *s, const struct ktrace_kernel *kernel)
{
    struct kt_kernel_facts *facts = &s->facts;
    check_kernel(s, kernel);
    for (int i = 0; i < facts->buffers; i++)
        check_buffer(s, &kernel->buffer[i], &facts->buffer[i]);
    facts->flops = kernel->flops(s->n);
    facts->bytes = kernel->bytes ? kernel->bytes(s->n) : NAN;
    if (!(facts->flops > 0) || isinf(facts->flops))
        conclude(s, WRONG, "it says that it does %g operations", facts->flops);
    if (kernel->bytes && (!(facts->bytes > 0) || isinf(facts->bytes)))
        conclude(s, WRONG, "it says that it moves %g bytes", facts->bytes);
    check_memory(s);
}

/* --- the child's side: memory ------------------------------------------------------------------------------ */

/* A buffer, as near to the guard behind it as its alignment lets it be. Between the guards all else is canaries. */
struct place {
    unsigned char *base, *open, *start, *end, *close, *top; /* guard, canaries, the buffer, canaries, guard */
};

static struct {
    struct scene *scene;
    struct place place[KTRACE_MOST_BUFFERS];
} stage;

static uint64_t round_up(uint64_t x, uint64_t unit)
{
    return (x + unit - 1) / unit * unit;
}

/* The highest address up to MOST that is an odd multiple of the alignment, or a multiple of the page. */
static unsigned char *align_down(unsigned char *most, uint64_t alignment)
{
    uint64_t at = (uint64_t)most / alignment * alignment;
    bool even = alignment < PAGE && at / alignment % 2 == 0;
    return (unsigned char *)(at - (even ? alignment : 0));
}

static void make_place(struct scene *s, int i)
{
    const struct kt_kernel_buffer *b = &s->facts.buffer[i];
    struct place *p = &stage.place[i];
    uint64_t room = round_up((uint64_t)b->bytes + 2 * (uint64_t)b->alignment, PAGE);
    p->base = mmap(NULL, room + 2 * (uint64_t)GUARD, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (p->base == MAP_FAILED || mprotect(p->base + GUARD, room, PROT_READ | PROT_WRITE) != 0)
        conclude(s, WRONG, "there is no memory for its buffer %s", b->name);
    p->open = p->base + GUARD;
    p->close = p->open + room;
    p->top = p->close + GUARD;
    p->start = align_down(p->close - b->bytes, (uint64_t)b->alignment);
    p->end = p->start + b->bytes;
    memset(p->open, CANARY, room);
}

/* Random numbers from -1 to 1. */
static void fill_place(const struct scene *s, const struct place *p)
{
    uint64_t state = 1;
    for (unsigned char *at = p->start; at < p->end; at += s->facts.number) {
        double value = (double)(kt_random(&state) % 65536) / 32768 - 1;
        float narrow = (float)value;
        memcpy(at, s->facts.number == sizeof narrow ? (const void *)&narrow : &value, (size_t)s->facts.number);
    }
}

static bool holds_canaries(const unsigned char *from, const unsigned char *to)
{
    while (from < to && *from == CANARY)
        from++;
    return from == to;
}

static void check_outside(struct scene *s)
{
    for (int i = 0; i < s->facts.buffers; i++) {
        const struct place *p = &stage.place[i];
        s->buffer = i;
        if (!holds_canaries(p->open, p->start))
            conclude(s, OUTSIDE, "before");
        if (!holds_canaries(p->end, p->close))
            conclude(s, OUTSIDE, "behind");
    }
}

static void check_outputs(struct scene *s)
{
    for (int i = 0; i < s->facts.buffers; i++)
        if (s->facts.buffer[i].access == KT_WRITE && holds_canaries(stage.place[i].start, stage.place[i].end)) {
            s->buffer = i;
            conclude(s, LEAVES_OUTPUT, "%s", "");
        }
}

/* A fault in a guard, or in a buffer that is only read, says what the kernel did; any other one is a crash. */
static void on_fault(int number, siginfo_t *info, void *context)
{
    (void)context;
    const unsigned char *at = info->si_addr;
    for (int i = 0; i < stage.scene->facts.buffers; i++) {
        const struct place *p = &stage.place[i];
        if (at < p->base || at >= p->top)
            continue;
        stage.scene->buffer = i;
        stage.scene->finding = at >= p->open && at < p->close ? CHANGES_INPUT : OUTSIDE;
        strcpy(stage.scene->text, at < p->start ? "before" : "behind");
        _exit(0);
    }
    signal(number, SIG_DFL);
    raise(number);
}

static void catch_faults(void)
{
    static char own_stack[64 << 10];
    stack_t stack = {.ss_sp = own_stack, .ss_size = sizeof own_stack};
    struct sigaction action = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO | SA_ONSTACK};
    sigaltstack(&stack, NULL);
    sigaction(SIGSEGV, &action, NULL);
    sigaction(SIGBUS, &action, NULL);
}

/* --- the child's side: one call ---------------------------------------------------------------------------- */

static void fill_buffers(struct scene *s, const struct ktrace_kernel *kernel)
{
    for (int i = 0; i < s->facts.buffers; i++) {
        const struct place *p = &stage.place[i];
        if (!(s->facts.buffer[i].access & KT_READ))
            continue;
        if (!kernel->fill) {
            fill_place(s, p);
            continue;
        }
        enter(s, FILLING);
        kernel->fill(s->n, i, p->start);
        leave(s);
    }
    check_outside(s);
    for (int i = 0; i < s->facts.buffers; i++)
        if (s->facts.buffer[i].access == KT_READ)
            mprotect(stage.place[i].open, (size_t)(stage.place[i].close - stage.place[i].open), PROT_READ);
}

static void run_kernel(struct scene *s, const struct ktrace_kernel *kernel, void *prepared)
{
    void *buffer[KTRACE_MOST_BUFFERS] = {0};
    for (int i = 0; i < s->facts.buffers; i++)
        buffer[i] = stage.place[i].start;
    enter(s, RUNNING);
    double start = kt_now();
    kernel->run(s->n, buffer, prepared);
    s->facts.seconds = kt_now() - start;
    leave(s);
    check_outside(s);
    check_outputs(s);
}

static void examine(const void *context, int socket)
{
    struct scene *s = *(struct scene *const *)context;
    void *prepared = NULL;
    (void)socket;
    enter(s, LOADING);
    const struct ktrace_kernel *kernel = load(s);
    s->phase = ASKED;
    ask(s, kernel);
    leave(s);
    s->phase = MAKING;
    stage.scene = s;
    for (int i = 0; i < s->facts.buffers; i++)
        make_place(s, i);
    catch_faults();
    enter(s, PREPARING);
    if (kernel->prepare && !(prepared = kernel->prepare(s->n)))
        conclude(s, WRONG, "its prepare returns nothing");
    leave(s);
    s->phase = FILLING;
    fill_buffers(s, kernel);
    run_kernel(s, kernel, prepared);
    conclude(s, SOUND, "%s", "");
}

/* --- the tool's side --------------------------------------------------------------------------------------- */

static bool are_sound(const struct kt_kernel_facts *facts)
{
    bool sound = (facts->number == 4 || facts->number == 8) && facts->buffers > 0 &&
                 facts->buffers <= KT_KERNEL_BUFFERS && facts->flops > 0 && isfinite(facts->flops) &&
                 (isnan(facts->bytes) || (facts->bytes > 0 && isfinite(facts->bytes))) && facts->seconds >= 0;
    for (int i = 0; sound && i < facts->buffers; i++)
        sound = facts->buffer[i].bytes > 0 && facts->buffer[i].bytes % facts->number == 0 &&
                is_alignment(facts->buffer[i].alignment) && facts->buffer[i].access >= KT_READ &&
                facts->buffer[i].access <= KT_READ_WRITE;
    return sound;
}

/* Names end, and are of one line. */
static void clean(struct scene *s)
{
    struct kt_kernel_facts *facts = &s->facts;
    facts->name[sizeof facts->name - 1] = '\0';
    kt_one_line(facts->name);
    s->text[sizeof s->text - 1] = '\0';
    kt_one_line(s->text);
    for (int i = 0; i < KT_KERNEL_BUFFERS; i++) {
        facts->buffer[i].name[sizeof facts->buffer[i].name - 1] = '\0';
        kt_one_line(facts->buffer[i].name);
    }
    if (s->buffer < 0 || s->buffer >= KT_KERNEL_BUFFERS)
        s->buffer = 0;
    if ((int)s->phase < 0 || s->phase >= PHASE_COUNT)
        s->phase = LOADING;
}

/* END: how the process ended, where nothing was found. */
static void judge(const struct scene *s, const struct kt_child *child, const char *end, struct kt_kernel_exam *out)
{
    const struct kt_kernel_buffer *b = &s->facts.buffer[s->buffer];
    const char *phase = phase_text[s->phase];
    size_t size = sizeof out->why;
    out->verdict = KT_KERNEL_FAILS;
    if (s->finding == SOUND && are_sound(&s->facts))
        out->verdict = KT_KERNEL_SOUND;
    else if (s->finding == TAKES_NOT || s->finding == IS_NONE)
        out->verdict = s->finding == IS_NONE ? KT_KERNEL_IS_NONE : KT_KERNEL_TAKES_NOT;
    if (s->finding == TAKES_NOT || s->finding == IS_NONE || s->finding == WRONG)
        snprintf(out->why, size, "%s", s->text);
    else if (s->finding == OUTSIDE)
        snprintf(out->why, size, "%s it uses memory %s its buffer %s of %lld bytes", phase, s->text, b->name,
                 (long long)b->bytes);
    else if (s->finding == CHANGES_INPUT)
        snprintf(out->why, size, "%s it writes to its buffer %s, which it says it only reads", phase, b->name);
    else if (s->finding == LEAVES_OUTPUT)
        snprintf(out->why, size, "%s it leaves its buffer %s as it was, which it says it writes", phase, b->name);
    else if (out->verdict != KT_KERNEL_SOUND)
        snprintf(out->why, size, "%s it %s", phase, end);
    if (s->finding == NOTHING_FOUND && child->timed_out)
        out->verdict = KT_KERNEL_HANGS;
    out->facts = s->facts;
}

static bool has_time(const struct scene *s)
{
    return s->until > kt_now();
}

/* Until the child ends, or the kernel's time is over. */
static void wait_for_end(struct kt_child *child, const struct scene *s)
{
    char message;
    while (kt_child_waits(child, fmin(s->until - kt_now(), s->limit)) && has_time(s))
        ;
    kt_child_receive(child, &message, sizeof message, 0);
    child->limit = s->limit;
}

enum kt_status kt_kernel_exam(const char *path, int64_t n, double limit, struct kt_kernel_exam *out,
                              struct kt_error *error)
{
    struct kt_child child = KT_NO_CHILD;
    char end[KT_CHILD_END];
    *out = (struct kt_kernel_exam){0};
    struct scene *scene = mmap(NULL, sizeof *scene, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (scene == MAP_FAILED)
        return kt_fail(error, KT_SYSTEM, "there is no memory to share with a process");
    *scene = (struct scene){.path = path, .n = n, .limit = limit, .until = INFINITY};
    enum kt_status status = kt_child_start(&child, examine, &scene, error);
    if (status == KT_OK) {
        wait_for_end(&child, scene);
        kt_child_bury(&child, end);
        struct scene found = *scene;
        clean(&found);
        judge(&found, &child, end, out);
    }
    munmap(scene, sizeof *scene);
    return status;
}

/* --- as a routine ------------------------------------------------------------------------------------------ */

/* Operands lie on pages of their own, and begin at odd multiples of their alignments. */
static uint64_t address_of(const struct kt_kernel_buffer *b, int i)
{
    return (uint64_t)b->alignment * (2 * (uint64_t)i + 1) % PAGE;
}

enum kt_status kt_kernel_exam_routine(const struct kt_kernel_facts *facts, int64_t n, struct kt_table *routine,
                                      struct kt_values *values, struct kt_error *error)
{
    static const char *const access[] = {[KT_READ] = "in", [KT_WRITE] = "out", [KT_READ_WRITE] = "io"};
    char text[1024];
    size_t used = (size_t)snprintf(text, sizeof text, "own %c | dim:n", facts->number == 4 ? 's' : 'd');
    *values = (struct kt_values){.v[0] = (double)n};
    for (int i = 0; i < KT_KERNEL_BUFFERS; i++) {
        const struct kt_kernel_buffer *b = &facts->buffer[i];
        bool is_there = i < facts->buffers;
        used += (size_t)(is_there ? snprintf(text + used, sizeof text - used, " %s:b%d[%lld]", access[b->access], i,
                                             (long long)(b->bytes / facts->number))
                                  : snprintf(text + used, sizeof text - used, " int:b%d", i));
        if (is_there)
            values->address[i + 1] = ((uint64_t)(i + 1) << 40) + address_of(b, i);
    }
    snprintf(text + used, sizeof text - used, " | flops=0\n");
    return kt_table_parse(text, "kernel", routine, error);
}
