/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Where profile mode counts: tables, one per thread at a time, and the file of overflow cells, which all threads share.
 *
 * A table is a file that is mapped and written in place: cells one behind the other. Beside it, in memory of our own,
 * is an index of open addressing. It grows by remapping, and so only its thread may touch it; cells are known by their
 * place. Tables outlive their threads: the next one to come goes on with the table, where it finds the shapes of its
 * predecessor. So there are as many tables as there ever were threads at one time, however many come and go.
 */
#ifndef KT_PROFILE_TABLE_H
#define KT_PROFILE_TABLE_H

#include "preload/shim.h"

enum { KT_LASTS = 256 /* entries of which the last cell is remembered */ };

/*
 * Places of cells, here and below, are in words of 8 bytes from the begin of the file; 0 is none. Where shapes are many
 * the program's data push cells out of the caches, so of a cell that is found as little as possible is read: a hash of
 * 64 bits tells shapes apart. (That two of a hundred thousand have the same one happens in one of 10^9 programs.)
 */
struct kt_slot_of_cell {
    uint64_t hash;
    uint32_t place;
};

struct kt_last_cell {
    uint32_t place;
    uint32_t in_vain; /* how often, at the end, calls were of others */
};

struct kt_table {
    struct kt_profile_head *head; /* the file */
    size_t bytes, used;
    size_t cells;
    struct kt_slot_of_cell *slot; /* the index, of open addressing, at most half full */
    size_t slots;                 /* a power of two */
    uint64_t tid;                 /* name of the file */
    unsigned suffix;
    bool full;                          /* cannot grow any more */
    bool in_memory;                     /* the file system cannot share memory: the file is written at the end */
    bool is_idle;                       /* its thread has ended */
    uint64_t outermost, ticks;          /* of the thread: calls begun, time */
    uint64_t spent;                     /* ticks that making cells took: within calls, that is no time of theirs */
    uint32_t within;                    /* entry of the outermost call in progress, + 1 */
    struct kt_table *next;              /* of all */
    struct kt_last_cell last[KT_LASTS]; /* by entry */
    struct kt_slot_of_cell first_slot[];
};

/* Of this thread; NULL: there was no room for one. */
extern KT_HIDDEN __thread struct kt_table *kt_table __attribute__((tls_model("initial-exec")));

/* The file of overflow cells; NULL: there is none. */
extern KT_HIDDEN struct kt_profile_head *kt_overflow;

static inline struct kt_cell *kt_cell_at(const struct kt_profile_head *head, uint32_t place)
{
    return (struct kt_cell *)(void *)((char *)head + 8 * (size_t)place);
}

/* Room for so many bytes behind the cells, if it can be had and more than KEEP is left. Not within a slow path. */
KT_HIDDEN KT_COLD bool kt_profile_table_room(struct kt_table *table, size_t bytes, size_t keep);

/* The cell of BYTES behind the others is complete, and is found by its hash from now on. */
KT_HIDDEN void kt_profile_table_add(struct kt_table *table, size_t bytes, uint64_t hash);

/* The overflow cell of an entry, made if there is none; 0: there is no room even for that. */
KT_HIDDEN KT_COLD uint32_t kt_profile_table_overflow(unsigned entry, enum kt_nesting nesting);

/* A table for the thread of STREAM, and its end. Within a slow path. The first tells why there is none, or
 * KT_LOSS_COUNT. */
KT_HIDDEN enum kt_loss kt_profile_table_open(struct kt_stream *stream);
KT_HIDDEN void kt_profile_table_close(struct kt_stream *stream);

/* Files get the length that they need: nobody counts any more. Within a slow path. */
KT_HIDDEN void kt_profile_table_finish(void);

/* In a child, which has no tables yet. */
KT_HIDDEN void kt_profile_table_forget(void);

#endif
