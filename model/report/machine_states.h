/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How fast the machine was while the trace was recorded, beside how fast it was while its calls were replayed.
 */
#ifndef KT_MACHINE_STATES_H
#define KT_MACHINE_STATES_H

#include "model/report/report.h"
#include "trace/command/field.h"

/* Once the shapes are there: what their calls met, and how that compares with their replays. */
void kt_machine_states_find(struct kt_report *report);

/* A line or two of the head; nothing where nothing is known. */
void kt_machine_states_print(const struct kt_report *report);

/* Of the list kt_machine_states_fields. */
json_t *kt_machine_states_json(const struct kt_report *report);
extern const struct kt_field kt_machine_states_fields[];

#endif
