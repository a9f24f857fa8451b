/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The nodes of a job and how fast they are, ranks that make the same calls, and how times spread over the ranks.
 */
#include "model/report/report_lists.h"
#include "model/report/report_row.h"
#include "model/report/report_tables.h"
#include "trace/base/count.h"
#include "trace/command/field_text.h"

#include <math.h>
#include <stdio.h>

static const struct kt_paces *paces_of(const struct kt_at *at)
{
    return &kt_report_of(at)->paces;
}

static void pace_cell(double pace, char *out, size_t size)
{
    if (isnan(pace))
        snprintf(out, size, "n/a");
    else
        snprintf(out, size, "%.2f", pace);
}

/* --- nodes --------------------------------------------------------------------------------------------------- */

static const struct kt_node *node_of(const struct kt_at *at)
{
    return at->object;
}

static void lower_cell(const struct kt_at *at, char *out, size_t size)
{
    pace_cell(node_of(at)->pace.q1, out, size);
}

static void middle_cell(const struct kt_at *at, char *out, size_t size)
{
    pace_cell(node_of(at)->pace.median, out, size);
}

static void upper_cell(const struct kt_at *at, char *out, size_t size)
{
    pace_cell(node_of(at)->pace.q3, out, size);
}

static void slow_cell(const struct kt_at *at, char *out, size_t size)
{
    snprintf(out, size, "%s", node_of(at)->slow ? "slow" : "");
}

static const struct kt_field node_fields[] = {
    {"host", KT_AS_TEXT, KT_NULL | KT_SHRINK, .meaning = "machine", KT_AT(struct kt_node, host), .head = "host"},
    {"ranks", KT_AS_COUNT, .meaning = "ranks on it", KT_AT(struct kt_node, ranks), .head = "ranks"},
    {"calls", KT_AS_COUNT, .meaning = "their recorded calls", KT_AT(struct kt_node, calls), .head = "calls"},
    {"seconds_blas", KT_AS_SECONDS, KT_NULL, .meaning = "time of their outermost calls, added",
     KT_AT(struct kt_node, seconds_blas), .head = "BLAS time"},
    {"pace", KT_AS_NUMBER, KT_NULL, .meaning = "median pace of its ranks", KT_AT(struct kt_node, pace.median),
     .head = "pace", .cell = middle_cell},
    {"pace_q1", KT_AS_NUMBER, KT_NULL, .meaning = "lower quartile of that", KT_AT(struct kt_node, pace.q1),
     .head = "a quarter <", .cell = lower_cell},
    {"pace_q3", KT_AS_NUMBER, KT_NULL, .meaning = "upper quartile", KT_AT(struct kt_node, pace.q3),
     .head = "a quarter >", .cell = upper_cell},
    {"ratio", KT_AS_NUMBER, KT_NULL, .meaning = "its pace over the median of all nodes", KT_AT(struct kt_node, ratio)},
    {"slow", KT_AS_FLAG, .meaning = "slower than what differs among the nodes", KT_AT(struct kt_node, slow), .head = "",
     .cell = slow_cell},
    {0}};

static size_t nodes(const struct kt_at *at)
{
    return paces_of(at)->nodes;
}

static const void *node_at(const struct kt_at *at, size_t row)
{
    return &paces_of(at)->node[row];
}

const struct kt_field kt_report_node_list[] = {{"nodes", KT_AS_RECORD, KT_MANY,
                                                .meaning = "machines of a parallel job, the slowest first",
                                                .of = node_fields, .count = nodes, .row = node_at},
                                               {0}};

/* --- spreads ------------------------------------------------------------------------------------------------- */

