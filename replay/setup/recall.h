/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a replay knows from earlier ones: series of the store that are as good as those that it would take are not
 * taken again, others are continued. What is new is written to the store now and then, so that little is lost even if
 * the command is killed.
 */
#ifndef KT_RECALL_H
#define KT_RECALL_H

#include "replay/setup/setup.h"
#include "replay/store/store.h"
#include "replay/measure/worker.h"

/* Of a series, what the store has. */
struct kt_kept {
    size_t samples;
    enum kt_stop stop; /* why sampling last came to an end of its own */
    double budget;
};

struct kt_recall {
    struct kt_store *store; /* NULL: goes without */
    const char *path;       /* of the store; owned */
    char *setting;          /* see kt_identity_setting */
    const struct kt_replay_options *options;
    struct kt_jobs *jobs;
    struct kt_schedule *schedule;
    char **context;       /* by item and lane, see kt_identity_context */
    char **shape;         /* by item, see kt_identity_shape */
    struct kt_kept *kept; /* by item and lane */
    bool *refused;        /* by item: before anything was measured */
    size_t reused;        /* series that are not taken again */
    double from, to;      /* when they were taken, seconds since 1970; 0: none is */
    double written;       /* when the store was, on the monotonic clock */
};

/* Opens the store that the options name. Where there is none that can be used, says so, and the replay goes without.
 * OUT and its arguments have to stay where they are. */
void kt_recall_begin(const struct kt_replay_options *options, struct kt_recall *out);

/* Reads what the store has for the schedule's items, those of the setup's jobs, and lanes, the contexts. */
void kt_recall_open(struct kt_recall *recall, const struct kt_library *library, struct kt_setup *setup,
                    struct kt_schedule *schedule);
void kt_recall_close(struct kt_recall *recall);

/* True if nothing is left to be measured. */
bool kt_recall_is_complete(const struct kt_recall *recall);

/* Writes what is new; unless it is the LAST time, only if the last time is some seconds ago. */
void kt_recall_keep(struct kt_recall *recall, bool last);

/* Plain bytes that are known of the setting, or of the machine alone. */
bool kt_recall_fact(struct kt_recall *recall, bool of_machine, const char *name, void *out, size_t size);
void *kt_recall_bytes(struct kt_recall *recall, bool of_machine, const char *name, size_t *size); /* owned */
double kt_recall_fault_seconds(struct kt_recall *recall); /* of a page fault: as known, or measured now */
void kt_recall_set_fact(struct kt_recall *recall, bool of_machine, const char *name, const void *bytes, size_t size);

#endif
