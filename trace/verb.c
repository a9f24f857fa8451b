/* SPDX-License-Identifier: BSD-3-Clause */
#include "trace/verb.h"

#include "trace/text.h"

#include <getopt.h>
#include <stdarg.h>
#include <stdio.h>

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

int kt_verb_trace_arguments(int argc, char **argv, struct kt_trace_arguments *out)
{
    static const struct option options[] = {{"json", no_argument, NULL, 'j'}, {0}};
    *out = (struct kt_trace_arguments){0};
    opterr = 0; /* the message is ours */
    for (int option; (option = getopt_long(argc, argv, "", options, NULL)) != -1;) {
        if (option != 'j')
            return kt_verb_usage(argv[0], "unknown option %s", argv[optind - 1]);
        out->json = true;
    }
    if (optind + 1 != argc)
        return kt_verb_usage(argv[0], optind == argc ? "which trace?" : "one trace at a time");
    out->path = argv[optind];
    return 0;
}
