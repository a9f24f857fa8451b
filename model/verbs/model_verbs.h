/* SPDX-License-Identifier: BSD-3-Clause */
/* The parts of the verb model. ARGV[0] is "model NAME", as their options are listed; they return the exit status. */
#ifndef KT_MODEL_VERBS_H
#define KT_MODEL_VERBS_H

#include "trace/command/verb.h"

#define KT_PART_DECLARE_RUN(name, arguments, text) int kt_model_##name(int argc, char **argv);
KT_MODEL_PARTS(KT_PART_DECLARE_RUN)
#undef KT_PART_DECLARE_RUN

#endif
