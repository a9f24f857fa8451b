/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * ktgen: the names that libktrace.so exports. Each is a stub of two instructions that says which name was called and
 * jumps to the way of its symbol (preload/stub.h), which leads to the symbol's function or to the trampoline. Tables
 * tell what the names mean: a name has a slot, slots share the interface of their symbol, and an interface has a step
 * per argument that is recorded.
 *
 * The tables hold offsets in place of pointers, so that loading the library does not have to relocate them.
 */
#include "trace/generate/gen.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* With the spare slots (preload/sizes.h) their numbers have 16 bits. */
enum { MAX_NAMES = 56 * 1024 };

struct name {
    char text[KT_SYMBOL_NAME + 16];
    char target[KT_SYMBOL_NAME + 16]; /* what the stub jumps to */
    int interface;
    bool common, compiled;
};

struct names {
    struct name *item;
    size_t count, room;
    int interface;
};

static void add_name(const struct kt_symbol *symbol, const char *text, bool common, void *context)
{
    struct names *names = context;
    if (names->count == names->room) {
        names->room = names->room ? 2 * names->room : 1024;
        names->item = realloc(names->item, names->room * sizeof *names->item);
        if (!names->item)
            abort();
    }
    struct name *name = &names->item[names->count++];
    *name = (struct name){.interface = names->interface, .common = common};
    /* A function with a fixed prototype must not stand in for somebody else's of that name. */
    name->compiled = kt_gen_is_compiled(symbol) && !common;
    snprintf(name->text, sizeof name->text, "%s", text);
    if (name->compiled)
        snprintf(name->target, sizeof name->target, "kt_way_%s", symbol->name);
    else
        strcpy(name->target, "kt_way");
}

static void add_names(const struct kt_symbol *symbol, int number, void *context)
{
    struct names *names = context;
    names->interface = number;
    kt_symbol_names(symbol, add_name, names);
}

static int by_text(const void *a, const void *b)
{
    return strcmp(((const struct name *)a)->text, ((const struct name *)b)->text);
}

/* By name, so that the shim can search them; a slot's number is the place in this order. */
static struct names collect_names(const struct kt_table *table)
{
    struct names names = {0};
    kt_gen_symbols(table, add_names, &names);
    if (names.count)
        qsort(names.item, names.count, sizeof *names.item, by_text);
    return names;
}

int kt_gen_check_names(const struct kt_table *table)
{
    int wrong = 0;
    struct names names = collect_names(table);
    for (size_t i = 1; i < names.count; i++)
        if (!strcmp(names.item[i].text, names.item[i - 1].text)) {
            fprintf(stderr, "ktgen: two symbols have the name %s\n", names.item[i].text);
            wrong++;
        }
    if (names.count > MAX_NAMES) {
        fprintf(stderr, "ktgen: %zu names, but slots are numbered with 16 bits\n", names.count);
        wrong++;
    }
    free(names.item);
    return wrong;
}

static void print_way(const struct kt_symbol *symbol, int number, void *context)
{
    (void)number;
    (void)context;
    if (kt_gen_is_compiled(symbol))
        printf("KT_WAY kt_way_%s, kt_wrap_%s\n", symbol->name, symbol->name);
}

void kt_gen_stubs(const struct kt_table *table)
{
    struct names names = collect_names(table);
    printf("/* Made by ktgen from trace/routines. */\n#include \"preload/stub.h\"\n\n.cfi_startproc\n");
    kt_gen_symbols(table, print_way, NULL);
    for (size_t i = 0; i < names.count; i++)
        printf("KT_STUB %s, %zu, %s\n", names.item[i].text, i, names.item[i].target);
    printf("\nKT_SPARE_STUBS %zu\n.cfi_endproc\n", names.count);
    free(names.item);
}

/* --- tables ------------------------------------------------------------------------------------------------ */

/* Offsets into the array of texts, which is printed along with their use: first all texts, then the tables. */
static size_t print_text(const char *text, size_t *offset)
{
    size_t at = *offset;
    printf("    ");
    kt_gen_string(text);
    printf(" \"\\0\"\n");
    *offset += strlen(text) + 1;
    return at;
}

struct interfaces {
    size_t *routine, *family; /* offsets of the texts, by routine of the table */
    const struct kt_table *table;
    size_t steps;
};

static void print_texts(const struct kt_table *table, const struct names *names, size_t *name_at,
                        struct interfaces *interfaces)
{
    size_t offset = 0;
    printf("const char kt_texts[] =\n");
    for (size_t i = 0; i < names->count; i++)
        name_at[i] = print_text(names->item[i].text, &offset);
    for (size_t i = 0; i < table->count; i++) {
        bool same = i > 0 && !strcmp(table->routine[i].text, table->routine[i - 1].text);
        interfaces->routine[i] = print_text(table->routine[i].name, &offset);
        interfaces->family[i] = same ? interfaces->family[i - 1] : print_text(table->routine[i].text, &offset);
    }
    printf("    ;\n\n");
}

static const char *passed_how(const struct kt_symbol *s, const struct kt_param *p)
{
    if (p->returned)
        return "KT_RETURNED";
    if (kt_gen_numbers(p))
        return "KT_IN_NUMBER";
    if (p->by_value || p->stored == KT_ADDRESS)
        return "KT_IN_WORD";
    return p->arg >= 0 && s->routine->arg[p->arg].role == KT_INFO ? "KT_AFTERWARDS" : "KT_BEHIND_WORD";
}

