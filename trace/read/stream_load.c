/* SPDX-License-Identifier: BSD-3-Clause */
/* A stream's bytes: mapped, or copied where its thread may still be writing. */
#include "trace/read/stream.h"

#include "trace/base/free_memory.h"
#include "trace/base/memory.h"
#include "trace/read/profile_file.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* Of a stream that is being written: bytes that the chunk being written may take, and how often it is asked for. */
enum { WRITTEN = 256 << 10, MOST_TRIES = 1000 };

static enum kt_status read_bytes(int file, struct kt_stream *out, uint64_t from, uint64_t to, struct kt_error *error)
{
    unsigned char *bytes = (unsigned char *)out->bytes;
    for (out->size = from; out->size < to;) {
        ssize_t got = pread(file, bytes + out->size, to - out->size, (off_t)out->size);
        if (got < 0)
            return kt_fail(error, KT_SYSTEM, "%s: %s", out->path, strerror(errno));
        if (got == 0)
            break;
        out->size += (size_t)got;
    }
    return KT_OK;
}

static enum kt_status file_size(int file, const char *path, uint64_t *size, struct kt_error *error)
{
    struct stat st;
    if (fstat(file, &st) != 0)
        return kt_fail(error, KT_SYSTEM, "%s: %s", path, strerror(errno));
    *size = S_ISREG(st.st_mode) ? (uint64_t)st.st_size : 0; /* otherwise no call is in it */
    return KT_OK;
}

static bool is_same_chunk(int file, const struct kt_stream *s)
{
    struct kt_chunk now;
    return s->size < sizeof now || pread(file, &now, sizeof now, 0) != (ssize_t)sizeof now ||
           now.index == ((const struct kt_chunk *)(const void *)s->bytes)->index;
}

/* The chunk being written comes first, and whole: what was in it before is among the others by then. */
static enum kt_status copy_file(int file, uint64_t size, struct kt_stream *out, struct kt_error *error)
{
    out->bytes = kt_resize(NULL, size, 1);
    for (int tries = 0; tries < MOST_TRIES; tries++) {
        KT_TRY(read_bytes(file, out, 0, size < WRITTEN ? size : WRITTEN, error));
        if (is_same_chunk(file, out))
            break;
    }
    uint64_t first = out->size;
    KT_TRY(file_size(file, out->path, &size, error));
    if (size <= first)
        return KT_OK;
    out->bytes = kt_resize((void *)out->bytes, size, 1);
    return read_bytes(file, out, first, size, error);
}

/* --- files that become shorter while they are mapped --- */

static struct mapping {
    unsigned char *at;
    size_t size;
} * mapping;
static size_t mappings; /* The reader is one thread. */

