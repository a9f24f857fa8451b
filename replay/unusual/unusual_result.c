/* SPDX-License-Identifier: BSD-3-Clause */
#include "replay/result/result.h"
#include "replay/unusual/unusual.h"
#include "trace/command/json.h"
#include "trace/print/text.h"

#include <stdio.h>
#include <string.h>

enum { SHAPE_WIDTH = 12, CONTENTS_WIDTH = 23, OUTCOME_WIDTH = 21, ROWS = 16 };

static const struct kt_job *job_of(const struct kt_unusual *unusual, const struct kt_unusual_finding *f)
{
    return &unusual->calls.jobs.job[f->job];
}

static json_t *finding_json(const struct kt_unusual *unusual, const struct kt_unusual_finding *f)
{
    const struct kt_call *call = &job_of(unusual, f)->shape->first;
    return json_pack("{s:s, s:o, s:s, s:o, s:o, s:o}", "routine", call->entry->symbol.routine->name, "args",
                     kt_json_args(call, false), "kind", kt_unusual_kind_text[f->kind], "contents",
                     kt_json_text(f->contents), "gives", kt_json_text(f->gives), "reference",
                     kt_json_text(f->reference));
}

json_t *kt_unusual_json(const struct kt_unusual *unusual, size_t library)
{
    if (!unusual->of)
        return json_null();
    const struct kt_unusual_counts *counts = &unusual->of[library];
    json_t *findings = json_array();
    for (size_t i = 0; i < unusual->findings; i++)
        if (unusual->finding[i].library == library)
            json_array_append_new(findings, finding_json(unusual, &unusual->finding[i]));
    return json_pack("{s:I, s:I, s:I, s:I, s:o, s:o}", "calls", (json_int_t)counts->tried, "other",
                     (json_int_t)counts->other, "given_up", (json_int_t)counts->given_up, "groups_left",
                     (json_int_t)unusual->left, "not_tried",
                     kt_json_text_or_null(*unusual->without ? unusual->without : counts->why), "findings", findings);
}

/* Of a routine and a kind of contents the first finding stands for all. */
static bool is_listed(const struct kt_unusual *unusual, size_t number)
{
    const struct kt_unusual_finding *f = &unusual->finding[number];
    const struct kt_routine *routine = job_of(unusual, f)->shape->first.entry->symbol.routine;
    for (size_t i = 0; i < number; i++) {
        const struct kt_unusual_finding *other = &unusual->finding[i];
        if (other->library == f->library && other->kind == f->kind &&
            job_of(unusual, other)->shape->first.entry->symbol.routine == routine)
            return false;
    }
    return true;
}

static void print_row(const char *shape, const char *contents, const char *gives, const char *reference)
{
    printf("%-*.*s %-*.*s %-*.*s %.*s\n", SHAPE_WIDTH, SHAPE_WIDTH, shape, CONTENTS_WIDTH, CONTENTS_WIDTH, contents,
           OUTCOME_WIDTH, OUTCOME_WIDTH, gives, OUTCOME_WIDTH, reference);
}

static void print_findings(const struct kt_unusual *unusual, size_t library)
{
    char shape[SHAPE_WIDTH + 1];
    size_t rows = 0;
    print_row("shape", "contents", "gives", "reference gives");
    for (size_t i = 0; i < unusual->findings; i++) {
        const struct kt_unusual_finding *f = &unusual->finding[i];
        if (f->library != library || rows >= ROWS || !is_listed(unusual, i))
            continue;
        rows++;
        kt_job_text(job_of(unusual, f), shape, SHAPE_WIDTH);
        print_row(shape, f->contents, f->gives, f->reference);
    }
    if (rows < unusual->of[library].other)
        printf("One of each kind and routine, %zu of %zu; all of them with --json.\n", rows,
               unusual->of[library].other);
}

static void print_library(const struct kt_unusual *unusual, size_t library, const char *name)
{
    const struct kt_unusual_counts *counts = &unusual->of[library];
    if (*counts->why)
        printf("%s: not tried: %s\n", name, counts->why);
    else if (counts->other == 0)
        printf("%s: as the reference library in %s%s", name, kt_count_word((double)counts->tried, "", "all "),
               KT_COUNT(counts->tried, "call"));
    else
        printf("%s: differs from the reference library in %zu of %s", name, counts->other,
               KT_COUNT(counts->tried, "call"));
    if (!*counts->why && counts->given_up)
        printf(",\n%zu not made after others that never returned", counts->given_up);
    if (!*counts->why)
        printf("\n");
    if (counts->other)
        print_findings(unusual, library);
}

void kt_unusual_print(const struct kt_unusual *unusual, const char *const *name)
{
    if (*unusual->without) {
        printf("\nContents that are no ordinary numbers are not tried: %s.\n", unusual->without);
        return;
    }
    if (!unusual->calls.count)
        return;
    printf("\nContents that are no ordinary numbers: NaN, Inf, zero, subnormal, huge. What\n"
           "is right there nobody says; this is for information, nothing is wrong for it.\n");
    for (size_t l = 0; l < unusual->libraries; l++)
        print_library(unusual, l, kt_base_name(name[l]));
    if (unusual->left)
        printf("For %zu of %s of calls there was no time.\n", unusual->left, KT_COUNT(unusual->calls.groups, "group"));
}
