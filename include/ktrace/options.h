/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Every KTRACE_ environment variable, once: the shim parses them, `ktrace env` prints them, the trace stores
 * their values. Columns: name, type (text or flag), default, meaning.
 */
#ifndef KTRACE_OPTIONS_H
#define KTRACE_OPTIONS_H

#define KT_OPTIONS(X)                                                                                                \
    X(OUT, text, "ktrace.%x.%p",                                                                                     \
      "directory of the trace; %p pid, %x program, %h host, %r rank or 0, %% a percent sign")                        \
    X(PROGRAMS, text, "*", "trace only programs whose name matches one of these patterns, separated by commas")      \
    X(RANKS, text, "*",                                                                                              \
      "record only these ranks of a parallel job: 0,17,1000-1010, or 1/64, one of 64; others pass calls on")         \
    X(MODE, text, "full", "full: record every call; profile: add calls up by shape, in constant memory")             \
    X(ROUTINES, text, "*",                                                                                           \
      "record only routines whose name matches one of these patterns and none that begins with !: d*,!ddot")         \
    X(SAMPLE, number, "1", "N: record one in N of the calls that the program makes, each with all that nests in it") \
    X(NESTED, text, "sample",                                                                                        \
      "calls inside other calls: sample: those of a few outer calls (below 1 % of the time); all; none")             \
    X(STACKS, text, "lines",                                                                                         \
      "lines: the line of a Python program, the line or function of an R program that makes each call; paths: all "  \
      "callers, in any program; off")                                                                                \
    X(MAX_BYTES, text, "",                                                                                           \
      "500M: record no more when the trace is that long; 500M:last keeps the last calls instead of the first")       \
    X(EVENTS, text, "",                                                                                              \
      "counters to read around each call, as libpfm4 spells them, separated by commas: perf::PAGE-FAULTS")           \
    X(BLAS, text, "",                                                                                                \
      "files of a BLAS and LAPACK, paths or sonames separated by commas, that all calls go to (ktrace run --blas)")  \
    X(MAP, text, "", "a map of libraries: it names the library that each call goes to (ktrace compare --map)")       \
    X(BLOCK_SIZE, text, "",                                                                                          \
      "dgeqrf=48,dgetrf=96:128: block sizes of LAPACK's routines, crossover points; needs libktrace-block.so")       \
    X(SNAPSHOT, text, "",                                                                                            \
      "K or K,BYTES: keep the operands of the first K calls of each shape, at most BYTES (4M) for each call")        \
    X(CHECKSUM, text, "",                                                                                            \
      "in, out or in,out: checksums of operands before and after each call of the program, for diff --results")      \
    X(CLOCK, text, "",                                                                                               \
      "tsc or monotonic: the processor's clock or the kernel's; default the processor's where it is reliable")       \
    X(CLOCK_ERROR, text, "",                                                                                         \
      "set by ktrace run: boot id and microseconds that the time of day may be wrong by, as the kernel says")        \
    X(YARDSTICKS, flag, "1", "0: do not measure how fast the machine is, which takes some microseconds every 10 ms") \
    X(PAUSED, flag, "0", "1: record nothing until the program or ktrace control resumes")                            \
    X(FOLLOW, flag, "1", "0: do not trace programs that the traced one executes")                                    \
    X(QUIET, flag, "0", "1: print nothing on standard error")                                                        \
    X(DISABLE, flag, "0", "1: record nothing, only pass calls on")

#endif
