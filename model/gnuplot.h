/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Pictures drawn by gnuplot: a script that stands for itself, with the data in it, and the picture made of it.
 */
#ifndef KT_GNUPLOT_H
#define KT_GNUPLOT_H

#include "trace/error.h"

#include <stdio.h>

struct kt_picture {
    char path[3900];    /* of the picture: ends in .svg, .png or .pdf */
    char script[3900];  /* the same with .gp */
    char data[3900];    /* the same with .csv */
    const char *suffix; /* svg, png, pdf */
    int width, height;  /* pixels */
};

/* An error if the name tells no kind of picture. */
enum kt_status kt_picture_name(const char *path, int width, int height, struct kt_picture *out, struct kt_error *error);

/* The first lines of the script: terminal, output, fonts. */
void kt_picture_begin(FILE *script, const struct kt_picture *picture);

/* TEXT as a string of a script, in double quotes, without control characters. */
void kt_picture_text(FILE *script, const char *text);

/* Has the script drawn, and says where everything is. That there is no gnuplot is no error: the data and the script are
 * there. */
enum kt_status kt_picture_draw(const struct kt_picture *picture, struct kt_error *error);

#endif