#define SPREAD(kind_, member_, what_)                                                                           \
    {                                                                                                           \
        {"min", kind_, KT_NULL, .meaning = "least " what_, KT_AT(struct kt_paces, member_.min)},                \
            {"q1", kind_, KT_NULL, .meaning = "lower quartile", KT_AT(struct kt_paces, member_.q1)},            \
            {"median", kind_, KT_NULL, .meaning = "median", KT_AT(struct kt_paces, member_.median)},            \
            {"q3", kind_, KT_NULL, .meaning = "upper quartile", KT_AT(struct kt_paces, member_.q3)},            \
            {"max", kind_, KT_NULL, .meaning = "most", KT_AT(struct kt_paces, member_.max)},                    \
            {"n", KT_AS_COUNT, .meaning = "ranks of which it is known", KT_AT(struct kt_paces, member_.count)}, \
        {                                                                                                       \
            0                                                                                                   \
        }                                                                                                       \
    }

static const struct kt_field blas_fields[] = SPREAD(KT_AS_SECONDS, seconds_blas, "BLAS time");
static const struct kt_field wall_fields[] = SPREAD(KT_AS_SECONDS, wall, "wall time");
static const struct kt_field pace_fields[] = SPREAD(KT_AS_NUMBER, pace, "pace");

static json_t *spread(const struct kt_at *at, const struct kt_field *of)
{
    return kt_field_object(of, &(struct kt_at){at->from, paces_of(at), 0});
}

static json_t *blas_spread(const struct kt_at *at)
{
    return spread(at, blas_fields);
}

static json_t *wall_spread(const struct kt_at *at)
{
    return spread(at, wall_fields);
}

static json_t *pace_spread(const struct kt_at *at)
{
    return spread(at, pace_fields);
}

static const struct kt_field spread_fields[] = {
    {"seconds_blas", KT_AS_RECORD, .meaning = "time of outermost calls", .get = blas_spread, .of = blas_fields},
    {"seconds", KT_AS_RECORD, .meaning = "wall time", .get = wall_spread, .of = wall_fields},
    {"pace", KT_AS_RECORD, .meaning = "pace", .get = pace_spread, .of = pace_fields},
    {0}};

static json_t *spreads(const struct kt_at *at)
{
    return paces_of(at)->ranks ? kt_field_object(spread_fields, at) : json_null();
}

/* --- ranks that make the same calls -------------------------------------------------------------------------- */

static const struct kt_rank_group *group_of(const struct kt_at *at)
{
    return at->object;
}

static json_t *first_rank(const struct kt_at *at)
{
    return json_integer(kt_report_of(at)->imbalance.ranks.rank[group_of(at)->first].rank);
}

static void group_pace_cell(const struct kt_at *at, char *out, size_t size)
{
    pace_cell(group_of(at)->pace.max, out, size);
}

static const struct kt_field group_fields[] = {
    {"first_rank", KT_AS_ID, .meaning = "the first of the ranks", .get = first_rank, .head = "first rank"},
    {"ranks", KT_AS_COUNT, .meaning = "how many they are", KT_AT(struct kt_rank_group, ranks), .head = "ranks"},
    {"shapes", KT_AS_COUNT, .meaning = "shapes of their calls", KT_AT(struct kt_rank_group, shapes), .head = "shapes"},
    {"calls", KT_AS_NUMBER, KT_NULL, .meaning = "median of their calls", KT_AT(struct kt_rank_group, calls.median)},
    {"seconds_min", KT_AS_SECONDS, KT_NULL, .meaning = "least BLAS time", KT_AT(struct kt_rank_group, seconds_blas.min),
     .head = "least"},
    {"seconds_q1", KT_AS_SECONDS, KT_NULL, .meaning = "lower quartile of it",
     KT_AT(struct kt_rank_group, seconds_blas.q1), .head = "quartile"},
    {"seconds_median", KT_AS_SECONDS, KT_NULL, .meaning = "median", KT_AT(struct kt_rank_group, seconds_blas.median),
     .head = "median"},
    {"seconds_q3", KT_AS_SECONDS, KT_NULL, .meaning = "upper quartile", KT_AT(struct kt_rank_group, seconds_blas.q3),
     .head = "quartile"},
    {"seconds_max", KT_AS_SECONDS, KT_NULL, .meaning = "most", KT_AT(struct kt_rank_group, seconds_blas.max),
     .head = "most"},
    {"pace_max", KT_AS_NUMBER, KT_NULL, .meaning = "largest pace among them", KT_AT(struct kt_rank_group, pace.max),
     .head = "pace <", .cell = group_pace_cell},
    {0}};

