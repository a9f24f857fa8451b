/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The points of a roofline plot (paper 002): the shapes of one or several traces, each with its intensity, flops per
 * byte of memory traffic, and its rate, flops per cycle, as the calls happened and, where the trace was replayed, with
 * operands in cache and in memory. The shapes that took most time are numbered, one number for the same shape in all
 * series; of each routine the others are one point.
 */
#ifndef KT_ROOFLINE_H
#define KT_ROOFLINE_H

#include "model/roofline/quantities.h"
#include "model/report/replayed.h"
#include "model/roofline/roofs.h"
#include "model/roofline/spread.h"

enum kt_point_context { KT_POINT_INSITU, KT_POINT_WARM, KT_POINT_COLD, KT_POINT_CONTEXTS };
extern const char *const kt_point_context_name[]; /* "in situ", "warm", "cold" */

enum { KT_POINT_TEXT = 96, KT_MOST_SERIES = 8 };

struct kt_point {
    char routine[32];
    char shape[KT_POINT_TEXT]; /* as kt_shape_text prints it, or "12 other shapes" */
    json_t *args;              /* of the first call; NULL: several shapes; owned */
    size_t series;
    enum kt_point_context context;
    size_t number; /* 1, 2, ... by share of time; 0: several shapes */
    size_t shapes;
    double calls, seconds;
    double share;               /* of the time of all calls of its trace */
    struct kt_quantities work;  /* modelled, of one call; of several shapes the sums over all calls */
    double traffic;             /* modelled bytes, likewise */
    double flops_counted;       /* NAN: not counted */
    double traffic_counted;     /* NAN: not counted */
    double traffic_tracked;     /* of it, what the cache model says came from memory in situ; NAN: not asked for */
    struct kt_spread time;      /* seconds of a call */
    struct kt_spread intensity; /* flops per byte */
    struct kt_spread rate;      /* flops per cycle */
    bool counted;               /* the intensity is from counters, otherwise from the model */
};

/* A trace. */
struct kt_point_series {
    char name[64];
    char library[64]; /* that made its calls */
    size_t roofs;     /* index of its machine's */
    int threads;      /* that its library used */
    double seconds;   /* of all its calls */
};

struct kt_roofline {
    struct kt_point_series series[KT_MOST_SERIES];
    size_t count; /* series */
    struct kt_roofs roofs[KT_MOST_SERIES];
    size_t machines;
    struct kt_point *point; /* largest share first within a series */
    size_t points;
    bool tracked; /* to be set before traces are added: have the cache model follow their calls */
    bool lined;   /* the points of a series are one kernel at several sizes, in their order */
};

/* Adds a series with the points of all shapes. REPLAYED may be empty. MACHINE: index of its roofs. */
void kt_roofline_add(struct kt_roofline *roofline, const struct kt_trace *trace, const struct kt_replayed *replayed,
                     size_t machine, const char *name);

/* When all series are there: numbers the TOP shapes and puts the others together. */
void kt_roofline_finish(struct kt_roofline *roofline, size_t top);
void kt_roofline_free(struct kt_roofline *roofline);

/* Intensity and rate from the work, the traffic and the times of a point; HZ: cycles per second. */
void kt_point_place(struct kt_point *point, double hz);

/* Has it a place in a picture with logarithmic axes? */
bool kt_point_is_drawable(const struct kt_point *point);

/* Attainable rate over that intensity with operands in memory; NAN: not known. */
double kt_point_limit(const struct kt_roofline *roofline, const struct kt_point *point);

/* The median rate over the highest roof of all, that of the nearest cache: above 1 by more than its lower quartile
 * tells that a roof is too low, or a time too short to be measured. NAN: not known. */
double kt_point_excess(const struct kt_roofline *roofline, const struct kt_point *point);
bool kt_point_is_above(const struct kt_roofline *roofline, const struct kt_point *point);

/* What `ktrace roofline --json` prints; to be freed by the caller. */
json_t *kt_roofline_json(const struct kt_roofline *roofline);

/* One line for each point. */
enum kt_status kt_roofline_csv(const struct kt_roofline *roofline, const char *path, struct kt_error *error);

#endif
