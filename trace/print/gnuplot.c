/* SPDX-License-Identifier: BSD-3-Clause */
#include "trace/print/gnuplot.h"

#include "trace/library/installed.h"
#include "trace/print/text.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <stddef.h>
#include <string.h>
#include <strings.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static const char *const suffixes[] = {"svg", "png", "pdf"};
static const char mark[] = "# made by ktrace";

/* --- names ------------------------------------------------------------------------------------------------- */

static bool is_ours(const char *script)
{
    char text[sizeof mark] = "";
    FILE *file = fopen(script, "re");
    if (!file)
        return false;
    bool ours = fread(text, 1, sizeof mark - 1, file) == sizeof mark - 1 && !strcmp(text, mark);
    fclose(file);
    return ours;
}

/* A picture is there to be drawn again; a script and data beside it may be somebody's work. */
static enum kt_status check_names(const struct kt_picture *picture, struct kt_error *error)
{
    bool has_script = access(picture->script, F_OK) == 0;
    if (is_ours(picture->script) || (!has_script && access(picture->data, F_OK) != 0))
        return KT_OK;
    return kt_fail(error, KT_USAGE, "%s: exists already, and ktrace did not make it; choose another name than %s",
                   has_script ? picture->script : picture->data, picture->path);
}

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
    return check_names(out, error);
}

/* --- scripts ----------------------------------------------------------------------------------------------- */

static void put_plain(FILE *file, const char *text)
{
    for (; *text; text++)
        fputc(iscntrl((unsigned char)*text) ? '?' : *text, file);
}

enum kt_status kt_gnuplot_begin(struct kt_text_file *script, const char *path, struct kt_error *error)
{
    KT_TRY(kt_text_file_begin(script, path, error));
    fprintf(script->file, "%s; to draw it: cd here, gnuplot ", mark);
    put_plain(script->file, kt_base_name(path));
    fprintf(script->file, "\nset encoding utf8\n");
    return KT_OK;
}

/* The picture lies beside its script, wherever both are moved to together. */
void kt_picture_begin(FILE *script, const struct kt_picture *picture)
{
    if (!strcmp(picture->suffix, "svg"))
        fprintf(script, "set terminal svg size %d,%d noenhanced font 'sans-serif,12' background 'white'\n",
                picture->width, picture->height);
    else if (!strcmp(picture->suffix, "png"))
        fprintf(script, "set terminal pngcairo size %d,%d noenhanced font 'Sans,9'\n", picture->width, picture->height);
    else
        fprintf(script, "set terminal pdfcairo size %gin,%gin noenhanced font 'Sans,9'\n", picture->width / 96.0,
                picture->height / 96.0);
    fprintf(script, "set output ");
    kt_gnuplot_text(script, kt_base_name(picture->path));
    fprintf(script, "\n");
}

void kt_gnuplot_style(FILE *script)
{
    fprintf(script, "set border 3\nset tics nomirror\nset grid lc rgb '#e0e0e0' lt 1\n");
}

void kt_gnuplot_mark_cut(FILE *script, double x, bool above, bool below, const char *colour)
{
    static const char form[] = "set label '%s' at %.9g, graph %g center font ',8' tc rgb '#%s' front\n";
    if (above)
        fprintf(script, form, "▲", x, 0.985, colour);
    if (below)
        fprintf(script, form, "▼", x, 0.015, colour);
}

/* Okabe and Ito's but for black, which is text's, and yellow, which is too light. */
const char *kt_picture_colour(size_t i)
{
    static const char *const colour[KT_PICTURE_COLOURS] = {"0072b2", "d55e00", "009e73", "cc79a7",
                                                           "b8860b", "56b4e9", "7b3fa0", "8c564b"};
    return colour[i % KT_PICTURE_COLOURS];
}

void kt_gnuplot_text(FILE *script, const char *text)
{
    fputc('\'', script);
    for (; *text; text++) {
        if (*text == '\'')
            fputc('\'', script);
        fputc(iscntrl((unsigned char)*text) ? '?' : *text, script);
    }
    fputc('\'', script);
}

