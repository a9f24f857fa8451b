/* SPDX-License-Identifier: BSD-3-Clause */
#include "preload/control.h"

#include "preload/apart.h"
#include "preload/line.h"
#include "preload/process.h"
#include "preload/tape.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* The last one is that of all names that are too many. Half of the slots stay free. */
enum { MOST_REGIONS = 4096, NAME_SLOTS = 2 * MOST_REGIONS, NAME_BYTES = 200 };

static const char others[] = "(more regions)";

static struct kt_control own = {.magic = KT_CONTROL_MAGIC, .epoch = 1};
struct kt_control *_Atomic kt_control_page = &own;

/* --- pauses ------------------------------------------------------------------------------------------------ */

void kt_control_change(void)
{
    __atomic_fetch_add(&kt_control()->epoch, 1, __ATOMIC_RELEASE);
}

/* The page may be just about to be replaced by that of the file. */
static void pause_or_not(uint32_t paused)
{
    int saved = errno;
    kt_process_start();
    bool alone = kt_slow_begin();
    __atomic_store_n(&kt_control()->paused, paused, __ATOMIC_RELAXED);
    kt_control_change();
    if (alone)
        kt_slow_end();
    errno = saved;
}

static struct kt_control *map_file(int file)
{
    struct kt_control now = *kt_control();
    if (kt_write_all(file, (const char *)&now, sizeof now) != sizeof now)
        return NULL;
    void *at = kt_tape_share(file, sizeof now);
    return at == MAP_FAILED ? NULL : at;
}

static void open_apart(void *at)
{
    const char *path = at;
    int file = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    struct kt_control *shared = file >= 0 ? map_file(file) : NULL;
    if (shared)
        atomic_store(&kt_control_page, shared);
    if (file >= 0)
        close(file);
    if (file >= 0 && !shared)
        unlink(path); /* whoever stores into it would not be heard */
}

void kt_control_open(void)
{
    static char path[PATH_MAX]; /* within a slow path: one at a time */
    kt_process_path(path, "control", 0, 0);
    kt_apart(open_apart, path);
}

/* The page is the parent's. The child begins as its parent does now: recording or not. */
void kt_control_after_fork(void)
{
    struct kt_control *parents = kt_control();
    own.paused = parents->paused;
    own.epoch = parents->epoch + 1;
    own.skipped = 0;
    memset(own.lost, 0, sizeof own.lost);
    atomic_store(&kt_control_page, &own);
    if (parents != &own)
        munmap(parents, sizeof *parents);
}

/* --- regions ----------------------------------------------------------------------------------------------- */

static struct {
    char *name[MOST_REGIONS];  /* index = id - 1 */
    uint16_t slot[NAME_SLOTS]; /* id of the name that has this place by its hash; 0: none */
    unsigned count;
} regions;

static char *copy_name(const char *name)
{
    static char *room;
    static size_t left;
    size_t bytes = strlen(name) + 1;
    if (bytes > left) {
        enum { BYTES = 64 << 10 };
        void *at = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (at == MAP_FAILED)
            return NULL;
        room = at;
        left = BYTES;
    }
    char *copy = memcpy(room, name, bytes);
    room += bytes;
    left -= bytes;
    return copy;
}

static void define_region(unsigned id, const char *name)
{
    static struct kt_line line;
    line.length = 0;
    kt_line_raw(&line, "region\t");
    kt_line_unsigned(&line, id, 10);
    kt_line_raw(&line, "\t");
    kt_line_escaped(&line, name, strlen(name));
    kt_line_raw(&line, "\n");
    kt_define(line.text, line.length);
}

/* Where the name is, or would be. */
static uint16_t *name_slot(const char *name)
{
    uint32_t hash = 2166136261u; /* FNV-1a */
    for (const char *c = name; *c; c++)
        hash = (hash ^ (unsigned char)*c) * 16777619u;
    uint16_t *slot = &regions.slot[hash % NAME_SLOTS];
    while (*slot && strcmp(regions.name[*slot - 1], name) != 0)
        slot = slot == &regions.slot[NAME_SLOTS - 1] ? regions.slot : slot + 1;
    return slot;
}

/* Within a slow path. */
static unsigned region_id(const char *name)
{
    uint16_t *slot = name_slot(name);
    if (!*slot && regions.count >= MOST_REGIONS - 1)
        slot = name_slot(name = others);
    char *copy = *slot ? NULL : copy_name(name);
    if (copy) {
        regions.name[regions.count++] = copy;
        *slot = (uint16_t)regions.count;
        define_region(regions.count, name);
    }
    return *slot ? *slot : UINT16_MAX; /* without memory it has no name */
}

static void enter_region(const char *name)
{
    char text[NAME_BYTES];
    size_t length = strnlen(name, sizeof text - 1);
    memcpy(text, name, length);
    text[length] = '\0';
    if (!kt_slow_begin())
        return;
    kt_region_begin(region_id(text));
    kt_slow_end();
    kt_regions_record();
}

static void leave_region(void)
{
    bool left = false;
    if (kt_quiet_begin()) {
        left = kt_region_end();
        kt_quiet_end();
    }
    if (left)
        kt_regions_record();
}

/* --- what include/ktrace/ktrace.h offers ------------------------------------------------------------------- */

static bool is_recording(void)
{
    kt_process_start();
    enum kt_state state = atomic_load(&kt_process.state);
    return state == KT_STATE_READY || state == KT_STATE_OPEN;
}

KT_EXPORT void ktrace_api_pause(void);
KT_EXPORT void ktrace_api_pause(void)
{
    pause_or_not(1);
}

KT_EXPORT void ktrace_api_resume(void);
KT_EXPORT void ktrace_api_resume(void)
{
    pause_or_not(0);
}

KT_EXPORT void ktrace_api_begin(const char *name);
KT_EXPORT void ktrace_api_begin(const char *name)
{
    int saved = errno;
    if (name && is_recording())
        enter_region(name);
    errno = saved;
}

KT_EXPORT void ktrace_api_end(void);
KT_EXPORT void ktrace_api_end(void)
{
    int saved = errno;
    if (is_recording())
        leave_region();
    errno = saved;
}

KT_EXPORT int ktrace_api_recording(void);
KT_EXPORT int ktrace_api_recording(void)
{
    return is_recording() && !kt_is_paused();
}
