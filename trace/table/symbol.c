/* SPDX-License-Identifier: BSD-3-Clause */
#include "trace/table/symbol.h"

#include "trace/base/memory.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

const char *const kt_view_name[KT_VIEWS] = {[KT_FORTRAN] = "fortran",
                                            [KT_CBLAS] = "cblas",
                                            [KT_LAPACKE] = "lapacke",
                                            [KT_LAPACKE_WORK] = "lapacke_work",
                                            [KT_UNDESCRIBED] = "undescribed"};

enum { ROW_MAJOR = 101 };

static const struct {
    enum kt_role role;
    int value;
    char letter;
} cblas_values[] = {
    {KT_TRANS, 111, 'N'}, {KT_TRANS, 112, 'T'}, {KT_TRANS, 113, 'C'}, {KT_TRANS, 114, 'R'}, {KT_UPLO, 121, 'U'},
    {KT_UPLO, 122, 'L'},  {KT_DIAG, 131, 'N'},  {KT_DIAG, 132, 'U'},  {KT_SIDE, 141, 'L'},  {KT_SIDE, 142, 'R'},
};

char kt_cblas_letter(int value)
{
    for (size_t i = 0; i < sizeof cblas_values / sizeof *cblas_values; i++)
        if (cblas_values[i].value == value)
            return cblas_values[i].letter;
    return ' ';
}

int kt_cblas_value(enum kt_role role, char letter)
{
    for (size_t i = 0; i < sizeof cblas_values / sizeof *cblas_values; i++)
        if (cblas_values[i].role == role && cblas_values[i].letter == letter)
            return cblas_values[i].value;
    return 0;
}

size_t kt_stored_bytes(enum kt_stored stored)
{
    static const size_t bytes[] = {
        [KT_CHAR] = 1,   [KT_ENUM] = 4,     [KT_INT] = 8,     [KT_FLOAT] = 4, [KT_DOUBLE] = 8,
        [KT_CFLOAT] = 8, [KT_CDOUBLE] = 16, [KT_ADDRESS] = 8, [KT_CODE] = 8};
    return bytes[stored];
}

bool kt_stored_is_address(enum kt_stored stored)
{
    return stored == KT_ADDRESS || stored == KT_CODE;
}

static enum kt_stored stored_scalar(enum kt_type type)
{
    static const enum kt_stored stored[] = {
        [KT_S] = KT_FLOAT, [KT_D] = KT_DOUBLE, [KT_C] = KT_CFLOAT, [KT_Z] = KT_CDOUBLE, [KT_I] = KT_INT};
    return stored[type];
}

static enum kt_stored stored_arg(const struct kt_arg *arg, enum kt_view view)
{
    switch (arg->role) {
    case KT_ARRAY:
        return KT_ADDRESS;
    case KT_SCALAR:
        return stored_scalar(arg->type);
    case KT_TRANS:
    case KT_UPLO:
    case KT_SIDE:
    case KT_DIAG:
        return view == KT_CBLAS ? KT_ENUM : KT_CHAR;
    case KT_OPTION:
        return KT_CHAR;
    case KT_PROCEDURE:
        return KT_CODE;
    default:
        return KT_INT;
    }
}

/* A symbol while it is made. */
struct draft {
    struct kt_symbol *symbol;
    struct kt_param param[KT_MAX_PARAMS];
};

static struct kt_param *add_param(struct draft *s, const char *name, int arg, enum kt_stored stored, bool by_value)
{
    struct kt_param *p = &s->param[s->symbol->params++];
    *p = (struct kt_param){0};
    snprintf(p->name, sizeof p->name, "%s", name);
    p->arg = arg;
    p->stored = stored;
    p->by_value = by_value;
    return p;
}

static void place_params(struct draft *s)
{
    static const size_t sizes[] = {16, 8, 4, 1};
    size_t offset = 0;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        for (int p = 0; p < s->symbol->params; p++)
            if (kt_stored_bytes(s->param[p].stored) == sizes[i]) {
                s->param[p].offset = (uint16_t)offset;
                offset += sizes[i];
            }
    s->symbol->arg_bytes = (uint16_t)((offset + 7) / 8 * 8);
}

static void make_fortran(struct draft *s)
{
    const struct kt_routine *r = s->symbol->routine;
    snprintf(s->symbol->name, sizeof s->symbol->name, "%s_", r->name);
    for (int i = 0; i < r->args; i++)
        add_param(s, r->arg[i].name, i, stored_arg(&r->arg[i], KT_FORTRAN), r->arg[i].role == KT_PROCEDURE);
}

/* CBLAS routines with options or matrices begin with the layout. */
static bool has_cblas_layout(const struct kt_routine *r)
{
    for (int i = 0; i < r->args; i++)
        if (r->arg[i].role == KT_LD || r->arg[i].role <= KT_DIAG)
            return true;
    return false;
}

