/* SPDX-License-Identifier: BSD-3-Clause */
#include "model/gnuplot.h"

#include "trace/installed.h"
#include "trace/text.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <string.h>
#include <strings.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

static const char *const suffixes[] = {"svg", "png", "pdf"};

enum kt_status kt_picture_name(const char *path, int width, int height, struct kt_picture *out, struct kt_error *error)
{
    const char *dot = strrchr(path, '.');
    *out = (struct kt_picture){.width = width, .height = height};
    for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes && dot; i++)
        if (!strcasecmp(dot + 1, suffixes[i]))
            out->suffix = suffixes[i];
    if (!out->suffix || strlen(path) >= sizeof out->path - 8)
        return kt_fail(error, KT_USAGE, "%.200s: expected a name that ends in .svg, .png or .pdf", path);
    int stem = (int)(dot - path);
    snprintf(out->path, sizeof out->path, "%s", path);
    snprintf(out->script, sizeof out->script, "%.*s.gp", stem, path);
    snprintf(out->data, sizeof out->data, "%.*s.csv", stem, path);
    return KT_OK;
}

/* The picture lies beside its script, wherever both are moved to together. */
void kt_picture_begin(FILE *script, const struct kt_picture *picture)
{
    fprintf(script, "# made by ktrace; to draw it: cd here, gnuplot %s\nset encoding utf8\n",
            kt_base_name(picture->script));
    if (!strcmp(picture->suffix, "svg"))
        fprintf(script, "set terminal svg size %d,%d noenhanced font \"sans-serif,12\" background \"white\"\n",
                picture->width, picture->height);
    else if (!strcmp(picture->suffix, "png"))
        fprintf(script, "set terminal pngcairo size %d,%d noenhanced font \"Sans,9\"\n", picture->width,
                picture->height);
    else
        fprintf(script, "set terminal pdfcairo size %gin,%gin noenhanced font \"Sans,9\"\n", picture->width / 96.0,
                picture->height / 96.0);
    fprintf(script, "set output ");
    kt_picture_text(script, kt_base_name(picture->path));
    fprintf(script, "\n");
}

void kt_picture_text(FILE *script, const char *text)
{
    fputc('"', script);
    for (; *text; text++) {
        unsigned char c = (unsigned char)*text;
        if (c == '"' || c == '\\')
            fprintf(script, "\\%c", c);
        else
            fputc(c < ' ' || c == 127 ? '?' : c, script);
    }
    fputc('"', script);
}

/* Runs gnuplot where the script is; what it says goes to standard error. */
static int run_gnuplot(const struct kt_picture *picture, pid_t *pid)
{
    char directory[sizeof picture->script];
    char script[sizeof picture->script];
    char command[] = "cd \"$1\" && exec gnuplot \"./$2\"";
    char *arguments[] = {"sh", "-c", command, "sh", directory, script, NULL};
    const char *name = kt_base_name(picture->script);
    snprintf(directory, sizeof directory, "%.*s", (int)(name - picture->script), picture->script);
    if (!*directory)
        snprintf(directory, sizeof directory, ".");
    snprintf(script, sizeof script, "%s", name);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    int status = posix_spawnp(pid, "sh", &actions, NULL, arguments, environ);
    posix_spawn_file_actions_destroy(&actions);
    return status;
}

enum kt_status kt_picture_draw(const struct kt_picture *picture, struct kt_error *error)
{
    enum { NOT_FOUND = 127 };
    pid_t pid;
    int status = 0;
    bool run = run_gnuplot(picture, &pid) == 0 && waitpid(pid, &status, 0) == pid;
    const char *name = kt_base_name(picture->script);
    int folder = (int)(name - picture->script);
    if (!run || (WIFEXITED(status) && WEXITSTATUS(status) == NOT_FOUND))
        kt_notice("gnuplot is not there (Debian package gnuplot-nox): data in %s; in ./%.*s 'gnuplot %s' draws them",
                  picture->data, folder, picture->script, name);
    else if (status != 0)
        return kt_fail(error, KT_SYSTEM, "gnuplot could not draw %s; in ./%.*s 'gnuplot %s' says why", picture->path,
                       folder, picture->script, name);
    else
        kt_notice("%s, drawn by %s; data in %s", picture->path, picture->script, picture->data);
    return KT_OK;
}
