/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * An OTF2 archive, which Vampir and Score-P's tools open: a location group for each process, below the host that it ran
 * on; in it a location for each thread; in that a call enters the region of its symbol and leaves it. Times are
 * nanoseconds since the trace's first process began to record. As in a Perfetto time line they are those that were
 * measured, so that nested calls lie within theirs; the attribute "dt" is what the call took without recording. Calls
 * that had not returned, or whose times cannot be, are left out.
 */
#include "trace/export/export.h"

#ifndef KT_WITH_OTF2

enum kt_status kt_export_otf2(struct kt_export_calls *calls, const char *path, struct kt_error *error)
{
    (void)calls, (void)path;
    return kt_fail(
        error, KT_SYSTEM,
        "this ktrace was built without the OTF2 library (package libotf2-trace-dev); install it and build again");
}

#else

#include "trace/base/interrupt.h"
#include "trace/base/memory.h"
#include "trace/command/json.h"
#include "trace/library/installed.h"
#include "trace/print/text.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <otf2/otf2.h>
#include <signal.h>
#include <stdarg.h>
#include <sys/wait.h>
#include <unistd.h>

#define TICKS_PER_SECOND UINT64_C(1000000000)

/* What an entered region says of the call: keys of dump. */
static const struct attribute {
    const char *key, *meaning;
    OTF2_Type type;
} attributes[] = {
    {"n", "number of the call in the trace", OTF2_TYPE_UINT64},
    {"dt", "seconds that the call took, without recording it and what it nests", OTF2_TYPE_DOUBLE},
    {"flops", "floating-point operations", OTF2_TYPE_DOUBLE},
    {"cpu", "processor", OTF2_TYPE_UINT64},
    {"args", "scalar arguments", OTF2_TYPE_STRING},
    {"region", "regions of the program, from the outermost on", OTF2_TYPE_STRING},
    {"file", "file that the call was made from", OTF2_TYPE_STRING},
    {"line", "line that the call was made from", OTF2_TYPE_UINT64},
    {"function", "function that the call was made from", OTF2_TYPE_STRING},
};
enum { ATTRIBUTES = sizeof attributes / sizeof *attributes };

struct location {
    const struct kt_process *process;
    uint32_t tid;
    uint64_t events;
};

/* A region that was entered. */
struct entered {
    uint64_t end; /* ns */
    OTF2_RegionRef region;
};

struct writer {
    struct kt_export_calls *calls;
    OTF2_Archive *archive;
    OTF2_AttributeList *list;
    json_t *strings, *regions;         /* numbers by text, numbers by "symbol routine" */
    OTF2_GlobalDefWriter *definitions; /* NULL: only events have been written */
    struct location *location;
    size_t locations;
    struct kt_error *error; /* the first one */
    int told;               /* a pipe, for the outcome */
    /* the location at hand */
    OTF2_EvtWriter *to; /* NULL: there is none */
    size_t stream;
    struct entered *open;
    size_t opens;
    uint64_t now, last; /* ns: of the location, of all */
};

/* What the process that writes tells the other one. */
struct outcome {
    struct kt_error error;
    uint64_t count, left_out;
};

__attribute__((noreturn)) static void end_process(const struct writer *w)
{
    const struct outcome outcome = {*w->error, w->calls->count, w->calls->left_out};
    _exit(write(w->told, &outcome, sizeof outcome) != sizeof outcome);
}

/* The first error is the end: with a full disk the library goes on with memory that it has freed. */
static OTF2_ErrorCode note_error(void *data, const char *file, uint64_t line, const char *function, OTF2_ErrorCode code,
                                 const char *format, va_list arguments)
{
    struct writer *w = data;
    (void)file, (void)line, (void)function, (void)format, (void)arguments;
    if (code > OTF2_SUCCESS) {
        kt_fail(w->error, KT_SYSTEM, "cannot be written: %s", OTF2_Error_GetDescription(code));
        end_process(w);
    }
    return code;
}

/* --- definitions ------------------------------------------------------------------------------------------- */

