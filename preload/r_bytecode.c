/* SPDX-License-Identifier: BSD-3-Clause */
#include "preload/r_bytecode.h"

#include "preload/r_object.h"
#include "preload/r_source.h"
#include "preload/system.h"

enum { MOST_SEARCHES = 100 };

/* The two variables, once they are found. */
static const char *const *now_bytecode;
static const char *const *now_instruction;
static const void *variables; /* near them */
static int searches;

/* Which word of its code an instruction is; -1: it is none of it. */
static int64_t place_in(const char *bytecode, const char *instruction)
{
    const char *code = kt_r_vector_at(bytecode + KT_R_FIRST, KT_R_INTEGERS);
    const uint64_t offset = code ? (uintptr_t)instruction - (uintptr_t)code - KT_R_BYTES : 0;
    if (!code || offset % sizeof(void *) || offset / sizeof(int32_t) >= kt_r_length(code))
        return -1;
    return (int64_t)(offset / sizeof(void *));
}

const char *kt_r_bytecode_at(const char *const *bytecode, const char *const *instruction)
{
    const char *code = kt_r_object_at((const char *)bytecode, KT_R_BYTECODE);
    const char *at = kt_readable_object((const char *)instruction, sizeof(char *));
    const int64_t place = code && at ? place_in(code, kt_readable_pointer(at)) : -1;
    return place < 0 ? NULL : kt_r_source_of_bytecode(code, (size_t)place);
}

/* --- the variables ------------------------------------------------------------------------------------------- */

/* What is not known to be a pointer is asked for each time: its page may go. */
static const char *pointed_to(const char *const *word, size_t bytes)
{
    const char *at = kt_readable_pointer((const char *)word);
    const bool is_aligned = at && (uintptr_t)at % 8 == 0;
    return is_aligned && kt_system_is_readable(at) && kt_system_is_readable(at + bytes - 1) ? at : NULL;
}

static bool holds_bytecode(const char *const *word)
{
    const char *object = pointed_to(word, KT_R_OBJECT);
    return object && kt_r_is_of_type(object, KT_R_BYTECODE) &&
           pointed_to((const char *const *)(const void *)(object + KT_R_FIRST), KT_R_OBJECT);
}

/* It points into the stack, to an instruction of that. */
static bool holds_instruction(const char *const *word, const char *bytecode)
{
    if (*word <= (const char *)__builtin_frame_address(0))
        return false;
    const char *at = pointed_to(word, sizeof(char *));
    return at && place_in(bytecode, kt_readable_pointer(at)) >= 0;
}

/* What can be read of the variable's page and those beside it. */
static size_t words_near(const char *const **first)
{
    enum { PAGE = 4096 };
    const char *begin = (const char *)((uintptr_t)variables / PAGE * PAGE);
    const char *end = begin + PAGE;
    begin -= kt_system_is_readable(begin - PAGE) ? PAGE : 0;
    end += kt_system_is_readable(end) ? PAGE : 0;
    *first = (const char *const *)(const void *)begin;
    return (size_t)(end - begin) / sizeof(char *);
}

static void find_variables(void)
{
    const char *const *words;
    const size_t count = words_near(&words);
    unsigned found = 0;
    for (size_t i = 0; i < count; i++) {
        if (!holds_bytecode(&words[i]))
            continue;
        for (size_t j = 0; j < count; j++)
            if (holds_instruction(&words[j], words[i]) && !found++) {
                now_bytecode = &words[i];
                now_instruction = &words[j];
            }
    }
    if (found != 1)
        now_bytecode = now_instruction = NULL;
}

bool kt_r_bytecode_now(const char *const **bytecode, const char *const **instruction)
{
    if (KT_UNLIKELY(!now_bytecode) && variables && searches++ < MOST_SEARCHES)
        find_variables();
    *bytecode = now_bytecode;
    *instruction = now_instruction;
    return now_bytecode != NULL;
}

void kt_r_bytecode_start(const void *variable)
{
    variables = variable;
    searches = 0;
    now_bytecode = now_instruction = NULL;
}