static void make_cblas(struct draft *s)
{
    const struct kt_routine *r = s->symbol->routine;
    bool sub = r->has_result && kt_type_is_complex(r->result);
    snprintf(s->symbol->name, sizeof s->symbol->name, "cblas_%s%s", r->name, sub ? "_sub" : "");
    if (has_cblas_layout(r))
        add_param(s, "layout", KT_ARG_LAYOUT, KT_ENUM, true);
    for (int i = 0; i < r->args; i++) {
        const struct kt_arg *arg = &r->arg[i];
        bool by_value = arg->role != KT_ARRAY && !(arg->role == KT_SCALAR && kt_type_is_complex(arg->type));
        add_param(s, arg->cname, i, stored_arg(arg, KT_CBLAS), by_value);
    }
    if (sub)
        add_param(s, r->name + 1, KT_ARG_RESULT, KT_ADDRESS, false);
}

/* LAPACKE routines with matrices, be they packed, begin with the layout. */
static bool has_lapacke_layout(const struct kt_routine *r)
{
    for (int i = 0; i < r->args; i++)
        if (r->arg[i].role == KT_LD || r->arg[i].shape.form == KT_FORM_PACKED || !strcmp(r->arg[i].name, "transr"))
            return true;
    return false;
}

/* The leading dimension of workspaces only. */
static bool is_work_step(const struct kt_routine *r, int arg)
{
    bool work = false;
    for (int i = 0; i < r->args; i++) {
        if (r->arg[i].role != KT_ARRAY || r->arg[i].shape.step != arg)
            continue;
        if (r->arg[i].access != KT_WORK)
            return false;
        work = true;
    }
    return work && r->arg[arg].role == KT_LD;
}

/* A length that -1 asks for may be that of an output. */
static bool is_output_length(const struct kt_routine *r, int arg)
{
    for (int i = 0; i < r->args; i++)
        if (r->arg[i].role == KT_ARRAY && r->arg[i].access != KT_WORK && kt_expr_uses(&r->arg[i].shape.dim[0], arg))
            return true;
    return false;
}

/* The high-level interface allocates the workspaces itself, but for those in which it returns something. */
static bool is_left_to_lapacke(const struct kt_routine *r, int arg)
{
    const struct kt_arg *a = &r->arg[arg];
    bool work = a->role == KT_ARRAY && a->access == KT_WORK && !a->shown;
    return work || (a->role == KT_LWORK && !is_output_length(r, arg)) || is_work_step(r, arg);
}

static void make_lapacke(struct draft *s)
{
    const struct kt_routine *r = s->symbol->routine;
    bool work = s->symbol->view == KT_LAPACKE_WORK;
    snprintf(s->symbol->name, sizeof s->symbol->name, "LAPACKE_%s%s", r->name, work ? "_work" : "");
    if (has_lapacke_layout(r))
        add_param(s, "matrix_layout", KT_ARG_LAYOUT, KT_ENUM, true);
    for (int i = 0; i < r->args; i++) {
        const struct kt_arg *arg = &r->arg[i];
        if (!work && is_left_to_lapacke(r, i))
            continue;
        const char *name = arg->shown && !work ? arg->cname : arg->name;
        bool by_value = arg->role != KT_ARRAY && arg->access != KT_READ_WRITE;
        struct kt_param *p = add_param(s, name, i, stored_arg(arg, s->symbol->view), by_value);
        p->returned = arg->role == KT_INFO;
    }
}

bool kt_symbol_exists(const struct kt_routine *routine, enum kt_view view)
{
    static const unsigned needed[] = {[KT_CBLAS] = KT_HAS_CBLAS,
                                      [KT_LAPACKE] = KT_HAS_LAPACKE,
                                      [KT_LAPACKE_WORK] = KT_HAS_LAPACKE_WORK,
                                      [KT_UNDESCRIBED] = KT_IS_UNDESCRIBED};
    if (view == KT_FORTRAN)
        return !(routine->interfaces & (KT_NO_FORTRAN | KT_IS_UNDESCRIBED));
    return routine->interfaces & needed[view];
}

static const struct kt_param *params_of(const struct kt_routine *routine, enum kt_view view, const struct draft *draft)
{
    struct kt_param **made = &routine->made->param[view];
    if (!*made)
        *made = kt_copy_of_array(draft->param, (size_t)draft->symbol->params, sizeof **made);
    return *made;
}

bool kt_symbol_make(const struct kt_routine *routine, enum kt_view view, struct kt_symbol *out)
{
    struct draft draft = {.symbol = out};
    *out = (struct kt_symbol){.view = view, .routine = routine};
    if (!kt_symbol_exists(routine, view))
        return false;
    if (view == KT_FORTRAN)
        make_fortran(&draft);
    else if (view == KT_CBLAS)
        make_cblas(&draft);
    else if (view == KT_UNDESCRIBED)
        snprintf(out->name, sizeof out->name, "%s", routine->name);
    else
        make_lapacke(&draft);
    place_params(&draft);
    out->param = params_of(routine, view, &draft);
    return true;
}

/* --- names ------------------------------------------------------------------------------------------------- */

