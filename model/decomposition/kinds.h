/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Do the calls of a shape fall into two kinds, so that their median tells neither? Pure functions.
 *
 * What is known of calls is asked first. A fact splits them if its values lie apart, and the calls with more of it are
 * clearly slower: the medians differ by a quarter of the smaller, nine of ten pairs are in that order, and the rank-sum
 * test takes that for chance in one case of 500. Otherwise the times alone may tell. They do if no distribution with
 * one peak has them: Hartigan's dip is beyond what a uniform distribution, the least favourable, exceeds in one case
 * of 1,000; and hardly a call lies between the two groups. Long tails are no second kind.
 */
#ifndef KT_KINDS_H
#define KT_KINDS_H

#include <stdbool.h>
#include <stddef.h>

/* What may be known of a call: page faults; calls of other threads in progress, on the average over its time; the part
 * of its operands that no call had touched before; bytes that calls touched since its operands were used last. */
#define KT_FACT_LIST(X) X(FAULTS, "page_faults") X(OTHERS, "other_calls") X(FRESH, "untouched") X(DISTANCE, "distance")

enum kt_fact {
#define KT_FACT_ENUM(name, text) KT_FACT_##name,
    KT_FACT_LIST(KT_FACT_ENUM)
#undef KT_FACT_ENUM
        KT_FACTS
};
extern const char *const kt_fact_name[];

struct kt_call_facts {
    double seconds;
    double fact[KT_FACTS]; /* NAN: not known */
};

enum { KT_KIND_LEAST = 4 /* calls */, KT_KINDS = 2 };

struct kt_call_kind {
    size_t calls;
    double median;         /* seconds */
    double fact[KT_FACTS]; /* medians; NAN: not known */
};

struct kt_kinds {
    bool found;
    enum kt_fact by;                    /* that the calls of a kind have in common; KT_FACTS: only the times tell */
    struct kt_call_kind kind[KT_KINDS]; /* the quicker one first; calls whose fact is not known are in none */
};

/* What CALL tells; their order does not matter. */
struct kt_kinds kt_kinds_find(const struct kt_call_facts *call, size_t n);

/* Hartigan's dip times the root of N: how far N values, in order, are from any distribution with one peak. */
double kt_dip(const double *sorted, size_t n);

#endif
