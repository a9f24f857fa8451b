/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reader of the routine table. It is used twice: by ktgen, which turns the table into code, and by the tools,
 * which read the lines that a trace carries; so a trace describes its own calls.
 */
#include "trace/routine.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct line {
    char *text; /* one family, continuations joined */
    const char *at;
    const char *section;
    struct kt_error *error;
};

struct word {
    const char *start;
    size_t length;
};

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

/* --- words and names --------------------------------------------------------------------------------------- */

static void skip_blanks(struct line *l)
{
    while (*l->at == ' ')
        l->at++;
}

static bool accept(struct line *l, char c)
{
    if (*l->at != c)
        return false;
    l->at++;
    return true;
}

static struct word read_word(struct line *l)
{
    struct word w = {l->at, 0};
    while (isalnum((unsigned char)*l->at) || *l->at == '?' || *l->at == '_')
        l->at++;
    w.length = (size_t)(l->at - w.start);
    return w;
}

static bool word_is(struct word w, const char *text)
{
    return strlen(text) == w.length && !strncmp(text, w.start, w.length);
}

static enum kt_status copy_name(struct line *l, struct word w, char out[KT_NAME])
{
    if (w.length == 0 || w.length >= KT_NAME)
        return kt_fail(l->error, KT_BAD_INPUT, "expected a name of 1 to %d letters at '%.20s'", KT_NAME - 1, w.start);
    memcpy(out, w.start, w.length);
    out[w.length] = '\0';
    return KT_OK;
}

static enum kt_status read_type(struct line *l, enum kt_type t, enum kt_type *out)
{
    static const char letters[] = "SDCZI";
    char c = *l->at++;
    const char *found = c ? strchr(letters, c) : NULL;
    if (c == 'T')
        *out = t;
    else if (c == 'R')
        *out = kt_type_real(t);
    else if (found)
        *out = (enum kt_type)(found - letters);
    else
        return kt_fail(l->error, KT_BAD_INPUT, "expected a type T R I S D C or Z at '%.20s'", l->at - 1);
    return KT_OK;
}

/* --- arguments --------------------------------------------------------------------------------------------- */

static const struct {
    const char *word;
    enum kt_role role;
    enum kt_access access;
} roles[] = {
    {"trans", KT_TRANS, 0},
    {"uplo", KT_UPLO, 0},
    {"side", KT_SIDE, 0},
    {"diag", KT_DIAG, 0},
    {"opt", KT_OPTION, 0},
    {"optio", KT_OPTION, KT_READ_WRITE},
    {"dim", KT_SIZE, 0},
    {"ld", KT_LD, 0},
    {"inc", KT_INC, 0},
    {"scal", KT_SCALAR, 0},
    {"lwork", KT_LWORK, 0},
    {"int", KT_INTEGER, 0},
    {"intio", KT_INTEGER, KT_READ_WRITE},
    {"log", KT_LOGICAL, 0},
    {"fun", KT_PROCEDURE, 0},
    {"info", KT_INFO, 0},
    {"in", KT_ARRAY, KT_READ},
    {"out", KT_ARRAY, KT_WRITE},
    {"io", KT_ARRAY, KT_READ_WRITE},
    {"work", KT_ARRAY, KT_WORK},
    {"upd", KT_ARRAY, KT_UPDATE},
};

static const struct {
    const char *word;
    enum kt_data data;
} data_words[] = {
    {"spd", KT_SPD}, {"triangle", KT_TRIANGLE}, {"lu", KT_LU}, {"pivots", KT_PIVOTS}, {"reflectors", KT_REFLECTORS},
    {"tau", KT_TAU}, {"rotm", KT_ROTM},
};

static int find_arg(const struct kt_routine *r, const char *name, size_t length)
{
    for (int i = 0; i < r->args; i++)
        if (strlen(r->arg[i].name) == length && !strncmp(r->arg[i].name, name, length))
            return i;
    return -1;
}

static bool is_option(enum kt_role role)
{
    return role <= KT_OPTION;
}

