/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The points of a roofline plot (paper 002): the shapes of one or several traces, each with its intensity, flops per
 * byte of memory traffic, and its rate, flops per cycle, as the calls happened and, where the trace was replayed, with
 * operands in cache and in memory. Regions of which the program says what they did (ktrace_work) are points, too. The
 * shapes that took most time are numbered, one number for the same shape in all
 * series; of each routine the others are one point.
 */
#ifndef KT_ROOFLINE_H
#define KT_ROOFLINE_H

#include "model/roofline/quantities.h"
#include "model/decomposition/replayed.h"
#include "model/roofline/roofs.h"
#include "model/decomposition/spread.h"
#include "trace/print/library_label.h"

/* Where the operands of the calls were; those of replays and kernels are named as there. */
#define KT_POINT_CONTEXT_LIST(X) \
    X(INSITU, "in situ")         \
    X(WARM, "warm")              \
    X(COLD, "cold")              \
    X(COLDCODE, "coldcode")      \
    X(ALLCOLD, "allcold")        \
    X(L1, "l1")                  \
    X(L2, "l2")                  \
    X(L3, "l3")

enum kt_point_context {
#define KT_POINT_CONTEXT_ENUM(name, text) KT_POINT_##name,
    KT_POINT_CONTEXT_LIST(KT_POINT_CONTEXT_ENUM)
#undef KT_POINT_CONTEXT_ENUM
        KT_POINT_CONTEXTS
};
extern const char *const kt_point_context_name[];

/* Where operations and traffic of a point are from; named alike. */
enum kt_point_source { KT_MODELLED, KT_COUNTED, KT_STATED };
extern const char *const kt_point_source_name[];

enum { KT_POINT_TEXT = 96, KT_MOST_SERIES = 8, KT_SERIES_NAME = 64 };

struct kt_roofline_point {
    char routine[32];
    char shape[KT_POINT_TEXT]; /* as kt_shape_text prints it, or "12 other shapes" */
    char words[KT_POINT_TEXT]; /* as kt_shape_words says it, with the routine; empty: SHAPE is no single shape */
    json_t *args;              /* of the first call; NULL: several shapes; owned */
    size_t series;
    enum kt_point_context context;
    bool leads;    /* stands for its shape in its series: calls in situ, or of a kernel; others stand beside it */
    size_t number; /* 1, 2, ... by share of time; 0: several shapes */
    size_t shapes;
    double calls, seconds;
    double share;                /* of the time of all calls of its trace */
    struct kt_quantities work;   /* modelled, of one call; of several shapes the sums over all calls */
    double traffic;              /* modelled bytes, likewise */
    double flops_counted;        /* NAN: not counted */
    double traffic_counted;      /* NAN: not counted */
    double traffic_tracked;      /* of it, what the cache model says came from memory in situ; NAN: not asked for */
    struct kt_spread time;       /* seconds of a call; of a kernel its lower quartile stands for the median */
    struct kt_spread visits;     /* of a kernel: the least times of visits, of some calls each */
    struct kt_spread intensity;  /* flops per byte */
    struct kt_spread rate;       /* flops per cycle */
    enum kt_point_source source; /* of the intensity. Stated: a region, as the program says; it has no SHARE */
};

/* A trace. */
struct kt_point_series {
    char name[KT_SERIES_NAME];
    char library[64];             /* that made its calls */
    char *file;                   /* of that library, or how the user named it; NULL: not known; owned */
    char label[KT_LIBRARY_LABEL]; /* what it is called in pictures */
    char program[128];            /* command line; "": nobody's, it is a kernel */
    char processor[64];           /* what its model is called; "": not known */
    char when[24];                /* it was recorded, or timed; "": not known */
    size_t roofs;                 /* index of its machine's */
    int threads;                  /* that its library used */
    int cores;                    /* that they had */
    bool uncounted;               /* counters saw one of several threads: nothing was made of them */
    double seconds;               /* of all its calls */
};

/* A kernel of the user's that was not timed for some n, and why. */
struct kt_kernel_failure {
    char kernel[KT_POINT_TEXT]; /* its file */
    int64_t n;                  /* 0: for none */
    char why[256];
};

struct kt_roofline {
    struct kt_point_series series[KT_MOST_SERIES];
    size_t count; /* series */
    struct kt_roofs roofs[KT_MOST_SERIES];
    size_t machines;
    struct kt_roofline_point *point; /* largest share first within a series */
    size_t points;
    bool tracked; /* to be set before traces are added: have the cache model follow their calls */
    bool timed;   /* to be set before finish: shapes that have a time are shown, whatever else is known of them */
    bool lined;   /* the points of a series are one kernel at several sizes, in their order */
    struct kt_kernel_failure *failure; /* of these; owned */
    size_t failures;
};

/* Adds a series with the points of all shapes. REPLAYED may be empty. MACHINE: index of its roofs. */
void kt_roofline_add(struct kt_roofline *roofline, const struct kt_trace *trace, const struct kt_replayed *replayed,
                     size_t machine, const char *name);

/* The cores that a call of the trace had: one for each thread of its library, as far as there were so many. */
int kt_roofline_cores(const struct kt_trace *trace);

/* When all series are there: numbers the TOP shapes and puts the others together. */
void kt_roofline_finish(struct kt_roofline *roofline, size_t top);
void kt_roofline_free(struct kt_roofline *roofline);

/* Intensity and rate from the work, the traffic and the times of a point; HZ: cycles per second. */
void kt_point_place(struct kt_roofline_point *point, double hz);

/* Has it a place in a picture with logarithmic axes? */
bool kt_point_is_drawable(const struct kt_roofline_point *point);

/* Kernels of different names that the series are of, where they are of kernels. */
size_t kt_roofline_kernels(const struct kt_roofline *roofline);

/* Is it shown, in the picture and the table? */
bool kt_roofline_shows(const struct kt_roofline *roofline, const struct kt_roofline_point *point);

/* Are all series of one library? */
bool kt_roofline_has_one_library(const struct kt_roofline *roofline);

/* When all series are there: what their libraries are called beside each other. */
void kt_roofline_label(struct kt_roofline *roofline);

/* Attainable rate over that intensity with operands in memory; NAN: not known. */
double kt_point_limit(const struct kt_roofline *roofline, const struct kt_roofline_point *point);

/* The median rate over the highest roof of all, that of the nearest cache: above 1 by more than its lower quartile
 * tells that a roof is too low, or a time too short to be measured. NAN: not known. */
double kt_point_excess(const struct kt_roofline *roofline, const struct kt_roofline_point *point);
bool kt_point_is_above(const struct kt_roofline *roofline, const struct kt_roofline_point *point);

/* Shapes that have no place in the picture, by reason. */
enum kt_left_out_reason { KT_LEFT_OUT_UNKNOWN, KT_LEFT_OUT_NOTHING, KT_LEFT_OUT_REASONS };
extern const char *const kt_left_out_text[];
struct kt_unplaced {
    size_t shapes;
    double share; /* of the time of all series */
};
void kt_roofline_left_out(const struct kt_roofline *roofline, struct kt_unplaced out[KT_LEFT_OUT_REASONS]);

/* What the number of a point that stands for its calls is. */
const char *kt_roofline_statistic(const struct kt_roofline *roofline);

/* What `ktrace roofline --json` prints; to be freed by the caller. */
json_t *kt_roofline_json(const struct kt_roofline *roofline);

/* One line for each point. */
enum kt_status kt_roofline_csv(const struct kt_roofline *roofline, const char *path, struct kt_error *error);

#endif
