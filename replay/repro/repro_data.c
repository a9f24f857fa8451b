/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Loops over the elements of an operand, as C: those that fill it by the rules of replay/call/data.h, and those that
 * sum up the results.
 */
#include "replay/repro/repro_parts.h"

#include "replay/call/data.h"
#include "replay/call/held.h"
#include "trace/base/count.h"
#include "trace/base/memory.h"

#include <inttypes.h>
#include <string.h>

const char *kt_repro_type(enum kt_type type)
{
    static const char *const name[] = {
        [KT_S] = "float", [KT_D] = "double", [KT_C] = "float complex", [KT_Z] = "double complex", [KT_I] = "integer"};
    return name[type];
}

/* --- places ------------------------------------------------------------------------------------------------ */

static bool is_vector_like(const struct kt_operand *o)
{
    return o->form == KT_FORM_ARRAY || o->form == KT_FORM_VECTOR;
}

static enum kt_type type_of(const struct kt_repro *r, const struct kt_operand *o)
{
    return o->arg ? o->arg->type : kt_repro_symbol(r)->routine->result;
}

enum { INDEX_TEXT = 96 };

/* Index of the element in ROW and COL of a matrix, both C expressions, as trace/table/operand.h describes storage. */
static void matrix_index(const struct kt_operand *o, const char *row, const char *col, char out[INDEX_TEXT])
{
    if (o->form == KT_FORM_MATRIX)
        snprintf(out, INDEX_TEXT, "%s + %s * %" PRId64, row, col, o->ld);
    else if (o->form == KT_FORM_BAND)
        snprintf(out, INDEX_TEXT, "%" PRId64 " + %s - %s + %s * %" PRId64, o->diagonal, row, col, col, o->ld);
    else if (o->below <= 0)
        snprintf(out, INDEX_TEXT, "%s + %s * (%s + 1) / 2", row, col, col);
    else
        snprintf(out, INDEX_TEXT, "%s + %s * (%" PRId64 " - %s) / 2", row, col, 2 * o->rows - 1, col);
}

static void element_index(const struct kt_operand *o, char out[INDEX_TEXT])
{
    int64_t step = o->ld < 0 ? -o->ld : o->ld;
    if (!is_vector_like(o))
        matrix_index(o, "row", "col", out);
    else if (step == 1)
        snprintf(out, INDEX_TEXT, "i");
    else
        snprintf(out, INDEX_TEXT, "i * %" PRId64, step);
}

/* First row of column col. */
static void first_row(const struct kt_operand *o, FILE *out)
{
    if (o->above >= o->cols - 1)
        fprintf(out, "0");
    else if (o->above > 0)
        fprintf(out, "col > %" PRId64 " ? col - %" PRId64 " : 0", o->above, o->above);
    else if (o->above == 0)
        fprintf(out, "col");
    else
        fprintf(out, "col + %" PRId64, -o->above);
}

static void last_row(const struct kt_operand *o, FILE *out)
{
    bool bounded = o->below < o->rows - 1;
    if (bounded && o->below > 0)
        fprintf(out, "row <= col + %" PRId64, o->below);
    else if (bounded)
        fprintf(out, o->below == 0 ? "row <= col" : "row < col");
    if (!bounded || o->cols + o->below > o->rows)
        fprintf(out, "%srow < %" PRId64, bounded ? " && " : "", o->rows);
}

/* What rules call PARAMETER and, where there are no columns, COL. */
static void print_constants(const struct kt_recipe *recipe, bool columns, FILE *out)
{
    const char *rule = recipe && recipe->fill == KT_FILL_RULE ? kt_data_rule_text(recipe->rule) : "";
    if (strstr(rule, "parameter"))
        fprintf(out, ", parameter = %" PRId64, recipe->parameter);
    if (columns && strstr(rule, "col"))
        fprintf(out, ", col = 0");
}

