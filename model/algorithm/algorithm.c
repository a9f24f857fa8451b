/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Parser of algorithms: declarations and statements, one a line. What is passed in calls is read by
 * algorithm_calls.c. A statement belongs to the innermost block that is open.
 */
#include "model/algorithm/algorithm_reading.h"

#include "trace/base/memory.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>

enum kt_status kt_reading_fail(struct kt_reading *r, const char *format, ...)
{
    char text[512];
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    kt_one_line(text);
    return kt_fail(r->error, KT_BAD_INPUT, "%s:%d: %s", r->algorithm->file, r->line, text);
}

/* --- names and expressions --------------------------------------------------------------------------------- */

bool kt_reading_accept(struct kt_reading *r, char c)
{
    if (*r->at != c)
        return false;
    r->at++;
    return true;
}

enum kt_status kt_reading_expect(struct kt_reading *r, char c)
{
    return kt_reading_accept(r, c) ? KT_OK : kt_reading_fail(r, "expected '%c' at '%.20s'", c, r->at);
}

enum kt_status kt_reading_name(struct kt_reading *r, char out[KT_NAME])
{
    size_t length = 0;
    while (isalnum((unsigned char)r->at[length]) || r->at[length] == '_')
        length++;
    if (length == 0 || !isalpha((unsigned char)*r->at))
        return kt_reading_fail(r, "expected a name at '%.20s'", r->at);
    if (length >= KT_NAME - 2)
        return kt_reading_fail(r, "%.20s...: a name has at most %d letters", r->at, KT_NAME - 3);
    snprintf(out, KT_NAME, "%.*s", (int)length, r->at);
    r->at += length;
    return KT_OK;
}

static int find_variable(const struct kt_sub *sub, const char *name, size_t length)
{
    for (int i = 0; i < sub->variables; i++)
        if (strlen(sub->variable[i]) == length && !strncmp(sub->variable[i], name, length))
            return i;
    return -1;
}

static int find_in_scope(const void *context, const char *name, size_t length, int *is_option)
{
    const struct kt_reading *r = context;
    *is_option = 0;
    return find_variable(&r->algorithm->sub[r->sub], name, length);
}

enum kt_status kt_reading_expr(struct kt_reading *r, struct kt_expr *out)
{
    const struct kt_scope scope = {find_in_scope, r};
    struct kt_error wrong = {0};
    char *unknown;
    if (kt_expr_parse(&r->at, &scope, out, &wrong) == KT_OK)
        return KT_OK;
    unknown = strstr(wrong.text, " is not an argument of the routine");
    if (unknown)
        strcpy(unknown, " has no value here");
    return kt_reading_fail(r, "%s", wrong.text);
}

static enum kt_status read_end(struct kt_reading *r)
{
    return *r->at ? kt_reading_fail(r, "did not expect '%.20s'", r->at) : KT_OK;
}

/* The variable of that name, made if there is none. */
static enum kt_status variable_of(struct kt_reading *r, const char *name, int *out)
{
    struct kt_sub *sub = &r->algorithm->sub[r->sub];
    *out = find_variable(sub, name, strlen(name));
    if (*out >= 0)
        return *out < r->algorithm->globals ? kt_reading_fail(r, "%s is given from outside and stays as it is", name)
                                            : KT_OK;
    if (sub->variables == KT_MOST_VARIABLES)
        return kt_reading_fail(r, "more than %d variables", KT_MOST_VARIABLES);
    *out = sub->variables++;
    snprintf(sub->variable[*out], KT_NAME, "%s", name);
    return KT_OK;
}

/* --- declarations ------------------------------------------------------------------------------------------ */

static enum kt_status read_word(struct kt_reading *r, char out[KT_NAME])
{
    size_t length = strlen(r->at);
    if (length == 0 || length >= KT_NAME)
        return kt_reading_fail(r, "expected a name of at most %d letters", KT_NAME - 1);
    snprintf(out, KT_NAME, "%s", r->at);
    r->at += length;
    return KT_OK;
}

