/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * libarchive knows tar, with all the ways in which programs write long names and sizes. Compression goes through
 * libzstd directly, because libarchive writes frames without a checksum: a flipped bit would pass for data.
 */
#include "trace/files/archive.h"

#include "trace/base/memory.h"

#include <archive.h>
#include <archive_entry.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

/* Level: measured on traces of NumPy programs; higher ones take several times as long for a few percent. */
enum { LEVEL = 3, MAX_THREADS = 8, BLOCK = 1 << 17 };

/* --- reading ----------------------------------------------------------------------------------------------- */

/* Neither compressed nor a tar archive. */
static bool is_foreign(struct archive *archive)
{
    return archive_format(archive) == 0 && archive_filter_code(archive, 0) == ARCHIVE_FILTER_NONE;
}

/* What libarchive stumbled over. */
static enum kt_status damaged(struct archive *archive, const char *path, struct kt_error *error)
{
    const char *text = archive_error_string(archive);
    enum kt_status status = archive_errno(archive) == EIO ? KT_SYSTEM : KT_BAD_INPUT;
    if (is_foreign(archive))
        return kt_fail(error, KT_BAD_INPUT, "%s: not a trace: neither a directory nor a file of ktrace pack", path);
    return kt_fail(error, status, "%s: the packed file is damaged or cut off: %s", path, text ? text : "not readable");
}

/* Names as in the trace: "./x" and "x" are the same file; what leads out of the archive is nobody's file. */
static const char *plain_name(const char *name)
{
    while (name && name[0] == '.' && name[1] == '/')
        name += 1 + strspn(name + 1, "/");
    return name && *name && *name != '/' && !strstr(name, "../") ? name : NULL;
}

static enum kt_status read_file(struct archive *archive, const char *path, const struct kt_archive_reader *reader,
                                struct kt_error *error)
{
    const void *bytes;
    size_t size;
    la_int64_t at;
    int result;
    while ((result = archive_read_data_block(archive, &bytes, &size, &at)) == ARCHIVE_OK)
        KT_TRY(reader->bytes(reader->context, bytes, size, (uint64_t)at, error));
    return result == ARCHIVE_EOF ? KT_OK : damaged(archive, path, error);
}

static enum kt_status read_files(struct archive *archive, const char *path, const struct kt_archive_reader *reader,
                                 struct kt_error *error)
{
    struct archive_entry *entry;
    int result;
    while ((result = archive_read_next_header(archive, &entry)) == ARCHIVE_OK || result == ARCHIVE_WARN) {
        const char *name = plain_name(archive_entry_pathname(entry));
        if (!name || archive_entry_filetype(entry) != AE_IFREG || archive_entry_hardlink(entry))
            continue;
        KT_TRY(reader->file(reader->context, name, error));
        KT_TRY(read_file(archive, path, reader, error));
    }
    return result == ARCHIVE_EOF ? KT_OK : damaged(archive, path, error);
}

static struct archive *new_reader(void)
{
    struct archive *archive = archive_read_new();
    if (!archive)
        abort();
    archive_read_support_filter_zstd(archive);
    archive_read_support_filter_gzip(archive);
    archive_read_support_filter_xz(archive);
    archive_read_support_format_tar(archive);
    return archive;
}

static enum kt_status read_opened(struct archive *archive, int opened, const char *path,
                                  const struct kt_archive_reader *reader, struct kt_error *error)
{
    enum kt_status status =
        opened == ARCHIVE_OK ? read_files(archive, path, reader, error) : damaged(archive, path, error);
    archive_read_free(archive);
    return status;
}

enum kt_status kt_archive_read(int file, const char *path, const struct kt_archive_reader *reader,
                               struct kt_error *error)
{
    if (lseek(file, 0, SEEK_SET) != 0)
        return kt_fail(error, KT_SYSTEM, "%s: cannot be read: %s", path, strerror(errno));
    struct archive *archive = new_reader();
    return read_opened(archive, archive_read_open_fd(archive, file, BLOCK), path, reader, error);
}

enum kt_status kt_archive_read_bytes(const char *path, const void *bytes, size_t size,
                                     const struct kt_archive_reader *reader, struct kt_error *error)
{
    struct archive *archive = new_reader();
    return read_opened(archive, archive_read_open_memory(archive, bytes, size), path, reader, error);
}

/* --- writing ----------------------------------------------------------------------------------------------- */

struct kt_archive_writer {
    struct archive *archive; /* makes a tar stream, which take_tar() gets */
    ZSTD_CCtx *zstd;
    int file;
    char *path;
    struct kt_error error; /* of the last steps, which libarchive calls */
    unsigned char compressed[BLOCK];
    unsigned char source[BLOCK];
};

static enum kt_status write_all(struct kt_archive_writer *w, const unsigned char *bytes, size_t size)
{
    while (size) {
        ssize_t done = write(w->file, bytes, size);
        if (done < 0 && errno == EINTR)
            continue;
        if (done < 0)
            return kt_fail(&w->error, KT_SYSTEM, "%s: cannot be written: %s", w->path, strerror(errno));
        bytes += done;
        size -= (size_t)done;
    }
    return KT_OK;
}

