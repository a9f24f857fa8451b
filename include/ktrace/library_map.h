/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A map of libraries: a text that says which library calls of which sizes go to. The recorder follows it, ktrace checks
 * it before the program starts, and ktrace compare writes it; all read it here. A line is one of
 *
 *   library NAME FILE[,FILE...]           files of a BLAS or LAPACK, as in KTRACE_BLAS
 *   threads N                             of each of these libraries
 *   ROUTINE [CONDITION...] -> NAME        the first rule of the routine whose conditions hold counts
 *
 * and a # at the begin of a word begins a comment. A CONDITION is a size, or a product of up to three (m*n), with =N,
 * =N..M, =N.. or =..M; or an option with its letter (transa=T). NAME may be own: where the program would have gone. No
 * rule: likewise.
 */
#ifndef KTRACE_LIBRARY_MAP_H
#define KTRACE_LIBRARY_MAP_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    KT_MAP_BYTES = 128 << 10, /* of the text */
    KT_MAP_LINE = 2048,
    KT_MAP_LIBRARIES = 16,
    KT_MAP_RULES = 512,
    KT_MAP_CONDITIONS = 8,
    KT_MAP_FACTORS = 3,
    KT_MAP_NAME = 8, /* of an argument */
    KT_MAP_OWN = -1,
    KT_MAP_THREADS = 4096
};

struct kt_map_condition {
    char factor[KT_MAP_FACTORS][KT_MAP_NAME];
    int factors;
    char letter; /* upper case; 0: of sizes */
    int64_t low, high;
};

struct kt_map_rule {
    char routine[24];
    struct kt_map_condition condition[KT_MAP_CONDITIONS];
    int conditions;
    int library; /* KT_MAP_OWN, or which one */
    int line;
};

struct kt_map_library {
    char name[64];
    char files[1024];
};

struct kt_map {
    struct kt_map_library library[KT_MAP_LIBRARIES];
    int libraries;
    struct kt_map_rule rule[KT_MAP_RULES];
    int rules;
    int threads;   /* 0: as the environment says */
    char why[256]; /* it means nothing, in one line; "" */
};

static inline bool kt_map_fail(struct kt_map *map, int line, const char *what, const char *word)
{
    snprintf(map->why, sizeof map->why, "line %d: %s%.100s", line, what, word);
    return false;
}

/* The next word of a line that ends with 0; "" behind the last. */
static inline char *kt_map_word(char **at)
{
    char *word = *at + strspn(*at, " \t\r");
    *at = word + strcspn(word, " \t\r");
    if (**at)
        *(*at)++ = '\0';
    return word;
}

/* A number from 0 on in front of END; false if there is something else. */
static inline bool kt_map_number(const char *text, const char *end, int64_t *out)
{
    *out = 0;
    for (; text < end; text++)
        if (*text < '0' || *text > '9' || __builtin_mul_overflow(*out, 10, out) ||
            __builtin_add_overflow(*out, *text - '0', out))
            return false;
    return true;
}

/* N, N..M, N.. or ..M; of nothing at all no side is there. */
static inline bool kt_map_range(const char *text, int64_t *low, int64_t *high)
{
    const char *end = text + strlen(text);
    const char *dots = strstr(text, "..");
    *high = INT64_MAX;
    if (!dots) {
        bool fine = *text && kt_map_number(text, end, low);
        *high = *low;
        return fine;
    }
    return end - text > 2 && kt_map_number(text, dots, low) && (!dots[2] || kt_map_number(dots + 2, end, high));
}

static inline bool kt_map_factors(char *text, struct kt_map_condition *out)
{
    for (char *name = text; name && out->factors < KT_MAP_FACTORS;) {
        char *star = strchr(name, '*');
        if (star)
            *star++ = '\0';
        size_t length = strlen(name);
        if (length == 0 || length >= KT_MAP_NAME)
            return false;
        memcpy(out->factor[out->factors++], name, length + 1);
        name = star;
        if (!name)
            return true;
    }
    return false;
}

static inline bool kt_map_parse_condition(struct kt_map *map, struct kt_map_rule *rule, char *word)
{
    char whole[100];
    char *value = strchr(word, '=');
    snprintf(whole, sizeof whole, "%s", word);
    if (rule->conditions == KT_MAP_CONDITIONS)
        return kt_map_fail(map, rule->line, "too many conditions: ", whole);
    struct kt_map_condition *c = &rule->condition[rule->conditions++];
    if (!value)
        return kt_map_fail(map, rule->line, "expected a condition such as m*n=20000.., not ", whole);
    *value++ = '\0';
    bool is_letter = value[0] >= 'A' && value[0] <= 'Z' && !value[1];
    c->letter = is_letter ? *value : '\0';
    if (!kt_map_factors(word, c) || !(is_letter ? c->factors == 1 : kt_map_range(value, &c->low, &c->high)))
        return kt_map_fail(map, rule->line, "expected a condition such as m*n=20000.., not ", whole);
    return c->low <= c->high || kt_map_fail(map, rule->line, "can never hold: it ends before it begins: ", whole);
}

