/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The file format of speedscope (speedscope.app/file-format-schema.json): a profile for each thread, of samples in the
 * order of time. A sample is a stack, the outermost frame first, and the nanoseconds that an outermost call took, or an
 * empty stack and those between two calls. All are whole numbers: sums of others drift. Samples take half the room of
 * events that open and close each frame, and say the same.
 */
#include "trace/command/call_json.h"
#include "trace/export/export.h"
#include "trace/export/frames.h"
#include "trace/command/json.h"
#include "trace/base/memory.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <search.h>

/* The frames of calls of an entry from one place, as a sample has them. */
struct stack {
    const struct kt_process *process;
    const struct kt_entry *entry;
    uint64_t site;
    char *text; /* owned */
};

struct writer {
    FILE *file;
    struct kt_callers *callers;
    struct kt_frames frames;
    void *stacks; /* a search tree */
    /* the profile at hand */
    const struct kt_process *process;
    size_t stream;
    bool is_open, any;
    char *samples, *weights;
    size_t sample_bytes, weight_bytes;
    FILE *to_samples, *to_weights;
    int64_t start, end; /* ns */
};

/* --- frames ------------------------------------------------------------------------------------------------ */

static json_t *frame_json(const struct kt_frame *frame)
{
    char name[1024];
    const char *file = kt_frame_file(frame);
    kt_frame_name(frame, name, sizeof name);
    json_t *json = json_pack("{s:o}", "name", kt_json_text(name));
    if (file)
        json_object_set_new(json, "file", kt_json_text(file));
    if (kt_frame_line(frame) > 0)
        json_object_set_new(json, "line", json_integer(kt_frame_line(frame)));
    return json;
}

static void put_frames(const struct kt_frames *frames, FILE *file)
{
    for (size_t i = 0; i < frames->count; i++) {
        json_t *json = frame_json(&frames->frame[i]);
        fputs(i ? ",\n" : "\n", file);
        json_dumpf(json, file, JSON_COMPACT);
        json_decref(json);
    }
}

static int compare_stacks(const void *a, const void *b)
{
    const struct stack *x = a;
    const struct stack *y = b;
    if (x->process != y->process)
        return x->process < y->process ? -1 : 1;
    if (x->entry != y->entry)
        return x->entry < y->entry ? -1 : 1;
    return (x->site > y->site) - (x->site < y->site);
}

static char *stack_text(struct writer *w, const struct stack *stack)
{
    size_t frame[KT_STACK_FRAMES];
    const char *routine = stack->entry->symbol.routine->name;
    size_t frames = kt_frames_of_call(&w->frames, w->callers, stack->process, stack->site, routine, frame);
    char *text = NULL;
    size_t bytes = 0;
    FILE *to = open_memstream(&text, &bytes);
    if (!to)
        abort();
    for (size_t i = frames; i-- > 0;)
        fprintf(to, "%c%zu", i + 1 == frames ? '[' : ',', frame[i]);
    putc(']', to);
    fclose(to);
    return text;
}

static const char *stack_of(struct writer *w, const struct kt_call *call)
{
    struct stack key = {call->process, call->entry, kt_call_site(call), NULL};
    struct stack **found = tfind(&key, &w->stacks, compare_stacks);
    if (found)
        return (*found)->text;
    struct stack *stack = kt_resize(NULL, 1, sizeof *stack);
    *stack = key;
    stack->text = stack_text(w, stack);
    if (!tsearch(stack, &w->stacks, compare_stacks))
        abort();
    return stack->text;
}

static void free_stack(void *node)
{
    struct stack *stack = node;
    free(stack->text);
    free(stack);
}

/* --- profiles ---------------------------------------------------------------------------------------------- */

static void open_profile(struct writer *w, const struct kt_call *call, size_t stream)
{
    const char *rank = kt_meta(call->process, "rank");
    json_t *name = json_sprintf("%s%s%sprocess %u, thread %u", rank ? "rank " : "", rank ? rank : "", rank ? ", " : "",
                                call->process->pid, call->tid);
    fputs(w->any ? ",\n{\"type\":\"sampled\",\"name\":" : "\n{\"type\":\"sampled\",\"name\":", w->file);
    json_dumpf(name, w->file, JSON_ENCODE_ANY);
    json_decref(name);
    w->process = call->process;
    w->stream = stream;
    w->is_open = w->any = true;
    w->start = w->end = llround(1e9 * kt_call_start(call));
    w->to_samples = open_memstream(&w->samples, &w->sample_bytes);
    w->to_weights = open_memstream(&w->weights, &w->weight_bytes);
    if (!w->to_samples || !w->to_weights)
        abort();
}

static void close_profile(struct writer *w)
{
    if (!w->is_open)
        return;
    fclose(w->to_samples);
    fclose(w->to_weights);
    fprintf(w->file,
            ",\"unit\":\"nanoseconds\",\"startValue\":%" PRId64 ",\"endValue\":%" PRId64
            ",\"samples\":[%s],\"weights\":[%s]}",
            w->start, w->end, w->samples, w->weights);
    free(w->samples);
    free(w->weights);
    w->is_open = false;
}

static void put_sample(struct writer *w, const char *stack, int64_t ns)
{
    const char *separator = w->end > w->start ? "," : "";
    if (ns <= 0)
        return;
    fprintf(w->to_samples, "%s%s", separator, stack);
    fprintf(w->to_weights, "%s%" PRId64, separator, ns);
    w->end += ns;
}

static void put_call(struct writer *w, const struct kt_call *call, size_t stream)
{
    if (!w->is_open || w->process != call->process || w->stream != stream) {
        close_profile(w);
        open_profile(w, call, stream);
    }
    put_sample(w, "[]", llround(1e9 * kt_call_start(call)) - w->end);
    put_sample(w, stack_of(w, call), llround(1e9 * kt_call_seconds(call)));
}

static void put_shared(const struct writer *w)
{
    fputs("\n],\"shared\":{\"frames\":[", w->file);
    put_frames(&w->frames, w->file);
    fputs("\n]}}\n", w->file);
}

enum kt_status kt_export_speedscope(struct kt_export_calls *calls, FILE *file, struct kt_error *error)
{
    struct writer writer = {.file = file, .callers = calls->callers};
    struct kt_call call;
    fputs("{\"$schema\":\"https://www.speedscope.app/file-format-schema.json\",\"exporter\":\"ktrace " KT_VERSION
          "\",\"profiles\":[",
          file);
    calls->outermost = calls->timed = true;
    kt_export_begin(calls);
    while (kt_export_next(calls, &call) && !ferror(file))
        put_call(&writer, &call, calls->cursor.stream);
    close_profile(&writer);
    put_shared(&writer);
    kt_frames_free(&writer.frames);
    tdestroy(writer.stacks, free_stack);
    return fflush(file) || ferror(file) ? kt_fail(error, KT_SYSTEM, "cannot be written: %s", strerror(errno)) : KT_OK;
}
