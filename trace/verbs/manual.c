/* SPDX-License-Identifier: BSD-3-Clause */
#include "trace/verbs/manual.h"

#include "ktrace/options.h"
#include "trace/command/document.h"
#include "trace/print/text.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* --- troff ------------------------------------------------------------------------------------------------- */

/* One character that troff may mean something by. Backquotes stand around commands in the lists: these are bold. */
static void put_character(char c, bool *bold)
{
    static const char special[] = "\\-~^'";
    static const char *const written[] = {"\\e", "\\-", "\\(ti", "\\(ha", "\\(aq"};
    const char *at = strchr(special, c);
    if (c == '`')
        fputs((*bold = !*bold) ? "\\fB" : "\\fR", stdout);
    else if (at)
        fputs(written[at - special], stdout);
    else
        putchar(c);
}

/* Text that is a line of its own: a full stop at its beginning is no request. */
static void put(const char *text)
{
    bool bold = false;
    if (*text == '.')
        fputs("\\&", stdout);
    for (; *text; text++)
        put_character(*text, &bold);
}

static void put_line(const char *text)
{
    put(text);
    putchar('\n');
}

static void put_in(const char *font, const char *text)
{
    printf("\\f%s", font);
    put(text);
    fputs("\\fR", stdout);
}

/* --- what follows from the tables -------------------------------------------------------------------------- */

static void put_option(const struct kt_verb_option *o)
{
    char letter[] = "-?";
    letter[1] = o->letter;
    printf(".TP\n");
    if (o->letter) {
        put_in("B", letter);
        printf(", ");
    }
    printf("\\fB\\-\\-");
    put(o->name);
    printf("\\fR");
    if (o->value) {
        putchar(' ');
        put_in("I", o->value);
    }
    putchar('\n');
    put_line(o->text);
}

static void put_options(const struct kt_verb_option *options)
{
    for (const struct kt_verb_option *o = options; o->name; o++)
        put_option(o);
}

static void put_parts(const struct kt_verb *verb)
{
    for (const struct kt_verb *part = kt_verb_parts(verb); part && part->name; part++) {
        printf(".SS \"ktrace %s %s ", verb->name, part->name);
        put(part->arguments);
        printf("\"\n");
        put_line(part->text);
        put_options(part->options);
    }
}

static void put_verbs(void)
{
    printf(".SH COMMANDS\n");
    for (const struct kt_verb *verb = kt_verb_list; verb->name; verb++) {
        printf(".TP\n.BR ktrace\\-%s (1)\n", verb->name);
        put_line(verb->text);
    }
}

static void put_variables(void)
{
    printf(".SH ENVIRONMENT\n");
#define KT_OPTION_MANUAL(name, type, standard, meaning)                                                   \
    printf(".TP\n\\fBKTRACE_" #name "\\fR (" #type "%s%s)\n", *(standard) ? ", default " : "", standard); \
    put_line(meaning);
    KT_OPTIONS(KT_OPTION_MANUAL)
#undef KT_OPTION_MANUAL
}

static void put_statuses(void)
{
    printf(".SH EXIT STATUS\n");
#define KT_STATUS_MANUAL(name, status, meaning) \
    printf(".TP\n.B " #status "\n");            \
    put_line(meaning);
    KT_STATUSES(KT_STATUS_MANUAL)
#undef KT_STATUS_MANUAL
}

/* The status of run is the program's. */
static void put_statuses_of_run(void)
{
    printf(
        ".SH EXIT STATUS\nThat of the command; 128 and the number of the signal if one ended it; 126 and 127 if the\n"
        "command cannot be executed or is not there. Before the command is started:\n");
    printf(".TP\n.B 2\nthe command line is wrong\n.TP\n.B 4\nthe operating system refused\n");
}

/* The keys that --json prints, with columns of text tables: each is indented by its depth. */
static void put_keys(const struct kt_verb *verb)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (!out)
        return;
    bool told = kt_document_tell(out, verb->name, NULL);
    fclose(out);
    if (told)
        printf(".SH JSON\nDocuments and their keys, with the columns of text tables. Their JSON Schema is printed by\n"
               ".BR \"ktrace help \\-\\-json\\-schema %s\" .\n.PD 0\n",
               verb->name);
    for (char *line = strtok(text, "\n"); told && line; line = strtok(NULL, "\n")) {
        size_t depth = strspn(line, " ");
        if (depth)
            printf(".IP \"\" %zu\n", 2 + depth);
        else
            printf(".PP\n");
        put_line(line + depth);
    }
    if (told)
        printf(".PD\n");
    free(text);
}

static bool is_run(const struct kt_verb *verb)
{
    return verb && !strcmp(verb->name, "run");
}

static void put_tables(const struct kt_verb *verb)
{
    if (!verb)
        put_verbs();
    if (verb && (verb->options->name || kt_verb_parts(verb)))
        printf(".SH OPTIONS\n");
    if (verb) {
        put_options(verb->options);
        put_parts(verb);
    }
    if (!verb || is_run(verb))
        put_variables();
    if (is_run(verb))
        put_statuses_of_run();
    else
        put_statuses();
    if (verb)
        put_keys(verb);
}

static void put_head(const struct kt_verb *verb)
{
    char title[64];
    snprintf(title, sizeof title, "%s%s", verb ? "ktrace-" : "ktrace", verb ? verb->name : "");
    printf(".TH ");
    for (const char *at = title; *at; at++)
        printf(*at == '-' ? "\\-" : "%c", toupper(*at));
    printf(" 1 \"\" \"ktrace " KT_VERSION "\" \"ktrace\"\n.SH NAME\n");
    put(title);
    printf(" \\- ");
    put_line(verb ? verb->text : "record the BLAS and LAPACK calls of a program, and find out where their time goes");
    printf(".SH SYNOPSIS\n.B ktrace%s%s\n", verb ? " " : "", verb ? verb->name : "");
    put_line(verb ? verb->arguments : "VERB [ARGUMENTS]");
}

int kt_manual_print(const struct kt_verb *verb, FILE *prose)
{
    static const char mark[] = ".\\\" OPTIONS\n";
    char *line = NULL;
    size_t room = 0;
    bool marked = false;
    put_head(verb);
    while (getline(&line, &room, prose) > 0)
        if (strcmp(line, mark) != 0)
            fputs(line, stdout);
        else if (!marked) {
            put_tables(verb);
            marked = true;
        }
    free(line);
    return marked ? KT_OK : kt_verb_usage("help", "--man: the prose has no line '.\\\" OPTIONS'");
}
