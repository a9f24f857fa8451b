/* SPDX-License-Identifier: BSD-3-Clause */
#include "trace/command/verb.h"

#include "trace/command/document.h"
#include "trace/print/text.h"

#include <getopt.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int kt_verb_usage(const char *verb, const char *format, ...)
{
    char text[1024];
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    kt_notice("%s: %s; see 'ktrace help %s'", verb, text, verb);
    return KT_USAGE;
}

int kt_verb_status(int signal)
{
    enum { SIGNALS = 128 };
    return signal ? SIGNALS + signal : KT_OK;
}

int kt_verb_fail(const char *verb, const struct kt_error *error)
{
    kt_notice("%s: %s", verb, error->text);
    return (int)error->status;
}

/* --- what options set -------------------------------------------------------------------------------------- */

enum kt_status kt_verb_take_flag(const struct kt_verb_option *option, const char *value, void *out,
                                 struct kt_error *error)
{
    (void)option;
    (void)value;
    (void)error;
    *(bool *)out = true;
    return KT_OK;
}

enum kt_status kt_verb_take_text(const struct kt_verb_option *option, const char *value, void *out,
                                 struct kt_error *error)
{
    (void)option;
    (void)error;
    *(const char **)out = value;
    return KT_OK;
}

/* "a|b|c" as "a, b or c". */
static void list_words(const char *words, char *out, size_t size)
{
    size_t used = 0;
    for (const char *word = words; *word && used < size;) {
        size_t length = strcspn(word, "|");
        const char *separator = word == words ? "" : word[length] ? ", " : " or ";
        used += (size_t)snprintf(out + used, size - used, "%s%.*s", separator, (int)length, word);
        word += length + (word[length] == '|');
    }
}

enum kt_status kt_verb_take_choice(const struct kt_verb_option *option, const char *value, void *out,
                                   struct kt_error *error)
{
    char words[256] = "";
    int place = 0;
    for (const char *word = option->value; *word; place++) {
        size_t length = strcspn(word, "|");
        if (strlen(value) == length && !strncmp(word, value, length)) {
            *(int *)out = place;
            return KT_OK;
        }
        word += length + (word[length] == '|');
    }
    list_words(option->value, words, sizeof words);
    return kt_fail(error, KT_USAGE, "--%s %s: expected %s", option->name, value, words);
}

enum kt_status kt_verb_take_percent(const struct kt_verb_option *option, const char *value, void *out,
                                    struct kt_error *error)
{
    static const double most = 1000;
    char *end;
    double percent = strtod(value, &end);
    if (end == value || (*end && strcmp(end, "%") != 0) || !(percent >= 0 && percent <= most))
        return kt_fail(error, KT_USAGE, "--%s %s: expected per cents from 0 on", option->name, value);
    *(double *)out = percent / 100;
    return KT_OK;
}

enum kt_status kt_verb_take_csv(const struct kt_verb_option *option, const char *value, void *out,
                                struct kt_error *error)
{
    (void)option, (void)value, (void)error;
    *(bool *)out = true;
    return KT_OK;
}

/* --- the command line -------------------------------------------------------------------------------------- */

/* What getopt_long returns: the letter, or for a long name this and the option's place in the list. */
enum { LONG_NAME = 256, MOST_OPTIONS = 32 };

/* The list as getopt_long takes it. What it holds beyond MOST_OPTIONS is no option; tests/cli/help.sh would find it. */
static void convert_options(const char *verb, const struct kt_verb_option *options, char *shorts, struct option *longs)
{
    shorts += sprintf(shorts, "%s:", strcmp(verb, "run") ? "" : "+");
    for (int i = 0; i < MOST_OPTIONS && options[i].name; i++) {
        const struct kt_verb_option *o = &options[i];
        *longs++ = (struct option){o->name, o->value ? required_argument : no_argument, NULL, LONG_NAME + i};
        if (o->letter)
            shorts += sprintf(shorts, "%c%s", o->letter, o->value ? ":" : "");
    }
    *longs = (struct option){0};
}

static const struct kt_verb_option *option_of(const struct kt_verb_option *options, int found)
{
    if (found >= LONG_NAME)
        return &options[found - LONG_NAME];
    while (options->letter != found)
        options++;
    return options;
}

struct command_line {
    char shorts[2 * MOST_OPTIONS + 3];
    struct option longs[MOST_OPTIONS + 1];
};

static void begin_options(const char *verb, const struct kt_verb_option *options, struct command_line *out)
{
    convert_options(verb, options, out->shorts, out->longs);
    opterr = 0; /* the message is ours */
    optind = 0; /* from the first one on, whatever was parsed before */
}

enum kt_status kt_verb_take_options(int argc, char **argv, const struct kt_verb_option *options, void *out,
                                    struct kt_error *error)
{
    struct command_line line;
    begin_options(argv[0], options, &line);
    for (int found; (found = getopt_long(argc, argv, line.shorts, line.longs, NULL)) != -1;) {
        if (found == ':' || found == '?')
            return kt_fail(error, KT_USAGE, found == ':' ? "%s needs a value" : "unknown option %s", argv[optind - 1]);
        const struct kt_verb_option *option = option_of(options, found);
        KT_TRY(option->take(option, optarg, (char *)out + option->offset, error));
        if (option->take == kt_verb_take_csv)
            KT_TRY(kt_document_as_csv(argv[0], optarg, error));
    }
    return KT_OK;
}

static bool is_among(const char *name, const char *const *names)
{
    while (*names && strcmp(*names, name) != 0)
        names++;
    return *names != NULL;
}

void kt_verb_repeat_options(int argc, char **argv, const struct kt_verb_option *options, const char *const *without,
                            struct kt_words *out)
{
    struct command_line line;
    begin_options(argv[0], options, &line);
    for (int found; (found = getopt_long(argc, argv, line.shorts, line.longs, NULL)) != -1;) {
        const struct kt_verb_option *option = option_of(options, found);
        if (is_among(option->name, without))
            continue;
        kt_words_add(out, option->value ? "--%s=%s" : "--%s", option->name, optarg);
    }
}

int kt_verb_parse(int argc, char **argv, const struct kt_verb_option *options, void *out)
{
    struct kt_error error = {0};
    return kt_verb_take_options(argc, argv, options, out, &error) == KT_OK ? KT_OK
                                                                           : kt_verb_usage(argv[0], "%s", error.text);
}

int kt_verb_open_traces(int argc, char **argv, struct kt_trace *out)
{
    struct kt_error error = {0};
    if (optind == argc)
        return kt_verb_usage(argv[0], "which trace?");
    if (kt_trace_open_all(argv + optind, (size_t)(argc - optind), out, &error) == KT_OK)
        return KT_OK;
    kt_trace_close(out);
    return kt_verb_fail(argv[0], &error);
}
