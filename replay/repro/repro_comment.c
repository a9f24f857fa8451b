/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The comment that a reproducing program begins with: where its call comes from, what its operands contain, how to
 * compile it.
 */
#include "replay/repro/repro_parts.h"

#include "replay/call/library.h"
#include "trace/read/profile.h"
#include "trace/base/memory.h"
#include "trace/print/text.h"

#include <ctype.h>
#include <inttypes.h>

/* --- where it comes from ------------------------------------------------------------------------------------ */

/* Text from a trace, as it may stand in a comment: on one line, and without an end of the comment. */
static void put_text(const char *text, FILE *out)
{
    for (; *text; text++) {
        bool ends = text[0] == '*' && text[1] == '/';
        fputc(iscntrl((unsigned char)*text) ? '?' : *text, out);
        if (ends)
            fputc(' ', out);
    }
}

static void print_program_name(const struct kt_process *process, FILE *out)
{
    fprintf(out, " *   program   ");
    for (size_t i = 0; i < process->metas; i++)
        if (!strcmp(process->meta[i].key, "arg")) {
            fputc(' ', out);
            put_text(process->meta[i].value, out);
        }
    fprintf(out, "\n");
}

static void print_caller(const struct kt_call *call, FILE *out)
{
    const struct kt_object *object = kt_object_at(call->process, call->caller);
    if (!object)
        return;
    fprintf(out, " *   caller     ");
    put_text(object->path, out);
    fprintf(out, " + 0x%" PRIx64, call->caller - object->bias);
    if (call->parent >= 0)
        fprintf(out, ", within call %" PRId64, call->parent);
    fprintf(out, "\n");
}

static void print_library(const struct kt_repro *r, FILE *out)
{
    const struct kt_object *library = r->call->entry->library;
    fprintf(out, " *   library    ");
    put_text(library->path, out);
    fprintf(out, "\n *              ");
    put_text(library->version, out);
    fprintf(out, "%s%zu-bit integers", *library->version ? ", " : "", 8 * r->int_bytes);
    if (library->threads)
        fprintf(out, ", %s", KT_COUNT(library->threads, "thread"));
    fprintf(out, "\n");
}

static void print_outcome(const struct kt_repro *r, FILE *out)
{
    char seconds[16];
    if (!r->call->complete) {
        fprintf(out, " *   outcome    had not returned when the trace ended\n");
        return;
    }
    fprintf(out, " *   outcome    took %s", kt_text_seconds(kt_call_seconds(r->call), seconds));
    if (r->has_info)
        fprintf(out, ", info = %" PRId64, r->info);
    fprintf(out, "\n");
}

static void print_origin(const struct kt_repro *r, FILE *out)
{
    const struct kt_call *call = r->call;
    fprintf(out, "/*\n * %s as recorded by ktrace: ", kt_repro_symbol(r)->name);
    if (kt_is_workload(r->trace))
        fprintf(out, "a call of ");
    else if (kt_is_profile(r->trace))
        fprintf(out, "the first call of shape %" PRIu64 " of ", call->n);
    else
        fprintf(out, "call %" PRIu64 " of ", call->n);
    put_text(r->trace->path, out);
    fprintf(out, ", process %" PRIu32 ", thread %" PRIu32 ".\n *\n", call->process->pid, call->tid);
    print_program_name(call->process, out);
    print_caller(call, out);
    print_library(r, out);
    print_outcome(r, out);
}

static void print_cause(const struct kt_repro *r, FILE *out)
{
    static const char *const text[] = {
        [KT_CAUSE_NONE] = "",
        [KT_CAUSE_ARGUMENT] = " * The recorded info means that this argument is illegal; it is passed as it was.\n",
        [KT_CAUSE_NAN] = " * The recorded info means that this operand contains a NAN; so it does here.\n",
        [KT_CAUSE_NOT_POSITIVE] = " * One negative element on a diagonal makes the call end with the recorded info.\n",
        [KT_CAUSE_ZERO] = " * One zero on a diagonal makes the call end with the recorded info.\n",
        [KT_CAUSE_ZERO_COLUMN] = " * A column of zeros makes the call end with the recorded info.\n",
        [KT_CAUSE_ZERO_CROSS] =
            " * The recorded info comes from the contents. A row and a column of zeros have factorisations and "
            "solvers\n"
            " * end with it; eigenvalues or an iteration that did not converge they cannot bring about.\n",
        [KT_CAUSE_UNKNOWN] = " * The recorded info comes from contents that cannot be guessed: expect another one.\n"};
    fprintf(out, "%s", text[r->cause]);
}

