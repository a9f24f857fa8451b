/* SPDX-License-Identifier: BSD-3-Clause */
#include "preload/soname.h"

#include "preload/elf.h"

#include <stdio.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>

static const char prefix[] = "ktrace:";

enum { MOST_HIDDEN = 16 };

/* The entry of the dynamic section, and whether it is in memory that the linker has made read-only. */
struct place {
    const struct link_map *object;
    ElfW(Dyn) * entry;
    bool writable, sealed;
};

static uintptr_t page_of(uintptr_t address)
{
    return address & -getauxval(AT_PAGESZ);
}

static int find_protection(struct dl_phdr_info *info, size_t size, void *context)
{
    struct place *place = context;
    uintptr_t at = (uintptr_t)&place->entry->d_un;
    (void)size;
    if (info->dlpi_addr != place->object->l_addr || strcmp(info->dlpi_name, place->object->l_name) != 0)
        return 0;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *part = &info->dlpi_phdr[i];
        uintptr_t begin = info->dlpi_addr + part->p_vaddr;
        uintptr_t end = begin + part->p_memsz;
        place->writable |= part->p_type == PT_LOAD && part->p_flags & PF_W && at >= begin && at < end;
        /* The linker leaves the last page as it is if other data are on it. */
        place->sealed |= part->p_type == PT_GNU_RELRO && at >= begin && at < page_of(end);
    }
    return 1;
}

static bool protect(const ElfW(Dyn) * entry, int protection)
{
    return mprotect((void *)page_of((uintptr_t)&entry->d_un), getauxval(AT_PAGESZ), protection) == 0;
}

/* An offset from the object's texts, which need not be one of these: the linker adds it to their address. */
static void set_soname(const struct place *place, const struct kt_image *image, const char *text)
{
    if (place->sealed && !protect(place->entry, PROT_READ | PROT_WRITE))
        return;
    place->entry->d_un.d_val = (uintptr_t)text - (uintptr_t)image->strings;
    if (place->sealed)
        protect(place->entry, PROT_READ);
}

void kt_soname_hide(const struct link_map *object)
{
    static char hidden[MOST_HIDDEN][128];
    static _Atomic unsigned count;
    struct kt_image image;
    struct place place = {.object = object};
    kt_elf_read(&image, object->l_addr, object->l_ld);
    for (place.entry = object->l_ld; place.entry->d_tag != DT_NULL; place.entry++)
        if (place.entry->d_tag == DT_SONAME)
            break;
    if (place.entry->d_tag != DT_SONAME || kt_soname_of(image.soname) != image.soname)
        return;
    dl_iterate_phdr(find_protection, &place);
    unsigned i = place.writable ? count++ : MOST_HIDDEN;
    if (i >= MOST_HIDDEN)
        return;
    snprintf(hidden[i], sizeof hidden[i], "%s%s", prefix, image.soname);
    set_soname(&place, &image, hidden[i]);
}

const char *kt_soname_of(const char *shown)
{
    size_t length = sizeof prefix - 1;
    return strncmp(shown, prefix, length) == 0 ? shown + length : shown;
}
