/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * ktrace help: the verbs, and the options of each.
 */
#include "trace/verb.h"

#include <stdio.h>
#include <string.h>

static const struct {
    const char *name, *arguments, *text;
} verbs[] = {
#define KT_VERB_ROW(name, arguments, text) {#name, arguments, text},
    KT_VERBS(KT_VERB_ROW)
#undef KT_VERB_ROW
};

enum { VERBS = sizeof verbs / sizeof *verbs };

static const struct {
    const char *verb, *option, *text;
} options[] = {
    {"run", "-o, --output DIR", "where the trace goes: a new or empty directory; default ktrace.PROGRAM.PID"},
    {"run", "--mode full", "record every call"},
    {"report", "--json", "one JSON document on standard output"},
    {"replay", "--context LIST", "operands warm, cold, l1, l2 or A=cold,B=warm,...; default warm,cold"},
    {"replay", "--blas LIB", "a path, a soname or a short name; default: the libraries that were recorded"},
    {"replay", "--level outermost|leaves", "calls of the application, or those that contain no recorded call"},
    {"replay", "--json", "one JSON document on standard output"},
    {"compare", "--blas LIB", "a library to compare; give the option at least twice"},
    {"compare", "--json", "one JSON document on standard output"},
    {"info", "--libraries", "the short names of libraries that mean something on this machine"},
    {"info", "--json", "one JSON document on standard output"},
    {"dump", "--json", "one JSON object a line, with the memory that each operand covers"},
    {"check", "--json", "one JSON document on standard output; the exit status is 1 if there are findings"},
    {"env", "--json", "one JSON document on standard output"},
};

static void print_all(void)
{
    printf("usage: ktrace VERB [ARGUMENTS]\n\n");
    for (size_t i = 0; i < VERBS; i++)
        printf("  %-8s  %s\n", verbs[i].name, verbs[i].text);
    printf("\n'ktrace help VERB' tells the options, 'ktrace --version' the version.\n"
           "Without the command: LD_PRELOAD=.../libktrace.so PROGRAM; 'ktrace env' lists its variables.\n");
}

static void print_verb(size_t verb)
{
    printf("usage: ktrace %s %s\n\n%s\n", verbs[verb].name, verbs[verb].arguments, verbs[verb].text);
    bool first = true;
    for (size_t i = 0; i < sizeof options / sizeof *options; i++) {
        if (strcmp(options[i].verb, verbs[verb].name) != 0)
            continue;
        printf("%s  %s\n      %s\n", first ? "\n" : "", options[i].option, options[i].text);
        first = false;
    }
}

int kt_verb_help(int argc, char **argv)
{
    if (argc > 2)
        return kt_verb_usage(argv[0], "one verb at a time");
    if (argc == 1) {
        print_all();
        return KT_OK;
    }
    for (size_t i = 0; i < VERBS; i++)
        if (!strcmp(argv[1], verbs[i].name)) {
            print_verb(i);
            return KT_OK;
        }
    return kt_verb_usage(argv[0], "there is no verb %s", argv[1]);
}
