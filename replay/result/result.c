/* SPDX-License-Identifier: BSD-3-Clause */
#include "replay/result/result.h"

#include "trace/base/interrupt.h"
#include "replay/result/left_out.h"
#include "replay/result/result_totals.h"
#include "replay/machine/processor.h"
#include "replay/sequence/sequence_result.h"
#include "trace/library/elf_file.h"
#include "trace/command/json.h"
#include "trace/command/speed_json.h"
#include "trace/base/memory.h"
#include "trace/command/state_json.h"
#include "trace/command/subnormal.h"
#include "trace/shape/shape_words.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

struct kt_stat kt_lane_stat(const struct kt_item *item, size_t lane)
{
    return kt_series_stat(&item->lane[lane], item->best);
}

/* Which lane times a context, or -1. */
static int find_lane(const struct kt_replay_result *r, const char *context)
{
    for (size_t l = 0; l < r->options->contexts; l++)
        if (!strcmp(r->options->context[l]->name, context))
            return (int)l;
    return -1;
}

/* Medians, as the in-situ time of a call is a single draw and so compares with the middle of the replays. */
double kt_result_index(const struct kt_replay_result *r, size_t i)
{
    int warm = find_lane(r, "warm");
    int cold = find_lane(r, "cold");
    if (warm < 0 || cold < 0)
        return NAN;
    const struct kt_item *item = &r->schedule->item[i];
    return kt_context_index(r->setup->jobs.job[i].insitu.median, kt_lane_stat(item, (size_t)warm).median,
                            kt_lane_stat(item, (size_t)cold).median);
}

/* --- JSON -------------------------------------------------------------------------------------------------- */

json_t *kt_result_library(const struct kt_worker *worker)
{
    json_t *files = json_array();
    json_t *builds = json_array();
    for (int i = 0; i < worker->library.files; i++) {
        char build[KT_BUILD_ID_TEXT] = "";
        kt_build_id_of(worker->library.file[i], build);
        json_array_append_new(files, kt_json_text(worker->library.file[i]));
        json_array_append_new(builds, kt_json_text_or_null(build));
    }
    return json_pack("{s:o, s:o, s:o, s:o, s:o, s:i, s:i}", "name", kt_json_text(worker->library.name), "path",
                     kt_json_text(worker->library.file[0]), "version", kt_json_text(worker->hello.version), "files",
                     files, "build_ids", builds, "threads", worker->library.threads, "int_bits",
                     8 * (int)worker->library.int_bytes);
}

json_t *kt_job_json(const struct kt_job *job)
{
    char words[256];
    const struct kt_call *call = &job->shape->first;
    kt_shape_words(call, job->shape->also, words, sizeof words);
    return json_pack("{s:s, s:o, s:o, s:I}", "routine", call->entry->symbol.routine->name, "words", kt_json_text(words),
                     "args", kt_json_args(call, false), "calls", (json_int_t)job->shape->calls);
}

json_t *kt_result_shape(const struct kt_job *job, const struct kt_item *item)
{
    json_t *json = kt_job_json(job);
    json_object_set_new(json, "symbol", kt_json_text(job->shape->first.entry->symbol.name));
    json_object_set_new(json, "total", kt_json_number(job->shape->total));
    json_object_set_new(json, "insitu", kt_json_stat(&job->insitu));
    json_object_set_new(json, "stopped", json_string(kt_stop_text[item->stop]));
    json_object_set_new(json, "contents", json_string(job->held ? "recorded" : "made"));
    return json;
}

/* First line of a file that begins with KEY, behind KEY and what separates it from the value; "" if there is none. */
static void read_line(const char *path, const char *key, char *out, size_t size)
{
    char line[512];
    FILE *file = fopen(path, "re");
    *out = '\0';
    while (file && !*out && fgets(line, sizeof line, file)) {
        line[strcspn(line, "\n")] = '\0';
        if (!strncmp(line, key, strlen(key)))
            snprintf(out, size, "%s", line + strlen(key) + strspn(line + strlen(key), " \t:"));
    }
    if (file)
        fclose(file);
}

json_t *kt_result_machine(void)
{
    char boot_id[64];
    char cpu[128];
    read_line("/proc/sys/kernel/random/boot_id", "", boot_id, sizeof boot_id);
    read_line("/proc/cpuinfo", "model name", cpu, sizeof cpu);
    return json_pack("{s:s, s:o, s:i}", "boot_id", boot_id, "cpu", kt_json_text(cpu), "cpus",
                     (int)sysconf(_SC_NPROCESSORS_ONLN));
}

static json_t *disturbances_json(const struct kt_disturbances *d)
{
    json_t *json = json_pack("{s:I, s:I, s:I}", "samples", (json_int_t)d->samples, "disturbed",
                             (json_int_t)d->disturbed, "left_out", (json_int_t)d->left_out);
    for (int i = 0; i < KT_DISTURBANCE_KINDS; i++)
        json_object_set_new(json, kt_disturbance_key[i], json_integer((json_int_t)d->by[i]));
    return json;
}

