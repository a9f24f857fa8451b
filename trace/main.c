/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The ktrace command: finds the verb and runs it. The only file of this directory that knows the other modules.
 */
#include "model/tracker/placements.h"
#include "replay/placement.h"
#include "trace/library_list.h"
#include "trace/plain.h"
#include "trace/text.h"
#include "trace/verb.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#ifndef KT_VERSION
#define KT_VERSION "0.1"
#endif

static const struct {
    const char *name;
    int (*run)(int argc, char **argv);
} verbs[] = {
#define KT_VERB_ROW(name, arguments, text) {#name, kt_verb_##name},
    KT_VERBS(KT_VERB_ROW)
#undef KT_VERB_ROW
};

static bool has_option(int argc, char **argv, const char *option)
{
    for (int i = 1; i < argc; i++)
        if (!strcmp(argv[i], option))
            return true;
    return false;
}

/* PART: of the verb model; both may be NULL. */
static int help_on(char *verb, char *part)
{
    char help[] = "help";
    char *arguments[] = {help, verb, part, NULL};
    return kt_verb_help(part ? 3 : verb ? 2 : 1, arguments);
}

static bool is_help(const char *argument)
{
    return !strcmp(argument, "--help") || !strcmp(argument, "-h");
}

/* Of this machine, not of a trace. */
static bool asks_for_libraries(int argc, char **argv)
{
    return !strcmp(argv[0], "info") && has_option(argc, argv, "--libraries");
}

/* ARGV[0] is the verb. */
static int run_verb(int argc, char **argv)
{
    if (argc == 2 && is_help(argv[1]))
        return help_on(argv[0], NULL);
    if (argc == 3 && is_help(argv[2]) && !strcmp(argv[0], "model"))
        return help_on(argv[0], argv[1]);
    if (asks_for_libraries(argc, argv))
        return kt_library_list(argc, argv);
    for (size_t i = 0; i < sizeof verbs / sizeof *verbs; i++)
        if (!strcmp(argv[0], verbs[i].name))
            return verbs[i].run(argc, argv);
    kt_notice("there is no verb %s; 'ktrace help' lists them", argv[0]);
    return KT_USAGE;
}

static int run_command(int argc, char **argv)
{
    if (argc < 2) {
        kt_notice("what shall I do? 'ktrace help' lists the verbs");
        return KT_USAGE;
    }
    if (!strcmp(argv[1], "--version")) {
        printf("ktrace %s\n", KT_VERSION);
        return KT_OK;
    }
    if (is_help(argv[1]))
        return help_on(NULL, NULL);
    return run_verb(argc - 1, argv + 1);
}

int main(int argc, char **argv)
{
    kt_placements = kt_placements_of_trace;
    kt_plain_begin();
    int status = run_command(argc, argv);
    errno = 0;
    if (fflush(stdout) == 0 && !ferror(stdout))
        return status;
    kt_notice("standard output cannot be written: %s", errno ? strerror(errno) : "an earlier write failed");
    return KT_SYSTEM;
}