/* Numbers from 0 on, in the order in which texts are first met. */
static uint32_t number_of(json_t *numbers, const char *text)
{
    json_t *known = json_object_get(numbers, text);
    if (!known) {
        known = json_integer((json_int_t)json_object_size(numbers));
        json_object_set_new_nocheck(numbers, text, known);
    }
    return (uint32_t)json_integer_value(known);
}

/* Texts of a trace may be any bytes. A string is defined before what it names. */
static OTF2_StringRef string_of(struct writer *w, const char *text)
{
    size_t known = json_object_size(w->strings);
    char *clean = kt_text_clean(kt_copy(text));
    OTF2_StringRef number = number_of(w->strings, clean);
    if (w->definitions && number == known)
        OTF2_GlobalDefWriter_WriteString(w->definitions, number, clean);
    free(clean);
    return number;
}

/* Those that events name. */
static void define_strings(struct writer *w)
{
    const char *text;
    json_t *number;
    json_object_foreach(w->strings, text, number)
        OTF2_GlobalDefWriter_WriteString(w->definitions, (OTF2_StringRef)json_integer_value(number), text);
}

static void define_regions(struct writer *w)
{
    const char *text;
    json_t *number;
    json_object_foreach(w->regions, text, number)
    {
        const char *routine = strchr(text, ' ') + 1;
        char *symbol = strndup(text, (size_t)(routine - text) - 1);
        OTF2_GlobalDefWriter_WriteRegion(w->definitions, (OTF2_RegionRef)json_integer_value(number),
                                         string_of(w, routine), string_of(w, symbol ? symbol : ""),
                                         string_of(w, "a routine of BLAS or LAPACK"), OTF2_REGION_ROLE_FUNCTION,
                                         OTF2_PARADIGM_UNKNOWN, OTF2_REGION_FLAG_NONE, string_of(w, ""), 0, 0);
        free(symbol);
    }
}

static void define_attributes(struct writer *w)
{
    for (uint32_t i = 0; i < ATTRIBUTES; i++)
        OTF2_GlobalDefWriter_WriteAttribute(w->definitions, i, string_of(w, attributes[i].key),
                                            string_of(w, attributes[i].meaning), attributes[i].type);
}

/* A process below its host, which is defined where it is first met. */
static void define_process(struct writer *w, json_t *hosts, const struct kt_process *process)
{
    char name[256];
    const char *host = kt_meta(process, "host");
    const char *rank = kt_meta(process, "rank");
    const char *program = kt_meta(process, "program");
    size_t known = json_object_size(hosts);
    char *clean = kt_text_clean(kt_copy(host ? host : "unknown host"));
    uint32_t node = number_of(hosts, clean) + 1; /* below the machine, 0 */
    if (json_object_size(hosts) > known)
        OTF2_GlobalDefWriter_WriteSystemTreeNode(w->definitions, node, string_of(w, clean), string_of(w, "node"), 0);
    free(clean);
    snprintf(name, sizeof name, "%s%s%sprocess %u: %s", rank ? "rank " : "", rank ? rank : "", rank ? ", " : "",
             process->pid, program ? kt_base_name(program) : "");
    OTF2_GlobalDefWriter_WriteLocationGroup(w->definitions, (OTF2_LocationGroupRef)process->number, string_of(w, name),
                                            OTF2_LOCATION_GROUP_TYPE_PROCESS, node, OTF2_UNDEFINED_LOCATION_GROUP);
}

static void define_locations(struct writer *w)
{
    json_t *hosts = json_object();
    OTF2_GlobalDefWriter_WriteSystemTreeNode(w->definitions, 0, string_of(w, "all hosts"), string_of(w, "machine"),
                                             OTF2_UNDEFINED_SYSTEM_TREE_NODE);
    for (size_t i = 0; i < w->calls->trace->processes; i++)
        define_process(w, hosts, &w->calls->trace->process[i]);
    for (size_t i = 0; i < w->locations; i++) {
        char name[32];
        snprintf(name, sizeof name, "thread %u", w->location[i].tid);
        OTF2_GlobalDefWriter_WriteLocation(w->definitions, i, string_of(w, name), OTF2_LOCATION_TYPE_CPU_THREAD,
                                           w->location[i].events,
                                           (OTF2_LocationGroupRef)w->location[i].process->number);
    }
    json_decref(hosts);
}

