/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Calls grouped by shape: the same entry, and the same values of all arguments but operand addresses and info.
 * Scalars count by class (0, 1, -1, other), as they select code paths by class.
 */
#ifndef KT_SHAPE_H
#define KT_SHAPE_H

#include "trace/shape/by_caller.h"

/*
 * Recording what nests in an outermost call makes that longer by more than can be subtracted to the last. So where only
 * some calls of a shape have their inside recorded (KTRACE_NESTED=sample), the others tell how long one takes, and what
 * recording a nested call took follows from the difference.
 */
struct kt_shape_inside {
    uint64_t calls;    /* complete outermost ones that nest others, or whose inside was recorded */
    uint64_t recorded; /* of these, those whose inside was, */
    uint64_t dirty;    /* and of these, those that calls were recorded in */
    double nested;     /* calls in the shape's calls, recorded or passed on; */
    double in_dirty;   /* recorded ones */
    double clean;  /* mean seconds of calls that none was recorded in; NAN: no dirty call is to be judged by these */
    double excess; /* seconds that recording a nested call took beyond what kt_call_seconds subtracts; 0: not known */
    double subtracted; /* seconds that kt_call_seconds subtracted from dirty calls */
    uint64_t counted;  /* calls that profiles counted, and their seconds: all above but CALLS and RECORDED is without */
    double counted_seconds;
};

struct kt_shape_group {
    struct kt_call first;      /* the first call of the shape, */
    struct kt_call usual;      /* and one whose operands lie as those of most calls do (trace/shape/arrangement.h) */
    uint64_t calls;            /* complete ones */
    struct kt_samples seconds; /* of those that no call was recorded in where the inside of some was not; else of all */
    double total;              /* of all calls: the sum of kt_shape_call_seconds */
    double stands_for;         /* of leaves: seconds of them and of those that were not recorded; otherwise the same */
    bool corrected;            /* what recording cost is subtracted from SECONDS, and no call tells if that is right */
    struct kt_shape_inside inside;
    double flops;          /* of one call, NAN: not known */
    double bytes;          /* of one call, see kt_bytes */
    double faults;         /* page faults of the calling thread in all calls of which they are known, */
    uint64_t faults_known; /* and how many calls these are */
    uint64_t failed;       /* calls that returned an info that is not 0 (in a profile: if the first one did), */
    int64_t info;          /* and the first of these */
    bool query;            /* asks only for a workspace size */
    size_t number;         /* 0, 1, ... as they were found */
    uint64_t also;         /* what its words say besides (trace/shape/shape_words.h) */
};

struct kt_shapes {
    struct kt_shape_group *shape; /* largest total first */
    size_t count;
    double seconds;              /* sum of totals */
    int processor;               /* on which most of them passed; -1: no call tells */
    struct kt_by_caller callers; /* where outermost ones were made, sums by number of the shape */
};

enum kt_level { KT_OUTERMOST, KT_LEAVES };

/* Complete calls of that level: those the application made, or those that contain no call, as far as they were recorded
 * (trace/shape/nested.h). */
void kt_shapes_collect(const struct kt_trace *trace, enum kt_level level, struct kt_shapes *out);
void kt_shapes_free(struct kt_shapes *shapes);

/* The time of an outermost call of the shape in sums. A dirty one that was drawn by chance counts as the mean of the
 * clean ones; one that stands for itself alone, such as the first, as what it took itself, corrected. */
double kt_shape_call_seconds(const struct kt_shape_group *shape, const struct kt_call *call);

/* Is it a leaf, given the call that was recorded after it in its thread, if any? */
bool kt_call_is_leaf(const struct kt_call *call, const struct kt_call *next);

/* On which most of the time of the calls that the application made passed; -1: no call tells. */
int kt_shapes_processor(const struct kt_trace *trace);

/* The same step by step, for a walk that has more to do. Calls come in the order of kt_cursor_next; finish frees the
 * collection. */
struct kt_collection;
struct kt_collection *kt_collection_new(const struct kt_trace *trace, enum kt_level level);
void kt_collection_add(struct kt_collection *collection, const struct kt_call *call);
void kt_collection_add_profiles(struct kt_collection *collection); /* what is in no walk */
void kt_collection_finish(struct kt_collection *collection, struct kt_shapes *out);

/* To tell the place in the list of shapes, which were collected from the trace, of a call of that level; it is not
 * their member `number`. To be finished, too. */
struct kt_collection *kt_collection_of(const struct kt_trace *trace, const struct kt_shapes *shapes);
size_t kt_collection_number(struct kt_collection *collection, const struct kt_call *call);

/* What makes the shape of a call besides its symbol and library, one word for each argument that counts. */
size_t kt_shape_key(const struct kt_call *call, uint64_t word[KT_MAX_PARAMS]);

/* The fewest digits that read back as the same number. Returns OUT. */
char *kt_number_text(double value, bool is_float, char *out, size_t size);

/* One stored parameter as text: options as letters, numbers as short as they are exact, addresses in hexadecimal. */
enum { KT_PARAM_TEXT = 64 };
char *kt_param_text(const struct kt_call *call, const struct kt_param *param, char out[KT_PARAM_TEXT]);

/* "N T 100 200 300 lda=100 alpha=1": the arguments without addresses, options and sizes first, increments of 1 not
 * said, to fit WIDTH columns. A call that asks for the size of its workspace begins with the word "query". OUT holds
 * WIDTH + 1 bytes, at least 3. */
void kt_shape_text(const struct kt_call *call, char *out, size_t width);

#endif
