/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * An interpreter made up in a piece of memory, and what of the shim the readers of its frames call. For one test
 * program: it defines functions.
 */
#ifndef KT_TEST_INTERPRETER_H
#define KT_TEST_INTERPRETER_H

#include "preload/apart.h"
#include "preload/define.h"
#include "preload/line.h"
#include "preload/line_numbers.h"
#include "preload/notice.h"
#include "preload/slow.h"
#include "preload/system.h"

#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cmocka.h>

/* --- the shim around it -------------------------------------------------------------------------------------- */

static char told[1 << 16]; /* the last definition */
/* Of lines by number: the begin of the name, and who called. */
static char function_of[1 << 16][16];
static unsigned caller_of[1 << 16];

bool kt_slow_begin(void)
{
    return true;
}

void kt_slow_end(void)
{
}

void kt_define_line(const char *text, size_t length)
{
    assert_true(length < sizeof told);
    memcpy(told, text, length);
    told[length] = '\0';
    unsigned id, caller;
    char function[16];
    if (sscanf(told, "line\t%u\t%u\t%*u\t%15[^\t]", &id, &caller, function) == 3) {
        strcpy(function_of[id], function);
        caller_of[id] = caller;
    }
}

void kt_notice(const char *text, const char *value, const char *more)
{
    snprintf(told, sizeof told, "%s%s%s", text, value, more);
}

void kt_apart(void (*task)(void *), void *context)
{
    task(context);
}

bool kt_system_is_readable(const void *at)
{
    return syscall(SYS_rt_sigprocmask, -1, at, NULL, 8) == 0 || errno != EFAULT;
}

/* --- the interpreter's memory -------------------------------------------------------------------------------- */

enum { MEMORY = 1 << 16, AROUND = 2 * 4096 };

static unsigned char *memory; /* around it nothing can be read */

static void make_memory(void)
{
    if (!memory) {
        unsigned char *all = mmap(NULL, AROUND + MEMORY + AROUND, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        memory = all + AROUND;
    }
    mprotect(memory, MEMORY, PROT_READ | PROT_WRITE);
    memset(memory, 0, MEMORY);
    assert_true(kt_line_numbers_open());
}

static void put(size_t at, uint64_t value, size_t bytes)
{
    memcpy(memory + at, &value, bytes);
}

static uint64_t address(size_t at)
{
    return (uintptr_t)memory + at;
}

/* A word of anything: small, an address within the interpreter's memory, at its end, or of nothing. */
static uint64_t anything(void)
{
    switch (rand() % 6) {
    case 0:
        return (uint64_t)rand() % 300;
    case 1:
        return address((size_t)rand() % MEMORY / 8 * 8);
    case 2:
        return address(MEMORY - 8 * ((size_t)rand() % 16));
    case 3:
        return address(MEMORY + 8 * ((size_t)rand() % (AROUND / 8)));
    case 4:
        return address((size_t)rand() % MEMORY);
    default:
        return (uint64_t)rand() << 32 ^ (uint64_t)rand();
    }
}

#endif
