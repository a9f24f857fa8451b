/* SPDX-License-Identifier: BSD-3-Clause */
#include "trace/read/families.h"

#include "trace/base/memory.h"

#include <search.h>

struct family {
    char *text;
    struct kt_table table; /* empty if nothing of it can be understood */
};

struct kt_families {
    void *tree; /* of struct family */
};

static int compare_families(const void *a, const void *b)
{
    return strcmp(((const struct family *)a)->text, ((const struct family *)b)->text);
}

static void free_family(void *node)
{
    struct family *family = node;
    kt_table_free(&family->table);
    free(family->text);
    free(family);
}

struct kt_families *kt_families_new(void)
{
    struct kt_families *families = kt_zeros(1, sizeof *families);
    return families;
}

void kt_families_free(struct kt_families *families)
{
    if (families)
        tdestroy(families->tree, free_family);
    free(families);
}

static struct family *read_family(const char *text)
{
    struct kt_error ignored = {0};
    struct family *family = kt_resize(NULL, 1, sizeof *family);
    *family = (struct family){.text = kt_copy(text)};
    if (kt_table_parse(text, "family", &family->table, &ignored) != KT_OK)
        kt_table_free(&family->table);
    return family;
}

const struct kt_routine *kt_families_routine(struct kt_families *families, const char *text, const char *name)
{
    const struct family key = {.text = (char *)text};
    struct family **found = tfind(&key, &families->tree, compare_families);
    if (!found)
        found = tsearch(read_family(text), &families->tree, compare_families);
    if (!found)
        abort();
    return kt_table_find(&(*found)->table, name);
}
