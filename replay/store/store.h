/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The store of results: times that replays have measured, in a SQLite database of the user, so that a replay of the
 * same trace, or of a similar one, measures only what is new. It keeps the samples themselves: statistics are worked
 * out anew whenever they are read.
 *
 * A store is a cache. Whatever is wrong with it (locked, damaged, read-only, disk full) is an error that the caller
 * tells once and goes on without.
 */
#ifndef KT_STORE_H
#define KT_STORE_H

#include "replay/measure/schedule.h"
#include "trace/base/error.h"

struct kt_store;

/* What series are found by: two that agree in all of it may stand for each other. */
struct kt_store_key {
    const char *setting; /* machine, library, threads, timing method: see kt_identity_setting */
    const char *shape;   /* see kt_identity_shape */
    const char *context; /* its name, and whatever else tells it from others */
};

/* What is kept beside the samples. */
struct kt_store_note {
    enum kt_stop stop; /* why sampling ended; KT_STOP_NOT_YET: it was interrupted */
    double budget;     /* seconds that the replay had */
    double at;         /* when, seconds since 1970 */
    char *failure;     /* why it cannot be timed, or NULL; owned */
};

/* ktrace/store.sqlite in $XDG_CACHE_HOME or ~/.cache; an error if neither is known. */
enum kt_status kt_store_default_path(char *out, size_t size, struct kt_error *error);

/* Opens or makes the database and the directories it is in. NULL, with the reason, if it cannot be used. */
struct kt_store *kt_store_open(const char *path, struct kt_error *error);
void kt_store_close(struct kt_store *store);
/* Waits longer than usual while others write: for whom it is more than a cache. */
void kt_store_be_patient(struct kt_store *store);

/* Reads into a series without samples. *FOUND tells whether there was one; NOTE is to be freed if so. A record that
 * makes no sense counts as none. */
enum kt_status kt_store_read(struct kt_store *store, const struct kt_store_key *key, struct kt_series *series,
                             struct kt_store_note *note, bool *found, struct kt_error *error);

/* What is read, and what is written, is between begin and commit; after an error commit undoes it. Unless REPLACE, a
 * series does not take the place of one with more samples: another replay may have been at it meanwhile. */
enum kt_status kt_store_begin(struct kt_store *store, bool writing, struct kt_error *error);
enum kt_status kt_store_write(struct kt_store *store, const struct kt_store_key *key, const struct kt_series *series,
                              const struct kt_store_note *note, bool replace, struct kt_error *error);
enum kt_status kt_store_commit(struct kt_store *store, struct kt_error *error);

/* Plain bytes under a name: what is known of a setting as a whole. False: unknown, or of another size. */
bool kt_store_fact(struct kt_store *store, const char *setting, const char *name, void *out, size_t size);
/* The same of any size; owned. NULL: unknown. Facts whose name begins with "placements " may be dropped for space. */
void *kt_store_bytes(struct kt_store *store, const char *setting, const char *name, size_t *size);
/* How many other settings have a fact of that name. */
size_t kt_store_count_others(struct kt_store *store, const char *setting, const char *name);
enum kt_status kt_store_set_fact(struct kt_store *store, const char *setting, const char *name, const void *bytes,
                                 size_t size, struct kt_error *error);

#endif
