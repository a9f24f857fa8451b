/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Kernels of the user's (include/ktrace/kernel.h) at many sizes, from several states of the caches, as those of BLAS
 * are in kernel_states.h.
 */
#ifndef KT_OWN_KERNELS_H
#define KT_OWN_KERNELS_H

#include "model/roofline/kernel_states.h"

/*
 * Times those of FILE, COUNT of them, at the sizes of the plan, and adds a series for each and each state to ROOFLINE,
 * which has the roofs of this machine. One that is not sound for some n is a failure of ROOFLINE there, and is timed
 * for all others. LIMIT: seconds that the first call for an n may take.
 */
enum kt_status kt_own_kernels_time(const struct kt_kernel_plan *plan, const char *const *file, size_t count,
                                   double limit, struct kt_roofline *roofline, struct kt_error *error);

#endif
