/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The verbs on a damaged trace. Most of them read it from memory, where each file has a block of exactly its size, so
 * that a sanitizer sees every access behind it; merge and pack, which deal with directories, find it in a temporary
 * one.
 *
 * kt_files_open is wrapped (-Wl,--wrap): for the path "input" it returns the files in memory.
 */
#include "tests/fuzz/memory.h"
#include "tests/fuzz/mutate.h"
#include "tests/fuzz/target.h"
#include "trace/base/memory.h"
#include "trace/command/verb.h"

#include <dirent.h>
#include <fcntl.h>
#include <getopt.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#define MEMORY_PATH "input"

enum { MAX_ARGUMENTS = 6 };

static const struct way {
    int (*verb)(int argc, char **argv);
    const char *argument[MAX_ARGUMENTS]; /* in front of the path of the trace */
} ways[] = {
    {kt_verb_check, {"check"}},
    {kt_verb_check, {"check", "--json"}},
    {kt_verb_info, {"info"}},
    {kt_verb_info, {"info", "--json"}},
    {kt_verb_dump, {"dump"}},
    {kt_verb_dump, {"dump", "--json"}},
    {kt_verb_report, {"report"}},
    {kt_verb_report, {"report", "--json"}},
    {kt_verb_score, {"score"}},
    {kt_verb_score, {"score", "--json"}},
    {kt_verb_repro, {"repro", "--call", "0"}},
    {kt_verb_repro, {"repro", "--call", "3"}},
    {kt_verb_repro, {"repro", "--routine", "dgesv"}},
    {kt_verb_report, {"report", MEMORY_PATH}},
};

/* On files; rarely, as they take long. */
enum { MERGE = 254, PACK = 255, ON_FILES = 2000 };

static char directory[40];
static char result[64]; /* of merge and pack */

/* --- the trace in memory ----------------------------------------------------------------------------------- */

static struct kt_blocks blocks;

enum kt_status __real_kt_files_open(const char *path, struct kt_files **out, struct kt_error *error);
enum kt_status __wrap_kt_files_open(const char *path, struct kt_files **out, struct kt_error *error);

enum kt_status __wrap_kt_files_open(const char *path, struct kt_files **out, struct kt_error *error)
{
    if (strcmp(path, MEMORY_PATH) != 0)
        return __real_kt_files_open(path, out, error);
    *out = kt_blocks_files(&blocks, path, 0, KT_INPUT_FILES - 1);
    return KT_OK;
}

/* --- the trace in a directory ------------------------------------------------------------------------------ */

static void remove_all(const char *path)
{
    DIR *opened = opendir(path);
    for (const struct dirent *entry = opened ? readdir(opened) : NULL; entry; entry = readdir(opened)) {
        char name[512];
        snprintf(name, sizeof name, "%s/%s", path, entry->d_name);
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0 && unlink(name) != 0)
            remove_all(name);
    }
    if (opened)
        closedir(opened);
    rmdir(path);
}

static void write_files(void)
{
    char path[128];
    snprintf(path, sizeof path, "%s/trace", directory);
    mkdir(path, 0777);
    snprintf(path, sizeof path, "%s/trace/p42", directory);
    mkdir(path, 0777);
    for (int i = 0; i < KT_INPUT_FILES; i++) {
        snprintf(path, sizeof path, "%s/trace/p42/%s", directory, kt_input_names[i]);
        int file = kt_blocks_have(&blocks, i) ? open(path, O_CREAT | O_WRONLY | O_TRUNC, 0666) : -1;
        if (file >= 0 && write(file, blocks.block[i], blocks.input.file[i].size) != (ssize_t)blocks.input.file[i].size)
            abort();
        if (file >= 0)
            close(file);
    }
}

/* --- one input --------------------------------------------------------------------------------------------- */

/* ARGUMENT is copied, as verbs may change theirs. The status is one that is documented. */
static int run(int (*verb)(int argc, char **argv), const char *const *argument, const char *path)
{
    char *argv[MAX_ARGUMENTS + 2] = {NULL};
    int argc = 0;
    for (; argc < MAX_ARGUMENTS && argument[argc]; argc++)
        argv[argc] = kt_copy(argument[argc]);
    argv[argc++] = kt_copy(path);
    char *mine[MAX_ARGUMENTS + 2];
    memcpy(mine, argv, sizeof mine);
    optind = 0;
    int status = verb(argc, argv);
    for (int i = 0; i < argc; i++)
        free(mine[i]);
    if (status < KT_OK || status > KT_SYSTEM)
        abort();
    return status;
}

/* What could be packed is the same trace: the check of both says the same. */
static void run_on_files(int (*verb)(int argc, char **argv), const char *name)
{
    static const char *const check[MAX_ARGUMENTS] = {"check"};
    const char *const argument[MAX_ARGUMENTS] = {name, "-o", result};
    char path[64];
    snprintf(path, sizeof path, "%s/trace", directory);
    write_files();
    if (run(verb, argument, path) == KT_OK && run(kt_verb_check, check, path) != run(kt_verb_check, check, result))
        abort();
    remove_all(result);
    unlink(result);
    remove_all(path);
}

static void remove_directory(void)
{
    remove_all(directory);
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc, (void)argv;
    sprintf(directory, "%s/ktrace-fuzz.XXXXXX", access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp");
    if (!mkdtemp(directory) || !freopen("/dev/null", "w", stdout) || atexit(remove_directory) != 0)
        abort();
    snprintf(result, sizeof result, "%s/result", directory);
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (!kt_blocks_take(data, size, &blocks))
        return 0;
    const struct way *way = &ways[blocks.input.how % (sizeof ways / sizeof *ways)];
    if (blocks.input.how == MERGE)
        run_on_files(kt_verb_merge, "merge");
    else if (blocks.input.how == PACK)
        run_on_files(kt_verb_pack, "pack");
    else
        run(way->verb, way->argument, MEMORY_PATH);
    kt_blocks_drop(&blocks);
    return 0;
}

/* --- mutation ---------------------------------------------------------------------------------------------- */

static void choose_way(uint8_t *how, uint64_t *random)
{
    const uint64_t count = sizeof ways / sizeof *ways;
    if (kt_draw(random, 4) == 0 || *how >= MERGE)
        *how = (uint8_t)kt_draw(random, count);
    if (kt_draw(random, ON_FILES) == 0)
        *how = (uint8_t)(MERGE + kt_draw(random, 2));
}

/* The first byte of an input says what is done with the trace. */
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t room, unsigned seed)
{
    uint64_t random = seed * 0x9e3779b97f4a7c15u | 1;
    size = kt_mutate_input(data, size, room, seed, 0, KT_INPUT_FILES - 1);
    if (size)
        choose_way(data, &random);
    return size;
}
