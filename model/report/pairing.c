/* SPDX-License-Identifier: BSD-3-Clause */
#include "model/report/pairing.h"

#include "trace/base/memory.h"

#include <ctype.h>

/* --- calls ------------------------------------------------------------------------------------------------- */

enum kt_role kt_pairing_role(const struct kt_symbol *symbol, const struct kt_param *p)
{
    return p->arg >= 0 ? symbol->routine->arg[p->arg].role : KT_OPTION;
}

bool kt_pairing_is_number(const struct kt_param *p)
{
    return p->stored == KT_FLOAT || p->stored == KT_DOUBLE || p->stored == KT_CFLOAT || p->stored == KT_CDOUBLE;
}

static bool same_letter(const struct kt_call *a, const struct kt_call *b, const struct kt_param *p)
{
    return toupper(a->args[p->offset]) == toupper(b->args[p->offset]);
}

bool kt_pairing_same_bits(const struct kt_call *a, const struct kt_call *b, const struct kt_param *p)
{
    return !memcmp(a->args + p->offset, b->args + p->offset, kt_stored_bytes(p->stored));
}

/* Lengths of workspaces are what each library asked for, and info is what it returned. */
static bool is_of_shape(enum kt_role role, const struct kt_param *p)
{
    return !kt_pairing_is_number(p) && !kt_stored_is_address(p->stored) && role != KT_LWORK && role != KT_INFO &&
           role != KT_LD;
}

static bool asks_for_size(const struct kt_call *call)
{
    struct kt_values values;
    kt_values_decode(&call->entry->symbol, call->args, &values);
    return kt_is_query(call->entry->symbol.routine, &values);
}

bool kt_pairing_same_call(const struct kt_call *a, const struct kt_call *b)
{
    const struct kt_symbol *s = &a->entry->symbol;
    if (s->view != b->entry->symbol.view || strcmp(s->routine->name, b->entry->symbol.routine->name) != 0 ||
        s->arg_bytes != b->entry->symbol.arg_bytes || asks_for_size(a) != asks_for_size(b))
        return false;
    for (int i = 0; i < s->params; i++) {
        const struct kt_param *p = &s->param[i];
        if (!is_of_shape(kt_pairing_role(s, p), p))
            continue;
        if (p->stored == KT_CHAR ? !same_letter(a, b, p) : !kt_pairing_same_bits(a, b, p))
            return false;
    }
    return true;
}

/* --- threads ----------------------------------------------------------------------------------------------- */

/* Numbers of processes and threads grow until they begin anew: those that are less than the first one came later. */
static struct kt_pairing_thread thread_of(const struct kt_trace *trace, const struct kt_cursor *cursor,
                                          const struct kt_call *call)
{
    const struct kt_process *first = &trace->process[0];
    const char *rank = kt_meta(call->process, "rank");
    for (size_t i = 1; i < trace->processes; i++)
        if (trace->process[i].start < first->start)
            first = &trace->process[i];
    return (struct kt_pairing_thread){.process = cursor->process,
                                      .stream = cursor->stream,
                                      .tid = call->tid,
                                      .before = call->n,
                                      .rank = rank ? strtoull(rank, NULL, 10) : 0,
                                      .born = {call->process->pid - first->pid, call->tid - call->process->pid}};
}

static int compare_births(const void *a, const void *b)
{
    const struct kt_pairing_thread *x = a;
    const struct kt_pairing_thread *y = b;
    if (x->rank != y->rank)
        return x->rank < y->rank ? -1 : 1;
    for (int i = 0; i < 2; i++)
        if (x->born[i] != y->born[i])
            return x->born[i] < y->born[i] ? -1 : 1;
    return (x->stream > y->stream) - (x->stream < y->stream);
}

struct kt_pairing_threads kt_pairing_threads_find(const struct kt_trace *trace)
{
    struct kt_pairing_threads all = {0};
    struct kt_cursor *cursor = kt_resize(NULL, 1, sizeof *cursor);
    struct kt_call call;
    kt_cursor_begin(trace, cursor);
    while (kt_cursor_next(cursor, &call)) {
        const struct kt_pairing_thread *last = all.count ? &all.thread[all.count - 1] : NULL;
        if (last && last->process == cursor->process && last->stream == cursor->stream)
            continue;
        all.thread = kt_room_for_one(all.thread, all.count, sizeof *all.thread);
        all.thread[all.count++] = thread_of(trace, cursor, &call);
    }
    if (all.count)
        qsort(all.thread, all.count, sizeof *all.thread, compare_births);
    free(cursor);
    return all;
}

void kt_pairing_threads_free(struct kt_pairing_threads *threads)
{
    free(threads->thread);
    *threads = (struct kt_pairing_threads){0};
}
