/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The machine file: what `ktrace probe` measured, kept for every verb that needs to know the machine. One file for each
 * machine, in the user's cache directory. This is its reader; model/probe/probe.h writes it.
 */
#ifndef KT_MACHINE_H
#define KT_MACHINE_H

#include "trace/command/json.h"

enum { KT_MACHINE_CACHES = 8, KT_MACHINE_ROOFS = 64 };

struct kt_machine_cache {
    double bytes;           /* capacity; 0: not determined */
    double effective_bytes; /* up to which loads cost at most a quarter more than within the level */
    double half_bytes;      /* of so many about half are found there: where its end is spread, the middle of that */
    double latency_cycles;  /* of the core */
    double latency_ns;
    double confidence; /* 0 to 1: of bytes */
    int ways;          /* 0: not determined */
};

/* A ceiling: the best that some code reached. */
struct kt_machine_roof {
    char name[64];     /* such as "fma double x8", "memory triad" */
    int cores;         /* that it was measured on together */
    double per_cycle;  /* flops or bytes in a cycle of the core */
    double per_second; /* NAN: follows from the clock */
};

struct kt_machine {
    double tsc_hz, core_hz;
    double line_bytes, page_bytes; /* 0: not determined */
    struct kt_machine_cache cache[KT_MACHINE_CACHES];
    size_t caches;
    double memory_latency_cycles, memory_latency_ns; /* NAN: not determined */
    struct kt_machine_roof peak[KT_MACHINE_ROOFS];   /* flops; vectors of doubles and floats */
    size_t peaks;
    struct kt_machine_roof bandwidth[KT_MACHINE_ROOFS]; /* bytes */
    size_t bandwidths;
    bool fma;
    bool quick; /* measured with --quick */
};

/* $XDG_CACHE_HOME/ktrace/machine-KEY.json; the key is made of the machine's id, its processor's name and how many there
 * are and, where only some may be used, of the numbers of those: they have a file of their own. False: there is no
 * place for it, neither XDG_CACHE_HOME nor HOME being set. */
bool kt_machine_path(char *out, size_t size);

/* May only some of the machine's processors be used here? */
bool kt_machine_is_part(void);

/* Reads the file at PATH, or this machine's if that is NULL. An error that it is not there says what to do. */
enum kt_status kt_machine_read(const char *path, struct kt_machine *out, struct kt_error *error);

/* The same from a document. */
enum kt_status kt_machine_take(const json_t *document, struct kt_machine *out, struct kt_error *error);

/* The effective size of the largest cache that has one, in bytes; 0: none. */
double kt_machine_last_cache(const struct kt_machine *machine);

#endif
