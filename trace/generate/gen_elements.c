/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * ktgen: which elements the operands of a call have, for the shim (preload/elements.h says what the bytes mean). For
 * each interface there is a text of bytes; many share one.
 */
#include "trace/generate/gen.h"

#include <search.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TEXT = 16 << 10, NOWHERE = 0xffff };

/* The bytes of one interface as C, separated by commas. */
struct bytes {
    char text[TEXT];
    size_t length, count;
};

struct blob {
    char *text;
    size_t at;
};

struct blobs {
    void *tree;
    size_t bytes; /* of all printed so far */
    size_t *at;   /* of each interface's */
};

static void put_text(struct bytes *b, const char *text)
{
    size_t length = strlen(text);
    if (b->length + length + 2 > sizeof b->text)
        abort();
    memcpy(b->text + b->length, text, length);
    b->length += length;
    b->text[b->length++] = ',';
    b->text[b->length] = '\0';
    b->count++;
}

static void put(struct bytes *b, unsigned byte)
{
    char text[16];
    if (byte > 0xff)
        abort();
    snprintf(text, sizeof text, "%u", byte);
    put_text(b, text);
}

/* The lower one first. */
static void put_bytes(struct bytes *b, uint64_t value, int count)
{
    for (int i = 0; i < count; i++)
        put(b, (unsigned)(value >> 8 * i & 0xff));
}

static void put_number(struct bytes *b, double number)
{
    if (number < 0 || number > UINT16_MAX)
        abort();
    put_text(b, "KT_X_NUMBER");
    put_bytes(b, (uint64_t)number, 2);
}

static const struct kt_param *param_of(const struct kt_symbol *s, int arg)
{
    for (int i = 0; i < s->params; i++)
        if (s->param[i].arg == arg && !s->param[i].returned)
            return &s->param[i];
    return NULL;
}

static void put_integer(struct bytes *b, const struct kt_symbol *s, int arg)
{
    const struct kt_param *p = param_of(s, arg);
    if (!p) { /* this interface does not have it */
        put_number(b, 0);
        return;
    }
    if (p->stored != KT_INT)
        abort();
    put_text(b, "KT_X_INT");
    put(b, p->offset / 8u);
}

static void put_letter(struct bytes *b, const struct kt_symbol *s, int arg)
{
    const struct kt_param *p = param_of(s, arg);
    if (!p) {
        put_number(b, 0);
        return;
    }
    put_text(b, p->stored == KT_ENUM ? "KT_X_CODE" : "KT_X_LETTER");
    put_bytes(b, p->offset, 2);
}

static void put_op(struct bytes *b, const struct kt_symbol *s, const struct kt_op *op)
{
    static const char *const name[] = {
        [KT_OP_ADD] = "KT_X_ADD",       [KT_OP_SUB] = "KT_X_SUB",       [KT_OP_MUL] = "KT_X_MUL",
        [KT_OP_DIV] = "KT_X_DIV",       [KT_OP_LESS] = "KT_X_LESS",     [KT_OP_GREATER] = "KT_X_GREATER",
        [KT_OP_EQUAL] = "KT_X_EQUAL",   [KT_OP_AND] = "KT_X_AND",       [KT_OP_OR] = "KT_X_OR",
        [KT_OP_SELECT] = "KT_X_SELECT", [KT_OP_MIN] = "KT_X_MIN",       [KT_OP_MAX] = "KT_X_MAX",
        [KT_OP_QUOTIENT] = "KT_X_DIV",  [KT_OP_LEVELS] = "KT_X_LEVELS", [KT_OP_LG] = "KT_X_LG",
        [KT_OP_AT_MOST] = "KT_X_MOST",  [KT_OP_AT_LEAST] = "KT_X_LEAST"};
    if (op->code == KT_OP_NUMBER)
        put_number(b, op->number);
    else if (op->code == KT_OP_ARG)
        put_integer(b, s, op->arg);
    else if (op->code != KT_OP_OPTION_IN)
        put_text(b, name[op->code]);
    else {
        put_letter(b, s, op->arg);
        put_text(b, "KT_X_IN");
        put_bytes(b, op->letters, 4);
    }
}

/* No expression: 0. */
static void put_expr(struct bytes *b, const struct kt_symbol *s, const struct kt_expr *expr)
{
    for (size_t i = 0; i < expr->count; i++)
        put_op(b, s, &expr->op[i]);
    put_text(b, "KT_X_END");
}

static void put_option(struct bytes *b, const struct kt_symbol *s, int arg, char constant)
{
    if (arg >= 0)
        put_letter(b, s, arg);
    else if (constant)
        put_number(b, constant);
    put_text(b, "KT_X_END");
}

static void put_step(struct bytes *b, const struct kt_symbol *s, const struct kt_shape *shape)
{
    bool is_array = shape->form == KT_FORM_ARRAY;
    if (shape->step >= 0)
        put_integer(b, s, shape->step);
    else
        put_number(b, is_array ? 1 : shape->constant_step);
    put_text(b, "KT_X_END");
}

static void put_shape(struct bytes *b, const struct kt_symbol *s, const struct kt_shape *shape)
{
    for (int i = 0; i < 4; i++)
        put_expr(b, s, &shape->dim[i]);
    put_step(b, s, shape);
    put_option(b, s, shape->uplo, shape->constant_uplo);
    put_option(b, s, shape->diag, shape->constant_diag);
}

