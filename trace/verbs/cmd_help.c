/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * ktrace help: the verbs, and the options of each.
 */
#include "trace/command/document.h"
#include "trace/command/verb.h"

#include <stdio.h>
#include <string.h>

static const struct {
    const char *name, *arguments, *text;
} verbs[] = {
#define KT_VERB_ROW(name, arguments, text) {#name, arguments, text},
    KT_VERBS(KT_VERB_ROW)
#undef KT_VERB_ROW
};

enum { VERBS = sizeof verbs / sizeof *verbs };

static void print_all(void)
{
    printf("usage: ktrace VERB [ARGUMENTS]\n\n");
    for (size_t i = 0; i < VERBS; i++)
        printf("  %-8s  %s\n", verbs[i].name, verbs[i].text);
    printf("\n'ktrace help VERB' tells the options, 'ktrace --version' the version.\n"
           "Without the command: LD_PRELOAD=.../libktrace.so PROGRAM; 'ktrace env' lists its variables.\n");
}

static void print_option(const struct kt_verb_option *o)
{
    char letter[] = "-?, ";
    letter[1] = o->letter;
    printf("  %s--%s%s%s\n      %s\n", o->has_short ? letter : "", o->name, o->value ? " " : "",
           o->value ? o->value : "", o->text);
}

/* Those of the verb, or of one of its parts: "model" has "model build". */
static void print_options(const char *name)
{
    const char *separator = "\n";
    for (const struct kt_verb_option *o = kt_verb_options(); o->verb; o++) {
        if (strcmp(o->verb, name) != 0)
            continue;
        printf("%s", separator);
        print_option(o);
        separator = "";
    }
}

static bool is_part_of(const char *part, const char *verb)
{
    size_t length = strlen(verb);
    return !strncmp(part, verb, length) && part[length] == ' ';
}

/* What the parts of model take besides options. */
static const char *part_arguments(const char *part)
{
    static const char *const arguments[][2] = {{"build", " [TRACE]"},
                                               {"show", ""},
                                               {"predict", " [TRACE...]"},
                                               {"tune", " ROUTINE"},
                                               {"rank", " OPERATION|ALGORITHM..."},
                                               {"calls", " ALGORITHM"}};
    for (size_t i = 0; i < sizeof arguments / sizeof *arguments; i++)
        if (!strcmp(part, arguments[i][0]))
            return arguments[i][1];
    return "";
}

static void print_parts(const char *verb)
{
    const char *last = "";
    for (const struct kt_verb_option *o = kt_verb_options(); o->verb; o++) {
        if (!is_part_of(o->verb, verb) || !strcmp(o->verb, last))
            continue;
        printf("\nktrace %s%s\n", o->verb, part_arguments(o->verb + strlen(verb) + 1));
        print_options(o->verb);
        last = o->verb;
    }
}

static int print_part(const char *verb, const char *part)
{
    char name[64];
    snprintf(name, sizeof name, "%s %s", verb, part);
    for (const struct kt_verb_option *o = kt_verb_options(); o->verb; o++)
        if (!strcmp(o->verb, name)) {
            printf("usage: ktrace %s [OPTIONS]%s\n", name, part_arguments(part));
            print_options(name);
            return KT_OK;
        }
    return kt_verb_usage("help", "there is no '%s'", name);
}

static void print_verb(size_t verb)
{
    printf("usage: ktrace %s %s\n\n%s\n", verbs[verb].name, verbs[verb].arguments, verbs[verb].text);
    print_options(verbs[verb].name);
    print_parts(verbs[verb].name);
}

/* What ktrace help --columns and --json-schema say of a verb. */
static int print_document(const char *verb, const char *part, bool as_schema)
{
    json_t *schema = as_schema ? kt_document_schema(verb, part) : NULL;
    if (schema)
        kt_json_print(schema);
    if (schema || (!as_schema && kt_document_explain(verb, part)))
        return KT_OK;
    return kt_verb_usage("help", "%s%s%s has no JSON", verb, part ? " " : "", part ? part : "");
}

int kt_verb_help(int argc, char **argv)
{
    bool as_schema = argc > 1 && !strcmp(argv[1], "--json-schema");
    if (argc > 2 && argc <= 4 && (as_schema || !strcmp(argv[1], "--columns")))
        return print_document(argv[2], argc == 4 ? argv[3] : NULL, as_schema);
    bool asks_for_part = argc == 3 && !strcmp(argv[1], "model");
    if (argc > 2 && !asks_for_part)
        return kt_verb_usage(argv[0], "one verb at a time");
    if (asks_for_part)
        return print_part(argv[1], argv[2]);
    if (argc == 1) {
        print_all();
        return KT_OK;
    }
    for (size_t i = 0; i < VERBS; i++)
        if (!strcmp(argv[1], verbs[i].name)) {
            print_verb(i);
            return KT_OK;
        }
    return kt_verb_usage(argv[0], "there is no verb %s", argv[1]);
}