static void add_bounds(json_t *shape, const struct kt_replay_result *r, const struct kt_job *job)
{
    struct kt_work work;
    kt_work_of(job, &work);
    struct kt_bound warm = kt_bound_warm(r->peaks, &work);
    struct kt_bound cold = kt_bound_cold(r->peaks, &work);
    bool known = !isnan(warm.seconds);
    json_object_set_new(shape, "bound", kt_json_number(warm.seconds));
    json_object_set_new(shape, "bound_by", known ? json_string(kt_bound_by(&warm)) : json_null());
    json_object_set_new(shape, "bound_cold", kt_json_number(cold.seconds));
    json_object_set_new(shape, "bound_cold_by", known ? json_string(kt_bound_by(&cold)) : json_null());
    json_object_set_new(shape, "flops", kt_json_number(work.flops));
    json_object_set_new(shape, "bytes", kt_json_number(work.read + work.written));
}

/* Operations and bytes per second of the machine, all threads of the library together. */
static json_t *peaks_json(const struct kt_peaks *peaks)
{
    if (peaks->flops[KT_PEAK_DOUBLE] == 0)
        return json_null();
    json_t *levels = json_array();
    for (int i = 0; i < KT_PEAK_LEVELS; i++)
        json_array_append_new(levels, json_pack("{s:s, s:o, s:o, s:o, s:o}", "name", kt_peak_level_name[i], "bytes",
                                                kt_json_number(peaks->level[i].capacity), "read",
                                                kt_json_number(peaks->level[i].read), "write",
                                                kt_json_number(peaks->level[i].write), "both",
                                                kt_json_number(peaks->level[i].both)));
    return json_pack("{s:i, s:o, s:o, s:o, s:s}", "threads", peaks->threads, "flops_single",
                     kt_json_number(peaks->flops[KT_PEAK_SINGLE]), "flops_double",
                     kt_json_number(peaks->flops[KT_PEAK_DOUBLE]), "levels", levels, "source",
                     peaks->probed ? "machine file" : "measured");
}

static json_t *state_of_all(const struct kt_replay_result *r)
{
    struct kt_speed_sums sums = {0};
    for (size_t i = 0; i < r->schedule->reached; i++)
        for (size_t l = 0; l < r->schedule->lanes; l++)
            kt_speed_merge(&sums, &r->schedule->item[i].lane[l].disturbances.speed);
    return kt_speed_json(&sums);
}

static json_t *shape_json(const struct kt_replay_result *r, size_t i)
{
    json_t *shape = kt_result_shape(&r->setup->jobs.job[i], &r->schedule->item[i]);
    json_t *contexts = json_object();
    for (size_t l = 0; l < r->schedule->lanes; l++) {
        struct kt_stat stat = kt_lane_stat(&r->schedule->item[i], l);
        json_t *context = kt_json_stat(&stat);
        const struct kt_series *lane = &r->schedule->item[i].lane[l]; /* sorted now */
        const struct kt_disturbances *disturbances = &lane->disturbances;
        double clock = kt_disturbances_clock(disturbances);
        json_object_set_new(context, "q3", kt_json_number(stat.n ? lane->sample[3 * (stat.n - 1) / 4] : NAN));
        json_object_set_new(context, "max", kt_json_number(stat.n ? lane->sample[stat.n - 1] : NAN));
        json_object_set_new(context, "core_hz", kt_json_number(clock));
        json_object_set_new(context, "core_cycles", kt_json_number(clock * stat.median));
        json_object_set_new(context, "disturbances", disturbances_json(disturbances));
        json_object_set_new(context, "state", kt_speed_json(&disturbances->speed));
        json_object_set_new(contexts, r->options->context[l]->name, context);
    }
    if (r->sequence) {
        struct kt_stat stat = kt_sequence_stat(r->sequence, &r->setup->jobs.job[i]);
        json_object_set_new(contexts, "sequence", kt_json_stat(&stat));
        struct kt_stat alone = kt_sequence_stat_alone(r->sequence, &r->setup->jobs.job[i]);
        if (alone.n)
            json_object_set_new(contexts, "alone", kt_json_stat(&alone));
    }
    json_object_set_new(shape, "contexts", contexts);
    json_object_set_new(shape, "subnormal",
                        r->subnormal ? kt_subnormal_cost_json(&r->setup->jobs.job[i], &r->subnormal[i]) : json_null());
    json_object_set_new(shape, "context_index", kt_json_number(kt_result_index(r, i)));
    add_bounds(shape, r, &r->setup->jobs.job[i]);
    return shape;
}

static json_t *refused_json(const struct kt_job *job)
{
    return json_pack("{s:s, s:s, s:o, s:I, s:f, s:o}", "routine", job->shape->first.entry->symbol.routine->name,
                     "symbol", job->shape->first.entry->symbol.name, "args", kt_json_args(&job->shape->first, false),
                     "calls", (json_int_t)job->shape->calls, "seconds", job->shape->total, "why",
                     kt_json_text(job->refused));
}

