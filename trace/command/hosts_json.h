/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef KT_HOSTS_JSON_H
#define KT_HOSTS_JSON_H

#include "trace/command/field.h"
#include "trace/read/reader.h"

/* The machines that a trace is from, and how well their clocks are aligned. To be released. */
json_t *kt_hosts_json(const struct kt_trace *trace);

/* Its fields, as one record of what several verbs print. */
extern const struct kt_field kt_field_hosts[];
#define KT_HOSTS_FIELD                                                                                         \
    "hosts", KT_AS_RECORD, .meaning = "the machines that it is from, and how far their times can be compared", \
                           .of = kt_field_hosts

#endif
