/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/fuzz/document.h"

#include "tests/fuzz/mutate.h"
#include "tests/fuzz/target.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void kt_document_refused(enum kt_status status, const struct kt_error *error)
{
    if (status != KT_BAD_INPUT || status != error->status || !*error->text || strchr(error->text, '\n'))
        abort();
}

bool kt_document_take(const uint8_t *data, size_t size, json_t **out)
{
    struct kt_error error = {0};
    enum kt_status status = kt_json_take("input", data, size, out, &error);
    if (status == KT_OK)
        return true;
    kt_document_refused(status, &error);
    return false;
}

void kt_document_quiet(void)
{
    if (!freopen("/dev/null", "w", stdout))
        abort();
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t room, unsigned seed)
{
    uint64_t random = seed * 0x9e3779b97f4a7c15u | 1;
    for (uint64_t times = 1 + kt_draw(&random, 3); times > 0; times--)
        size = kt_draw(&random, 12) ? kt_mutate_json(data, size, room, &random) : LLVMFuzzerMutate(data, size, room);
    return size;
}
