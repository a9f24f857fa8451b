/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the user asked for: the options of the environment, which programs they select, where the trace goes.
 */
#ifndef KT_SETTINGS_H
#define KT_SETTINGS_H

#include "ktrace/launcher.h"
#include "ktrace/options.h"
#include "preload/shim.h"

#include <limits.h>

struct kt_options {
#define KT_OPTION_FIELD(name, type, fallback, text) const char *name;
    KT_OPTIONS(KT_OPTION_FIELD)
#undef KT_OPTION_FIELD
};

extern KT_HIDDEN struct kt_options kt_option;
extern KT_HIDDEN char kt_trace[PATH_MAX];    /* the trace's directory, absolute */
extern KT_HIDDEN char kt_program[PATH_MAX];  /* of the executable */
extern KT_HIDDEN struct kt_launched kt_rank; /* as the environment told at the start */

KT_HIDDEN void kt_settings_read(void);
KT_HIDDEN void kt_settings_warn_of_unknown(void);
KT_HIDDEN void kt_settings_warn_of_flags(void);

/* Is the program's name among the patterns of KTRACE_PROGRAMS? */
KT_HIDDEN bool kt_settings_select_program(void);

/* Is the process among the ranks of KTRACE_RANKS? What is no rank of a job is. Says so if that means nothing: then all
 * are. */
KT_HIDDEN bool kt_settings_select_rank(void);

/* Do the patterns of KTRACE_ROUTINES select a routine, by its own name or that of the symbol? */
KT_HIDDEN bool kt_settings_select_routine(const char *routine, const char *symbol);

/* KTRACE_MODE: is it profile? Says so if it is no mode at all. */
KT_HIDDEN bool kt_settings_is_profile(void);

/* KTRACE_NESTED: of which calls is recorded what nests in them? */
enum kt_nested { KT_NESTED_SAMPLE, KT_NESTED_ALL, KT_NESTED_NONE };
KT_HIDDEN enum kt_nested kt_settings_nested(void);

/* KTRACE_STACKS: what is told of the lines that calls come from? */
enum kt_stacks { KT_STACKS_LINES, KT_STACKS_PATHS, KT_STACKS_OFF };
KT_HIDDEN enum kt_stacks kt_settings_stacks(void);

/* KTRACE_SAMPLE: one in how many calls is recorded; 1 if that is not a number. */
KT_HIDDEN uint64_t kt_settings_interval(void);

/* KTRACE_MAX_BYTES. */
struct kt_limit {
    uint64_t bytes; /* UINT64_MAX: none */
    bool keep_last;
};
KT_HIDDEN struct kt_limit kt_settings_byte_limit(void);
extern KT_HIDDEN struct kt_limit kt_limit; /* preload/tape.c: the one in force */

/* KTRACE_SNAPSHOT. */
struct kt_snapshot_rule {
    uint64_t calls; /* of each shape; 0: no snapshots */
    uint64_t bytes; /* of each operand */
};
KT_HIDDEN struct kt_snapshot_rule kt_settings_snapshot(void);

/* KTRACE_CHECKSUM: 1 what calls read, 2 what they wrote, 3 both, 0 nothing. */
KT_HIDDEN unsigned kt_settings_checksum(void);

/* Absolute now, as the program may change its working directory. */
KT_HIDDEN void kt_settings_expand_trace(void);

/* Relative to the working directory where that is shorter to type. */
KT_HIDDEN const char *kt_settings_short_trace(void);

/* Our names leave LD_PRELOAD and LD_AUDIT, so that programs executed from here on run without us; others stay. */
KT_HIDDEN void kt_settings_stop_following(void);

#endif
