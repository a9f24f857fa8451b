/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a reproducing program has of its own: the prototype, the memory of the operands, the arguments and main.
 */
#include "replay/repro/repro_parts.h"

#include "trace/shape/shape.h"

#include <ctype.h>
#include <inttypes.h>
#include <math.h>

const struct kt_symbol *kt_repro_symbol(const struct kt_repro *r)
{
    return &r->call->entry->symbol;
}

static const struct kt_arg *arg_of(const struct kt_repro *r, const struct kt_param *p)
{
    return p->arg < 0 ? NULL : &kt_repro_symbol(r)->routine->arg[p->arg];
}

static bool is_info(const struct kt_repro *r, const struct kt_param *p)
{
    return p->arg >= 0 && arg_of(r, p)->role == KT_INFO;
}

/* An option or a number that the routine may change. */
static bool is_changed(const struct kt_repro *r, const struct kt_param *p)
{
    bool is_stored = p->arg >= 0 && p->stored != KT_ADDRESS && !p->by_value;
    return is_stored && !is_info(r, p) && arg_of(r, p)->access & KT_WRITE;
}

static const struct kt_param *find_info(const struct kt_repro *r)
{
    const struct kt_symbol *s = kt_repro_symbol(r);
    for (int i = 0; i < s->params; i++)
        if (is_info(r, &s->param[i]))
            return &s->param[i];
    return NULL;
}

bool kt_repro_has_procedure(const struct kt_repro *r)
{
    const struct kt_symbol *s = kt_repro_symbol(r);
    for (int i = 0; i < s->params; i++)
        if (s->param[i].stored == KT_CODE && kt_stored_address(r->call->args, &s->param[i]))
            return true;
    return false;
}

/* --- prototype --------------------------------------------------------------------------------------------- */

static const char *scalar_type(const struct kt_param *p)
{
    static const char *const name[] = {[KT_CHAR] = "char",
                                       [KT_ENUM] = "int",
                                       [KT_INT] = "integer",
                                       [KT_FLOAT] = "float",
                                       [KT_DOUBLE] = "double",
                                       [KT_CFLOAT] = "float complex",
                                       [KT_CDOUBLE] = "double complex"};
    return name[p->stored];
}

static enum kt_type element_type(const struct kt_repro *r, const struct kt_param *p)
{
    return p->arg < 0 ? kt_repro_symbol(r)->routine->result : arg_of(r, p)->type;
}

static void print_param_type(const struct kt_repro *r, const struct kt_param *p, FILE *out)
{
    bool reads_only = p->arg >= 0 && arg_of(r, p)->access == KT_READ;
    if (p->stored == KT_CODE)
        fprintf(out, "integer (*%s)(void)", p->name);
    else if (p->stored == KT_ADDRESS)
        fprintf(out, "%s%s *%s", reads_only ? "const " : "", kt_repro_type(element_type(r, p)), p->name);
    else if (p->by_value)
        fprintf(out, "%s %s", scalar_type(p), p->name);
    else
        fprintf(out, "%s%s *%s", is_info(r, p) || is_changed(r, p) ? "" : "const ", scalar_type(p), p->name);
}

/* Fortran compilers pass the length of every character argument behind all others. */
static int lengths(const struct kt_symbol *s)
{
    int count = 0;
    for (int i = 0; i < s->params; i++)
        count += s->view == KT_FORTRAN && s->param[i].stored == KT_CHAR;
    return count;
}

/* Type of what the function returns, or NULL. */
static const char *return_type(const struct kt_repro *r)
{
    const struct kt_symbol *s = kt_repro_symbol(r);
    const struct kt_param *info = find_info(r);
    if (info && info->returned)
        return "integer";
    if (!s->routine->has_result || (s->view == KT_CBLAS && kt_type_is_complex(s->routine->result)))
        return NULL;
    if (s->view == KT_CBLAS && s->routine->result == KT_I)
        return "size_t";
    return kt_repro_type(s->routine->result);
}

