/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The format of pprof: calls and nanoseconds of outermost calls by stack. Each frame is a function with one line.
 */
#include "trace/export/export.h"
#include "trace/export/frames.h"
#include "trace/command/json.h"
#include "trace/base/memory.h"

#include "pprof.pb-c.h"

#include <errno.h>
#include <math.h>

/* As the library takes them: arrays of pointers, here to the elements of one array. */
struct lists {
    KtPprof__Profile profile;
    KtPprof__Sample *sample;
    KtPprof__Location *location;
    KtPprof__Function *function;
    KtPprof__Line *line;
};

/* Text is UTF-8, whatever bytes a name has. Returns its index. */
static int64_t add_text(KtPprof__Profile *profile, const char *text)
{
    json_t *json = kt_json_text(text);
    profile->string_table = kt_room_for_one(profile->string_table, profile->n_string_table, sizeof(char *));
    profile->string_table[profile->n_string_table] = kt_copy(json_string_value(json));
    json_decref(json);
    return (int64_t)profile->n_string_table++;
}

static void add_sample(struct lists *to, size_t i, const struct kt_shape_calls *sum, struct kt_frames *frames,
                       struct kt_callers *callers)
{
    size_t index[KT_STACK_FRAMES];
    const char *routine = sum->process->entry[sum->shape].symbol.routine->name;
    size_t count = kt_frames_of_call(frames, callers, sum->process, sum->caller, routine, index);
    KtPprof__Sample *sample = &to->sample[i];
    kt_pprof__sample__init(sample);
    sample->n_location_id = count;
    sample->location_id = kt_resize(NULL, count, sizeof *sample->location_id);
    for (size_t f = 0; f < count; f++)
        sample->location_id[f] = index[f] + 1;
    sample->n_value = 2;
    sample->value = kt_resize(NULL, 2, sizeof *sample->value);
    sample->value[0] = (int64_t)sum->calls;
    sample->value[1] = llround(1e9 * sum->total);
    to->profile.sample[i] = sample;
}

static void add_samples(struct lists *to, const struct kt_by_caller *sums, struct kt_frames *frames,
                        struct kt_callers *callers)
{
    to->sample = kt_resize(NULL, sums->count, sizeof *to->sample);
    to->profile.sample = kt_resize(NULL, sums->count, sizeof(KtPprof__Sample *));
    to->profile.n_sample = sums->count;
    for (size_t i = 0; i < sums->count; i++)
        add_sample(to, i, &sums->of[i], frames, callers);
}

static void add_frame(struct lists *to, size_t i, const struct kt_frame *frame)
{
    char name[1024];
    const char *file = kt_frame_file(frame);
    kt_frame_name(frame, name, sizeof name);
    kt_pprof__function__init(&to->function[i]);
    kt_pprof__line__init(&to->line[i]);
    kt_pprof__location__init(&to->location[i]);
    to->function[i].id = to->location[i].id = to->line[i].function_id = i + 1;
    to->function[i].name = add_text(&to->profile, name);
    to->function[i].filename = file ? add_text(&to->profile, file) : 0;
    to->line[i].line = kt_frame_line(frame);
    to->location[i].n_line = 1;
    to->location[i].line = kt_resize(NULL, 1, sizeof(KtPprof__Line *));
    to->location[i].line[0] = &to->line[i];
    to->profile.function[i] = &to->function[i];
    to->profile.location[i] = &to->location[i];
}

static void add_frames(struct lists *to, const struct kt_frames *frames)
{
    size_t count = frames->count;
    to->function = kt_resize(NULL, count, sizeof *to->function);
    to->location = kt_resize(NULL, count, sizeof *to->location);
    to->line = kt_resize(NULL, count, sizeof *to->line);
    to->profile.function = kt_resize(NULL, count, sizeof(KtPprof__Function *));
    to->profile.location = kt_resize(NULL, count, sizeof(KtPprof__Location *));
    to->profile.n_function = to->profile.n_location = count;
    for (size_t i = 0; i < count; i++)
        add_frame(to, i, &frames->frame[i]);
}

static void free_lists(struct lists *lists)
{
    KtPprof__Profile *profile = &lists->profile;
    for (size_t i = 0; i < profile->n_sample; i++) {
        free(lists->sample[i].location_id);
        free(lists->sample[i].value);
    }
    for (size_t i = 0; i < profile->n_location; i++)
        free(lists->location[i].line);
    for (size_t i = 0; i < profile->n_string_table; i++)
        free(profile->string_table[i]);
    free(profile->string_table);
    free(profile->sample);
    free(profile->location);
    free(profile->function);
    free(lists->sample);
    free(lists->location);
    free(lists->function);
    free(lists->line);
}

static void put(const KtPprof__Profile *profile, FILE *file)
{
    size_t bytes = kt_pprof__profile__get_packed_size(profile);
    uint8_t *packed = kt_resize(NULL, bytes, 1);
    kt_pprof__profile__pack(profile, packed);
    fwrite(packed, 1, bytes, file);
    free(packed);
}

enum kt_status kt_export_pprof(struct kt_export_calls *calls, FILE *file, struct kt_error *error)
{
    struct lists lists = {.profile = KT_PPROF__PROFILE__INIT};
    struct kt_frames frames = {0};
    struct kt_by_caller sums;
    KtPprof__ValueType type[2] = {KT_PPROF__VALUE_TYPE__INIT, KT_PPROF__VALUE_TYPE__INIT};
    KtPprof__ValueType *types[2] = {&type[0], &type[1]};
    static const char *const text[] = {"", "calls", "count", "time", "nanoseconds"};
    for (size_t i = 0; i < sizeof text / sizeof *text; i++)
        add_text(&lists.profile, text[i]);
    for (int i = 0; i < 2; i++) {
        type[i].type = 1 + 2 * i;
        type[i].unit = 2 + 2 * i;
    }
    lists.profile.sample_type = types;
    lists.profile.n_sample_type = 2;
    kt_export_sums(calls, &sums);
    add_samples(&lists, &sums, &frames, calls->callers);
    add_frames(&lists, &frames);
    put(&lists.profile, file);
    free_lists(&lists);
    kt_frames_free(&frames);
    kt_by_caller_free(&sums);
    return fflush(file) || ferror(file) ? kt_fail(error, KT_SYSTEM, "cannot be written: %s", strerror(errno)) : KT_OK;
}