static void upper_case(char *name)
{
    for (; *name; name++)
        *name = (char)toupper((unsigned char)*name);
}

/* Before and behind the name, without the underscore that the usual Fortran name ends with. */
static const struct {
    const char *before, *behind;
    bool upper, common;
} fortran_names[] = {{"", "_", false, false},       {"", "", false, true},           {"", "", true, true},
                     {"", "_64_", false, false},    {"", "_64", false, false},       {"", "_64", true, false},
                     {"scipy_", "_", false, false}, {"scipy_", "_64_", false, false}},
  c_names[] = {{"", "", false, false},
               {"", "64_", false, false},
               {"", "_64", false, false},
               {"scipy_", "", false, false},
               {"scipy_", "64_", false, false}};

static void visit_fortran_names(const struct kt_symbol *symbol, kt_name_visit *visit, void *context)
{
    for (size_t i = 0; i < sizeof fortran_names / sizeof *fortran_names; i++) {
        char name[KT_SYMBOL_NAME + 16];
        snprintf(name, sizeof name, "%s%s%s", fortran_names[i].before, symbol->routine->name, fortran_names[i].behind);
        if (fortran_names[i].upper)
            upper_case(name);
        visit(symbol, name, fortran_names[i].common, context);
    }
}

static void visit_c_names(const struct kt_symbol *symbol, kt_name_visit *visit, void *context)
{
    for (size_t i = 0; i < sizeof c_names / sizeof *c_names; i++) {
        char name[KT_SYMBOL_NAME + 16];
        snprintf(name, sizeof name, "%s%s%s", c_names[i].before, symbol->name, c_names[i].behind);
        visit(symbol, name, c_names[i].common, context);
    }
}

void kt_symbol_names(const struct kt_symbol *symbol, kt_name_visit *visit, void *context)
{
    if (symbol->view == KT_UNDESCRIBED)
        visit(symbol, symbol->name, true, context);
    else if (symbol->view == KT_FORTRAN)
        visit_fortran_names(symbol, visit, context);
    else
        visit_c_names(symbol, visit, context);
}

/* --- decoding ---------------------------------------------------------------------------------------------- */

const struct kt_param *kt_symbol_info(const struct kt_symbol *symbol)
{
    for (int i = 0; i < symbol->params; i++)
        if (symbol->param[i].arg >= 0 && symbol->routine->arg[symbol->param[i].arg].role == KT_INFO)
            return &symbol->param[i];
    return NULL;
}

static double load_float(const unsigned char *at)
{
    float x;
    memcpy(&x, at, sizeof x);
    return x;
}

static double load_double(const unsigned char *at)
{
    double x;
    memcpy(&x, at, sizeof x);
    return x;
}

int64_t kt_stored_integer(const unsigned char *args, const struct kt_param *param)
{
    const unsigned char *at = args + param->offset;
    int32_t i32;
    int64_t i64;
    if (param->stored == KT_CHAR)
        return *at;
    if (param->stored == KT_ENUM) {
        memcpy(&i32, at, sizeof i32);
        return i32;
    }
    memcpy(&i64, at, sizeof i64);
    return i64;
}

double kt_stored_value(const unsigned char *args, const struct kt_param *param, double *imaginary)
{
    const unsigned char *at = args + param->offset;
    double ignored = 0;
    double *im = imaginary ? imaginary : &ignored;
    *im = 0;
    switch (param->stored) {
    case KT_FLOAT:
        return load_float(at);
    case KT_DOUBLE:
        return load_double(at);
    case KT_CFLOAT:
        *im = load_float(at + 4);
        return load_float(at);
    case KT_CDOUBLE:
        *im = load_double(at + 8);
        return load_double(at);
    default:
        return (double)kt_stored_integer(args, param);
    }
}

uint64_t kt_stored_address(const unsigned char *args, const struct kt_param *param)
{
    uint64_t address;
    memcpy(&address, args + param->offset, sizeof address);
    return address;
}

static void decode_arg(const struct kt_param *p, const unsigned char *args, struct kt_values *out)
{
    if (p->stored == KT_ADDRESS) {
        out->address[p->arg] = kt_stored_address(args, p);
        return;
    }
    double value = kt_stored_value(args, p, &out->imaginary[p->arg]);
    if (p->stored == KT_ENUM)
        value = kt_cblas_letter((int)value);
    if (p->stored == KT_CHAR)
        value = toupper((int)value);
    out->v[p->arg] = value;
}

void kt_values_decode(const struct kt_symbol *symbol, const unsigned char *args, struct kt_values *out)
{
    *out = (struct kt_values){0};
    for (int i = 0; i < symbol->params; i++) {
        const struct kt_param *p = &symbol->param[i];
        if (p->arg == KT_ARG_LAYOUT)
            out->row_major = (int)kt_stored_value(args, p, NULL) == ROW_MAJOR;
        else if (p->arg == KT_ARG_RESULT)
            out->result = kt_stored_address(args, p);
        else
            decode_arg(p, args, out);
    }
}