static void print_prototype(const struct kt_repro *r, FILE *out)
{
    const struct kt_symbol *s = kt_repro_symbol(r);
    const char *separator = "";
    const char *type = return_type(r);
    fprintf(out, "%s %s(", type ? type : "void", s->name);
    for (int i = 0; i < s->params; i++) {
        if (s->param[i].returned)
            continue;
        fprintf(out, "%s", separator);
        print_param_type(r, &s->param[i], out);
        separator = ", ";
    }
    for (int i = lengths(s); i > 0; i--)
        fprintf(out, ", size_t");
    fprintf(out, ");\n\n");
}

/* --- memory of the operands -------------------------------------------------------------------------------- */

static void print_block_names(const struct kt_repro *r, int block, FILE *out)
{
    const char *separator = "";
    for (int i = 0; i < r->operands; i++) {
        if (r->block_of[i] != block)
            continue;
        fprintf(out, "%s%s", separator, r->operand[i].name);
        separator = ", ";
    }
}

static void print_blocks(const struct kt_repro *r, FILE *out)
{
    fprintf(out,
            "/* The operands' memory, one block for those that overlap: bytes, and place if all lie in one block. */\n"
            "enum { BLOCKS = %d };\n"
            "static const struct {\n    size_t bytes, place;\n} block[BLOCKS] = {\n",
            r->blocks);
    for (int i = 0; i < r->blocks; i++) {
        fprintf(out, "    {%" PRIu64 ", %" PRIu64 "}, /* ", r->block[i].hi - r->block[i].lo, r->block[i].place);
        print_block_names(r, i, out);
        fprintf(out, "%s */\n", r->block[i].hi == r->block[i].lo ? ": not referenced" : "");
    }
    fprintf(out, "};\nstatic unsigned char *memory[BLOCKS];\n\n");
}

static void print_operand_pointer(const struct kt_repro *r, int i, FILE *out)
{
    const struct kt_operand *o = &r->operand[i];
    const char *type = kt_repro_type(o->arg ? o->arg->type : kt_repro_symbol(r)->routine->result);
    if (r->block_of[i] < 0) {
        fprintf(out, "    %s *%s = NULL;\n", type, o->name);
        return;
    }
    int64_t offset = (int64_t)(o->base - r->block[r->block_of[i]].lo);
    fprintf(out, "    %s *%s = (%s *)(void *)", type, o->name, type);
    if (offset)
        fprintf(out, "(memory[%d] %c %" PRId64 ");\n", r->block_of[i], offset < 0 ? '-' : '+',
                offset < 0 ? -offset : offset);
    else
        fprintf(out, "memory[%d];\n", r->block_of[i]);
}

/* --- scalar arguments -------------------------------------------------------------------------------------- */

/* A real number as C reads it back. */
static void print_number(double value, bool is_float, FILE *out)
{
    char text[40];
    if (isnan(value))
        fprintf(out, "NAN");
    else if (isinf(value))
        fprintf(out, value < 0 ? "-INFINITY" : "INFINITY");
    else
        fprintf(out, "%s", kt_number_text(value, is_float, text, sizeof text));
}

static void print_char(int letter, FILE *out)
{
    if (isprint(letter) && letter != '\'' && letter != '\\')
        fprintf(out, "'%c'", letter);
    else
        fprintf(out, "'\\x%02x'", letter);
}

