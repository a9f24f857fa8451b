/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What `ktrace replay` leaves beside a trace: its numbers are looked up for the calls of one trace and taken apart. Of
 * some inputs the whole report is made, to which kt_files_open (wrapped: -Wl,--wrap) gives that trace and the input.
 */
#include "model/decomposition/replayed.h"
#include "model/roofline/roofs.h"
#include "tests/fuzz/document.h"
#include "tests/fuzz/memory.h"
#include "tests/fuzz/target.h"
#include "trace/base/memory.h"
#include "trace/command/verb.h"

#include <getopt.h>
#include <stdio.h>

#define BASE_PATH   "tests/fuzz/corpus/trace/synthetic4"
#define MEMORY_PATH "input"

enum { MOST_BYTES = 1 << 16, ONE_IN = 64 };

static struct kt_blocks base;
static struct kt_trace trace;
static struct kt_shapes shapes;
static const uint8_t *result;
static size_t result_bytes;

enum kt_status __real_kt_files_open(const char *path, struct kt_files **out, struct kt_error *error);
enum kt_status __wrap_kt_files_open(const char *path, struct kt_files **out, struct kt_error *error);

enum kt_status __wrap_kt_files_open(const char *path, struct kt_files **out, struct kt_error *error)
{
    if (strcmp(path, MEMORY_PATH) != 0)
        return __real_kt_files_open(path, out, error);
    *out = kt_blocks_files(&base, path, 0, KT_INPUT_FILES - 1);
    kt_files_add(*out, "replay.json", result, result_bytes);
    kt_files_sort(*out);
    return KT_OK;
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    static unsigned char bytes[MOST_BYTES];
    struct kt_error error = {0};
    (void)argc, (void)argv;
    FILE *file = fopen(BASE_PATH, "r");
    size_t size = file ? fread(bytes, 1, sizeof bytes, file) : 0;
    if (!file || !kt_blocks_take(bytes, size, &base) ||
        kt_trace_open_files(kt_blocks_files(&base, "base", 0, KT_INPUT_FILES - 1), "base", &trace, &error) != KT_OK) {
        fprintf(stderr, "%s: %s; to be run in the project's root\n", BASE_PATH, error.text);
        exit(2);
    }
    fclose(file);
    kt_shapes_collect(&trace, KT_OUTERMOST, &shapes);
    kt_document_quiet();
    return 0;
}

static void take_apart(const struct kt_replayed *replayed, const struct kt_shape_group *shape)
{
    struct kt_context_times times;
    struct kt_spread spread;
    struct kt_decomposition parts = {0};
    struct kt_timed_calls calls = {(double)shape->calls, shape->total, shape->total / (double)shape->calls, 3, 0};
    const json_t *found = kt_replayed_find(replayed, shape);
    kt_replayed_times(replayed, found, &times);
    kt_replayed_spread(found, "warm", &spread);
    kt_decomposition_add(&parts, &times, &calls);
    kt_decomposition_finish(&parts);
    kt_replayed_refusal(replayed, shape);
}

static void use(const struct kt_replayed *replayed)
{
    struct kt_roofs roofs;
    for (size_t i = 0; i < shapes.count; i++)
        take_apart(replayed, &shapes.shape[i]);
    kt_roofs_of_replay(replayed->document, 2e9, &roofs);
    kt_replayed_is_partial(replayed);
}

/* A status that is documented. */
static void report(bool json)
{
    char verb[] = "report";
    char option[] = "--json";
    char parts[] = "--by=part";
    char path[] = MEMORY_PATH;
    char *argv[] = {verb, json ? option : parts, path, NULL};
    optind = 0;
    int status = kt_verb_report(3, argv);
    if (status < KT_OK || status > KT_SYSTEM)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    json_t *document;
    struct kt_replayed replayed;
    struct kt_error error = {0};
    unsigned sum = 0;
    if (!kt_document_take(data, size, &document))
        return 0;
    enum kt_status status = kt_replayed_from(document, "input", &replayed, &error);
    if (status == KT_OK)
        use(&replayed);
    else
        kt_document_refused(status, &error);
    kt_replayed_free(&replayed);
    for (size_t i = 0; i < size; i++)
        sum = 31 * sum + data[i];
    result = data;
    result_bytes = size;
    if (sum % ONE_IN < 2)
        report(sum % ONE_IN);
    return 0;
}
