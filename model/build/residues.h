/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What sizes between the multiples of 8 cost (ours; Peise & Bientinesi sample multiples of 8 only, and their models are
 * smooth in between). Kernels work in strips of some rows; what is left over takes nearly as long as a whole strip.
 * That time is proportional to the other sizes, as that of whole strips is: as if the size were larger by some rows,
 * which depend on the residue of the size only. These shifts are found by least squares from samples at other sizes.
 */
#ifndef KT_RESIDUES_H
#define KT_RESIDUES_H

#include "model/build/refine.h"

/* Sets the model's residues from its samples at sizes that are not regular; without enough of them there are none.
 * Regions should be fitted before: the period is that of regular sizes, whose shifts are none. */
enum kt_status kt_residues_fit(struct kt_solver *solver, struct kt_kernel_model *model, struct kt_error *error);

/* How many such samples make a good table for that many axes. */
size_t kt_residues_samples(int axes, int period);

enum { KT_RESIDUE_PERIOD = 8 };

#endif
