/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The roofs that a trace is seen under: those of the machine that it was recorded on.
 */
#ifndef KT_ROOFLINE_MACHINE_H
#define KT_ROOFLINE_MACHINE_H

#include "model/decomposition/replayed.h"
#include "model/roofline/roofs.h"

/*
 * FILE: a machine file that the user named. NULL: if the trace is of this machine, its machine file, or a quick
 * measurement where there is none, with what a replay left in the trace; otherwise the latter alone, if the replay was
 * on the same kind of processor. If none of them is known, that is KT_BAD_INPUT, as roofs of another machine would tell
 * nothing.
 */
enum kt_status kt_roofline_find_roofs(const char *file, const struct kt_trace *trace,
                                      const struct kt_replayed *replayed, struct kt_roofs *out, struct kt_error *error);

/* Those of this machine, for what is measured now. FILE may be NULL: what is not known yet is measured, all cores
 * together only if CORES are all of them. */
enum kt_status kt_roofline_own_machine(const char *file, int cores, struct kt_machine *out, struct kt_error *error);
enum kt_status kt_roofline_own_roofs(const char *file, int cores, struct kt_roofs *out, struct kt_error *error);

/* The same kind of processor, as many of them: machines of one job are alike. Where the system does not name its
 * processor, the host's name has to be the same. */
bool kt_roofline_is_of_this_machine(const struct kt_process *process);

/* What the processor of this machine is called, as traces have it; "": the system does not tell. */
void kt_roofline_processor(char *model, size_t size);

#endif
