/* SPDX-License-Identifier: BSD-3-Clause */
#include "preload/r_context.h"

#include "preload/r_bytecode.h"
#include "preload/r_source.h"
#include "preload/scopes.h"

/* --- statements ---------------------------------------------------------------------------------------------- */

/* R's own variables: the reference of the statement that runs now; what stands there if bytecode has it; nothing. */
static const char *const *statement_now;
static const char *const *in_bytecode;
static const char *const *nothing;

/* Which of the last words of a context is the reference of the statement that ran when it began: R 3.5 and 3.6, 4.0 to
 * 4.3, from 4.4 on, where the first of these words is the place of the instruction. */
enum { NOT_KNOWN = -1, PLACES = 3, OF_4_4 = 7 };
static const int places[PLACES] = {4, 5, OF_4_4};
static int place = NOT_KNOWN;

/* R's outermost context has nothing there, and a pointer or zero where other versions have the reference. */
static void find_place(const struct kt_r_context *context)
{
    const struct kt_r_context *last = context;
    for (int i = 0; context && i < KT_R_MOST_CONTEXTS; i++, context = kt_r_context_outer(context))
        last = context;
    if (context)
        return;
    for (int i = 0; i < PLACES; i++)
        if (last->more[places[i]] == *nothing)
            place = place == NOT_KNOWN ? places[i] : NOT_KNOWN;
}

const char *kt_r_context_statement_outside(const struct kt_r_context *inner)
{
    const char *const *bytecode, *const *instruction;
    const char *reference = inner ? inner->more[place] : *statement_now;
    if (reference != *in_bytecode)
        return reference;
    if (!inner)
        return kt_r_bytecode_now(&bytecode, &instruction) ? kt_r_bytecode_at(bytecode, instruction) : NULL;
    if (place == OF_4_4 && (intptr_t)inner->more[0] > 0) {
        const char *code = kt_r_object_at((const char *)&inner->bytecode, KT_R_BYTECODE);
        return code ? kt_r_source_of_bytecode(code, (size_t)inner->more[0]) : NULL;
    }
    return kt_r_bytecode_at(&inner->bytecode, &inner->instruction);
}

bool kt_r_context_knows_statements(const struct kt_r_context *innermost)
{
    if (KT_UNLIKELY(place == NOT_KNOWN) && statement_now)
        find_place(innermost);
    return place != NOT_KNOWN;
}

void kt_r_context_start(void)
{
    statement_now = kt_scopes_find_first("R_Srcref");
    in_bytecode = kt_scopes_find_first("R_InBCInterpreter");
    nothing = kt_scopes_find_first("R_NilValue");
    if (!in_bytecode || !nothing || !kt_r_source_find())
        statement_now = NULL;
    place = NOT_KNOWN;
    kt_r_bytecode_start(statement_now);
}

/* --- the hash of a chain -------------------------------------------------------------------------------------- */

enum { NO_FUNCTION, SOURCE, BYTECODE };

/* KIND is one of those, or an address, of a function. */
static inline uint64_t mix(uint64_t hash, uint64_t kind, const uint64_t words[4])
{
    static const uint64_t factors[] = {0xbf58476d1ce4e5b9, 0x94d049bb133111eb, 0xff51afd7ed558ccd, 0xc4ceb9fe1a85ec53};
    for (int i = 0; words && i < 4; i++)
        kind += words[i] * factors[i];
    return ((hash << 23 | hash >> 41) ^ kind) * 0x9e3779b97f4a7c15u;
}

static inline uint64_t word_at(const char *at)
{
    return (uintptr_t)kt_readable_pointer(at);
}

static inline uint64_t mix_function(uint64_t hash, const struct kt_r_context *context)
{
    const char *function = kt_r_context_closure(context);
    const char *call = function ? kt_r_object_at((const char *)&context->call, KT_R_CALL) : NULL;
    if (!call)
        return mix(hash, NO_FUNCTION, NULL);
    const uint64_t words[] = {word_at(function + KT_R_ATTRIBUTES), word_at(function + KT_R_SCOPE),
                              word_at(call + KT_R_FIRST), 0};
    return mix(hash, (uintptr_t)function, words);
}

static uint64_t mix_source(uint64_t hash, const char *reference)
{
    const struct kt_r_source at = kt_r_source_read(reference);
    const uint64_t words[] = {(uintptr_t)at.reference, (uintptr_t)at.name, at.begin, at.end};
    return mix(hash, SOURCE, words);
}

/* Which instruction of which code, in place of the statement that is found by it. */
static uint64_t mix_bytecode(uint64_t hash, const char *const *bytecode, const char *const *instruction,
                             uint64_t number)
{
    const char *code = kt_r_object_at((const char *)bytecode, KT_R_BYTECODE);
    const char *at = kt_readable_object((const char *)instruction, sizeof(char *));
    const uint64_t words[] = {(uintptr_t)code, code ? word_at(code + KT_R_REST) : 0, at ? word_at(at) : 0, number};
    return mix(hash, BYTECODE, words);
}

static uint64_t mix_now(uint64_t hash)
{
    const char *const *bytecode, *const *instruction;
    if (*statement_now != *in_bytecode)
        return mix_source(hash, *statement_now);
    return kt_r_bytecode_now(&bytecode, &instruction) ? mix_bytecode(hash, bytecode, instruction, 0) : hash;
}

uint64_t kt_r_context_hash(const struct kt_r_context *context)
{
    const bool knows_statements = place != NOT_KNOWN;
    const char *last = knows_statements ? *statement_now : NULL;
    uint64_t hash = knows_statements ? mix_now((uint64_t)place) : 0;
    for (int i = 0; context && i < KT_R_MOST_CONTEXTS; i++, context = kt_r_context_outer(context)) {
        hash = mix_function(hash, context);
        const char *reference = knows_statements ? context->more[place] : NULL;
        if (knows_statements && reference == *in_bytecode)
            hash = mix_bytecode(hash, &context->bytecode, &context->instruction,
                                place == OF_4_4 ? (uintptr_t)context->more[0] : 0);
        else if (reference != last)
            hash = mix_source(hash, reference);
        last = reference;
    }
    return hash;
}
