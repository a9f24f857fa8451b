/* SPDX-License-Identifier: BSD-3-Clause */
#include "model/report/machine_states.h"

#include "trace/base/memory.h"
#include "trace/command/about.h"
#include "trace/print/text.h"

#include <math.h>
#include <stdio.h>

/* Nearer to 1 is what readings scatter. */
static const double worth_words = 1.1;

static bool compare(const struct kt_speed_sums *recorded, const struct kt_speed_sums *replayed, struct kt_speed *out)
{
    struct kt_speed a, b;
    if (!kt_speed_mean(recorded, &a) || !kt_speed_mean(replayed, &b))
        return false;
    *out = kt_speed_ratio(&a, &b);
    return true;
}

static void compare_shape(struct kt_report_shape *shape, const struct kt_spells *spells)
{
    struct kt_speed_sums replayed = kt_replayed_speed(shape->parts.replayed);
    shape->parts.calls.lost = spells->lost;
    compare(&spells->speed, &replayed, &shape->parts.times.slower);
}

void kt_machine_states_find(struct kt_report *report)
{
    struct kt_spells *spells = kt_resize(NULL, report->groups.count, sizeof *spells);
    kt_spells_find(&report->trace, &report->groups, spells, &report->speed);
    for (size_t i = 0; i < report->groups.count; i++)
        compare_shape(&report->shape[i], &spells[i]);
    free(spells);
    for (size_t i = 0; i < report->replays; i++) {
        struct kt_speed_sums of = kt_replayed_speed_of_all(&report->from_replay[i]);
        kt_speed_merge(&report->replayed_speed, &of);
    }
}

/* ", memory 1.4 x slower", or faster; returns how many characters. */
static int add_ratio(char *out, size_t size, const char *what, double slower)
{
    if (slower < worth_words && slower > 1 / worth_words)
        return 0;
    bool is_slower = slower > 1;
    return snprintf(out, size, ", %s %.1f x %s", what, is_slower ? slower : 1 / slower,
                    is_slower ? "slower" : "faster");
}

static void print_ratios(const struct kt_speed *slower, char *out, size_t size)
{
    int used = add_ratio(out, size, "core", slower->chain);
    used += add_ratio(out + used, size - (size_t)used, "shared core", slower->wide);
    used += add_ratio(out + used, size - (size_t)used, "memory", slower->memory);
    snprintf(out + used, size - (size_t)used, "%s", used ? " than while replayed" : ", as fast as while replayed");
}

static void print_lost(const struct kt_spells *all)
{
    char seconds[16];
    char of[16];
    if (all->lost > 0)
        kt_about_line("", "%s %s without a processor for %s of their %s", KT_COUNT(all->disturbed, "call"),
                      kt_count_word(all->disturbed, "was", "were"), kt_text_seconds(all->lost, seconds),
                      kt_text_seconds(all->seconds, of));
}

void kt_machine_states_print(const struct kt_report *report)
{
    const struct kt_recorded_speed *recorded = &report->speed;
    struct kt_speed speed, slower;
    char ratios[160] = "";
    if (!kt_speed_mean(&recorded->all.speed, &speed))
        return;
    if (compare(&recorded->all.speed, &report->replayed_speed, &slower))
        print_ratios(&slower, ratios, sizeof ratios);
    kt_about_line("machine", "while recorded: core %.2f GHz (%.2f to %.2f)%s", 1e-9 / speed.chain,
                  1e-9 * recorded->slowest, 1e-9 * recorded->fastest, ratios);
    print_lost(&recorded->all);
}

static json_t *recorded_json(const struct kt_recorded_speed *recorded)
{
    json_t *json = kt_speed_json(&recorded->all.speed);
    if (!json_is_object(json))
        return json;
    json_object_set_new(json, "core_hz_lo", kt_json_number(recorded->slowest));
    json_object_set_new(json, "core_hz_hi", kt_json_number(recorded->fastest));
    return json;
}

json_t *kt_machine_states_json(const struct kt_report *report)
{
    const struct kt_spells *all = &report->speed.all;
    struct kt_speed slower;
    bool known = compare(&all->speed, &report->replayed_speed, &slower);
    return json_pack(
        "{s:o, s:o, s:o, s:{s:f, s:o, s:f}}", "recorded", recorded_json(&report->speed), "replayed",
        kt_speed_json(&report->replayed_speed), "slower",
        known ? json_pack("{s:f, s:f, s:f}", "core", slower.chain, "shared", slower.wide, "memory", slower.memory)
              : json_null(),
        "lost", "seconds", all->lost, "calls", kt_json_count(all->disturbed), "seconds_of_calls", all->seconds);
}

static const struct kt_field recorded_fields[] = {
    KT_FIELDS(kt_field_speed),
    {"core_hz_lo", KT_AS_NUMBER, .unit = "1/s", .meaning = "a twentieth of the readings is below"},
    {"core_hz_hi", KT_AS_NUMBER, .unit = "1/s", .meaning = "a twentieth of the readings is above"},
    {0}};

static const struct kt_field slower_fields[] = {{"core", KT_AS_NUMBER, .meaning = "of dependent additions"},
                                                {"shared", KT_AS_NUMBER, .meaning = "of independent additions"},
                                                {"memory", KT_AS_NUMBER, .meaning = "of loads from memory"},
                                                {0}};

static const struct kt_field lost_fields[] = {{"seconds", KT_AS_SECONDS, .meaning = "without a processor"},
                                              {"calls", KT_AS_COUNT, KT_NULL, .meaning = "calls that it happened to"},
                                              {"seconds_of_calls", KT_AS_SECONDS, .meaning = "of all these calls"},
                                              {0}};

const struct kt_field kt_machine_states_fields[] = {
    {"recorded", KT_AS_RECORD, KT_NULL, .meaning = "while the trace was recorded", .of = recorded_fields},
    {"replayed", KT_AS_RECORD, KT_NULL, .meaning = "while its calls were replayed", .of = kt_field_speed},
    {"slower", KT_AS_RECORD, KT_NULL, .meaning = "time of the first over time of the second", .of = slower_fields},
    {"lost", KT_AS_RECORD, .meaning = "calls without a processor", .of = lost_fields},
    {0}};
