/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Feeds mutated pieces of the specification to its reader: every piece must be taken or refused with one clear error,
 * and what is taken must be usable with any values. Meant for builds with -fsanitize=address,undefined.
 *
 *     fuzz_spec ITERATIONS SEED [SPEC]
 *
 * The same seed gives the same pieces. A piece that violates an expectation is printed before the program aborts.
 */
#include "tests/synth.h"
#include "tests/table_load.h"
#include "trace/operand.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PIECE = 2048, ROOM = 2 * PIECE };

struct piece {
    char text[ROOM];
    size_t length;
};

/* --- mutation ---------------------------------------------------------------------------------------------- */

/* One to four lines of the specification from a random one on. */
static void take_piece(struct kt_synth *s, const char *spec, struct piece *out)
{
    const char *start = spec + kt_synth_draw(s, strlen(spec));
    while (start > spec && start[-1] != '\n')
        start--;
    const char *end = start;
    for (uint64_t lines = 1 + kt_synth_draw(s, 4); lines > 0 && *end; lines--) {
        end += strcspn(end, "\n");
        end += *end == '\n';
    }
    out->length = (size_t)(end - start);
    if (out->length > PIECE)
        out->length = PIECE;
    memcpy(out->text, start, out->length);
    out->text[out->length] = '\0';
}

static void replace(struct piece *p, size_t at, size_t length, const char *by, size_t by_length)
{
    if (p->length - length + by_length >= ROOM)
        return;
    memmove(p->text + at + by_length, p->text + at + length, p->length - at - length + 1);
    memmove(p->text + at, by, by_length);
    p->length += by_length - length;
}

static const char *const tokens[] = {
    "dim:n ",
    "in:x[n] ",
    "upd(beta):",
    "io:",
    "out:",
    "work:",
    "scal:alpha ",
    "ld:lda ",
    "inc:incx ",
    "uplo:uplo ",
    "lwork:lwork ",
    "info:info ",
    "opt:job ",
    "[",
    "]",
    "[n,n;lda;uplo;diag]",
    ";packed;",
    ",kl,ku;",
    ":R",
    ":I",
    "@spd",
    "@",
    "|",
    "||",
    "&&",
    "->",
    "-> T",
    "?",
    ":",
    "=NTC",
    "min(",
    "max(",
    "log2(",
    "floor(",
    ")",
    "(",
    "mul=",
    "add=",
    "flops=",
    "0",
    "99999999999999999999",
    "-",
    "/",
    "*",
    "\n",
    "\n ",
    " ",
    "cblas ",
    "s d c z ",
    "ab:z ",
    "#",
    "[s]\n",
    "%s%n",
    "\t",
    "\x7f",
    "\xff",
    "anameoffifteenx",
    "anameofsixteenxx",
};

static void insert_token(struct kt_synth *s, struct piece *p, size_t at, size_t length)
{
    const char *token = tokens[kt_synth_draw(s, sizeof tokens / sizeof *tokens)];
    replace(p, at, kt_synth_draw(s, 2) ? length : 0, token, strlen(token));
}

static void mutate(struct kt_synth *s, struct piece *p)
{
    size_t at = kt_synth_draw(s, p->length + 1);
    size_t left = p->length - at;
    size_t length = kt_synth_draw(s, (left < 16 ? left : 16) + 1);
    char copy[16];
    char byte = (char)(1 + kt_synth_draw(s, 255));
    switch (kt_synth_draw(s, 5)) {
    case 0:
        replace(p, at, length, "", 0);
        break;
    case 1: /* somewhere else, too */
        memcpy(copy, p->text + at, length);
        replace(p, kt_synth_draw(s, p->length + 1), 0, copy, length);
        break;
    case 2:
        replace(p, at, left > 0, &byte, 1);
        break;
    default:
        insert_token(s, p, at, length);
        break;
    }
}

/* --- use ---------------------------------------------------------------------------------------------------- */

static _Noreturn void give_up(const struct piece *p, const char *why, const char *detail)
{
    fprintf(stderr, "fuzz_spec: %s: '%s'\nin this piece:\n%s\n", why, detail, p->text);
    abort();
}

static double draw_value(struct kt_synth *s)
{
    static const double special[] = {0, 1, -1, 2, INT32_MAX, INT32_MIN, 0x1p63, -0x1p63, 'N', 'U', 'L', 1e300, -1e300};
    if (kt_synth_draw(s, 2))
        return (double)kt_synth_draw(s, 50);
    return special[kt_synth_draw(s, sizeof special / sizeof *special)];
}

/* Like values decoded from a record: integers are 64 bits wide, options a letter, scalars anything. */
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

/* Returns whether the piece was taken. */
static bool try_piece(struct kt_synth *s, const struct piece *p)
{
    struct kt_table table;
    struct kt_error error = {0};
    enum kt_status status = kt_table_parse(p->text, "piece", &table, &error);
    if (status == KT_OK)
        use_table(s, &table);
    else if (status != KT_BAD_INPUT || strncmp(error.text, "piece:", 6) != 0)
        give_up(p, "not a clear error", error.text);
    if (status != KT_OK && strchr(error.text, '\n'))
        give_up(p, "an error of more than one line", error.text);
    kt_table_free(&table);
    return status == KT_OK;
}

int main(int argc, char **argv)
{
    struct kt_error error = {0};
    if (argc != 3 && argc != 4) {
        fprintf(stderr, "usage: fuzz_spec ITERATIONS SEED [SPEC]\n");
        return KT_USAGE;
    }
    unsigned long iterations = strtoul(argv[1], NULL, 0);
    struct kt_synth synth = {.state = strtoull(argv[2], NULL, 0)};
    char *spec = kt_spec_text(argc == 4 ? argv[3] : "trace/routines/blas3.spec", &error);
    if (!spec || !*spec) {
        fprintf(stderr, "fuzz_spec: %s\n", spec ? "the specification is empty" : error.text);
        free(spec);
        return KT_BAD_INPUT;
    }
    unsigned long taken = 0;
    for (unsigned long i = 0; i < iterations; i++) {
        static struct piece piece;
        take_piece(&synth, spec, &piece);
        for (uint64_t n = kt_synth_draw(&synth, 8); n > 0; n--)
            mutate(&synth, &piece);
        taken += try_piece(&synth, &piece);
    }
    free(spec);
    printf("%lu pieces, %lu taken, %lu refused\n", iterations, taken, iterations - taken);
    return KT_OK;
}