/* A loop over all elements, without its body; returns the number of spaces that the body is indented with. */
static int print_loop(const struct kt_operand *o, const struct kt_recipe *recipe, int indent, FILE *out)
{
    if (is_vector_like(o)) {
        fprintf(out, "%*sfor (long i = 0, n = %" PRIu64, indent, "", o->elements);
        print_constants(recipe, true, out);
        fprintf(out, "; i < n; i++)\n");
        return indent + 4;
    }
    fprintf(out, "%*sfor (long col = 0; col < %" PRId64 "; col++)\n%*sfor (long row = ", indent, "", o->cols,
            indent + 4, "");
    first_row(o, out);
    fprintf(out, "; ");
    last_row(o, out);
    fprintf(out, "; row++)\n");
    return indent + 8;
}

/* --- contents ---------------------------------------------------------------------------------------------- */

static void describe(const struct kt_operand *o, FILE *out)
{
    static const char *const form[] = {
        [KT_FORM_MATRIX] = "matrix", [KT_FORM_BAND] = "band matrix", [KT_FORM_PACKED] = "packed triangle"};
    if (is_vector_like(o)) {
        fprintf(out, "%s", KT_COUNT(o->elements, "element"));
        if (o->ld != 1)
            fprintf(out, ", increment %" PRId64, o->ld);
        return;
    }
    const char *part = o->form != KT_FORM_MATRIX ? ""
                       : o->below <= 0           ? "upper triangle of a "
                       : o->above <= 0           ? "lower triangle of a "
                                                 : "";
    fprintf(out, "%s%" PRId64 " x %" PRId64 " %s", part, o->rows, o->cols, form[o->form]);
    if (o->form != KT_FORM_PACKED)
        fprintf(out, ", leading dimension %" PRId64, o->ld);
}

static const char *random_number(const struct kt_operand *o)
{
    return kt_type_is_complex(o->arg->type) ? "complex_number()" : "number()";
}

/* The rectangle's row less its column tells. */
static void print_rfp_diagonal(const struct kt_operand *o, const struct kt_recipe *recipe, FILE *out)
{
    int64_t lines = recipe->transposed ? o->rows / recipe->rect_rows : recipe->rect_rows;
    const char *sign = recipe->transposed ? "-" : "";
    fprintf(out,
            "%s(i %% %" PRId64 " - i / %" PRId64 ") - %" PRId64 " == 0 || %s(i %% %" PRId64 " - i / %" PRId64
            ") - %" PRId64 " == 0 ? diagonal(%g) : ",
            sign, lines, lines, recipe->diagonal, sign, lines, lines, recipe->diagonal + 1, recipe->least);
}

/* What is assigned to an element, up to the semicolon. */
static void print_value(const struct kt_operand *o, const struct kt_recipe *recipe, FILE *out)
{
    if (recipe->fill == KT_FILL_RULE) {
        fprintf(out, "%s", kt_data_rule_text(recipe->rule));
        return;
    }
    if (recipe->zeros > 0 && recipe->transposed)
        fprintf(out, "row <= col - %" PRId64 " ? 0 : ", recipe->zeros);
    else if (recipe->zeros > 0)
        fprintf(out, "row >= col + %" PRId64 " ? 0 : ", recipe->zeros);
    if (recipe->fill == KT_FILL_RFP)
        print_rfp_diagonal(o, recipe, out);
    if (recipe->fill == KT_FILL_DOMINANT && kt_data_is_stored_band(o))
        fprintf(out, "col == %" PRId64 " ? diagonal(%g) : ", o->diagonal, recipe->least);
    else if (recipe->fill == KT_FILL_DOMINANT)
        fprintf(out, "row == col ? diagonal(%g) : ", recipe->least);
    if (recipe->factor != 1)
        fprintf(out, "%g * ", recipe->factor);
    fprintf(out, "%s", random_number(o));
}

