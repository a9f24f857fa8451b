/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The shapes of two runs side by side: what is one shape in both, whatever library or process made its calls.
 */
#ifndef KT_DIFF_MATCH_H
#define KT_DIFF_MATCH_H

#include "trace/shape/shape.h"

/* What is one shape in both. */
struct kt_diff_key {
    const char *routine;
    enum kt_view view;
    uint64_t word[KT_MAX_PARAMS];
    size_t words;
};

struct kt_diff_node {
    struct kt_diff_key key;
    struct kt_samples samples[2]; /* of all groups of that key; owned if joined */
    bool joined[2];
    uint64_t calls[2];
    double total[2];
    double subtracted[2]; /* seconds */
    struct kt_call first;
    const struct kt_shape_group *most[2];
    bool has[2];
    uint64_t also; /* what its words say besides (trace/shape/shape_words.h) */
};

struct kt_diff_match {
    void *tree;
    struct kt_diff_node **node;
    size_t count;
};

/* Adds a group of the run, which has to live as long. */
void kt_diff_match_add(struct kt_diff_match *match, int side, const struct kt_shape_group *group);
void kt_diff_match_words(struct kt_diff_match *match); /* when all groups are there: ALSO of each node */
void kt_diff_match_free(struct kt_diff_match *match);

#endif
