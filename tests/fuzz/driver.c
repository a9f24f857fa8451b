/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Drives a fuzzer without libFuzzer: every file of a corpus once, then, if asked, random mutations of them. The same
 * arguments always do the same.
 *
 *     FUZZER [-n MUTATIONS] [-s SEED] FILE|DIRECTORY...
 */
#include "tests/fuzz/mutate.h"
#include "tests/fuzz/target.h"
#include "trace/base/memory.h"

#include <dirent.h>
#include <stdio.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { MOST_BYTES = 1 << 18, MOST_SECONDS = 10 };

struct input {
    unsigned char *bytes;
    size_t size;
};

static struct input *corpus;
static size_t inputs;
static uint64_t engine_random = 1;

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t room)
{
    return kt_mutate_bytes(data, size, room, &engine_random);
}

static void add_file(const char *path)
{
    FILE *file = fopen(path, "r");
    struct input in = {kt_resize(NULL, MOST_BYTES, 1), 0};
    if (!file) {
        perror(path);
        exit(2);
    }
    in.size = fread(in.bytes, 1, MOST_BYTES, file);
    fclose(file);
    corpus = kt_room_for_one(corpus, inputs, sizeof *corpus);
    corpus[inputs++] = in;
}

static void add_path(const char *path)
{
    struct dirent **entry;
    int count = scandir(path, &entry, NULL, alphasort);
    if (count < 0) {
        add_file(path);
        return;
    }
    for (int i = 0; i < count; i++) {
        char name[4096];
        snprintf(name, sizeof name, "%s/%s", path, entry[i]->d_name);
        if (entry[i]->d_name[0] != '.')
            add_file(name);
        free(entry[i]);
    }
    free(entry);
}

/* A block of exactly that size, so that a sanitizer sees what reads behind it. Processor time, as others use it, too.
 */
static void run(const unsigned char *bytes, size_t size)
{
    unsigned char *copy = kt_resize(NULL, size, 1);
    memcpy(copy, bytes, size);
    clock_t start = clock();
    if (LLVMFuzzerTestOneInput(copy, size) != 0)
        abort();
    if (clock() - start > MOST_SECONDS * CLOCKS_PER_SEC) {
        fprintf(stderr, "an input takes more than %d s\n", MOST_SECONDS);
        abort();
    }
    free(copy);
}

/* A few mutations of an input of the corpus, one upon the other. */
static void run_mutated(uint64_t *random)
{
    static unsigned char bytes[MOST_BYTES];
    const struct input *in = &corpus[kt_draw(random, inputs)];
    size_t size = in->size;
    memcpy(bytes, in->bytes, size);
    for (uint64_t times = 1 + kt_draw(random, 4); times > 0; times--)
        size = LLVMFuzzerCustomMutator(bytes, size, sizeof bytes, (unsigned)kt_draw(random, UINT32_MAX));
    run(bytes, size);
}

int main(int argc, char **argv)
{
    unsigned long mutations = 0;
    uint64_t random = 1;
    for (int option; (option = getopt(argc, argv, "n:s:")) != -1;) {
        if (option == 'n')
            mutations = strtoul(optarg, NULL, 10);
        else if (option == 's')
            random = strtoull(optarg, NULL, 10);
        else
            return 2;
    }
    random = random * 0x9e3779b97f4a7c15u | 1;
    engine_random = random;
    int first = optind;
    LLVMFuzzerInitialize(&argc, &argv);
    for (int i = first; i < argc; i++)
        add_path(argv[i]);
    if (inputs == 0)
        return 2;
    for (size_t i = 0; i < inputs; i++)
        run(corpus[i].bytes, corpus[i].size);
    for (unsigned long i = 0; i < mutations; i++)
        run_mutated(&random);
    fprintf(stderr, "%zu inputs, %lu mutations: fine\n", inputs, mutations);
    for (size_t i = 0; i < inputs; i++)
        free(corpus[i].bytes);
    free(corpus);
    return 0;
}
