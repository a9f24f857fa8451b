/* SPDX-License-Identifier: BSD-3-Clause */
#include "model/kernels/model_show.h"

#include "trace/command/json.h"
#include "trace/base/memory.h"
#include "trace/print/text.h"

#include <fnmatch.h>
#include <math.h>
#include <stdio.h>

bool kt_model_matches(const struct kt_kernel_model *model, const char *filter)
{
    bool found = !filter;
    char *copy = kt_copy(filter ? filter : "");
    char *rest = copy;
    for (char *pattern; !found && (pattern = strsep(&rest, ","));)
        found = fnmatch(pattern, model->routine, 0) == 0;
    free(copy);
    return found;
}

/* --- numbers ----------------------------------------------------------------------------------------------- */

static int count_fitted(const struct kt_kernel_model *m)
{
    int n = 0;
    for (size_t i = 0; i < m->regions; i++)
        n += m->region[i].coefficient != NULL;
    return n;
}

static int count_samples(const struct kt_kernel_model *m, bool held_out)
{
    int n = 0;
    for (size_t i = 0; i < m->points; i++)
        n += m->point[i].samples > 0 && m->point[i].held_out == held_out;
    return n;
}

/* --- JSON -------------------------------------------------------------------------------------------------- */

static json_t *error_json(const struct kt_model_error *e)
{
    return json_pack("{so so so so si}", "avg", kt_json_number(e->average), "max", kt_json_number(e->worst), "p95",
                     kt_json_number(e->most), "floor", kt_json_number(e->floor), "n", e->n);
}

static json_t *domain_json(const struct kt_kernel_model *m)
{
    json_t *domain = json_object();
    for (int a = 0; a < m->axes; a++)
        json_object_set_new(domain, m->axis[a],
                            json_pack("[II]", (json_int_t)m->domain.lo[a], (json_int_t)m->domain.hi[a]));
    return domain;
}

json_t *kt_model_crosses_json(const struct kt_kernel_model *m)
{
    json_t *list = json_array();
    for (int a = 0; a < m->axes; a++)
        if (m->crossover.product > 0 && m->crossover.axes & 1u << a)
            json_array_append_new(list, json_string(m->axis[a]));
    return list;
}

static json_t *model_json(const struct kt_kernel_model *m)
{
    return json_pack("{ss ss ss so so so si si si si so so so}", "routine", m->routine, "options", m->options,
                     "context", kt_model_context_name[m->context], "domain", domain_json(m), "crossover",
                     m->crossover.product > 0 ? json_real(m->crossover.product) : json_null(), "crossover_of",
                     kt_model_crosses_json(m), "regions", count_fitted(m), "regions_wanted", (int)m->regions, "samples",
                     count_samples(m, false), "held_out", count_samples(m, true), "error", error_json(&m->error),
                     "error_between", error_json(&m->others), "cost", kt_json_number(m->cost));
}

json_t *kt_models_json(const struct kt_models *models, const char *filter)
{
    json_t *list = json_array();
    for (size_t i = 0; i < models->count; i++)
        if (kt_model_matches(&models->model[i], filter))
            json_array_append_new(list, model_json(&models->model[i]));
    return json_pack("{ss ss so}", "file", models->path, "library", models->library, "models", list);
}

/* --- the table --------------------------------------------------------------------------------------------- */

/* "dgemm NT 1 0": of scalars only the values. */
static void kernel_text(const struct kt_kernel_model *m, char *out, size_t size)
{
    char *copy = kt_copy(m->options);
    char *rest = copy;
    size_t used = (size_t)snprintf(out, size, "%s", m->routine);
    for (char *word; (word = strsep(&rest, " ")) && used < size;) {
        const char *value = strchr(word, '=');
        bool is_increment = !strncmp(word, "inc", 3);
        used += (size_t)snprintf(out + used, size - used, " %s", value && !is_increment ? value + 1 : word);
    }
    free(copy);
}

