/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reader of the routine table. It is used twice: by ktgen, which turns the table into code, and by the tools,
 * which read the lines that a trace carries; so a trace describes its own calls.
 */
#include "trace/base/memory.h"
#include "trace/table/notation.h"
#include "trace/table/symbol.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

size_t kt_type_bytes(enum kt_type type)
{
    static const size_t bytes[] = {[KT_S] = 4, [KT_D] = 8, [KT_C] = 8, [KT_Z] = 16, [KT_I] = 4};
    return bytes[type];
}

bool kt_type_is_complex(enum kt_type type)
{
    return type == KT_C || type == KT_Z;
}

enum kt_type kt_type_real(enum kt_type type)
{
    return type == KT_S || type == KT_C ? KT_S : KT_D;
}

/* --- families ----------------------------------------------------------------------------------------------- */

static enum kt_status read_check(struct kt_notation *l, struct kt_routine *r)
{
    if (r->check)
        return kt_fail(l->error, KT_BAD_INPUT, "a second 'check'");
    r->check = kt_zeros(1, sizeof *r->check);
    return kt_accept(l, '=') ? kt_relations_parse(&l->at, r, r->check, l->error)
                             : kt_fail(l->error, KT_BAD_INPUT, "expected check= at '%.20s'", l->at);
}

static enum kt_status read_cost(struct kt_notation *l, struct kt_routine *r)
{
    const struct kt_scope scope = {kt_find_argument, r};
    for (kt_skip_blanks(l); *l->at; kt_skip_blanks(l)) {
        struct kt_word w = kt_read_word(l);
        if (kt_word_is(w, "check")) {
            KT_TRY(read_check(l, r));
            continue;
        }
        struct kt_expr *out = kt_word_is(w, "mul")     ? &r->mul
                              : kt_word_is(w, "add")   ? &r->add
                              : kt_word_is(w, "flops") ? &r->flops
                                                       : NULL;
        if (out && out->count)
            return kt_fail(l->error, KT_BAD_INPUT, "a second '%.20s'", w.start);
        if (!out || !kt_accept(l, '='))
            return kt_fail(l->error, KT_BAD_INPUT, "expected mul= add= flops= or check= at '%.20s'", w.start);
        KT_TRY(kt_expr_parse(&l->at, &scope, out, l->error));
    }
    return KT_OK;
}

struct prefix {
    char letters[4];
    enum kt_type type;
};

enum { MAX_PREFIXES = 8 };

