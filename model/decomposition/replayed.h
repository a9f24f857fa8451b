/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The file that `ktrace replay` leaves in a trace, its shapes by call.
 */
#ifndef KT_REPLAYED_H
#define KT_REPLAYED_H

#include "model/decomposition/decomposition.h"
#include "model/decomposition/spread.h"
#include "trace/command/json.h"
#include "trace/command/speed_json.h"

struct kt_replayed {
    json_t *document; /* NULL: the trace was not replayed */
    json_t *shapes;   /* key of a call -> element of the document's "shapes" */
    json_t *refused;  /* the same of "not_replayed" */
};

/*
 * Of one of the files that a trace was opened from. No such file is not an error, and one that timed another build of a
 * library than was recorded is left out, which is said. OUT is to be freed also after an error.
 */
enum kt_status kt_replayed_load(const struct kt_trace *trace, const struct kt_files *files, struct kt_replayed *out,
                                struct kt_error *error);
enum kt_status kt_replayed_from(json_t *document, const char *name, struct kt_replayed *out, struct kt_error *error);
void kt_replayed_free(struct kt_replayed *replayed);

/* True if somebody ended the replay before it was done. */
bool kt_replayed_is_partial(const struct kt_replayed *replayed);

/* The element for that shape, NULL if it was not replayed; and its times, medians over all replays, which are all
 * unknown then. In place of a tracked time one in sequence is taken if there is no other. */
const json_t *kt_replayed_find(const struct kt_replayed *replayed, const struct kt_shape_group *shape);
void kt_replayed_times(const struct kt_replayed *replayed, const json_t *shape, struct kt_context_times *out);

/* How fast the machine was while that shape was timed warm and tracked, and while all were. */
struct kt_speed_sums kt_replayed_speed(const json_t *shape);
struct kt_speed_sums kt_replayed_speed_of_all(const struct kt_replayed *replayed);

/* Where its times in that context lie; quartiles and the longest are not known of replays by earlier versions. False:
 * it was not timed in it. */
bool kt_replayed_spread(const json_t *shape, const char *context, struct kt_spread *out);

/* Why that shape could not be replayed, NULL if nothing is said of it. */
const char *kt_replayed_refusal(const struct kt_replayed *replayed, const struct kt_shape_group *shape);

#endif
