/* SPDX-License-Identifier: BSD-3-Clause */
#include "trace/command/subnormal.h"

#include "trace/print/text.h"

#include <math.h>
#include <stdio.h>

static uint64_t count_wide(const unsigned char *at, uint64_t numbers)
{
    uint64_t found = 0;
    for (uint64_t i = 0; i < numbers; i++) {
        uint64_t bits;
        memcpy(&bits, at + i * sizeof bits, sizeof bits);
        bits <<= 1;
        found += bits != 0 && bits >> 53 == 0;
    }
    return found;
}

static uint64_t count_single(const unsigned char *at, uint64_t numbers)
{
    uint64_t found = 0;
    for (uint64_t i = 0; i < numbers; i++) {
        uint32_t bits;
        memcpy(&bits, at + i * sizeof bits, sizeof bits);
        bits <<= 1;
        found += bits != 0 && bits >> 24 == 0;
    }
    return found;
}

/* CONTENTS: the BYTES that follow the operand's pointer. Runs ascend; no sane operand has more of them than bytes. */
static struct kt_subnormal_count count_in(const struct kt_operand *o, const unsigned char *contents, uint64_t bytes)
{
    struct kt_subnormal_count count = {0};
    if (!o->arg || o->arg->type == KT_I || o->lo >= o->hi || o->lo < o->base)
        return count;
    bool single = kt_type_real(o->arg->type) == KT_S;
    size_t size = single ? sizeof(float) : sizeof(double);
    uint64_t end = o->base + bytes;
    int64_t runs = kt_operand_runs(o);
    for (int64_t run = 0; run < runs && (uint64_t)run < bytes; run++) {
        uint64_t lo, hi;
        kt_operand_run(o, run, &lo, &hi);
        hi = hi < end ? hi : end;
        if (lo >= end)
            break;
        if (lo >= hi || lo < o->base)
            continue;
        uint64_t numbers = (hi - lo) / size;
        count.numbers += numbers;
        count.subnormal += (single ? count_single : count_wide)(contents + (lo - o->base), numbers);
    }
    return count;
}

struct kt_subnormal_count kt_subnormals_at(const struct kt_operand *o)
{
    return count_in(o, (const unsigned char *)o->base, UINT64_MAX - o->base);
}

struct kt_subnormal_count kt_subnormals_held(const struct kt_snapshot *s, const struct kt_operand *o, int i)
{
    uint64_t bytes = 0;
    const unsigned char *contents = o->access & KT_READ ? kt_snapshot_operand(s, i, &bytes) : NULL;
    return contents ? count_in(o, contents, bytes) : (struct kt_subnormal_count){0};
}

json_t *kt_subnormals_json(const struct kt_snapshot *s, const struct kt_operand *operand, int count)
{
    json_t *list = json_array();
    for (int i = 0; i < count; i++) {
        struct kt_subnormal_count found = kt_subnormals_held(s, &operand[i], i);
        if (found.subnormal)
            json_array_append_new(list, json_pack("{s:s, s:I, s:I}", "name", operand[i].name, "numbers",
                                                  (json_int_t)found.numbers, "subnormal", (json_int_t)found.subnormal));
    }
    if (json_array_size(list))
        return list;
    json_decref(list);
    return NULL;
}

static void add_snapshot(const struct kt_snapshot *s, void *context)
{
    struct kt_values values;
    struct kt_operand operand[KT_MAX_OPERANDS];
    const struct kt_entry *entry = s->call.entry;
    kt_values_decode(&entry->symbol, s->call.args, &values);
    int count = kt_operands(&entry->symbol, &values, entry->int_bytes, operand);
    json_t *operands = kt_subnormals_json(s, operand, count);
    if (operands)
        json_array_append_new(context, json_pack("{s:s, s:o, s:o}", "routine", entry->symbol.routine->name, "args",
                                                 kt_json_args(&s->call, false), "operands", operands));
}

static const struct kt_field operand_fields[] = {{"name", KT_AS_TEXT, .meaning = "operand"},
                                                 {"numbers", KT_AS_COUNT, .meaning = "numbers in it"},
                                                 {"subnormal", KT_AS_COUNT, .meaning = "of these, subnormal ones"},
                                                 {0}};

