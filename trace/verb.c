/* SPDX-License-Identifier: BSD-3-Clause */
#include "trace/verb.h"

#include "trace/text.h"

#include <getopt.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { MAX_OPTIONS = 16 };

#define JSON_OPTION(verb)                                                      \
    {                                                                          \
        verb, "json", 'j', false, NULL, "one JSON document on standard output" \
    }

/* Of verbs that time calls again. */
#define THREADS_OPTION(verb)                                                     \
    {                                                                            \
        verb, "threads", 't', false, "N", "of the library; default: as recorded" \
    }
#define LEVEL_OPTION(verb)                                                               \
    {                                                                                    \
        verb, "level", 'l', false, "outermost|leaves",                                   \
            "calls of the application (default), or those that contain no recorded call" \
    }
#define ROUTINE_OPTION(verb)                                                            \
    {                                                                                   \
        verb, "routine", 'r', false, "LIST", "only these routines, such as dgemm,*gesv" \
    }

static const struct kt_verb_option options[] = {
    {"run", "output", 'o', true, "DIR", "where the trace goes: a new or empty directory; default ktrace.PROGRAM.PID"},
    {"run", "mode", 'm', false, "full", "record every call; there is no other mode"},
    {"report", "top", 't', false, "N", "rows of each table; default 15"},
    {"report", "by", 'b', false, "routine|shape|caller|thread", "only that table"},
    JSON_OPTION("report"),
    {"replay", "context", 'c', false, "LIST", "of warm (operands in cache) and cold (in memory); default warm,cold"},
    {"replay", "blas", 'b', false, "LIB", "a path, a soname or a short name; default: what was recorded"},
    {"replay", "budget", 's', false, "SECONDS", "time for the samples; default 20"},
    THREADS_OPTION("replay"),
    LEVEL_OPTION("replay"),
    ROUTINE_OPTION("replay"),
    JSON_OPTION("replay"),
    {"compare", "blas", 'b', false, "LIB", "a path, a soname or a short name; one or more, besides what was recorded"},
    {"compare", "context", 'c', false, "warm|cold", "operands in cache (default) or in memory"},
    {"compare", "budget", 's', false, "SECONDS", "time for the samples; default 60"},
    THREADS_OPTION("compare"),
    LEVEL_OPTION("compare"),
    ROUTINE_OPTION("compare"),
    JSON_OPTION("compare"),
    {"repro", "call", 'c', false, "N", "the call of that number, as dump prints it"},
    {"repro", "routine", 'r', false, "NAME", "the slowest call of that routine, such as dgesv"},
    {"info", "libraries", 'l', false, NULL, "the short names of libraries that mean something on this machine"},
    JSON_OPTION("info"),
    {"dump", "json", 'j', false, NULL, "one JSON object a line, with the memory that each operand covers"},
    JSON_OPTION("check"),
    JSON_OPTION("env"),
    {0},
};

const struct kt_verb_option *kt_verb_options(void)
{
    return options;
}

int kt_verb_usage(const char *verb, const char *format, ...)
{
    char text[1024];
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    kt_notice("%s: %s; see 'ktrace help %s'", verb, text, verb);
    return KT_USAGE;
}

int kt_verb_fail(const char *verb, const struct kt_error *error)
{
    kt_notice("%s: %s", verb, error->text);
    return (int)error->status;
}

/* The verb's options as getopt_long takes them: short ones in SHORTS, and LONGS, which must hold MAX_OPTIONS + 1. */
static void convert_options(const char *verb, char *shorts, struct option *longs)
{
    shorts += sprintf(shorts, "%s:", strcmp(verb, "run") ? "" : "+");
    for (const struct kt_verb_option *o = options; o->verb; o++) {
        if (strcmp(o->verb, verb) != 0)
            continue;
        *longs++ = (struct option){o->name, o->value ? required_argument : no_argument, NULL, o->letter};
        if (o->has_short)
            shorts += sprintf(shorts, "%c%s", o->letter, o->value ? ":" : "");
    }
    *longs = (struct option){0};
}

int kt_verb_next_option(int argc, char **argv, struct kt_error *error)
{
    char shorts[2 * MAX_OPTIONS + 3];
    struct option longs[MAX_OPTIONS + 1];
    convert_options(argv[0], shorts, longs);
    opterr = 0; /* the message is ours */
    int letter = getopt_long(argc, argv, shorts, longs, NULL);
    if (letter != '?' && letter != ':')
        return letter;
    kt_fail(error, KT_USAGE, letter == ':' ? "%s needs a value" : "unknown option %s", argv[optind - 1]);
    return '?';
}

static int parse_arguments(int argc, char **argv, bool *json)
{
    struct kt_error error = {0};
    *json = false;
    for (int option; (option = kt_verb_next_option(argc, argv, &error)) != -1;) {
        if (option == '?')
            return kt_verb_usage(argv[0], "%s", error.text);
        if (option != 'j')
            return kt_verb_usage(argv[0], "%s goes without a trace", argv[optind - 1]);
        *json = true;
    }
    if (optind + 1 != argc)
        return kt_verb_usage(argv[0], optind == argc ? "which trace?" : "one trace at a time");
    return 0;
}

int kt_verb_open_trace(int argc, char **argv, struct kt_trace *out, bool *json)
{
    struct kt_error error = {0};
    int wrong = parse_arguments(argc, argv, json);
    if (wrong || kt_trace_open(argv[optind], out, &error) == KT_OK)
        return wrong;
    kt_trace_close(out);
    return kt_verb_fail(argv[0], &error);
}