static int find_in_scope(const void *context, const char *name, size_t length, int *option)
{
    const struct kt_routine *r = context;
    int i = find_arg(r, name, length);
    if (i < 0 || r->arg[i].role == KT_ARRAY || r->arg[i].role == KT_PROCEDURE)
        return -1;
    *option = is_option(r->arg[i].role);
    return i;
}

/* Any integer may stand where a leading dimension does. */
static bool can_be_step(enum kt_role role)
{
    return role == KT_LD || role == KT_INC || role == KT_SIZE || role == KT_INTEGER;
}

/* The name of an argument of ROLE. */
static enum kt_status read_arg_reference(struct line *l, const struct kt_routine *r, enum kt_role role, int *out)
{
    struct word w = read_word(l);
    *out = find_arg(r, w.start, w.length);
    if (*out < 0)
        return kt_fail(l->error, KT_BAD_INPUT, "'%.*s' is not an argument of %s", (int)w.length, w.start, r->name);
    enum kt_role found = r->arg[*out].role;
    if (found != role && !(role == KT_LD && can_be_step(found)))
        return kt_fail(l->error, KT_BAD_INPUT, "'%.*s' has another role than is needed here", (int)w.length, w.start);
    return KT_OK;
}

/* CBLAS writes sizes and arrays with capitals, options as TransA, increments as incX; the rest as Fortran does. */
static void usual_cblas_name(struct kt_arg *arg)
{
    memcpy(arg->cname, arg->name, sizeof arg->cname);
    char *last = arg->cname + strlen(arg->cname) - 1;
    if (arg->role == KT_SIZE)
        for (char *c = arg->cname; *c; c++)
            *c = (char)toupper((unsigned char)*c);
    if (arg->role == KT_ARRAY || is_option(arg->role))
        *arg->cname = (char)toupper((unsigned char)*arg->cname);
    if (arg->role == KT_INC || (arg->role == KT_TRANS && strlen(arg->name) == strlen("transa")))
        *last = (char)toupper((unsigned char)*last);
}

static enum kt_status read_role(struct line *l, struct kt_arg *arg)
{
    struct word w = read_word(l);
    for (size_t i = 0; i < sizeof roles / sizeof *roles; i++) {
        if (!word_is(w, roles[i].word))
            continue;
        arg->role = roles[i].role;
        arg->access = roles[i].access;
        return KT_OK;
    }
    return kt_fail(l->error, KT_BAD_INPUT, "'%.*s' is not a role", (int)w.length, w.start);
}

static void skip_parentheses(struct line *l)
{
    if (*l->at == '(')
        while (*l->at && *l->at++ != ')')
            ;
}

/* First pass: role and names only, so that shapes may name arguments that come later. */
static enum kt_status read_arg_name(struct line *l, struct kt_routine *r)
{
    if (r->args == KT_MAX_ARGS)
        return kt_fail(l->error, KT_BAD_INPUT, "more than %d arguments", KT_MAX_ARGS);
    struct kt_arg *arg = &r->arg[r->args];
    KT_TRY(read_role(l, arg));
    skip_parentheses(l);
    if (!accept(l, ':'))
        return kt_fail(l->error, KT_BAD_INPUT, "expected ':' at '%.20s'", l->at);
    KT_TRY(copy_name(l, read_word(l), arg->name));
    if (find_arg(r, arg->name, strlen(arg->name)) >= 0)
        return kt_fail(l->error, KT_BAD_INPUT, "two arguments are called '%s'", arg->name);
    usual_cblas_name(arg);
    if (accept(l, '/')) {
        KT_TRY(copy_name(l, read_word(l), arg->cname));
        arg->shown = arg->access == KT_WORK;
    }
    while (*l->at && *l->at != ' ')
        l->at++;
    r->args++;
    return KT_OK;
}

static enum kt_status read_dimensions(struct line *l, const struct kt_routine *r, struct kt_shape *shape, int *count)
{
    const struct kt_scope scope = {find_in_scope, r};
    do {
        if (*count == 4)
            return kt_fail(l->error, KT_BAD_INPUT, "more than 4 dimensions at '%.20s'", l->at);
        KT_TRY(kt_expr_parse(&l->at, &scope, &shape->dim[(*count)++], l->error));
    } while (accept(l, ','));
    return KT_OK;
}

