/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Placements of a trace's shapes that the store of results has: to find them all calls have to be followed, which
 * takes as long as all else of a replay of which everything is known. They depend on what the trace holds (not where it
 * is, or whether it is packed), the level and the sizes of the caches.
 */
#ifndef KT_KNOWN_PLACEMENTS_H
#define KT_KNOWN_PLACEMENTS_H

#include "replay/setup/setup.h"

/* Fills SETUP->placed, from the store if it knows them, otherwise from the source, for the store to know. RECALL may
 * be NULL. */
enum kt_status kt_known_placements(struct kt_recall *recall, const struct kt_replay_options *options,
                                   struct kt_setup *setup, struct kt_error *error);

/*
 * COUNT shapes' placements as bytes without what is zero, to be freed, and back. Unpacking into OUT, of zeros, fails
 * where the bytes are not those of so many shapes.
 */
void *kt_placements_pack(const struct kt_placements_of_shape *placed, size_t count, size_t *size);
bool kt_placements_unpack(const void *bytes, size_t size, size_t count, struct kt_placements_of_shape *out);

#endif
