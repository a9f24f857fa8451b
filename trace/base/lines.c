/* SPDX-License-Identifier: BSD-3-Clause */
#include "trace/base/lines.h"

#include "trace/base/memory.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* No text file of a trace comes near; a larger one is damage that should not eat the memory. */
static const off_t max_bytes = 256 << 20;

static enum kt_status not_ours(const char *path, struct kt_error *error)
{
    return kt_fail(error, KT_BAD_INPUT, "%s: not a file that ktrace wrote", path);
}

static enum kt_status fill(int file, const char *path, struct kt_lines *out, struct kt_error *error)
{
    struct stat st;
    if (fstat(file, &st) != 0)
        return kt_fail(error, KT_SYSTEM, "%s: %s", path, strerror(errno));
    if (!S_ISREG(st.st_mode) || st.st_size > max_bytes)
        return not_ours(path, error);
    out->text = kt_resize(NULL, (size_t)st.st_size + 1, 1);
    while (out->bytes < (size_t)st.st_size) {
        ssize_t got = read(file, out->text + out->bytes, (size_t)st.st_size - out->bytes);
        if (got < 0)
            return kt_fail(error, KT_SYSTEM, "%s: %s", path, strerror(errno));
        if (got == 0)
            break;
        out->bytes += (size_t)got;
    }
    out->text[out->bytes] = '\0';
    return KT_OK;
}

enum kt_status kt_lines_load(const char *path, struct kt_lines *out, struct kt_error *error)
{
    *out = (struct kt_lines){0};
    int file = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC); /* a FIFO of that name must not block */
    if (file < 0)
        return kt_fail(error, errno == ENOENT ? KT_BAD_INPUT : KT_SYSTEM, "%s: %s", path, strerror(errno));
    enum kt_status status = fill(file, path, out, error);
    close(file);
    if (status != KT_OK)
        kt_lines_free(out);
    return status;
}

enum kt_status kt_lines_take(const char *path, const void *bytes, size_t size, struct kt_lines *out,
                             struct kt_error *error)
{
    *out = (struct kt_lines){0};
    if (size > (size_t)max_bytes)
        return not_ours(path, error);
    out->text = kt_resize(NULL, size + 1, 1);
    if (size)
        memcpy(out->text, bytes, size);
    out->text[size] = '\0';
    out->bytes = size;
    return KT_OK;
}

bool kt_lines_first(const char *path, char *out, size_t size)
{
    FILE *file = fopen(path, "re");
    bool found = file && fgets(out, (int)size, file);
    if (file)
        fclose(file);
    out[found ? strcspn(out, "\n") : 0] = '\0';
    return found;
}

void kt_lines_free(struct kt_lines *lines)
{
    free(lines->text);
    *lines = (struct kt_lines){0};
}

char *kt_lines_next(struct kt_lines *lines)
{
    char *line = lines->text + lines->at;
    char *end = memchr(line, '\n', lines->bytes - lines->at);
    if (!end)
        return NULL;
    *end = '\0';
    lines->at = (size_t)(end - lines->text) + 1;
    lines->number++;
    return line;
}

bool kt_lines_left(const struct kt_lines *lines)
{
    return lines->at < lines->bytes;
}

size_t kt_lines_split(char *line, char **field, size_t max)
{
    size_t count = 0;
    while (line && count < max) {
        field[count++] = line;
        line = count < max ? strchr(line, '\t') : NULL;
        if (line)
            *line++ = '\0';
    }
    return count;
}

static int hex_digit(char c)
{
    return isdigit((unsigned char)c) ? c - '0' : tolower((unsigned char)c) - 'a' + 10;
}

char *kt_unescape(char *text)
{
    char *to = text;
    for (const char *from = text; *from;) {
        bool escape =
            from[0] == '\\' && from[1] == 'x' && isxdigit((unsigned char)from[2]) && isxdigit((unsigned char)from[3]);
        *to++ = escape ? (char)(hex_digit(from[2]) << 4 | hex_digit(from[3])) : *from;
        from += escape ? 4 : 1;
    }
    *to = '\0';
    return text;
}
