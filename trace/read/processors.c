/* SPDX-License-Identifier: BSD-3-Clause */
#include "trace/read/processors.h"

#include "ktrace/granted.h"
#include "trace/base/cpulist.h"

#include <unistd.h>

static double least(double a, double b)
{
    return a > 0 && (b <= 0 || a < b) ? a : b;
}

static void find_usable(struct kt_processors *p)
{
    if (p->allowed <= 0)
        p->allowed = p->there;
    p->usable = least(p->quota, least(p->allowed, p->there));
}

static int count_of(const char *list)
{
    return list ? kt_cpulist_parse(list, NULL) : 0;
}

/* What nobody can have is no quota. */
static double ratio_of(double quota_us, double period_us)
{
    double ratio = quota_us > 0 && period_us > 0 ? quota_us / period_us : 0;
    return ratio < KT_CPULIST_MOST ? ratio : 0;
}

void kt_processors_recorded(const struct kt_process *process, struct kt_processors *out)
{
    const char *there = kt_meta(process, "cpus");
    const char *quota = kt_meta(process, "quota");
    double quota_us;
    double period_us;
    *out = (struct kt_processors){.allowed = count_of(kt_meta(process, "affinity")),
                                  .in_set = count_of(kt_meta(process, "cpuset"))};
    long processors = there ? strtol(there, NULL, 10) : 0;
    out->there = processors > 0 && processors < KT_CPULIST_MOST ? (int)processors : 0;
    if (quota && sscanf(quota, "%lf\t%lf", &quota_us, &period_us) == 2)
        out->quota = ratio_of(quota_us, period_us);
    find_usable(out);
}

static size_t read_file(const char *path, char *out, size_t size)
{
    FILE *file = fopen(path, "re");
    size_t bytes = file ? fread(out, 1, size - 1, file) : 0;
    out[bytes] = '\0';
    if (file)
        fclose(file);
    return bytes;
}

void kt_processors_here(struct kt_processors *out)
{
    static struct kt_granted granted;
    cpu_set_t set;
    CPU_ZERO(&set);
    kt_granted_find(&granted, read_file);
    *out = (struct kt_processors){.there = (int)sysconf(_SC_NPROCESSORS_ONLN),
                                  .in_set = *granted.set ? kt_cpulist_parse(granted.set, NULL) : 0,
                                  .quota = ratio_of((double)granted.quota_us, (double)granted.period_us)};
    if (sched_getaffinity(0, sizeof set, &set) == 0)
        out->allowed = CPU_COUNT(&set);
    find_usable(out);
}

void kt_processors_text(const struct kt_processors *p, char *out, size_t size)
{
    out[0] = '\0';
    if (p->quota > 0 && p->quota <= p->allowed && p->quota < p->there)
        snprintf(out, size, "a quota of %.3g of %d processors", p->quota, p->there);
    else if (p->allowed > 0 && p->allowed < p->there)
        snprintf(out, size, "%s %d of %d processors", p->in_set == p->allowed ? "a cpuset of" : "affinity to",
                 p->allowed, p->there);
}
