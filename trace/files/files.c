/* SPDX-License-Identifier: BSD-3-Clause */
#include "trace/files/files.h"

#include "trace/base/memory.h"
#include "trace/files/unpack.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

/* A file in memory. */
struct file {
    char *name; /* in the trace */
    const unsigned char *bytes;
    size_t size;
    size_t number; /* in the order in which they were added */
};

struct kt_files {
    char *path;
    bool in_memory;
    struct file *file; /* sorted by name, and every name once, if they are in memory */
    size_t count;
    struct kt_unpacked unpacked; /* which owns their bytes */
};

/* --- files in memory --------------------------------------------------------------------------------------- */

struct kt_files *kt_files_new(const char *path)
{
    struct kt_files *files = kt_resize(NULL, 1, sizeof *files);
    *files = (struct kt_files){.path = kt_copy(path), .in_memory = true};
    return files;
}

void kt_files_add(struct kt_files *files, const char *name, const unsigned char *bytes, size_t size)
{
    files->file = kt_room_for_one(files->file, files->count, sizeof *files->file);
    files->file[files->count] = (struct file){kt_copy(name), bytes, size, files->count};
    files->count++;
}

static int compare_files(const void *a, const void *b)
{
    const struct file *x = a;
    const struct file *y = b;
    int order = strcmp(x->name, y->name);
    return order ? order : (x->number > y->number) - (x->number < y->number);
}

void kt_files_sort(struct kt_files *files)
{
    size_t kept = 0;
    if (files->count)
        qsort(files->file, files->count, sizeof *files->file, compare_files);
    for (size_t i = 0; i < files->count; i++) {
        if (i + 1 < files->count && !strcmp(files->file[i].name, files->file[i + 1].name))
            free(files->file[i].name);
        else
            files->file[kept++] = files->file[i];
    }
    files->count = kept;
}

