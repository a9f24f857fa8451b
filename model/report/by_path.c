/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Paths are sorted, outermost place first, so that those with a common beginning are neighbours: one pass makes the
 * tree. Then what each node contains is put in order of time.
 */
#include "model/report/by_path.h"

#include "trace/command/json.h"
#include "trace/base/memory.h"
#include "trace/command/shape_source.h"

struct path {
    const struct kt_place **place; /* the outermost first; owned */
    size_t places;
    const struct kt_sum *sum;
};

bool kt_paths_are_recorded(const struct kt_trace *trace)
{
    for (size_t i = 0; i < trace->processes; i++) {
        const char *stacks = kt_process_option(&trace->process[i], "STACKS");
        if (stacks && !strcmp(stacks, "paths"))
            return true;
    }
    return false;
}

static struct path path_of(struct kt_callers *callers, const struct kt_sum *sum)
{
    const struct kt_place *inner[KT_PATH_PLACES];
    struct path path = {.sum = sum, .places = kt_callers_path(callers, sum->process, sum->id, inner)};
    path.place = kt_resize(NULL, path.places, sizeof(const struct kt_place *));
    for (size_t i = 0; i < path.places; i++)
        path.place[i] = inner[path.places - 1 - i];
    return path;
}

/* How many of their places are the same, from the outermost on. */
static size_t common_places(const struct path *x, const struct path *y)
{
    size_t i = 0;
    while (i < x->places && i < y->places && kt_place_compare_lines(x->place[i], y->place[i]) == 0)
        i++;
    return i;
}

static int compare_paths(const void *a, const void *b)
{
    const struct path *x = a;
    const struct path *y = b;
    size_t common = common_places(x, y);
    if (common < x->places && common < y->places)
        return kt_place_compare_lines(x->place[common], y->place[common]);
    if (x->places != y->places)
        return x->places < y->places ? -1 : 1;
    return strcmp(x->sum->routine, y->sum->routine);
}

/* --- the tree ---------------------------------------------------------------------------------------------- */

static void add_node(struct kt_paths *out, struct kt_path_node node)
{
    out->node = kt_room_for_one(out->node, out->count, sizeof *out->node);
    out->node[out->count++] = node;
}

/* OPEN: the nodes that the last path consists of; its first COMMON places are those of this one. */
static void add_path(struct kt_paths *out, size_t open[KT_PATH_PLACES + 1], const struct path *path, size_t common,
                     bool same_routine)
{
    for (size_t depth = common; depth <= path->places; depth++) {
        bool is_place = depth < path->places;
        if (!is_place && same_routine)
            break;
        open[depth] = out->count;
        add_node(out, (struct kt_path_node){.place = is_place ? path->place[depth] : NULL,
                                            .routine = is_place ? NULL : path->sum->routine,
                                            .depth = depth,
                                            .parent = depth ? open[depth - 1] : 0});
    }
    for (size_t depth = 0; depth <= path->places; depth++) {
        out->node[open[depth]].calls += path->sum->calls_top;
        out->node[open[depth]].seconds += path->sum->seconds;
    }
}

static void make_tree(const struct path *path, size_t paths, struct kt_paths *out)
{
    size_t open[KT_PATH_PLACES + 1];
    for (size_t i = 0; i < paths; i++) {
        size_t common = i ? common_places(&path[i - 1], &path[i]) : 0;
        bool same_routine = i && compare_paths(&path[i - 1], &path[i]) == 0;
        add_path(out, open, &path[i], common, same_routine);
    }
}

/* --- in order of time -------------------------------------------------------------------------------------- */

/* Roots first, then by parent; of one parent the largest time first. */
static int compare_siblings(const void *a, const void *b, void *of)
{
    size_t i = *(const size_t *)a;
    size_t j = *(const size_t *)b;
    const struct kt_path_node *x = &((const struct kt_path_node *)of)[i];
    const struct kt_path_node *y = &((const struct kt_path_node *)of)[j];
    if (!x->depth != !y->depth)
        return x->depth ? 1 : -1;
    if (x->depth && x->parent != y->parent)
        return x->parent < y->parent ? -1 : 1;
    if (x->seconds != y->seconds)
        return x->seconds > y->seconds ? -1 : 1;
    return (i > j) - (i < j);
}

struct ordering {
    const struct kt_path_node *from;
    const size_t *sibling; /* all nodes as compare_siblings has them */
    size_t *first;         /* of each node: where among these what it contains begins */
    size_t count;
    struct kt_paths *out;
};

/* Of the siblings from AT on, each with what it contains. */
static void put_siblings(struct ordering *o, size_t at, size_t parent)
{
    const struct kt_path_node *model = &o->from[o->sibling[at]];
    for (; at < o->count; at++) {
        size_t index = o->sibling[at];
        struct kt_path_node node = o->from[index];
        if (node.depth != model->depth || node.parent != model->parent)
            return;
        node.parent = parent;
        size_t put = o->out->count;
        add_node(o->out, node);
        if (o->first[index] < o->count)
            put_siblings(o, o->first[index], put);
    }
}

static void sort_tree(struct kt_paths *tree)
{
    struct kt_paths sorted = {0};
    size_t *sibling = kt_resize(NULL, tree->count, sizeof *sibling);
    size_t *first = kt_resize(NULL, tree->count, sizeof *first);
    for (size_t i = 0; i < tree->count; i++) {
        sibling[i] = i;
        first[i] = tree->count;
    }
    qsort_r(sibling, tree->count, sizeof *sibling, compare_siblings, tree->node);
    for (size_t i = tree->count; i-- > 0;)
        if (tree->node[sibling[i]].depth)
            first[tree->node[sibling[i]].parent] = i;
    struct ordering ordering = {tree->node, sibling, first, tree->count, &sorted};
    if (tree->count)
        put_siblings(&ordering, 0, 0);
    free(sibling);
    free(first);
    free(tree->node);
    *tree = sorted;
}

/* --- all of it --------------------------------------------------------------------------------------------- */

void kt_paths_find(struct kt_callers *callers, const struct kt_sums *sums, struct kt_paths *out)
{
    struct path *path = kt_resize(NULL, sums->count, sizeof *path);
    *out = (struct kt_paths){0};
    for (size_t i = 0; i < sums->count; i++)
        path[i] = path_of(callers, &sums->sum[i]);
    if (sums->count)
        qsort(path, sums->count, sizeof *path, compare_paths);
    make_tree(path, sums->count, out);
    sort_tree(out);
    for (size_t i = 0; i < sums->count; i++)
        free(path[i].place);
    free(path);
}

void kt_paths_free(struct kt_paths *paths)
{
    free(paths->node);
    *paths = (struct kt_paths){0};
}

static json_t *node_json(const struct kt_path_node *node)
{
    json_t *json = node->place ? kt_place_json(node->place) : json_pack("{s:s}", "routine", node->routine);
    json_object_set_new(json, "calls", json_integer((json_int_t)node->calls));
    json_object_set_new(json, "seconds", kt_json_number(node->seconds));
    json_object_set_new(json, "children", json_array());
    return json;
}

json_t *kt_paths_json(const struct kt_paths *paths)
{
    json_t *open[KT_PATH_PLACES + 2] = {json_array()}; /* what those at each depth are put into */
    for (size_t i = 0; i < paths->count; i++) {
        const struct kt_path_node *node = &paths->node[i];
        json_t *json = node_json(node);
        json_array_append_new(open[node->depth], json);
        open[node->depth + 1] = json_object_get(json, "children");
    }
    return open[0];
}