const struct kt_field kt_field_subnormal_cost[] = {
    {"operands", KT_AS_RECORD, KT_MANY | KT_LACKS | KT_NULL, .meaning = "operands that hold such numbers",
     .of = operand_fields},
    {"left", KT_AS_COUNT, KT_LACKS, .meaning = "once replayed: subnormal numbers that the call leaves"},
    {"met", KT_AS_FLAG, KT_LACKS, .meaning = "once replayed: an instruction of the call met one"},
    {"context", KT_AS_TEXT, KT_LACKS | KT_NULL, .meaning = "context of these times"},
    {"seconds", KT_AS_RECORD, KT_LACKS | KT_NULL, .meaning = "time of a call", .of = kt_field_stat},
    {"seconds_ordinary", KT_AS_RECORD, KT_LACKS | KT_NULL, .meaning = "the same with ordinary numbers",
     .of = kt_field_stat},
    {0}};

const struct kt_field kt_field_subnormal[] = {
    {"routine", KT_AS_TEXT, .meaning = "Fortran name, lower case, without underscore"},
    {"args", KT_AS_MAP, .meaning = "arguments, by their names"},
    KT_FIELDS(kt_field_subnormal_cost),
    {0}};

json_t *kt_subnormals_of_trace(const struct kt_trace *trace)
{
    json_t *list = json_array();
    kt_snapshots_visit(trace, add_snapshot, list);
    return list;
}

void kt_subnormals_text(const json_t *operands, char *out, size_t size)
{
    size_t used = 0;
    *out = '\0';
    for (size_t i = 0; i < json_array_size(operands) && used < size; i++) {
        char found[16], numbers[16];
        const json_t *operand = json_array_get(operands, i);
        const char *name = json_string_value(json_object_get(operand, "name"));
        kt_text_count(json_number_value(json_object_get(operand, "subnormal")), found);
        kt_text_count(json_number_value(json_object_get(operand, "numbers")), numbers);
        used += (size_t)snprintf(out + used, size - used, "%s%s of %s%s %s", i ? ", " : "", found, numbers,
                                 i ? " of" : " numbers of", name ? name : "?");
    }
    kt_text_clean(out); /* names are from a file */
}

static double number_in(const json_t *stat, const char *name)
{
    const json_t *number = json_object_get(stat, name);
    return json_is_number(number) ? json_number_value(number) : NAN;
}

void kt_subnormals_cost_text(const json_t *cost, char *out, size_t size)
{
    enum { FEWEST = 6 }; /* that a 95 % interval takes */
    char left[16], with[16], without[16], operands[256];
    const json_t *seconds = json_object_get(cost, "seconds");
    const json_t *ordinary = json_object_get(cost, "seconds_ordinary");
    double count = number_in(cost, "left");
    kt_subnormals_text(json_object_get(cost, "operands"), operands, sizeof operands);
    int used = snprintf(out, size, "%s", operands);
    if (count > 0 && used < (int)size)
        used += snprintf(out + used, size - (size_t)used, "%s%s in results", used ? ", and " : "",
                         kt_text_count(count, left));
    if (!used)
        used = snprintf(out, size, "not in operands, but in sums or products on the way");
    if (isnan(number_in(seconds, "best")) || isnan(number_in(ordinary, "best")) || used >= (int)size)
        return;
    bool few = fmin(number_in(seconds, "n"), number_in(ordinary, "n")) < FEWEST;
    bool apart =
        number_in(seconds, "lo") > number_in(ordinary, "hi") || number_in(seconds, "hi") < number_in(ordinary, "lo");
    snprintf(out + used, size - (size_t)used, ";\n  with ordinary numbers a call takes %s instead of %s (%s)%s",
             kt_text_seconds(number_in(ordinary, "best"), without), kt_text_seconds(number_in(seconds, "best"), with),
             KT_COUNT(number_in(seconds, "n") + number_in(ordinary, "n"), "sample"),
             few     ? ",\n  too few to tell"
             : apart ? ""
                     : ",\n  no difference that could be told");
}
