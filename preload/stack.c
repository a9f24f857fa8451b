/* SPDX-License-Identifier: BSD-3-Clause */
#include "preload/stack.h"

#include "preload/define.h"
#include "preload/entries.h"
#include "preload/line.h"
#include "preload/look.h"
#include "preload/line_numbers.h"
#include "preload/python.h"
#include "preload/r.h"
#include "preload/settings.h"
#include "preload/slow.h"
#include "preload/system.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

bool kt_tells_places;
static bool keeps_stacks;

/* --- ways that were met -------------------------------------------------------------------------------------- */

enum {
    PLACES = 1 << 14,
    MOST_PLACES = PLACES / 4 * 3,
    VARIANTS = 32, /* ways with one caller and height: more are not told */
    WITNESSES = 48,
    NUMBERS = 1 << 15,
    MOST_NUMBERS = NUMBERS / 2,
    MOST_BYTES = 64 << 20 /* of lines that tell them */
};

/* A return address, or what was one, and where on the stack. */
struct witness {
    uint64_t value;
    uint64_t offset; /* from the frame of the call */
};

/* A way: who called at what height of the stack, and the return addresses that were on it then. */
struct place {
    uintptr_t caller, frame;
    uint32_t number;
    uint32_t witnesses;
    struct witness witness[]; /* the lowest first */
};

static struct place *_Atomic *places; /* PLACES of them, of open addressing; nothing changes once it is there */
static unsigned place_count;
static uint64_t *hashes; /* NUMBERS of what was told; its number is in NUMBERS numbers behind them */
static unsigned number_count;
static size_t told_bytes;
static _Atomic bool is_full;

static inline size_t first_place(uintptr_t frame, uintptr_t caller)
{
    uint64_t hash = (caller * 0x9e3779b97f4a7c15u ^ frame) * 0x9e3779b97f4a7c15u;
    return hash >> 40 & (PLACES - 1);
}

static void *pages(size_t bytes)
{
    void *at = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return at == MAP_FAILED ? NULL : at;
}

/* --- memory -------------------------------------------------------------------------------------------------- */

/* From a call in progress up to the end of this thread's stack: verified. */
static __thread struct {
    uintptr_t lo, hi;
} own __attribute__((tls_model("initial-exec")));

/* How many bytes could be read. */
static size_t read_memory(const struct iovec *from, unsigned pieces, void *to, size_t bytes)
{
    const struct iovec here = {to, bytes};
    int saved = errno;
    long got = kt_system_may_ask()
                   ? kt_system_call(SYS_process_vm_readv, kt_system_call(SYS_gettid), &here, 1UL, from, (long)pieces, 0)
                   : -1;
    errno = saved;
    return got > 0 ? (size_t)got : 0;
}

static size_t read_at(uintptr_t at, void *to, size_t bytes)
{
    const struct iovec from = {(void *)at, bytes};
    return read_memory(&from, 1, to, bytes);
}

/* Where the C library put this thread's stack its own data are at the end. */
static uintptr_t end_of_own_stack(void)
{
    extern void *__libc_stack_end;
    bool is_first = kt_system_call(SYS_gettid) == getpid();
    return is_first ? (uintptr_t)__libc_stack_end : (uintptr_t)__builtin_thread_pointer();
}

/* Is the frame on the thread's own stack? Between that and others there is a hole. */
static KT_COLD bool find_own_stack(uintptr_t frame)
{
    enum { MOST = 4 << 20 };
    const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    if (!kt_system_may_ask())
        return false;
    uintptr_t hi = own.hi ? own.hi : end_of_own_stack();
    uintptr_t known = own.hi ? own.lo : hi;
    if (frame >= hi || hi - frame > MOST)
        return false;
    for (uintptr_t at = frame / page * page; at < known; at += page)
        if (!kt_system_is_readable((const void *)at))
            return false;
    own.lo = frame / page * page;
    own.hi = hi;
    return true;
}

static inline bool is_own(uintptr_t lo, uintptr_t end)
{
    return lo >= own.lo && end <= own.hi;
}

/* --- is it the same way? ------------------------------------------------------------------------------------- */

