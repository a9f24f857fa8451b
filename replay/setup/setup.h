/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What replay and compare begin with: their options, the trace, its shapes and the jobs made of them.
 */
#ifndef KT_SETUP_H
#define KT_SETUP_H

#include "replay/measure/context.h"
#include "replay/flush/eviction.h"
#include "replay/call/job.h"
#include "replay/call/library.h"
#include "replay/measure/schedule.h"
#include "replay/setup/share.h"
#include "trace/command/verb.h"
#include "trace/read/state.h"

enum { KT_MAX_CONTEXTS = 8, KT_MAX_LIBRARIES = 16 };

/* What is done between the calls of a sequence where the program did something else: nothing for as long, which is the
 * default, nothing and at once, or for as long reading memory, or executing code, which is the default of compare. */
enum kt_gaps { KT_GAPS_IDLE, KT_GAPS_NONE, KT_GAPS_TRAFFIC, KT_GAPS_CODE, KT_GAPS_KINDS };
const char *kt_gaps_name(enum kt_gaps gaps);

struct kt_replay_options {
    const char *trace;
    bool json;
    int threads;          /* 0: as recorded */
    double budget;        /* seconds */
    const char *routines; /* patterns, NULL: all */
    enum kt_level level;
    struct kt_layout layout;
    const struct kt_context *context[KT_MAX_CONTEXTS];
    size_t contexts;
    bool sequence; /* besides them (replay/sequence/sequence.h) */
    enum kt_gaps gaps;
    bool has_gaps; /* were asked for */
    bool alone;    /* the sequence is that of the busiest thread, */
    bool company;  /* or else of all threads: calls that were made at the same time are played at the same time */
    enum kt_timer_kind timer;
    const char *blas[KT_MAX_LIBRARIES];
    size_t libraries;
    const char *store;     /* file of results, NULL: the usual one, "none": none */
    bool fresh;            /* what it has is measured again */
    int runs;              /* of the program, between rounds; 0: none */
    struct kt_share share; /* of the shapes */
    const char *what_if;   /* a change (replay/advise/variation.h); NULL: none */
    bool has_all; /* this command recorded the trace so that it has all outermost calls, whatever filter it names */
};

struct kt_setup {
    struct kt_trace trace;
    struct kt_state state; /* of the trace: what is missing */
    bool has_all;          /* see struct kt_replay_options */
    struct kt_shapes shapes;
    struct kt_hierarchy hierarchy;         /* calibrated for the contexts of the options */
    struct kt_placements_of_shape *placed; /* by shape, if a context is tracked; owned */
    struct kt_snapshots snapshots;
    const struct kt_snapshot **held; /* by shape, if there are snapshots; owned */
    struct kt_jobs jobs;
};

/* Parses the options of replay into OUT, which holds the defaults. */
enum kt_status kt_replay_options_parse(int argc, char **argv, struct kt_replay_options *out, struct kt_error *error);

/* What of the options other verbs have, too. Contexts, gaps and libraries are set in a struct kt_replay_options, the
 * others in the member that they are named after. */
kt_verb_taker kt_replay_take_contexts, kt_replay_take_gaps, kt_replay_take_blas, kt_replay_take_budget,
    kt_replay_take_store, kt_replay_take_runs, kt_replay_take_threads, kt_replay_take_pages, kt_replay_take_alignment,
    kt_replay_take_share;
#define KT_REPLAY_CONTEXTS                                                                                    \
    "warm, cold, allcold (code too), coldcode, l1, l2, l3 (evicted from that cache), tracked, or by operand " \
    "A=cold,B=warm"
#define KT_REPLAY_GAPS "none|idle|traffic|code"
#define KT_REPLAY_STORE                                                                                     \
    "store", 0, "FILE|none", "file that keeps all measured times; default ktrace/store.sqlite in ~/.cache", \
        kt_replay_take_store
#define KT_REPLAY_SHARD                                                                                               \
    "shard", 0, "I/N", "only the I-th of N shares of the shapes; default: one share for each rank of mpirun or srun", \
        kt_replay_take_share
#define KT_REPLAY_FRESH(type, member) "fresh", 0, NULL, "measure again what is in the store", KT_VERB_FLAG(type, member)

/* The contexts if none was asked for: warm, cold, and tracked if there is a source of placements. */
void kt_replay_options_default(struct kt_replay_options *options);

/* All jobs, also those of other shares. OUT is to be closed also after an error. RECALL knows what earlier calibrations
 * found; NULL: nothing does. */
struct kt_recall;
enum kt_status kt_setup_open(const struct kt_replay_options *options, struct kt_recall *recall, struct kt_setup *out,
                             struct kt_error *error);
/* What is to be known about the contexts here, as notices. */
void kt_setup_say_doubts(const struct kt_setup *setup);
/* Are all calls that the program itself makes in the trace? */
bool kt_setup_has_all(const struct kt_setup *setup);
void kt_setup_close(struct kt_setup *setup);

/* Gives the schedule the weights of the first jobs, MOST of them, the budget and the number of lanes. */
void kt_setup_schedule(const struct kt_setup *setup, const struct kt_replay_options *options, size_t lanes, size_t most,
                       struct kt_schedule *out);

/* A job cannot be timed in a tracked context if it is not known where its operands were; nor by the processor's time if
 * it is short and cannot be repeated in that context. */
bool kt_setup_lacks(const struct kt_job *job, const struct kt_context *context, enum kt_timer_kind timer);

#endif