static void domain_text(const struct kt_kernel_model *m, char *out, size_t size)
{
    size_t used = 0;
    *out = '\0';
    for (int a = 0; a < m->axes && used < size; a++)
        used += (size_t)snprintf(out + used, size - used, m->domain.lo[a] == m->domain.hi[a] ? "%s%ld" : "%s%ld:%ld",
                                 a ? "," : "", (long)m->domain.lo[a], (long)m->domain.hi[a]);
}

/* "1.2/4.5" per cent; "n/a" if no point was held out. */
static void error_text(const struct kt_model_error *e, char *out, size_t size)
{
    if (e->n)
        snprintf(out, size, "%.1f/%.1f", 100 * e->average, 100 * e->worst);
    else
        snprintf(out, size, "n/a");
}

static void floor_text(const struct kt_model_error *e, char *out, size_t size)
{
    snprintf(out, size, e->n ? "%.1f" : "n/a", 100 * e->floor);
}

static void add_row(struct kt_text_table *table, const struct kt_kernel_model *m)
{
    char name[KT_NAME + KT_MODEL_OPTIONS + 1];
    char domain[96];
    char regions[32];
    char samples[16];
    char error[32];
    char others[32];
    char noise[16];
    char cost[16];
    kernel_text(m, name, sizeof name);
    domain_text(m, domain, sizeof domain);
    int fitted = count_fitted(m);
    snprintf(regions, sizeof regions, fitted < (int)m->regions ? "%d/%zu" : "%d", fitted, m->regions);
    snprintf(samples, sizeof samples, "%d", count_samples(m, false));
    error_text(&m->error, error, sizeof error);
    error_text(&m->others, others, sizeof others);
    floor_text(&m->error, noise, sizeof noise);
    snprintf(cost, sizeof cost, "%.1f", m->cost);
    kt_text_table_row(table, (const char *[]){name, kt_model_context_name[m->context], domain, regions, samples, error,
                                              others, noise, cost});
}

/* "dgemm NT -1 1: another algorithm where m n k > 1000000" */
static void print_crossover(const struct kt_kernel_model *m)
{
    char name[KT_NAME + KT_MODEL_OPTIONS + 1];
    kernel_text(m, name, sizeof name);
    printf("%s, %s: another algorithm where", name, kt_model_context_name[m->context]);
    for (int a = 0; a < m->axes; a++)
        if (m->crossover.axes & 1u << a)
            printf(" %s", m->axis[a]);
    printf(" > %.0f\n", m->crossover.product);
}

void kt_models_print(const struct kt_models *models, const char *filter)
{
    static const struct kt_column columns[] = {{"kernel", false, true}, {"ctx", false, false}, {"sizes", false, true},
                                               {"reg", true, false},    {"n", true, false},    {"err 8", true, false},
                                               {"other", true, false},  {"+-", true, false},   {"s", true, false}};
    struct kt_text_table *table = kt_text_table_new(columns, sizeof columns / sizeof *columns);
    size_t shown = 0;
    size_t empty = 0;
    for (size_t i = 0; i < models->count; i++) {
        const struct kt_kernel_model *m = &models->model[i];
        if (!kt_model_matches(m, filter))
            continue;
        empty += m->points == 0;
        shown += m->points > 0;
        if (m->points)
            add_row(table, m);
    }
    printf("Models of %s, measured on this machine or the one they were built on:\n%s\n\n", models->library,
           models->path);
    kt_text_table_print(table);
    kt_text_table_free(table);
    printf("\n");
    for (size_t i = 0; i < models->count; i++)
        if (kt_model_matches(&models->model[i], filter) && models->model[i].points &&
            models->model[i].crossover.product > 0)
            print_crossover(&models->model[i]);
    printf("%s", KT_COUNT(shown, "model"));
    if (empty)
        printf(", and %zu wanted of which nothing is known yet", empty);
    printf(".\nkernel: options, scalars (x: not -1, 0, 1). reg: regions. n: points fitted.\n"
           "err 8: mean and largest error in %% at held-out multiples of 8, other: at others;\n"
           "+-: by how many %% two halves of the samples differ. s: seconds of measuring.\n");
}