static size_t groups(const struct kt_at *at)
{
    return paces_of(at)->groups;
}

static const void *group_at(const struct kt_at *at, size_t row)
{
    return &paces_of(at)->group[row];
}

const struct kt_field kt_report_rank_statistics[] = {
    {"rank_spread", KT_AS_RECORD, KT_NULL, .meaning = "how times differ among the ranks", .get = spreads,
     .of = spread_fields},
    {"rank_groups", KT_AS_RECORD, KT_MANY, .meaning = "ranks whose calls have the same shapes", .of = group_fields,
     .count = groups, .row = group_at},
    {0}};

/* --- as text ------------------------------------------------------------------------------------------------- */

bool kt_report_slow_text(const struct kt_report *report, char *out, size_t size)
{
    const struct kt_paces *p = &report->paces;
    if (p->slow_nodes)
        snprintf(out, size, "%s%s is slow: its %s take%s %.2f times as long as others for the same calls",
                 p->slow_nodes > 1 ? "first of several, " : "", p->node->host, KT_COUNT(p->node->ranks, "rank"),
                 kt_count_word((double)p->node->ranks, "s", ""), p->node->ratio);
    else if (p->slow_ranks)
        snprintf(out, size, "%s on nodes that are not slow take%s longer than others for the same calls",
                 KT_COUNT(p->slow_ranks, "rank"), kt_count_word((double)p->slow_ranks, "s", ""));
    return p->slow_nodes || p->slow_ranks;
}

static void spread_row(struct kt_text_table *table, const char *what, const struct kt_quartiles *of, bool is_time)
{
    const double value[] = {of->min, of->q1, of->median, of->q3, of->max};
    struct kt_row row = {.columns = 0};
    kt_row_text(&row, what);
    for (size_t i = 0; i < sizeof value / sizeof *value; i++)
        if (is_time)
            kt_row_seconds(&row, value[i]);
        else
            pace_cell(value[i], kt_row_next(&row), KT_ROW_CELL);
    kt_row_count(&row, of->count);
    kt_row_add(table, &row);
}

void kt_report_rank_spread(const struct kt_report *report, size_t top)
{
    static const struct kt_column columns[] = {{.head = ""},
                                               {.head = "least", .right = true},
                                               {.head = "quartile", .right = true},
                                               {.head = "median", .right = true},
                                               {.head = "quartile", .right = true},
                                               {.head = "most", .right = true},
                                               {.head = "ranks", .right = true}};
    const struct kt_paces *p = &report->paces;
    kt_heading("How much ranks differ");
    struct kt_text_table *table = kt_text_table_new(columns, sizeof columns / sizeof *columns);
    spread_row(table, "BLAS time", &p->seconds_blas, true);
    spread_row(table, "wall", &p->wall, true);
    spread_row(table, "pace", &p->pace, false);
    kt_text_table_print(table);
    kt_text_table_free(table);
    printf("pace: time of a rank's calls over what such calls take on average on all ranks.\n\n");
    kt_heading("Groups of ranks that make the same calls");
    kt_field_print(&kt_report_rank_statistics[1], report, top, 0);
    kt_row_tell_rest(p->groups, top, "rank");
}

void kt_report_nodes(const struct kt_report *report, size_t top)
{
    char text[512];
    kt_heading("Nodes");
    if (report->paces.nodes == 0) {
        printf("No process was started as a rank of a parallel job.\n");
        return;
    }
    kt_field_print(kt_report_node_list, report, top, 0);
    kt_row_tell_rest(report->paces.nodes, top, "node");
    printf("pace: time of a rank's calls over what such calls take on average on all ranks;\n"
           "median and quartiles of the node's ranks. slow: above the nodes' upper quartile\n"
           "by three times the distance of their quartiles, and by 5 %%; of %d nodes or more.\n",
           KT_PACE_LEAST);
    if (kt_report_slow_text(report, text, sizeof text))
        printf("%s\n", text);
}
