/* SPDX-License-Identifier: BSD-3-Clause */
#include "preload/elf.h"

#include <string.h>

enum { HIDDEN = 0x8000, INDEX = 0x7fff };

/* --- the dynamic section ----------------------------------------------------------------------------------- */

static uintptr_t distance(uintptr_t a, uintptr_t b)
{
    return a < b ? b - a : a - b;
}

/* Relocated or not, it points into the object, whose dynamic section is near. */
static const void *at(const struct kt_image *image, uintptr_t pointer)
{
    uintptr_t near = (uintptr_t)image->dynamic;
    uintptr_t moved = pointer + image->bias;
    return (const void *)(distance(pointer, near) <= distance(moved, near) ? pointer : moved);
}

void kt_elf_read(struct kt_image *image, uintptr_t bias, const ElfW(Dyn) * dynamic)
{
    ElfW(Xword) soname = 0;
    *image = (struct kt_image){.bias = bias, .dynamic = dynamic, .soname = ""};
    for (const ElfW(Dyn) *d = dynamic; d && d->d_tag != DT_NULL; d++) {
        const void *place = at(image, d->d_un.d_ptr);
        switch (d->d_tag) {
        case DT_STRTAB:
            image->strings = place;
            break;
        case DT_SYMTAB:
            image->symbols = place;
            break;
        case DT_GNU_HASH:
            image->gnu_table = place;
            break;
        case DT_HASH:
            image->table = place;
            break;
        case DT_VERSYM:
            image->versions = place;
            break;
        case DT_VERDEF:
            image->defined = place;
            break;
        case DT_VERNEED:
            image->needed = place;
            break;
        case DT_SONAME:
            soname = d->d_un.d_val;
            break;
        default:
            break;
        }
    }
    if (image->strings && soname)
        image->soname = (const char *)((uintptr_t)image->strings + soname); /* elsewhere if it is hidden (soname.h) */
}

/* --- names ------------------------------------------------------------------------------------------------- */

uint32_t kt_elf_hash(const char *text)
{
    uint32_t hash = 5381;
    for (const unsigned char *c = (const void *)text; *c; c++)
        hash = 33 * hash + *c;
    return hash;
}

/* The hash of DT_HASH. */
static uint32_t old_hash(const char *text)
{
    uint32_t hash = 0;
    for (const unsigned char *c = (const void *)text; *c; c++) {
        hash = (hash << 4) + *c;
        hash = (hash ^ (hash >> 24 & 0xf0)) & 0x0fffffff;
    }
    return hash;
}

struct kt_name kt_elf_name(const char *text, enum kt_version which)
{
    return (struct kt_name){.text = text, .which = which, .hash = kt_elf_hash(text)};
}

/* --- versions ---------------------------------------------------------------------------------------------- */

static const void *after(const void *from, size_t bytes)
{
    return (const char *)from + bytes;
}

static const char *defined_version(const struct kt_image *image, unsigned index)
{
    const ElfW(Verdef) *d = image->defined;
    while (d && d->vd_ndx != index)
        d = d->vd_next ? after(d, d->vd_next) : NULL;
    return d ? image->strings + ((const ElfW(Verdaux) *)after(d, d->vd_aux))->vda_name : NULL;
}

static const char *needed_version(const struct kt_image *image, unsigned index)
{
    for (const ElfW(Verneed) *n = image->needed; n; n = n->vn_next ? after(n, n->vn_next) : NULL)
        for (const ElfW(Vernaux) *a = after(n, n->vn_aux); a; a = a->vna_next ? after(a, a->vna_next) : NULL)
            if (a->vna_other == index)
                return image->strings + a->vna_name;
    return NULL;
}

static bool is_version(const struct kt_image *image, unsigned index, const char *version)
{
    const char *defined = defined_version(image, index);
    return defined && !strcmp(defined, version);
}

/* The first two indices are no version that a reference could name; such symbols satisfy all. */
static bool is_acceptable(const struct kt_image *image, size_t i, const struct kt_name *name)
{
    unsigned index = image->versions ? image->versions[i] & INDEX : VER_NDX_GLOBAL;
    if (index <= VER_NDX_GLOBAL)
        return true;
    if (name->which == KT_VERSION_NAMED)
        return is_version(image, index, name->version);
    return name->which == KT_VERSION_OLDEST ? index == VER_NDX_GLOBAL + 1 : !(image->versions[i] & HIDDEN);
}

bool kt_elf_has_version(const struct kt_image *image, const ElfW(Sym) * definition)
{
    return image->versions && (image->versions[definition - image->symbols] & INDEX) > VER_NDX_GLOBAL;
}

/* --- symbols ----------------------------------------------------------------------------------------------- */

static bool is_named(const struct kt_image *image, size_t i, const struct kt_name *name)
{
    return !strcmp(image->strings + image->symbols[i].st_name, name->text);
}

