/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Texts of algorithms: every one is taken or refused with one clear error that names its line, and what is taken can be
 * run or says why not.
 */
#include "model/algorithm/algorithm.h"
#include "tests/fuzz/mutate.h"
#include "tests/fuzz/target.h"
#include "trace/base/memory.h"

#include <ctype.h>

enum { MOST_BYTES = 1 << 13, MOST_CALLS = 2000 };

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc, (void)argv;
    return 0;
}

static enum kt_status count_call(void *context, const struct kt_kernel *kernel, struct kt_error *error)
{
    int *calls = context;
    for (int i = 0; i < kernel->operands; i++)
        if (kernel->operand[i].lo > kernel->operand[i].hi)
            abort();
    return ++*calls < MOST_CALLS ? KT_OK : kt_fail(error, KT_BAD_INPUT, "text:1: that is enough");
}

static void check(enum kt_status status, const struct kt_error *error)
{
    if (status != KT_OK && (strncmp(error->text, "text:", 5) != 0 || strchr(error->text, '\n')))
        abort(); /* one clear line */
}

/* Loops of a thousand turns nest: that is not for here. */
static bool is_quick(const char *text)
{
    int digits = 0;
    for (; *text && digits < 3; text++)
        digits = isdigit((unsigned char)*text) ? digits + 1 : 0;
    return digits < 3;
}

static void run(const struct kt_algorithm *a)
{
    double value[KT_MOST_PARAMETERS];
    struct kt_operand storage[KT_MAX_OPERANDS];
    struct kt_error error = {0};
    int calls = 0;
    for (int i = 0; i < kt_algorithm_parameters(a); i++)
        value[i] = i == kt_algorithm_parameter(a, "b") ? 5 : 17;
    check(kt_algorithm_run(a, value, count_call, &calls, &error), &error);
    kt_algorithm_storage(a, value, storage);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct kt_algorithm *a;
    struct kt_error error = {0};
    if (size > MOST_BYTES)
        return 0;
    char *text = kt_resize(NULL, size + 1, 1);
    memcpy(text, data, size);
    text[size] = '\0';
    enum kt_status status = kt_algorithm_parse(text, "text", &a, &error);
    check(status, &error);
    if (status == KT_OK && is_quick(text))
        run(a);
    kt_algorithm_free(a);
    free(text);
    return 0;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t room, unsigned seed)
{
    uint64_t random = seed * 0x9e3779b97f4a7c15u | 1;
    return kt_draw(&random, 3) ? LLVMFuzzerMutate(data, size, room) : kt_mutate_spec(data, size, room, &random);
}
