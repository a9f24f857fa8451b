/* SPDX-License-Identifier: BSD-3-Clause */
/* What the JSON of replays and of comparisons has in common (trace/command/field.h). */
#ifndef KT_RESULT_DOCUMENT_H
#define KT_RESULT_DOCUMENT_H

#include "trace/command/document.h"

extern const struct kt_field kt_field_replay_machine[]; /* kt_result_machine() */
extern const struct kt_field kt_field_replay_library[]; /* kt_result_library() */
extern const struct kt_field kt_field_replay_shape[];   /* kt_result_shape() */

#endif
