/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the system (sysfs) and hwloc say about caches and processors, to be compared with what was measured. Nothing of
 * it is believed.
 */
#ifndef KT_CLAIMS_H
#define KT_CLAIMS_H

#include <jansson.h>

/* Of the caches that hold data, of the first processor, from the files below ROOT ("/sys/devices/system"): [{"level",
 * "bytes", "ways", "line", "shared", "processors"}], in the order of levels; what is missing or absurd is left out.
 * "shared" is a list such as "0-3,8", "processors" how many it names. */
json_t *kt_claims_of_caches(const char *root);

/* Those of this system; KTRACE_SYSFS stands for /sys/devices/system. */
json_t *kt_claims_of_system(void);

/* Bytes of the last caches that CPUS processors have, all together; 0: nothing is claimed. */
double kt_claims_last_cache(const json_t *claims, size_t cpus);

/* {"caches": [as above, without "shared"], "cores", "processors"}; no caches if hwloc knows none. HWLOC_FSROOT
 * and other variables of hwloc's have their effect. */
json_t *kt_claims_of_hwloc(void);

/* One line for each difference by more than a quarter between the document of a probe and the claims; [{"what",
 * "claimed", "measured"}]. What was not measured exactly but lies between two sizes differs if the claim lies far out.
 */
json_t *kt_claims_compare(const json_t *probe, const json_t *claims);

#endif
