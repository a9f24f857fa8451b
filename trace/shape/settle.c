/* SPDX-License-Identifier: BSD-3-Clause */
#include "trace/shape/settle.h"

#include "ktrace/format.h"
#include "trace/print/text_file.h"
#include "trace/read/origin.h"
#include "trace/shape/unwind.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const char stack_word[] = "stack\t";

static bool has_stacks(const struct kt_process *p)
{
    for (size_t i = 0; i < p->stacks; i++)
        if (p->stack[i].words)
            return true;
    return false;
}

static bool has_ended(const struct kt_process *p)
{
    return p->complete || (!p->running && !kt_process_may_run_elsewhere(p));
}

/* The line that takes the place of a stack's. False: who called the caller was not found, so that may stay. */
static bool put_path(struct kt_unwinder *unwinder, const struct kt_process *p, uint32_t id, FILE *to)
{
    uint64_t address[KT_UNWIND_MOST];
    const struct kt_stack *stack = kt_stack_of(p, KT_SOURCE_IS_STACK | id);
    size_t count = stack && stack->bytes ? kt_unwind(unwinder, stack, address) : 0;
    if (count < 2)
        return false;
    fprintf(to, "path\t%" PRIu32, id);
    for (size_t i = 0; i < count; i++)
        fprintf(to, "%c%" PRIx64, i ? ' ' : '\t', address[i]);
    putc('\n', to);
    return true;
}

static bool is_stack(const char *line)
{
    return strncmp(line, stack_word, sizeof stack_word - 1) == 0;
}

static void copy_lines(const struct kt_process *p, FILE *from, FILE *to)
{
    char *line = NULL;
    size_t room = 0;
    struct kt_unwinder *unwinder = kt_unwinder_new(p);
    for (ssize_t length; (length = getline(&line, &room, from)) > 0;)
        if (!is_stack(line) || !put_path(unwinder, p, (uint32_t)strtoul(line + sizeof stack_word - 1, NULL, 10), to))
            fwrite(line, (size_t)length, 1, to);
    kt_unwinder_free(unwinder);
    free(line);
}

static enum kt_status settle_process(const struct kt_process *p, struct kt_error *error)
{
    char path[PATH_MAX];
    struct kt_text_file text;
    snprintf(path, sizeof path, "%s/definitions", p->path);
    FILE *from = kt_files_regular(path);
    if (!from)
        return kt_fail(error, KT_SYSTEM, "%s: cannot be read: %s", path, strerror(errno));
    enum kt_status status = kt_text_file_begin(&text, path, error);
    if (status == KT_OK) {
        fchmod(fileno(text.file), S_IRUSR | S_IWUSR);
        copy_lines(p, from, text.file);
        status = kt_text_file_end(&text, error);
    }
    fclose(from);
    return status;
}

enum kt_status kt_settle_stacks(const struct kt_trace *trace, struct kt_error *error)
{
    enum kt_status status = KT_OK;
    for (size_t i = 0; i < trace->processes && status == KT_OK; i++) {
        const struct kt_process *p = &trace->process[i];
        if (has_stacks(p) && has_ended(p) && !kt_files_are_packed(p->files))
            status = settle_process(p, error);
    }
    return status;
}
