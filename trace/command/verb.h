/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The verbs of the command, once: dispatch and help follow from this list.
 * Columns: name, function, arguments, what it does.
 */
#ifndef KT_VERB_H
#define KT_VERB_H

#include "trace/read/reader.h"

#define KT_VERBS(X)                                                                                                   \
    X(run, "[OPTIONS] [--] COMMAND [ARG...]", "run a program and record its BLAS and LAPACK calls")                   \
    X(report, "[OPTIONS] TRACE...", "where the time goes: routines, shapes, callers; contexts once replayed")         \
    X(replay, "[OPTIONS] TRACE", "re-time the recorded calls")                                                        \
    X(compare, "[--blas LIB...] [OPTIONS] [TRACE] [-- COMMAND]",                                                      \
      "the same calls on several libraries; or the program itself, really run on each")                               \
    X(diff, "[OPTIONS] BEFORE AFTER", "two runs: what appeared, vanished, got slower; exit status 1 if anything did") \
    X(probe, "[OPTIONS]", "characterise this machine: clocks, caches, operations, bandwidth, cores")                  \
    X(roofline, "[OPTIONS] TRACE...|--kernel ROUTINE|--events|--validate",                                            \
      "where the calls stand under the roofs of the machine: table, picture")                                         \
    X(model, "build|show|predict|tune|rank|calls [OPTIONS] [TRACE]",                                                  \
      "times of calls and algorithms without running them")                                                           \
    X(repro, "--shape N|--call N|--routine NAME TRACE", "a self-contained C program that makes one recorded call")    \
    X(info, "[OPTIONS] TRACE... | --libraries [LIB...]", "what was traced: state, processes, machine, losses")        \
    X(dump, "[OPTIONS] TRACE...", "every call, one per line")                                                         \
    X(merge, "[OPTIONS] TRACE...", "the traces of a job, such as one of each rank, in one")                           \
    X(check, "[OPTIONS] TRACE...", "verify a trace; say what is readable; exit status 1 if there are findings")       \
    X(score, "[OPTIONS] TRACE...", "what a full trace would cost, predicted from this run, and what to set")          \
    X(pack, "[OPTIONS] TRACE", "one compressed file of a trace, which every verb takes as the trace")                 \
    X(export, "[OPTIONS] TRACE...", "the calls for other tools: CSV, an SQLite database, a time line, flame graphs")  \
    X(control, "[OPTIONS] PID pause|resume|flush|status",                                                             \
      "what a process that is being traced is to do; sends no signal")                                                \
    X(env, "[OPTIONS]", "every KTRACE_ variable: type, default, meaning")                                             \
    X(help, "[--columns|--json-schema] [VERB]", "what a verb does, its options, and what it prints")

/* ARGV[0] is the verb; returns the exit status. */
#define KT_VERB_DECLARE(name, arguments, text) int kt_verb_##name(int argc, char **argv);
KT_VERBS(KT_VERB_DECLARE)
#undef KT_VERB_DECLARE

/* Exit status of a verb that nothing went wrong in: 0, or where a signal ended it 128 + that, as shells have it. SIGNAL
 * 0: none did. */
int kt_verb_status(int signal);

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

/* Gives all options of the verb ARGV[0] to TAKE, letters with their values; arguments then begin at optind. KT_USAGE
 * with the reason if one is wrong. */
typedef enum kt_status kt_option_taker(int option, const char *value, void *out, struct kt_error *error);
enum kt_status kt_verb_take_options(int argc, char **argv, kt_option_taker *take, void *out, struct kt_error *error);

/* The command line of verbs that take traces and --json: opens them as one. Not 0: the exit status; the cause has
 * been printed and there is nothing to close. */
int kt_verb_open_trace(int argc, char **argv, struct kt_trace *out, bool *json);

#endif
