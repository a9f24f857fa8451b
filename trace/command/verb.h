/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The verbs of the command, and how each is told its options. Dispatch, help, manual pages and completion follow from
 * the list of verbs and from the list of options that stands beside each verb's code.
 */
#ifndef KT_VERB_H
#define KT_VERB_H

#include "trace/read/reader.h"

#include <stddef.h>

/* Columns: name, arguments, what it does. */
#define KT_VERBS(X)                                                                                                   \
    X(run, "[OPTIONS] [--] COMMAND [ARG...]", "run a program and record its BLAS and LAPACK calls")                   \
    X(explain, "[OPTIONS] TRACE | -- COMMAND [ARG...]",                                                               \
      "the main answer at once: run, replay, run again between replays, and a page of what it comes to")              \
    X(report, "[OPTIONS] TRACE...", "where the time goes: routines, shapes, callers; contexts once replayed")         \
    X(replay, "[OPTIONS] TRACE [-- COMMAND]", "re-time the recorded calls")                                           \
    X(advise, "[OPTIONS] TRACE", "which calls to make otherwise, each change proven by a replay")                     \
    X(compare, "[--blas LIB...] [OPTIONS] [TRACE] [-- COMMAND]",                                                      \
      "the same calls on several libraries; or the program itself, really run on each")                               \
    X(diff, "[OPTIONS] BEFORE AFTER", "two runs: what appeared, vanished, got slower; exit status 1 if anything did") \
    X(probe, "[OPTIONS]", "characterise this machine: clocks, caches, operations, bandwidth, cores")                  \
    X(roofline, "[OPTIONS] TRACE...|--kernel ROUTINE|--events|--validate",                                            \
      "where the calls stand under the roofs of the machine: table, picture")                                         \
    X(model, "build|show|predict|tune|rank|calls [OPTIONS] [TRACE]",                                                  \
      "times of calls and algorithms without running them")                                                           \
    X(repro, "--shape N|--call N|--routine NAME TRACE", "a self-contained C program that makes one recorded call")    \
    X(watch, "[OPTIONS] PID|TRACE", "a program while it runs: routines, lines, Gflop/s, share of wall time")          \
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
    X(help, "[OPTIONS] [VERB]", "what a verb does, its options, and what it prints")

/* The same of the verb model, whose parts have options of their own. */
#define KT_MODEL_PARTS(X)                                                                                 \
    X(build, "[OPTIONS] [TRACE]", "time the kernels of a trace or an algorithm, and make models of them") \
    X(show, "[OPTIONS]", "the models that there are")                                                     \
    X(predict, "[OPTIONS] [TRACE...]", "the time of a trace or an algorithm")                             \
    X(tune, "[OPTIONS] ROUTINE", "the best block size of a LAPACK routine")                               \
    X(rank, "[OPTIONS] OPERATION|ALGORITHM...", "which of several algorithms is the fastest")             \
    X(calls, "[OPTIONS] ALGORITHM", "the calls that an algorithm makes")

/* Takes VALUE, NULL if the option has none, into OUT, which is what the option names. */
struct kt_verb_option;
typedef enum kt_status kt_verb_taker(const struct kt_verb_option *option, const char *value, void *out,
                                     struct kt_error *error);

/* An option of a verb. A list of them ends with {0}. */
struct kt_verb_option {
    const char *name;
    char letter;              /* -LETTER does, too; 0: there is none */
    const char *value, *text; /* for the help; a value of NULL: it takes none; "one|other": one of these words */
    kt_verb_taker *take;
    size_t offset; /* of what it sets, in what the verb reads its options into */
};

/* ARGV[0] is the verb; returns the exit status. */
#define KT_VERB_DECLARE(name, arguments, text) \
    int kt_verb_##name(int argc, char **argv); \
    extern const struct kt_verb_option kt_verb_##name##_options[];
KT_VERBS(KT_VERB_DECLARE)
#undef KT_VERB_DECLARE
#define KT_PART_DECLARE(name, arguments, text) extern const struct kt_verb_option kt_model_##name##_options[];
KT_MODEL_PARTS(KT_PART_DECLARE)
#undef KT_PART_DECLARE

/* Exit status of a verb that nothing went wrong in: 0, or where a signal ended it 128 + that, as shells have it. SIGNAL
 * 0: none did. */
int kt_verb_status(int signal);

/* These print one line on standard error and return the exit status. */
int kt_verb_usage(const char *verb, const char *format, ...) __attribute__((format(printf, 2, 3)));
int kt_verb_fail(const char *verb, const struct kt_error *error);

/* These set a bool, a pointer to the value itself, and an int or enum: the place of the word in the list. */
kt_verb_taker kt_verb_take_flag, kt_verb_take_text, kt_verb_take_choice;
/* As the flag of --json; the document is then printed as the rows of that list. */
kt_verb_taker kt_verb_take_csv;

/* Ends of the rows: what an option sets is MEMBER of TYPE. The compiler checks that it fits. */
#define KT_VERB_PLACE(type, member, fits) (offsetof(type, member) + 0 * sizeof(char[(fits) ? 1 : -1]))
#define KT_VERB_IS(type, member, kind)    __builtin_types_compatible_p(__typeof__(((type *)0)->member), kind)
#define KT_VERB_FLAG(type, member)        kt_verb_take_flag, KT_VERB_PLACE(type, member, KT_VERB_IS(type, member, bool))
#define KT_VERB_TEXT(type, member) \
    kt_verb_take_text, KT_VERB_PLACE(type, member, KT_VERB_IS(type, member, const char *))
#define KT_VERB_CHOICE(type, member) \
    kt_verb_take_choice, KT_VERB_PLACE(type, member, sizeof(((type *)0)->member) == sizeof(int))

/* Options that many verbs have. */
#define KT_VERB_JSON(type, member) "json", 0, NULL, "one JSON document on standard output", KT_VERB_FLAG(type, member)
#define KT_VERB_CSV(type, member)                                                           \
    "csv", 0, "LIST", "the rows of that list of --json, comma-separated", kt_verb_take_csv, \
        KT_VERB_PLACE(type, member, KT_VERB_IS(type, member, bool))
#define KT_VERB_ROUTINE(type, member) \
    "routine", 0, "LIST", "only these routines, such as dgemm,*gesv", KT_VERB_TEXT(type, member)
#define KT_VERB_LEVEL(type, member)                                                                               \
    "level", 0, "outermost|leaves", "calls of the application (default), or those recorded that contain no call", \
        KT_VERB_CHOICE(type, member)
#define KT_VERB_THREADS "threads", 0, "N", "of the library; default: as recorded"

/* Sets OUT by all options of the command line ARGV, whose first word is the verb; arguments then begin at optind.
 * Options may stand behind arguments, except in run. KT_USAGE with the reason if one is wrong. */
enum kt_status kt_verb_take_options(int argc, char **argv, const struct kt_verb_option *options, void *out,
                                    struct kt_error *error);

/* The same for verbs that print the reason themselves: returns the exit status, 0 if all is fine. */
int kt_verb_parse(int argc, char **argv, const struct kt_verb_option *options, void *out);

/* Opens the traces from optind on as one. Not 0: the exit status; the cause has been printed and there is nothing to
 * close. */
int kt_verb_open_traces(int argc, char **argv, struct kt_trace *out);

#endif
