/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The process as a whole: it reads its options when it is loaded, makes its directory when it first records a call,
 * writes the totals when it ends, and starts afresh in forked children. A program that makes no call leaves no trace.
 */
#include "preload/process.h"

#include "preload/allowed.h"
#include "preload/apart.h"
#include "preload/checksum.h"
#include "preload/control.h"
#include "preload/cost.h"
#include "preload/counters.h"
#include "preload/define.h"
#include "preload/events.h"
#include "preload/file.h"
#include "preload/file_path.h"
#include "preload/gate.h"
#include "preload/inside.h"
#include "preload/jump.h"
#include "preload/life.h"
#include "preload/map.h"
#include "preload/meta.h"
#include "preload/names.h"
#include "preload/notice.h"
#include "preload/objects.h"
#include "preload/price.h"
#include "preload/profile_table.h"
#include "preload/recorder.h"
#include "preload/settings.h"
#include "preload/slow.h"
#include "preload/snapshot.h"
#include "preload/streams.h"
#include "preload/substitute.h"
#include "preload/ticks.h"
#include "preload/unload.h"
#include "preload/yard.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

/* --- the end ----------------------------------------------------------------------------------------------- */

static void losses_lines(struct kt_line *line, const uint64_t *lost)
{
    static const char *const name[] = {
#define KT_LOSS_NAME(name, text) #name,
        KT_LOSSES(KT_LOSS_NAME)
#undef KT_LOSS_NAME
    };
    for (int i = 0; i < KT_LOSS_COUNT; i++) {
        if (!lost[i])
            continue;
        kt_line_raw(line, "lost\t");
        kt_meta_number(line, name[i], lost[i]);
    }
}

static void write_end(const struct kt_totals *total)
{
    static struct kt_line line;
    static char temporary[PATH_MAX]; /* likewise */
    static char path[PATH_MAX];      /* within a slow path: one at a time */
    line.length = 0;
    kt_meta_number(&line, "calls", total->calls);
    kt_meta_number(&line, "skipped", total->skipped);
    kt_meta_number(&line, "passed", total->passed);
    kt_meta_number(&line, "room_ticks", total->room_ticks);
    losses_lines(&line, total->lost);
    if (kt_snapshot_missing())
        kt_meta_number(&line, "snapshots_missing", kt_snapshot_missing());
    kt_meta_anchor(&line);
    kt_file_path(temporary, "end.part", 0, 0);
    kt_file_path(path, "end", 0, 0);
    if (kt_file_append(temporary, line.text, line.length) != line.length || rename(temporary, path) != 0)
        unlink(temporary);
}

static void tell_losses(const uint64_t *lost)
{
    static const char *const reason[] = {
#define KT_LOSS_TEXT(name, text) text,
        KT_LOSSES(KT_LOSS_TEXT)
#undef KT_LOSS_TEXT
    };
    for (int i = 0; i < KT_LOSS_COUNT; i++) {
        char number[24];
        if (!lost[i])
            continue;
        snprintf(number, sizeof number, "%llu", (unsigned long long)lost[i]);
        kt_notice(number, lost[i] == 1 ? " call was not recorded: " : " calls were not recorded: ", reason[i]);
    }
}

static void tell_calls(uint64_t calls)
{
    static char text[PATH_MAX + 80]; /* within a slow path */
    const char *path = kt_settings_short_trace();
    const char *done = kt_extras & KT_EXTRA_PROFILE ? "counted" : "recorded";
    snprintf(text, sizeof text, "%llu call%s %s in %s; next: ktrace report ", (unsigned long long)calls,
             calls == 1 ? "" : "s", done, path);
    kt_notice(text, path, "");
}

__attribute__((destructor)) static void close_process(void)
{
    int saved = errno;
    kt_streams_close();
    if (kt_slow_begin()) {
        bool was_open = atomic_load(&kt_recorder.state) == KT_STATE_OPEN;
        kt_streams_save();
        const struct kt_totals total = kt_streams_totals();
        if (was_open) {
            kt_profile_table_finish();
            kt_define_save();
            write_end(&total);
            tell_calls(total.calls);
        }
        if (atomic_load(&kt_recorder.state) != KT_STATE_OFF)
            tell_losses(total.lost);
        if (was_open)
            atomic_store(&kt_recorder.state, KT_STATE_CLOSED);
        kt_control_change();
        kt_slow_end();
    }
    errno = saved;
}

/* --- the start and forks ----------------------------------------------------------------------------------- */

