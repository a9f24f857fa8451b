/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * libktrace-audit.so, an auditor of the dynamic linker (rtld-audit(7)) that helps libktrace.so: the linker asks it what
 * to bind each reference to. It sees those that pass libktrace.so by, of modules that were opened with RTLD_DEEPBIND
 * above all, and has them bound to stubs of libktrace.so. So are those of all modules that are opened later, each to a
 * stub for its very routine: a call that is a jump does not show whose it is when it arrives.
 *
 * Auditors live in a namespace of their own, with a C library of their own. This one does without any.
 */
#include "preload/elf.h"
#include "preload/evidence.h"

#include <string.h>

#define EXPORT __attribute__((visibility("default")))

typedef void *redirect_function(const char *name, void *target, const void *from);

/*
 * When an object was loaded. What precedes libktrace.so, as the program does, is found before it by rights. The linker
 * keeps the age for us, in the low bits of the object's address.
 */
enum age { BEFORE_US, US, AFTER_US, LATE, ELSEWHERE, AGE_BITS = 7 };

static struct {
    struct kt_image image; /* of libktrace.so; its bias is 0 before that is seen */
    bool running;          /* it can be called: objects that were loaded at the start are relocated */
    redirect_function *redirect;
} us;

/* --- instead of a C library -------------------------------------------------------------------------------- */

void *memset(void *to, int byte, size_t count)
{
    for (volatile unsigned char *at = to; count; count--)
        *at++ = (unsigned char)byte;
    return to;
}

void *memcpy(void *restrict to, const void *restrict from, size_t count)
{
    volatile unsigned char *at = to;
    for (const unsigned char *source = from; count; count--)
        *at++ = *source++;
    return to;
}

/* --- the linker's questions -------------------------------------------------------------------------------- */

static bool is_us(const struct link_map *map)
{
    struct kt_image image;
    kt_elf_read(&image, map->l_addr, map->l_ld);
    if (strcmp(image.soname, "libktrace.so") != 0)
        return false;
    us.image = image;
    return true;
}

static enum age age_of(const struct link_map *map, Lmid_t namespace)
{
    if (namespace != LM_ID_BASE)
        return ELSEWHERE;
    if (!us.image.bias)
        return is_us(map) ? US : BEFORE_US;
    return us.running ? LATE : AFTER_US;
}

static bool has_all(const struct kt_image *image, const char *const *names)
{
    for (int i = 0; i < KT_EVIDENCE_NAMES && names[i]; i++) {
        struct kt_name name = kt_elf_name(names[i], KT_VERSION_DEFAULT);
        if (!kt_elf_find(image, &name))
            return false;
    }
    return true;
}

/* Only bindings to objects with routines are asked about: fewer by far. */
static bool has_routines(const struct link_map *map)
{
    struct kt_image image;
    kt_elf_read(&image, map->l_addr, map->l_ld);
    for (unsigned i = 0; i < sizeof kt_evidence / sizeof *kt_evidence; i++)
        if (has_all(&image, kt_evidence[i]))
            return true;
    return false;
}

EXPORT unsigned la_version(unsigned version);
unsigned la_version(unsigned version)
{
    return version < LAV_CURRENT ? version : LAV_CURRENT;
}

EXPORT unsigned la_objopen(struct link_map *map, Lmid_t namespace, uintptr_t *cookie);
unsigned la_objopen(struct link_map *map, Lmid_t namespace, uintptr_t *cookie)
{
    enum age age = age_of(map, namespace);
    *cookie = (uintptr_t)map | age;
    if (age == BEFORE_US)
        return LA_FLG_BINDFROM;
    if (age == US)
        return LA_FLG_BINDTO;
    return age == ELSEWHERE ? 0 : LA_FLG_BINDFROM | (has_routines(map) ? LA_FLG_BINDTO : 0);
}

EXPORT void la_preinit(uintptr_t *cookie);
void la_preinit(uintptr_t *cookie)
{
    struct kt_name name = kt_elf_name("ktrace_redirect", KT_VERSION_DEFAULT);
    const ElfW(Sym) *symbol = kt_elf_find(&us.image, &name);
    (void)cookie;
    us.running = true;
    if (symbol)
        us.redirect = (redirect_function *)kt_elf_address(us.image.bias, symbol);
}

/*
 * References of objects that were loaded at the start are bound to libktrace.so or else to what is found before it. Of
 * what is looked up by dlsym(), libktrace.so sees all but what modules look up that have a dlsym() of their own.
 */
static bool is_ours(const char *symbol, enum age from, enum age to, unsigned flags)
{
    struct kt_name name = kt_elf_name(symbol, KT_VERSION_DEFAULT);
    bool is_wanted = from == LATE || (to != US && !(flags & LA_SYMB_DLSYM));
    return us.redirect && is_wanted && kt_elf_find(&us.image, &name);
}

EXPORT uintptr_t la_symbind64(Elf64_Sym *symbol, unsigned index, uintptr_t *from, uintptr_t *to, unsigned *flags,
                              const char *name);
uintptr_t la_symbind64(Elf64_Sym *symbol, unsigned index, uintptr_t *from, uintptr_t *to, unsigned *flags,
                       const char *name)
{
    const struct link_map *map = (const void *)(*from & ~(uintptr_t)AGE_BITS);
    (void)index;
    *flags |= LA_SYMB_NOPLTENTER | LA_SYMB_NOPLTEXIT;
    if (!is_ours(name, *from & AGE_BITS, *to & AGE_BITS, *flags))
        return symbol->st_value;
    return (uintptr_t)us.redirect(name, (void *)symbol->st_value, map->l_ld);
}