/* --- rules that can never hold ------------------------------------------------------------------------------- */

enum { KT_MAP_CONDITION = 72 }; /* bytes of a condition's text */

static inline char *kt_map_condition_text(const struct kt_map_condition *c, char out[KT_MAP_CONDITION])
{
    int used = snprintf(out, KT_MAP_CONDITION, "%s", c->factor[0]);
    for (int i = 1; i < c->factors; i++)
        used += snprintf(out + used, KT_MAP_CONDITION - (size_t)used, "*%s", c->factor[i]);
    char *value = out + used;
    size_t size = KT_MAP_CONDITION - (size_t)used;
    if (c->letter)
        snprintf(value, size, "=%c", c->letter);
    else if (c->low == c->high)
        snprintf(value, size, "=%lld", (long long)c->low);
    else if (c->high == INT64_MAX)
        snprintf(value, size, "=%lld..", (long long)c->low);
    else
        snprintf(value, size, "=%lld..%lld", (long long)c->low, (long long)c->high);
    return out;
}

static inline int kt_map_times_in(const struct kt_map_condition *c, const char *name)
{
    int times = 0;
    for (int i = 0; i < c->factors; i++)
        times += !strcmp(c->factor[i], name);
    return times;
}

/* m*n is n*m. */
static inline bool kt_map_is_of_same(const struct kt_map_condition *a, const struct kt_map_condition *b)
{
    bool same = a->factors == b->factors;
    for (int i = 0; i < a->factors && same; i++)
        same = kt_map_times_in(a, a->factor[i]) == kt_map_times_in(b, a->factor[i]);
    return same;
}

static inline bool kt_map_exclude(const struct kt_map_condition *a, const struct kt_map_condition *b)
{
    return kt_map_is_of_same(a, b) && (a->letter != b->letter || a->low > b->high || b->low > a->high);
}

static inline int64_t kt_map_times(int64_t a, int64_t b)
{
    int64_t product;
    return __builtin_mul_overflow(a, b, &product) ? INT64_MAX : product;
}

/* What the product of a condition may be by the rule's conditions of its single sizes. */
static inline struct kt_map_condition kt_map_reach(const struct kt_map_rule *rule, const struct kt_map_condition *c)
{
    struct kt_map_condition reach = *c;
    reach.low = reach.high = 1;
    for (int f = 0; f < c->factors; f++) {
        int64_t low = 0;
        int64_t high = INT64_MAX;
        for (int i = 0; i < rule->conditions; i++) {
            const struct kt_map_condition *of = &rule->condition[i];
            bool is_it = of->factors == 1 && !strcmp(of->factor[0], c->factor[f]);
            low = is_it && of->low > low ? of->low : low;
            high = is_it && of->high < high ? of->high : high;
        }
        reach.low = kt_map_times(reach.low, low);
        reach.high = kt_map_times(reach.high, high);
    }
    return reach;
}

static inline bool kt_map_fail_both(struct kt_map *map, const struct kt_map_rule *rule,
                                    const struct kt_map_condition *a, const char *beside,
                                    const struct kt_map_condition *b)
{
    char text[2][KT_MAP_CONDITION];
    snprintf(map->why, sizeof map->why, "line %d: can never hold: %s%s%s", rule->line,
             kt_map_condition_text(a, text[0]), beside, kt_map_condition_text(b, text[1]));
    return false;
}

/* Each condition beside those before it, and products beside single sizes. */
static inline bool kt_map_can_hold(struct kt_map *map, const struct kt_map_rule *rule)
{
    for (int i = 0; i < rule->conditions; i++)
        for (int k = 0; k < i; k++)
            if (kt_map_exclude(&rule->condition[k], &rule->condition[i]))
                return kt_map_fail_both(map, rule, &rule->condition[k], " and ", &rule->condition[i]);
    for (int i = 0; i < rule->conditions; i++) {
        const struct kt_map_condition reach = kt_map_reach(rule, &rule->condition[i]);
        if (kt_map_exclude(&reach, &rule->condition[i]))
            return kt_map_fail_both(map, rule, &rule->condition[i], ", where the other conditions make it ", &reach);
    }
    return true;
}

/* --- lines --------------------------------------------------------------------------------------------------- */

