/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The verbs on a damaged packed trace: an archive, compressed or not. As most damage of a compressed one ends at its
 * checksum, the corpus has plain archives as well, and the sums of their heads are mended after a mutation.
 */
#include "tests/fuzz/mutate.h"
#include "tests/fuzz/target.h"
#include "trace/files/files.h"
#include "trace/base/memory.h"
#include "trace/command/verb.h"

#include <getopt.h>
#include <stdio.h>

#define MEMORY_PATH "input"

enum { TAR_BLOCK = 512, TAR_SUM = 148, TAR_SUM_BYTES = 8, TAR_SIZE = 124 };

static const unsigned char *archive;
static size_t archive_bytes;

enum kt_status __real_kt_files_open(const char *path, struct kt_files **out, struct kt_error *error);
enum kt_status __wrap_kt_files_open(const char *path, struct kt_files **out, struct kt_error *error);

enum kt_status __wrap_kt_files_open(const char *path, struct kt_files **out, struct kt_error *error)
{
    if (!strcmp(path, MEMORY_PATH))
        return kt_files_open_bytes(path, archive, archive_bytes, out, error);
    return __real_kt_files_open(path, out, error);
}

/* The real one reads files of the kernel, which takes as long as all else. */
uint64_t __wrap_kt_free_memory(const char *root);

uint64_t __wrap_kt_free_memory(const char *root)
{
    (void)root;
    return UINT64_C(1) << 30;
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc, (void)argv;
    if (!freopen("/dev/null", "w", stdout))
        abort();
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char verb[] = "check";
    char json[] = "--json";
    char path[] = MEMORY_PATH;
    char *argv[] = {verb, json, path, NULL};
    archive = data;
    archive_bytes = size;
    optind = 0;
    int status = kt_verb_check(3, argv);
    if (status < KT_OK || status > KT_SYSTEM)
        abort();
    return 0;
}

/* --- mutation ---------------------------------------------------------------------------------------------- */

static bool is_tar_head(const uint8_t *head)
{
    return !memcmp(head + 257, "ustar", 5);
}

static void mend_sum(uint8_t *head)
{
    unsigned sum = TAR_SUM_BYTES * ' ';
    char text[TAR_SUM_BYTES + 8];
    for (int i = 0; i < TAR_BLOCK; i++)
        sum += i >= TAR_SUM && i < TAR_SUM + TAR_SUM_BYTES ? 0 : head[i];
    snprintf(text, sizeof text, "%06o", sum);
    memcpy(head + TAR_SUM, text, 7);
}

/* Heads begin at multiples of a block. */
static void mend(uint8_t *data, size_t size)
{
    for (size_t at = 0; at + TAR_BLOCK <= size; at += TAR_BLOCK)
        if (is_tar_head(data + at))
            mend_sum(data + at);
}

/* A field of a head: its name, size, type, ... */
static void change_head(uint8_t *data, size_t size, uint64_t *random)
{
    static const struct {
        size_t at, length;
    } fields[] = {{0, 100}, {TAR_SIZE, 12}, {156, 1}, {157, 100}, {345, 155}, {257, 8}};
    size_t blocks = size / TAR_BLOCK;
    for (int attempt = 0; blocks && attempt < 50; attempt++) {
        uint8_t *head = data + kt_draw(random, blocks) * TAR_BLOCK;
        size_t field = kt_draw(random, sizeof fields / sizeof *fields);
        if (!is_tar_head(head))
            continue;
        uint8_t *at = head + fields[field].at;
        if (field == 1 && kt_draw(random, 2))
            snprintf((char *)at, 12, "%011o", (unsigned)kt_draw(random, 2 * size));
        else if (field == 2)
            *at = (uint8_t)("0123456LxgKSV"[kt_draw(random, 13)]);
        else
            at[kt_draw(random, fields[field].length)] = (uint8_t) "p42/t7./\0\x80\xff"[kt_draw(random, 11)];
        return;
    }
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t room, unsigned seed)
{
    uint64_t random = seed * 0x9e3779b97f4a7c15u | 1;
    bool tar = size >= TAR_BLOCK && is_tar_head(data);
    if (tar && kt_draw(&random, 2))
        change_head(data, size, &random);
    else
        size = LLVMFuzzerMutate(data, size, room);
    if (tar && kt_draw(&random, 8))
        mend(data, size);
    return size;
}
