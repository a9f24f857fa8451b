/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Chrome's trace event format: one slice a call, nested as the calls were, on a track for each thread. Times are in
 * microseconds. A call that had not returned has no slice, as its start is not known, nor has one whose times cannot
 * be.
 */
#include "trace/command/call_json.h"
#include "trace/export/export.h"
#include "trace/command/info_json.h"
#include "trace/base/memory.h"

#include <errno.h>

/* Processes of several hosts, or of several runs, may have had the same id: later ones get one that is free. */
static json_int_t *tracks_of(const struct kt_trace *trace)
{
    json_int_t *track = kt_resize(NULL, trace->processes, sizeof *track);
    json_int_t free_id = 0;
    for (size_t i = 0; i < trace->processes; i++)
        free_id = trace->process[i].pid > free_id ? trace->process[i].pid : free_id;
    for (size_t i = 0; i < trace->processes; i++) {
        track[i] = trace->process[i].pid;
        for (size_t j = 0; j < i; j++)
            if (trace->process[j].pid == trace->process[i].pid)
                track[i] = ++free_id;
    }
    return track;
}

static void put(json_t *event, FILE *file, bool *first)
{
    fputs(*first ? "\n" : ",\n", file);
    *first = false;
    json_dumpf(event, file, JSON_COMPACT);
    json_decref(event);
}

static json_t *name_of(const struct kt_process *process, json_int_t track)
{
    const char *program = kt_meta(process, "program");
    const char *slash = program ? strrchr(program, '/') : NULL;
    const char *rank = kt_meta(process, "rank");
    char *name;
    if (asprintf(&name, "%s%s%s", rank ? rank : "", rank ? ": " : "", slash ? slash + 1 : program ? program : "") < 0)
        abort();
    json_t *event = json_pack("{s:s, s:s, s:I, s:{s:o}}", "ph", "M", "name", "process_name", "pid", track, "args",
                              "name", kt_json_text(name));
    free(name);
    return event;
}

/* Of what dump says of the call, what explains a slice. Its dt is less than the slice is long by what recording took.
 */
static json_t *details_of(const struct kt_export_calls *calls, const struct kt_call *call)
{
    static const char *const kept[] = {"n",      "pid",  "symbol", "args",     "info",   "flops",
                                       "dt",     "cpu",  "caller", "region",   "events", "weight",
                                       "passed", "file", "line",   "function", "path"};
    json_t *all = kt_export_call(calls, call);
    json_t *details = json_object();
    for (size_t i = 0; i < sizeof kept / sizeof *kept; i++) {
        json_t *value = json_object_get(all, kept[i]);
        if (value && !json_is_null(value))
            json_object_set(details, kept[i], value);
    }
    json_decref(all);
    return details;
}

/* As it was measured: calls that are nested in it lie within. */
static json_t *slice_of(const struct kt_export_calls *calls, const struct kt_call *call, json_int_t track)
{
    double seconds = (double)call->ticks * call->process->tick_seconds;
    return json_pack("{s:s, s:s, s:s, s:I, s:I, s:f, s:f, s:o}", "ph", "X", "name", call->entry->symbol.routine->name,
                     "cat", "blas", "pid", track, "tid", (json_int_t)call->tid, "ts", 1e6 * kt_call_start(call), "dur",
                     1e6 * seconds, "args", details_of(calls, call));
}

enum kt_status kt_export_perfetto(struct kt_export_calls *calls, FILE *file, struct kt_error *error)
{
    const struct kt_trace *trace = calls->trace;
    struct kt_call call;
    bool first = true;
    json_int_t *track = tracks_of(trace);
    json_t *info = kt_info_json(trace);
    fputs("{\"displayTimeUnit\":\"ns\",\"otherData\":", file);
    json_dumpf(info, file, JSON_COMPACT);
    fputs(",\"traceEvents\":[", file);
    json_decref(info);
    for (size_t i = 0; i < trace->processes; i++)
        put(name_of(&trace->process[i], track[i]), file, &first);
    calls->timed = true;
    kt_export_begin(calls);
    while (kt_export_next(calls, &call) && !ferror(file))
        put(slice_of(calls, &call, track[call.process->number]), file, &first);
    fputs("\n]}\n", file);
    free(track);
    return fflush(file) || ferror(file) ? kt_fail(error, KT_SYSTEM, "cannot be written: %s", strerror(errno)) : KT_OK;
}
