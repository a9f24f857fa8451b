/* SPDX-License-Identifier: BSD-3-Clause */
/* The library that has all names. */
#include "tests/roundtrip/programs.h"

#include <stdio.h>
#include <string.h>

static void print_other_name(const struct kt_symbol *symbol, const char *name, bool common, void *context)
{
    (void)common, (void)context;
    printf("NAME(%s, %s)\n", name, symbol->name);
}

static void print_slot(const struct kt_symbol *symbol, const char *name, bool common, void *context)
{
    (void)common, (void)context;
    if (!strcmp(name, symbol->name))
        printf("SLOT(%s)\n", name);
}

/* For each interface of the table: VISIT its names. */
static void each_name(const struct kt_table *table, kt_name_visit *visit)
{
    for (size_t i = 0; i < table->count; i++)
        for (enum kt_view view = 0; view < KT_UNDESCRIBED; view++) {
            struct kt_symbol symbol;
            if (kt_symbol_make(&table->routine[i], view, &symbol))
                kt_symbol_names(&symbol, visit, NULL);
        }
}

/*
 * A name is a jump through the slot of the usual name, which is filled with what the libraries given to the compiler
 * as strings LIBRARIES define: not with what the dynamic linker would find, as that is the shim.
 */
void trip_print_names(const struct kt_table *table)
{
    printf("/* Made by gen_roundtrip from trace/routines. */\n#include <dlfcn.h>\n#include <stddef.h>\n\n"
           "#ifdef __aarch64__\n"
           "#define JUMP(slot) \"adrp x16, \" slot \"\\n ldr x16, [x16, :lo12:\" slot \"]\\n br x16\"\n"
           "#else\n#define JUMP(slot) \"jmp *\" slot \"(%%rip)\"\n#endif\n"
           "#define SLOT(usual) __attribute__((visibility(\"hidden\"))) void *slot_##usual;\n"
           "#define NAME(name, usual) \\\n"
           "    __asm__(\".text\\n .globl \" #name \"\\n .type \" #name \", %%function\\n\" #name \":\\n \" "
           "JUMP(\"slot_\" #usual));\n\n");
    each_name(table, print_slot);
    each_name(table, print_other_name);
    printf("\n#undef SLOT\n#define SLOT(usual) {#usual, &slot_##usual},\n"
           "static const struct {\n    const char *name;\n    void **slot;\n} slots[] = {\n");
    each_name(table, print_slot);
    printf("};\n\nstatic int nothing(void)\n{\n    return 0;\n}\n\n"
           "__attribute__((constructor)) static void fill_slots(void)\n{\n"
           "    static const char *const libraries[] = {LIBRARIES};\n"
           "    enum { COUNT = sizeof libraries / sizeof *libraries };\n"
           "    void *handle[COUNT];\n"
           "    for (int i = 0; i < COUNT; i++)\n"
           "        handle[i] = dlopen(libraries[i], RTLD_LAZY | RTLD_LOCAL);\n"
           "    for (size_t k = 0; k < sizeof slots / sizeof *slots; k++)\n"
           "        for (int i = 0; i <= COUNT && !*slots[k].slot; i++)\n"
           "            *slots[k].slot = i == COUNT ? (void *)nothing : handle[i] ? dlsym(handle[i], slots[k].name) : "
           "NULL;\n"
           "}\n");
}
