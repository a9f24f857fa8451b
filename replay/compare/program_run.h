/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * One run of a program under this command's own `ktrace run`, in a process group of its own: what it prints is kept
 * from the terminal, and it ends when its time is over.
 */
#ifndef KT_PROGRAM_RUN_H
#define KT_PROGRAM_RUN_H

#include "replay/call/library.h"
#include "replay/machine/processor.h"

struct kt_program_run {
    char **command;
    const char *directory;            /* that it runs in; NULL: this one */
    bool has_input;                   /* it reads our standard input from its beginning, which is a file */
    const struct kt_library *library; /* that it runs on; NULL: its own */
    const char *map;                  /* of libraries that calls go to, likewise */
    int threads;                      /* that libraries are told; 0: as the environment says */
    bool are_asked;                   /* these threads: OMP_NUM_THREADS is told, too, where the user has set it */
    const char *trace;                /* directory, which is not there yet */
    const char *routines;             /* that are recorded, as in KTRACE_ROUTINES if that is not set; NULL: all */
    const char *nested;               /* which nested calls, as in KTRACE_NESTED, likewise; NULL: as usual */
    double limit;                     /* seconds; 0: none */
    int processor;                    /* that it stays on; KT_NO_PROCESSOR: wherever the system has it run */
};

/* Seconds of a run: by the clock, and of the processors for it and its children. */
struct kt_program_time {
    double wall, cpu;
};

/* An error, with the last line that it printed, if it does not end with status 0. */
enum kt_status kt_program_run(const struct kt_program_run *run, struct kt_program_time *time, struct kt_error *error);

/* Removes a directory with all that is in it. */
void kt_directory_remove(const char *path);

#endif
