/* SPDX-License-Identifier: BSD-3-Clause */
/* Numbers that are no ordinary ones, which a thread's computations met. */
#ifndef KT_TROUBLE_H
#define KT_TROUBLE_H

enum kt_trouble { KT_NO_TROUBLE, KT_DENORMAL, KT_OVERFLOW };

/* Since this was asked last, of this thread. */
enum kt_trouble kt_trouble_take(void);

#endif
