/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What is recorded of a call that comes through the trampoline. The interface of its name says where its arguments
 * are; nothing is looked at where there is no interface, or where the function found turned out not to be ours.
 */
#include "preload/forward.h"

#include "preload/checksum.h"
#include "preload/names.h"

#include <string.h>
#include <unistd.h>

/* Where results of complex functions are stored through a hidden first argument, all others stand one word later. */
static inline uint64_t word_of(const struct kt_call *call, unsigned index)
{
    index += call->frame.binding->hidden_result;
    const uint64_t *words = index < KT_CALL_WORDS ? call->word : call->stack - KT_CALL_WORDS;
    return words[index];
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
static void store_behind(unsigned char *at, enum kt_kind kind, const void *from)
{
    static const unsigned char bytes[] = {
        [KT_CHAR] = 1, [KT_ENUM] = 4, [KT_FLOAT] = 4, [KT_DOUBLE] = 8, [KT_CFLOAT] = 8, [KT_CDOUBLE] = 16};
    if (from)
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

static void store_other(const struct kt_call *call, const struct kt_step *step, unsigned char *at)
{
    if (step->passed == KT_IN_WORD)
        store_word(at, step->kind, word_of(call, step->index), call->frame.binding->wide);
    else if (step->passed == KT_IN_NUMBER)
        store_number(at, step->kind, &call->number[step->index]);
    else
        store_behind(at, step->kind, (const void *)word_of(call, step->index));
}

static inline void put_word(unsigned char *at, uint64_t word)
{
    memcpy(at, &word, sizeof word);
}

/* ARGS: zeros, where arguments go that are not there yet or shorter than a word. */
static void store_arguments(const struct kt_call *call, const struct kt_interface *interface, unsigned char *args)
{
    const struct kt_step *step = &kt_steps[interface->step];
    const struct kt_step *end = step + interface->addresses;
    bool wide = call->frame.binding->wide;
    for (; step < end; step++)
        put_word(args + step->offset, word_of(call, step->index));
    for (end += interface->integers; step < end; step++)
        put_word(args + step->offset, (uint64_t)kt_integer((const void *)word_of(call, step->index), wide));
    for (end += interface->letters; step < end; step++)
        store_behind(args + step->offset, KT_CHAR, (const void *)word_of(call, step->index));
    for (end += interface->others; step < end; step++)
        store_other(call, step, args + step->offset);
}

/* What the routine told of its success, 0 if it does not. */
static int64_t info_of(const struct kt_call *call, const struct kt_interface *interface)
{
    if (!interface->infos)
        return 0;
    const struct kt_step *step = &kt_steps[interface->step + kt_steps_before(interface)];
    bool wide = call->frame.binding->wide;
    return step->passed == KT_AFTERWARDS ? kt_integer((const void *)word_of(call, step->index), wide)
                                         : kt_integer_value((int64_t)call->returned[0], wide);
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
    if (left < MOST && kt_system_is_readable((const void *)next))
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

/* The trampoline reads the clock. */
static void record(struct kt_call *call, const struct kt_interface *interface)
{
    enum { HEAD = KT_CALL_HEAD_WORDS };
    _Alignas(16) uint64_t word[KT_CONTEXT_WORDS + 1];
    unsigned words = HEAD + interface->arg_bytes / 8u;
    for (unsigned i = 0; i < words + 1; i++)
        word[i] = 0;
    word[1] = (uintptr_t)call->caller;
    store_arguments(call, interface, (unsigned char *)(word + HEAD));
    if (KT_UNLIKELY(kt_extras)) {
        kt_record_begin(&call->frame, word, words);
        if (kt_extras & KT_EXTRA_CHECKSUM)
            kt_checksum_registers(call);
    } else
        kt_store_call(&call->frame, word, words);
}

/* --- vector registers -------------------------------------------------------------------------------------- */

/*
 * A foreign function may take vectors of which the trampoline keeps but the first 16 bytes. This file leaves the others
 * alone, as it is compiled without AVX; what binding a name calls does not, such as memset().
 */
#ifdef __x86_64__
enum { VECTORS = 8, LONGEST = 8 };

struct vectors {
    unsigned words; /* of each; 2: there are no longer ones */
    uint64_t at[VECTORS * LONGEST];
};

#define EACH_VECTOR(instruction, at) \
    __asm__ volatile(".irp n, 0, 1, 2, 3, 4, 5, 6, 7\n\t" instruction "\n\t.endr" : : "r"(at) : "memory")

static void keep_vectors(struct vectors *v)
{
    __builtin_cpu_init();
    v->words = __builtin_cpu_supports("avx512f") ? 8 : __builtin_cpu_supports("avx") ? 4 : 2;
    if (v->words == 8)
        EACH_VECTOR("vmovups %%zmm\\n, 64*\\n(%0)", v->at);
    else if (v->words == 4)
        EACH_VECTOR("vmovups %%ymm\\n, 32*\\n(%0)", v->at);
}

static bool is_any_long(const struct vectors *v)
{
    uint64_t any = 0;
    for (unsigned i = 0; i < VECTORS * v->words; i++)
        any |= i % v->words < 2 ? 0 : v->at[i];
    return any != 0;
}

/* Where a register holds nothing behind the first 16 bytes the processor is to know it: older instructions, which leave
 * the rest as it is, are slower as long as it may be something. */
static void restore_vectors(const struct vectors *v)
{
    if (v->words == 2)
        return;
    if (!is_any_long(v))
        __asm__ volatile("vzeroupper");
    else if (v->words == 8)
        EACH_VECTOR("vmovups 64*\\n(%0), %%zmm\\n", v->at);
    else
        EACH_VECTOR("vmovups 32*\\n(%0), %%ymm\\n", v->at);
}

static KT_COLD const struct kt_binding *bind_common(struct kt_slot *slot, const void *caller)
{
    struct vectors kept;
    keep_vectors(&kept);
    const struct kt_binding *binding = kt_bind_find(slot, caller);
    restore_vectors(&kept);
    return binding;
}
#else
static const struct kt_binding *bind_common(struct kt_slot *slot, const void *caller)
{
    return kt_bind_find(slot, caller);
}
#endif

/* --- the call ---------------------------------------------------------------------------------------------- */

/* May functions of other people have its name, too? */
static bool is_common(const struct kt_slot *slot)
{
    return kt_slot_infos[kt_names_slot(slot) - kt_slots].common;
}

struct kt_forward kt_forward_begin(struct kt_call *call, struct kt_slot *slot)
{
    const struct kt_binding *binding = kt_recent_binding(slot, call->caller);
    if (KT_UNLIKELY(!binding))
        binding = is_common(slot) ? bind_common(slot, call->caller) : kt_bind_find(slot, call->caller);
    if (binding->by_jump)
        return (struct kt_forward){binding->target, -1};
    if (kt_enter(&call->frame, binding))
        record(call, binding->interface);
    return (struct kt_forward){binding->target, words_on_stack(call, binding->interface)};
}

void kt_forward_end(struct kt_call *call)
{
    if (call->frame.record) {
        uint64_t ticks = kt_clock_stop() - call->frame.start;
        kt_store_end(&call->frame, ticks, info_of(call, call->frame.binding->interface), 0);
    } else {
        kt_end_unrecorded(&call->frame);
    }
    kt_leave(&call->frame);
}
