/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * ktgen turns trace/routines into code; make runs it and keeps what it prints in the build folder.
 *
 *     ktgen SPEC wrappers SECTION  the functions of libktrace.so for one section, readable C
 *     ktgen SPEC stubs             the names that libktrace.so exports, assembler
 *     ktgen SPEC slots             the shim's tables of names and interfaces
 *     ktgen SPEC elements          which elements the operands of a call have (preload/elements.h)
 *     ktgen SPEC thunks            calls by prototype class for replay (replay/call/call.h)
 *     ktgen SPEC manual            the routine list, Markdown
 *     ktgen SPEC check             nothing if the table is sound, otherwise what is wrong, status 1
 */
#include "trace/generate/gen.h"
#include "trace/table/spec.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- manual ------------------------------------------------------------------------------------------------ */

static bool is_first_of_family(const struct kt_table *table, size_t i)
{
    return i == 0 || strcmp(table->routine[i].text, table->routine[i - 1].text) != 0;
}

static void print_interfaces(const struct kt_routine *r)
{
    int printed = 0;
    for (int view = 0; view < KT_UNDESCRIBED; view++)
        if (kt_symbol_exists(r, view)) {
            kt_gen_separator(&printed);
            printf("%s", kt_view_name[view]);
        }
}

static void print_family(const struct kt_table *table, size_t first)
{
    const struct kt_routine *r = &table->routine[first];
    printf("| ");
    for (size_t i = first; i < table->count && (i == first || !is_first_of_family(table, i)); i++)
        printf("%s%s", i == first ? "" : " ", table->routine[i].name);
    printf(" | ");
    print_interfaces(r);
    printf(" | ");
    for (int i = 0; i < r->args; i++)
        printf("%s%s", i ? ", " : "", r->arg[i].name);
    printf(" | %s |\n", r->mul.count || r->flops.count ? "yes" : "no");
}

static bool is_undescribed(const struct kt_routine *r)
{
    return r->interfaces & KT_IS_UNDESCRIBED;
}

static void print_undescribed(const struct kt_table *table)
{
    printf("\n## Counted and timed without a description\n\n");
    for (size_t i = 0; i < table->count; i++)
        if (is_undescribed(&table->routine[i]))
            printf("%s\n", table->routine[i].name);
}

/* The names of the routine that serves as the example. */
static void print_example_name(const struct kt_symbol *symbol, const char *name, bool common, void *context)
{
    (void)symbol;
    (void)common;
    kt_gen_separator(context);
    printf("%s", name);
}

static void print_names(const struct kt_table *table, const char *routine)
{
    struct kt_symbol symbol;
    int printed = 0;
    const struct kt_routine *r = kt_table_find(table, routine);
    for (int view = 0; r && view < KT_VIEWS; view++)
        if (kt_symbol_make(r, view, &symbol))
            kt_symbol_names(&symbol, print_example_name, &printed);
    printf("%s", printed ? ".\n" : "");
}

static void print_manual(const struct kt_table *table)
{
    const char *section = "";
    printf("# Routines that ktrace records\n\nMade from trace/routines. Every interface has the names of its kind, "
           "as\n\n");
    print_names(table, "dgemm");
    print_names(table, "dgesv");
    for (size_t i = 0; i < table->count && !is_undescribed(&table->routine[i]); i++) {
        if (strcmp(section, table->routine[i].section) != 0) {
            section = table->routine[i].section;
            printf("\n## %s\n\n| routines | interfaces | arguments | operation count |\n|---|---|---|---|\n", section);
        }
        if (is_first_of_family(table, i))
            print_family(table, i);
    }
    print_undescribed(table);
}

/* --- validator --------------------------------------------------------------------------------------------- */

static int complain(const struct kt_routine *r, const char *what, const char *name)
{
    fprintf(stderr, "ktgen: %s: %s%s%s\n", r->name, what, *name ? " " : "", name);
    return 1;
}

/* Every leading dimension and increment belongs to some array, or the line has a slip. */
static int check_steps(const struct kt_routine *r)
{
    int wrong = 0;
    for (int i = 0; i < r->args; i++) {
        bool used = r->arg[i].role != KT_LD && r->arg[i].role != KT_INC;
        for (int a = 0; a < r->args && !used; a++)
            used = r->arg[a].role == KT_ARRAY && r->arg[a].shape.step == i;
        if (!used)
            wrong += complain(r, "no array uses", r->arg[i].name);
    }
    return wrong;
}

static int check_names(const struct kt_table *table, size_t index)
{
    const struct kt_routine *r = &table->routine[index];
    int wrong = 0;
    for (size_t i = 0; i < index; i++)
        if (!strcmp(table->routine[i].name, r->name))
            wrong += complain(r, "is described twice", "");
    for (int i = 0; i < r->args; i++)
        for (int j = 0; j < i; j++)
            if (!strcmp(r->arg[i].name, r->arg[j].name))
                wrong += complain(r, "has two arguments", r->arg[i].name);
    return wrong;
}

static int check_table(const struct kt_table *table)
{
    int wrong = 0;
    for (size_t i = 0; i < table->count; i++)
        wrong += check_names(table, i) + check_steps(&table->routine[i]);
    return wrong + kt_gen_check_names(table) != 0;
}

/* --- main -------------------------------------------------------------------------------------------------- */

static int run(const struct kt_table *table, int argc, char **argv)
{
    const char *kind = argv[2];
    if (!strcmp(kind, "check"))
        return check_table(table);
    if (!strcmp(kind, "wrappers") && argc == 4)
        kt_gen_wrappers(table, argv[3]);
    else if (!strcmp(kind, "stubs"))
        kt_gen_stubs(table);
    else if (!strcmp(kind, "slots"))
        kt_gen_slots(table);
    else if (!strcmp(kind, "elements"))
        kt_gen_elements(table);
    else if (!strcmp(kind, "thunks"))
        kt_gen_thunks(table);
    else if (!strcmp(kind, "manual"))
        print_manual(table);
    else
        return KT_USAGE;
    return KT_OK;
}

int main(int argc, char **argv)
{
    struct kt_error error = {0};
    struct kt_table table;
    if (argc < 3) {
        fprintf(stderr, "usage: ktgen SPEC wrappers SECTION|stubs|slots|elements|thunks|manual|check\n");
        return KT_USAGE;
    }
    if (kt_spec_load(argv[1], &table, &error) != KT_OK) {
        fprintf(stderr, "ktgen: %s\n", error.text);
        return KT_BAD_INPUT;
    }
    int status = run(&table, argc, argv);
    kt_table_free(&table);
    return status;
}
