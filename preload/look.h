/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * One look at the linker's list of objects, as objects.c takes it and scopes.c uses it: a table that is whole and true
 * while the question is answered, and only then.
 */
#ifndef KT_LOOK_H
#define KT_LOOK_H

#include "preload/objects.h"

struct kt_object {
    struct kt_loaded loaded;
    uint32_t soname_hash, file_hash;
    int needed, needed_end; /* in kt_objects.needed */
    int root;               /* the object whose dlopen() brought it in */
    bool initial;           /* loaded at the start */
};

struct kt_object_table {
    struct kt_object *object;
    int count;
    bool full;        /* there are more of them */
    int us;           /* our own index; -1: not found */
    uint16_t *needed; /* indices of objects */
    int needed_count;
    unsigned long long adds, subs; /* of the linker, when the list was made */
};

/* An object and all it needs, breadth first. */
struct kt_group {
    uint16_t member[KT_MAX_OBJECTS];
    int count;
    bool has[KT_MAX_OBJECTS];
};

/* What is asked; ANSWER works while the linker's lock keeps the objects that it reads from being unmapped. */
struct kt_look {
    void (*answer)(struct kt_look *look);
    uintptr_t address;
    const char *symbol;
    const char *named; /* the object, if that is what is asked */
    int first;         /* objects before that do not count */
    struct kt_loaded *object;
    const ElfW(Sym) * found;
    bool has_version;
    uintptr_t bias; /* of the object that it was found in */
    bool done;
    bool partial; /* the table has not all objects */
};

extern KT_HIDDEN struct kt_object_table kt_objects;
extern KT_HIDDEN struct kt_group kt_group;

/* Answers the look, under the linker's lock where that can be had. */
KT_HIDDEN void kt_objects_look(struct kt_look *look);

/* For answers only: the object that holds the address, or has that file name or soname; -1: none. */
KT_HIDDEN int kt_objects_index(uintptr_t address);
KT_HIDDEN int kt_objects_named(const char *name);

/* Makes kt_group that of the object with index ROOT. */
KT_HIDDEN void kt_objects_form_group(int root);

#endif
