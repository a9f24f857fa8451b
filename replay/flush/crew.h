/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * One thread on each processor that this process may use, to do on all of them what has to be done on each: reading
 * empties the private caches of the processor that reads only (Whaley & Castaldo, section 5.2). Which ones a library
 * with several threads runs on is not known, so all are meant.
 */
#ifndef KT_CREW_H
#define KT_CREW_H

struct kt_crew;

/* NULL: not one thread can be started. */
struct kt_crew *kt_crew_new(void);
void kt_crew_free(struct kt_crew *crew);

/* Does the work on all of them at once and waits. Without a crew, NULL, it is done here. */
void kt_crew_run(struct kt_crew *crew, void (*work)(void *argument), void *argument);

#endif
