/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The partition of a domain, as figure 3 of Peise & Bientinesi draws it, by gnuplot.
 */
#include "model/kernels/model_show.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

extern char **environ;

enum { WIDTH = 460, HEIGHT = 430, MOST_PANELS = 12 };

/* A region of a model with more sizes is drawn if it is at the upper end of those that are not. */
static bool is_drawn(const struct kt_kernel_model *m, const struct kt_box *box)
{
    for (int a = 2; a < m->axes; a++)
        if (box->hi[a] != m->domain.hi[a] || (box->lo[a] == box->hi[a] && m->domain.lo[a] < m->domain.hi[a]))
            return false;
    return true;
}

static void write_regions(FILE *script, FILE *data, const struct kt_kernel_model *m)
{
    for (size_t i = 0; i < m->regions; i++) {
        const struct kt_region *r = &m->region[i];
        int64_t low = m->axes > 1 ? r->box.lo[1] : 0;
        int64_t high = m->axes > 1 ? r->box.hi[1] : 1;
        if (!is_drawn(m, &r->box))
            continue;
        fprintf(data, "%s,%s,%s,region,%ld,%ld,%ld,%ld,%.5g,%.5g\n", m->routine, m->options,
                kt_model_context_name[m->context], (long)r->box.lo[0], (long)r->box.hi[0], (long)low, (long)high,
                r->average, r->worst);
        if (r->coefficient)
            fprintf(script,
                    "set object rect from %ld,%ld to %ld,%ld fc palette cb %.4f fs solid border lc rgb 'black'\n",
                    (long)r->box.lo[0], (long)low, (long)r->box.hi[0], (long)high, 100 * r->worst);
        else
            fprintf(script, "set object rect from %ld,%ld to %ld,%ld fs empty border lc rgb 'grey'\n",
                    (long)r->box.lo[0], (long)low, (long)r->box.hi[0], (long)high);
    }
}

static size_t write_points(FILE *script, const struct kt_kernel_model *m, bool held_out, const char *name)
{
    size_t n = 0;
    fprintf(script, "$%s << EOD\n", name);
    for (size_t i = 0; i < m->points; i++) {
        const struct kt_point *p = &m->point[i];
        if (p->held_out != held_out || !p->samples)
            continue;
        fprintf(script, "%ld %g\n", (long)p->size[0], m->axes > 1 ? (double)p->size[1] : 0.5);
        n++;
    }
    fprintf(script, "EOD\n");
    return n;
}

static void write_panel(FILE *script, FILE *data, const struct kt_kernel_model *m)
{
    bool flat = m->axes == 1;
    char quality[96] = "no held-out points yet";
    if (m->error.n)
        snprintf(quality, sizeof quality, "mean %.2g %%, max %.2g %% at %d held-out points", 100 * m->error.average,
                 100 * m->error.worst, m->error.n);
    fprintf(script, "unset object\nset title \"%s %s\\n%s: %s\" noenhanced\n", m->routine, m->options,
            kt_model_context_name[m->context], quality);
    fprintf(script, "set xlabel '%s'\nset ylabel '%s'\nset xrange [%ld:%ld]\nset yrange [%ld:%ld]\n", m->axis[0],
            flat ? "" : m->axis[1], (long)m->domain.lo[0], (long)m->domain.hi[0], flat ? 0 : (long)m->domain.lo[1],
            flat ? 1 : (long)m->domain.hi[1]);
    fprintf(script, flat ? "unset ytics\n" : "set ytics\n");
    write_points(script, m, false, "samples");
    size_t held_out = write_points(script, m, true, "heldout");
    write_regions(script, data, m);
    fprintf(script,
            "plot $samples using 1:2:(0) with points pt 7 ps 0 lc palette notitle, $samples with points pt 7 ps 0.35 "
            "lc rgb 'black' title 'sample'%s\n",
            held_out ? ", $heldout with points pt 2 ps 0.5 lc rgb 'blue' title 'held out'" : "");
}

/* Those of the filter that have an extent. */
static size_t choose_panels(const struct kt_models *models, const char *filter, const struct kt_kernel_model **panel)
{
    size_t n = 0;
    for (size_t i = 0; i < models->count && n < MOST_PANELS; i++) {
        const struct kt_kernel_model *m = &models->model[i];
        bool flat = m->domain.lo[0] == m->domain.hi[0] || (m->axes > 1 && m->domain.lo[1] == m->domain.hi[1]);
        if (kt_model_matches(m, filter) && m->regions && !flat)
            panel[n++] = m;
    }
    return n;
}

static enum kt_status run_gnuplot(const char *script, struct kt_error *error)
{
    char *arguments[] = {"gnuplot", (char *)script, NULL};
    pid_t pid;
    int status = 0;
    if (posix_spawnp(&pid, "gnuplot", NULL, NULL, arguments, environ) != 0 || waitpid(pid, &status, 0) != pid ||
        status != 0)
        return kt_fail(error, KT_SYSTEM, "%s is there, but gnuplot did not plot it (Debian package gnuplot-nox)",
                       script);
    return KT_OK;
}

static void write_script(FILE *script, FILE *data, const struct kt_kernel_model **panel, size_t panels,
                         const char *file, bool png)
{
    size_t columns = panels < 3 ? panels : 3;
    size_t rows = (panels + columns - 1) / columns;
    fprintf(script, "set terminal %s size %zu,%zu\nset output '%s'\n", png ? "pngcairo" : "svg", columns * WIDTH,
            rows * HEIGHT, file);
    fprintf(script,
            "set multiplot layout %zu,%zu\nset palette defined (0 '#ffffe5', 0.4 '#fec44f', 1 '#cc4c02')\n"
            "set cbrange [0:10]\nset cblabel 'worst sample, %%'\nset key outside bottom center horizontal\n",
            rows, columns);
    fprintf(data, "routine,options,context,kind,lo1,hi1,lo2,hi2,error_mean,error_max\n");
    for (size_t i = 0; i < panels; i++)
        write_panel(script, data, panel[i]);
    fprintf(script, "unset multiplot\n");
}

static FILE *create(const char *file, const char *suffix, char *path, struct kt_error *error)
{
    snprintf(path, PATH_MAX, "%s%s", file, suffix);
    FILE *stream = fopen(path, "w");
    if (!stream)
        kt_fail(error, KT_SYSTEM, "%s: cannot be written: %s", path, strerror(errno));
    return stream;
}

enum kt_status kt_models_plot(const struct kt_models *models, const char *filter, const char *file,
                              struct kt_error *error)
{
    const struct kt_kernel_model *panel[MOST_PANELS];
    char script_path[PATH_MAX];
    char data_path[PATH_MAX];
    size_t length = strlen(file);
    bool png = length > 4 && !strcmp(file + length - 4, ".png");
    if (!png && !(length > 4 && !strcmp(file + length - 4, ".svg")))
        return kt_fail(error, KT_USAGE, "--plot needs a file that ends in .svg or .png, not '%s'", file);
    size_t panels = choose_panels(models, filter, panel);
    if (!panels)
        return kt_fail(error, KT_BAD_INPUT, "%s: no model here has a range of sizes to plot", models->path);
    FILE *script = create(file, ".gp", script_path, error);
    FILE *data = script ? create(file, ".csv", data_path, error) : NULL;
    if (data)
        write_script(script, data, panel, panels, file, png);
    bool fine = data && fclose(data) == 0;
    fine = script && fclose(script) == 0 && fine;
    if (!fine)
        return kt_fail(error, KT_SYSTEM, "%s: cannot be written", file);
    return run_gnuplot(script_path, error);
}