static void print_tau(const struct kt_operand *tau, const struct kt_operand *v, FILE *out)
{
    if (!v) {
        fprintf(out, "        for (long i = 0; i < %" PRId64 "; i++)\n            %s[i] = 1.5;\n", tau->rows,
                tau->name);
        return;
    }
    char index[INDEX_TEXT];
    bool in_rows = v->parameter == KT_REFLECTORS_IN_ROWS;
    int64_t stored = in_rows ? v->rows : v->cols;
    int64_t reflectors = stored < tau->rows ? stored : tau->rows;
    element_index(v, index);
    if (in_rows) {
        fprintf(out,
                "        for (long row = 0; row < %" PRId64 "; row++) {\n"
                "            double square = 1;\n"
                "            for (long col = row + 1; col < %" PRId64 "; col++)\n"
                "                square += squared(%s[%s]);\n"
                "            %s[row] = 2 / square;\n"
                "        }\n",
                reflectors, v->cols, v->name, index, tau->name);
        return;
    }
    fprintf(out,
            "        for (long col = 0; col < %" PRId64 "; col++) {\n"
            "            double square = 1;\n"
            "            for (long row = col + 1; ",
            reflectors);
    last_row(v, out);
    fprintf(out,
            "; row++)\n"
            "                square += squared(%s[%s]);\n"
            "            %s[col] = 2 / square;\n"
            "        }\n",
            v->name, index, tau->name);
}

/* Element PLACE, if there is one, of a diagonal of a tridiagonal matrix. */
static void print_zero(const struct kt_operand *o, int64_t place, FILE *out)
{
    if (place >= 0 && place < o->rows)
        fprintf(out, "        %s[%" PRId64 "] = 0; /* for the recorded info */\n", o->name, place);
}

/* Overwrites what makes the call end with the recorded info. */
static void print_cause(const struct kt_repro *r, const struct kt_operand *o, double least, FILE *out)
{
    char at[24];
    char column[24];
    char index[INDEX_TEXT];
    snprintf(at, sizeof at, "%" PRId64, r->cause_at);
    if (r->cause == KT_CAUSE_NAN)
        fprintf(out, "        %s[%" PRIu64 "] = NAN; /* for the recorded info */\n", o->name,
                (o->lo - o->base) / o->elem);
    if (r->cause != KT_CAUSE_NOT_POSITIVE && r->cause != KT_CAUSE_ZERO)
        return;
    snprintf(column, sizeof column, "%" PRId64, kt_data_is_stored_band(o) ? o->diagonal : r->cause_at);
    matrix_index(o, at, column, index);
    fprintf(out, "        %s[%s] = %g; /* for the recorded info */\n", o->name, index,
            r->cause == KT_CAUSE_ZERO ? 0 : -least);
}

/* Rows of a band that is stored transposed are the columns of the matrix. */
static void print_cross(const struct kt_repro *r, const struct kt_operand *o, FILE *out)
{
    if (kt_data_is_stored_band(o))
        fprintf(out, "row == %" PRId64 " ? 0 : ", r->cause_at);
    else
        fprintf(out, "row == %" PRId64 " || col == %" PRId64 " ? 0 : ", r->cause_at, r->cause_at);
}

/* Rules know the place in a column as I of N. */
static void print_rule_by_columns(const struct kt_operand *o, const struct kt_recipe *recipe, FILE *out)
{
    char index[INDEX_TEXT];
    matrix_index(o, "i", "col", index);
    fprintf(out,
            "        for (long col = 0; col < %" PRId64 "; col++)\n"
            "            for (long i = 0, n = %" PRId64,
            o->cols, o->rows);
    print_constants(recipe, false, out);
    fprintf(out, "; i < n; i++)\n                %s[%s] = %s;\n", o->name, index, kt_data_rule_text(recipe->rule));
}

static void print_assignments(const struct kt_repro *r, int i, const struct kt_recipe *recipe, FILE *out)
{
    char index[INDEX_TEXT];
    const struct kt_operand *o = &r->operand[i];
    if (recipe->fill == KT_FILL_RULE && !is_vector_like(o)) {
        print_rule_by_columns(o, recipe, out);
        return;
    }
    element_index(o, index);
    int indent = print_loop(o, recipe, 8, out);
    fprintf(out, "%*s%s[%s] = ", indent, "", o->name, index);
    if (r->cause == KT_CAUSE_ZERO_CROSS && r->cause_operand == i)
        print_cross(r, o, out);
    print_value(o, recipe, out);
    fprintf(out, ";\n");
}

