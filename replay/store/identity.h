/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What makes two measurements stand for each other, as text: the keys of the store of results.
 */
#ifndef KT_IDENTITY_H
#define KT_IDENTITY_H

#include "replay/call/job.h"
#include "replay/call/library.h"
#include "model/tracker/placement.h"

/* Samples of another number mean something else: to be raised with every change of how a call is prepared, timed or
 * scheduled. */
enum { KT_TIMING_METHOD = 11 };

/* Host, processor, how many, caches. To be freed. */
char *kt_identity_machine(void);

/*
 * Everything that the library consists of once it is loaded, by build id, or by path, time and size where there is
 * none, and the environment variables that BLAS libraries obey. Loads it in a process of its own, as only the dynamic
 * linker knows what it will find. NULL if it cannot be loaded. To be freed.
 */
char *kt_identity_library(const struct kt_library *library);

/* Processors that this process, and those that it starts, may use. */
int kt_identity_processors(void);

/* Machine, processors that may be used, library, its threads, timing method; with one thread also the kind of processor
 * that PROCESSOR, see kt_processor_choose, is: of fast and slow cores, not which of several alike. NULL if the library
 * is not known. To be freed. */
char *kt_identity_setting(const struct kt_library *library, int processor);

/* The same for all hosts of a kind: without the name of the host. Changes the text of a setting, which may be NULL. */
void kt_identity_make_kind(char *setting);

/* Routine, symbol, arguments (scalars by class), operands as they are laid out for the replay, what they held if that
 * is known. To be freed. */
char *kt_identity_shape(const struct kt_job *job);

/* Name of the context, the timer, the pages and, unless PLACED is NULL, how the operands are placed, to a hundredth. To
 * be freed. */
char *kt_identity_context(const char *name, enum kt_timer_kind timer, enum kt_pages pages,
                          const struct kt_placements_of_shape *placed);

#endif
