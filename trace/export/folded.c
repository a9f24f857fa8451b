/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Collapsed stacks, which flamegraph.pl and inferno draw: a line for each call path, its frames from the outermost to
 * the routine, then the nanoseconds that outermost calls took there.
 */
#include "trace/export/export.h"
#include "trace/base/memory.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>

struct stack {
    char *text;
    double seconds;
};

static int compare_stacks(const void *a, const void *b)
{
    return strcmp(((const struct stack *)a)->text, ((const struct stack *)b)->text);
}

static struct stack stack_of(struct kt_callers *callers, const struct kt_shape_calls *sum)
{
    struct stack stack = {.seconds = sum->total};
    char *path = kt_export_path(callers, sum->process, sum->caller);
    if (asprintf(&stack.text, "%s;%s", path, sum->process->entry[sum->shape].symbol.routine->name) < 0)
        abort();
    free(path);
    return stack;
}

/* Places of one text are one. */
static void put_stacks(const struct stack *stack, size_t count, FILE *file)
{
    for (size_t i = 0, end; i < count; i = end) {
        double seconds = 0;
        for (end = i; end < count && !strcmp(stack[i].text, stack[end].text); end++)
            seconds += stack[end].seconds;
        int64_t ns = llround(1e9 * seconds);
        if (ns > 0)
            fprintf(file, "%s %" PRId64 "\n", stack[i].text, ns);
    }
}

enum kt_status kt_export_folded(struct kt_export_calls *calls, FILE *file, struct kt_error *error)
{
    struct kt_by_caller sums;
    kt_export_sums(calls, &sums);
    struct stack *stack = kt_resize(NULL, sums.count, sizeof *stack);
    for (size_t i = 0; i < sums.count; i++)
        stack[i] = stack_of(calls->callers, &sums.of[i]);
    if (sums.count)
        qsort(stack, sums.count, sizeof *stack, compare_stacks);
    put_stacks(stack, sums.count, file);
    for (size_t i = 0; i < sums.count; i++)
        free(stack[i].text);
    free(stack);
    kt_by_caller_free(&sums);
    return fflush(file) || ferror(file) ? kt_fail(error, KT_SYSTEM, "cannot be written: %s", strerror(errno)) : KT_OK;
}
