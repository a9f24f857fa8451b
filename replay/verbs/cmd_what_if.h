/* SPDX-License-Identifier: BSD-3-Clause */
/* ktrace replay --what-if: what a change of the user's choice would win. */
#ifndef KT_CMD_WHAT_IF_H
#define KT_CMD_WHAT_IF_H

#include "replay/setup/setup.h"

/* Prints it. */
enum kt_status kt_what_if_verb(struct kt_replay_options *options, struct kt_error *error);

#endif
