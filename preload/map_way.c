/* SPDX-License-Identifier: BSD-3-Clause */
#include "preload/map_way.h"

#include <string.h>
#include <sys/mman.h>

/* The number of the interface's step for an argument; -1: there is none. */
static int find_argument(const struct kt_interface *interface, const char *name, bool is_letter)
{
    unsigned count = kt_steps_before(interface);
    for (unsigned i = 0; i < count; i++) {
        const struct kt_step *step = &kt_steps[interface->step + i];
        if (!strncmp(kt_step_names[interface->step + i], name, KT_MAP_NAME) && (step->kind == KT_INT) == !is_letter)
            return (int)i;
    }
    return -1;
}

static bool is_layout(const struct kt_map_condition *c)
{
    return c->letter && !strcmp(c->factor[0], "layout");
}

const char *kt_map_way_lacks(const struct kt_interface *interface, const struct kt_map_condition *c)
{
    for (int i = 0; i < c->factors && !is_layout(c); i++)
        if (find_argument(interface, c->factor[i], c->letter != 0) < 0)
            return c->factor[i];
    return NULL;
}

/* --- steps ------------------------------------------------------------------------------------------------- */

struct making {
    const struct kt_map_way *way;
    const struct kt_map_rule *rule[KT_MAP_RULES]; /* that the name has all of, in order */
    int rules;
    struct kt_map_step *test[KT_MAP_RULES][KT_MAP_CONDITIONS + 1]; /* where conditions begin, and the end behind them */
    struct kt_map_step *next;
};

static enum kt_map_value value_of(const struct kt_step *step, bool wide)
{
    if (step->kind == KT_INT)
        return step->passed == KT_IN_WORD ? (wide ? KT_MAP_INT64 : KT_MAP_INT32) : wide ? KT_MAP_REF64 : KT_MAP_REF32;
    if (step->kind == KT_ENUM)
        return KT_MAP_CODE;
    return step->passed == KT_IN_WORD ? KT_MAP_LETTER : KT_MAP_REF_LETTER;
}

/* CBLAS has numbers for letters. */
static int64_t code_of(const struct kt_step *step, const char *name, char letter)
{
    static const struct {
        char name[KT_MAP_NAME];
        size_t length;
        const char *letters;
        int first;
    } codes[] = {{"layout", 6, "RC", 101},
                 {"trans", 5, "NTC", 111},
                 {"uplo", 4, "UL", 121},
                 {"diag", 4, "NU", 131},
                 {"side", 4, "LR", 141}};
    for (size_t i = 0; step->kind == KT_ENUM && i < sizeof codes / sizeof *codes; i++) {
        const char *at = strchr(codes[i].letters, letter);
        if (!strncmp(name, codes[i].name, codes[i].length))
            return at ? codes[i].first + (at - codes[i].letters) : 0;
    }
    return (unsigned char)letter;
}

static void add_step(struct making *m, enum kt_map_op op, const struct kt_map_condition *c, int factor)
{
    const struct kt_interface *interface = m->way->interface;
    const struct kt_convention *convention = &m->way->convention;
    const struct kt_step *step = &kt_steps[interface->step] + find_argument(interface, c->factor[factor], c->letter);
    unsigned word = step->index + (unsigned)(convention->hidden_result && interface->returns_complex);
    struct kt_map_step *out = m->next++;
    *out = (struct kt_map_step){.low = c->low, .span = (uint64_t)(c->high - c->low)};
    out->code = kt_map_op_code[op][value_of(step, convention->wide)][word < KT_MAP_REGISTERS ? word : KT_MAP_REGISTERS];
    if (word >= KT_MAP_REGISTERS)
        out->place = 8 * (int64_t)(word - KT_MAP_REGISTERS + 1);
    if (c->letter) {
        out->low = code_of(step, c->factor[factor], c->letter);
        out->span = 0;
    }
}

/* Fortran has no layout to look at: it is by columns. */
static bool is_known(const struct kt_interface *interface, const struct kt_map_condition *c)
{
    return is_layout(c) && find_argument(interface, c->factor[0], true) < 0;
}