static const char *stored_name(enum kt_stored stored)
{
    static const char *const name[] = {
        [KT_CHAR] = "KT_CHAR",       [KT_ENUM] = "KT_ENUM",       [KT_INT] = "KT_INT",
        [KT_FLOAT] = "KT_FLOAT",     [KT_DOUBLE] = "KT_DOUBLE",   [KT_CFLOAT] = "KT_CFLOAT",
        [KT_CDOUBLE] = "KT_CDOUBLE", [KT_ADDRESS] = "KT_ADDRESS", [KT_CODE] = "KT_ADDRESS"};
    return name[stored];
}

/* In the order of preload/names.h. */
enum group { ADDRESSES, INTEGERS, LETTERS, OTHERS, INFOS, GROUPS };

static enum group group_of(const struct kt_symbol *s, const struct kt_param *p)
{
    const char *passed = passed_how(s, p);
    if (!strcmp(passed, "KT_AFTERWARDS") || !strcmp(passed, "KT_RETURNED"))
        return INFOS;
    if (!strcmp(passed, "KT_IN_WORD"))
        return kt_stored_is_address(p->stored) ? ADDRESSES : OTHERS;
    if (strcmp(passed, "KT_BEHIND_WORD") != 0)
        return OTHERS;
    return p->stored == KT_INT ? INTEGERS : p->stored == KT_CHAR ? LETTERS : OTHERS;
}

/* Prints those of a group. */
static void print_group(const struct kt_symbol *s, enum group group)
{
    int words = 0;
    int numbers = 0;
    for (int i = 0; i < s->params; i++) {
        const struct kt_param *p = &s->param[i];
        int taken = kt_gen_numbers(p);
        if (group_of(s, p) == group)
            printf(" {%s, %s, %d, %d},", stored_name(p->stored), passed_how(s, p), taken ? numbers : words, p->offset);
        numbers += taken;
        words += !taken && !p->returned;
    }
}

/* Of sizes, and of options that are a letter: what rules of a map speak of. */
static const char *name_of(const struct kt_symbol *s, const struct kt_param *p)
{
    if (p->stored == KT_ENUM && p->arg < 0)
        return "layout";
    if (p->arg < 0)
        return "";
    const struct kt_arg *arg = &s->routine->arg[p->arg];
    bool is_option = p->stored == KT_CHAR || p->stored == KT_ENUM;
    return (is_option || arg->role == KT_SIZE) && strlen(arg->name) < 8 ? arg->name : "";
}

static void print_step_names(const struct kt_symbol *s, int number, void *context)
{
    (void)number;
    (void)context;
    for (enum group group = 0; group < GROUPS; group++)
        for (int i = 0; i < s->params; i++)
            if (group_of(s, &s->param[i]) == group)
                printf(" \"%s\",", name_of(s, &s->param[i]));
    printf("\n");
}

static void print_steps(const struct kt_symbol *s, int number, void *context)
{
    (void)number;
    (void)context;
    printf("    /* %s */", s->name);
    for (enum group group = 0; group < GROUPS; group++)
        print_group(s, group);
    printf("\n");
}

static void print_interface(const struct kt_symbol *s, int number, void *context)
{
    (void)number;
    struct interfaces *all = context;
    size_t index = (size_t)(s->routine - all->table->routine);
    struct kt_gen_size size = kt_gen_size(s);
    int in[GROUPS] = {0};
    for (int i = 0; i < s->params; i++)
        in[group_of(s, &s->param[i])]++;
    printf("    {%zu, %zu, %zu, %d, %d, %d, %d, %d, %d, %d, \"%s\", %d, %d},\n", all->routine[index],
           all->family[index], all->steps, in[ADDRESSES], in[INTEGERS], in[LETTERS], in[OTHERS], in[INFOS],
           s->arg_bytes, size.words, kt_view_name[s->view], kt_gen_returns_complex(s), s->view == KT_UNDESCRIBED);
    all->steps += (size_t)s->params;
}

static void print_infos(const struct names *names, const size_t *name_at)
{
    printf("const struct kt_slot_info kt_slot_infos[] = {\n");
    for (size_t i = 0; i < names->count; i++)
        printf("    {%zu, %d, %d, %d},\n", name_at[i], names->item[i].interface, names->item[i].common,
               names->item[i].compiled);
    printf("};\n\nconst unsigned kt_slot_count = %zu;\nstruct kt_slot kt_slots[%zu + KT_SPARE_SLOTS];\n", names->count,
           names->count);
}

void kt_gen_slots(const struct kt_table *table)
{
    struct names names = collect_names(table);
    size_t *at = calloc(names.count + 2 * table->count + 1, sizeof *at);
    if (!at)
        abort();
    struct interfaces interfaces = {at + names.count, at + names.count + table->count, table, 0};
    printf("/* Made by ktgen from trace/routines. */\n#include \"preload/names.h\"\n\n");
    print_texts(table, &names, at, &interfaces);
    printf("const struct kt_step kt_steps[] = {\n");
    kt_gen_symbols(table, print_steps, NULL);
    printf("};\n\nconst char kt_step_names[][8] = {\n");
    kt_gen_symbols(table, print_step_names, NULL);
    printf("};\n\nconst struct kt_interface kt_interfaces[] = {\n");
    kt_gen_symbols(table, print_interface, &interfaces);
    printf("};\n\n");
    print_infos(&names, at);
    free(at);
    free(names.item);
}
