/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the cache tracker says of a trace, as text for test scripts and for people:
 *
 *     tracker lines TRACE                        routine and number of cache lines of each outermost call
 *     tracker placements TRACE [leaves]          each shape's placements: weight, and of each operand the shares
 *     tracker time TRACE [leaves]                calls that are tracked in a second; reading the trace counts
 */
#include "model/tracker/line_runs.h"
#include "model/tracker/placements.h"
#include "model/tracker/timeline.h"
#include "trace/base/memory.h"

#include <inttypes.h>
#include <stdio.h>
#include <time.h>

/* The caches of a server of today; what is measured here does not depend on their sizes. */
static const struct kt_caches caches = {
    .cache = {{.bytes = 48 << 10, .shared = 1}, {.bytes = 2 << 20, .shared = 1}, {.bytes = 64 << 20, .shared = 2}},
    .count = 3,
    .line = 64};

static void print_lines(const struct kt_trace *trace)
{
    struct kt_cursor cursor;
    struct kt_call call;
    kt_cursor_begin(trace, &cursor);
    while (kt_cursor_next(&cursor, &call)) {
        struct kt_values values;
        struct kt_operand operand[KT_MAX_OPERANDS];
        const struct kt_symbol *symbol = &call.entry->symbol;
        if (!call.complete || call.depth)
            continue;
        kt_values_decode(symbol, call.args, &values);
        int operands = kt_operands(symbol, &values, call.entry->int_bytes, operand);
        printf("%s %" PRIu64 "\n", symbol->routine->name, kt_lines_of_call(operand, operands, 6));
    }
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* Seconds that it takes to read the calls in order, without tracking them. */
static double reading(const struct kt_trace *trace, enum kt_level level)
{
    double begin = now();
    for (size_t process = 0; process < trace->processes; process++) {
        struct kt_timeline *timeline = kt_timeline_new(trace, process, level);
        while (kt_timeline_next(timeline))
            ;
        kt_timeline_free(timeline);
    }
    return now() - begin;
}

static void print_shape(const struct kt_shape_group *shape, const struct kt_placements_of_shape *of)
{
    char text[81];
    struct kt_values values;
    struct kt_operand operand[KT_MAX_OPERANDS];
    const struct kt_symbol *symbol = &shape->first.entry->symbol;
    kt_shape_text(&shape->first, text, 80);
    printf("%s %s: %" PRIu64 " calls\n", symbol->routine->name, text, shape->calls);
    kt_values_decode(symbol, shape->first.args, &values);
    int operands = kt_operands(symbol, &values, shape->first.entry->int_bytes, operand);
    for (unsigned i = 0; i < of->count; i++) {
        printf("    %5.1f %%", 100 * of->placement[i].weight);
        for (int o = 0; o < operands; o++) {
            printf("  %s", operand[o].name);
            for (unsigned level = 0; level <= caches.count; level++)
                printf("%c%.3f", level ? '/' : ' ', (double)of->placement[i].share[o][level]);
        }
        printf("\n");
    }
}

static enum kt_status place(const struct kt_trace *trace, enum kt_level level, bool print, struct kt_error *error)
{
    struct kt_shapes shapes;
    uint64_t calls = 0;
    kt_shapes_collect(trace, level, &shapes);
    struct kt_placements_of_shape *of = kt_resize(NULL, shapes.count, sizeof *of);
    double begin = now();
    enum kt_status status = kt_placements_of_trace(trace, level, &shapes, &caches, of, error);
    double seconds = now() - begin;
    for (size_t i = 0; i < shapes.count; i++) {
        calls += shapes.shape[i].calls;
        if (print && status == KT_OK)
            print_shape(&shapes.shape[i], &of[i]);
    }
    if (!print)
        printf("%" PRIu64 " calls, %.3f s of which reading %.3f s, %.0f calls/s\n", calls, seconds,
               reading(trace, level), (double)calls / seconds);
    free(of);
    kt_shapes_free(&shapes);
    return status;
}

int main(int argc, char **argv)
{
    struct kt_trace trace;
    struct kt_error error = {0};
    if (argc < 3)
        return KT_USAGE;
    enum kt_level level = argc > 3 && !strcmp(argv[3], "leaves") ? KT_LEAVES : KT_OUTERMOST;
    enum kt_status status = kt_trace_open(argv[2], &trace, &error);
    if (status == KT_OK && !strcmp(argv[1], "lines"))
        print_lines(&trace);
    else if (status == KT_OK)
        status = place(&trace, level, !strcmp(argv[1], "placements"), &error);
    if (status != KT_OK)
        fprintf(stderr, "tracker: %s\n", error.text);
    kt_trace_close(&trace);
    return (int)status;
}
