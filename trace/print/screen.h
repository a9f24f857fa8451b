/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What pages of one screen are made of (ktrace report, explain, compare): lines that are cut to the page, a place with
 * its time, a bar of the parts of that, sentences of at most two lines.
 */
#ifndef KT_SCREEN_H
#define KT_SCREEN_H

#include <stdbool.h>
#include <stddef.h>

enum { KT_SCREEN_LINES = 24, KT_SCREEN_WIDTH = 80, KT_SCREEN_BAR = 24, KT_SCREEN_TEXT = 1024 };

/* One line; text of a trace must not steer a terminal. */
void kt_screen_line(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* The head of the places, and one of them. WHERE, WHAT: cut to their columns. */
void kt_screen_head(void);
void kt_screen_place(const char *where, const char *what, double calls, double seconds, double share);

/* "  ITEM, ITEM", nothing of them cut: in so many lines, broken between items. */
int kt_screen_list(const char *const *item, size_t count);

/* "  |####==  |" and TEXT. Each of the parts, as shares of 1, is drawn by its MARK. Parts
 * below 0 and those that are not known are not drawn. */
void kt_screen_bar(const double *part, const char *mark, int parts, const char *text);

/* "- text", broken between words, of at most two lines. */
void kt_screen_finding(const char *text);

/* Such sentences, most important first, for whoever prints or writes them. What is too many is left out. */
enum { KT_SCREEN_FINDINGS = 4 };
struct kt_screen_findings {
    int count;
    char text[KT_SCREEN_FINDINGS][KT_SCREEN_TEXT];
};
void kt_screen_add(struct kt_screen_findings *findings, const char *format, ...) __attribute__((format(printf, 2, 3)));
void kt_screen_print_findings(const struct kt_screen_findings *findings);

/* "12.3 %", without the space that columns need; 16 bytes. */
const char *kt_screen_percent(double part, char *out);

#endif
