/* SPDX-License-Identifier: BSD-3-Clause */
#include "preload/snapshot.h"

#include "preload/apart.h"
#include "preload/disk.h"
#include "preload/elements.h"
#include "preload/entries.h"
#include "preload/plan.h"
#include "preload/quiet.h"
#include "preload/recorder.h"
#include "preload/settings.h"
#include "preload/system.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <unistd.h>

enum {
    SHAPES = 1 << 15, /* that are told apart; a power of two */
    MOST_PROBES = 64,
    MOST_OPERANDS = 32,
    TOTAL = 64 /* so many operands of the greatest length are the limit of all */
};

struct shape {
    _Atomic uint64_t hash; /* 0: free */
    _Atomic uint64_t calls;
};

/* Zeros in a forked child, whose shapes are new to its own part of the trace. */
struct snapshots {
    _Atomic uint64_t files, missing, bytes;
    _Atomic bool is_full; /* there were shapes without room, however many: missing counts them as one */
    struct shape shape[SHAPES];
};

static struct snapshots *state;
static struct kt_snapshot_rule rule;

bool kt_snapshot_start(void)
{
    rule = kt_settings_snapshot();
    if (!rule.calls || !kt_plan_start())
        return false;
    void *at = mmap(NULL, sizeof *state, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (at == MAP_FAILED)
        return false;
    madvise(at, sizeof *state, MADV_WIPEONFORK);
    state = at;
    return true;
}

uint64_t kt_snapshot_missing(void)
{
    return state ? atomic_load(&state->missing) : 0;
}

/* --- shapes ------------------------------------------------------------------------------------------------ */

/* Is it this shape's, made so if it is free? */
static bool is_of(struct shape *shape, uint64_t hash)
{
    uint64_t found = atomic_load_explicit(&shape->hash, memory_order_relaxed);
    return found == hash || (!found && (atomic_compare_exchange_strong(&shape->hash, &found, hash) || found == hash));
}

static bool is_early(struct shape *shape)
{
    return atomic_load_explicit(&shape->calls, memory_order_relaxed) < rule.calls &&
           atomic_fetch_add(&shape->calls, 1) < rule.calls;
}

static bool is_wanted(unsigned entry, const uint64_t *word, unsigned words)
{
    const struct kt_plan *plan = kt_plan_of(entry);
    if (KT_UNLIKELY(!plan))
        plan = kt_plan_make(entry);
    if (!plan || plan->words != words)
        return false;
    uint64_t hash = kt_hash_of(plan, (struct kt_where){KT_NESTED, 0}, entry, word) | 1;
    for (size_t i = 0; i < MOST_PROBES; i++) {
        struct shape *shape = &state->shape[((hash >> 1) + i) & (SHAPES - 1)];
        if (is_of(shape, hash))
            return is_early(shape);
    }
    if (!atomic_load_explicit(&state->is_full, memory_order_relaxed) && !atomic_exchange(&state->is_full, true))
        atomic_fetch_add(&state->missing, 1);
    return false;
}

/* --- operands ---------------------------------------------------------------------------------------------- */

struct snapshot {
    struct kt_snapshot_head head;
    struct kt_snapshot_operand operand[MOST_OPERANDS];
    uint64_t bytes; /* of the file, if all of them can be read */
};

static uint64_t round_up(uint64_t bytes)
{
    return (bytes + 7) / 8 * 8;
}

/* What the call reads; returns how many there are. */
static unsigned describe_operands(unsigned interface, const uint64_t *args, bool wide, struct snapshot *out)
{
    struct kt_element_walk walk;
    struct kt_elements o;
    unsigned count = 0;
    kt_elements_begin(interface, args, wide, &walk);
    while (count < MOST_OPERANDS && kt_elements_next(&walk, &o)) {
        if (!(o.access & KT_X_READ) || !o.base)
            continue;
        uint64_t end = kt_elements_end(&o);
        uint64_t asked = end < rule.bytes ? end : rule.bytes;
        out->operand[count++] = (struct kt_snapshot_operand){.offset = o.offset, .address = o.base, .asked = asked};
        out->bytes += round_up(asked);
    }
    return count;
}

static bool describe(const struct kt_frame *frame, const uint64_t *word, struct snapshot *out)
{
    const struct kt_interface *interface = kt_entries_interface(frame->binding->entry);
    out->bytes = 0;
    unsigned count =
        describe_operands((unsigned)(interface - kt_interfaces), word + KT_CALL_HEAD_WORDS, frame->binding->wide, out);
    out->head = (struct kt_snapshot_head){.byte_order = KT_BYTE_ORDER,
                                          .major = KT_FORMAT_MAJOR,
                                          .minor = KT_FORMAT_MINOR,
                                          .header_bytes = sizeof out->head,
                                          .tid = (uint32_t)kt_system_call(SYS_gettid),
                                          .entry = frame->binding->entry,
                                          .arg_bytes = interface->arg_bytes,
                                          .operands = count,
                                          .call = kt_self.stream->calls - 1};
    out->bytes += sizeof out->head + interface->arg_bytes + count * sizeof *out->operand;
    return count > 0;
}

/* --- the file ---------------------------------------------------------------------------------------------- */

/* From the program's memory, as far as it can be read. AddressSanitizer's own pwrite would look at what is behind an
 * operand, too. */
static uint64_t store_contents(int file, const struct kt_snapshot_operand *operand)
{
    uint64_t done = 0;
    while (done < operand->asked) {
        long now =
            kt_system_call(SYS_pwrite64, file, operand->address + done, operand->asked - done, operand->at + done);
        if (now <= 0)
            break;
        done += (uint64_t)now;
    }
    return done;
}

static bool store(int file, const void *bytes, size_t count, uint64_t at)
{
    return pwrite(file, bytes, count, (off_t)at) == (ssize_t)count;
}

/* The last of a disk is for the calls. */
static bool has_room(int file, uint64_t bytes)
{
    enum { LEFT = 4 << 20 };
    struct statvfs disk;
    return fstatvfs(file, &disk) == 0 && disk.f_bavail * disk.f_frsize >= bytes + LEFT &&
           kt_disk_reserve(file, 0, bytes);
}

/* The head comes last: a file that was not finished has no magic. */
static bool fill_file(int file, const uint64_t *word, struct snapshot *s)
{
    uint64_t args_at = sizeof s->head;
    uint64_t operands_at = args_at + s->head.arg_bytes;
    uint64_t at = operands_at + s->head.operands * sizeof *s->operand;
    if (!has_room(file, s->bytes))
        return false;
    for (unsigned i = 0; i < s->head.operands; i++) {
        s->operand[i].at = at;
        s->operand[i].bytes = store_contents(file, &s->operand[i]);
        at += round_up(s->operand[i].bytes);
    }
    struct kt_snapshot_head head = s->head;
    memcpy(head.magic, KT_SNAPSHOT_MAGIC, sizeof head.magic);
    return ftruncate(file, (off_t)at) == 0 && store(file, word + KT_CALL_HEAD_WORDS, s->head.arg_bytes, args_at) &&
           store(file, s->operand, s->head.operands * sizeof *s->operand, operands_at) &&
           store(file, &head, sizeof head, 0);
}

static void name_of(uint64_t number, char out[24])
{
    char digits[24];
    unsigned count = 0;
    do
        digits[count++] = (char)('0' + number % 10);
    while (number /= 10);
    *out++ = 'o';
    while (count)
        *out++ = digits[--count];
    *out = '\0';
}

struct new_file {
    char name[24];
    const uint64_t *word;
    struct snapshot *snapshot;
    bool whole;
};

static void write_apart(void *at)
{
    struct new_file *new = at;
    int directory = open(kt_recorder.directory, O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (directory < 0)
        return;
    int file = openat(directory, new->name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (file >= 0) {
        new->whole = fill_file(file, new->word, new->snapshot);
        new->whole &= kt_disk_close(file);
        if (!new->whole)
            unlinkat(directory, new->name, 0);
    }
    close(directory);
}

static bool write_file(const uint64_t *word, struct snapshot *s)
{
    struct new_file new = {.word = word, .snapshot = s};
    name_of(atomic_fetch_add(&state->files, 1) + 1, new.name);
    kt_apart(write_apart, &new);
    return new.whole;
}

static bool take(const struct kt_frame *frame, const uint64_t *word)
{
    struct snapshot s;
    if (!describe(frame, word, &s))
        return true;
    if (atomic_fetch_add(&state->bytes, s.bytes) + s.bytes <= TOTAL * rule.bytes && write_file(word, &s))
        return true;
    atomic_fetch_sub(&state->bytes, s.bytes);
    return false;
}

void kt_snapshot(const struct kt_frame *frame, const uint64_t *word, unsigned words)
{
    if (frame->depth || !is_wanted(frame->binding->entry, word, words))
        return;
    int saved = errno;
    bool taken = false;
    if (kt_quiet_begin()) {
        taken = take(frame, word);
        kt_quiet_end();
    }
    if (!taken)
        atomic_fetch_add(&state->missing, 1);
    errno = saved;
}