void kt_gnuplot_lines(FILE *script, const char *first, const char *second)
{
    kt_gnuplot_text(script, first);
    if (!*second)
        return;
    fputs(".\"\\n\".", script);
    kt_gnuplot_text(script, second);
}

void kt_gnuplot_word(FILE *script, const char *text)
{
    for (; *text; text++)
        fputc(isalnum((unsigned char)*text) ? *text : '_', script);
}

/* --- drawing ----------------------------------------------------------------------------------------------- */

#if defined(__x86_64__)
#define KT_AUDIT_ARCH AUDIT_ARCH_X86_64
#else
#define KT_AUDIT_ARCH AUDIT_ARCH_AARCH64
#endif

/*
 * From here on this process can make threads, but no process that could run a command. Where the kernel does not allow
 * filters, texts are harmless all the same.
 */
static void forbid_processes(void)
{
    enum { ARCH = offsetof(struct seccomp_data, arch), NR = offsetof(struct seccomp_data, nr) };
    struct sock_filter filter[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, ARCH),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, KT_AUDIT_ARCH, 1, 0),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, NR),
#if defined(__x86_64__)
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_fork, 6, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_vfork, 5, 0),
#else
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_clone3, 7, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_clone3, 6, 0),
#endif
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_clone3, 5, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_clone, 1, 0),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[0])),
        BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, CLONE_THREAD, 2, 0),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS), /* clone3: the C library then takes clone */
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = {sizeof filter / sizeof *filter, filter};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0)
        prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0);
}

enum { NOT_FOUND = 127 };

static void become_gnuplot(const char *folder, char *script)
{
    char *arguments[] = {"gnuplot", script, NULL};
    int nowhere = open("/dev/null", O_RDWR | O_CLOEXEC);
    if (nowhere >= 0)
        for (int i = STDIN_FILENO; i <= STDERR_FILENO; i++)
            dup2(nowhere, i);
    if (chdir(folder) != 0)
        _exit(NOT_FOUND - 1);
    forbid_processes();
    execvp("gnuplot", arguments);
    _exit(NOT_FOUND);
}

/* The exit status; NOT_FOUND if there is no gnuplot, -1 if it was killed. */
static int run(const char *path)
{
    char folder[PATH_MAX];
    char script[PATH_MAX];
    int status = 0;
    const char *name = kt_base_name(path);
    snprintf(folder, sizeof folder, "%.*s", name == path ? 1 : (int)(name - path), name == path ? "." : path);
    snprintf(script, sizeof script, "./%.*s", PATH_MAX - 3, name); /* not an option */
    fflush(NULL);
    pid_t pid = fork();
    if (pid == 0)
        become_gnuplot(folder, script);
    if (pid < 0 || waitpid(pid, &status, 0) != pid)
        return -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static enum kt_status could_not_draw(const char *script, struct kt_error *error)
{
    const char *name = kt_base_name(script);
    return kt_fail(error, KT_SYSTEM, "gnuplot could not draw %s; in ./%.*s 'gnuplot %s' says why", script,
                   (int)(name - script), script, name);
}

enum kt_status kt_gnuplot_run(const char *script, struct kt_error *error)
{
    int status = run(script);
    if (status == NOT_FOUND)
        return kt_fail(error, KT_SYSTEM,
                       "%s: the script is there, but gnuplot, which draws it, is not (Debian package gnuplot-nox)",
                       script);
    return status == 0 ? KT_OK : could_not_draw(script, error);
}

enum kt_status kt_picture_draw(const struct kt_picture *picture, struct kt_error *error)
{
    int status = run(picture->script);
    const char *name = kt_base_name(picture->script);
    if (status == NOT_FOUND)
        kt_notice("gnuplot is not there (Debian package gnuplot-nox): data in %s; in ./%.*s 'gnuplot %s' draws them",
                  picture->data, (int)(name - picture->script), picture->script, name);
    else if (status != 0)
        return could_not_draw(picture->script, error);
    else
        kt_notice("%s, drawn by %s; data in %s", picture->path, picture->script, picture->data);
    return KT_OK;
}
