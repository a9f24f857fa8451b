/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A plot of a comparison: FILE.svg, with the script and the data that it is made of beside it.
 */
#include "replay/compare/comparison.h"

#include "trace/memory.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

extern char **environ;

enum { BARS = 8 /* routines */, WIDTH = 1000, HEIGHT = 500 };

/* The path with another ending. */
static void beside(const char *path, const char *ending, char out[PATH_MAX])
{
    const char *dot = strrchr(path, '.');
    bool has_ending = dot && !strchr(dot, '/');
    snprintf(out, PATH_MAX, "%.*s%s", has_ending ? (int)(dot - path) : (int)strlen(path), path, ending);
}

static enum kt_status fail_writing(const char *path, struct kt_error *error)
{
    return kt_fail(error, KT_SYSTEM, "%s: cannot be written: %s", path, strerror(errno));
}

static enum kt_status close_file(FILE *file, const char *path, struct kt_error *error)
{
    bool fine = !ferror(file);
    fine = fclose(file) == 0 && fine;
    return fine ? KT_OK : fail_writing(path, error);
}

static void write_number(FILE *file, double value)
{
    fprintf(file, isnan(value) ? ",NaN" : ",%.9g", value);
}

/* A line for each routine: its name, then predicted seconds and their interval of each library, without first
 * calls and what calls waited for, which are no routine's own. */
static enum kt_status write_data(const struct kt_comparison *c, const char *path, struct kt_error *error)
{
    FILE *file = fopen(path, "w");
    if (!file)
        return fail_writing(path, error);
    fprintf(file, "routine");
    for (size_t l = 0; l < c->libraries; l++)
        fprintf(file, ",%s,lo,hi", c->label[l]);
    fprintf(file, "\n");
    for (size_t r = 0; r < c->routines; r++) {
        fprintf(file, "%s", c->routine[r].name);
        for (size_t l = 0; l < c->libraries; l++) {
            const struct kt_lane_sum *sum = &c->routine[r].lane[l];
            const double factor = sum->failed ? NAN : c->pace * c->scale;
            write_number(file, factor * sum->seconds);
            write_number(file, factor * sum->lo);
            write_number(file, factor * sum->hi);
        }
        fprintf(file, "\n");
    }
    return close_file(file, path, error);
}

/* Single quotes are doubled in gnuplot. */
static void write_quoted(FILE *file, const char *text)
{
    fputc('\'', file);
    for (; *text; text++)
        fprintf(file, *text == '\'' ? "''" : "%c", *text);
    fputc('\'', file);
}

static void write_bars(FILE *file, const struct kt_comparison *c, const char *data)
{
    fprintf(file, "plot ");
    for (size_t l = 0; l < c->libraries; l++) {
        size_t column = 2 + 3 * l;
        fprintf(file, "%s", l ? ", \\\n     " : "");
        write_quoted(file, data);
        fprintf(file, " every ::1::%d using %zu:%zu:%zu:xtic(1) title ", BARS, column, column + 1, column + 2);
        write_quoted(file, c->label[l]);
    }
    fprintf(file, "\n");
}

static enum kt_status write_script(const struct kt_comparison *c, const char *path, const char *data, const char *plot,
                                   struct kt_error *error)
{
    FILE *file = fopen(path, "w");
    if (!file)
        return fail_writing(path, error);
    fprintf(file, "set terminal svg size %d,%d background rgb 'white'\nset output ", WIDTH, HEIGHT);
    write_quoted(file, plot);
    fprintf(file,
            "\nset datafile separator ','\nset title 'Predicted time of all calls but waits, context %s, with 95 %% "
            "intervals'\n"
            "set ylabel 'seconds'\nset yrange [0:*]\nset grid ytics\nset key outside right top vertical Left reverse "
            "noenhanced\n"
            "set xtics noenhanced\nset style data histograms\n"
            "set style histogram errorbars gap 2 lw 1\nset style fill solid 0.7 border -1\nset boxwidth 0.9\n",
            kt_comparison_context(c));
    write_bars(file, c, data);
    return close_file(file, path, error);
}

static enum kt_status run_gnuplot(const char *script, struct kt_error *error)
{
    char *arguments[] = {(char *)"gnuplot", (char *)script, NULL};
    pid_t pid;
    int status = 0;
    if (posix_spawnp(&pid, "gnuplot", NULL, NULL, arguments, environ) != 0 || waitpid(pid, &status, 0) != pid ||
        status != 0)
        return kt_fail(error, KT_SYSTEM,
                       "%s: the script is there, but gnuplot did not plot it (Debian package gnuplot-nox)", script);
    return KT_OK;
}

enum kt_status kt_comparison_plot(const struct kt_comparison *c, const char *path, struct kt_error *error)
{
    char data[PATH_MAX];
    char script[PATH_MAX];
    beside(path, ".csv", data);
    beside(path, ".gp", script);
    KT_TRY(write_data(c, data, error));
    KT_TRY(write_script(c, script, data, path, error));
    return run_gnuplot(script, error);
}
