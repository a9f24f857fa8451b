/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The other half of libproof.so (check.c): makes its stubs, and tells what it found.
 *
 *     proof stubs FOLDER             an assembler file that exports every LAPACK routine of the table
 *     proof report FOLDER STATE      a line for each: its name, passed, failed or idle, the number of calls that
 * passed, passed with nothing to do, failed, were refused, were too large; the first failure proof mutations FOLDER
 * STATE   operand ends: noticed, or not in any call
 */
#include "tests/proof/tally.h"
#include "trace/table/spec.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* matgen: the library of test matrices. */
static bool is_lapack(const struct kt_routine *r)
{
    return !strncmp(r->section, "lapack", 6) || !strcmp(r->section, "matgen");
}

/* --- stubs ------------------------------------------------------------------------------------------------- */

static const char preamble[] = "    .macro stub name\n"
                               "    .section .rodata\n"
                               "1:  .asciz \"\\name\"\n"
                               "    .data\n"
                               "    .balign 8\n"
                               "2:  .quad proof_enter, 0, 1b, 0, 0, 0, 0, 0\n"
                               "    .text\n"
                               "    .globl \\name\n"
                               "    .type \\name, @function\n"
                               "\\name:\n"
                               "    leaq 2b(%rip), %r11\n"
                               "    jmp *(%r11)\n"
                               "    .size \\name, .-\\name\n"
                               "    .endm\n"
                               "    .hidden proof_enter\n"
                               "    .section .note.GNU-stack,\"\",@progbits\n";

static void print_stubs(const struct kt_table *table)
{
    fputs(preamble, stdout);
    for (size_t i = 0; i < table->count; i++)
        if (is_lapack(&table->routine[i]))
            printf("    stub %s_\n", table->routine[i].name);
}

/* --- report ------------------------------------------------------------------------------------------------ */

/* Calls that had nothing to do, or were refused, prove nothing. */
static const char *verdict(const struct proof_record *r)
{
    return r->verdict[PROOF_FAILED] ? "failed" : r->verdict[PROOF_PASSED] ? "passed" : "idle";
}

static void print_report(const struct kt_table *table, const struct proof_state *state)
{
    for (size_t i = 0; i < table->count; i++) {
        const struct proof_record *r = &state->record[i];
        if (!is_lapack(&table->routine[i]))
            continue;
        printf("%s %s", r->name, verdict(r));
        for (int v = 0; v < PROOF_VERDICTS; v++)
            printf(" %u", r->verdict[v]);
        printf(" %s\n", r->text);
    }
}

static void print_end(const struct proof_record *r, const char *operand, int bit)
{
    const char *end = bit % 2 ? "last" : "first";
    if (r->possible >> bit & 1)
        printf("%s %s %s element of %s\n", r->noticed >> bit & 1 ? "noticed" : "missed", r->name, end, operand);
}

static void print_mutations(const struct kt_table *table, const struct proof_state *state)
{
    for (size_t i = 0; i < table->count; i++) {
        const struct kt_routine *routine = &table->routine[i];
        int bit = 0;
        for (int a = 0; a < routine->args; a++) {
            if (routine->arg[a].role != KT_ARRAY)
                continue;
            print_end(&state->record[i], routine->arg[a].name, bit++);
            print_end(&state->record[i], routine->arg[a].name, bit++);
        }
    }
}

/* --- command line ------------------------------------------------------------------------------------------ */

static int run(int argc, char **argv, const struct kt_table *table)
{
    struct proof_state state;
    if (argc == 3 && !strcmp(argv[1], "stubs")) {
        print_stubs(table);
        return KT_OK;
    }
    if (!proof_state_open(argv[3], table, &state)) {
        fprintf(stderr, "proof: %s: %s\n", argv[3], strerror(errno));
        return KT_SYSTEM;
    }
    if (!strcmp(argv[1], "report"))
        print_report(table, &state);
    else
        print_mutations(table, &state);
    return KT_OK;
}

static bool is_command(int argc, char **argv)
{
    if (argc == 3)
        return !strcmp(argv[1], "stubs");
    return argc == 4 && (!strcmp(argv[1], "report") || !strcmp(argv[1], "mutations"));
}

int main(int argc, char **argv)
{
    struct kt_table table;
    struct kt_error error = {0};
    if (!is_command(argc, argv)) {
        fprintf(stderr, "usage: proof stubs FOLDER | proof report FOLDER STATE | proof mutations FOLDER STATE\n");
        return KT_USAGE;
    }
    enum kt_status status = kt_spec_load(argv[2], &table, &error);
    if (status != KT_OK)
        fprintf(stderr, "proof: %s\n", error.text);
    else
        status = (enum kt_status)run(argc, argv, &table);
    kt_table_free(&table);
    return (int)status;
}
