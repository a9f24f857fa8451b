/* SPDX-License-Identifier: BSD-3-Clause */
#include "replay/call/own_kernel.h"

#include "trace/base/memory.h"
#include "trace/print/text.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>

/* The routine has no argument that could carry these: a process calls one kernel. */
static struct {
    const struct ktrace_kernel *kernel;
    struct prepared {
        int64_t n;
        void *what;
    } * all;
    size_t count;
    void *now;
} own;

void kt_own_kernel_library(const char *path, struct kt_library *out)
{
    char real[PATH_MAX];
    *out = (struct kt_library){.files = 1, .threads = 1, .int_bytes = sizeof(int64_t), .is_kernel = true};
    out->file[0] = kt_copy(realpath(path, real) ? real : path);
    snprintf(out->name, sizeof out->name, "%.63s", kt_base_name(path));
}

/* What the loaded file has; NULL: nothing, or of another version. */
static const struct ktrace_kernel *kernel_of(void *handle)
{
    const struct ktrace_kernel *kernel = handle ? dlsym(handle, "ktrace_kernel") : NULL;
    return kernel && kernel->version == KTRACE_KERNEL_VERSION ? kernel : NULL;
}

int kt_own_kernel_buffers(const struct ktrace_kernel *kernel)
{
    int count = 0;
    while (count < KTRACE_MOST_BUFFERS && kernel->buffer[count].name)
        count++;
    return count;
}

/* As a routine of Fortran is called. */
static void call_own(const int64_t *n, void *a, void *b, void *c, void *d, void *e, void *f, void *g, void *h)
{
    void *const buffer[KTRACE_MOST_BUFFERS] = {a, b, c, d, e, f, g, h};
    own.kernel->run(*n, buffer, own.now);
}

static int64_t n_of(const struct kt_job *job)
{
    struct kt_values values;
    kt_values_decode(&job->shape->first.entry->symbol, job->shape->first.args, &values);
    return (int64_t)values.v[0];
}

static void *prepared_for(int64_t n)
{
    for (size_t i = 0; i < own.count; i++)
        if (own.all[i].n == n)
            return own.all[i].what;
    own.all = kt_room_for_one(own.all, own.count, sizeof *own.all);
    own.all[own.count] = (struct prepared){n, own.kernel->prepare(n)};
    return own.all[own.count++].what;
}

void *kt_own_kernel_ready(const struct kt_library *library, const struct kt_job *job)
{
    own.kernel = kernel_of(library->handle[0]);
    if (!own.kernel)
        return NULL;
    own.now = own.kernel->prepare ? prepared_for(n_of(job)) : NULL;
    return (void *)call_own;
}

bool kt_own_kernel_fill(const struct kt_job *job, int i, uint64_t at)
{
    if (own.kernel->fill)
        own.kernel->fill(n_of(job), i, (void *)at);
    return own.kernel->fill != NULL;
}