static enum kt_status add_global(struct kt_reading *r, const char *prefix, const char *name)
{
    struct kt_algorithm *a = r->algorithm;
    char full[KT_NAME];
    snprintf(full, sizeof full, "%s%.*s", prefix, KT_NAME - 4, name);
    if (r->begun)
        return kt_reading_fail(r, "declarations stand before the first statement");
    if (find_variable(&a->sub[0], full, strlen(full)) >= 0)
        return kt_reading_fail(r, "%s is there twice", full);
    snprintf(a->sub[0].variable[a->sub[0].variables++], KT_NAME, "%s", full);
    a->globals = a->sub[0].variables;
    return KT_OK;
}

static enum kt_status read_parameters(struct kt_reading *r)
{
    struct kt_algorithm *a = r->algorithm;
    if (a->parameters || a->stores)
        return kt_reading_fail(r, "parameters are declared once, and first");
    do {
        char name[KT_NAME];
        struct kt_expr value;
        if (a->parameters == KT_MOST_PARAMETERS)
            return kt_reading_fail(r, "more than %d parameters", KT_MOST_PARAMETERS);
        KT_TRY(kt_reading_name(r, name));
        KT_TRY(kt_reading_expect(r, '='));
        KT_TRY(kt_reading_expr(r, &value));
        a->fallback[a->parameters] = kt_expr_eval(&value, a->fallback);
        kt_expr_free(&value);
        KT_TRY(add_global(r, "", name));
        a->parameters++;
    } while (kt_reading_accept(r, ','));
    return KT_OK;
}

static enum kt_status read_store(struct kt_reading *r, bool is_vector)
{
    struct kt_algorithm *a = r->algorithm;
    struct kt_algorithm_store *store = &a->store[a->stores];
    if (a->stores == KT_MOST_STORES)
        return kt_reading_fail(r, "more than %d matrices and vectors", KT_MOST_STORES);
    *store = (struct kt_algorithm_store){.line = r->line, .is_vector = is_vector};
    KT_TRY(kt_reading_name(r, store->name));
    KT_TRY(kt_reading_expect(r, '('));
    a->stores++;
    KT_TRY(kt_reading_expr(r, &store->rows));
    if (!is_vector) {
        KT_TRY(kt_reading_expect(r, ','));
        KT_TRY(kt_reading_expr(r, &store->columns));
    }
    KT_TRY(kt_reading_expect(r, ')'));
    return add_global(r, "ld", store->name);
}

static enum kt_status read_declaration(struct kt_reading *r, const char *word, bool *known)
{
    struct kt_algorithm *a = r->algorithm;
    *known = true;
    if (!strcmp(word, "algorithm"))
        return *a->name ? kt_reading_fail(r, "a second algorithm: one file holds one") : read_word(r, a->name);
    if (!strcmp(word, "operation"))
        return read_word(r, a->operation);
    if (!strcmp(word, "routine"))
        return read_word(r, a->routine);
    if (!strcmp(word, "parameters"))
        return read_parameters(r);
    if (!strcmp(word, "matrix") || !strcmp(word, "vector"))
        return read_store(r, *word == 'v');
    *known = false;
    return KT_OK;
}

/* --- statements -------------------------------------------------------------------------------------------- */

struct kt_statement *kt_reading_append(struct kt_reading *r, enum kt_statement_kind kind)
{
    struct kt_algorithm *a = r->algorithm;
    struct kt_open_block *block = &r->block[r->blocks - 1];
    int added = (int)a->statements;
    a->statement = kt_room_for_one(a->statement, a->statements, sizeof *a->statement);
    a->statement[a->statements++] =
        (struct kt_statement){.kind = kind, .line = r->line, .next = -1, .body = -1, .other = -1};
    if (block->last >= 0)
        a->statement[block->last].next = added;
    else if (block->statement < 0)
        a->sub[block->sub].body = added;
    else if (block->is_other)
        a->statement[block->statement].other = added;
    else
        a->statement[block->statement].body = added;
    block->last = added;
    return &a->statement[added];
}

static enum kt_status open_block(struct kt_reading *r, int statement)
{
    if (r->blocks == KT_MOST_BLOCKS)
        return kt_reading_fail(r, "blocks nest deeper than %d", KT_MOST_BLOCKS);
    r->block[r->blocks++] = (struct kt_open_block){.statement = statement, .sub = r->sub, .last = -1, .line = r->line};
    return KT_OK;
}

