/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Pieces of the specification, which are also in the definitions of a trace: every piece must be taken or refused with
 * one clear error, and what is taken must be usable with any values.
 */
#include "tests/fuzz/mutate.h"
#include "tests/fuzz/target.h"
#include "tests/parts/synth.h"
#include "tests/parts/table_load.h"
#include "trace/base/memory.h"
#include "trace/table/operand.h"

#include <math.h>
#include <stdio.h>

enum { MOST_BYTES = 1 << 14 };

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc, (void)argv;
    return 0;
}

static double draw_value(struct kt_synth *s)
{
    static const double special[] = {0, 1, -1, 2, INT32_MAX, INT32_MIN, 0x1p63, -0x1p63, 'N', 'U', 'L', 1e300, -1e300};
    if (kt_synth_draw(s, 2))
        return (double)kt_synth_draw(s, 50);
    return special[kt_synth_draw(s, sizeof special / sizeof *special)];
}

/* Like values decoded from a call: integers are 64 bits wide, options a letter, scalars anything. */
static void draw_values(struct kt_synth *s, const struct kt_routine *r, struct kt_values *out)
{
    *out = (struct kt_values){.row_major = kt_synth_draw(s, 2)};
    for (int i = 0; i < r->args; i++) {
        bool option = r->arg[i].role <= KT_OPTION;
        double value = draw_value(s);
        if (r->arg[i].role != KT_SCALAR)
            value = fmax(fmin(value, 0x1p63), -0x1p63);
        out->v[i] = option ? (double)kt_synth_draw(s, 256) : value;
        out->address[i] = kt_synth_draw(s, UINT64_MAX);
    }
}

static void use_symbol(struct kt_synth *s, const struct kt_symbol *symbol)
{
    struct kt_values values;
    struct kt_operand operand[KT_MAX_OPERANDS];
    draw_values(s, symbol->routine, &values);
    int count = kt_operands(symbol, &values, 8, operand);
    for (int i = 0; i < count; i++) {
        int64_t runs = kt_operand_runs(&operand[i]);
        uint64_t lo, hi;
        if (runs > 0)
            kt_operand_run(&operand[i], (int64_t)kt_synth_draw(s, (uint64_t)runs), &lo, &hi);
    }
    kt_bytes(operand, count);
    kt_flops(symbol->routine, &values);
    kt_is_query(symbol->routine, &values);
}

static void use_table(struct kt_synth *s, const struct kt_table *table)
{
    for (size_t i = 0; i < table->count; i++)
        for (enum kt_view view = 0; view < KT_VIEWS; view++) {
            struct kt_symbol symbol;
            if (kt_symbol_make(&table->routine[i], view, &symbol))
                use_symbol(s, &symbol);
        }
}

/* Values that are the same for the same piece. */
static uint64_t sum_of(const uint8_t *data, size_t size)
{
    uint64_t sum = 0xcbf29ce484222325u;
    for (size_t i = 0; i < size; i++)
        sum = (sum ^ data[i]) * 0x100000001b3u;
    return sum;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct kt_table table;
    struct kt_error error = {0};
    struct kt_synth synth = {.state = sum_of(data, size)};
    if (size > MOST_BYTES)
        return 0;
    char *piece = kt_resize(NULL, size + 1, 1);
    memcpy(piece, data, size);
    piece[size] = '\0';
    enum kt_status status = kt_table_parse(piece, "piece", &table, &error);
    if (status == KT_OK)
        use_table(&synth, &table);
    else if (status != KT_BAD_INPUT || strncmp(error.text, "piece:", 6) != 0 || strchr(error.text, '\n'))
        abort(); /* one clear line */
    kt_table_free(&table);
    free(piece);
    return 0;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t room, unsigned seed)
{
    uint64_t random = seed * 0x9e3779b97f4a7c15u | 1;
    return kt_draw(&random, 6) ? kt_mutate_spec(data, size, room, &random) : LLVMFuzzerMutate(data, size, room);
}
