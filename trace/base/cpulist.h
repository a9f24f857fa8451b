/* SPDX-License-Identifier: BSD-3-Clause */
/* Lists of processors as the kernel writes them: "0-3,8". */
#ifndef KT_CPULIST_H
#define KT_CPULIST_H

#include <sched.h>

enum { KT_CPULIST_MOST = 1 << 20 }; /* more processors than any machine has */

/* How many are in the list, and which, as far as SET has room for them (NULL: nobody asks); 0: it is no such list. */
int kt_cpulist_parse(const char *list, cpu_set_t *set);

#endif