/* --- contents that were recorded ---------------------------------------------------------------------------- */

/* OPERAND as if it lay at AT; owned by nobody. */
static struct kt_operand moved(const struct kt_operand *o, const void *at)
{
    struct kt_operand here = *o;
    here.lo = (uint64_t)(uintptr_t)at;
    here.hi = here.lo + (o->hi - o->lo);
    here.base = here.lo - (o->lo - o->base);
    return here;
}

static void print_words(const uint64_t *word, size_t words, FILE *out)
{
    enum { IN_A_LINE = 5 };
    for (size_t i = 0; i < words; i++)
        fprintf(out, "%s0x%" PRIx64 "%s", i % IN_A_LINE ? " " : "\n                ", word[i],
                i + 1 < words ? "," : "");
}

/* Each run of elements for itself: between them there may be another operand's. */
static void print_copies(const struct kt_operand *o, FILE *out)
{
    int64_t runs = kt_operand_runs(o);
    for (int64_t run = 0; run < runs; run++) {
        uint64_t lo, hi;
        kt_operand_run(o, run, &lo, &hi);
        fprintf(out, "            memcpy((char *)%s + %" PRIu64 ", (const char *)held + %" PRIu64 ", %" PRIu64 ");\n",
                o->name, lo - o->base, lo - o->lo, hi - lo);
    }
}

/* False, and nothing is printed, if the snapshot does not have it. */
static bool print_held(const struct kt_repro *r, int i, FILE *out)
{
    struct kt_operand operand[KT_MAX_OPERANDS];
    const struct kt_operand *o = &r->operand[i];
    size_t bytes = o->hi - o->lo;
    uint64_t *word = kt_zeros(bytes / sizeof *word + 1, sizeof *word);
    memcpy(operand, r->operand, sizeof operand);
    operand[i] = moved(o, word);
    bool is_known = kt_held_fill(r->held, operand, i);
    if (is_known) {
        fprintf(out, "\n        /* %s: ", o->name);
        describe(o, out);
        fprintf(out, ", as recorded */\n        {\n            static const unsigned long long held[] = {");
        print_words(word, (bytes + sizeof *word - 1) / sizeof *word, out);
        fprintf(out, "};\n");
        print_copies(o, out);
        fprintf(out, "        }\n");
    }
    free(word);
    return is_known;
}

void kt_repro_print_fill(const struct kt_repro *r, int i, FILE *out)
{
    const struct kt_operand *o = &r->operand[i];
    if (r->held && print_held(r, i, out))
        return;
    const struct kt_recipe recipe = kt_data_recipe(r->operand, r->operands, i);
    if (recipe.fill == KT_FILL_NOTHING || !(o->access & KT_READ))
        return;
    fprintf(out, "\n        /* %s: ", o->name);
    describe(o, out);
    fprintf(out, " */\n");
    if (recipe.fill == KT_FILL_TAU)
        print_tau(o, recipe.reflectors, out);
    else
        print_assignments(r, i, &recipe, out);
    if (r->cause == KT_CAUSE_ZERO_COLUMN && i >= r->cause_operand && i <= r->cause_operand + 2)
        print_zero(o, i == r->cause_operand + 2 ? r->cause_at - 1 : r->cause_at, out);
    else if (r->cause_operand == i)
        print_cause(r, o, recipe.least, out);
}

void kt_repro_print_sum(const struct kt_repro *r, int i, FILE *out)
{
    char index[INDEX_TEXT];
    const struct kt_operand *o = &r->operand[i];
    enum kt_type type = type_of(r, o);
    if (!(o->access & KT_WRITE) || o->lo == o->hi)
        return;
    element_index(o, index);
    fprintf(out, "    sum = (struct sum){0};\n");
    int indent = print_loop(o, NULL, 4, out);
    fprintf(out, "%*sadd(&sum, %s[%s]);\n    show(\"%s\", &sum, %d);\n", indent, "", o->name, index, o->name,
            type == KT_S || type == KT_C ? 5 : 10);
}
