/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Snapshots of operands that a trace has (KTRACE_SNAPSHOT; FORMAT.md, "Snapshots"). Files that were not finished are no
 * snapshots, and one of which any length is wrong is damaged and left out.
 */
#ifndef KT_SNAPSHOTS_H
#define KT_SNAPSHOTS_H

#include "trace/read/cursor.h"

struct kt_snapshot {
    uint64_t number;     /* of its file in the process's directory */
    struct kt_call call; /* process, thread, entry and arguments; nothing else is known of it */
    const struct kt_snapshot_operand *operand;
    unsigned operands;
    unsigned char *bytes; /* of the file; owned */
    size_t size;
};

struct kt_snapshots {
    struct kt_snapshot *snapshot; /* owned */
    size_t count, damaged;
    uint64_t missing; /* that could not be taken */
    uint64_t bytes;   /* of all files */
};

/* TRACE must live as long. */
void kt_snapshots_load(const struct kt_trace *trace, struct kt_snapshots *out);
/* Only how many there are, how large they are, and process, thread and number of each: reads no contents, and what
 * SNAPSHOT points to is not to be used. */
void kt_snapshots_survey(const struct kt_trace *trace, struct kt_snapshots *out);
/* Calls VISIT for each, which is there only meanwhile: only one is in memory at a time. */
void kt_snapshots_visit(const struct kt_trace *trace, void (*visit)(const struct kt_snapshot *, void *), void *context);
void kt_snapshots_free(struct kt_snapshots *snapshots);

/* Reads the one of that number; BYTES of it are the caller's to free. False: it is not there or damaged. */
bool kt_snapshot_read(const struct kt_process *process, uint64_t number, struct kt_snapshot *out);

/* What the memory held from the operand's pointer on, and how many bytes of that are known; NULL: none. */
const unsigned char *kt_snapshot_contents(const struct kt_snapshot *snapshot, const struct kt_param *param,
                                          uint64_t *bytes);

/* The same of operand number I, as kt_operands lists them: addresses, in the order of the interface. */
const unsigned char *kt_snapshot_operand(const struct kt_snapshot *snapshot, int i, uint64_t *bytes);

#endif
