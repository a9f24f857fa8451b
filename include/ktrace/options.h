/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Every KTRACE_ environment variable, once: the shim parses them, `ktrace env` prints them, the trace stores
 * their values. Columns: name, type (text or flag), default, meaning.
 */
#ifndef KTRACE_OPTIONS_H
#define KTRACE_OPTIONS_H

#define KT_OPTIONS(X)                                                                                           \
    X(OUT, text, "ktrace.%x.%p", "directory of the trace; %p pid, %x program, %h host, %% a percent sign")      \
    X(PROGRAMS, text, "*", "trace only programs whose name matches one of these patterns, separated by commas") \
    X(FOLLOW, flag, "1", "0: do not trace programs that the traced one executes")                               \
    X(QUIET, flag, "0", "1: print nothing on standard error")                                                   \
    X(DISABLE, flag, "0", "1: record nothing, only pass calls on")

#endif
