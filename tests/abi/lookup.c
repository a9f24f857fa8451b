/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Looks up every symbol of the libraries named, and every one with a letter more, by our own way through the tables and
 * by dlsym(): both find the same. Prints what differs, and "checked" if all libraries had symbols.
 */
#include "preload/elf.h"

#include <dlfcn.h>
#include <stdio.h>

/* The linker has no use for their number, but their texts follow them. */
static size_t count_symbols(const struct kt_image *image)
{
    return ((uintptr_t)image->strings - (uintptr_t)image->symbols) / sizeof *image->symbols;
}

static bool is_found_alike(const struct kt_image *image, void *library, const char *text)
{
    struct kt_name name = kt_elf_name(text, KT_VERSION_DEFAULT);
    const ElfW(Sym) *ours = kt_elf_find(image, &name);
    Dl_info info;
    void *theirs = dlsym(library, text);
    /* dlsym() looks into what the library needs as well. */
    if (theirs && !ours && dladdr(theirs, &info) && (uintptr_t)info.dli_fbase != image->bias)
        return true;
    return theirs == (ours ? kt_elf_address(image->bias, ours) : NULL);
}

static void compare_symbol(const struct kt_image *image, void *library, const ElfW(Sym) * symbol)
{
    const char *text = image->strings + symbol->st_name;
    char longer[512];
    snprintf(longer, sizeof longer, "%s_", text);
    if (ELF64_ST_TYPE(symbol->st_info) != STT_TLS && !is_found_alike(image, library, text))
        printf("%s\n", text);
    if (!is_found_alike(image, library, longer))
        printf("%s\n", longer);
}

static size_t compare_library(const char *file)
{
    void *library = dlopen(file, RTLD_LAZY | RTLD_LOCAL);
    const struct link_map *map = library;
    struct kt_image image;
    if (!map)
        return 0;
    kt_elf_read(&image, map->l_addr, map->l_ld);
    size_t count = count_symbols(&image);
    for (size_t i = 1; i < count; i++)
        compare_symbol(&image, library, &image.symbols[i]);
    return count;
}

int main(int argc, char **argv)
{
    bool checked = true;
    for (int i = 1; i < argc; i++)
        checked &= compare_library(argv[i]) > 5;
    puts(checked ? "checked" : "a library has no symbols");
    return 0;
}
