/* SPDX-License-Identifier: BSD-3-Clause */
#include "replay/right/trial.h"

#include "trace/base/now.h"

#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

enum { LOAD_SECONDS = 60, STACK_BYTES = 256 << 10, HEAP_BYTES = 512 << 10 };

struct request {
    uint64_t job;
    uint64_t filling;
};

/* The first reply says whether the library could be loaded. */
struct reply {
    bool usable, found;
    int64_t info;
    struct kt_returned returned;
    double seconds;
    char text[1024];
};

enum kt_status kt_ground_open(uint64_t bytes, struct kt_ground *out, struct kt_error *error)
{
    *out = (struct kt_ground){.bytes = bytes + 2 * (uint64_t)KT_GROUND_MARGIN};
    void *base = mmap(NULL, out->bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (base == MAP_FAILED)
        return kt_fail(error, KT_SYSTEM, "cannot map %llu bytes for operands: %s", (unsigned long long)out->bytes,
                       strerror(errno));
    out->base = base;
    return KT_OK;
}

void kt_ground_close(struct kt_ground *ground)
{
    if (ground->base)
        munmap(ground->base, ground->bytes);
    *ground = (struct kt_ground){0};
}

/* --- the side of the library ------------------------------------------------------------------------------- */

/* What the call finds in its frames if it does not write them first. */
static __attribute__((noinline)) void fill_stack(unsigned char filling)
{
    unsigned char below[STACK_BYTES];
    memset(below, filling, sizeof below);
    __asm__ volatile("" : : "r"(below) : "memory");
}

/* What malloc gives next: chunks of all sizes, as many of the small ones as it keeps at hand, filled and given back.
 * M_PERTURB cannot: it fills with a complement that is never 0xff. */
static void fill_heap(unsigned char filling)
{
    enum { SMALL = 1024, AT_HAND = 7, CHUNKS = 1024 };
    void *chunk[CHUNKS];
    size_t count = 0;
    for (size_t size = 16; size <= HEAP_BYTES; size += size < SMALL ? 16 : size / 4)
        for (int i = 0; i < (size <= SMALL ? AT_HAND : 1) && count < CHUNKS; i++) {
            chunk[count] = malloc(size);
            if (chunk[count])
                memset(chunk[count++], filling, size);
        }
    __asm__ volatile("" : : "r"(chunk) : "memory");
    while (count > 0)
        free(chunk[--count]);
}

static void call(const struct kt_trial *trial, const struct kt_job *job, unsigned char filling, void *function,
                 struct reply *reply)
{
    const struct kt_symbol *symbol = &job->shape->first.entry->symbol;
    uint64_t base = (uint64_t)trial->ground->base + KT_GROUND_MARGIN;
    uint64_t address[KT_MAX_OPERANDS];
    struct kt_by_reference cells;
    struct kt_parameters parameters;
    kt_thunk *thunk = kt_thunk_of(symbol);
    for (int i = 0; i < job->operands; i++)
        address[i] = job->address[i] + base;
    kt_parameters_fill(symbol, job->shape->first.args, address, job->int_bytes, &cells, &parameters);
    if (!trial->plain) {
        fill_heap(filling);
        fill_stack(filling);
    }
    double start = kt_now();
    thunk(function, &parameters, &reply->returned);
    reply->seconds = kt_now() - start;
    reply->info = kt_parameters_info(symbol, &cells, &reply->returned, job->int_bytes);
}

static void say_nothing(void)
{
    int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
    if (nowhere < 0)
        return;
    dup2(nowhere, STDOUT_FILENO);
    dup2(nowhere, STDERR_FILENO);
}

static void run(const void *context, int socket)
{
    const struct kt_trial *trial = context;
    static struct reply reply;
    if (trial->plain)
        say_nothing();
    struct kt_library library = *trial->library;
    struct kt_error error = {0};
    struct request request;
    mallopt(M_MMAP_THRESHOLD, 2 * HEAP_BYTES); /* what was filled and freed is what is given again */
    mallopt(M_TRIM_THRESHOLD, 16 * HEAP_BYTES);
    reply.usable = kt_library_load(&library, &error) == KT_OK;
    snprintf(reply.text, sizeof reply.text, "%s", error.text);
    while (send(socket, &reply, sizeof reply, MSG_NOSIGNAL) == sizeof reply && reply.usable &&
           recv(socket, &request, sizeof request, 0) == sizeof request) {
        const struct kt_job *job = &trial->jobs->job[request.job];
        const struct kt_entry *entry = job->shape->first.entry;
        void *function = kt_library_symbol(&library, entry->symbol.name, entry->library->path);
        reply = (struct reply){.usable = true, .found = function};
        if (function)
            call(trial, job, (unsigned char)request.filling, function, &reply);
    }
}

/* --- the side of the tool ---------------------------------------------------------------------------------- */

void kt_trial_prepare(const struct kt_library *library, const struct kt_jobs *jobs, const struct kt_ground *ground,
                      struct kt_trial *out)
{
    *out = (struct kt_trial){.library = library, .jobs = jobs, .ground = ground, .child = KT_NO_CHILD};
}

static enum kt_status start(struct kt_trial *trial, struct kt_error *error)
{
    char why[KT_CHILD_END];
    struct reply reply = {.usable = false};
    KT_TRY(kt_child_start(&trial->child, run, trial, error));
    if (!kt_child_receive(&trial->child, &reply, sizeof reply, LOAD_SECONDS)) {
        kt_child_bury(&trial->child, why);
        return kt_fail(error, KT_BAD_INPUT, "%s: loading it %s", trial->library->file[0], why);
    }
    if (reply.usable)
        return KT_OK;
    kt_child_end(&trial->child);
    return kt_fail(error, KT_BAD_INPUT, "%s", reply.text);
}

enum kt_status kt_trial_start(struct kt_trial *trial, struct kt_error *error)
{
    return trial->child.pid ? KT_OK : start(trial, error);
}

enum kt_status kt_trial_call(struct kt_trial *trial, size_t job, unsigned char filling, double limit,
                             struct kt_trial_result *out, struct kt_error *error)
{
    struct request request = {.job = job, .filling = filling};
    struct reply reply;
    *out = (struct kt_trial_result){.end = KT_TRIAL_ENDED};
    KT_TRY(kt_trial_start(trial, error));
    if (!kt_child_ask(&trial->child, &request, sizeof request, &reply, sizeof reply, limit)) {
        kt_child_bury(&trial->child, out->why);
        out->timeout = trial->child.timed_out;
        out->limit = limit;
        return KT_OK;
    }
    out->end = reply.found ? KT_TRIAL_RETURNED : KT_TRIAL_MISSING;
    out->info = reply.info;
    out->returned = reply.returned;
    out->seconds = reply.seconds;
    return KT_OK;
}

void kt_trial_close(struct kt_trial *trial)
{
    kt_child_end(&trial->child);
    *trial = (struct kt_trial){.child = KT_NO_CHILD};
}
