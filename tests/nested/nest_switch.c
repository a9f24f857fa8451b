/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Two coroutines that make calls. Arguments: when they switch, and which of their stacks is above the other.
 *   outside  between calls
 *   first    in callbacks of the first one's calls; the second one switches between calls
 *   both     in callbacks of both
 *   dropped  the first one never comes back to its call, and its stack is unmapped
 */
#include "tests/nested/nest.h"

#include <stdlib.h>
#include <sys/mman.h>
#include <ucontext.h>

enum { ROUNDS = 20, BYTES = 128 << 10 };

static const char *when;
static ucontext_t outside, context[2];
static int now, wrong;
static volatile bool over[2];

static bool is_when(const char *word)
{
    return !strcmp(when, word);
}

static void give_way(void)
{
    int from = now;
    if (over[!from])
        return;
    now = !from;
    swapcontext(&context[from], &context[now]);
}

static int select_and_switch(const double *re, const double *im)
{
    (void)im;
    if (is_when("dropped") && now == 0)
        swapcontext(&context[0], &outside);
    if (is_when("both") || (is_when("first") && now == 0))
        give_way();
    return nest_is_small(re);
}

static void run(void)
{
    int self = now;
    for (int i = 0; i < ROUNDS; i++) {
        wrong += !nest_schur(select_and_switch);
        nest_tagged();
        nest_tagged_from_afar();
        wrong += !work_solve();
        if (is_when("outside") || self == 1)
            give_way();
    }
    over[self] = true;
    if (!over[!self]) {
        now = !self;
        setcontext(&context[now]);
    }
}

/* Its frame is near the end of the stack, where the other one begins. */
static void run_far_down(void)
{
    volatile char *room = (volatile char *)alloca(BYTES - (32 << 10));
    nest_schur(select_and_switch);
    __asm__ volatile("" : : "r"(room) : "memory");
}

/* The very first call is at the top of the stack. */
static void run_near_the_top(void)
{
    nest_tagged();
    nest_tagged_from_afar();
}

static void make(int which, char *stack, void (*function)(void))
{
    getcontext(&context[which]);
    context[which].uc_stack = (stack_t){.ss_sp = stack, .ss_size = BYTES};
    context[which].uc_link = &outside;
    makecontext(&context[which], function, 0);
}

static void start(int which)
{
    now = which;
    swapcontext(&outside, &context[which]);
}

int main(int argc, char **argv)
{
    if (argc != 3)
        return 99;
    when = argv[1];
    char *low = mmap(NULL, 2 * BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    bool first_is_above = !strcmp(argv[2], "first");
    char *stack[2] = {low + first_is_above * BYTES, low + !first_is_above * BYTES};
    make(0, stack[0], is_when("dropped") ? run_far_down : run);
    make(1, stack[1], is_when("dropped") ? run_near_the_top : run);
    start(0);
    if (is_when("dropped")) {
        munmap(stack[0], BYTES);
        start(1);
    }
    nest_tagged_from_afar();
    printf("%d wrong, %d tags\n", wrong, nest_tags);
    return 0;
}
