/* SPDX-License-Identifier: BSD-3-Clause */
#include "trace/shape/inlined.h"

#include <dwarf.h>
#include <stdbool.h>

/* Functions that contain an instruction, the outermost first: one that stands on the stack, and what was inlined. */
struct chain {
    Dwarf_Addr pc;
    Dwarf_Die function[KT_INLINED_MOST];
    size_t count;
    bool looks_everywhere; /* also into functions that do not contain it */
};

enum { DEEPEST = 100 };

static void add_function(struct chain *chain, const Dwarf_Die *die, int tag)
{
    if (tag == DW_TAG_subprogram)
        chain->count = 0; /* what it is written in is nothing on the stack */
    if ((tag == DW_TAG_subprogram || tag == DW_TAG_inlined_subroutine) && chain->count < KT_INLINED_MOST)
        chain->function[chain->count++] = *die;
}

/* May code be described within, though the instruction is not in it? */
static bool is_worth_a_look(const struct chain *chain, int tag)
{
    bool is_space = tag == DW_TAG_module || tag == DW_TAG_namespace || tag == DW_TAG_class_type ||
                    tag == DW_TAG_structure_type || tag == DW_TAG_imported_unit;
    return is_space || (chain->looks_everywhere && tag == DW_TAG_subprogram);
}

/* libdw's own search does not go into modules of Fortran, nor to functions that are written in others. */
static bool find_within(struct chain *chain, Dwarf_Die *scope, int depth)
{
    Dwarf_Die child;
    for (int left = dwarf_child(scope, &child); left == 0; left = dwarf_siblingof(&child, &child)) {
        int tag = dwarf_tag(&child);
        bool has_code = tag == DW_TAG_subprogram || tag == DW_TAG_inlined_subroutine || tag == DW_TAG_lexical_block ||
                        tag == DW_TAG_try_block || tag == DW_TAG_catch_block;
        if (has_code && dwarf_haspc(&child, chain->pc) > 0) {
            add_function(chain, &child, tag);
            if (depth < DEEPEST)
                find_within(chain, &child, depth + 1);
            return true;
        }
        if (depth < DEEPEST && is_worth_a_look(chain, tag) && find_within(chain, &child, depth + 1))
            return true;
    }
    return false;
}

static void find_chain(Dwfl_Module *module, uint64_t address, Dwarf_Die *unit, struct chain *chain)
{
    Dwarf_Addr bias;
    Dwarf_Die *found = dwfl_module_addrdie(module, address, &bias);
    chain->count = 0;
    if (!found)
        return;
    *unit = *found;
    chain->pc = address - bias;
    chain->looks_everywhere = false;
    if (find_within(chain, unit, 0))
        return;
    chain->looks_everywhere = true;
    find_within(chain, unit, 0);
}

static int number_of(Dwarf_Die *die, unsigned name)
{
    Dwarf_Attribute attribute;
    Dwarf_Word value;
    bool is_there = dwarf_formudata(dwarf_attr(die, name, &attribute), &value) == 0;
    return is_there && value <= INT32_MAX ? (int)value : 0;
}

/* Where an inlined function was called. */
static void take_call(Dwarf_Die *unit, Dwarf_Die *die, struct kt_inlined *out)
{
    Dwarf_Files *files;
    size_t count;
    int file = number_of(die, DW_AT_call_file);
    if (dwarf_getsrcfiles(unit, &files, &count) != 0 || (size_t)file >= count)
        return;
    out->file = dwarf_filesrc(files, (size_t)file, NULL, NULL);
    out->line = number_of(die, DW_AT_call_line);
}

size_t kt_inlined_find(Dwfl_Module *module, uint64_t address, struct kt_inlined out[KT_INLINED_MOST])
{
    Dwarf_Die unit;
    struct chain chain;
    find_chain(module, address, &unit, &chain);
    Dwfl_Line *line = dwfl_module_getsrc(module, address);
    out[0] = (struct kt_inlined){0};
    if (line)
        out[0].file = dwfl_lineinfo(line, NULL, &out[0].line, NULL, NULL, NULL);
    for (size_t at = 0; at < chain.count; at++) {
        Dwarf_Die *function = &chain.function[chain.count - 1 - at];
        out[at].function = dwarf_diename(function);
        if (at + 1 == chain.count)
            break;
        out[at + 1] = (struct kt_inlined){0};
        take_call(&unit, function, &out[at + 1]);
    }
    return chain.count ? chain.count : 1;
}
