/* SPDX-License-Identifier: BSD-3-Clause */
#include "trace/command/hosts_json.h"

#include "trace/shape/hosts.h"

const struct kt_field kt_field_hosts[] = {
    {"hosts", KT_AS_COUNT, .meaning = "names of machines", KT_AT(struct kt_hosts, hosts)},
    {"clocks", KT_AS_COUNT, .meaning = "kernels: processes of one kernel have one clock",
     KT_AT(struct kt_hosts, clocks)},
    {"within", KT_AS_SECONDS, KT_NULL,
     .meaning = "most that times of two kernels can be wrong by beside each other, as the kernels said; 0: there is "
                "one; null: not known",
     KT_AT(struct kt_hosts, within)},
    {"unknown", KT_AS_TEXT, KT_NULL, .meaning = "a host whose kernel did not say", KT_AT(struct kt_hosts, unknown)},
    {"apart", KT_AS_SECONDS, KT_NULL,
     .meaning = "from the end of a rank to the start of another one of its job, of another kernel; 0: all ran at the "
                "same time",
     KT_AT(struct kt_hosts, apart)},
    {0}};

json_t *kt_hosts_json(const struct kt_trace *trace)
{
    struct kt_hosts hosts;
    kt_hosts_find(trace, &hosts);
    return kt_field_object(kt_field_hosts, &(struct kt_at){&hosts, &hosts, 0});
}
