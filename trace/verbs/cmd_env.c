/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * ktrace env: the variables that the shim obeys, from the same table that it uses.
 */
#include "ktrace/options.h"
#include "trace/command/document.h"
#include "trace/print/text.h"
#include "trace/command/json.h"
#include "trace/command/verb.h"

#include <getopt.h>
#include <stdio.h>

struct options {
    bool json;
};

const struct kt_verb_option kt_verb_env_options[] = {
    {KT_VERB_JSON(struct options, json)},
    {0},
};

static const struct {
    const char *name, *type, *standard, *meaning;
} variables[] = {
#define KT_OPTION_ROW(name, type, standard, meaning) {"KTRACE_" #name, #type, standard, meaning},
    KT_OPTIONS(KT_OPTION_ROW)
#undef KT_OPTION_ROW
};

enum { VARIABLES = sizeof variables / sizeof *variables };

static const struct kt_field variable_fields[] = {{"name", KT_AS_TEXT, .meaning = "name of the variable"},
                                                  {"type", KT_AS_TEXT, .meaning = "what it takes"},
                                                  {"default", KT_AS_TEXT, .meaning = "its default"},
                                                  {"meaning", KT_AS_TEXT, .meaning = "its meaning"},
                                                  {0}};

static const struct kt_field env_fields[] = {
    {"variables", KT_AS_RECORD, KT_MANY, .meaning = "all KTRACE_ variables", .of = variable_fields}, {0}};

const struct kt_document kt_document_env = {
    .verb = "env", .what = "ktrace env --json", .version = 1, .field = env_fields};

static void print_json(void)
{
    json_t *array = json_array();
    for (size_t i = 0; i < VARIABLES; i++)
        json_array_append_new(array,
                              json_pack("{s:s,s:s,s:s,s:s}", "name", variables[i].name, "type", variables[i].type,
                                        "default", variables[i].standard, "meaning", variables[i].meaning));
    kt_document_print(&kt_document_env, json_pack("{s:o}", "variables", array));
}

static void print_text(void)
{
    enum { INDENT = 4 };
    for (size_t i = 0; i < VARIABLES; i++) {
        printf("%s  (%s, default %s)\n%*s", variables[i].name, variables[i].type, variables[i].standard, INDENT, "");
        kt_text_wrap(INDENT, INDENT, variables[i].meaning);
    }
}

int kt_verb_env(int argc, char **argv)
{
    struct options options = {0};
    int wrong = kt_verb_parse(argc, argv, kt_verb_env_options, &options);
    if (wrong)
        return wrong;
    if (optind < argc)
        return kt_verb_usage(argv[0], "did not expect %s", argv[optind]);
    if (options.json)
        print_json();
    else
        print_text();
    return KT_OK;
}
