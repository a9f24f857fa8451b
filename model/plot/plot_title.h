/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What stands above a picture of calls: of which program or kernel they are; below it which library and machine made
 * them, when, and how many there are.
 */
#ifndef KT_PLOT_TITLE_H
#define KT_PLOT_TITLE_H

#include "model/roofline/roofline.h"

struct kt_plot_title {
    char what[192];
    char about[320];
};

/* SUBJECT: what is drawn of them, such as "Roofline". */
void kt_plot_title_make(const struct kt_roofline *roofline, const char *subject, struct kt_plot_title *out);

#endif