static enum kt_status compress(struct kt_archive_writer *w, const void *bytes, size_t size, ZSTD_EndDirective how)
{
    ZSTD_inBuffer in = {bytes, size, 0};
    size_t left;
    do {
        ZSTD_outBuffer out = {w->compressed, sizeof w->compressed, 0};
        left = ZSTD_compressStream2(w->zstd, &out, &in, how);
        if (ZSTD_isError(left))
            return kt_fail(&w->error, KT_SYSTEM, "%s: cannot be compressed: %s", w->path, ZSTD_getErrorName(left));
        KT_TRY(write_all(w, w->compressed, out.pos));
    } while (how == ZSTD_e_continue ? in.pos < in.size : left != 0);
    return KT_OK;
}

static la_ssize_t take_tar(struct archive *archive, void *writer, const void *bytes, size_t size)
{
    struct kt_archive_writer *w = writer;
    if (compress(w, bytes, size, ZSTD_e_continue) == KT_OK)
        return (la_ssize_t)size;
    archive_set_error(archive, EIO, "%s", w->error.text);
    return ARCHIVE_FATAL;
}

/* Of libarchive, after its functions failed. */
static enum kt_status refused(struct kt_archive_writer *w, struct kt_error *error)
{
    if (w->error.status != KT_OK)
        return kt_fail(error, w->error.status, "%s", w->error.text);
    return kt_fail(error, KT_SYSTEM, "%s: cannot be written: %s", w->path, archive_error_string(w->archive));
}

static int threads(void)
{
    cpu_set_t set;
    int count = sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;
    return count < MAX_THREADS ? count : MAX_THREADS;
}

enum kt_status kt_archive_begin(int file, const char *path, struct kt_archive_writer **out, struct kt_error *error)
{
    struct kt_archive_writer *w = kt_resize(NULL, 1, sizeof *w);
    *w = (struct kt_archive_writer){
        .archive = archive_write_new(), .zstd = ZSTD_createCCtx(), .file = file, .path = kt_copy(path)};
    *out = w;
    if (!w->archive || !w->zstd)
        abort();
    ZSTD_CCtx_setParameter(w->zstd, ZSTD_c_compressionLevel, LEVEL);
    ZSTD_CCtx_setParameter(w->zstd, ZSTD_c_checksumFlag, 1);
    ZSTD_CCtx_setParameter(w->zstd, ZSTD_c_nbWorkers, threads()); /* refused by a library without threads: none then */
    archive_write_set_format_pax_restricted(w->archive);
    if (archive_write_open(w->archive, w, NULL, take_tar, NULL) != ARCHIVE_OK)
        return refused(w, error);
    return KT_OK;
}

static enum kt_status add_bytes(struct kt_archive_writer *w, int source, uint64_t size, const char *path,
                                struct kt_error *error)
{
    for (uint64_t done = 0; done < size;) {
        uint64_t left = size - done;
        ssize_t got = pread(source, w->source, left < BLOCK ? left : BLOCK, (off_t)done);
        if (got <= 0)
            return kt_fail(error, KT_SYSTEM, "%s: cannot be read: %s", path, got ? strerror(errno) : "it got shorter");
        if (archive_write_data(w->archive, w->source, (size_t)got) != got)
            return refused(w, error);
        done += (uint64_t)got;
    }
    return KT_OK;
}

enum kt_status kt_archive_add(struct kt_archive_writer *writer, const char *name, int source, const char *source_path,
                              struct kt_error *error)
{
    struct stat st;
    if (fstat(source, &st) != 0)
        return kt_fail(error, KT_SYSTEM, "%s: %s", source_path, strerror(errno));
    struct archive_entry *entry = archive_entry_new();
    archive_entry_copy_stat(entry, &st);
    archive_entry_set_pathname(entry, name);
    archive_entry_unset_atime(entry);
    archive_entry_unset_ctime(entry);
    archive_entry_set_nlink(entry, 1);
    int result = archive_write_header(writer->archive, entry);
    archive_entry_free(entry);
    if (result != ARCHIVE_OK && result != ARCHIVE_WARN)
        return refused(writer, error);
    return add_bytes(writer, source, (uint64_t)st.st_size, source_path, error);
}

enum kt_status kt_archive_add_bytes(struct kt_archive_writer *writer, const char *name, const void *bytes, size_t size,
                                    struct kt_error *error)
{
    struct archive_entry *entry = archive_entry_new();
    archive_entry_set_pathname(entry, name);
    archive_entry_set_filetype(entry, AE_IFREG);
    archive_entry_set_perm(entry, 0600);
    archive_entry_set_size(entry, (la_int64_t)size);
    int result = archive_write_header(writer->archive, entry);
    archive_entry_free(entry);
    if ((result != ARCHIVE_OK && result != ARCHIVE_WARN) ||
        (size && archive_write_data(writer->archive, bytes, size) != (la_ssize_t)size))
        return refused(writer, error);
    return KT_OK;
}

enum kt_status kt_archive_end(struct kt_archive_writer *writer, struct kt_error *error)
{
    if (error->status == KT_OK &&
        (archive_write_close(writer->archive) != ARCHIVE_OK || compress(writer, NULL, 0, ZSTD_e_end) != KT_OK))
        refused(writer, error);
    archive_write_free(writer->archive);
    ZSTD_freeCCtx(writer->zstd);
    free(writer->path);
    free(writer);
    return error->status;
}