static KT_COLD bool is_same_elsewhere(const struct place *p)
{
    enum { AT_ONCE = 8 };
    struct iovec from[AT_ONCE];
    uint64_t value[AT_ONCE];
    for (unsigned at = 0; at < p->witnesses; at += AT_ONCE) {
        unsigned count = p->witnesses - at < AT_ONCE ? p->witnesses - at : AT_ONCE;
        for (unsigned i = 0; i < count; i++)
            from[i] = (struct iovec){(void *)(p->frame + p->witness[at + i].offset), sizeof *value};
        if (read_memory(from, count, value, count * sizeof *value) != count * sizeof *value)
            return false;
        for (unsigned i = 0; i < count; i++)
            if (value[i] != p->witness[at + i].value)
                return false;
    }
    return true;
}

KT_READS_DEAD_STACK static inline bool is_same(const struct place *p)
{
    if (!p->witnesses)
        return true;
    const uintptr_t end = p->frame + p->witness[p->witnesses - 1].offset + sizeof(uint64_t);
    if (KT_UNLIKELY(!is_own(p->frame, end)) && !(find_own_stack(p->frame) && is_own(p->frame, end)))
        return is_same_elsewhere(p);
    uint64_t differs = 0;
    for (unsigned i = 0; i < p->witnesses; i++)
        differs |= *(const uint64_t *)(p->frame + p->witness[i].offset) ^ p->witness[i].value;
    return !differs;
}

/* Where it is, or would be; NULL: there are too many ways with that caller and height. */
static inline struct place *_Atomic *find_place(uintptr_t frame, uintptr_t caller)
{
    unsigned variants = 0;
    for (size_t at = first_place(frame, caller);; at = (at + 1) & (PLACES - 1)) {
        const struct place *p = atomic_load_explicit(&places[at], memory_order_acquire); /* pairs with add_place() */
        if (!p)
            return &places[at];
        if (p->caller != caller || p->frame != frame)
            continue;
        if (KT_LIKELY(is_same(p)))
            return &places[at];
        if (++variants == VARIANTS)
            return NULL;
    }
}

/* --- code ---------------------------------------------------------------------------------------------------- */

static struct {
    struct {
        uintptr_t lo, hi;
        bool is_defined;
    } of[KT_MAX_OBJECTS];
    int count;
    unsigned long long adds, subs;
} code; /* of the objects that are loaded; used within slow paths */

static void copy_code(struct kt_look *look)
{
    if (code.count && code.adds == kt_objects.adds && code.subs == kt_objects.subs)
        return;
    code.count = 0;
    for (int i = 0; i < kt_objects.count; i++) {
        const struct kt_loaded *o = &kt_objects.object[i].loaded;
        code.of[code.count].lo = o->code_lo;
        code.of[code.count].hi = o->code_hi;
        code.of[code.count++].is_defined = false;
    }
    code.adds = kt_objects.adds;
    code.subs = kt_objects.subs;
    look->done = true;
}

static int code_at(uintptr_t address)
{
    for (int i = 0; i < code.count; i++)
        if (address - code.of[i].lo < code.of[i].hi - code.of[i].lo)
            return i;
    return -1;
}

static void define_code(int i)
{
    static struct kt_loaded object; /* within a slow path */
    if (i < 0 || code.of[i].is_defined)
        return;
    code.of[i].is_defined = true;
    if (kt_objects_at(code.of[i].lo, &object))
        kt_entries_object(&object);
}

/* Does a call instruction end there? Where that cannot be read, one may. */
static bool follows_call(uintptr_t address)
{
    unsigned char before[8];
    if (read_at(address - sizeof before, before, sizeof before) != sizeof before)
        return true;
#if defined(__x86_64__)
    enum { CALL = 0xe8, INDIRECT = 0xff, LONGEST = 7 };
    if (before[3] == CALL)
        return true;
    for (unsigned bytes = 2; bytes <= LONGEST; bytes++)
        if (before[8 - bytes] == INDIRECT && (before[9 - bytes] >> 3 & 7) == 2)
            return true;
    return false;
#else
    uint32_t instruction;
    memcpy(&instruction, before + 4, sizeof instruction);
    return instruction >> 26 == 0x25 || (instruction & 0xfefff000) == 0xd63f0000; /* BL; BLR and its kin */
#endif
}

/* --- what is kept -------------------------------------------------------------------------------------------- */

struct registers {
    uintptr_t pc, sp, fp;
};

/* All within a slow path. */
static struct {
    struct kt_line words;
    struct witness witness[WITNESSES];
    struct registers at;
    uintptr_t end; /* of the memory that was read, and that addresses of the stack are up to */
} kept;
static struct place made; /* its witnesses are those in KEPT */

