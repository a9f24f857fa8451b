/* SPDX-License-Identifier: BSD-3-Clause */
#include "preload/plan.h"

#include "preload/entries.h"
#include "preload/profile_memory.h"
#include "preload/slow.h"

#include <errno.h>
#include <sys/mman.h>

_Atomic(const struct kt_plan *) *kt_plans;

bool kt_plan_start(void)
{
    enum { BYTES = KT_PLANS * sizeof *kt_plans };
    if (kt_plans)
        return true;
    void *at = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (at != MAP_FAILED)
        kt_plans = at;
    return at != MAP_FAILED;
}

/* Letters count in upper case: bit 5 is what makes them differ. */
static uint64_t mask_of(enum kt_kind kind)
{
    static const uint64_t mask[] = {[KT_CHAR] = 0xdf, [KT_ENUM] = UINT32_MAX, [KT_INT] = UINT64_MAX, [KT_FLOAT] = 0,
                                    [KT_DOUBLE] = 0,  [KT_CFLOAT] = 0,        [KT_CDOUBLE] = 0,      [KT_ADDRESS] = 0};
    return mask[kind];
}

static void plan_step(struct kt_plan *plan, const struct kt_step *step)
{
    if (step->passed == KT_AFTERWARDS || step->passed == KT_RETURNED) /* not known yet */
        return;
    plan->mask[KT_CALL_HEAD_WORDS + step->offset / 8] |= mask_of(step->kind) << 8 * (step->offset % 8);
    if (step->kind < KT_FLOAT || step->kind > KT_CDOUBLE || plan->scalars == KT_PLAN_SCALARS)
        return;
    plan->scalar[plan->scalars].offset = step->offset;
    plan->scalar[plan->scalars++].kind = step->kind;
}

static struct kt_plan *new_plan(unsigned words)
{
    enum { BLOCK = 16 << 10 };
    static char *block;
    static size_t left;
    size_t bytes = sizeof(struct kt_plan) + words * sizeof(uint64_t);
    if (left < bytes) {
        block = kt_profile_memory_pages(BLOCK);
        left = block ? BLOCK : 0;
    }
    if (left < bytes)
        return NULL;
    left -= bytes;
    return (struct kt_plan *)(void *)(block + left);
}

static const struct kt_plan *make_plan(unsigned entry)
{
    const struct kt_interface *interface = kt_entries_interface(entry);
    unsigned words = KT_CALL_HEAD_WORDS + interface->arg_bytes / 8u;
    struct kt_plan *plan = new_plan(words);
    if (!plan)
        return NULL;
    plan->words = (uint16_t)words;
    plan->routine = interface->routine;
    for (unsigned i = 0; i < kt_steps_before(interface) + interface->infos; i++)
        plan_step(plan, &kt_steps[interface->step + i]);
    return plan;
}

const struct kt_plan *kt_plan_make(unsigned entry)
{
    int saved = errno;
    if (!kt_slow_begin())
        return NULL;
    const struct kt_plan *plan = kt_plan_of(entry);
    if (!plan)
        plan = make_plan(entry);
    atomic_store_explicit(&kt_plans[entry], plan, memory_order_release);
    kt_slow_end();
    errno = saved;
    return plan;
}