/* Of this thread, and of that which it becomes in the child. */
static __thread struct {
    bool now;
    bool locked; /* otherwise it is within a slow path, which has the lock already */
} forking __attribute__((tls_model("initial-exec")));

static void before_fork(void)
{
    kt_life_adopt();
    forking.locked = kt_slow_before_fork();
    kt_objects_before_fork();
    forking.now = true;
}

static void after_fork_in_parent(void)
{
    forking.now = false;
    kt_slow_after_fork(forking.locked);
}

/* The child writes into a directory of its own, in the same trace. TOLD: a handler was called before the fork. */
static void start_afresh(bool told)
{
    kt_slow_in_child(told);
    kt_objects_after_fork(told);
    kt_life_mark();
    kt_counters_after_fork();
    kt_control_after_fork();
    kt_streams_forget();
    kt_unload_after_fork();
    kt_map_after_fork();
    atomic_store(&kt_recorder.calls, 0);
    atomic_store(&kt_recorder.skipped, 0);
    atomic_store(&kt_recorder.passed, 0);
    atomic_store(&kt_recorder.room_ticks, 0);
    for (int i = 0; i < KT_LOSS_COUNT; i++)
        atomic_store(&kt_recorder.lost[i], 0);
    if (atomic_load(&kt_recorder.state) == KT_STATE_STARTING) /* by a thread that is not here */
        atomic_store(&kt_recorder.state, KT_STATE_OFF);
    if (atomic_load(&kt_recorder.state) != KT_STATE_OFF)
        atomic_store(&kt_recorder.state, KT_STATE_READY);
}

/* Others' handlers, which run before this one, may have made calls: then it has been run for them. */
static void after_fork_in_child(void)
{
    if (!forking.now)
        return;
    start_afresh(true);
    after_fork_in_parent();
}

/* A child of clone() has one thread, and a lock that other threads of its parent may have held. */
static void adopt(void)
{
    if (forking.now)
        after_fork_in_child();
    else
        start_afresh(false);
}

const struct kt_life kt_life = {.start = kt_process_start, .adopt = adopt};

static bool start_recording(void)
{
    kt_settings_warn_of_unknown();
    kt_settings_expand_trace();
    kt_extras |= kt_meta_is_kernel_clock() ? KT_EXTRA_CLOCK : 0;
    kt_ticks_measure();
    kt_events_start();
    kt_control()->paused = *kt_option.PAUSED == '1';
    kt_limit = kt_settings_byte_limit();
    kt_interval = kt_settings_interval();
    kt_extras |= kt_settings_is_profile() ? KT_EXTRA_PROFILE : 0;
    kt_extras |= kt_event_count ? KT_EXTRA_EVENTS : 0;
    kt_extras |= kt_interval > 1 ? KT_EXTRA_SAMPLE : 0;
    kt_extras |= !(kt_extras & KT_EXTRA_PROFILE) && kt_snapshot_start() ? KT_EXTRA_SNAPSHOT : 0;
    kt_extras |= !(kt_extras & KT_EXTRA_PROFILE) && kt_checksum_start() ? KT_EXTRA_CHECKSUM : 0;
    kt_cost_measure();
    kt_yard_start(*kt_option.YARDSTICKS != '0');
    kt_inside_start(kt_settings_nested(), kt_price_of_call());
    return kt_streams_start();
}

/* Calls are bound in children, too, whether or not they are recorded. */
static bool start_following_forks(void)
{
    kt_life_mark();
    return pthread_atfork(before_fork, after_fork_in_parent, after_fork_in_child) == 0;
}

__attribute__((constructor)) void kt_process_start(void)
{
    int saved = errno;
    enum kt_state start = KT_STATE_START;
    if (!atomic_compare_exchange_strong(&kt_recorder.state, &start, KT_STATE_STARTING))
        return;
    kt_meta_note_start();
    kt_allowed_note_start();
    kt_apart_start();
    kt_jump_start();
    kt_settings_read();
    kt_settings_warn_of_flags();
    if (*kt_option.FOLLOW == '0')
        kt_settings_stop_following();
    bool selected = kt_settings_select_program();
    bool sees_forks = start_following_forks();
    bool records =
        sees_forks && *kt_option.DISABLE != '1' && selected && kt_settings_select_rank() && start_recording();
    atomic_store(&kt_recorder.state, records ? KT_STATE_READY : KT_STATE_OFF);
    if (selected) {
        kt_substitute_start();
        kt_map_start(kt_spare_stubs);
    }
    errno = saved;
}
