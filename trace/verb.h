/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The verbs of the command, once: dispatch, help and shell completion follow from this list.
 * Columns: name, function, arguments, what it does.
 */
#ifndef KT_VERB_H
#define KT_VERB_H

#include "trace/error.h"

#include <stdbool.h>

#define KT_VERBS(X)                                                                                            \
    X(run, "[-o DIR] [--] COMMAND [ARG...]", "run a program and record its BLAS and LAPACK calls")              \
    X(report, "TRACE [--json]", "where the time goes: routines, shapes, callers; contexts once replayed")       \
    X(replay, "TRACE [--context LIST] [--blas LIB] [--json]", "re-time the recorded calls")                     \
    X(compare, "TRACE --blas LIB --blas LIB ... [--json]", "the same calls on several libraries")               \
    X(info, "TRACE [--json] | --libraries", "what was traced: state, libraries, machine, losses")               \
    X(dump, "TRACE [--json]", "every call, one per line")                                                       \
    X(check, "TRACE [--json]", "verify a trace; say what is readable")                                          \
    X(env, "[--json]", "every KTRACE_ variable: type, default, meaning")                                        \
    X(help, "[VERB]", "what a verb does and its options")

/* ARGV[0] is the verb; returns the exit status. */
#define KT_VERB_DECLARE(name, arguments, text) int kt_verb_##name(int argc, char **argv);
KT_VERBS(KT_VERB_DECLARE)
#undef KT_VERB_DECLARE

/* Options of a verb for getopt_long are its own; these print one line on standard error and return the status. */
int kt_verb_usage(const char *verb, const char *format, ...) __attribute__((format(printf, 2, 3)));
int kt_verb_fail(const char *verb, const struct kt_error *error);

/* The command line of verbs that take one trace and --json; not 0: the exit status of a wrong one. */
struct kt_trace_arguments {
    const char *path;
    bool json;
};
int kt_verb_trace_arguments(int argc, char **argv, struct kt_trace_arguments *out);

#endif
