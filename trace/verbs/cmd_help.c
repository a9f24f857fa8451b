/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * ktrace help: the verbs, and the options of each; as text, as a manual page, as what a shell completes.
 */
#include "trace/command/document.h"
#include "trace/print/text.h"
#include "trace/verbs/complete.h"
#include "trace/verbs/manual.h"

#include <getopt.h>
#include <stdio.h>
#include <string.h>

struct options {
    bool manual, complete, columns, schema;
};

const struct kt_verb_option kt_verb_help_options[] = {
    {"man", 0, NULL,
     "a manual page (troff); its prose comes from standard input, and the line '.\\\" OPTIONS' in it stands for what "
     "follows from the lists of options",
     KT_VERB_FLAG(struct options, manual)},
    {"complete", 0, NULL, "for the completion of shells: what the last word behind -- may become",
     KT_VERB_FLAG(struct options, complete)},
    {"columns", 0, NULL, "what the verb prints: each column and JSON key with its type, unit and meaning",
     KT_VERB_FLAG(struct options, columns)},
    {"json-schema", 0, NULL, "a JSON Schema of the document that the verb prints with --json",
     KT_VERB_FLAG(struct options, schema)},
    {0},
};

static void print_all(void)
{
    printf("usage: ktrace VERB [ARGUMENTS]\n\n");
    for (const struct kt_verb *verb = kt_verb_list; verb->name; verb++) {
        size_t column = (size_t)printf("  %-8s  ", verb->name);
        kt_text_wrap(column, column, verb->text);
    }
    printf("\n'ktrace help VERB' tells the options, 'ktrace --version' the version.\n"
           "Without the command: LD_PRELOAD=.../libktrace.so PROGRAM; 'ktrace env' lists its\nvariables.\n");
}

enum { INDENT = 6 }; /* of what an option does, and of a usage line that goes on */

/* Of long choices a line ends behind a bar. */
static void print_value(int column, const char *value)
{
    enum { WIDTH = 80 };
    column += value ? printf(" ") : 0;
    while (value && column + (int)strlen(value) > WIDTH && memchr(value, '|', (size_t)(WIDTH - column))) {
        const char *bar = memrchr(value, '|', (size_t)(WIDTH - column));
        printf("%.*s\n%*s", (int)(bar + 1 - value), value, INDENT, "");
        value = bar + 1;
        column = INDENT;
    }
    printf("%s\n", value ? value : "");
}

static void print_options(const struct kt_verb_option *options)
{
    const char *separator = "\n";
    for (const struct kt_verb_option *o = options; o->name; o++) {
        char letter[] = "-?, ";
        letter[1] = o->letter;
        int column = printf("%s  %s--%s", separator, o->letter ? letter : "", o->name) - (int)strlen(separator);
        print_value(column, o->value);
        printf("%*s", INDENT, "");
        kt_text_wrap(INDENT, INDENT, o->text);
        separator = "";
    }
}

/* VERB "" or with a blank behind it: of a part. */
static void print_verb(const char *of, const struct kt_verb *verb)
{
    size_t column = (size_t)printf("usage: ktrace %s%s ", of, verb->name);
    kt_text_wrap(column, INDENT, verb->arguments);
    printf("\n");
    kt_text_wrap(0, 0, verb->text);
    print_options(verb->options);
    for (const struct kt_verb *part = kt_verb_parts(verb); part && part->name; part++) {
        column = (size_t)printf("\nktrace %s %s ", verb->name, part->name) - 1;
        kt_text_wrap(column, INDENT, part->arguments);
        printf("  ");
        kt_text_wrap(2, 2, part->text);
        print_options(part->options);
    }
}

static int print_part(const struct kt_verb *verb, const char *name)
{
    char of[64];
    const struct kt_verb *parts = kt_verb_parts(verb);
    const struct kt_verb *part = parts ? kt_verb_find(parts, name) : NULL;
    if (!parts)
        return kt_verb_usage("help", "one verb at a time");
    if (!part)
        return kt_verb_usage("help", "there is no '%s %s'", verb->name, name);
    snprintf(of, sizeof of, "%s ", verb->name);
    print_verb(of, part);
    return KT_OK;
}

/* What ktrace help --columns and --json-schema say of a verb. */
static int print_document(const char *verb, const char *part, bool as_schema)
{
    json_t *schema = as_schema ? kt_document_schema(verb, part) : NULL;
    if (schema)
        kt_json_print(schema);
    if (schema || (!as_schema && kt_document_tell(stdout, verb, part)))
        return KT_OK;
    return kt_verb_usage("help", "%s%s%s has no JSON", verb, part ? " " : "", part ? part : "");
}

int kt_verb_help(int argc, char **argv)
{
    struct options options = {0};
    int wrong = kt_verb_parse(argc, argv, kt_verb_help_options, &options);
    if (wrong)
        return wrong;
    int words = argc - optind;
    char **word = argv + optind;
    if (options.complete) {
        kt_complete(words, word);
        return KT_OK;
    }
    const struct kt_verb *verb = words ? kt_verb_find(kt_verb_list, word[0]) : NULL;
    if (words && !verb)
        return kt_verb_usage(argv[0], "there is no verb %s", word[0]);
    if (words > (options.manual ? 1 : 2))
        return kt_verb_usage(argv[0], "one verb at a time");
    if (options.manual)
        return kt_manual_print(verb, stdin);
    if (!verb && (options.columns || options.schema))
        return kt_verb_usage(argv[0], "--columns and --json-schema (or --json) need a verb, as in 'ktrace help "
                                      "--json-schema report'");
    if (options.columns || options.schema)
        return print_document(word[0], words == 2 ? word[1] : NULL, options.schema);
    if (words == 2)
        return print_part(verb, word[1]);
    if (verb)
        print_verb("", verb);
    else
        print_all();
    return KT_OK;
}
