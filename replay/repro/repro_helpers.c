/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The functions of a reproducing program that are the same in all of them. Only those that the call needs are printed.
 */
#include "replay/repro/repro_parts.h"

#include "replay/call/data.h"

#include <string.h>

static const char headers[] = "#define _GNU_SOURCE\n"
                              "#include <complex.h>\n"
                              "#include <math.h>\n"
                              "#include <stdint.h>\n"
                              "#include <stdio.h>\n"
                              "#include <stdlib.h>\n"
                              "#include <string.h>\n"
                              "#include <time.h>\n"
                              "#ifdef GUARD_PAGES\n"
                              "#include <sys/mman.h>\n"
                              "#include <unistd.h>\n"
                              "#endif\n"
                              "#ifdef __SANITIZE_ADDRESS__\n"
                              "#include <sanitizer/asan_interface.h>\n"
                              "#else\n"
                              "#define ASAN_POISON_MEMORY_REGION(start, bytes) ((void)(start), (void)(bytes))\n"
                              "#endif\n"
                              "#ifndef REPEATS\n"
                              "#define REPEATS 1\n"
                              "#endif\n"
                              "#ifndef ALIGNMENT\n"
                              "#define ALIGNMENT 64\n"
                              "#endif\n\n";

static const char memory_text[] =
    "/* Exactly so many bytes, at this distance from a multiple of ALIGNMENT. */\n"
    "static unsigned char *allocate(size_t bytes, size_t distance, size_t alignment)\n"
    "{\n"
    "    void *start = NULL;\n"
    "#ifdef GUARD_PAGES\n"
    "    size_t page = (size_t)sysconf(_SC_PAGESIZE);\n"
    "    size_t whole = (bytes + page - 1) / page * page;\n"
    "    start = mmap(NULL, whole + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);\n"
    "    if (start == MAP_FAILED || mprotect((unsigned char *)start + whole, page, PROT_NONE) != 0)\n"
    "        exit(2);\n"
    "    (void)alignment;\n"
    "    distance = whole - bytes;\n"
    "#else\n"
    "    distance = bytes ? distance % alignment : 0;\n"
    "    if (posix_memalign(&start, alignment, distance + bytes) != 0)\n"
    "        exit(2);\n"
    "    ASAN_POISON_MEMORY_REGION(start, distance);\n"
    "#endif\n"
    "    return (unsigned char *)start + distance;\n"
    "}\n\n"
    "static void allocate_blocks(void)\n"
    "{\n"
    "#ifdef KEEP_LAYOUT\n"
    "    size_t bytes = block[BLOCKS - 1].place + block[BLOCKS - 1].bytes - block[0].place;\n"
    "    memory[0] = allocate(bytes, block[0].place, 4096);\n"
    "    for (int i = 1; i < BLOCKS; i++) {\n"
    "        memory[i] = memory[0] + (block[i].place - block[0].place);\n"
    "        ASAN_POISON_MEMORY_REGION(memory[i - 1] + block[i - 1].bytes,\n"
    "                                  block[i].place - block[i - 1].place - block[i - 1].bytes);\n"
    "    }\n"
    "#else\n"
    "    for (int i = 0; i < BLOCKS; i++)\n"
    "        memory[i] = allocate(block[i].bytes, block[i].place, ALIGNMENT);\n"
    "#endif\n"
    "}\n\n";

static const char draw_text[] = "static uint64_t state;\n\n"
                                "/* A random integer from 0 to below - 1. */\n"
                                "static long draw(long below)\n"
                                "{\n"
                                "    state = state * 6364136223846793005u + 1442695040888963407u;\n"
                                "    return (long)((state >> 33) % (uint64_t)below);\n"
                                "}\n\n";

static const char number_text[] = "/* A random number between -1 and 1, never very near to 0. */\n"
                                  "static double number(void)\n"
                                  "{\n"
                                  "    return (double)(2 * draw(1 << 24) - (1 << 24) + 1) / (1 << 24);\n"
                                  "}\n\n";

static const char complex_text[] = "static double complex complex_number(void)\n"
                                   "{\n"
                                   "    double real = number();\n"
                                   "    return CMPLX(real, number());\n"
                                   "}\n\n";

static const char diagonal_text[] = "static double diagonal(double least)\n"
                                    "{\n"
                                    "    return least * (1.5 + 0.499 * number());\n"
                                    "}\n\n";

static const char squared_text[] = "static double squared(double complex x)\n"
                                   "{\n"
                                   "    return creal(x) * creal(x) + cimag(x) * cimag(x);\n"
                                   "}\n\n";

static const char hartley_text[] =
    "/* An element of the matrix of the discrete Hartley transform, which is unitary. */\n"
    "static double hartley(long row, long col, long m)\n"
    "{\n"
    "    double angle = 2 * M_PI * (double)(row * col % m) / (double)m;\n"
    "    return (cos(angle) + sin(angle)) / sqrt((double)m);\n"
    "}\n\n";

