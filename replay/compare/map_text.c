/* SPDX-License-Identifier: BSD-3-Clause */
/* A map as a file, as a line for people, and as JSON. */
#include "replay/compare/map_plan.h"

#include "ktrace/library_map.h"
#include "replay/compare/ratio_json.h"
#include "replay/compare/ratio_text.h"
#include "trace/command/json.h"
#include "trace/library/library_probe.h"
#include "trace/print/screen.h"
#include "trace/print/text.h"
#include "trace/print/text_file.h"

#include <math.h>
#include <string.h>

/* --- the file ---------------------------------------------------------------------------------------------- */

/* How many of the library's files the rules need: its LAPACK only if a routine is not in the first. */
static int files_needed(const struct kt_map_plan *plan, const struct kt_library *library, size_t lane)
{
    const char *routine[KT_MAP_RULES];
    int count = 0;
    struct kt_library_probe probe;
    struct kt_installed first = {.file = {library->file[0]}, .files = 1};
    for (size_t r = 0; r < plan->rules; r++)
        if (plan->rule[r].lane == lane)
            routine[count++] = plan->rule[r].routine->name;
    kt_library_probe_for(&first, routine, count, &probe);
    return probe.loaded && probe.lacking < 0 ? 1 : library->files;
}

/* A word, and none of the map's own signs. */
static void name_of(const struct kt_comparison *c, size_t lane, char name[KT_LANE_LABEL + 16])
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.";
    const char *label = c->label[lane];
    if (*label && !label[strspn(label, plain)] && strcmp(label, "own") != 0)
        snprintf(name, KT_LANE_LABEL + 16, "%s", label);
    else
        snprintf(name, KT_LANE_LABEL + 16, "library-%zu", lane);
}

static void write_library(FILE *out, const struct kt_map_plan *plan, const struct kt_comparison *c, size_t lane)
{
    const struct kt_library *library = &c->worker[lane].library;
    int files = files_needed(plan, library, lane);
    char name[KT_LANE_LABEL + 16];
    name_of(c, lane, name);
    fprintf(out, "library %s", name);
    for (int i = 0; i < files; i++)
        fprintf(out, "%c%s", i ? ',' : ' ', library->file[i]);
    fputc('\n', out);
}

static void write_conditions(FILE *out, const struct kt_planned_rule *rule)
{
    fprintf(out, "%s layout=%c", rule->routine->name, rule->row_major ? 'R' : 'C');
    for (int i = 0; i < rule->routine->args; i++) {
        const struct kt_arg *arg = &rule->routine->arg[i];
        if (rule->option[i])
            fprintf(out, " %s=%c", arg->name, rule->option[i]);
        else if (arg->role == KT_SIZE && rule->low[i] == rule->high[i])
            fprintf(out, " %s=%lld", arg->name, (long long)rule->low[i]);
        else if (arg->role == KT_SIZE)
            fprintf(out, " %s=%lld..%lld", arg->name, (long long)rule->low[i], (long long)rule->high[i]);
    }
}

static void write_rule(FILE *out, const struct kt_comparison *c, const struct kt_planned_rule *rule)
{
    char seconds[16];
    char times[16];
    char interval[KT_RATIO_TEXT];
    char name[KT_LANE_LABEL + 16];
    name_of(c, rule->lane, name);
    write_conditions(out, rule);
    fprintf(out, " -> %s  # %s, %s times; %s, %s, %s\n", name, kt_text_ratio(rule->ratio.value, times),
            kt_ratio_interval_text(&rule->ratio, interval), KT_COUNT(rule->shapes, "shape"),
            KT_COUNT(rule->calls, "call"), kt_text_seconds(rule->seconds, seconds));
}

static void write_head(FILE *out, const struct kt_map_plan *plan, const struct kt_comparison *c)
{
    char own[16], with[16], times[16], interval[KT_RATIO_TEXT];
    fprintf(out,
            "# A map of libraries, made by ktrace compare; ktrace run --map follows it.\n"
            "# BLAS of the recorded program: %s with it, %s without (%s, 95 %% interval %s), as predicted.\n"
            "# Behind each rule: time on its library over that on the recorded one, and what was measured.\n"
            "threads %d\n",
            kt_text_seconds(plan->seconds, with), kt_text_seconds(kt_comparison_blas(c, 0), own),
            kt_text_ratio(plan->ratio.value, times), kt_ratio_interval_text(&plan->ratio, interval),
            c->worker[0].library.threads);
}

enum kt_status kt_map_plan_write(const struct kt_map_plan *plan, const struct kt_comparison *c, const char *path,
                                 struct kt_error *error)
{
    struct kt_text_file file;
    KT_TRY(kt_text_file_begin(&file, path, error));
    write_head(file.file, plan, c);
    for (size_t l = 1; l < c->libraries; l++)
        if (plan->is_used[l])
            write_library(file.file, plan, c, l);
    for (size_t r = 0; r < plan->rules; r++)
        write_rule(file.file, c, &plan->rule[r]);
    return kt_text_file_end(&file, error);
}

/* --- what it comes to -------------------------------------------------------------------------------------- */

void kt_map_plan_print(const struct kt_map_plan *plan, const char *path)
{
    char ratio[KT_RATIO_TEXT];
    if (!path)
        printf("- no map: no other library is certainly faster for any shape, by enough to be worth it\n");
    else
        printf("- map: %s in %s; BLAS would take %s of what it takes now\n"
               "Next: ktrace run --map %s --no-trace -- COMMAND\n",
               KT_COUNT(plan->rules, "rule"), path, kt_ratio_text(&plan->ratio, ratio), path);
}

static json_t *rule_json(const struct kt_comparison *c, const struct kt_planned_rule *rule)
{
    return json_pack("{s:o, s:o, s:I, s:o, s:o, s:o, s:o}", "routine", kt_json_text(rule->routine->name), "library",
                     kt_json_text(c->label[rule->lane]), "shapes", (json_int_t)rule->shapes, "calls",
                     kt_json_number(rule->calls), "seconds", kt_json_number(rule->seconds), "ratio",
                     kt_ratio_json(&rule->ratio), "gain", kt_json_number(rule->gain));
}

json_t *kt_map_plan_json(const struct kt_map_plan *plan, const struct kt_comparison *c, const char *path)
{
    json_t *rules = json_array();
    for (size_t r = 0; r < plan->rules; r++)
        json_array_append_new(rules, rule_json(c, &plan->rule[r]));
    return json_pack("{s:o, s:o, s:o, s:o, s:o}", "file", path ? kt_json_text(path) : json_null(), "seconds",
                     kt_json_number(plan->seconds), "ratio", kt_ratio_json(&plan->ratio), "seconds_application",
                     kt_json_number(plan->application), "rules", rules);
}
