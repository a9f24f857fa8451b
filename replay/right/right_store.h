/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Results that were right before, in the store of results: of a shape on a library, as long as neither changes, nor
 * what is checked, nor whether a reference library is there. What was wrong or not finished is looked at again.
 */
#ifndef KT_RIGHT_STORE_H
#define KT_RIGHT_STORE_H

#include "replay/right/right.h"
#include "replay/store/store.h"

/* To be raised with every change of what is called with which contents, and of what is looked at. */
enum { KT_RESULT_METHOD = 1 };

struct kt_right_store {
    struct kt_store *store; /* borrowed; NULL: nothing is kept */
    char **setting;         /* by library; NULL: not known; owned */
    bool *known;            /* by library and job: nothing to write */
    bool has_reference;
    bool takes_all; /* what was wrong or not finished is not looked at again */
};

void kt_right_store_open(const struct kt_right_options *options, const struct kt_library *const *library,
                         bool has_reference, const struct kt_right *right, struct kt_right_store *out);

/* What is kept of a result under that name; false, and OUT as it was: nothing, or, unless that is wanted, that it was
 * wrong or not finished. */
bool kt_rightness_read(struct kt_store *store, const char *setting, const char *name, bool takes_all,
                       struct kt_rightness *out);

/* Fills in what is known of a job on a library; false: nothing is. */
bool kt_right_store_read(struct kt_right_store *store, size_t library, size_t job, const struct kt_right *right);

/* Writes what is new, and closes. */
void kt_right_store_close(struct kt_right_store *store, const struct kt_right *right);

#endif
