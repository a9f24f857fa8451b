/* SPDX-License-Identifier: BSD-3-Clause */
#include "trace/shape/unwind.h"

#include "trace/base/memory.h"

#include <elfutils/libdwelf.h>
#include <elfutils/libdwfl.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct kt_unwinder {
    const struct kt_process *process;
    Dwfl *session;              /* NULL: nothing can be unwound */
    int machine;                /* of its files: EM_ */
    const struct kt_stack *now; /* being unwound, into OUT */
    uint64_t *out;
    size_t count;
};

bool kt_is_build_id(const unsigned char *id, long bytes, const char *expected)
{
    if (bytes <= 0 || !*expected)
        return true;
    if (strlen(expected) != 2 * (size_t)bytes)
        return false;
    for (long i = 0; i < bytes; i++) {
        char hex[3];
        snprintf(hex, sizeof hex, "%02x", id[i]);
        if (strncasecmp(hex, expected + 2 * i, 2) != 0)
            return false;
    }
    return true;
}

/* --- the files ----------------------------------------------------------------------------------------------- */

static const Dwfl_Callbacks file_callbacks = {
    .find_elf = dwfl_build_id_find_elf,
    .find_debuginfo = dwfl_standard_find_debuginfo,
    .section_address = dwfl_offline_section_address,
};

/* Is it the file that was loaded? Tells what machine it is for. */
static bool is_recorded_file(int file, const char *build_id, int *machine)
{
    const void *id;
    GElf_Ehdr head;
    Elf *elf = elf_begin(file, ELF_C_READ_MMAP, NULL);
    bool fine = elf && gelf_getehdr(elf, &head);
    if (fine) {
        ssize_t bytes = dwelf_elf_gnu_build_id(elf, &id);
        fine = kt_is_build_id(id, bytes, build_id);
        *machine = head.e_machine;
    }
    elf_end(elf);
    return fine;
}

static void report_file(struct kt_unwinder *u, const struct kt_object *object)
{
    int machine;
    int file = *object->path == '/' ? open(object->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK) : -1;
    if (file < 0)
        return;
    if (is_recorded_file(file, object->build_id, &machine) && (!u->machine || u->machine == machine) &&
        dwfl_report_elf(u->session, object->path, object->path, file, object->bias, true))
        u->machine = machine;
    else
        close(file);
}

/* Was another file loaded there later? */
static bool is_replaced(const struct kt_process *p, size_t object)
{
    const struct kt_object *o = &p->object[object];
    for (size_t i = object + 1; i < p->objects; i++)
        if (p->object[i].lo < o->hi && o->lo < p->object[i].hi)
            return true;
    return false;
}

static void report_files(struct kt_unwinder *u)
{
    elf_version(EV_CURRENT);
    dwfl_report_begin(u->session);
    for (size_t i = 0; i < u->process->objects; i++)
        if (!is_replaced(u->process, i))
            report_file(u, &u->process->object[i]);
    dwfl_report_end(u->session, NULL, NULL);
}

/* --- what was kept, as libdwfl asks for it ------------------------------------------------------------------- */

static pid_t next_thread(Dwfl *session, void *unwinder, void **thread)
{
    (void)session;
    if (*thread)
        return 0;
    *thread = unwinder;
    return 1;
}

static int compare_word(const void *key, const void *word)
{
    uint64_t at = *(const uint64_t *)key;
    uint64_t other = ((const struct kt_stack_word *)word)->at;
    return (at > other) - (at < other);
}

/* What of the stack was not kept is nothing that unwinding needs. */
static bool read_word(Dwfl *session, Dwarf_Addr at, Dwarf_Word *out, void *unwinder)
{
    (void)session;
    const struct kt_stack *stack = ((const struct kt_unwinder *)unwinder)->now;
    if (at < stack->sp || at - stack->sp >= stack->bytes)
        return false;
    const struct kt_stack_word *word =
        stack->words ? bsearch(&at, stack->word, stack->words, sizeof *stack->word, compare_word) : NULL;
    *out = word ? word->value : 0;
    return true;
}

/* By the numbers that DWARF has for registers. */
static bool set_registers(Dwfl_Thread *thread, void *unwinder)
{
    enum { X86_RBP = 6, X86_RSP = 7, ARM_FP = 29, ARM_SP = 31 };
    const struct kt_unwinder *u = unwinder;
    bool is_arm = u->machine == EM_AARCH64;
    const Dwarf_Word sp = u->now->sp;
    const Dwarf_Word fp = u->now->fp;
    if (!is_arm && u->machine != EM_X86_64)
        return false;
    dwfl_thread_state_register_pc(thread, u->now->pc);
    return dwfl_thread_state_registers(thread, is_arm ? ARM_SP : X86_RSP, 1, &sp) &&
           dwfl_thread_state_registers(thread, is_arm ? ARM_FP : X86_RBP, 1, &fp);
}

static const Dwfl_Thread_Callbacks thread_callbacks = {
    .next_thread = next_thread,
    .memory_read = read_word,
    .set_initial_registers = set_registers,
};

/* --- unwinding ----------------------------------------------------------------------------------------------- */

struct kt_unwinder *kt_unwinder_new(const struct kt_process *process)
{
    struct kt_unwinder *u = kt_resize(NULL, 1, sizeof *u);
    *u = (struct kt_unwinder){.process = process, .session = dwfl_begin(&file_callbacks)};
    if (!u->session)
        return u;
    report_files(u);
    if (!u->machine || !dwfl_attach_state(u->session, NULL, 1, &thread_callbacks, u)) {
        dwfl_end(u->session);
        u->session = NULL;
    }
    return u;
}

void kt_unwinder_free(struct kt_unwinder *u)
{
    if (u->session)
        dwfl_end(u->session);
    free(u);
}

/* What comes before the caller is the recorder's. */
static int take_frame(Dwfl_Frame *frame, void *unwinder)
{
    struct kt_unwinder *u = unwinder;
    Dwarf_Addr pc;
    bool is_interrupted;
    if (!dwfl_frame_pc(frame, &pc, &is_interrupted))
        return DWARF_CB_ABORT;
    if (!u->count && pc != u->now->caller)
        return DWARF_CB_OK;
    u->out[u->count++] = pc + is_interrupted;
    return u->count < KT_UNWIND_MOST ? DWARF_CB_OK : DWARF_CB_ABORT;
}

size_t kt_unwind(struct kt_unwinder *u, const struct kt_stack *stack, uint64_t out[KT_UNWIND_MOST])
{
    u->now = stack;
    u->out = out;
    u->count = 0;
    if (u->session && stack->bytes)
        dwfl_getthread_frames(u->session, 1, take_frame, u);
    if (!u->count)
        out[u->count++] = stack->caller;
    return u->count;
}
