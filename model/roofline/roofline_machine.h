/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The roofs that a trace is seen under: those of the machine that it was recorded on.
 */
#ifndef KT_ROOFLINE_MACHINE_H
#define KT_ROOFLINE_MACHINE_H

#include "model/report/replayed.h"
#include "model/roofline/roofs.h"

/*
 * FILE: a machine file that the user named. NULL: if the trace is of this machine, its machine file, or a quick
 * measurement where there is none; otherwise what a replay on the same kind of processor left in the trace. If none of
 * them is known, that is KT_BAD_INPUT, as roofs of another machine would tell nothing.
 */
enum kt_status kt_roofline_find_roofs(const char *file, const struct kt_trace *trace,
                                      const struct kt_replayed *replayed, struct kt_roofs *out, struct kt_error *error);

/* Those of this machine, for what is measured now. FILE may be NULL. */
enum kt_status kt_roofline_own_machine(const char *file, struct kt_machine *out, struct kt_error *error);
enum kt_status kt_roofline_own_roofs(const char *file, struct kt_roofs *out, struct kt_error *error);

#endif
