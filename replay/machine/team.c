/* SPDX-License-Identifier: BSD-3-Clause */
#include "replay/machine/team.h"

#include <dlfcn.h>
#include <string.h>

void kt_team_open(unsigned threads, struct kt_team *out)
{
    *out = (struct kt_team){0};
    void *library = threads ? dlopen("libgomp.so.1", RTLD_NOW | RTLD_GLOBAL) : NULL;
    void *parallel = library ? dlsym(library, "GOMP_parallel") : NULL;
    void *number = library ? dlsym(library, "omp_get_thread_num") : NULL;
    if (!parallel || !number)
        return;
    memcpy(&out->parallel, &parallel, sizeof parallel);
    memcpy(&out->number, &number, sizeof number);
    out->threads = threads;
}

struct part {
    const struct kt_team *team;
    void (*function)(void *);
    void *context;
};

static void run_part(void *data)
{
    const struct part *part = data;
    if (part->team->number() == 0)
        part->function(part->context);
}

void kt_team_call(const struct kt_team *team, void (*function)(void *), void *context)
{
    struct part part = {team, function, context};
    if (team->threads)
        team->parallel(run_part, &part, team->threads, 0);
    else
        function(context);
}
