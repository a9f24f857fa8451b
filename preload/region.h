/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Named regions of a thread. It may enter and leave them while nothing is recorded, so the thread keeps what it is in,
 * and each of its streams is told when it next records.
 */
#ifndef KT_REGION_H
#define KT_REGION_H

#include "preload/shim.h"

/*
 * This thread enters a region of the definitions, or leaves the innermost one, if it is in any. To be called where no
 * signal handler interrupts; what has changed is recorded afterwards.
 */
KT_HIDDEN void kt_region_begin(unsigned id);
KT_HIDDEN bool kt_region_end(void);

/* The innermost one begins now: what was done since was not the program's. */
KT_HIDDEN void kt_region_begin_later(void);

/*
 * Has the stream tell in which regions the thread is. It may have entered and left them while nothing was recorded;
 * those that came and went in the meantime are left out. What finds no room follows later.
 */
KT_HIDDEN void kt_region_tell(struct kt_stream *stream, const struct kt_frame *now);

/*
 * What the innermost region did. It is kept until a stream that was told of the region has room for it, or the region
 * is left or another one entered in it. False: the thread is in no region that is told of.
 */
KT_HIDDEN bool kt_region_add_work(double flops, double bytes);
KT_HIDDEN bool kt_region_has_work(void);
KT_HIDDEN void kt_region_tell_work(struct kt_stream *stream, const struct kt_frame *now);

/* In a child: it is in the same regions, from now on. */
KT_HIDDEN void kt_region_after_fork(void);

#endif