static enum kt_status read_for(struct kt_reading *r)
{
    char name[KT_NAME];
    int variable;
    KT_TRY(kt_reading_name(r, name));
    KT_TRY(kt_reading_expect(r, '='));
    struct kt_statement *s = kt_reading_append(r, KT_FOR);
    KT_TRY(kt_reading_expr(r, &s->expr[0]));
    KT_TRY(kt_reading_expect(r, ','));
    KT_TRY(kt_reading_expr(r, &s->expr[1]));
    if (kt_reading_accept(r, ','))
        KT_TRY(kt_reading_expr(r, &s->expr[2]));
    KT_TRY(variable_of(r, name, &variable));
    s->target = variable;
    return open_block(r, (int)r->algorithm->statements - 1);
}

static enum kt_status read_if(struct kt_reading *r)
{
    struct kt_statement *s = kt_reading_append(r, KT_IF);
    KT_TRY(kt_reading_expr(r, &s->expr[0]));
    return open_block(r, (int)r->algorithm->statements - 1);
}

static enum kt_status read_else(struct kt_reading *r)
{
    struct kt_open_block *block = &r->block[r->blocks - 1];
    if (block->statement < 0 || r->algorithm->statement[block->statement].kind != KT_IF || block->is_other)
        return kt_reading_fail(r, "else without an if");
    block->is_other = true;
    block->last = -1;
    return KT_OK;
}

static enum kt_status read_block_end(struct kt_reading *r)
{
    if (r->blocks == 1)
        return kt_reading_fail(r, "end without a for, if or sub");
    if (r->block[--r->blocks].statement < 0)
        r->sub = 0;
    return KT_OK;
}

int kt_reading_sub(struct kt_reading *r, const char *name)
{
    struct kt_algorithm *a = r->algorithm;
    for (int i = 1; i < a->subs; i++)
        if (!strcmp(a->sub[i].name, name))
            return i;
    if (a->subs == KT_MOST_SUBS)
        return -1;
    struct kt_sub *sub = &a->sub[a->subs];
    *sub = (struct kt_sub){.line = r->line, .body = -1, .variables = a->globals};
    memcpy(sub->variable, a->sub[0].variable, (size_t)a->globals * sizeof *sub->variable);
    snprintf(sub->name, KT_NAME, "%s", name);
    return a->subs++;
}

static enum kt_status read_sub(struct kt_reading *r)
{
    char name[KT_NAME];
    KT_TRY(kt_reading_name(r, name));
    int index = kt_reading_sub(r, name);
    if (r->sub || r->blocks > 1)
        return kt_reading_fail(r, "a sub does not stand inside of anything");
    if (index < 0 || r->algorithm->sub[index].defined)
        return kt_reading_fail(r, index < 0 ? "more subs than %s%d" : "a second sub %s", index < 0 ? "" : name,
                               KT_MOST_SUBS - 1);
    struct kt_sub *sub = &r->algorithm->sub[r->sub = index];
    sub->defined = true;
    sub->line = r->line;
    KT_TRY(kt_reading_expect(r, '('));
    do {
        int variable;
        KT_TRY(kt_reading_name(r, name));
        KT_TRY(variable_of(r, name, &variable));
        if (variable != r->algorithm->globals + sub->passed)
            return kt_reading_fail(r, "%s is there twice", name);
        sub->passed++;
    } while (kt_reading_accept(r, ','));
    KT_TRY(kt_reading_expect(r, ')'));
    return open_block(r, -1);
}

static enum kt_status read_assignment(struct kt_reading *r, const char *name)
{
    int variable;
    struct kt_statement *s = kt_reading_append(r, KT_ASSIGN);
    KT_TRY(kt_reading_expr(r, &s->expr[0]));
    KT_TRY(variable_of(r, name, &variable));
    s->target = variable;
    return KT_OK;
}

