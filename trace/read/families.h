/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The routines that entries of a trace name, by the family line that describes them there. The processes of a job
 * have the same lines: each is read once, however many they are.
 * A part of the reader.
 */
#ifndef KT_FAMILIES_H
#define KT_FAMILIES_H

#include "trace/table/routine.h"

struct kt_families;

struct kt_families *kt_families_new(void);
void kt_families_free(struct kt_families *families);

/* The routine of that name, as the family line describes it; NULL: it does not. It lives as long as the families. */
const struct kt_routine *kt_families_routine(struct kt_families *families, const char *family, const char *name);

#endif
