/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What `ktrace roofline` prints for people.
 */
#ifndef KT_ROOFLINE_TEXT_H
#define KT_ROOFLINE_TEXT_H

#include "model/roofline/roofline.h"

/* Roofs and points, or the table of a kernel's sizes. */
void kt_roofline_print(const struct kt_roofline *roofline);

/* What this machine counts, and how to have it recorded; as text or as JSON. */
void kt_roofline_show_events(bool json);

#endif
