/* SPDX-License-Identifier: BSD-3-Clause */
#include "trace/verbs/complete.h"

#include "trace/library/installed.h"
#include "trace/verbs/verb_list.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

/* What the last word begins with, and how much of that is to be printed before what is found for the rest of it. */
struct start {
    const char *text, *rest;
};

static void offer(const struct start *start, const char *word, size_t length)
{
    size_t given = strlen(start->rest);
    if (given <= length && !strncmp(word, start->rest, given))
        printf("%.*s%.*s\n", (int)(start->rest - start->text), start->text, (int)length, word);
}

static void offer_verbs(const struct start *start, const struct kt_verb *list)
{
    for (const struct kt_verb *verb = list; verb->name; verb++)
        offer(start, verb->name, strlen(verb->name));
}

static void offer_options(const struct start *start, const struct kt_verb_option *options)
{
    char name[64];
    for (const struct kt_verb_option *o = options; o->name; o++)
        offer(start, name, (size_t)snprintf(name, sizeof name, "--%s", o->name));
}

/* The short names of libraries that are here. Several lines of the table, one behind another, may have one name. */
static void offer_libraries(const struct start *start)
{
    const char *name;
    const char *offered = "";
    bool alias;
    struct kt_installed library;
    struct start last = *start;
    const char *comma = strrchr(start->rest, ',');
    last.rest = comma ? comma + 1 : start->rest;
    for (int i = 0; kt_installed_line(i, &name, &alias, &library); i++) {
        if (library.files && strcmp(name, offered) != 0)
            offer(&last, offered = name, strlen(name));
        kt_installed_free(&library);
    }
}

/* Words in small letters: "full|profile"; others stand for what they name: "FILE|none". */
static void offer_words(const struct start *start, const char *words, size_t length)
{
    if (!islower((unsigned char)*words) || !memchr(words, '|', length))
        return;
    for (const char *word = words, *end = words + length; word < end;) {
        size_t here = strcspn(word, "|");
        here = here < (size_t)(end - word) ? here : (size_t)(end - word);
        offer(start, word, here);
        word += here + 1;
    }
}

static void offer_value(const struct start *start, const struct kt_verb_option *option)
{
    if (!strcmp(option->value, "LIB"))
        offer_libraries(start);
    else
        offer_words(start, option->value, strlen(option->value));
}

/* The option of that spelling which takes a value; NULL: there is none. */
static const struct kt_verb_option *valued(const struct kt_verb_option *options, const char *word, size_t length)
{
    for (const struct kt_verb_option *o = options; o->name; o++) {
        bool is_long = length > 2 && !strncmp(word, "--", 2) && strlen(o->name) == length - 2 &&
                       !strncmp(word + 2, o->name, length - 2);
        bool is_short = length == 2 && word[0] == '-' && o->letter && word[1] == o->letter;
        if (o->value && (is_long || is_short))
            return o;
    }
    return NULL;
}

/* Of the verb's arguments, such as "[OPTIONS] PID pause|resume", the words of the one in that place. */
static void offer_argument(const struct start *start, const char *arguments, int place)
{
    for (const char *at = arguments; *at; at += strspn(at, " ")) {
        size_t length = strcspn(at, " ");
        bool is_option = !strncmp(at, "[OPTIONS]", length) || !strncmp(at, "[--]", length);
        if (!is_option && place-- == 0)
            offer_words(start, at, length);
        at += length;
    }
}

/* How many of the words are arguments, neither options nor values of options; *LIBRARIES: --libraries is among them. */
static int count_arguments(int words, char **word, const struct kt_verb_option *options, bool *libraries)
{
    int count = 0;
    *libraries = false;
    for (int i = 0; i < words; i++) {
        *libraries |= !strcmp(word[i], "--libraries");
        if (valued(options, word[i], strlen(word[i])))
            i++;
        else
            count += *word[i] != '-';
    }
    return count;
}

/* What stands behind the verb or its part; the last of the words is to be completed. */
static void complete_verb(const struct kt_verb *verb, int words, char **word)
{
    const char *last = word[words - 1];
    struct start start = {last, last};
    size_t name = strcspn(last, "=");
    bool libraries;
    /* Bash makes three words of --name=value. */
    int before = words - 2 - (words > 2 && !strcmp(word[words - 2], "="));
    const struct kt_verb_option *option =
        before >= 0 ? valued(verb->options, word[before], strlen(word[before])) : NULL;
    if (!strcmp(last, "="))
        start.text = start.rest = "";
    if (option) {
        offer_value(&start, option);
    } else if (last[name] && (option = valued(verb->options, last, name))) {
        start.rest = last + name + 1;
        offer_value(&start, option);
    } else if (*last == '-') {
        offer_options(&start, verb->options);
    } else {
        int place = count_arguments(words - 1, word, verb->options, &libraries);
        if (libraries)
            offer_libraries(&start);
        else
            offer_argument(&start, verb->arguments, place);
    }
}

static void complete_first(const char *word)
{
    struct start start = {word, word};
    offer_verbs(&start, kt_verb_list);
    if (*word == '-') {
        offer(&start, "--help", strlen("--help"));
        offer(&start, "--version", strlen("--version"));
    }
}

/* Help names verbs, and verbs that have parts are followed by these. */
void kt_complete(int words, char **word)
{
    const struct kt_verb *verb = words > 1 ? kt_verb_find(kt_verb_list, word[0]) : NULL;
    const struct kt_verb *parts = verb ? kt_verb_parts(verb) : NULL;
    bool is_command = false;
    for (int i = 1; i + 1 < words; i++)
        is_command |= !strcmp(word[i], "--");
    if (is_command || words < 1)
        return;
    if (words == 1)
        complete_first(word[0]);
    else if (verb && !strcmp(verb->name, "help") && *word[1] != '-')
        kt_complete(words - 1, word + 1);
    else if (parts && words == 2)
        offer_verbs(&(struct start){word[1], word[1]}, parts);
    else if (parts && (verb = kt_verb_find(parts, word[1])))
        complete_verb(verb, words - 2, word + 2);
    else if (verb && !parts)
        complete_verb(verb, words - 1, word + 1);
}
