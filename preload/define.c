/* SPDX-License-Identifier: BSD-3-Clause */
#include "preload/define.h"

#include "preload/file.h"
#include "preload/file_path.h"
#include "preload/recorder.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* All lines of the definitions so far, for forked children; grown by mremap. */
static struct {
    char *text;
    size_t bytes, room;
    size_t saved; /* what the file has of them */
} definitions;

void kt_define_anew(void)
{
    definitions.saved = 0;
}

bool kt_define_is_saved(void)
{
    return definitions.saved == definitions.bytes;
}

/* What a full disk kept out of the file follows when there is room. */
bool kt_define_save(void)
{
    static char path[PATH_MAX]; /* within a slow path: one at a time */
    kt_file_path(path, "definitions", 0, 0);
    definitions.saved +=
        kt_file_append(path, definitions.text + definitions.saved, definitions.bytes - definitions.saved);
    if (definitions.saved == definitions.bytes)
        return true;
    int saved = errno;
    if (truncate(path, (off_t)definitions.saved) != 0 && errno == ENOENT)
        definitions.saved = 0;
    errno = saved; /* what kept it from being written */
    return false;
}

static bool grow_definitions(size_t bytes)
{
    size_t room = definitions.room ? 2 * definitions.room : 256 << 10;
    while (room < bytes)
        room *= 2;
    void *at = definitions.text ? mremap(definitions.text, definitions.room, room, MREMAP_MAYMOVE)
                                : mmap(NULL, room, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (at == MAP_FAILED)
        return false;
    definitions.text = at;
    definitions.room = room;
    return true;
}

void kt_define_line(const char *text, size_t length)
{
    if (definitions.bytes + length > definitions.room && !grow_definitions(definitions.bytes + length))
        return;
    memcpy(definitions.text + definitions.bytes, text, length);
    definitions.bytes += length;
    if (atomic_load(&kt_recorder.state) == KT_STATE_OPEN)
        kt_define_save();
}