static enum kt_status read_statement(struct kt_reading *r, const char *word)
{
    char name[KT_NAME];
    r->begun = true;
    if (!strcmp(word, "for"))
        return read_for(r);
    if (!strcmp(word, "if"))
        return read_if(r);
    if (!strcmp(word, "else"))
        return read_else(r);
    if (!strcmp(word, "end"))
        return read_block_end(r);
    if (!strcmp(word, "sub"))
        return read_sub(r);
    KT_TRY(kt_reading_name(r, name));
    if (kt_reading_accept(r, '='))
        return read_assignment(r, name);
    KT_TRY(kt_reading_expect(r, '('));
    return kt_reading_call(r, name);
}

/* --- lines ------------------------------------------------------------------------------------------------- */

static bool is_keyword(const char *word)
{
    static const char *const keyword[] = {"algorithm", "operation", "routine", "parameters", "matrix", "vector",
                                          "for",       "if",        "else",    "end",        "sub"};
    for (size_t i = 0; i < sizeof keyword / sizeof *keyword; i++)
        if (!strcmp(keyword[i], word))
            return true;
    return false;
}

/* Takes the keyword off the line's begin, and all blanks from what is behind it, or puts commas in their place. */
static void split_line(char *line, char word[KT_NAME])
{
    char *from = line + strspn(line, " \t");
    size_t length = strcspn(from, " \t");
    snprintf(word, KT_NAME, "%.*s", (int)length, from);
    if (is_keyword(word))
        from += length;
    else
        *word = '\0';
    from += strspn(from, " \t");
    bool commas = !strcmp(word, "parameters");
    char *to = line;
    for (; *from; from++)
        if (*from != ' ' && *from != '\t')
            *to++ = *from;
        else if (commas && from[1] && !strchr(" \t", from[1]))
            *to++ = ',';
    *to = '\0';
}

static enum kt_status read_line(struct kt_reading *r, char *line)
{
    char word[KT_NAME];
    bool known;
    line[strcspn(line, "#\r")] = '\0';
    split_line(line, word);
    r->at = line;
    if (!*word && !*line)
        return KT_OK;
    if (!*r->algorithm->name && strcmp(word, "algorithm") != 0)
        return kt_reading_fail(r, "expected 'algorithm NAME' first, not '%.20s'", *word ? word : line);
    KT_TRY(read_declaration(r, word, &known));
    if (!known)
        KT_TRY(read_statement(r, word));
    return read_end(r);
}

static enum kt_status check_calls(struct kt_reading *r)
{
    struct kt_algorithm *a = r->algorithm;
    for (int i = 1; i < a->subs; i++) {
        r->line = a->sub[i].line;
        if (!a->sub[i].defined)
            return kt_reading_fail(r, "%s is neither a routine of the table nor a sub of this algorithm",
                                   a->sub[i].name);
    }
    for (size_t i = 0; i < a->statements; i++) {
        const struct kt_statement *s = &a->statement[i];
        r->line = s->line;
        if (s->kind == KT_CALL_SUB && s->count != a->sub[s->target].passed)
            return kt_reading_fail(r, "%s takes %d arguments, not %d", a->sub[s->target].name, a->sub[s->target].passed,
                                   s->count);
    }
    return KT_OK;
}

static enum kt_status read_text(struct kt_reading *r, const char *text)
{
    char line[1024];
    for (r->line = 1; *text; r->line++) {
        size_t length = strcspn(text, "\n");
        if (length >= sizeof line)
            return kt_reading_fail(r, "the line is longer than %zu characters", sizeof line - 1);
        memcpy(line, text, length);
        line[length] = '\0';
        text += length + (text[length] == '\n');
        KT_TRY(read_line(r, line));
    }
    if (!*r->algorithm->name)
        return kt_reading_fail(r, "the file is empty: expected 'algorithm NAME'");
    if (r->blocks > 1) {
        r->line = r->block[r->blocks - 1].line;
        return kt_reading_fail(r, "what begins here has no end");
    }
    return check_calls(r);
}

enum kt_status kt_algorithm_parse(const char *text, const char *name, struct kt_algorithm **out, struct kt_error *error)
{
    struct kt_reading r = {.blocks = 1, .block[0] = {.statement = -1, .last = -1}, .error = error};
    *out = r.algorithm = kt_resize(NULL, 1, sizeof **out);
    **out = (struct kt_algorithm){.file = kt_copy(name), .subs = 1};
    (*out)->sub[0].body = -1;
    return read_text(&r, text);
}