static void put_number(uint64_t value, const char *before)
{
    kt_line_raw(&kept.words, before);
    kt_line_unsigned(&kept.words, value, 16);
}

static void add_witness(uintptr_t at, uint64_t value)
{
    struct place *p = &made;
    if (at >= p->frame && p->witnesses < WITNESSES && follows_call(value))
        kept.witness[p->witnesses++] = (struct witness){value, at - p->frame};
}

static void keep_word(uintptr_t at, uint64_t value, uintptr_t end)
{
    int of = code_at(value);
    if (of >= 0) {
        define_code(of);
        add_witness(at, value);
    } else if (value < kept.at.sp || value > end) {
        return;
    }
    put_number(at - kept.at.sp, " ");
    put_number(value, ":");
}

static bool has_room(void)
{
    enum { REST_OF_LINE = 200 };
    return kept.words.length + REST_OF_LINE < KT_LINE_BYTES;
}

/* Goes through the stack up to its end, or as far as memory and the line go. */
static void keep_words(uintptr_t end)
{
    static uint64_t piece[512]; /* within a slow path */
    uintptr_t at = kept.at.sp;
    while (at < end && has_room()) {
        size_t bytes = end - at < sizeof piece ? end - at : sizeof piece;
        size_t words = read_at(at, piece, bytes) / sizeof *piece;
        for (size_t i = 0; i < words && has_room(); i++)
            keep_word(at + i * sizeof *piece, piece[i], end);
        at += words * sizeof *piece;
        if (words * sizeof *piece < bytes)
            break;
    }
    kept.end = at;
    kept.at.fp = kept.at.fp > kept.at.sp && kept.at.fp < end ? kept.at.fp : 0;
}

/* --- numbers ------------------------------------------------------------------------------------------------- */

static uint64_t mix(uint64_t hash, uint64_t value)
{
    hash = (hash ^ value) * 0x9e3779b97f4a7c15u;
    return hash ^ hash >> 29;
}

static uint64_t hash_of_kept(void)
{
    uint64_t hash = mix(made.witnesses, made.caller);
    for (unsigned i = 0; i < made.witnesses; i++)
        hash = mix(hash, kept.witness[i].value);
    return hash | 1;
}

/* Of what has these return addresses: at whatever height, it is the same way. 0: there are too many. */
static uint32_t number_for_kept(bool *is_new)
{
    uint32_t *number = (uint32_t *)(hashes + NUMBERS);
    uint64_t hash = hash_of_kept();
    size_t at = hash % NUMBERS;
    *is_new = false;
    for (; hashes[at]; at = (at + 1) % NUMBERS)
        if (hashes[at] == hash)
            return number[at];
    if (number_count >= MOST_NUMBERS || told_bytes > MOST_BYTES) {
        atomic_store(&is_full, true);
        return 0;
    }
    *is_new = true;
    hashes[at] = hash;
    number[at] = KT_SOURCE_IS_STACK | ++number_count;
    return number[at];
}

static void tell_kept(void)
{
    static struct kt_line line; /* within a slow path */
    const uintptr_t field[] = {made.caller, kept.at.pc, kept.at.sp, kept.at.fp, kept.end - kept.at.sp};
    line.length = 0;
    kt_line_raw(&line, "stack\t");
    kt_line_unsigned(&line, made.number & ~KT_SOURCE_IS_STACK, 10);
    for (size_t i = 0; i < sizeof field / sizeof *field; i++) {
        kt_line_raw(&line, "\t");
        kt_line_unsigned(&line, field[i], 16);
    }
    kt_line_raw(&line, "\t");
    memcpy(line.text + line.length, kept.words.text, kept.words.length);
    line.length += kept.words.length;
    kt_line_raw(&line, "\n");
    kt_define_line(line.text, line.length);
    told_bytes += line.length;
}

/* --- a way that was not met yet ------------------------------------------------------------------------------ */

static inline __attribute__((always_inline)) void read_registers(struct registers *r)
{
#if defined(__x86_64__)
    __asm__ volatile("leaq 1f(%%rip), %0\n1:\tmovq %%rsp, %1\n\tmovq %%rbp, %2"
                     : "=&r"(r->pc), "=&r"(r->sp), "=r"(r->fp));
#elif defined(__aarch64__)
    __asm__ volatile("adr %0, 1f\n1:\tmov %1, sp\n\tmov %2, x29" : "=&r"(r->pc), "=&r"(r->sp), "=r"(r->fp));
#endif
}