static const char *enum_name(int value)
{
    static const struct {
        int value;
        const char *name;
    } known[] = {{101, "row-major"},
                 {102, "column-major"},
                 {111, "no transpose"},
                 {112, "transpose"},
                 {113, "conjugate transpose"},
                 {121, "upper"},
                 {122, "lower"},
                 {131, "non-unit"},
                 {132, "unit"},
                 {141, "left"},
                 {142, "right"}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (known[i].value == value)
            return known[i].name;
    return "no legal value";
}

static void print_scalar_value(const struct kt_repro *r, const struct kt_param *p, FILE *out)
{
    double imaginary;
    double value = kt_stored_value(r->call->args, p, &imaginary);
    bool is_float = p->stored == KT_FLOAT || p->stored == KT_CFLOAT;
    if (p->stored == KT_CHAR)
        print_char((int)value, out);
    else if (p->stored == KT_INT || p->stored == KT_ENUM)
        fprintf(out, "%" PRId64, kt_stored_integer(r->call->args, p));
    else if (p->stored == KT_FLOAT || p->stored == KT_DOUBLE)
        print_number(value, is_float, out);
    else {
        fprintf(out, is_float ? "CMPLXF(" : "CMPLX(");
        print_number(value, is_float, out);
        fprintf(out, ", ");
        print_number(imaginary, is_float, out);
        fprintf(out, ")");
    }
}

static void print_scalar(const struct kt_repro *r, const struct kt_param *p, FILE *out)
{
    if (is_info(r, p)) {
        fprintf(out, "    integer %s = 0;\n", p->name);
        return;
    }
    fprintf(out, "    %s%s %s = ", is_changed(r, p) ? "" : "const ", scalar_type(p), p->name);
    print_scalar_value(r, p, out);
    fprintf(out, ";");
    if (p->stored == KT_ENUM)
        fprintf(out, " /* %s */", enum_name((int)kt_stored_value(r->call->args, p, NULL)));
    fprintf(out, "\n");
}

/* --- main -------------------------------------------------------------------------------------------------- */

static void print_declarations(const struct kt_repro *r, const struct kt_repro_needs *needs, FILE *out)
{
    const struct kt_symbol *s = kt_repro_symbol(r);
    const char *type = return_type(r);
    if (r->blocks)
        fprintf(out, "    allocate_blocks();\n");
    for (int i = 0; i < s->params; i++)
        if (s->param[i].stored != KT_ADDRESS && s->param[i].stored != KT_CODE)
            print_scalar(r, &s->param[i], out);
    for (int i = 0; i < r->operands; i++)
        print_operand_pointer(r, i, out);
    if (type && !find_info(r))
        fprintf(out, "    %s result = 0;\n", type);
    if (needs->sum)
        fprintf(out, "    struct sum sum;\n");
}

static void print_scalar_again(const struct kt_repro *r, const struct kt_param *p, FILE *out)
{
    if (!is_changed(r, p))
        return;
    fprintf(out, "        %s = ", p->name);
    print_scalar_value(r, p, out);
    fprintf(out, ";\n");
}

static void print_fills(const struct kt_repro *r, const struct kt_repro_needs *needs, FILE *out)
{
    if (r->blocks)
        fprintf(out, "        for (int i = 0; i < BLOCKS; i++)\n"
                     "            memset(memory[i], 0xff, block[i].bytes); /* NAN, or -1 */\n");
    if (needs->draw)
        fprintf(out, "        state = 1;\n");
    for (int i = 0; i < kt_repro_symbol(r)->params; i++)
        print_scalar_again(r, &kt_repro_symbol(r)->param[i], out);
    for (int i = 0; i < r->operands; i++)
        kt_repro_print_fill(r, i, out);
}

static void print_call(const struct kt_repro *r, FILE *out)
{
    const struct kt_symbol *s = kt_repro_symbol(r);
    const struct kt_param *info = find_info(r);
    const char *separator = "";
    fprintf(out, "\n        double start = now();\n        ");
    if (return_type(r))
        fprintf(out, "%s = ", info ? info->name : "result");
    fprintf(out, "%s(", s->name);
    for (int i = 0; i < s->params; i++) {
        const struct kt_param *p = &s->param[i];
        if (p->returned)
            continue;
        if (p->stored == KT_CODE)
            fprintf(out, "%s%s", separator, kt_stored_address(r->call->args, p) ? "chosen" : "NULL");
        else
            fprintf(out, "%s%s%s", separator, p->by_value || p->stored == KT_ADDRESS ? "" : "&", p->name);
        separator = ", ";
    }
    for (int i = lengths(s); i > 0; i--)
        fprintf(out, ", 1");
    fprintf(out, ");\n        took[turn] = now() - start;\n");
}

static void print_result(const struct kt_repro *r, FILE *out)
{
    const struct kt_symbol *s = kt_repro_symbol(r);
    if (!return_type(r) || find_info(r))
        return;
    if (s->routine->result == KT_I)
        fprintf(out, "    printf(\"%%-12s %%ld\\n\", \"result\", (long)result);\n");
    else if (kt_type_is_complex(s->routine->result))
        fprintf(out, "    printf(\"%%-12s %%.10g %%+.10gi\\n\", \"result\", creal(result), cimag(result));\n");
    else
        fprintf(out, "    printf(\"%%-12s %%.10g\\n\", \"result\", (double)result);\n");
}

static void print_verdict(const struct kt_repro *r, FILE *out)
{
    const struct kt_param *info = find_info(r);
    if (info)
        fprintf(out, "    printf(\"%%-12s %%ld\", \"info\", (long)%s);\n", info->name);
    if (!r->has_info) {
        fprintf(out, "%s    return 0;\n", info ? "    printf(\"\\n\");\n" : "");
        return;
    }
    fprintf(out, "    printf(\", recorded: %" PRId64 "\\n\");\n    return %s != %" PRId64 ";\n", r->info, info->name,
            r->info);
}

static void print_main(const struct kt_repro *r, const struct kt_repro_needs *needs, FILE *out)
{
    if (r->at_most)
        fprintf(out,
                "static void fail(int number)\n{\n"
                "    static const char text[] = \"not done after %u s\\n\";\n"
                "    (void)number;\n"
                "    if (write(STDOUT_FILENO, text, sizeof text - 1) < 0)\n        _exit(2);\n"
                "    _exit(1);\n}\n\n",
                r->at_most);
    fprintf(out, "int main(void)\n{\n");
    if (r->at_most)
        fprintf(out, "    signal(SIGALRM, fail);\n    alarm(%u);\n", r->at_most);
    print_declarations(r, needs, out);
    fprintf(out, "\n    for (int turn = 0; turn < REPEATS; turn++) {\n");
    print_fills(r, needs, out);
    print_call(r, out);
    fprintf(out, "    }\n\n    show_time(\"");
    if (r->call->complete)
        fprintf(out, "; in the application %.3e s", kt_call_seconds(r->call));
    fprintf(out, "\");\n");
    print_result(r, out);
    for (int i = 0; i < r->operands; i++)
        kt_repro_print_sum(r, i, out);
    print_verdict(r, out);
    fprintf(out, "}\n");
}

/* Python packages and 64-bit integers give names that only their own library has. */
static void print_usual_name(const struct kt_repro *r, FILE *out)
{
    struct kt_symbol usual;
    if (kt_repro_is_renamed(r, &usual))
        fprintf(out, "#ifdef USUAL_NAME\n#define %s %s\n#endif\n\n", kt_repro_symbol(r)->name, usual.name);
}

/* --- all of it --------------------------------------------------------------------------------------------- */

void kt_repro_print(const struct kt_repro *r, FILE *out)
{
    const struct kt_repro_needs needs = kt_repro_find_needs(r);
    kt_repro_print_comment(r, out);
    kt_repro_print_headers(out);
    if (r->at_most)
        fprintf(out, "#include <signal.h>\n#include <unistd.h>\n\n");
    fprintf(out, "typedef int%zu_t integer; /* of the library */\n\n", 8 * r->int_bytes);
    print_usual_name(r, out);
    print_prototype(r, out);
    if (r->blocks)
        print_blocks(r, out);
    kt_repro_print_helpers(r, &needs, out);
    print_main(r, &needs, out);
}