/* A reader expects definitions of each location, though all are global. */
static void define(struct writer *w)
{
    OTF2_Archive_OpenDefFiles(w->archive);
    for (size_t i = 0; i < w->locations; i++)
        OTF2_Archive_CloseDefWriter(w->archive, OTF2_Archive_GetDefWriter(w->archive, i));
    OTF2_Archive_CloseDefFiles(w->archive);
    w->definitions = OTF2_Archive_GetGlobalDefWriter(w->archive);
    if (!w->definitions)
        return;
    OTF2_GlobalDefWriter_WriteClockProperties(w->definitions, TICKS_PER_SECOND, 0, w->last + 1,
                                              OTF2_UNDEFINED_TIMESTAMP);
    define_strings(w);
    define_attributes(w);
    define_regions(w);
    define_locations(w);
}

/* --- events ------------------------------------------------------------------------------------------------ */

static void leave(struct writer *w)
{
    const struct entered *entered = &w->open[--w->opens];
    w->now = entered->end > w->now ? entered->end : w->now;
    OTF2_EvtWriter_Leave(w->to, NULL, w->now, entered->region);
    w->location[w->locations - 1].events++;
}

static void close_location(struct writer *w)
{
    while (w->opens)
        leave(w);
    if (w->to)
        OTF2_Archive_CloseEvtWriter(w->archive, w->to);
    w->to = NULL;
    w->last = w->now > w->last ? w->now : w->last;
    w->now = 0;
}

static bool open_location(struct writer *w, const struct kt_call *call)
{
    size_t number = w->locations;
    const struct location *last = number ? &w->location[number - 1] : NULL;
    if (w->to && last->process == call->process && w->stream == w->calls->cursor.stream)
        return true;
    close_location(w);
    w->location = kt_resize(w->location, number + 1, sizeof *w->location);
    w->location[w->locations++] = (struct location){call->process, call->tid, 0};
    w->stream = w->calls->cursor.stream;
    w->to = OTF2_Archive_GetEvtWriter(w->archive, number);
    return w->to;
}

/* Of arguments the scalars: addresses would be another text for each call. */
static char *text_of(const struct kt_call *call, const char *key, const json_t *value)
{
    if (strcmp(key, "args") != 0)
        return kt_export_text(value);
    json_t *args = kt_json_args(call, false);
    char *text = kt_export_text(args);
    json_decref(args);
    return text;
}

static void add_attribute(struct writer *w, const struct kt_call *call, uint32_t number, const json_t *value)
{
    const struct attribute *a = &attributes[number];
    if (!value || json_is_null(value))
        return;
    if (a->type == OTF2_TYPE_UINT64)
        OTF2_AttributeList_AddUint64(w->list, number, (uint64_t)json_integer_value(value));
    else if (a->type == OTF2_TYPE_DOUBLE)
        OTF2_AttributeList_AddDouble(w->list, number, json_number_value(value));
    else {
        char *text = text_of(call, a->key, value);
        OTF2_AttributeList_AddStringRef(w->list, number, string_of(w, text));
        free(text);
    }
}

static void enter(struct writer *w, const struct kt_call *call, OTF2_RegionRef region)
{
    json_t *json = kt_export_call(w->calls, call);
    for (uint32_t i = 0; i < ATTRIBUTES; i++)
        add_attribute(w, call, i, json_object_get(json, attributes[i].key));
    json_decref(json);
    OTF2_EvtWriter_Enter(w->to, w->list, w->now, region);
    w->location[w->locations - 1].events++;
}

static void put_call(struct writer *w, const struct kt_call *call)
{
    char name[2 * KT_SYMBOL_NAME];
    uint64_t start = (uint64_t)llround(fmax(0, 1e9 * kt_call_start(call)));
    uint64_t end = start + (uint64_t)llround(1e9 * (double)call->ticks * call->process->tick_seconds);
    while (w->opens && w->open[w->opens - 1].end <= start)
        leave(w);
    w->now = start > w->now ? start : w->now;
    snprintf(name, sizeof name, "%s %s", call->entry->symbol.name, call->entry->symbol.routine->name);
    struct entered entered = {end, number_of(w->regions, name)};
    enter(w, call, entered.region);
    w->open = kt_resize(w->open, w->opens + 1, sizeof *w->open);
    w->open[w->opens++] = entered;
}