static __attribute__((noinline)) void look_for_code(void)
{
    struct kt_look look = {.answer = copy_code};
    kt_objects_look(&look);
}

static void keep(uintptr_t frame, uintptr_t caller)
{
    enum { MOST = 256 << 10, MOST_ELSEWHERE = 16 << 10 };
    look_for_code();
    kept.words.length = 0;
    made = (struct place){.frame = frame, .caller = caller};
    define_code(code_at(kept.at.pc));
    uintptr_t end = kept.at.sp + MOST_ELSEWHERE;
    if (find_own_stack(frame))
        end = own.hi - kept.at.sp < MOST ? own.hi : kept.at.sp + MOST;
    keep_words(end & ~(uintptr_t)7);
}

/* Places live as long as the process; they come from pages of their own. */
static struct place *new_place(size_t bytes)
{
    enum { PAGES = 64 << 10 };
    static char *at;
    static size_t left;
    if (left < bytes) {
        at = pages(PAGES);
        left = at ? PAGES : 0;
    }
    if (!at)
        return NULL;
    left -= bytes;
    return (void *)(at + left);
}

static void add_place(struct place *_Atomic *where)
{
    size_t witnesses = made.witnesses * sizeof *kept.witness;
    struct place *place = new_place(sizeof *place + witnesses);
    if (!place)
        return;
    *place = made;
    memcpy(place->witness, kept.witness, witnesses);
    atomic_store_explicit(where, place, memory_order_release); /* pairs with find_place() */
    if (++place_count == MOST_PLACES)
        atomic_store(&is_full, true);
}

static uint32_t number_of(uintptr_t frame, uintptr_t caller)
{
    bool is_new;
    struct place *_Atomic *where = find_place(frame, caller);
    if (!where)
        return 0;
    const struct place *known = atomic_load(where); /* by another thread since */
    if (known)
        return known->number;
    keep(frame, caller);
    made.number = number_for_kept(&is_new);
    if (!made.number)
        return 0;
    if (is_new)
        tell_kept();
    add_place(where);
    return made.number;
}

/* Its own frame is the first of those that are kept: it stays as it is until they are. */
static KT_COLD uint32_t meet(uintptr_t frame, uintptr_t caller)
{
    uint32_t number = 0;
    if (atomic_load_explicit(&is_full, memory_order_relaxed) || !kt_slow_begin())
        return 0;
    if (place_count < MOST_PLACES) {
        read_registers(&kept.at);
        number = number_of(frame, caller);
    }
    kt_slow_end();
    return number;
}

static inline uint32_t stack_number(uintptr_t frame, uintptr_t caller)
{
    struct place *_Atomic *where = find_place(frame, caller);
    if (KT_UNLIKELY(!where))
        return 0;
    const struct place *place = atomic_load_explicit(where, memory_order_acquire);
    return KT_LIKELY(place != NULL) ? place->number : meet(frame, caller);
}

/* An interpreter's frames say more than those of its own code. */
uint32_t kt_stack_place(const struct kt_frame *frame, uintptr_t caller)
{
    uint32_t line = kt_reads_python ? kt_python_line() : 0;
    line = line || !kt_reads_r ? line : kt_r_line();
    return line || !keeps_stacks ? line : stack_number((uintptr_t)frame, caller);
}

/* --- the start ----------------------------------------------------------------------------------------------- */

void kt_stack_start(void)
{
    const enum kt_stacks wanted = kt_settings_stacks();
    if (kt_tells_places || wanted == KT_STACKS_OFF)
        return;
    kt_python_find(wanted == KT_STACKS_PATHS);
    kt_r_find(wanted == KT_STACKS_PATHS);
    if ((kt_reads_python || kt_reads_r) && !kt_line_numbers_open())
        kt_reads_python = kt_reads_r = false;
    if (wanted == KT_STACKS_PATHS) {
        places = pages(PLACES * sizeof *places);
        hashes = pages(NUMBERS * (sizeof *hashes + sizeof(uint32_t)));
        keeps_stacks = places && hashes;
    }
    kt_tells_places = kt_reads_python || kt_reads_r || keeps_stacks;
}
