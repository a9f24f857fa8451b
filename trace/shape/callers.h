/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Names for the places that calls come from: which loaded file, function and source line. Of a Python program the
 * trace tells the line itself; all others are return addresses.
 *
 * Files are opened where the trace says they were loaded from, and only believed if their build id is the recorded
 * one. Separate debug files are found where distributions install them; DEBUGINFOD_URLS names servers to ask for
 * others.
 */
#ifndef KT_CALLERS_H
#define KT_CALLERS_H

#include "trace/read/cursor.h"

/* What is known of a place in the code; NULL and 0 where it is not. */
struct kt_place {
    const char *object;   /* path */
    const char *function; /* that covers the call */
    const char *file;
    int line;
    uint64_t offset; /* of the call in the object, as in its symbol table; without an object the address */
    uint64_t within; /* the same from where the function begins; 0: not known */
};

/* Opens files as they are needed and keeps them, and every answer, until it is freed. */
struct kt_callers;
struct kt_callers *kt_callers_new(void);
void kt_callers_free(struct kt_callers *callers);

/* The place that kt_call_site() tells, of a call of that process. Valid as long as CALLERS and the trace. */
const struct kt_place *kt_callers_find(struct kt_callers *callers, const struct kt_process *process, uint64_t site);

/* Does the trace tell what called the function of SITE (KTRACE_STACKS=paths)? */
bool kt_callers_know_path(const struct kt_process *process, uint64_t site);

/* The places of SITE and of all that called its function, the innermost first, up to main(). Functions that were
 * inlined have places of their own. Returns how many. */
enum { KT_PATH_PLACES = 256 };
size_t kt_callers_path(struct kt_callers *callers, const struct kt_process *process, uint64_t site,
                       const struct kt_place *out[KT_PATH_PLACES]);

/* "function", or "+0x1234" in the object if it is not known. */
void kt_place_function(const struct kt_place *place, char *out, size_t size);

/* The same with the offset in a function whose lines are not known: "function+0x12". */
void kt_place_instruction(const struct kt_place *place, char *out, size_t size);

/* "demo.py:112 kalman", or "function in library.so" where the line is not known. */
void kt_place_text(const struct kt_place *place, char *out, size_t size);

/* 0 for places that a report does not tell apart; otherwise an order. */
int kt_place_compare(const struct kt_place *x, const struct kt_place *y);

/* The same for lines: instructions of one line and function are one place, those without a line are all different. */
int kt_place_compare_lines(const struct kt_place *x, const struct kt_place *y);

#endif
