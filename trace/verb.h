/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The verbs of the command, once: dispatch and help follow from this list.
 * Columns: name, function, arguments, what it does.
 */
#ifndef KT_VERB_H
#define KT_VERB_H

#include "trace/reader.h"

#define KT_VERBS(X)                                                                                           \
    X(run, "[OPTIONS] [--] COMMAND [ARG...]", "run a program and record its BLAS and LAPACK calls")           \
    X(report, "[OPTIONS] TRACE...", "where the time goes: routines, shapes, callers; contexts once replayed") \
    X(replay, "[OPTIONS] TRACE", "re-time the recorded calls")                                                \
    X(compare, "--blas LIB [OPTIONS] TRACE", "the same calls on several libraries")                           \
    X(repro, "--call N|--routine NAME TRACE", "a self-contained C program that makes one recorded call")      \
    X(info, "[OPTIONS] TRACE | --libraries", "what was traced: state, libraries, machine, losses")            \
    X(dump, "[OPTIONS] TRACE", "every call, one per line")                                                    \
    X(check, "[OPTIONS] TRACE", "verify a trace; say what is readable; exit status 1 if there are findings")  \
    X(env, "[OPTIONS]", "every KTRACE_ variable: type, default, meaning")                                     \
    X(help, "[VERB]", "what a verb does and its options")

/* ARGV[0] is the verb; returns the exit status. */
#define KT_VERB_DECLARE(name, arguments, text) int kt_verb_##name(int argc, char **argv);
KT_VERBS(KT_VERB_DECLARE)
#undef KT_VERB_DECLARE

/* These print one line on standard error and return the exit status. */
int kt_verb_usage(const char *verb, const char *format, ...) __attribute__((format(printf, 2, 3)));
int kt_verb_fail(const char *verb, const struct kt_error *error);

/* An option of a verb. The help and what the verb accepts follow from one list of them. */
struct kt_verb_option {
    const char *verb; /* NULL: the end of the list */
    const char *name;
    char letter;              /* what kt_verb_next_option returns */
    bool has_short;           /* -LETTER does, too */
    const char *value, *text; /* for the help; a value of NULL: it takes none */
};
const struct kt_verb_option *kt_verb_options(void);

/* The letter of the next option of the verb ARGV[0], with its value in optarg; -1: there are no more, arguments begin
 * at optind; '?': it is wrong, and ERROR says why. Options may stand behind arguments, except in run. */
int kt_verb_next_option(int argc, char **argv, struct kt_error *error);

/* The command line of verbs that take one trace and --json: opens the trace. Not 0: the exit status; the cause has
 * been printed and there is nothing to close. */
int kt_verb_open_trace(int argc, char **argv, struct kt_trace *out, bool *json);

#endif