static enum kt_status choose_form(struct line *l, struct kt_shape *shape, int dims, bool packed)
{
    static const enum kt_form form[] = {[2] = KT_FORM_MATRIX, [4] = KT_FORM_BAND};
    if (packed && shape->uplo < 0 && !shape->constant_uplo)
        return kt_fail(l->error, KT_BAD_INPUT, "a packed triangle is [n;packed;uplo], before '%.20s'", l->at);
    bool stepped = shape->step >= 0 || shape->constant_step > 0;
    if (dims == 3 || (dims > 1 && !stepped) || (dims == 1 && shape->constant_step > 0))
        return kt_fail(l->error, KT_BAD_INPUT, "a matrix is [m,n;ld], a band [m,n,kl,ku;ld], before '%.20s'", l->at);
    if (dims == 1)
        shape->form = packed ? KT_FORM_PACKED : shape->step >= 0 ? KT_FORM_VECTOR : KT_FORM_ARRAY;
    else
        shape->form = form[dims];
    return KT_OK;
}

static enum kt_status read_step(struct line *l, const struct kt_routine *r, struct kt_shape *shape)
{
    if (!isdigit((unsigned char)*l->at))
        return read_arg_reference(l, r, KT_LD, &shape->step);
    char *end;
    long step = strtol(l->at, &end, 10);
    if (step < 1 || step > INT16_MAX)
        return kt_fail(l->error, KT_BAD_INPUT, "no leading dimension at '%.20s'", l->at);
    shape->constant_step = (int)step;
    l->at = end;
    return KT_OK;
}

/* An option, or one of its LETTERS for good; names are lower case, so that no name looks like a letter. */
static enum kt_status read_option(struct line *l, const struct kt_routine *r, enum kt_role role, const char *letters,
                                  int *arg, char *letter)
{
    if (!*l->at || !strchr(letters, *l->at))
        return read_arg_reference(l, r, role, arg);
    *letter = *l->at++;
    return KT_OK;
}

static enum kt_status read_shape(struct line *l, const struct kt_routine *r, struct kt_shape *shape)
{
    int dims = 0;
    bool packed = false;
    *shape = (struct kt_shape){.step = -1, .uplo = -1, .diag = -1};
    if (!accept(l, '['))
        return kt_fail(l->error, KT_BAD_INPUT, "an array needs a [shape] at '%.20s'", l->at);
    KT_TRY(read_dimensions(l, r, shape, &dims));
    if (accept(l, ';')) {
        packed = !strncmp(l->at, "packed", 6);
        if (packed)
            l->at += 6;
        else
            KT_TRY(read_step(l, r, shape));
    }
    if (accept(l, ';'))
        KT_TRY(read_option(l, r, KT_UPLO, "UL", &shape->uplo, &shape->constant_uplo));
    if (accept(l, ';'))
        KT_TRY(read_option(l, r, KT_DIAG, "U", &shape->diag, &shape->constant_diag));
    if (!accept(l, ']'))
        return kt_fail(l->error, KT_BAD_INPUT, "expected ']' at '%.20s'", l->at);
    return choose_form(l, shape, dims, packed);
}

static enum kt_status read_data(struct line *l, struct kt_arg *arg)
{
    struct word w = read_word(l);
    for (size_t i = 0; i < sizeof data_words / sizeof *data_words; i++)
        if (word_is(w, data_words[i].word)) {
            arg->data = data_words[i].data;
            return KT_OK;
        }
    return kt_fail(l->error, KT_BAD_INPUT, "'@%.*s' is not a kind of data", (int)w.length, w.start);
}

static enum kt_type default_type(const struct kt_arg *arg, enum kt_type t)
{
    return arg->role == KT_SCALAR || arg->role == KT_ARRAY ? t : KT_I;
}

