/* SPDX-License-Identifier: BSD-3-Clause */
#include "trace/command/call_json.h"

#include "trace/command/counts.h"
#include "trace/read/regions.h"
#include "trace/read/stacks.h"

#include <math.h>

static json_t *address_json(const struct kt_process *p, uint64_t address)
{
    const struct kt_object *object = kt_object_at(p, address);
    json_t *json = json_object();
    json_object_set_new(json, "object", object ? kt_json_text(object->path) : json_null());
    json_object_set_new(json, "offset", object ? kt_json_address(address - object->bias) : json_null());
    json_object_set_new(json, "address", kt_json_address(address));
    return json;
}

/* The return addresses on the stack of the call, as far as somebody has looked for them. */
static json_t *stack_json(const struct kt_call *call)
{
    json_t *array = json_array();
    const struct kt_stack *stack = kt_stack_of(call->process, call->source);
    for (size_t i = 0; stack && i < stack->addresses; i++)
        json_array_append_new(array, address_json(call->process, stack->address[i]));
    return array;
}

static const char *access_text(enum kt_access access)
{
    switch (access) {
    case KT_READ:
        return "r";
    case KT_READ_WRITE:
        return "rw";
    default: /* results and workspace */
        return "w";
    }
}

static json_t *operand_json(const struct kt_operand *o)
{
    json_t *object = json_object();
    json_object_set_new(object, "name", json_string(o->name));
    json_object_set_new(object, "access", json_string(access_text(o->access)));
    json_object_set_new(object, "base", kt_json_address(o->base));
    json_object_set_new(object, "lo", kt_json_address(o->lo));
    json_object_set_new(object, "hi", kt_json_address(o->hi));
    json_object_set_new(object, "rows", json_integer(o->rows));
    json_object_set_new(object, "cols", json_integer(o->cols));
    json_object_set_new(object, "ld", json_integer(o->ld));
    json_object_set_new(object, "elem", json_integer((json_int_t)o->elem));
    return object;
}

static json_t *operands_json(const struct kt_call *call)
{
    struct kt_values values;
    struct kt_operand operand[KT_MAX_OPERANDS];
    const struct kt_entry *entry = call->entry;
    kt_values_decode(&entry->symbol, call->args, &values);
    int count = kt_operands(&entry->symbol, &values, entry->int_bytes, operand);
    json_t *array = json_array();
    for (int i = 0; i < count; i++)
        json_array_append_new(array, operand_json(&operand[i]));
    return array;
}

static double call_flops(const struct kt_call *call)
{
    struct kt_values values;
    kt_values_decode(&call->entry->symbol, call->args, &values);
    return kt_flops(call->entry->symbol.routine, &values);
}

/* Names from the outermost region on. */
static json_t *region_json(const struct kt_call *call)
{
    const struct kt_named_region *region = call->process->regions->region;
    json_t *array = json_array();
    for (uint32_t at = call->region; at; at = region[at].parent)
        json_array_insert_new(array, 0, kt_json_text(kt_region_name(call->process, region[at].name)));
    return array;
}

/* The line that made the call, and those that its function was called from. */
static json_t *source_json(const struct kt_call *call)
{
    json_t *array = json_array();
    const struct kt_source_line *at = kt_source_line(call->process, call->source);
    for (; at; at = kt_source_line(call->process, at->parent)) {
        const bool has_line = kt_source_has_line(at);
        json_array_append_new(
            array, json_pack("{s:o, s:o, s:o}", "file", kt_json_text_or_null(has_line ? at->file : NULL), "line",
                             has_line ? json_integer(at->line) : json_null(), "function", kt_json_text(at->function)));
    }
    return array;
}

/* Of an outermost call. How many were passed on in it is told at its end. */
static void add_inside(json_t *object, const struct kt_call *call)
{
    json_object_set_new(object, "inside", json_boolean(call->inside_recorded));
    json_object_set_new(object, "weight", kt_json_number(call->weight));
    json_object_set_new(object, "passed", call->complete ? json_integer((json_int_t)call->passed) : json_null());
}

json_t *kt_call_json(const struct kt_call *call)
{
    int64_t info;
    bool has_info = kt_call_info(call, &info);
    json_t *object = json_object();
    json_object_set_new(object, "n", json_integer((json_int_t)call->n));
    json_object_set_new(object, "process", json_integer((json_int_t)call->process->number));
    json_object_set_new(object, "pid", json_integer(call->process->pid));
    json_object_set_new(object, "tid", json_integer(call->tid));
    json_object_set_new(object, "depth", json_integer(call->depth));
    json_object_set_new(object, "parent", call->parent < 0 ? json_null() : json_integer(call->parent));
    json_object_set_new(object, "routine", json_string(call->entry->symbol.routine->name));
    json_object_set_new(object, "symbol", kt_json_text(call->entry->symbol.name));
    json_object_set_new(object, "t", kt_json_number(kt_call_start(call)));
    json_object_set_new(object, "dt", kt_json_number(call->complete ? kt_call_seconds(call) : NAN));
    json_object_set_new(object, "nested", call->complete ? json_integer((json_int_t)call->nested) : json_null());
    if (call->depth == 0)
        add_inside(object, call);
    json_object_set_new(object, "cpu", json_integer(call->cpu));
    json_object_set_new(object, "in_parallel", json_boolean(call->in_parallel));
    json_object_set_new(object, "faults", call->faults < 0 ? json_null() : json_integer(call->faults));
    json_object_set_new(object, "caller", address_json(call->process, call->caller));
    if (call->process->sources)
        json_object_set_new(object, "source", source_json(call));
    if (call->process->stacks)
        json_object_set_new(object, "stack", stack_json(call));
    json_object_set_new(object, "args", kt_json_args(call, true));
    json_object_set_new(object, "info", has_info ? json_integer(info) : json_null());
    if (call->process->regions->count > 1)
        json_object_set_new(object, "region", region_json(call));
    json_object_set_new(object, "operands", operands_json(call));
    json_object_set_new(object, "flops", kt_json_number(call_flops(call)));
    if (call->process->counters)
        json_object_set_new(object, "events", kt_counts_json(call));
    json_object_set_new(object, "complete", json_boolean(call->complete));
    return object;
}
