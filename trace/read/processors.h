/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Which processors a process had: those of its machine, those that it might run on, and how much time on them its
 * control groups granted.
 */
#ifndef KT_PROCESSORS_H
#define KT_PROCESSORS_H

#include "trace/read/reader.h"

struct kt_processors {
    int there;     /* in the machine; 0: not known */
    int allowed;   /* that it might run on; THERE if that is not known */
    int in_set;    /* of its cpuset; 0: not known */
    double quota;  /* as much time as so many have; 0: all */
    double usable; /* the least of these; 0: not known */
};

void kt_processors_recorded(const struct kt_process *process, struct kt_processors *out);
/* Of this process, now. */
void kt_processors_here(struct kt_processors *out);

/* "a quota of 2 of 16 processors"; "" if all may be used. */
void kt_processors_text(const struct kt_processors *processors, char *out, size_t size);

#endif