static inline bool kt_map_parse_library(struct kt_map *map, int line, char *at)
{
    const char *name = kt_map_word(&at);
    at += strspn(at, " \t");
    if (map->libraries == KT_MAP_LIBRARIES)
        return kt_map_fail(map, line, "too many libraries: ", name);
    struct kt_map_library *library = &map->library[map->libraries];
    size_t length = strlen(at);
    while (length && (at[length - 1] == ' ' || at[length - 1] == '\t' || at[length - 1] == '\r'))
        at[--length] = '\0';
    if (!*name || strlen(name) >= sizeof library->name || length == 0 || length >= sizeof library->files)
        return kt_map_fail(map, line, "expected: library NAME FILE[,FILE...]", "");
    for (int i = 0; i < map->libraries; i++)
        if (!strcmp(map->library[i].name, name))
            return kt_map_fail(map, line, "a second library of the name ", name);
    snprintf(library->name, sizeof library->name, "%s", name);
    snprintf(library->files, sizeof library->files, "%s", at);
    map->libraries++;
    return true;
}

static inline bool kt_map_parse_target(struct kt_map *map, struct kt_map_rule *rule, char *at)
{
    const char *name = kt_map_word(&at);
    if (*kt_map_word(&at))
        return kt_map_fail(map, rule->line, "more than one library behind ->", "");
    rule->library = KT_MAP_OWN;
    for (int i = 0; i < map->libraries; i++)
        if (!strcmp(map->library[i].name, name))
            rule->library = i;
    return rule->library != KT_MAP_OWN || !strcmp(name, "own") ||
           kt_map_fail(map, rule->line, "no line before says which library that is: ", *name ? name : "->");
}

static inline bool kt_map_parse_rule(struct kt_map *map, int line, const char *routine, char *at)
{
    if (map->rules == KT_MAP_RULES)
        return kt_map_fail(map, line, "too many rules", "");
    struct kt_map_rule *rule = &map->rule[map->rules++];
    *rule = (struct kt_map_rule){.line = line};
    if (strlen(routine) >= sizeof rule->routine)
        return kt_map_fail(map, line, "no routine has such a name: ", routine);
    snprintf(rule->routine, sizeof rule->routine, "%s", routine);
    for (;;) {
        char *word = kt_map_word(&at);
        if (!*word)
            return kt_map_fail(map, line, "expected: ROUTINE [CONDITION...] -> LIBRARY", "");
        if (!strcmp(word, "->"))
            return kt_map_can_hold(map, rule) && kt_map_parse_target(map, rule, at);
        if (!kt_map_parse_condition(map, rule, word))
            return false;
    }
}

static inline bool kt_map_parse_threads(struct kt_map *map, int line, char *at)
{
    int64_t number = 0;
    const char *word = kt_map_word(&at);
    if (!kt_map_number(word, word + strlen(word), &number) || number < 1 || number > KT_MAP_THREADS)
        return kt_map_fail(map, line, "expected: threads N", "");
    map->threads = (int)number;
    return true;
}

/* A # within a word is one of a file's name. */
static inline void kt_map_end_at_comment(char *line)
{
    for (char *mark = strchr(line, '#'); mark; mark = strchr(mark + 1, '#'))
        if (mark == line || strchr(" \t", mark[-1])) {
            *mark = '\0';
            return;
        }
}

static inline bool kt_map_parse_line(struct kt_map *map, int line, char *at)
{
    kt_map_end_at_comment(at);
    const char *first = kt_map_word(&at);
    if (!*first)
        return true;
    if (!strcmp(first, "library"))
        return kt_map_parse_library(map, line, at);
    if (!strcmp(first, "threads"))
        return kt_map_parse_threads(map, line, at);
    return kt_map_parse_rule(map, line, first, at);
}

/* TEXT is the file's, as far as it fits into KT_MAP_BYTES with a 0 behind it; it is changed. False: WHY says why. */
static inline bool kt_map_parse(struct kt_map *map, char *text)
{
    int line = 0;
    map->libraries = map->rules = map->threads = 0;
    *map->why = '\0';
    if (strlen(text) == KT_MAP_BYTES - 1)
        return kt_map_fail(map, 1, "the file is longer than 128 KiB, as no map is", "");
    while (*text) {
        char *end = text + strcspn(text, "\n");
        bool is_last = !*end;
        *end = '\0';
        line++;
        if (end - text >= KT_MAP_LINE)
            return kt_map_fail(map, line, "longer than 2 KB, as no rule is", "");
        if (!kt_map_parse_line(map, line, text))
            return false;
        text = end + !is_last;
    }
    return map->rules > 0 || kt_map_fail(map, line, "there is no rule", "");
}

#endif
