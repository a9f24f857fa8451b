/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Prints the C prototype of every interface that the table describes, one per line:  list_symbols SPEC
 */
#include "tests/parts/prototype.h"
#include "tests/parts/table_load.h"

static void print_symbols(const struct kt_table *table)
{
    for (size_t i = 0; i < table->count; i++)
        for (enum kt_view view = 0; view < KT_UNDESCRIBED; view++) {
            struct kt_symbol symbol;
            if (!kt_symbol_make(&table->routine[i], view, &symbol))
                continue;
            kt_prototype_print(stdout, &symbol);
            printf("\n");
        }
}

int main(int argc, char **argv)
{
    struct kt_table table;
    struct kt_error error = {0};
    if (argc != 2) {
        fprintf(stderr, "usage: list_symbols SPEC\n");
        return KT_USAGE;
    }
    enum kt_status status = kt_spec_load(argv[1], &table, &error);
    if (status != KT_OK)
        fprintf(stderr, "list_symbols: %s\n", error.text);
    else
        print_symbols(&table);
    kt_table_free(&table);
    return (int)status;
}