static void add_condition(struct making *m, const struct kt_map_condition *c)
{
    if (is_known(m->way->interface, c))
        return;
    const int last = c->factors - 1;
    for (int i = 0; i < last; i++)
        add_step(m, i ? KT_MAP_TIMES : KT_MAP_TAKE, c, i);
    add_step(m, last ? KT_MAP_TIMES_TEST : KT_MAP_TEST, c, last);
}

static void add_end(struct making *m, void *target)
{
    *m->next++ = (struct kt_map_step){.code = kt_map_op_end, .target = target};
}

static void add_rule(struct making *m, int r)
{
    const struct kt_map_rule *rule = m->rule[r];
    for (int i = 0; i < rule->conditions; i++) {
        m->test[r][i] = m->next;
        add_condition(m, &rule->condition[i]);
    }
    m->test[r][rule->conditions] = m->next;
    add_end(m, rule->library == KT_MAP_OWN ? m->way->own : m->way->target[rule->library]);
}

/* --- where to go on ---------------------------------------------------------------------------------------- */

static bool are_equal(const struct kt_map_condition *a, const struct kt_map_condition *b)
{
    bool same = a->factors == b->factors && a->letter == b->letter && a->low == b->low && a->high == b->high;
    for (int i = 0; i < a->factors && same; i++)
        same = !strcmp(a->factor[i], b->factor[i]);
    return same;
}

/* How many conditions two rules begin with that are the same. */
static int common(const struct kt_map_rule *a, const struct kt_map_rule *b)
{
    int count = 0;
    while (count < a->conditions && count < b->conditions && are_equal(&a->condition[count], &b->condition[count]))
        count++;
    return count;
}

/* A rule failed by a condition: others that have it in the same place fail too, and what was true in front of it is. */
static const struct kt_map_step *behind(const struct making *m, int r, int failed)
{
    for (int other = r + 1; other < m->rules; other++) {
        int known = common(m->rule[r], m->rule[other]);
        if (known <= failed)
            return m->test[other][known];
    }
    return m->next;
}

/* When all rules are there. */
static void link_rule(struct making *m, int r)
{
    for (int i = 0; i < m->rule[r]->conditions; i++)
        for (struct kt_map_step *step = m->test[r][i]; step < m->test[r][i + 1]; step++)
            step->fail = behind(m, r, i);
}

/* --- the way ----------------------------------------------------------------------------------------------- */

static bool is_of(const struct kt_map_rule *rule, const struct kt_interface *interface)
{
    return !strcmp(rule->routine, kt_texts + interface->routine);
}

static bool applies(const struct kt_map_rule *rule, const struct kt_interface *interface)
{
    bool may_hold = is_of(rule, interface);
    for (int i = 0; i < rule->conditions; i++) {
        const struct kt_map_condition *c = &rule->condition[i];
        may_hold = may_hold && !kt_map_way_lacks(interface, c) && !(is_known(interface, c) && c->letter != 'C');
    }
    return may_hold;
}

/* Returns how many steps there may be. */
static size_t choose_rules(const struct kt_map *map, struct making *m)
{
    size_t steps = 1;
    m->rules = 0;
    for (int i = 0; i < map->rules; i++)
        if (applies(&map->rule[i], m->way->interface)) {
            m->rule[m->rules++] = &map->rule[i];
            steps += 1 + KT_MAP_FACTORS * (size_t)map->rule[i].conditions;
        }
    return steps;
}

const struct kt_map_step *kt_map_way_make(const struct kt_map *map, const struct kt_map_way *way)
{
    static struct making m; /* within a slow path */
    m.way = way;
    size_t bytes = choose_rules(map, &m) * sizeof(struct kt_map_step);
    void *at = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (at == MAP_FAILED)
        return NULL;
    m.next = at;
    for (int r = 0; r < m.rules; r++)
        add_rule(&m, r);
    for (int r = 0; r < m.rules; r++)
        link_rule(&m, r);
    add_end(&m, way->own);
    return at;
}
