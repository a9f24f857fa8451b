/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a comparison sets side by side: libraries, each with one or several numbers of threads. The first is the
 * baseline: the library that was recorded, named or not.
 */
#ifndef KT_LANES_H
#define KT_LANES_H

#include "replay/compare/compare_options.h"

enum { KT_LANE_LABEL = 32 };

struct kt_lanes {
    struct kt_library library[KT_MOST_LANES];
    char label[KT_MOST_LANES][KT_LANE_LABEL]; /* different ones: "blis-serial", "blis-serial x2", "mine/libblas.so.3" */
    size_t count;
    bool is_recorded;    /* the first one is what was recorded */
    bool is_as_recorded; /* with as many threads, too */
};

/* OUT is to be freed also after an error. */
enum kt_status kt_lanes_choose(const struct kt_compare_options *options, const struct kt_trace *trace,
                               struct kt_lanes *out, struct kt_error *error);
void kt_lanes_free(struct kt_lanes *lanes);

#endif