/* --- the archive ------------------------------------------------------------------------------------------- */

static OTF2_FlushType flush_to_disk(void *data, OTF2_FileType type, OTF2_LocationRef location, void *caller, bool last)
{
    (void)data, (void)type, (void)location, (void)caller, (void)last;
    return OTF2_FLUSH;
}

static void write_events(struct writer *w)
{
    struct kt_call call;
    OTF2_Archive_OpenEvtFiles(w->archive);
    w->calls->timed = true;
    kt_export_begin(w->calls);
    while (kt_export_next(w->calls, &call) && !*w->error->text)
        if (open_location(w, &call))
            put_call(w, &call);
    close_location(w);
    OTF2_Archive_CloseEvtFiles(w->archive);
}

static void write_archive(struct writer *w)
{
    static const OTF2_FlushCallbacks flush = {.otf2_pre_flush = flush_to_disk};
    OTF2_Archive_SetFlushCallbacks(w->archive, &flush, NULL);
    OTF2_Archive_SetSerialCollectiveCallbacks(w->archive);
    OTF2_Archive_SetCreator(w->archive, "ktrace " KT_VERSION);
    write_events(w);
    if (w->locations)
        define(w);
    else if (!*w->error->text)
        kt_fail(w->error, KT_BAD_INPUT, "there is no call to be written, and readers refuse such an archive");
    OTF2_Archive_Close(w->archive);
}

__attribute__((noreturn)) static void write_in_child(struct writer *w, const char *path)
{
    enum { EVENT_BYTES = 1 << 20, DEFINITION_BYTES = 4 << 20 };
    w->strings = json_object();
    w->regions = json_object();
    OTF2_Error_RegisterCallback(note_error, w);
    number_of(w->strings, "");
    w->list = OTF2_AttributeList_New();
    w->archive = OTF2_Archive_Open(path, "traces", OTF2_FILEMODE_WRITE, EVENT_BYTES, DEFINITION_BYTES,
                                   OTF2_SUBSTRATE_POSIX, OTF2_COMPRESSION_NONE);
    if (w->archive)
        write_archive(w);
    end_process(w);
}

/* Ends the process, if the user wants no more of it. */
static bool read_outcome(int told, pid_t writer, struct outcome *out)
{
    ssize_t count;
    while ((count = read(told, out, sizeof *out)) < 0 && errno == EINTR)
        if (kt_interrupted())
            kill(writer, SIGKILL);
    return count == sizeof *out;
}

static enum kt_status take_outcome(struct kt_export_calls *calls, int told, pid_t writer, struct kt_error *error)
{
    struct outcome outcome;
    int status = 0;
    bool is_told = read_outcome(told, writer, &outcome);
    while (waitpid(writer, &status, 0) < 0 && errno == EINTR)
        ;
    if (!is_told)
        return kt_fail(error, KT_SYSTEM, "the library of OTF2 ended the process that wrote it%s",
                       WIFSIGNALED(status) ? " by a signal" : "");
    calls->count = outcome.count;
    calls->left_out = outcome.left_out;
    *error = outcome.error;
    return error->status;
}

enum kt_status kt_export_otf2(struct kt_export_calls *calls, const char *path, struct kt_error *error)
{
    int told[2];
    if (pipe2(told, O_CLOEXEC) != 0)
        return kt_fail(error, KT_SYSTEM, "no pipe: %s", strerror(errno));
    pid_t writer = fork();
    if (writer == 0)
        write_in_child(&(struct writer){.calls = calls, .error = error, .told = told[1]}, path);
    close(told[1]);
    enum kt_status status = writer < 0 ? kt_fail(error, KT_SYSTEM, "no process: %s", strerror(errno))
                                       : take_outcome(calls, told[0], writer, error);
    close(told[0]);
    return status;
}

#endif
