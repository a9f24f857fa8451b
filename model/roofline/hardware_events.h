/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Which events of which processor count the work and the traffic of a call (paper 002, section 2.1): for each quantity
 * a list of candidates, of which the first that the processor has wins. A candidate is a sum of events, each with a
 * weight; its text says what it counts and what not. Events are spelled as libpfm4 does, so that KTRACE_EVENTS can name
 * them.
 */
#ifndef KT_HARDWARE_EVENTS_H
#define KT_HARDWARE_EVENTS_H

#include "trace/read/cursor.h"

/* Columns: name, key in JSON, unit. */
#define KT_COUNTABLES(X)                         \
    X(FLOPS, "flops", "flops")                   \
    X(TRAFFIC, "memory traffic", "bytes")        \
    X(NT_STORES, "non-temporal stores", "bytes") \
    X(L2_TRAFFIC, "traffic of the L2", "bytes")

enum kt_countable {
#define KT_COUNTABLE_ENUM(name, text, unit) KT_COUNT_##name,
    KT_COUNTABLES(KT_COUNTABLE_ENUM)
#undef KT_COUNTABLE_ENUM
        KT_COUNTABLES_COUNT,
};
extern const char *const kt_countable_name[];
extern const char *const kt_countable_unit[];

enum { KT_EVENT_TERMS = 5, KT_EVENTS_AT_ONCE = 8 /* that KTRACE_EVENTS takes */ };

struct kt_event_candidate {
    enum kt_countable countable;
    const char *processor; /* for people */
    const char *text;      /* what it is, and what it leaves out */
    struct {
        double weight;
        const char *event; /* NULL: no more terms */
    } term[KT_EVENT_TERMS];
};
extern const struct kt_event_candidate kt_event_candidates[];
extern const size_t kt_event_candidate_count;

/* The first candidate of each countable all of whose events HAS says are there; NULL: none. */
typedef bool kt_event_test(void *context, const char *event);
void kt_events_choose(kt_event_test *has, void *context, const struct kt_event_candidate *out[KT_COUNTABLES_COUNT]);

/* A test for kt_events_choose: this processor has it, as far as libpfm4 knows, and the kernel lets us count it. CONTEXT
 * is not used. */
kt_event_test kt_event_is_here;

/* A test of a process of a trace, which is the CONTEXT: it was counted there. */
kt_event_test kt_event_was_counted;

/* A candidate's counters of this thread, user mode. CANDIDATE may be NULL: then nothing is counted. */
struct kt_event_group {
    const struct kt_event_candidate *candidate;
    int file[KT_EVENT_TERMS];
    uint64_t start[KT_EVENT_TERMS];
    bool fine;
};
void kt_event_group_open(const struct kt_event_candidate *candidate, struct kt_event_group *out);
void kt_event_group_begin(struct kt_event_group *group);
double kt_event_group_end(const struct kt_event_group *group); /* since begin; NAN: not counted all the time */
void kt_event_group_close(struct kt_event_group *group);

/* What a candidate counted in a call; NAN: not all of its events did. */
double kt_event_sum(const struct kt_event_candidate *candidate, const struct kt_call *call);

/* The value for KTRACE_EVENTS that counts as many of the chosen ones as fit, by their order. OUT is cut to SIZE. */
void kt_events_setting(const struct kt_event_candidate *const chosen[KT_COUNTABLES_COUNT], char *out, size_t size);

#endif