/* The first file whose name does not precede NAME. */
static size_t lower_bound(const struct kt_files *files, const char *name)
{
    size_t low = 0;
    for (size_t high = files->count; low < high;) {
        size_t middle = low + (high - low) / 2;
        if (strcmp(files->file[middle].name, name) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* PATH without the path of the trace, which it begins with. */
static const char *name_of(const struct kt_files *files, const char *path)
{
    size_t length = strlen(files->path);
    path += strncmp(path, files->path, length) ? 0 : length;
    return path + (*path == '/');
}

static const struct file *find_file(const struct kt_files *files, const char *path)
{
    const char *name = name_of(files, path);
    size_t i = lower_bound(files, name);
    return i < files->count && !strcmp(files->file[i].name, name) ? &files->file[i] : NULL;
}

/* What the names of the files in a directory begin with: "" or "p42/". To be freed. */
static char *prefix_of(const struct kt_files *files, const char *directory)
{
    const char *name = name_of(files, directory);
    char *prefix = kt_resize(NULL, strlen(name) + 2, 1);
    sprintf(prefix, "%s%s", name, *name ? "/" : "");
    return prefix;
}

static bool holds_files(const struct kt_files *files, const char *directory)
{
    char *prefix = prefix_of(files, directory);
    size_t i = lower_bound(files, prefix);
    bool found = i < files->count && !strncmp(files->file[i].name, prefix, strlen(prefix));
    free(prefix);
    return found;
}

/* --- opening ----------------------------------------------------------------------------------------------- */

static void take_unpacked(struct kt_files *files)
{
    for (size_t i = 0; i < files->unpacked.files; i++) {
        const struct kt_unpacked_file *file = &files->unpacked.file[i];
        kt_files_add(files, file->name, file->size ? files->unpacked.bytes + file->at : NULL, file->size);
    }
    kt_files_sort(files);
}

/* FILES is there whole or not at all. */
static enum kt_status finish(struct kt_files *files, enum kt_status status, struct kt_files **out)
{
    *out = status == KT_OK ? files : NULL;
    if (status == KT_OK)
        take_unpacked(files);
    else
        kt_files_close(files);
    return status;
}

enum kt_status kt_files_open_bytes(const char *path, const void *bytes, size_t size, struct kt_files **out,
                                   struct kt_error *error)
{
    struct kt_files *files = kt_files_new(path);
    return finish(files, kt_unpack_bytes(path, bytes, size, &files->unpacked, error), out);
}

enum kt_status kt_files_open(const char *path, struct kt_files **out, struct kt_error *error)
{
    struct stat st;
    *out = NULL;
    if (stat(path, &st) != 0) {
        enum kt_status status = errno == ENOENT || errno == ENOTDIR ? KT_BAD_INPUT : KT_SYSTEM;
        return kt_fail(error, status, "%s: %s", path, strerror(errno));
    }
    if (!S_ISDIR(st.st_mode) && !S_ISREG(st.st_mode))
        return kt_fail(error, KT_BAD_INPUT, "%s: not a trace: neither a directory nor a packed trace", path);
    struct kt_files *files = kt_files_new(path);
    files->in_memory = S_ISREG(st.st_mode);
    return finish(files, files->in_memory ? kt_unpack(path, 0, &files->unpacked, error) : KT_OK, out);
}

void kt_files_close(struct kt_files *files)
{
    if (!files)
        return;
    for (size_t i = 0; i < files->count; i++)
        free(files->file[i].name);
    kt_unpacked_free(&files->unpacked);
    free(files->file);
    free(files->path);
    free(files);
}

bool kt_files_are_packed(const struct kt_files *files)
{
    return files->in_memory;
}

const char *kt_files_damage(const struct kt_files *files)
{
    return files->unpacked.damage;
}

/* --- looking around ---------------------------------------------------------------------------------------- */

bool kt_files_exist(const struct kt_files *files, const char *path)
{
    return files->in_memory ? find_file(files, path) || holds_files(files, path) : access(path, F_OK) == 0;
}

bool kt_files_is_directory(const struct kt_files *files, const char *path)
{
    struct stat st;
    return files->in_memory ? holds_files(files, path) : stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

/* TEXT need not end with a zero. */
static void add_name(struct kt_file_names *names, const char *text, size_t length)
{
    if (length == 0 || *text == '.')
        return;
    char *name = kt_resize(NULL, length + 1, 1);
    memcpy(name, text, length);
    name[length] = '\0';
    names->name = kt_room_for_one(names->name, names->count, sizeof *names->name);
    names->name[names->count++] = name;
}

/* What is in a directory further down begins with the same characters up to the slash, and stands side by side. */
static void list_memory(const struct kt_files *files, const char *directory, struct kt_file_names *out)
{
    char *prefix = prefix_of(files, directory);
    size_t skip = strlen(prefix);
    const char *last = "";
    size_t last_length = 0;
    for (size_t i = lower_bound(files, prefix); i < files->count; i++) {
        const char *name = files->file[i].name;
        if (strncmp(name, prefix, skip) != 0)
            break;
        size_t length = strcspn(name + skip, "/");
        if (length != last_length || strncmp(name + skip, last, length) != 0)
            add_name(out, name + skip, length);
        last = name + skip;
        last_length = length;
    }
    free(prefix);
}

enum kt_status kt_files_list(const struct kt_files *files, const char *directory, struct kt_file_names *out,
                             struct kt_error *error)
{
    *out = (struct kt_file_names){0};
    if (files->in_memory) {
        list_memory(files, directory, out);
        return KT_OK;
    }
    DIR *opened = opendir(directory);
    if (!opened)
        return kt_fail(error, KT_SYSTEM, "%s: cannot be read: %s", directory, strerror(errno));
    for (const struct dirent *entry = readdir(opened); entry; entry = readdir(opened))
        add_name(out, entry->d_name, strlen(entry->d_name));
    closedir(opened);
    return KT_OK;
}

void kt_file_names_free(struct kt_file_names *names)
{
    for (size_t i = 0; i < names->count; i++)
        free(names->name[i]);
    free(names->name);
    *names = (struct kt_file_names){0};
}

/* --- contents ---------------------------------------------------------------------------------------------- */

enum kt_status kt_files_lines(const struct kt_files *files, const char *path, struct kt_lines *out,
                              struct kt_error *error)
{
    if (!files->in_memory)
        return kt_lines_load(path, out, error);
    const struct file *file = find_file(files, path);
    *out = (struct kt_lines){0};
    if (!file)
        return kt_fail(error, KT_BAD_INPUT, "%s: %s", path, strerror(ENOENT));
    return kt_lines_take(path, file->bytes, file->size, out, error);
}

const unsigned char *kt_files_view(const struct kt_files *files, const char *path, size_t *size)
{
    const struct file *file = files->in_memory ? find_file(files, path) : NULL;
    *size = file ? file->size : 0;
    return file ? file->bytes : NULL;
}

FILE *kt_files_regular(const char *path)
{
    struct stat st;
    int file = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    if (file < 0)
        return NULL;
    FILE *opened = fstat(file, &st) == 0 && S_ISREG(st.st_mode) ? fdopen(file, "r") : NULL;
    if (!opened)
        close(file);
    return opened;
}

bool kt_files_head(const struct kt_files *files, const char *path, void *out, size_t bytes)
{
    const struct file *file = files->in_memory ? find_file(files, path) : NULL;
    if (file && file->size >= bytes)
        memcpy(out, file->bytes, bytes);
    if (files->in_memory)
        return file && file->size >= bytes;
    int opened = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    ssize_t got = opened < 0 ? -1 : read(opened, out, bytes);
    if (opened >= 0)
        close(opened);
    return got == (ssize_t)bytes;
}

void kt_files_companion(const struct kt_files *files, const char *name, char *out, size_t size)
{
    snprintf(out, size, "%s%c%s", files->path, files->in_memory ? '.' : '/', name);
}
