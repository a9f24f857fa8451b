/* SPDX-License-Identifier: BSD-3-Clause */
/* Reader of the arguments of a family: roles, names, legal values, shapes, data. */
#include "trace/base/memory.h"
#include "trace/table/notation.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

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
    {"spd", KT_SPD},
    {"triangle", KT_TRIANGLE},
    {"lu", KT_LU},
    {"ldl", KT_LDL},
    {"schur", KT_SCHUR},
    {"hessenberg", KT_HESSENBERG},
    {"rfp_spd", KT_RFP_SPD},
    {"rfp_triangle", KT_RFP_TRIANGLE},
    {"reflectors", KT_REFLECTORS},
    {"tau", KT_TAU},
    {"pivots", KT_PIVOTS},
    {"neighbours", KT_NEIGHBOURS},
    {"halves", KT_HALVES},
    {"halfsorted", KT_HALFSORTED},
    {"sorted", KT_SORTED},
    {"unit", KT_UNIT},
    {"scale", KT_SCALE},
    {"value", KT_VALUE},
    {"tsqr", KT_TSQR},
    {"rotm", KT_ROTM},
    {"index", KT_INDEX},
    {"ladder", KT_LADDER},
    {"bounds", KT_BOUNDS},
    {"types", KT_TYPES},
    {"squares", KT_SQUARES},
    {"unitary", KT_UNITARY},
    {"angle", KT_ANGLE},
    {"cosines", KT_COSINES},
    {"first", KT_FIRST},
    {"alternate", KT_ALTERNATE},
    {"tree", KT_TREE},
    {"treeperm", KT_TREE_PLACES},
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

