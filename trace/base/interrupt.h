/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Ctrl-C, and the other signals that ask a command to end: measuring stops, what was measured is kept and shown.
 * Another one, half a second later or more, ends the command at once.
 */
#ifndef KT_INTERRUPT_H
#define KT_INTERRUPT_H

/* From now on such signals are remembered. Those that were ignored, as of a job in the background, stay so. */
void kt_interrupt_catch(void);

/* In a process that ends with the command: what a terminal or a batch system sends to both is the command's business.
 */
void kt_interrupt_ignore(void);

/* The signal that came, 0 if none did. A command that was interrupted ends with 128 and this. */
int kt_interrupted(void);

#endif
