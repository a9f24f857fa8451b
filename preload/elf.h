/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Looks a symbol up in one loaded object, by the rules of the dynamic linker. Reads the object's memory and nothing
 * else: the linker's own dlsym() takes a lock that it holds while constructors run, and a constructor may wait for a
 * thread whose call we are to pass on.
 */
#ifndef KT_ELF_H
#define KT_ELF_H

#include <elf.h>
#include <link.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Where the object's dynamic section says things are; NULL: there is no such thing. */
struct kt_image {
    uintptr_t bias;
    const ElfW(Dyn) * dynamic;
    const char *strings;
    const char *soname;
    const ElfW(Sym) * symbols;
    const uint32_t *gnu_table;    /* DT_GNU_HASH */
    const uint32_t *table;        /* DT_HASH */
    const ElfW(Half) * versions;  /* of each symbol */
    const ElfW(Verdef) * defined; /* versions */
    const ElfW(Verneed) * needed;
};

/* Of several versions of a symbol, a reference that names none gets the oldest, a plain dlsym() the default one. */
enum kt_version { KT_VERSION_NAMED, KT_VERSION_OLDEST, KT_VERSION_DEFAULT };

/* What is looked up. */
struct kt_name {
    const char *text;
    const char *version; /* if named */
    enum kt_version which;
    uint32_t hash;
};

/* Pointers in the dynamic section may be relocated or not. */
void kt_elf_read(struct kt_image *image, uintptr_t bias, const ElfW(Dyn) * dynamic);

uint32_t kt_elf_hash(const char *text); /* of DT_GNU_HASH */
struct kt_name kt_elf_name(const char *text, enum kt_version which);

/* The definition, or NULL. */
const ElfW(Sym) * kt_elf_find(const struct kt_image *image, const struct kt_name *name);

/* Is there a version that a reference to this definition could name? */
bool kt_elf_has_version(const struct kt_image *image, const ElfW(Sym) * definition);

/* Does the object refer to the symbol without having it? */
bool kt_elf_refers(const struct kt_image *image, const char *symbol);

/* The version that the object's own reference to the symbol asks for; the oldest if that names none. */
struct kt_name kt_elf_reference(const struct kt_image *image, const char *symbol);

/* The address; runs code of the object if that chooses among several (STT_GNU_IFUNC). */
void *kt_elf_address(uintptr_t bias, const ElfW(Sym) * symbol);

#endif
