/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What is recorded of a call that comes through the trampoline. The interface of its name says where its arguments
 * are; nothing is looked at where there is no interface, or where the function found turned out not to be ours.
 */
#include "preload/forward.h"

#include "preload/bind.h"
#include "preload/names.h"

#include <errno.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Where results of complex functions are stored through a hidden first argument, all others stand one word later. */
static uint64_t word_of(const struct kt_call *call, unsigned index)
{
    index += call->frame.binding->hidden_result;
    return index < KT_CALL_WORDS ? call->word[index] : call->stack[index - KT_CALL_WORDS];
}

static void store_word(unsigned char *at, enum kt_kind kind, uint64_t word, bool wide)
{
    int32_t code = (int32_t)word;
    int64_t integer = kt_integer_value((int64_t)word, wide);
    switch (kind) {
    case KT_CHAR:
        *at = (unsigned char)word;
        break;
    case KT_ENUM:
        memcpy(at, &code, sizeof code);
        break;
    case KT_INT:
        memcpy(at, &integer, sizeof integer);
        break;
    default:
        memcpy(at, &word, sizeof word);
    }
}

/* Programs pass NULL for arguments that a routine does not look at. */
static void store_behind(unsigned char *at, enum kt_kind kind, const void *from, bool wide)
{
    static const unsigned char bytes[] = {
        [KT_CHAR] = 1, [KT_ENUM] = 4, [KT_FLOAT] = 4, [KT_DOUBLE] = 8, [KT_CFLOAT] = 8, [KT_CDOUBLE] = 16};
    int64_t integer = kind == KT_INT ? kt_integer(from, wide) : 0;
    if (kind == KT_INT)
        memcpy(at, &integer, sizeof integer);
    else if (from)
        memcpy(at, from, bytes[kind]);
    else
        memset(at, 0, bytes[kind]);
}

/* Floating-point registers hold a complex float in one, a complex double in two. */
static void store_number(unsigned char *at, enum kt_kind kind, const struct kt_vector *number)
{
    memcpy(at, &number->low, kind == KT_FLOAT ? 4 : 8);
    if (kind == KT_CDOUBLE)
        memcpy(at + 8, &number[1].low, 8);
}

static void store_argument(const struct kt_call *call, const struct kt_step *step, unsigned char *args)
{
    unsigned char *at = args + step->offset;
    bool wide = call->frame.binding->wide;
    switch ((enum kt_passed)step->passed) {
    case KT_IN_WORD:
        store_word(at, step->kind, word_of(call, step->index), wide);
        break;
    case KT_IN_NUMBER:
        store_number(at, step->kind, &call->number[step->index]);
        break;
    case KT_BEHIND_WORD:
        store_behind(at, step->kind, (const void *)word_of(call, step->index), wide);
        break;
    case KT_AFTERWARDS:
    case KT_RETURNED:
        break;
    }
}

static void store_result(const struct kt_call *call, const struct kt_step *step, unsigned char *args)
{
    unsigned char *at = args + step->offset;
    bool wide = call->frame.binding->wide;
    if (step->passed == KT_AFTERWARDS)
        store_behind(at, step->kind, (const void *)word_of(call, step->index), wide);
    else if (step->passed == KT_RETURNED)
        store_word(at, step->kind, call->returned[0], wide);
}

/*
 * The kernel reads the new mask before it looks at what to do with it, which is nothing it knows. That a page is mapped
 * would not do: behind a stack there often is the guard page of the next.
 */
bool kt_is_readable(const void *at)
{
    enum { NOTHING = -1, SIGNAL_BYTES = 8 };
    int saved = errno;
    bool readable = syscall(SYS_rt_sigprocmask, NOTHING, at, NULL, SIGNAL_BYTES) == 0 || errno != EFAULT;
    errno = saved;
    return readable;
}

/*
 * How much of the stack goes with a call of unknown prototype: more than any routine has, unless the stack ends
 * before. That it does is as good as impossible but at the top of a coroutine's.
 */
static int64_t words_of_unknown(const uint64_t *stack)
{
    enum { MOST = 64 };
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    uintptr_t next = ((uintptr_t)stack / page + 1) * page;
    int64_t left = (int64_t)((next - (uintptr_t)stack) / sizeof *stack);
    if (left < MOST && kt_is_readable((const void *)next))
        left = MOST;
    return left < MOST ? left : MOST;
}

static int64_t words_on_stack(const struct kt_call *call, const struct kt_interface *interface)
{
    if (interface->undescribed)
        return words_of_unknown(call->stack);
    int words = interface->words + interface->returns_complex;
    return words > KT_CALL_WORDS ? words - KT_CALL_WORDS : 0;
}

struct kt_forward kt_call_begin(struct kt_call *call, struct kt_slot *slot)
{
    const struct kt_interface *interface = kt_interface_of(slot);
    const struct kt_binding *binding = kt_binding_for(slot, call->caller);
    if (binding->foreign)
        return (struct kt_forward){binding->target, -1};
    unsigned char *args = kt_enter(&call->frame, binding, interface->arg_bytes, call->caller);
    for (unsigned i = 0; args && i < interface->steps; i++)
        store_argument(call, &kt_steps[interface->step + i], args);
    kt_begin(&call->frame, interface->arg_bytes);
    call->slot = slot;
    return (struct kt_forward){binding->target, words_on_stack(call, interface)};
}

void kt_call_end(struct kt_call *call)
{
    struct kt_record *record = kt_complete(&call->frame);
    const struct kt_interface *interface = kt_interface_of(call->slot);
    for (unsigned i = 0; record && i < interface->steps; i++)
        store_result(call, &kt_steps[interface->step + i], (unsigned char *)(record + 1));
    kt_leave(&call->frame);
}
