/* SPDX-License-Identifier: BSD-3-Clause */
/* A verb that has another verb do its part, in a process of its own, as modules do not see each other. */
#ifndef KT_ITSELF_H
#define KT_ITSELF_H

#include "trace/base/error.h"

#include <jansson.h>

/* Runs this command with ARGUMENTS, of which the first is the verb and NULL the last, and waits for its end. OUTPUT:
 * its standard output; below 0: ours. *EXIT: its exit status, 128 and more if a signal ended it. A signal that the
 * caller catches (trace/base/interrupt.h) is passed on. */
enum kt_status kt_itself_run(char *const *arguments, int output, int *exit, struct kt_error *error);

/* The same, and *OUT is the JSON document that it prints, if it ended with KT_OK or KT_FINDING; otherwise NULL. WHAT is
 * for messages. */
enum kt_status kt_itself_ask(char *const *arguments, const char *what, json_t **out, int *exit, struct kt_error *error);

#endif
