/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The verbs of the command, and how each is told its options. Dispatch, help, manual pages and completion follow from
 * the list of verbs and from the list of options that stands beside each verb's code.
 */
#ifndef KT_VERB_H
#define KT_VERB_H

#include "trace/base/words.h"
#include "trace/read/reader.h"

#include <stddef.h>

/* Columns: name, arguments, what it does. */
#define KT_VERBS(X)                                                                                                  \
    X(run, "[OPTIONS] [--] COMMAND [ARG...]", "run a program and record its BLAS and LAPACK calls")                  \
    X(explain, "[OPTIONS] TRACE | -- COMMAND [ARG...]",                                                              \
      "run, replay and run again in turns; one page on where the time goes, and why")                                \
    X(report, "[OPTIONS] TRACE...", "where the time goes: routines, shapes, callers; after a replay also why")       \
    X(replay, "[OPTIONS] TRACE [-- COMMAND]", "make the recorded calls again, with operands in cache and in memory") \
    X(advise, "[OPTIONS] TRACE", "which other calls would be faster, each one timed against the recorded call")      \
    X(compare, "[--blas LIB...] [OPTIONS] [TRACE] [-- COMMAND]",                                                     \
      "time the calls on several libraries and check results; or run the program on each")                           \
    X(diff, "[OPTIONS] BEFORE AFTER", "compare two runs: what is new, gone or slower; exit status 1 if anything is") \
    X(probe, "[OPTIONS]", "measure this machine: clocks, caches, operations, bandwidth, cores")                      \
    X(roofline, "[OPTIONS] TRACE...|--kernel ROUTINE|--events|--validate",                                           \
      "the calls in the roofline model of the machine: table and plot")                                              \
    X(kernel, "[OPTIONS] FILE.so...",                                                                                \
      "time kernels of your own, with data and code warm and cold, and put them under the roofs")                    \
    X(model, "build|show|predict|tune|rank|calls [OPTIONS] [TRACE]",                                                 \
      "predict times of calls and algorithms without running them")                                                  \
    X(repro, "--shape N|--call N|--routine NAME TRACE",                                                              \
      "write a self-contained C program that makes one recorded call")                                               \
    X(watch, "[OPTIONS] PID|TRACE", "show a program while it runs: routines, lines, Gflop/s, share of wall time")    \
    X(info, "[OPTIONS] TRACE... | --libraries [LIB...]", "what a trace contains: state, processes, machine, losses") \
    X(dump, "[OPTIONS] TRACE...", "print every call, one a line")                                                    \
    X(merge, "[OPTIONS] TRACE...", "make one trace of several, such as those of the ranks of a job")                 \
    X(check, "[OPTIONS] TRACE...", "verify a trace; say what is readable; exit status 1 if something is wrong")      \
    X(score, "[OPTIONS] TRACE...", "predict what a full trace would cost, and which variables to set")               \
    X(pack, "[OPTIONS] TRACE", "make one compressed file of a trace, which every verb can read")                     \
    X(distill, "[OPTIONS] TRACE... -o FILE | --show|--verify TRACE FILE",                                            \
      "make a small file that stands for a trace and tells nothing private; say how true it is")                     \
    X(export, "[OPTIONS] TRACE...", "write the calls for other tools: CSV, SQLite, time lines, flame graphs")        \
    X(control, "[OPTIONS] PID pause|resume|flush|status",                                                            \
      "pause, resume or flush the recording of a running process; sends no signal")                                  \
    X(env, "[OPTIONS]", "list every KTRACE_ variable: type, default, meaning")                                       \
    X(help, "[OPTIONS] [VERB]", "print what a verb does, its options, and what it prints")

/* The same of the verb model, whose parts have options of their own. */
#define KT_MODEL_PARTS(X)                                                                                 \
    X(build, "[OPTIONS] [TRACE]", "time the kernels of a trace or an algorithm, and make models of them") \
    X(show, "[OPTIONS]", "print the models of a library")                                                 \
    X(predict, "[OPTIONS] [TRACE...]", "predict the time of a trace or an algorithm")                     \
    X(tune, "[OPTIONS] ROUTINE", "find the best block size of a LAPACK routine")                          \
    X(rank, "[OPTIONS] OPERATION|ALGORITHM...", "find the fastest of several algorithms")                 \
    X(calls, "[OPTIONS] ALGORITHM", "print the calls that an algorithm makes")

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
/* "5" or "5%": a double, 0.05. */
kt_verb_taker kt_verb_take_percent;
/* As the flag of --json; the document is then printed as the rows of that list. */
kt_verb_taker kt_verb_take_csv;

/* Ends of the rows: what an option sets is MEMBER of TYPE. The compiler checks that it fits. */
#define KT_VERB_PLACE(type, member, fits) (offsetof(type, member) + 0 * sizeof(char[(fits) ? 1 : -1]))
#define KT_VERB_IS(type, member, kind)    __builtin_types_compatible_p(__typeof__(((type *)0)->member), kind)
#define KT_VERB_FLAG(type, member)        kt_verb_take_flag, KT_VERB_PLACE(type, member, KT_VERB_IS(type, member, bool))
#define KT_VERB_TEXT(type, member) \
    kt_verb_take_text, KT_VERB_PLACE(type, member, KT_VERB_IS(type, member, const char *))
#define KT_VERB_PERCENT(type, member) \
    kt_verb_take_percent, KT_VERB_PLACE(type, member, KT_VERB_IS(type, member, double))
#define KT_VERB_CHOICE(type, member) \
    kt_verb_take_choice, KT_VERB_PLACE(type, member, sizeof(((type *)0)->member) == sizeof(int))

/* Options that many verbs have. */
#define KT_VERB_JSON(type, member) "json", 0, NULL, "one JSON document on standard output", KT_VERB_FLAG(type, member)
#define KT_VERB_CSV(type, member)                                                           \
    "csv", 0, "LIST", "the rows of that list of --json, comma-separated", kt_verb_take_csv, \
        KT_VERB_PLACE(type, member, KT_VERB_IS(type, member, bool))
#define KT_VERB_ROUTINE(type, member) \
    "routine", 0, "LIST", "only these routines, such as dgemm,*gesv", KT_VERB_TEXT(type, member)
#define KT_VERB_LEVEL(type, member)                                                                      \
    "level", 0, "outermost|leaves", "outermost calls (default), or calls that contain no recorded call", \
        KT_VERB_CHOICE(type, member)
#define KT_VERB_THREADS "threads", 0, "N", "threads of the library; default: as recorded"

/* Sets OUT by all options of the command line ARGV, whose first word is the verb; arguments then begin at optind.
 * Options may stand behind arguments, except in run. KT_USAGE with the reason if one is wrong. */
enum kt_status kt_verb_take_options(int argc, char **argv, const struct kt_verb_option *options, void *out,
                                    struct kt_error *error);

/* Adds to OUT what these options say, as words for another command line. All of them have been taken before; those
 * whose names are in WITHOUT, which ends with NULL, are left out. */
void kt_verb_repeat_options(int argc, char **argv, const struct kt_verb_option *options, const char *const *without,
                            struct kt_words *out);

/* kt_verb_take_options() for verbs that print the reason themselves: returns the exit status, 0 if all is fine. */
int kt_verb_parse(int argc, char **argv, const struct kt_verb_option *options, void *out);

/* Opens the traces from optind on as one. Not 0: the exit status; the cause has been printed and there is nothing to
 * close. */
int kt_verb_open_traces(int argc, char **argv, struct kt_trace *out);

#endif
