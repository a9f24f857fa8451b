/* SPDX-License-Identifier: BSD-3-Clause */
#include "trace/read/stacks.h"

#include "ktrace/format.h"
#include "trace/base/memory.h"

#include <errno.h>
#include <ctype.h>
#include <stdlib.h>

enum { MAX_STACKS = 1 << 16, FIELDS = 6, HEX = 16 };

const struct kt_stack *kt_stack_of(const struct kt_process *process, uint32_t source)
{
    uint32_t id = source & ~KT_SOURCE_IS_STACK;
    bool is_known = source & KT_SOURCE_IS_STACK && id < process->stacks && process->stack[id].caller;
    return is_known ? &process->stack[id] : NULL;
}

/* The number that TEXT begins with, and what follows it; NULL: there is none. */
static const char *take_number(const char *text, int base, uint64_t *out)
{
    char *end;
    errno = 0;
    if (!isxdigit((unsigned char)*text))
        return NULL;
    *out = strtoull(text, &end, base);
    return errno ? NULL : end;
}

static bool is_number(const char *text, int base, uint64_t *out)
{
    const char *end = take_number(text, base, out);
    return end && !*end;
}

/* Emptied if it was defined before. NULL: TEXT is no id. */
static struct kt_stack *stack_with_id(struct kt_process *p, const char *text)
{
    uint64_t id;
    if (!is_number(text, 10, &id) || id >= MAX_STACKS)
        return NULL;
    while (p->stacks <= id) {
        p->stack = kt_room_for_one(p->stack, p->stacks, sizeof *p->stack);
        p->stack[p->stacks++] = (struct kt_stack){0};
    }
    struct kt_stack *stack = &p->stack[id];
    free(stack->word);
    free(stack->address);
    *stack = (struct kt_stack){0};
    return stack;
}

/* OFFSET:VALUE, ascending, with blanks before them. */
static const char *read_words(struct kt_stack *stack, const char *text)
{
    uint64_t last = 0;
    while (*text == ' ') {
        struct kt_stack_word word;
        text = take_number(text + 1, HEX, &word.at);
        if (!text || *text != ':' || !(text = take_number(text + 1, HEX, &word.value)))
            return "a word of the stack is no number";
        if (word.at >= stack->bytes || (stack->words && word.at <= last))
            return "a word of the stack is at no place of it";
        last = word.at;
        word.at += stack->sp;
        stack->word = kt_room_for_one(stack->word, stack->words, sizeof *stack->word);
        stack->word[stack->words++] = word;
    }
    return *text ? "there is something behind the words of the stack" : NULL;
}

const char *kt_stack_define(struct kt_process *process, char **field)
{
    struct kt_stack *stack = stack_with_id(process, field[1]);
    if (!stack)
        return "the id is not a small number";
    struct kt_stack read = {0};
    uint64_t *const number[] = {&read.caller, &read.pc, &read.sp, &read.fp, &read.bytes};
    for (size_t i = 0; i < sizeof number / sizeof *number; i++)
        if (!is_number(field[2 + i], HEX, number[i]))
            return "an address is not a hexadecimal number";
    if (read.sp + read.bytes < read.sp)
        return "the stack ends before it begins";
    const char *wrong = read_words(&read, field[2 + sizeof number / sizeof *number]);
    if (wrong)
        free(read.word);
    else
        *stack = read;
    return wrong;
}

const char *kt_stack_define_path(struct kt_process *process, char **field)
{
    struct kt_stack *stack = stack_with_id(process, field[1]);
    const char *text = field[2];
    if (!stack)
        return "the id is not a small number";
    for (const char *at = text; *at; at += *at == ' ') {
        uint64_t address;
        at = take_number(at, HEX, &address);
        if (!at || (*at && *at != ' ')) {
            stack_with_id(process, field[1]);
            return "an address is not a hexadecimal number";
        }
        stack->address = kt_room_for_one(stack->address, stack->addresses, sizeof *stack->address);
        stack->address[stack->addresses++] = address;
    }
    stack->caller = stack->addresses ? stack->address[0] : 0;
    return NULL;
}

void kt_stacks_free(struct kt_process *process)
{
    for (size_t i = 0; i < process->stacks; i++) {
        free(process->stack[i].word);
        free(process->stack[i].address);
    }
    free(process->stack);
}