static unsigned interfaces_of(struct kt_word w)
{
    static const struct {
        const char *word;
        unsigned interfaces;
    } known[] = {{"cblas", KT_HAS_CBLAS},
                 {"cblas_only", KT_HAS_CBLAS | KT_NO_FORTRAN},
                 {"lapacke", KT_HAS_LAPACKE | KT_HAS_LAPACKE_WORK},
                 {"lapacke_work", KT_HAS_LAPACKE_WORK},
                 {"undescribed", KT_IS_UNDESCRIBED}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (kt_word_is(w, known[i].word))
            return known[i].interfaces;
    return 0;
}

static enum kt_status read_prefixes(struct kt_notation *l, struct prefix *out, int *count, unsigned *interfaces)
{
    static const char letters[] = "sdcz";
    for (kt_skip_blanks(l); *l->at && *l->at != '|'; kt_skip_blanks(l)) {
        struct kt_word w = kt_read_word(l);
        if (interfaces_of(w)) {
            *interfaces |= interfaces_of(w);
            continue;
        }
        char type = kt_accept(l, ':') ? *l->at++ : w.length ? *w.start : ' ';
        const char *found = type ? strchr(letters, type) : NULL;
        if (!found || w.length == 0 || w.length > 3 || *count == MAX_PREFIXES)
            return kt_fail(l->error, KT_BAD_INPUT, "expected a type s d c z or prefix:type at '%.20s'", w.start);
        struct prefix *p = &out[(*count)++];
        snprintf(p->letters, sizeof p->letters, "%.*s", (int)w.length, w.start);
        p->type = (enum kt_type)(found - letters);
    }
    return KT_OK;
}

static enum kt_status make_name(struct kt_notation *l, struct kt_word pattern, const struct prefix *prefix,
                                char out[KT_NAME])
{
    size_t length = 0;
    char name[64] = "";
    for (size_t i = 0; i < pattern.length && length < sizeof name - 8; i++) {
        if (pattern.start[i] != '?')
            name[length++] = pattern.start[i];
        else
            length += (size_t)sprintf(name + length, "%s", prefix->letters);
    }
    return kt_copy_name(l, (struct kt_word){name, length}, out);
}

static enum kt_status add_routine(struct kt_notation *l, struct kt_table *table, struct kt_word pattern,
                                  const struct prefix *prefix, unsigned interfaces)
{
    table->routine = kt_room_for_one(table->routine, table->count, sizeof *table->routine);
    struct kt_routine *r = &table->routine[table->count++];
    *r = (struct kt_routine){.type = prefix->type,
                             .interfaces = interfaces,
                             .text = kt_copy(l->text),
                             .made = kt_resize(NULL, 1, sizeof *r->made)};
    *r->made = (struct kt_made){0};
    snprintf(r->section, sizeof r->section, "%s", l->section);
    KT_TRY(make_name(l, pattern, prefix, r->name));
    KT_TRY(kt_read_arguments(l, r));
    if (!kt_accept(l, '|'))
        return kt_fail(l->error, KT_BAD_INPUT, "expected '|' before the cost at '%.20s'", l->at);
    return read_cost(l, r);
}

static enum kt_status read_family(struct kt_notation *l, struct kt_table *table)
{
    struct prefix prefix[MAX_PREFIXES];
    int prefixes = 0;
    unsigned interfaces = 0;
    struct kt_word pattern = kt_read_word(l);
    KT_TRY(read_prefixes(l, prefix, &prefixes, &interfaces));
    if (prefixes == 0 || !kt_accept(l, '|'))
        return kt_fail(l->error, KT_BAD_INPUT, "expected NAME TYPES | ARGUMENTS | COST");
    const char *arguments = l->at;
    for (int i = 0; i < prefixes; i++) {
        l->at = arguments;
        KT_TRY(add_routine(l, table, pattern, &prefix[i], interfaces));
    }
    return KT_OK;
}

/* --- lines ------------------------------------------------------------------------------------------------- */

/* Joins the line at *CURSOR with its continuations, blanks folded; moves *CURSOR and counts *NUMBER. */
static char *join_lines(const char **cursor, int *number)
{
    char *out = malloc(strlen(*cursor) + 2);
    size_t length = 0;
    const char *c = *cursor;
    if (!out)
        abort();
    do {
        for (; *c && *c != '\n'; c++)
            if (*c != ' ' || (length && out[length - 1] != ' '))
                out[length++] = *c;
        if (*c == '\n')
            c++;
        ++*number;
        if (length && out[length - 1] != ' ')
            out[length++] = ' ';
    } while (*c == ' ');
    out[length - (length ? 1 : 0)] = '\0';
    *cursor = c;
    return out;
}

static bool read_section(const char *text, char section[KT_NAME])
{
    size_t length = strlen(text);
    if (*text != '[' || length < 3 || length > KT_NAME || text[length - 1] != ']')
        return false;
    snprintf(section, KT_NAME, "%.*s", (int)length - 2, text + 1);
    return true;
}

enum kt_status kt_table_parse(const char *text, const char *name, struct kt_table *out, struct kt_error *error)
{
    *out = (struct kt_table){0};
    return kt_table_add(text, name, out, error);
}

enum kt_status kt_table_add(const char *text, const char *name, struct kt_table *table, struct kt_error *error)
{
    char section[KT_NAME] = "";
    int number = 0;
    for (const char *cursor = text; *cursor;) {
        int first = number + 1;
        char *joined = join_lines(&cursor, &number);
        struct kt_error cause = {0};
        struct kt_notation l = {.text = joined, .at = joined, .section = section, .error = &cause};
        if (*joined && *joined != '#' && !read_section(joined, section))
            read_family(&l, table);
        free(joined);
        if (cause.status != KT_OK)
            return kt_fail(error, KT_BAD_INPUT, "%s:%d: %s", name, first, cause.text);
    }
    return KT_OK;
}

static void free_routine(struct kt_routine *r)
{
    for (int i = 0; i < r->args; i++) {
        kt_expr_free(&r->arg[i].legal);
        kt_expr_free(&r->arg[i].data_parameter);
        for (int d = 0; d < 4; d++)
            kt_expr_free(&r->arg[i].shape.dim[d]);
    }
    free(r->arg);
    kt_expr_free(&r->mul);
    kt_expr_free(&r->add);
    kt_expr_free(&r->flops);
    kt_relations_free(r->check);
    free(r->check);
    for (int view = 0; view < KT_VIEWS; view++)
        free(r->made->param[view]);
    free(r->made);
    free(r->text);
}

void kt_table_free(struct kt_table *table)
{
    for (size_t i = 0; i < table->count; i++)
        free_routine(&table->routine[i]);
    free(table->routine);
    *table = (struct kt_table){0};
}

static bool is_within(const struct kt_arg *arg, double value, const double *values)
{
    if (arg->bound == KT_NO_BOUND)
        return true;
    double bound = kt_expr_eval(&arg->legal, values);
    return arg->bound == KT_AT_MOST ? value <= bound : value >= bound;
}

bool kt_is_within_bounds(const struct kt_routine *routine, const double *values)
{
    for (int i = 0; i < routine->args; i++)
        if (!is_within(&routine->arg[i], values[i], values))
            return false;
    return true;
}

const struct kt_routine *kt_table_find(const struct kt_table *table, const char *routine)
{
    for (size_t i = 0; i < table->count; i++)
        if (!strcmp(table->routine[i].name, routine))
            return &table->routine[i];
    return NULL;
}
