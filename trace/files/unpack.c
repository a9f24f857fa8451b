/* SPDX-License-Identifier: BSD-3-Clause */
#include "trace/files/unpack.h"

#include "trace/files/archive.h"
#include "trace/base/free_memory.h"
#include "trace/base/memory.h"
#include "trace/files/numbered.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* Zeros that a sparse archive may claim between two pieces: more than any unused end of a stream. */
enum { ALIGN = 64, FIRST_ROOM = 1 << 20, MAX_GAP = 1 << 28 };

/* An archive that begins with so many other files, or bytes of them, is not of a trace. */
enum { MOST_OTHERS = 256, MOST_OTHER_BYTES = 1 << 28 };

/* Traces unpack to five or fifty times their size: what goes on after this was made to fill a disk. */
enum { MOST_TIMES = 200, ANY_MAY = 1 << 30 /* bytes */ };

/* Where the bytes go: memory that grows, until the limit is reached, then a file. */
struct pool {
    unsigned char *memory; /* anonymous: zeros where nothing was stored; NULL once there is a file */
    size_t room;           /* of it */
    size_t limit;
    uint64_t most; /* bytes that it may unpack to */
    int file;      /* or -1 */
    uint64_t size;
    struct kt_unpacked *out;
    const char *path; /* for messages */
    bool is_trace;    /* a file of a process was met */
};

/* --- the pool ---------------------------------------------------------------------------------------------- */

static enum kt_status write_all(int file, const void *bytes, size_t size, uint64_t at, const struct pool *pool,
                                struct kt_error *error)
{
    for (size_t done = 0; done < size;) {
        ssize_t got = pwrite(file, (const char *)bytes + done, size - done, (off_t)(at + done));
        if (got < 0 && errno != EINTR)
            return kt_fail(error, KT_SYSTEM,
                           "%s: is too large to be unpacked into memory, and the temporary file for it (see TMPDIR) "
                           "cannot be written: %s",
                           pool->path, strerror(errno));
        done += got > 0 ? (size_t)got : 0;
    }
    return KT_OK;
}