static enum kt_status read_beta(struct line *l, const struct kt_routine *r, struct kt_arg *arg)
{
    bool updated = arg->role == KT_ARRAY && arg->access == KT_UPDATE;
    if (accept(l, '(') != updated)
        return kt_fail(l->error, KT_BAD_INPUT, "upd, and nothing else, needs the name of a (scalar) at '%.20s'", l->at);
    if (!updated)
        return KT_OK;
    KT_TRY(read_arg_reference(l, r, KT_SCALAR, &arg->beta));
    return accept(l, ')') ? KT_OK : kt_fail(l->error, KT_BAD_INPUT, "expected ')' at '%.20s'", l->at);
}

/* {letters} of an option, {expression} for a number. */
static enum kt_status read_legal(struct line *l, const struct kt_routine *r, struct kt_arg *arg)
{
    const struct kt_scope scope = {find_in_scope, r};
    if (!accept(l, '{'))
        return KT_OK;
    if (arg->role == KT_ARRAY || arg->role == KT_PROCEDURE)
        return kt_fail(l->error, KT_BAD_INPUT, "an array has no {legal value} at '%.20s'", l->at);
    if (is_option(arg->role))
        arg->letters = kt_letters_read(&l->at);
    else
        KT_TRY(kt_expr_parse(&l->at, &scope, &arg->legal, l->error));
    if (!accept(l, '}') || (is_option(arg->role) && !arg->letters))
        return kt_fail(l->error, KT_BAD_INPUT, "expected {LETTERS} or {expression} at '%.20s'", l->at);
    return KT_OK;
}

/* Second pass: everything else about argument number I. */
static enum kt_status read_arg_rest(struct line *l, struct kt_routine *r, int i)
{
    struct kt_arg *arg = &r->arg[i];
    read_word(l);
    KT_TRY(read_beta(l, r, arg));
    accept(l, ':');
    read_word(l);
    if (accept(l, '/'))
        read_word(l);
    KT_TRY(read_legal(l, r, arg));
    arg->type = default_type(arg, r->type);
    if (arg->role == KT_ARRAY)
        KT_TRY(read_shape(l, r, &arg->shape));
    if (accept(l, ':'))
        KT_TRY(read_type(l, r->type, &arg->type));
    if (accept(l, '@'))
        KT_TRY(read_data(l, arg));
    if (*l->at && *l->at != ' ')
        return kt_fail(l->error, KT_BAD_INPUT, "did not expect '%.20s'", l->at);
    return KT_OK;
}

static bool at_arguments_end(struct line *l)
{
    skip_blanks(l);
    return !*l->at || *l->at == '|' || *l->at == '-';
}

static enum kt_status read_arguments(struct line *l, struct kt_routine *r)
{
    const char *start = l->at;
    while (!at_arguments_end(l))
        KT_TRY(read_arg_name(l, r));
    l->at = start;
    for (int i = 0; !at_arguments_end(l); i++) {
        if (i == r->args)
            return kt_fail(l->error, KT_BAD_INPUT, "did not expect '%.20s'", l->at);
        KT_TRY(read_arg_rest(l, r, i));
    }
    if (accept(l, '-')) {
        if (!accept(l, '>'))
            return kt_fail(l->error, KT_BAD_INPUT, "expected '->' at '%.20s'", l->at);
        skip_blanks(l);
        KT_TRY(read_type(l, r->type, &r->result));
        r->has_result = true;
        skip_blanks(l);
    }
    return KT_OK;
}

static enum kt_status read_cost(struct line *l, struct kt_routine *r)
{
    const struct kt_scope scope = {find_in_scope, r};
    for (skip_blanks(l); *l->at; skip_blanks(l)) {
        struct word w = read_word(l);
        struct kt_expr *out = word_is(w, "mul")     ? &r->mul
                              : word_is(w, "add")   ? &r->add
                              : word_is(w, "flops") ? &r->flops
                                                    : NULL;
        if (out && out->count)
            return kt_fail(l->error, KT_BAD_INPUT, "a second '%.20s'", w.start);
        if (!out || !accept(l, '='))
            return kt_fail(l->error, KT_BAD_INPUT, "expected mul= add= or flops= at '%.20s'", w.start);
        KT_TRY(kt_expr_parse(&l->at, &scope, out, l->error));
    }
    return KT_OK;
}

/* --- families ---------------------------------------------------------------------------------------------- */

