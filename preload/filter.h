/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a seccomp filter (seccomp(2), BPF) would do to system calls, found by following the program with the number of
 * the call known and its arguments unknown.
 */
#ifndef KT_FILTER_H
#define KT_FILTER_H

#include "preload/shim.h"

#include <linux/filter.h>

/* May a call of that number, whatever its arguments, end the process or raise a signal? True also where the program
 * cannot be followed. Not for two threads at once. */
KT_HIDDEN bool kt_filter_harms(const struct sock_filter *line, unsigned lines, uint32_t number);

#endif