/* A file without a name; /var/tmp, as /tmp often is memory. */
static int nameless_file(void)
{
    const char *directory = getenv("TMPDIR");
    char name[4096];
    int file = open(directory && *directory ? directory : "/var/tmp", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    if (file >= 0)
        return file;
    snprintf(name, sizeof name, "%s/ktrace.XXXXXX", directory && *directory ? directory : "/var/tmp");
    file = mkostemp(name, O_CLOEXEC);
    if (file >= 0)
        unlink(name);
    return file;
}

static enum kt_status move_to_file(struct pool *pool, struct kt_error *error)
{
    pool->file = nameless_file();
    if (pool->file < 0)
        return kt_fail(error, KT_SYSTEM,
                       "%s: is too large to be unpacked into memory, and there can be no temporary file in %s: %s",
                       pool->path, getenv("TMPDIR") ? getenv("TMPDIR") : "/var/tmp", strerror(errno));
    KT_TRY(write_all(pool->file, pool->memory, pool->size < pool->room ? pool->size : pool->room, 0, pool, error));
    if (pool->memory)
        munmap(pool->memory, pool->room);
    pool->memory = NULL;
    return KT_OK;
}

/* Twice the room, or false if that is too much. Pages that are never touched cost nothing. */
static bool grow(struct pool *pool, uint64_t size)
{
    uint64_t room = pool->room ? pool->room : FIRST_ROOM;
    while (room < size)
        room *= 2;
    if (size > pool->limit)
        return false;
    void *memory = pool->memory
                       ? mremap(pool->memory, pool->room, room, MREMAP_MAYMOVE)
                       : mmap(NULL, room, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED)
        return false;
    pool->memory = memory;
    pool->room = room;
    return true;
}

static enum kt_status store(struct pool *pool, const void *bytes, size_t size, uint64_t at, struct kt_error *error)
{
    if (at + size > pool->most)
        return kt_fail(error, KT_BAD_INPUT,
                       "%s: unpacks to more than %d times its size, as no trace does: the rest is left out", pool->path,
                       MOST_TIMES);
    if (pool->file < 0 && at + size > pool->room && !grow(pool, at + size))
        KT_TRY(move_to_file(pool, error));
    if (pool->file < 0)
        memcpy(pool->memory + at, bytes, size);
    else
        KT_TRY(write_all(pool->file, bytes, size, at, pool, error));
    pool->size = at + size;
    return KT_OK;
}

/* --- files of the archive ---------------------------------------------------------------------------------- */

/* Nothing of it is kept. */
static enum kt_status refuse(struct kt_unpacked *out, const char *path, struct kt_error *error)
{
    while (out->files)
        free(out->file[--out->files].name);
    return kt_fail(error, KT_BAD_INPUT, "%s: not a trace: it begins with other files than those of processes", path);
}

static enum kt_status begin_file(void *context, const char *name, struct kt_error *error)
{
    struct pool *pool = context;
    struct kt_unpacked *out = pool->out;
    const char *slash = strrchr(name, '/');
    pool->is_trace = pool->is_trace || kt_is_of_process(name) || !strcmp(slash ? slash + 1 : name, "meta");
    if (!pool->is_trace && out->files == MOST_OTHERS)
        return refuse(out, pool->path, error);
    pool->size = (pool->size + ALIGN - 1) / ALIGN * ALIGN;
    out->file = kt_room_for_one(out->file, out->files, sizeof *out->file);
    out->file[out->files++] = (struct kt_unpacked_file){.name = kt_copy(name), .at = pool->size};
    return KT_OK;
}

static enum kt_status add_bytes(void *context, const void *bytes, size_t size, uint64_t at, struct kt_error *error)
{
    struct pool *pool = context;
    struct kt_unpacked_file *file = &pool->out->file[pool->out->files - 1];
    if (at < file->size || at - file->size > MAX_GAP)
        return kt_fail(error, KT_BAD_INPUT, "%s: the packed file is damaged: bytes of %s in an impossible place",
                       pool->path, file->name);
    if (!pool->is_trace && file->at + at + size > MOST_OTHER_BYTES)
        return refuse(pool->out, pool->path, error);
    KT_TRY(store(pool, bytes, size, file->at + at, error));
    file->size = at + size;
    return KT_OK;
}

/* Archives begin with the directory that was packed. */
static void strip_directory(struct kt_unpacked *out)
{
    const char *slash = out->files ? strchr(out->file[0].name, '/') : NULL;
    size_t length = slash ? (size_t)(slash - out->file[0].name) + 1 : 0;
    for (size_t i = 0; i < out->files; i++)
        if (strncmp(out->file[i].name, out->file[0].name, length) != 0)
            return;
    for (size_t i = 0; i < out->files && length; i++)
        memmove(out->file[i].name, out->file[i].name + length, strlen(out->file[i].name + length) + 1);
}

/* --- the whole --------------------------------------------------------------------------------------------- */

/* A quarter of the memory that is there for the asking. */
static size_t usual_limit(void)
{
    return kt_free_memory(NULL) / 4;
}

static enum kt_status map_pool(struct pool *pool, struct kt_error *error)
{
    struct kt_unpacked *out = pool->out;
    out->size = pool->memory ? pool->room : pool->size;
    out->bytes = pool->memory;
    if (pool->file < 0)
        return KT_OK;
    void *at = NULL;
    if (pool->size && ftruncate(pool->file, (off_t)pool->size) == 0) /* zeros at the end may not have been written */
        at = mmap(NULL, pool->size, PROT_READ, MAP_PRIVATE, pool->file, 0);
    close(pool->file);
    if (at == MAP_FAILED)
        return kt_fail(error, KT_SYSTEM, "%s: what was unpacked cannot be mapped into memory: %s", pool->path,
                       strerror(errno));
    out->bytes = at;
    return KT_OK;
}

/* PACKED: bytes of the archive. */
static struct pool begin(const char *path, uint64_t packed, size_t memory, struct kt_unpacked *out)
{
    *out = (struct kt_unpacked){0};
    uint64_t most = MOST_TIMES * packed;
    return (struct pool){.limit = memory ? memory : usual_limit(),
                         .most = most > ANY_MAY ? most : ANY_MAY,
                         .file = -1,
                         .out = out,
                         .path = path};
}

/* Damage is a finding if something can be read in spite of it. */
static enum kt_status finish(struct pool *pool, enum kt_status status, const struct kt_error *cause,
                             struct kt_error *error)
{
    struct kt_unpacked *out = pool->out;
    enum kt_status mapped = map_pool(pool, error);
    if (mapped == KT_OK && status != KT_OK && (status != KT_BAD_INPUT || out->files == 0))
        mapped = kt_fail(error, status, "%s", cause->text);
    if (mapped != KT_OK) {
        kt_unpacked_free(out);
        return mapped;
    }
    if (status != KT_OK)
        out->damage = kt_copy(cause->text);
    strip_directory(out);
    return KT_OK;
}

enum kt_status kt_unpack(const char *path, size_t memory, struct kt_unpacked *out, struct kt_error *error)
{
    struct kt_error cause = {0};
    struct stat st;
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0 || fstat(file, &st) != 0)
        return kt_fail(error, KT_SYSTEM, "%s: cannot be read: %s", path, strerror(errno));
    struct pool pool = begin(path, (uint64_t)st.st_size, memory, out);
    const struct kt_archive_reader reader = {begin_file, add_bytes, &pool};
    enum kt_status status = kt_archive_read(file, path, &reader, &cause);
    close(file);
    return finish(&pool, status, &cause, error);
}

enum kt_status kt_unpack_bytes(const char *path, const void *bytes, size_t size, struct kt_unpacked *out,
                               struct kt_error *error)
{
    struct kt_error cause = {0};
    struct pool pool = begin(path, size, 0, out);
    const struct kt_archive_reader reader = {begin_file, add_bytes, &pool};
    return finish(&pool, kt_archive_read_bytes(path, bytes, size, &reader, &cause), &cause, error);
}

void kt_unpacked_free(struct kt_unpacked *unpacked)
{
    if (unpacked->bytes)
        munmap((void *)unpacked->bytes, unpacked->size);
    for (size_t i = 0; i < unpacked->files; i++)
        free(unpacked->file[i].name);
    free(unpacked->file);
    free(unpacked->damage);
    *unpacked = (struct kt_unpacked){0};
}
