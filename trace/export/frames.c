/* SPDX-License-Identifier: BSD-3-Clause */
#include "trace/export/frames.h"

#include "trace/base/memory.h"

#include <search.h>
#include <stdio.h>

struct known {
    struct kt_frame frame;
    size_t index;
};

static int compare_known(const void *a, const void *b)
{
    const struct kt_frame *x = &((const struct known *)a)->frame;
    const struct kt_frame *y = &((const struct known *)b)->frame;
    if (!x->place || !y->place)
        return x->place || y->place ? (x->place != NULL) - (y->place != NULL) : strcmp(x->routine, y->routine);
    return kt_place_compare_lines(x->place, y->place);
}

static size_t find(struct kt_frames *frames, struct kt_frame frame)
{
    struct known key = {frame, frames->count};
    struct known **found = tfind(&key, &frames->tree, compare_known);
    if (found)
        return (*found)->index;
    struct known *known = kt_resize(NULL, 1, sizeof *known);
    *known = key;
    if (!tsearch(known, &frames->tree, compare_known))
        abort();
    frames->frame = kt_room_for_one(frames->frame, frames->count, sizeof *frames->frame);
    frames->frame[frames->count] = frame;
    return frames->count++;
}

size_t kt_frames_of_call(struct kt_frames *frames, struct kt_callers *callers, const struct kt_process *process,
                         uint64_t site, const char *routine, size_t out[KT_STACK_FRAMES])
{
    const struct kt_place *place[KT_PATH_PLACES];
    size_t places = kt_callers_path(callers, process, site, place);
    out[0] = find(frames, (struct kt_frame){.routine = routine});
    for (size_t i = 0; i < places; i++)
        out[i + 1] = find(frames, (struct kt_frame){.place = place[i]});
    return places + 1;
}

void kt_frames_free(struct kt_frames *frames)
{
    tdestroy(frames->tree, free);
    free(frames->frame);
    *frames = (struct kt_frames){0};
}

void kt_frame_name(const struct kt_frame *frame, char *out, size_t size)
{
    if (frame->place)
        kt_place_function(frame->place, out, size);
    else
        snprintf(out, size, "%s", frame->routine);
}

const char *kt_frame_file(const struct kt_frame *frame)
{
    if (!frame->place)
        return NULL;
    return frame->place->file ? frame->place->file : frame->place->object;
}

int kt_frame_line(const struct kt_frame *frame)
{
    return frame->place && frame->place->file ? frame->place->line : 0;
}