static const char sum_text[] =
    "/* What tells the results of two libraries apart. */\n"
    "struct sum {\n"
    "    double sum, magnitudes;\n"
    "    long elements, nans;\n"
    "};\n\n"
    "static void add(struct sum *sum, double complex x)\n"
    "{\n"
    "    int is_nan = isnan(creal(x)) || isnan(cimag(x));\n"
    "    sum->elements++;\n"
    "    sum->nans += is_nan;\n"
    "    sum->sum += is_nan ? 0 : creal(x) + cimag(x);\n"
    "    sum->magnitudes += is_nan ? 0 : cabs(x);\n"
    "}\n\n"
    "static void show(const char *name, const struct sum *sum, int digits)\n"
    "{\n"
    "    printf(\"%-12s sum %.*g, of magnitudes %.*g; %ld elements\", name, digits, sum->sum,\n"
    "           digits, sum->magnitudes, sum->elements);\n"
    "    if (sum->nans)\n"
    "        printf(\", %ld of them NAN: not written, or wrong\", sum->nans);\n"
    "    printf(\"\\n\");\n"
    "}\n\n";

static const char time_text[] = "static double took[REPEATS];\n\n"
                                "static double now(void)\n"
                                "{\n"
                                "    struct timespec time;\n"
                                "    clock_gettime(CLOCK_MONOTONIC, &time);\n"
                                "    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;\n"
                                "}\n\n"
                                "static int compare(const void *a, const void *b)\n"
                                "{\n"
                                "    double x = *(const double *)a, y = *(const double *)b;\n"
                                "    return (x > y) - (x < y);\n"
                                "}\n\n"
                                "static void show_time(const char *recorded)\n"
                                "{\n"
                                "    qsort(took, REPEATS, sizeof *took, compare);\n"
                                "    printf(\"%-12s %.3e s, median %.3e s, of %d call%s\", \"shortest\", took[0],\n"
                                "           took[REPEATS / 2], REPEATS, REPEATS == 1 ? \"\" : \"s\");\n"
                                "    printf(\"%s\\n\", recorded);\n"
                                "}\n\n";

static const char chosen_text[] = "static integer chosen(void)\n"
                                  "{\n"
                                  "    return 1;\n"
                                  "}\n\n";

static const char xerbla_text[] =
    "/* Reports an illegal argument and returns; the reference library's own would end the program. */\n"
    "void xerbla_(const char *name, const integer *which, size_t length);\n"
    "void xerbla_(const char *name, const integer *which, size_t length)\n"
    "{\n"
    "    printf(\"xerbla: %.*s: argument %ld is illegal\\n\", (int)length, name, (long)*which);\n"
    "}\n\n";

static void add_needs(const struct kt_repro *r, int i, struct kt_repro_needs *needs)
{
    const struct kt_operand *o = &r->operand[i];
    const struct kt_recipe recipe = kt_data_recipe(r->operand, r->operands, i);
    needs->sum |= o->access & KT_WRITE && o->lo != o->hi;
    if (!(o->access & KT_READ) || r->held)
        return;
    bool dominant = recipe.fill == KT_FILL_DOMINANT || recipe.fill == KT_FILL_RFP;
    bool random = recipe.fill == KT_FILL_RANDOM || dominant;
    needs->number |= random;
    needs->complex_number |= random && kt_type_is_complex(o->arg->type);
    needs->diagonal |= dominant;
    needs->squared |= recipe.fill == KT_FILL_TAU && recipe.reflectors;
    needs->hartley |= recipe.fill == KT_FILL_RULE && recipe.rule == KT_UNITARY;
    needs->draw |= random || (recipe.fill == KT_FILL_RULE && strstr(kt_data_rule_text(recipe.rule), "draw"));
}

struct kt_repro_needs kt_repro_find_needs(const struct kt_repro *r)
{
    struct kt_repro_needs needs = {0};
    for (int i = 0; i < r->operands; i++)
        add_needs(r, i, &needs);
    return needs;
}

void kt_repro_print_headers(FILE *out)
{
    fputs(headers, out);
}

void kt_repro_print_helpers(const struct kt_repro *r, const struct kt_repro_needs *needs, FILE *out)
{
    const struct {
        bool needed;
        const char *text;
    } part[] = {{r->blocks > 0, memory_text},
                {needs->draw, draw_text},
                {needs->number, number_text},
                {needs->complex_number, complex_text},
                {needs->diagonal, diagonal_text},
                {needs->squared, squared_text},
                {needs->hartley, hartley_text},
                {needs->sum, sum_text},
                {true, time_text},
                {kt_repro_has_procedure(r), chosen_text},
                {r->info < 0, xerbla_text}};
    for (size_t i = 0; i < sizeof part / sizeof *part; i++)
        if (part[i].needed)
            fputs(part[i].text, out);
}
