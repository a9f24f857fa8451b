/* SPDX-License-Identifier: BSD-3-Clause */
#include "replay/compare/ratio_json.h"

#include "trace/command/json.h"

json_t *kt_ratio_json(const struct kt_ratio *ratio)
{
    return json_pack("{s:o, s:o, s:o}", "value", kt_json_number(ratio->value), "lo", kt_json_number(ratio->lo), "hi",
                     kt_json_number(ratio->hi));
}
