/* SPDX-License-Identifier: BSD-3-Clause */
#include "trace/verbs/run_map.h"

#include "ktrace/library_map.h"
#include "trace/base/memory.h"
#include "trace/files/files.h"
#include "trace/library/run_library.h"
#include "trace/table/known.h"
#include "trace/table/symbol.h"

#include <errno.h>
#include <limits.h>

/* --- the text ---------------------------------------------------------------------------------------------- */

/* At most so much as a map has; what is no ordinary file may have no end. */
static enum kt_status read_text(const char *path, char text[KT_MAP_BYTES], struct kt_error *error)
{
    errno = 0;
    FILE *file = kt_files_regular(path);
    if (!file)
        return kt_fail(error, KT_USAGE, "%s: %s", path, errno ? strerror(errno) : "not an ordinary file");
    size_t length = fread(text, 1, KT_MAP_BYTES - 1, file);
    text[length] = '\0';
    fclose(file);
    return KT_OK;
}

/* --- rules ------------------------------------------------------------------------------------------------- */

static bool has_argument(const struct kt_routine *routine, const char *name, bool is_option)
{
    for (int i = 0; i < routine->args; i++)
        if (!strcmp(routine->arg[i].name, name) &&
            (is_option ? routine->arg[i].role <= KT_OPTION : routine->arg[i].role == KT_SIZE))
            return true;
    return is_option && !strcmp(name, "layout");
}

/* Fortran is by columns. */
static bool may_have_layout(const struct kt_routine *routine, char letter)
{
    return letter == 'C' ||
           (letter == 'R' && routine->interfaces & (KT_HAS_CBLAS | KT_HAS_LAPACKE | KT_HAS_LAPACKE_WORK));
}

static bool says_info(const struct kt_routine *routine)
{
    for (int i = 0; i < routine->args; i++)
        if (routine->arg[i].role == KT_INFO)
            return true;
    return false;
}

/* Letters of their own are not all where nobody is told of wrong ones: of dlacpy any other than U and L means all. R is
 * OpenBLAS's: conjugated, not transposed. */
static bool may_be_letter(const struct kt_routine *routine, const struct kt_arg *arg, char letter)
{
    if (arg->letters)
        return arg->letters & kt_letter_bit(letter) || !says_info(routine);
    return arg->role == KT_OPTION || kt_cblas_value(arg->role, letter) || (arg->role == KT_TRANS && letter == 'R');
}

static bool may_hold(const struct kt_routine *routine, const struct kt_map_condition *c)
{
    if (!c->letter)
        return true;
    for (int i = 0; i < routine->args; i++)
        if (!strcmp(routine->arg[i].name, c->factor[0]) && routine->arg[i].role <= KT_OPTION)
            return may_be_letter(routine, &routine->arg[i], c->letter);
    return may_have_layout(routine, c->letter);
}

static enum kt_status check_condition(const char *path, const struct kt_map_rule *rule,
                                      const struct kt_map_condition *c, struct kt_error *error)
{
    char text[KT_MAP_CONDITION];
    const struct kt_routine *routine = kt_table_find(kt_known_routines(), rule->routine);
    for (int f = 0; f < c->factors; f++)
        if (!has_argument(routine, c->factor[f], c->letter))
            return kt_fail(error, KT_USAGE, "%s: line %d: %s is no %s of %s", path, rule->line, c->factor[f],
                           c->letter ? "option" : "size", rule->routine);
    return may_hold(routine, c) ? KT_OK
                                : kt_fail(error, KT_USAGE, "%s: line %d: can never hold: no call of %s has %s", path,
                                          rule->line, rule->routine, kt_map_condition_text(c, text));
}

static enum kt_status check_rule(const char *path, const struct kt_map_rule *rule, struct kt_error *error)
{
    if (!kt_table_find(kt_known_routines(), rule->routine))
        return kt_fail(error, KT_USAGE, "%s: line %d: no such routine is known: %s", path, rule->line, rule->routine);
    for (int c = 0; c < rule->conditions; c++)
        KT_TRY(check_condition(path, rule, &rule->condition[c], error));
    return KT_OK;
}

/* --- the libraries ----------------------------------------------------------------------------------------- */

/* The recorder takes files as they are. */
static enum kt_status find_files(const char *path, const struct kt_map_library *library, struct kt_installed *out,
                                 struct kt_error *error)
{
    char joined[sizeof library->files] = "";
    KT_TRY(kt_installed_find(library->files, out, error));
    snprintf(out->name, sizeof out->name, "%s", library->name);
    for (int i = 0; i < out->files; i++) {
        size_t used = strlen(joined);
        snprintf(joined + used, sizeof joined - used, "%s%s", i ? "," : "", out->file[i]);
    }
    return !strcmp(joined, library->files)
               ? KT_OK
               : kt_fail(error, KT_USAGE, "%s: %s: name the files: %s", path, library->name, joined);
}

static enum kt_status check_library(const char *path, const struct kt_map *map, int which, const char *command,
                                    struct kt_error *error)
{
    const char *routine[KT_MAP_RULES];
    int count = 0;
    struct kt_installed files = {0};
    struct kt_library_probe probe = {0};
    for (int i = 0; i < map->rules; i++)
        if (map->rule[i].library == which)
            routine[count++] = map->rule[i].routine;
    enum kt_status status = find_files(path, &map->library[which], &files, error);
    if (status == KT_OK) {
        kt_library_probe_for(&files, routine, count, &probe);
        status = kt_run_library_check(&files, command, &probe, error);
    }
    if (status == KT_OK && probe.lacking >= 0)
        status = kt_fail(error, KT_USAGE, "%s: %s has no %s", path, files.name, routine[probe.lacking]);
    if (status == KT_OK)
        kt_library_environment(&files);
    kt_installed_free(&files);
    return status;
}

static enum kt_status check(const char *path, struct kt_map *map, const char *command, struct kt_error *error)
{
    char *text = kt_resize(NULL, KT_MAP_BYTES, 1);
    enum kt_status status = read_text(path, text, error);
    if (status == KT_OK && !kt_map_parse(map, text))
        status = kt_fail(error, KT_USAGE, "%s: %s", path, map->why);
    free(text);
    for (int i = 0; i < map->rules && status == KT_OK; i++)
        status = check_rule(path, &map->rule[i], error);
    for (int i = 0; i < map->libraries && status == KT_OK; i++)
        status = check_library(path, map, i, command, error);
    return status;
}

enum kt_status kt_run_map(const char *path, const char *command, struct kt_error *error)
{
    char whole[PATH_MAX];
    const char *blas = getenv("KTRACE_BLAS");
    if (blas && *blas)
        return kt_fail(error, KT_USAGE, "--map: KTRACE_BLAS is set, and all calls would go to %s", blas);
    struct kt_map *map = kt_resize(NULL, 1, sizeof *map);
    map->rules = map->libraries = 0;
    enum kt_status status = check(path, map, command, error);
    free(map);
    if (status == KT_BAD_INPUT)
        status = error->status = KT_USAGE; /* what run was told is wrong */
    if (status == KT_OK && (!realpath(path, whole) || setenv("KTRACE_MAP", whole, 1) != 0))
        status = kt_fail(error, KT_SYSTEM, "%s: %s", path, strerror(errno));
    return status;
}