struct prefix {
    char letters[4];
    enum kt_type type;
};

enum { MAX_PREFIXES = 8 };

static unsigned interfaces_of(struct word w)
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
        if (word_is(w, known[i].word))
            return known[i].interfaces;
    return 0;
}

static enum kt_status read_prefixes(struct line *l, struct prefix *out, int *count, unsigned *interfaces)
{
    static const char letters[] = "sdcz";
    for (skip_blanks(l); *l->at && *l->at != '|'; skip_blanks(l)) {
        struct word w = read_word(l);
        if (interfaces_of(w)) {
            *interfaces |= interfaces_of(w);
            continue;
        }
        char type = accept(l, ':') ? *l->at++ : w.length ? *w.start : ' ';
        const char *found = type ? strchr(letters, type) : NULL;
        if (!found || w.length == 0 || w.length > 3 || *count == MAX_PREFIXES)
            return kt_fail(l->error, KT_BAD_INPUT, "expected a type s d c z or prefix:type at '%.20s'", w.start);
        struct prefix *p = &out[(*count)++];
        snprintf(p->letters, sizeof p->letters, "%.*s", (int)w.length, w.start);
        p->type = (enum kt_type)(found - letters);
    }
    return KT_OK;
}

static enum kt_status make_name(struct line *l, struct word pattern, const struct prefix *prefix, char out[KT_NAME])
{
    size_t length = 0;
    char name[64] = "";
    for (size_t i = 0; i < pattern.length && length < sizeof name - 8; i++) {
        if (pattern.start[i] != '?')
            name[length++] = pattern.start[i];
        else
            length += (size_t)sprintf(name + length, "%s", prefix->letters);
    }
    return copy_name(l, (struct word){name, length}, out);
}

/* The room doubles whenever it is used up, which is at every power of two: routines are large. */
static void make_room(struct kt_table *table)
{
    if (table->count & (table->count - 1))
        return;
    table->routine = realloc(table->routine, (table->count ? 2 * table->count : 1) * sizeof *table->routine);
    if (!table->routine)
        abort();
}

static enum kt_status add_routine(struct line *l, struct kt_table *table, struct word pattern,
                                  const struct prefix *prefix, unsigned interfaces)
{
    make_room(table);
    struct kt_routine *r = &table->routine[table->count++];
    *r = (struct kt_routine){.type = prefix->type, .interfaces = interfaces, .text = strdup(l->text)};
    snprintf(r->section, sizeof r->section, "%s", l->section);
    KT_TRY(make_name(l, pattern, prefix, r->name));
    KT_TRY(read_arguments(l, r));
    if (!accept(l, '|'))
        return kt_fail(l->error, KT_BAD_INPUT, "expected '|' before the cost at '%.20s'", l->at);
    return read_cost(l, r);
}

static enum kt_status read_family(struct line *l, struct kt_table *table)
{
    struct prefix prefix[MAX_PREFIXES];
    int prefixes = 0;
    unsigned interfaces = 0;
    struct word pattern = read_word(l);
    KT_TRY(read_prefixes(l, prefix, &prefixes, &interfaces));
    if (prefixes == 0 || !accept(l, '|'))
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
        struct line l = {.text = joined, .at = joined, .section = section, .error = &cause};
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
    for (int i = 0; i < KT_MAX_ARGS; i++) {
        kt_expr_free(&r->arg[i].legal);
        for (int d = 0; d < 4; d++)
            kt_expr_free(&r->arg[i].shape.dim[d]);
    }
    kt_expr_free(&r->mul);
    kt_expr_free(&r->add);
    kt_expr_free(&r->flops);
    free(r->text);
}

void kt_table_free(struct kt_table *table)
{
    for (size_t i = 0; i < table->count; i++)
        free_routine(&table->routine[i]);
    free(table->routine);
    *table = (struct kt_table){0};
}

const struct kt_routine *kt_table_find(const struct kt_table *table, const char *routine)
{
    for (size_t i = 0; i < table->count; i++)
        if (!strcmp(table->routine[i].name, routine))
            return &table->routine[i];
    return NULL;
}
