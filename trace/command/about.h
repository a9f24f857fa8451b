/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What verbs say about a trace in the same words, in lines of a label and a text.
 */
#ifndef KT_ABOUT_H
#define KT_ABOUT_H

#include "trace/shape/ranks.h"
#include "trace/read/state.h"

/* "label      text", without control characters: text of a trace must not steer a terminal. */
void kt_about_line(const char *label, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The command line of the process, cut to WIDTH characters. */
void kt_about_command(const struct kt_process *process, size_t width);

/* "python3 demo.py": what the process, which may be NULL, was started with; or that this is not known. */
void kt_about_command_text(const struct kt_process *process, char *out, size_t size);

/* The same without the folders of files, for where there is little room. */
void kt_about_command_names(const struct kt_process *process, char *out, size_t size);

/* " in 4 processes", behind times that are added up over all of the trace; "" where there is one. Returns OUT. */
enum { KT_ABOUT_PROCESSES = 40 };
const char *kt_about_processes(const struct kt_trace *trace, char out[KT_ABOUT_PROCESSES]);

/* "2026-11-28 00:10:33": when the recording of the process, which may be NULL, began. False, and "": it is not known.
 */
bool kt_about_when(const struct kt_process *process, char *out, size_t size);

/* The present time in the same words. */
void kt_about_now(char *out, size_t size);

/* "openblas", "reference" and so on, "" if the library is none of those that have a short name. */
const char *kt_about_library_name(const struct kt_object *library);

/* "OpenBLAS 0.3.21", or "reference libblas.so.3" if the library does not tell its version. */
void kt_about_library(const struct kt_object *library, char *out, size_t size);

/* The same with what else tells two of them apart: "OpenBLAS 0.3.21, SkylakeX kernels, 2 threads", as far as it is
 * known. */
void kt_about_library_kind(const struct kt_object *library, char *out, size_t size);

/* Is it a library, and called so by kt_about_library_kind? And is one of the first COUNT objects of the process? */
bool kt_about_is_of_kind(const struct kt_object *library, const char *kind);
bool kt_about_has_kind(const struct kt_process *process, size_t count, const char *kind);

/* "ranks      4 of 4 of job 12345", if there are any. */
void kt_about_ranks(const struct kt_ranks *ranks);

/* Nothing if all calls were recorded one by one. */
void kt_about_profile(const struct kt_trace *trace, const struct kt_state *state);

/* A line for each thing that the user did not want to be recorded: what numbers do not include. */
void kt_about_selection(const struct kt_trace *trace, const struct kt_state *state);

/* A line for each cause of lost calls and for each damage; nothing if there is none. */
void kt_about_losses(const struct kt_trace *trace, const struct kt_state *state);

/* Both of these: all that keeps numbers from being those of all calls. */
void kt_about_missing(const struct kt_trace *trace, const struct kt_state *state);

/* A line for each reason to distrust durations; nothing if there is none. */
void kt_about_clock(const struct kt_state *state);

/* Of several hosts: how far times of one may be set beside times of another. */
void kt_about_hosts(const struct kt_trace *trace);
void kt_about_hosts_notice(const struct kt_trace *trace); /* the same on standard error */

#endif