static bool is_match(const struct kt_image *image, size_t i, const struct kt_name *name)
{
    const ElfW(Sym) *symbol = &image->symbols[i];
    unsigned type = ELF64_ST_TYPE(symbol->st_info);
    if (symbol->st_shndx == SHN_UNDEF || (!symbol->st_value && symbol->st_shndx != SHN_ABS) ||
        ELF64_ST_BIND(symbol->st_info) == STB_LOCAL)
        return false;
    if (type != STT_FUNC && type != STT_GNU_IFUNC && type != STT_NOTYPE && type != STT_OBJECT)
        return false;
    return is_named(image, i, name) && is_acceptable(image, i, name);
}

/* The parts of DT_GNU_HASH. */
struct gnu_table {
    uint32_t buckets, first, words, shift;
    const ElfW(Addr) * bloom;
    const uint32_t *bucket, *chain; /* CHAIN[i] belongs to symbol FIRST + i */
};

static struct gnu_table gnu_table(const uint32_t *from)
{
    const ElfW(Addr) *bloom = (const void *)(from + 4);
    const uint32_t *bucket = (const void *)(bloom + from[2]);
    return (struct gnu_table){from[0], from[1], from[2], from[3], bloom, bucket, bucket + from[0]};
}

static bool may_hold(const struct gnu_table *t, uint32_t hash)
{
    enum { BITS = 8 * sizeof(ElfW(Addr)) };
    ElfW(Addr) word = t->bloom[hash / BITS % t->words];
    return word >> hash % BITS & word >> (hash >> t->shift) % BITS & 1;
}

static size_t find_by_gnu_hash(const struct kt_image *image, const struct kt_name *name)
{
    struct gnu_table t = gnu_table(image->gnu_table);
    size_t i = t.buckets && may_hold(&t, name->hash) ? t.bucket[name->hash % t.buckets] : 0;
    if (i < t.first)
        return 0;
    for (;; i++) {
        uint32_t hash = t.chain[i - t.first];
        if ((hash | 1) == (name->hash | 1) && is_match(image, i, name))
            return i;
        if (hash & 1) /* the last of its bucket */
            return 0;
    }
}

/* In DT_HASH undefined symbols are too. */
static size_t find_by_hash(const struct kt_image *image, const struct kt_name *name,
                           bool (*matches)(const struct kt_image *, size_t, const struct kt_name *))
{
    const uint32_t *bucket = image->table + 2;
    const uint32_t *chain = bucket + image->table[0];
    size_t i = image->table[0] ? bucket[old_hash(name->text) % image->table[0]] : 0;
    while (i && !matches(image, i, name))
        i = chain[i];
    return i;
}

static size_t find(const struct kt_image *image, const struct kt_name *name)
{
    if (!image->symbols || !image->strings)
        return 0;
    if (image->gnu_table)
        return find_by_gnu_hash(image, name);
    return image->table ? find_by_hash(image, name, is_match) : 0;
}

const ElfW(Sym) * kt_elf_find(const struct kt_image *image, const struct kt_name *name)
{
    struct kt_name by_default = *name;
    size_t i = find(image, name);
    if (!i && name->which == KT_VERSION_OLDEST) {
        by_default.which = KT_VERSION_DEFAULT;
        i = find(image, &by_default);
    }
    return i ? &image->symbols[i] : NULL;
}

static bool is_reference(const struct kt_image *image, size_t i, const struct kt_name *name)
{
    return image->symbols[i].st_shndx == SHN_UNDEF && is_named(image, i, name);
}

/* Undefined symbols are not in DT_GNU_HASH; they come before all that are. */
static size_t find_reference(const struct kt_image *image, const struct kt_name *name)
{
    if (!image->symbols || !image->strings)
        return 0;
    if (image->table)
        return find_by_hash(image, name, is_reference);
    for (size_t i = 1; image->gnu_table && i < gnu_table(image->gnu_table).first; i++)
        if (is_reference(image, i, name))
            return i;
    return 0;
}

bool kt_elf_refers(const struct kt_image *image, const char *symbol)
{
    struct kt_name name = kt_elf_name(symbol, KT_VERSION_OLDEST);
    return find_reference(image, &name) != 0;
}

struct kt_name kt_elf_reference(const struct kt_image *image, const char *symbol)
{
    struct kt_name name = kt_elf_name(symbol, KT_VERSION_OLDEST);
    size_t i = image->versions ? find_reference(image, &name) : 0;
    name.version = i ? needed_version(image, image->versions[i] & INDEX) : NULL;
    if (name.version)
        name.which = KT_VERSION_NAMED;
    return name;
}

void *kt_elf_address(uintptr_t bias, const ElfW(Sym) * symbol)
{
    uintptr_t value = symbol->st_shndx == SHN_ABS ? symbol->st_value : bias + symbol->st_value;
    if (ELF64_ST_TYPE(symbol->st_info) == STT_GNU_IFUNC)
        return ((void *(*)(void))value)();
    return (void *)value;
}
