/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/parts/prototype.h"

static const char *enumeration(const struct kt_symbol *symbol, const struct kt_param *param)
{
    static const char *const name[] = {[KT_TRANS] = "CBLAS_TRANSPOSE ",
                                       [KT_UPLO] = "CBLAS_UPLO ",
                                       [KT_SIDE] = "CBLAS_SIDE ",
                                       [KT_DIAG] = "CBLAS_DIAG "};
    if (param->arg == KT_ARG_LAYOUT)
        return symbol->view == KT_CBLAS ? "CBLAS_LAYOUT " : "int ";
    return name[symbol->routine->arg[param->arg].role];
}

/* CBLAS has no complex types: it passes them as void. */
static const char *pointer(enum kt_type type, enum kt_view view, bool constant)
{
    static const char *const fortran[][2] = {[KT_S] = {"float *", "const float *"},
                                             [KT_D] = {"double *", "const double *"},
                                             [KT_C] = {"float _Complex *", "const float _Complex *"},
                                             [KT_Z] = {"double _Complex *", "const double _Complex *"},
                                             [KT_I] = {"int *", "const int *"}};
    if (view == KT_CBLAS && kt_type_is_complex(type))
        return constant ? "const void *" : "void *";
    return fortran[type][constant];
}

static const char *number(enum kt_stored stored)
{
    static const char *const name[] = {[KT_FLOAT] = "float ",
                                       [KT_DOUBLE] = "double ",
                                       [KT_CFLOAT] = "float _Complex ",
                                       [KT_CDOUBLE] = "double _Complex "};
    return name[stored];
}

const char *kt_prototype_type(const struct kt_symbol *symbol, const struct kt_param *param)
{
    const struct kt_arg *arg = param->arg >= 0 ? &symbol->routine->arg[param->arg] : NULL;
    bool by_value = param->by_value;
    switch (param->stored) {
    case KT_CHAR:
        return by_value ? "char " : "const char *";
    case KT_ENUM:
        return enumeration(symbol, param);
    case KT_INT:
        return by_value ? "int " : arg->role == KT_INFO ? "int *" : "const int *";
    case KT_ADDRESS:
        return pointer(arg ? arg->type : symbol->routine->result, symbol->view, arg && arg->access == KT_READ);
    case KT_CODE:
        return "void *";
    default:
        if (by_value)
            return number(param->stored);
        return pointer(arg->type, symbol->view, true);
    }
}

const char *kt_prototype_result(const struct kt_symbol *symbol)
{
    static const char *const fortran[] = {
        [KT_S] = "float", [KT_D] = "double", [KT_C] = "float _Complex", [KT_Z] = "double _Complex", [KT_I] = "int"};
    const struct kt_routine *r = symbol->routine;
    bool cblas = symbol->view == KT_CBLAS;
    bool lapacke = symbol->view == KT_LAPACKE || symbol->view == KT_LAPACKE_WORK;
    if (!r->has_result && lapacke)
        return "int";
    if (!r->has_result || (cblas && kt_type_is_complex(r->result)))
        return "void";
    return cblas && r->result == KT_I ? "size_t" : fortran[r->result];
}

bool kt_prototype_has_length(const struct kt_symbol *symbol, const struct kt_param *param)
{
    return symbol->view == KT_FORTRAN && param->stored == KT_CHAR;
}

void kt_prototype_print(FILE *out, const struct kt_symbol *symbol)
{
    fprintf(out, "%s %s(", kt_prototype_result(symbol), symbol->name);
    for (int i = 0, printed = 0; i < symbol->params; i++)
        if (!symbol->param[i].returned)
            fprintf(out, "%s%s%s", printed++ ? ", " : "", kt_prototype_type(symbol, &symbol->param[i]),
                    symbol->param[i].name);
    for (int i = 0; i < symbol->params; i++)
        if (kt_prototype_has_length(symbol, &symbol->param[i]))
            fprintf(out, ", size_t %s_length", symbol->param[i].name);
    fprintf(out, ")");
}