/* Where the scalar is that must be 0 for the operand not to be read, and how long its parts are. */
static void put_beta(struct bytes *b, const struct kt_symbol *s, const struct kt_arg *arg)
{
    const struct kt_param *p = arg->access == KT_UPDATE ? param_of(s, arg->beta) : NULL;
    put_bytes(b, p ? p->offset : NOWHERE, 2);
    put(b, p ? (unsigned)kt_stored_bytes(p->stored) : 0);
    put(b, p && (p->stored == KT_FLOAT || p->stored == KT_CFLOAT) ? 4 : 8);
}

static void put_operand(struct bytes *b, const struct kt_symbol *s, const struct kt_param *p)
{
    static const char *const form[] = {[KT_FORM_ARRAY] = "KT_X_VECTOR",
                                       [KT_FORM_VECTOR] = "KT_X_VECTOR",
                                       [KT_FORM_MATRIX] = "KT_X_MATRIX",
                                       [KT_FORM_BAND] = "KT_X_BAND",
                                       [KT_FORM_PACKED] = "KT_X_PACKED"};
    const struct kt_arg result = {.access = KT_WRITE, .type = s->routine->result, .shape.step = -1};
    const struct kt_arg *arg = p->arg >= 0 ? &s->routine->arg[p->arg] : &result;
    put(b, p->offset / 8u);
    put(b, arg->access == KT_UPDATE ? KT_READ_WRITE : arg->access);
    put_text(b, form[arg->shape.form]);
    put(b, arg->type == KT_I ? 0 : (unsigned)kt_type_bytes(arg->type));
    put_beta(b, s, arg);
    if (p->arg < 0) {
        put_number(b, 1);
        put_text(b, "KT_X_END");
        for (int i = 1; i < 4; i++)
            put_text(b, "KT_X_END");
        put_step(b, s, &result.shape);
        put_text(b, "KT_X_END");
        put_text(b, "KT_X_END");
    } else {
        put_shape(b, s, &arg->shape);
    }
}

static bool is_operand(const struct kt_symbol *s, const struct kt_param *p)
{
    return p->stored == KT_ADDRESS && (p->arg < 0 || s->routine->arg[p->arg].access != KT_WORK);
}

static bool is_length(const struct kt_symbol *s, const struct kt_param *p)
{
    return p->arg >= 0 && s->routine->arg[p->arg].role == KT_LWORK;
}

static const char *result_of(const struct kt_symbol *s)
{
    static const char *const name[] = {[KT_S] = "KT_X_FLOAT",
                                       [KT_D] = "KT_X_DOUBLE",
                                       [KT_C] = "KT_X_CFLOAT",
                                       [KT_Z] = "KT_X_CDOUBLE",
                                       [KT_I] = "KT_X_INTEGER"};
    return kt_gen_returns_value(s) ? name[s->routine->result] : "KT_X_NOTHING";
}

static unsigned count(const struct kt_symbol *s, bool (*is)(const struct kt_symbol *, const struct kt_param *))
{
    unsigned n = 0;
    for (int i = 0; i < s->params; i++)
        n += is(s, &s->param[i]);
    return n;
}

static void put_interface(struct bytes *b, const struct kt_symbol *s)
{
    const struct kt_param *layout = param_of(s, KT_ARG_LAYOUT);
    put_bytes(b, layout ? layout->offset : NOWHERE, 2);
    put(b, s->view == KT_LAPACKE || s->view == KT_LAPACKE_WORK);
    put_text(b, result_of(s));
    put(b, count(s, is_length));
    for (int i = 0; i < s->params; i++)
        if (is_length(s, &s->param[i]))
            put(b, s->param[i].offset / 8u);
    put(b, count(s, is_operand));
    for (int i = 0; i < s->params; i++)
        if (is_operand(s, &s->param[i]))
            put_operand(b, s, &s->param[i]);
}

static int compare_blobs(const void *a, const void *b)
{
    return strcmp(((const struct blob *)a)->text, ((const struct blob *)b)->text);
}

static struct blob *new_blob(const struct bytes *bytes, size_t at)
{
    struct blob *blob = malloc(sizeof *blob);
    if (!blob || !(blob->text = strdup(bytes->text)))
        abort();
    blob->at = at;
    return blob;
}

static void print_blob(const struct kt_symbol *s, int number, void *context)
{
    static struct bytes bytes;
    struct blobs *all = context;
    bytes.length = bytes.count = 0;
    put_interface(&bytes, s);
    struct blob *blob = new_blob(&bytes, all->bytes);
    struct blob **found = tsearch(blob, &all->tree, compare_blobs);
    if (!found)
        abort();
    all->at[number] = (*found)->at;
    if (*found != blob) {
        free(blob->text);
        free(blob);
        return;
    }
    printf("    /* %s */ %s\n", s->name, bytes.text);
    all->bytes += bytes.count;
}

static void free_blob(void *at)
{
    struct blob *blob = at;
    free(blob->text);
    free(blob);
}

void kt_gen_elements(const struct kt_table *table)
{
    struct blobs all = {.at = calloc(KT_VIEWS * table->count + 1, sizeof *all.at)};
    if (!all.at)
        abort();
    printf("/* Made by ktgen from trace/routines. */\n#include \"preload/elements.h\"\n\n"
           "const unsigned char kt_element_bytes[] = {\n");
    int count_of_all = kt_gen_symbols(table, print_blob, &all);
    printf("    0};\n\nconst uint32_t kt_elements_at[] = {\n");
    for (int i = 0; i < count_of_all; i++)
        printf("    %zu,\n", all.at[i]);
    printf("};\n");
    tdestroy(all.tree, free_blob);
    free(all.at);
}
