/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the user asked for: the options of the environment, which programs they select, where the trace goes, and
 * what is said on standard error.
 */
#ifndef KT_SETTINGS_H
#define KT_SETTINGS_H

#include "ktrace/options.h"
#include "preload/shim.h"

#include <limits.h>

struct kt_options {
#define KT_OPTION_FIELD(name, type, fallback, text) const char *name;
    KT_OPTIONS(KT_OPTION_FIELD)
#undef KT_OPTION_FIELD
};

extern KT_HIDDEN struct kt_options kt_option;
extern KT_HIDDEN char kt_trace[PATH_MAX];   /* the trace's directory, absolute */
extern KT_HIDDEN char kt_program[PATH_MAX]; /* of the executable */

KT_HIDDEN void kt_read_options(void);
KT_HIDDEN void kt_warn_of_unknown_options(void);

/* Is the program's name among the patterns of KTRACE_PROGRAMS? */
KT_HIDDEN bool kt_is_program_selected(void);

/* Absolute now, as the program may change its working directory. */
KT_HIDDEN void kt_expand_trace_path(void);

/* Relative to the working directory where that is shorter to type. */
KT_HIDDEN const char *kt_short_trace_path(void);

/* Our names leave LD_PRELOAD and LD_AUDIT, so that programs executed from here on run without us; others stay. */
KT_HIDDEN void kt_stop_following(void);

/* A line of three parts on standard error, unless the user or the program does not want it. */
KT_HIDDEN void kt_notice(const char *a, const char *b, const char *c);

#endif
