/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Models of kernels: what a call of a routine costs on one library and one machine, from timings of other sizes.
 *
 * After Peise & Bientinesi, section 2: one model for each routine, combination of options (but diag), class of each
 * scalar (-1, 0, 1, other), class of each increment (1; others by the distance of elements: near, within a line of
 * the caches; page, a multiple of a page; far, all else) and context of the operands; in each a piecewise polynomial of
 * the sizes. Row-major calls of BLAS are asked as what they are in column-major terms. Leading dimensions
 * are not modelled: they were large, or tight, as in the trace that the models were built for.
 *
 * An open set is only read: any number of threads may ask it at the same time.
 */
#ifndef KT_KERNEL_MODELS_H
#define KT_KERNEL_MODELS_H

#include "trace/table/operand.h"
#include "trace/read/reader.h"

#include <jansson.h>

enum { KT_MODEL_AXES = 4, KT_MODEL_OPTIONS = 96 };

/* Where all operands are when the call begins. Columns: name, as --context of replay takes it. */
#define KT_MODEL_CONTEXTS(X) X(WARM, "warm") X(COLD, "cold") X(L1, "l1") X(L2, "l2") X(L3, "l3")

enum kt_model_context {
#define KT_MODEL_CONTEXT_ENUM(name, text) KT_MODEL_##name,
    KT_MODEL_CONTEXTS(KT_MODEL_CONTEXT_ENUM)
#undef KT_MODEL_CONTEXT_ENUM
        KT_MODEL_CONTEXT_COUNT,
};
extern const char *const kt_model_context_name[KT_MODEL_CONTEXT_COUNT];

/* What is asked. Sizes are those arguments that have the role of a size, in Fortran order. */
struct kt_model_query {
    char routine[KT_NAME];          /* dgemm */
    char options[KT_MODEL_OPTIONS]; /* "NT alpha=1 beta=0", "LLN alpha=x", "incx=far"; x: not -1, 0, 1 */
    int axes;
    int64_t size[KT_MODEL_AXES];
};

/*
 * The query of a call; VALUES as kt_values_decode() makes them. False if no model could describe it: a row-major call
 * of LAPACKE, more sizes than axes, a function as argument, a call that only asks for the size of a workspace.
 */
bool kt_model_query_of_call(const struct kt_symbol *symbol, const struct kt_values *values, struct kt_model_query *out);
/* The same of a routine called in column-major terms. */
bool kt_model_query_of_values(const struct kt_routine *routine, const struct kt_values *values,
                              struct kt_model_query *out);

/* Is one of its sizes 0? No model answers such a query, and not each such call has nothing to do: of a band there may
 * be no diagonals below the first. */
bool kt_model_query_has_zero(const struct kt_model_query *query);
bool kt_sizes_have_zero(int axes, const int64_t *size);
/* Nothing to compute or, where that is not known, no element to write; VALUES as kt_values_decode() makes them. Of
 * calls with such a size. */
bool kt_has_nothing_to_do(const struct kt_symbol *symbol, const struct kt_values *values);

/* The same values in column-major terms, options and sizes normalised as in a query. False as above. */
bool kt_model_values_of_call(const struct kt_symbol *symbol, const struct kt_values *values, struct kt_values *out);

/* Which arguments of the routine are its sizes, in their order; returns how many. */
int kt_model_axes_of(const struct kt_routine *routine, int argument[KT_MODEL_AXES]);

enum kt_model_known {
    KT_MODEL_KNOWN,   /* inside the domain */
    KT_MODEL_OUTSIDE, /* near it: SECONDS is extrapolated from the nearest sizes, OUTSIDE says how far it is */
    KT_MODEL_TOO_FAR, /* no answer: farther than KT_MODEL_FARTHEST */
    KT_MODEL_UNKNOWN, /* there is no such model, or it has no region there yet */
};

/* Largest size asked over largest size modelled, or smallest modelled over smallest asked, minus 1. */
#define KT_MODEL_FARTHEST 1.0

struct kt_model_answer {
    enum kt_model_known known;
    double seconds; /* of one call, modelled; NAN: not known */
    double lo, hi; /* 95 % of the held-out points of the model were inside such an interval; where there are none it may
                      be off by all of it: from half to twice as long; NAN: not known */
    double outside; /* 0: inside; 0.25: a size is 25 % beyond the domain */
    int regions;    /* of the model */
};

struct kt_models;

/* Whose models. */
struct kt_models_of {
    const char *file;             /* NULL: the usual one of that library, see kt_models_path() */
    const char *blas;             /* path, soname or short name; NULL: what the trace was recorded with */
    const struct kt_trace *trace; /* may be NULL if BLAS is not */
    int threads;                  /* of the library; 0: as recorded, or 1 without a trace */
    bool force;                   /* also those of another machine, or of another build of the library */
};

/* The option that sets the file (trace/command/verb.h). */
#define KT_MODEL_FILE(type, member) \
    "models", 0, "FILE", "file of models; default ktrace/models/LIB.json in ~/.cache", KT_VERB_TEXT(type, member)

/* Reads them; one clear error if there are none, the file is damaged, or it is of another library or machine. */
enum kt_status kt_models_open(const struct kt_models_of *of, struct kt_models **out, struct kt_error *error);
void kt_models_close(struct kt_models *models); /* NULL is allowed */

/* The file of models of that library: models/NAME.json beside the store of results. */
enum kt_status kt_models_path(const struct kt_models_of *of, char *out, size_t size, struct kt_error *error);

const char *kt_models_library(const struct kt_models *models); /* its short name */
json_t *kt_models_machine(const struct kt_models *models);     /* what its processor is called; owned by the caller */
size_t kt_models_samples(const struct kt_models *models);      /* points that were timed, of all models */

/* One question. 10^6 of them take well below a second. */
void kt_models_ask(const struct kt_models *models, const struct kt_model_query *query, enum kt_model_context context,
                   struct kt_model_answer *out);

/* The same in two steps, for many questions to one model: its number (-1: there is none), then its answers. */
int kt_models_find(const struct kt_models *models, const struct kt_model_query *query, enum kt_model_context context);
void kt_models_ask_one(const struct kt_models *models, int model, const int64_t *size, struct kt_model_answer *out);

#endif
