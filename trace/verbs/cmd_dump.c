/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * ktrace dump: every call, one per line, as text or as JSON Lines.
 */
#include "trace/command/call_json.h"
#include "trace/command/document.h"
#include "trace/command/counts.h"
#include "trace/base/memory.h"
#include "trace/read/profile.h"
#include "trace/print/text.h"
#include "trace/command/verb.h"

#include <inttypes.h>
#include <stdio.h>

struct options {
    bool json;
};

const struct kt_verb_option kt_verb_dump_options[] = {
    {"json", 0, NULL, "one JSON object a line, with the memory that each operand covers",
     KT_VERB_FLAG(struct options, json)},
    {0},
};

static void print_args(const struct kt_call *call)
{
    const struct kt_symbol *symbol = &call->entry->symbol;
    const char *separator = "";
    for (int i = 0; i < symbol->params; i++) {
        char text[KT_PARAM_TEXT];
        const struct kt_param *p = &symbol->param[i];
        if (p->arg >= 0 && symbol->routine->arg[p->arg].role == KT_INFO)
            continue;
        printf("%s%s", separator, kt_param_text(call, p, text));
        separator = ", ";
    }
}

static void print_counts(const struct kt_call *call)
{
    for (size_t i = 0; i < call->process->counters; i++) {
        char *name = kt_copy(call->process->counter[i].name);
        uint64_t count;
        if (kt_call_count(call, i, &count))
            printf(" %s=%" PRIu64, kt_text_clean(name), count);
        else
            printf(" %s=n/a", kt_text_clean(name));
        free(name);
    }
}

/* Of the calls in an outermost one: how many were not recorded, and how many others those that were stand for. */
static void print_inside(const struct kt_call *call)
{
    if (call->depth > 0)
        return;
    if (call->weight > 1)
        printf(" weight=%g", call->weight);
    if (call->passed)
        printf(" passed=%" PRIu64, call->passed);
}

static void print_call(const struct kt_call *call)
{
    char symbol[KT_SYMBOL_NAME];
    char duration[16] = "open";
    int64_t info;
    int indent = call->depth < 16 ? 2 * (int)call->depth : 32;
    if (call->complete)
        kt_text_seconds(kt_call_seconds(call), duration);
    strcpy(symbol, call->entry->symbol.name);
    printf("%7" PRIu64 " %7" PRIu32, call->n, call->tid);
    if (call->complete)
        printf(" %12.6f", kt_call_start(call));
    else
        printf(" %12s", "-");
    printf(" %8s  %*s%s(", duration, indent, "", kt_text_clean(symbol));
    print_args(call);
    printf(")");
    if (kt_call_info(call, &info) && info != 0)
        printf(" info=%" PRId64, info);
    print_inside(call);
    print_counts(call);
    printf("\n");
}

int kt_verb_dump(int argc, char **argv)
{
    struct kt_trace trace;
    struct kt_cursor cursor;
    struct kt_call call;
    struct options options = {0};
    int wrong = kt_verb_parse(argc, argv, kt_verb_dump_options, &options);
    if (!wrong)
        wrong = kt_verb_open_traces(argc, argv, &trace);
    if (wrong)
        return wrong;
    for (size_t i = 0; i < trace.notes; i++)
        kt_notice("%s", trace.note[i]);
    if (kt_is_workload(&trace))
        kt_notice("%s: a workload has some of the calls; ktrace report shows what all add up to", trace.path);
    else if (kt_is_profile(&trace))
        kt_notice("%s: a profile has no single calls; ktrace report shows what they add up to", trace.path);
    if (!options.json)
        printf("%7s %7s %12s %8s  %s\n", "call", "thread", "start/s", "took", "symbol(arguments)");
    kt_cursor_begin(&trace, &cursor);
    while (kt_cursor_next(&cursor, &call))
        if (options.json)
            kt_document_print(&kt_document_dump, kt_call_json(&call));
        else
            print_call(&call);
    kt_trace_close(&trace);
    return KT_OK;
}
