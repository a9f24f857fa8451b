/* SPDX-License-Identifier: BSD-3-Clause */
/* The parts of the verb model. ARGV[0] is "model NAME", as their options are listed; they return the exit status. */
#ifndef KT_MODEL_VERBS_H
#define KT_MODEL_VERBS_H

int kt_model_build(int argc, char **argv);
int kt_model_show(int argc, char **argv);
int kt_model_predict(int argc, char **argv);
int kt_model_tune(int argc, char **argv);
int kt_model_rank(int argc, char **argv);
int kt_model_calls(int argc, char **argv);

#endif