int kt_find_argument(const void *context, const char *name, size_t length, int *option)
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
static enum kt_status read_arg_reference(struct kt_notation *l, const struct kt_routine *r, enum kt_role role, int *out)
{
    struct kt_word w = kt_read_word(l);
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

static enum kt_status read_role(struct kt_notation *l, struct kt_arg *arg)
{
    struct kt_word w = kt_read_word(l);
    for (size_t i = 0; i < sizeof roles / sizeof *roles; i++) {
        if (!kt_word_is(w, roles[i].word))
            continue;
        arg->role = roles[i].role;
        arg->access = roles[i].access;
        return KT_OK;
    }
    return kt_fail(l->error, KT_BAD_INPUT, "'%.*s' is not a role", (int)w.length, w.start);
}

static void skip_parentheses(struct kt_notation *l)
{
    if (*l->at == '(')
        while (*l->at && *l->at++ != ')')
            ;
}

/* First pass: role and names only, so that shapes may name arguments that come later. */
static enum kt_status read_arg_name(struct kt_notation *l, struct kt_routine *r)
{
    if (r->args == KT_MAX_ARGS)
        return kt_fail(l->error, KT_BAD_INPUT, "more than %d arguments", KT_MAX_ARGS);
    r->arg = kt_room_for_one(r->arg, (size_t)r->args, sizeof *r->arg);
    struct kt_arg *arg = &r->arg[r->args];
    *arg = (struct kt_arg){0};
    KT_TRY(read_role(l, arg));
    skip_parentheses(l);
    if (!kt_accept(l, ':'))
        return kt_fail(l->error, KT_BAD_INPUT, "expected ':' at '%.20s'", l->at);
    KT_TRY(kt_copy_name(l, kt_read_word(l), arg->name));
    if (find_arg(r, arg->name, strlen(arg->name)) >= 0)
        return kt_fail(l->error, KT_BAD_INPUT, "two arguments are called '%s'", arg->name);
    usual_cblas_name(arg);
    if (kt_accept(l, '/')) {
        KT_TRY(kt_copy_name(l, kt_read_word(l), arg->cname));
        arg->shown = arg->access == KT_WORK;
    }
    while (*l->at && *l->at != ' ')
        l->at++;
    r->args++;
    return KT_OK;
}

static enum kt_status read_dimensions(struct kt_notation *l, const struct kt_routine *r, struct kt_shape *shape,
                                      int *count)
{
    const struct kt_scope scope = {kt_find_argument, r};
    do {
        if (*count == 4)
            return kt_fail(l->error, KT_BAD_INPUT, "more than 4 dimensions at '%.20s'", l->at);
        KT_TRY(kt_expr_parse(&l->at, &scope, &shape->dim[(*count)++], l->error));
    } while (kt_accept(l, ','));
    return KT_OK;
}

static enum kt_status choose_form(struct kt_notation *l, struct kt_shape *shape, int dims, bool packed)
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

static enum kt_status read_step(struct kt_notation *l, const struct kt_routine *r, struct kt_shape *shape)
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
static enum kt_status read_option(struct kt_notation *l, const struct kt_routine *r, enum kt_role role,
                                  const char *letters, int *arg, char *letter)
{
    if (!*l->at || !strchr(letters, *l->at))
        return read_arg_reference(l, r, role, arg);
    *letter = *l->at++;
    return KT_OK;
}

static enum kt_status read_shape(struct kt_notation *l, const struct kt_routine *r, struct kt_shape *shape)
{
    int dims = 0;
    bool packed = false;
    *shape = (struct kt_shape){.step = -1, .uplo = -1, .diag = -1};
    if (!kt_accept(l, '['))
        return kt_fail(l->error, KT_BAD_INPUT, "an array needs a [shape] at '%.20s'", l->at);
    KT_TRY(read_dimensions(l, r, shape, &dims));
    if (kt_accept(l, ';')) {
        packed = !strncmp(l->at, "packed", 6);
        if (packed)
            l->at += 6;
        else
            KT_TRY(read_step(l, r, shape));
    }
    if (kt_accept(l, ';'))
        KT_TRY(read_option(l, r, KT_UPLO, "UL", &shape->uplo, &shape->constant_uplo));
    if (kt_accept(l, ';'))
        KT_TRY(read_option(l, r, KT_DIAG, "U", &shape->diag, &shape->constant_diag));
    if (!kt_accept(l, ']'))
        return kt_fail(l->error, KT_BAD_INPUT, "expected ']' at '%.20s'", l->at);
    return choose_form(l, shape, dims, packed);
}

/* The kind, perhaps with an (expression). */
static enum kt_status read_data(struct kt_notation *l, const struct kt_routine *r, struct kt_arg *arg)
{
    const struct kt_scope scope = {kt_find_argument, r};
    struct kt_word w = kt_read_word(l);
    size_t kind = 0;
    while (kind < sizeof data_words / sizeof *data_words && !kt_word_is(w, data_words[kind].word))
        kind++;
    if (kind == sizeof data_words / sizeof *data_words)
        return kt_fail(l->error, KT_BAD_INPUT, "'@%.*s' is not a kind of data", (int)w.length, w.start);
    arg->data = data_words[kind].data;
    if (!kt_accept(l, '('))
        return KT_OK;
    KT_TRY(kt_expr_parse(&l->at, &scope, &arg->data_parameter, l->error));
    return kt_accept(l, ')') ? KT_OK : kt_fail(l->error, KT_BAD_INPUT, "expected ')' at '%.20s'", l->at);
}

static enum kt_type default_type(const struct kt_arg *arg, enum kt_type t)
{
    return arg->role == KT_SCALAR || arg->role == KT_ARRAY ? t : KT_I;
}

static enum kt_status read_beta(struct kt_notation *l, const struct kt_routine *r, struct kt_arg *arg)
{
    bool updated = arg->role == KT_ARRAY && arg->access == KT_UPDATE;
    if (kt_accept(l, '(') != updated)
        return kt_fail(l->error, KT_BAD_INPUT, "upd, and nothing else, needs the name of a (scalar) at '%.20s'", l->at);
    if (!updated)
        return KT_OK;
    KT_TRY(read_arg_reference(l, r, KT_SCALAR, &arg->beta));
    return kt_accept(l, ')') ? KT_OK : kt_fail(l->error, KT_BAD_INPUT, "expected ')' at '%.20s'", l->at);
}

/* <= or >= before the expression; moves behind it. */
static enum kt_legal_range read_bound(struct kt_notation *l)
{
    if (l->at[0] == '\0' || l->at[1] != '=')
        return KT_NO_BOUND;
    enum kt_legal_range bound = *l->at == '<' ? KT_AT_MOST : *l->at == '>' ? KT_AT_LEAST : KT_NO_BOUND;
    l->at += bound == KT_NO_BOUND ? 0 : 2;
    return bound;
}

static enum kt_status read_legal_number(struct kt_notation *l, const struct kt_routine *r, struct kt_arg *arg)
{
    const struct kt_scope scope = {kt_find_argument, r};
    arg->bound = read_bound(l);
    return kt_expr_parse(&l->at, &scope, &arg->legal, l->error);
}

/* {letters} of an option, {expression} for a number, with <= or >= if it is a bound. */
static enum kt_status read_legal(struct kt_notation *l, const struct kt_routine *r, struct kt_arg *arg)
{
    if (!kt_accept(l, '{'))
        return KT_OK;
    if (arg->role == KT_ARRAY || arg->role == KT_PROCEDURE)
        return kt_fail(l->error, KT_BAD_INPUT, "an array has no {legal value} at '%.20s'", l->at);
    if (is_option(arg->role))
        arg->letters = kt_letters_read(&l->at);
    else
        KT_TRY(read_legal_number(l, r, arg));
    if (!kt_accept(l, '}') || (is_option(arg->role) && !arg->letters))
        return kt_fail(l->error, KT_BAD_INPUT, "expected {LETTERS} or {expression} at '%.20s'", l->at);
    return KT_OK;
}

/* Second pass: everything else about argument number I. */
static enum kt_status read_arg_rest(struct kt_notation *l, struct kt_routine *r, int i)
{
    struct kt_arg *arg = &r->arg[i];
    kt_read_word(l);
    KT_TRY(read_beta(l, r, arg));
    kt_accept(l, ':');
    kt_read_word(l);
    if (kt_accept(l, '/'))
        kt_read_word(l);
    KT_TRY(read_legal(l, r, arg));
    arg->type = default_type(arg, r->type);
    if (arg->role == KT_ARRAY)
        KT_TRY(read_shape(l, r, &arg->shape));
    if (kt_accept(l, ':'))
        KT_TRY(kt_read_type(l, r->type, &arg->type));
    if (kt_accept(l, '@'))
        KT_TRY(read_data(l, r, arg));
    if (*l->at && *l->at != ' ')
        return kt_fail(l->error, KT_BAD_INPUT, "did not expect '%.20s'", l->at);
    return KT_OK;
}

static bool at_arguments_end(struct kt_notation *l)
{
    kt_skip_blanks(l);
    return !*l->at || *l->at == '|' || *l->at == '-';
}

enum kt_status kt_read_arguments(struct kt_notation *l, struct kt_routine *r)
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
    if (kt_accept(l, '-')) {
        if (!kt_accept(l, '>'))
            return kt_fail(l->error, KT_BAD_INPUT, "expected '->' at '%.20s'", l->at);
        kt_skip_blanks(l);
        KT_TRY(kt_read_type(l, r->type, &r->result));
        r->has_result = true;
        kt_skip_blanks(l);
    }
    return KT_OK;
}
