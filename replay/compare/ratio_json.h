/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef KT_RATIO_JSON_H
#define KT_RATIO_JSON_H

#include "replay/compare/ratio.h"

#include <jansson.h>

/* {"value", "lo", "hi"}: kt_field_estimate. */
json_t *kt_ratio_json(const struct kt_ratio *ratio);

#endif
