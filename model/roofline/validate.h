/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Whether counters and roofs can be trusted on this machine (paper 002, chapters 3 and 4): kernels of which it is known
 * how many bytes they move and operations they do, on cold memory, one thread and two at once, the least of K
 * measurements, as disturbances only add.
 *
 *     Read         S            Write        S + max(0, S - C)
 *     WriteStream  S            Triad        3 S + max(0, S - C/3)      a = b + k c, each of S bytes
 *     ADD, MUL     operations in registers
 *
 * S: bytes of an array; C: of the last cache. Found are counted bytes and operations, where there are counters, and
 * times, which are compared with the roofs of the machine file.
 */
#ifndef KT_VALIDATE_H
#define KT_VALIDATE_H

#include "trace/command/json.h"
#include "trace/command/machine.h"

enum { KT_VALIDATE_TIMES = 10 }; /* K */

/* How far found is from expected, in percent, the same for twice and half: (x > 1 ? x - 1 : 1 / x - 1) x 100. NAN: not
 * known. */
double kt_validate_error(double expected, double found);

/* Bytes that a kernel moves between memory and caches; NAN: no kernel of that name. */
double kt_validate_volume(const char *kernel, double size, double cache);

/* Bytes per second that the roof of that name allows so many threads: no more than all cores get together, and no more
 * than each gets alone. NAN: it was not measured. */
double kt_validate_rate(const struct kt_machine *machine, const char *roof, int threads);

/* {"k", "counters": why or null, "rows": [{"kernel", "threads", "size", "bytes_expected", "bytes_found", ...}]} */
enum kt_status kt_validate_measure(const struct kt_machine *machine, json_t **out, struct kt_error *error);
void kt_validate_print(const json_t *document);

#endif
