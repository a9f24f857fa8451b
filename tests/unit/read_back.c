/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/unit/read_back.h"

#include "trace/read/cursor.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#define DOT_ARGS "10 0x1000 1 0x2000 1"

int kt_dots;

void kt_begin_dots(struct kt_gen *gen, uint32_t pid)
{
    kt_gen_begin(gen, SPEC, pid);
    assert_int_equal(kt_gen_entry(gen, "ddot", KT_FORTRAN), DOT);
}

void kt_add_dot(struct kt_gen *gen, unsigned depth, uint64_t start, uint64_t ticks)
{
    kt_gen_call(gen, &(struct kt_gen_call){7, DOT, depth, start, ticks, DOT_ARGS});
}

void kt_make_dots(struct kt_gen *gen, int calls)
{
    kt_begin_dots(gen, PID);
    for (int i = 0; i < calls; i++)
        kt_add_dot(gen, 0, (uint64_t)i * MS, MS);
}

void kt_make_nested(struct kt_gen *gen)
{
    kt_begin_dots(gen, PID);
    int gesv = kt_gen_entry(gen, "dgesv", KT_FORTRAN);
    int gemm = kt_gen_entry(gen, "dgemm", KT_CBLAS);
    kt_gen_call(gen, &(struct kt_gen_call){7, gesv, 0, 1 * MS, 9 * MS, GESV_ARGS("2")});
    kt_gen_call(
        gen, &(struct kt_gen_call){7, gemm, 1, 2 * MS, 3 * MS, "101 111 112 2 3 4 1.5 0x1000 4 0x2000 4 0 0x3000 3"});
    kt_add_dot(gen, 1, 6 * MS, 1 * MS);
    kt_add_dot(gen, 0, 20 * MS, 1 * MS);
    kt_gen_call(gen, &(struct kt_gen_call){9, DOT, 0, 5 * MS, 1 * MS, DOT_ARGS});
}

int kt_dots_setup(void **state)
{
    (void)state;
    struct kt_gen gen;
    kt_make_dots(&gen, 1);
    for (kt_dots = 0; gen.stream[0].chunks == 1; kt_dots++)
        kt_add_dot(&gen, 0, (uint64_t)(kt_dots + 1) * MS, MS);
    kt_gen_remove(&gen);
    return 0;
}

long kt_event_offset(const struct kt_gen *gen, long chunk, int event)
{
    long at = chunk * CHUNK + (long)sizeof(struct kt_chunk);
    while (event-- > 0)
        at += gen->stream[0].bytes[at] == KT_EVENT_LEAF_END ? 8 : 8 * gen->stream[0].bytes[at + 1];
    return at;
}

void kt_open_fine(const struct kt_gen *gen, struct kt_trace *trace)
{
    struct kt_error error = {0};
    if (kt_trace_open(gen->trace, trace, &error) != KT_OK)
        fail_msg("%s", error.text);
}

void kt_read_back(struct kt_gen *gen, bool clean, struct kt_trace *trace)
{
    kt_gen_end(gen, clean);
    kt_open_fine(gen, trace);
}

void kt_read_done(struct kt_trace *trace, struct kt_gen *gen)
{
    kt_trace_close(trace);
    kt_gen_remove(gen);
}

int kt_count_calls(const struct kt_trace *trace)
{
    struct kt_cursor cursor;
    struct kt_call call;
    int calls = 0;
    kt_cursor_begin(trace, &cursor);
    while (kt_cursor_next(&cursor, &call))
        assert_int_equal(call.n, calls++);
    return calls;
}

void kt_expect_note(const struct kt_trace *trace, const char *text)
{
    for (size_t i = 0; i < trace->notes; i++)
        if (strstr(trace->note[i], text))
            return;
    fail_msg("no note says '%s'; the first of %zu: %s", text, trace->notes, trace->notes ? trace->note[0] : "");
}

void kt_expect_calls(const struct kt_gen *gen, int calls, const char *note)
{
    struct kt_trace trace;
    kt_open_fine(gen, &trace);
    if (note)
        kt_expect_note(&trace, note);
    else
        assert_int_equal(trace.notes, 0);
    assert_int_equal(kt_count_calls(&trace), calls);
    kt_trace_close(&trace);
}