/* What it took to evict from a cache; null: no context does. */
static json_t *sweep_json(const struct kt_sweep *sweep)
{
    if (!sweep->bytes && !*sweep->doubt)
        return json_null();
    return json_pack("{s:I, s:f, s:f, s:f, s:b, s:s}", "read_bytes", (json_int_t)sweep->bytes, "resident_ticks",
                     sweep->resident, "evicted_ticks", sweep->evicted, "flushed_ticks", sweep->flushed, "reliable",
                     !*sweep->doubt, "doubt", sweep->doubt);
}

static const char *source_of(const struct kt_hierarchy *hierarchy, unsigned cache)
{
    if (cache < hierarchy->probed)
        return "machine file";
    return hierarchy->last_bytes && cache + 1 == hierarchy->caches.count ? "measured" : "system";
}

/* As the contexts take them: of the last one, what this process gets, if that was measured. */
static json_t *caches_json(const struct kt_hierarchy *hierarchy)
{
    json_t *list = json_array();
    for (unsigned i = 0; i < hierarchy->caches.count; i++)
        json_array_append_new(list, json_pack("{s:i, s:I, s:o, s:s}", "level", (int)i + 1, "bytes",
                                              (json_int_t)hierarchy->caches.cache[i].bytes, "evicted_by",
                                              sweep_json(&hierarchy->sweep[i]), "source", source_of(hierarchy, i)));
    return list;
}

static json_t *totals_json(const struct kt_replay_result *r, const struct kt_result_totals *totals)
{
    json_t *json = json_pack("{s:f}", "insitu", totals->insitu);
    for (size_t l = 0; l < r->schedule->lanes; l++)
        json_object_set_new(json, r->options->context[l]->name, kt_json_number(totals->lane[l]));
    for (size_t l = 0; l < r->schedule->lanes; l++)
        if (totals->absent[l] > 0)
            json_object_set_new(json, "insitu_not_tracked", kt_json_number(totals->absent[l]));
    json_object_set_new(json, "bound", kt_json_number(totals->bound));
    json_object_set_new(json, "bound_cold", kt_json_number(totals->bound_cold));
    if (r->sequence)
        json_object_set_new(json, "sequence", kt_json_number(kt_sequence_total(r->sequence)));
    return json;
}

/* How much of it is from earlier replays, and when those were. */
static json_t *store_json(const struct kt_recall *recall)
{
    bool any = recall->reused > 0;
    return json_pack("{s:o, s:I, s:o, s:o}", "path", recall->store ? kt_json_text(recall->path) : json_null(),
                     "series_reused", (json_int_t)recall->reused, "measured_from",
                     any ? json_real(recall->from) : json_null(), "measured_to",
                     any ? json_real(recall->to) : json_null());
}

json_t *kt_result_json(const struct kt_replay_result *r)
{
    json_t *contexts = json_array();
    json_t *shapes = json_array();
    json_t *refused = json_array();
    struct kt_result_totals totals;
    kt_result_totals_of(r, &totals);
    for (size_t l = 0; l < r->schedule->lanes; l++)
        json_array_append_new(contexts, json_string(r->options->context[l]->name));
    if (r->sequence)
        json_array_append_new(contexts, json_string("sequence"));
    if (r->sequence && r->sequence->alone.of_shape)
        json_array_append_new(contexts, json_string("alone"));
    for (size_t i = 0; i < r->schedule->reached; i++) {
        const struct kt_job *job = &r->setup->jobs.job[i];
        if (job->refused)
            json_array_append_new(refused, refused_json(job));
        else
            json_array_append_new(shapes, shape_json(r, i));
    }
    json_t *document = json_pack(
        "{s:s, s:o, s:o, s:s, s:o, s:o, s:o, s:o, s:o*, s:i, s:f, s:b, s:o, s:f, s:b, s:o, s:o, s:o, s:o, s:s}",
        "ktrace", KT_VERSION, "machine", kt_result_machine(), "library", kt_result_library(r->worker), "level",
        r->options->level == KT_LEAVES ? "leaves" : "outermost", "contexts", contexts, "shapes", shapes, "totals",
        totals_json(r, &totals), "not_replayed", refused, "sequence",
        r->sequence ? kt_sequence_json(r->sequence) : NULL, "rounds", (int)r->schedule->rounds, "seconds_spent",
        r->schedule->seconds, "pinned", r->worker->hello.processor != KT_NO_PROCESSOR, "processor",
        kt_json_processor(r->worker->hello.processor), "flush_effect", r->worker->hello.flush_effect, "interrupted",
        kt_interrupted() != 0, "store", store_json(r->recall), "peaks", peaks_json(r->peaks), "page_fault",
        kt_json_number(r->fault), "caches", caches_json(&r->setup->hierarchy), "timer",
        kt_timer_names[r->options->timer]);
    json_object_set_new(document, "left_out", kt_left_out_json(&totals.left_out));
    json_object_set_new(document, "state", state_of_all(r));
    kt_json_add_missing(document, &r->setup->trace, &r->setup->state);
    return document;
}
