/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Pictures drawn by gnuplot: a script that stands for itself, with the data in it, and the picture made of it.
 *
 * What goes into scripts may come from a trace that somebody else made. Gnuplot runs what stands between backticks in a
 * command or in a string in double quotes, so texts only get there through kt_gnuplot_text and kt_gnuplot_word; and
 * what is drawn here is drawn by a gnuplot that cannot start another program.
 */
#ifndef KT_GNUPLOT_H
#define KT_GNUPLOT_H

#include "trace/base/error.h"
#include "trace/print/text_file.h"

#include <stdbool.h>
#include <stdio.h>

struct kt_picture {
    char path[3900];    /* of the picture: ends in .svg, .png or .pdf */
    char script[3900];  /* the same with .gp */
    char data[3900];    /* the same with .csv */
    const char *suffix; /* svg, png, pdf */
    int width, height;  /* pixels */
};

/* An error if the name tells no kind of picture, or if a script or data of that name are there that are not ours. */
enum kt_status kt_picture_name(const char *path, int width, int height, struct kt_picture *out, struct kt_error *error);

/* A script, with the line that says whose it is; to be ended with kt_text_file_end. */
enum kt_status kt_gnuplot_begin(struct kt_text_file *script, const char *path, struct kt_error *error);

/* The next lines of the script: terminal, output, fonts. */
void kt_picture_begin(FILE *script, const struct kt_picture *picture);

/* A frame of two axes, a faint grid: all pictures that are no roofline look so. */
void kt_gnuplot_style(FILE *script);

/* A triangle at the edge of the plot, at X, where what was drawn there is cut. COLOUR: six hexadecimal digits. */
void kt_gnuplot_mark_cut(FILE *script, double x, bool above, bool below, const char *colour);

/* Six hexadecimal digits: of the I-th of what is told apart by colour, also by the colour-blind. */
enum { KT_PICTURE_COLOURS = 8 };
const char *kt_picture_colour(size_t i);

/* TEXT as a string of a script, in single quotes, in which nothing has a meaning, without control characters. */
void kt_gnuplot_text(FILE *script, const char *text);

/* Likewise of two lines; the second may be empty. */
void kt_gnuplot_lines(FILE *script, const char *first, const char *second);

/* TEXT as a word of a data block: what is neither letter nor digit becomes an underscore. */
void kt_gnuplot_word(FILE *script, const char *text);

/* Runs gnuplot where the script is, quietly. An error if it failed, or if there is none. */
enum kt_status kt_gnuplot_run(const char *script, struct kt_error *error);

/* Has the script drawn, and says where everything is. That there is no gnuplot is no error: the data and the script are
 * there. */
enum kt_status kt_picture_draw(const struct kt_picture *picture, struct kt_error *error);

#endif