/* What is gone reads as zeros, which the reader finds to be no events. Any other SIGBUS is not ours. */
static void fill_with_zeros(int number, siginfo_t *info, void *context)
{
    (void)context;
    unsigned char *page = (unsigned char *)((uintptr_t)info->si_addr & ~((uintptr_t)getpagesize() - 1));
    for (size_t i = 0; i < mappings; i++) {
        size_t before = (size_t)(page - mapping[i].at);
        if (before < mapping[i].size &&
            mmap(page, mapping[i].size - before, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == page)
            return;
    }
    signal(number, SIG_DFL); /* for when the access is made again */
}

static void guard(void *at, size_t size)
{
    const struct sigaction action = {.sa_sigaction = fill_with_zeros, .sa_flags = SA_SIGINFO};
    if (!mappings)
        sigaction(SIGBUS, &action, NULL);
    mapping = kt_room_for_one(mapping, mappings, sizeof *mapping);
    mapping[mappings++] = (struct mapping){at, size};
}

/* The last ones are closed first. */
static void stop_guarding(const void *at)
{
    size_t i = mappings;
    while (i > 0 && mapping[i - 1].at != at)
        i--;
    if (i > 0)
        mapping[i - 1] = mapping[--mappings];
}

/* --- short files ---
 * To let go of a mapping's pages takes longer than to read some of them, as all processors have to hear of it. A job
 * has many short streams: they are mapped one behind the other, so that many can be let go of at once. */

enum { SHORT = 1 << 20, SHELF = 64 << 20 };

static struct shelf {
    unsigned char *at;
    size_t used;    /* bytes; nothing but streams may be there, whatever happens to these */
    size_t streams; /* that are open */
} * shelf;
static size_t shelves;
static size_t passed_by; /* bytes of short streams since pages were let go of */

static size_t whole_pages(size_t bytes)
{
    size_t page = (size_t)getpagesize();
    return (bytes + page - 1) / page * page;
}

/* Addresses for a short file; NULL: there are none. */
static void *place_on_shelf(size_t bytes)
{
    if (!shelves || SHELF - shelf[shelves - 1].used < bytes) {
        void *at = mmap(NULL, SHELF, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (at == MAP_FAILED)
            return NULL;
        shelf = kt_room_for_one(shelf, shelves, sizeof *shelf);
        shelf[shelves++] = (struct shelf){.at = at};
    }
    struct shelf *last = &shelf[shelves - 1];
    void *at = last->at + last->used;
    last->used += bytes;
    last->streams++;
    return at;
}

static struct shelf *shelf_of(const unsigned char *at)
{
    for (size_t i = shelves; i-- > 0;)
        if (at >= shelf[i].at && at < shelf[i].at + SHELF)
            return &shelf[i];
    return NULL;
}

/* Nobody else may get the addresses while there are other streams. */
static void take_from_shelf(struct shelf *from, void *at, size_t bytes)
{
    if (--from->streams == 0) {
        munmap(from->at, SHELF);
        *from = shelf[--shelves];
        return;
    }
    mmap(at, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
}

static void pass_short(size_t bytes)
{
    passed_by += bytes;
    if (passed_by < SHELF)
        return;
    for (size_t i = 0; i < shelves; i++)
        madvise(shelf[i].at, shelf[i].used, MADV_DONTNEED);
    passed_by = 0;
}

/* --- loading --- */

/* False: the system refuses, as it does where there are too many mappings. */
static bool map_file(int file, uint64_t size, struct kt_stream *out)
{
    void *place = size <= SHORT ? place_on_shelf(whole_pages(size)) : NULL;
    void *at = mmap(place, size, PROT_READ, MAP_SHARED | (place ? MAP_FIXED : 0), file, 0);
    if (at == MAP_FAILED && place)
        take_from_shelf(shelf_of(place), place, whole_pages(size));
    if (at == MAP_FAILED)
        return false;
    guard(at, size);
    out->bytes = at;
    out->size = size;
    out->mapped = true;
    return true;
}

static void unmap(void *at, size_t size)
{
    struct shelf *from = shelf_of(at);
    stop_guarding(at);
    if (from)
        take_from_shelf(from, at, whole_pages(size));
    else
        munmap(at, size);
}

static bool fits_into_memory(uint64_t size)
{
    return size < kt_free_memory(NULL) / 4;
}

/* Where a copy has no room the file itself is read, and what changes meanwhile is cut off. */
static enum kt_status load_file(int file, bool copy, struct kt_stream *out, struct kt_error *error)
{
    uint64_t size;
    KT_TRY(file_size(file, out->path, &size, error));
    if (size == 0)
        return KT_OK;
    if (copy && fits_into_memory(size))
        return copy_file(file, size, out, error);
    if (map_file(file, size, out))
        return KT_OK;
    int cause = errno;
    return fits_into_memory(size)
               ? copy_file(file, size, out, error)
               : kt_fail(error, KT_SYSTEM, "%s: cannot be mapped into memory: %s", out->path, strerror(cause));
}

enum kt_status kt_stream_load(const struct kt_files *files, const char *path, bool copy, struct kt_stream *out,
                              struct kt_error *error)
{
    *out = (struct kt_stream){.path = kt_copy(path)};
    if (kt_files_are_packed(files)) {
        out->bytes = kt_files_view(files, path, &out->size);
        out->borrowed = true;
        return KT_OK;
    }
    int file = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    if (file < 0)
        return kt_fail(error, KT_SYSTEM, "%s: cannot be read: %s", path, strerror(errno));
    enum kt_status status = load_file(file, copy, out, error);
    close(file);
    return status;
}

/* The pages stay in the system's cache and are mapped again if they are asked for, so nothing that was read is lost. Of
 * a stream that begins anew, as one of the last calls does, AT goes back once. */
void kt_stream_pass(const struct kt_stream *s, uint64_t *passed, uint64_t at)
{
    enum { WINDOW = 1 << 20 }; /* a call of the system for each, which 100,000 calls of the program pay for */
    uint64_t page = (uint64_t)getpagesize();
    *passed = at < *passed ? at : *passed;
    if (s->mapped && s->size <= SHORT && at == s->size) {
        pass_short(s->size);
        return;
    }
    if (!s->mapped || s->size <= SHORT || (at - *passed < WINDOW && at < s->size))
        return;
    uint64_t from = *passed / page * page;
    *passed = at < s->size ? at / page * page : s->size;
    if (*passed > from)
        madvise((void *)(s->bytes + from), *passed - from, MADV_DONTNEED);
}

void kt_stream_pass_all(const struct kt_stream *s)
{
    uint64_t passed = 0;
    kt_stream_pass(s, &passed, s->size);
}

void kt_stream_free(struct kt_stream *stream)
{
    if (stream->borrowed)
        stream->bytes = NULL;
    if (stream->mapped) {
        unmap((void *)stream->bytes, stream->size);
    } else {
        free((void *)stream->bytes);
    }
    free(stream->path);
    free(stream->span);
    free(stream->late);
    free(stream->open);
    kt_profile_free(stream->profile);
}
