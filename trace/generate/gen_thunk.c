/* SPDX-License-Identifier: BSD-3-Clause */
/* ktgen: one small function per class of prototypes, which replay calls routines with (replay/call/call.h). */
#include "trace/generate/gen.h"

#include <stdio.h>

struct thunk_class {
    int words, numbers;
    bool float_result;
};

struct thunk_classes {
    struct thunk_class item[1024];
    int count;
};

static struct thunk_class class_of(const struct kt_symbol *s)
{
    struct thunk_class c = {0};
    struct kt_gen_size size = kt_gen_size(s);
    c.words = size.words;
    c.numbers = size.numbers;
    c.float_result = kt_gen_returns_value(s) && s->routine->result != KT_I;
    return c;
}

static void collect_class(const struct kt_symbol *s, int number, void *context)
{
    (void)number;
    struct thunk_classes *all = context;
    struct thunk_class c = class_of(s);
    for (int i = 0; i < all->count; i++) {
        const struct thunk_class *o = &all->item[i];
        if (o->words == c.words && o->numbers == c.numbers && o->float_result == c.float_result)
            return;
    }
    if (all->count < (int)(sizeof all->item / sizeof *all->item))
        all->item[all->count++] = c;
}

/* COUNT items, separated by commas: "before" or, with an index, "before0after", "before1after", ... */
static void print_items(int *printed, int count, const char *before, const char *after)
{
    for (int i = 0; i < count; i++) {
        kt_gen_separator(printed);
        printf("%s", before);
        if (after)
            printf("%d%s", i, after);
    }
}

static void print_thunk_name(const struct thunk_class *c)
{
    printf("call_%d_words_%d_numbers%s", c->words, c->numbers, c->float_result ? "_to_number" : "");
}

static void print_thunk(const struct thunk_class *c)
{
    printf("static void ");
    print_thunk_name(c);
    printf("(void *function, const struct kt_parameters *p, struct kt_returned *out)\n{\n    ");
    printf("%s result = ((%s (*)(", c->float_result ? "double _Complex" : "int64_t",
           c->float_result ? "double _Complex" : "int64_t");
    int printed = 0;
    print_items(&printed, c->words, "int64_t", NULL);
    print_items(&printed, c->numbers, "double", NULL);
    printf("%s))function)(", printed ? "" : "void");
    printed = 0;
    print_items(&printed, c->words, "p->word[", "]");
    print_items(&printed, c->numbers, "p->number[", "]");
    printf(");\n    (void)p;\n    memcpy(%s, &result, sizeof result);\n}\n\n",
           c->float_result ? "out->number" : "&out->integer");
}

void kt_gen_thunks(const struct kt_table *table)
{
    static struct thunk_classes all;
    kt_gen_symbols(table, collect_class, &all);
    printf("/* Made by ktgen from trace/routines. */\n#include \"replay/call/call.h\"\n\n#include <string.h>\n\n");
    for (int i = 0; i < all.count; i++)
        print_thunk(&all.item[i]);
    printf("kt_thunk *kt_thunk_find(int words, int numbers, bool float_result)\n{\n");
    for (int i = 0; i < all.count; i++) {
        const struct thunk_class *c = &all.item[i];
        printf("    if (words == %d && numbers == %d && %sfloat_result)\n        return ", c->words, c->numbers,
               c->float_result ? "" : "!");
        print_thunk_name(c);
        printf(";\n");
    }
    printf("    return NULL;\n}\n");
}