static void print_contents(const struct kt_repro *r, FILE *out)
{
    if (r->held) {
        fprintf(out,
                " *\n * Operands hold what they contained when the program made this call, or one of its shape.\n");
        return;
    }
    fprintf(out, " *\n * What operands contained is not recorded. Here they hold random numbers that are legal for the "
                 "routine, and\n"
                 " * NANs wherever the routine has nothing to read.\n");
    print_cause(r, out);
    if (kt_repro_has_procedure(r))
        fprintf(out, " * Nor is the function that was passed: here is one that chooses everything.\n");
}

/* --- how to compile it ------------------------------------------------------------------------------------- */

static const char *installed_libraries(const struct kt_repro *r, bool reference)
{
    bool wide = r->int_bytes == 8;
    bool lapacke = kt_repro_symbol(r)->view >= KT_LAPACKE;
    if (!reference)
        return wide ? "-lopenblas64" : "-lopenblas";
    if (lapacke)
        return wide ? "-llapacke64 -llapack64 -lblas64" : "-llapacke -llapack -lblas";
    return wide ? "-llapack64 -lblas64" : "-llapack -lblas";
}

/* As a shell takes it: quotes are closed before an apostrophe, and where a comment would end. */
static void put_quoted(const char *text, size_t length, FILE *out)
{
    bool plain = length > 0;
    for (size_t i = 0; i < length; i++)
        plain &= isalnum((unsigned char)text[i]) || (text[i] && strchr("/._+-", text[i]));
    fprintf(out, "%s", plain ? "" : "'");
    for (size_t i = 0; i < length; i++) {
        fputc(iscntrl((unsigned char)text[i]) ? '?' : text[i], out);
        if (text[i] == '\'')
            fputs("\\''", out);
        if (!plain && text[i] == '*')
            fputs("''", out);
    }
    fprintf(out, "%s", plain ? "" : "'");
}

/* A path to link with, and where to find it when the program runs: its soname alone may lead to another library. */
static void print_recorded_file(const char *path, FILE *out)
{
    const char *slash = strrchr(path, '/');
    fputc(' ', out);
    put_quoted(path, strlen(path), out);
    if (!slash || slash == path)
        return;
    fprintf(out, " -Wl,-rpath,");
    put_quoted(path, (size_t)(slash - path), out);
}

static void print_recorded_library(const struct kt_repro *r, FILE *out)
{
    const struct kt_object *library = r->call->entry->library;
    struct kt_library all = {0};
    struct kt_error ignored = {0};
    kt_library_recorded(r->trace, &all, &ignored);
    fprintf(out, " *   gcc -O2 repro.c -o repro -Wl,--disable-new-dtags");
    print_recorded_file(library->path, out);
    for (int i = 0; i < all.files; i++)
        if (strcmp(all.file[i], library->path) != 0)
            print_recorded_file(all.file[i], out);
    fprintf(out, " -lm\n");
    kt_library_free(&all);
}

static void print_compiling(const struct kt_repro *r, FILE *out)
{
    struct kt_symbol usual;
    const char *define = kt_repro_is_renamed(r, &usual) ? " -DUSUAL_NAME" : "";
    fprintf(out,
            " *\n * To compile it, with OpenBLAS, with the recorded library, or with the reference library and "
            "AddressSanitizer:\n"
            " *   gcc -O2%s repro.c -o repro %s -lm\n",
            define, installed_libraries(r, false));
    print_recorded_library(r, out);
    fprintf(out, " *   gcc -g -fsanitize=address%s repro.c -o repro %s -lm\n", define, installed_libraries(r, true));
    fprintf(out,
            " *\n"
            " *   -DREPEATS=100      time so many calls, each with operands filled again\n"
            " *   -DALIGNMENT=4096   operands at the recorded distance from a page, not just from a cache line\n"
            " *   -DKEEP_LAYOUT      operands at the recorded distances from each other, large gaps shortened\n"
            " *   -DGUARD_PAGES      operands end where memory ends: a library that was not compiled with\n"
            " *                      AddressSanitizer and reads or writes beyond them dies at once\n"
            " *\n"
            " * Exit status: 0 if %s, 1 if not.\n"
            " */\n",
            r->has_info ? "info is the recorded one" : "the call returned");
}

void kt_repro_print_comment(const struct kt_repro *r, FILE *out)
{
    print_origin(r, out);
    print_contents(r, out);
    print_compiling(r, out);
}
