/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The ktrace command: finds the verb and runs it. The only file of trace/ that knows the other modules.
 */
#include "model/tracker/placements.h"
#include "model/tracker/placement.h"
#include "replay/result/gathered.h"
#include "replay/store/store_merge.h"
#include "trace/base/plain.h"
#include "trace/command/document.h"
#include "trace/command/merged_results.h"
#include "trace/print/text.h"
#include "trace/verbs/verb_list.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

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

/* How many letters have to be added, left out or changed (Levenshtein). */
static size_t distance(const char *a, const char *b)
{
    enum { LONGEST = 32 };
    size_t row[LONGEST + 1];
    size_t columns = strlen(b);
    if (columns > LONGEST)
        return SIZE_MAX;
    for (size_t j = 0; j <= columns; j++)
        row[j] = j;
    for (size_t i = 1; *a; i++, a++) {
        size_t diagonal = row[0];
        row[0] = i;
        for (size_t j = 1; j <= columns; j++) {
            size_t replaced = diagonal + (*a != b[j - 1]);
            size_t shorter = (row[j] < row[j - 1] ? row[j] : row[j - 1]) + 1;
            diagonal = row[j];
            row[j] = replaced < shorter ? replaced : shorter;
        }
    }
    return row[columns];
}

/* NULL: none is near. */
static const char *nearest_verb(const char *name)
{
    size_t least = strlen(name) > 3 ? 3 : 2;
    const char *nearest = NULL;
    for (const struct kt_verb *verb = kt_verb_list; verb->name; verb++) {
        size_t here = distance(name, verb->name);
        if (here < least) {
            least = here;
            nearest = verb->name;
        }
    }
    return nearest;
}

/* ARGV[0] is the verb. */
static int run_verb(int argc, char **argv)
{
    if (argc == 2 && is_help(argv[1]))
        return help_on(argv[0], NULL);
    if (argc == 3 && is_help(argv[2]) && !strcmp(argv[0], "model"))
        return help_on(argv[0], argv[1]);
    const struct kt_verb *verb = kt_verb_find(kt_verb_list, argv[0]);
    if (verb)
        return verb->run(argc, argv);
    const char *nearest = nearest_verb(argv[0]);
    kt_notice("there is no verb %s; %s%s%s'ktrace help' lists them", argv[0], nearest ? "did you mean " : "",
              nearest ? nearest : "", nearest ? "? " : "");
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
    kt_merge_results = kt_gathered_merge;
    kt_merge_stores = kt_store_merge;
    kt_plain_begin();
    int status = run_command(argc, argv);
    errno = 0;
    if (fflush(stdout) == 0 && !ferror(stdout))
        return kt_document_lacked_list() ? KT_USAGE : status;
    kt_notice("standard output cannot be written: %s", errno ? strerror(errno) : "an earlier write failed");
    return KT_SYSTEM;
}
