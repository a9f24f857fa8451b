/* SPDX-License-Identifier: BSD-3-Clause */
#include "preload/r.h"

#include "preload/line_numbers.h"
#include "preload/r_context.h"
#include "preload/r_source.h"
#include "preload/scopes.h"
#include "preload/system.h"

#include <pthread.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

bool kt_reads_r;

/* --- where things lie ---------------------------------------------------------------------------------------- */

enum { MOST_SCOPES = 64 };

/* R's own variables. */
static const struct kt_r_context *const *innermost;
static const char *const *program_scope; /* the scope of scripts */
static const char *const *base_scope;    /* that of R's own package, which encloses those of all packages */
static pthread_t owner;

/* --- what a function is called ------------------------------------------------------------------------------- */

static size_t append_text(const char *text, char out[KT_LINE_TEXT], size_t length)
{
    const size_t bytes = kt_r_length(text);
    if (bytes >= KT_LINE_TEXT - length || !kt_readable(text + KT_R_BYTES, bytes + 1))
        return length;
    memcpy(out + length, text + KT_R_BYTES, bytes);
    out[length + bytes] = '\0';
    return length + bytes;
}

static size_t append_symbol(const char *symbol, char out[KT_LINE_TEXT], size_t length)
{
    const char *text = symbol ? kt_r_object_at(symbol + KT_R_NAME, KT_R_TEXT) : NULL;
    return text ? append_text(text, out, length) : length;
}

/* package::function, which is a call of `::` with two symbols. */
static void read_qualified(const char *call, char out[KT_LINE_TEXT])
{
    const char *first = kt_r_object_at(call + KT_R_REST, KT_R_PAIRS);
    const char *second = first ? kt_r_object_at(first + KT_R_REST, KT_R_PAIRS) : NULL;
    if (!second || !kt_r_object_at(first + KT_R_FIRST, KT_R_SYMBOL) ||
        !kt_r_object_at(second + KT_R_FIRST, KT_R_SYMBOL))
        return;
    size_t length = append_symbol(kt_r_object_at(first + KT_R_FIRST, KT_R_SYMBOL), out, 0);
    length = append_symbol(kt_r_object_at(call + KT_R_FIRST, KT_R_SYMBOL), out, length);
    append_symbol(kt_r_object_at(second + KT_R_FIRST, KT_R_SYMBOL), out, length);
}

/* --- whose it is --------------------------------------------------------------------------------------------- */

/* Packages' functions are made in scopes that R's own encloses; those of the program, and what these make, are not. */
static bool is_of_program(const char *scope)
{
    for (int i = 0; scope && scope != *base_scope && i < MOST_SCOPES; i++) {
        if (scope == *program_scope)
            return true;
        scope = kt_r_object_at(scope + KT_R_ENCLOSING, KT_R_ENVIRONMENT);
    }
    return false;
}

/* Functions of R that run what the program gives them: who wrote eval(f()) calls f. */
static bool evaluates(const char *name)
{
    static const char *const names[] = {"withVisible",
                                        "eval",
                                        "eval.parent",
                                        "evalq",
                                        "local",
                                        "with",
                                        "with.default",
                                        "try",
                                        "tryCatch",
                                        "tryCatchList",
                                        "tryCatchOne",
                                        "doTryCatch",
                                        "suppressWarnings",
                                        "suppressMessages",
                                        "withCallingHandlers",
                                        "system.time",
                                        "invisible",
                                        "print"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!strcmp(name, names[i]))
            return true;
    return false;
}

/* They run a script. */
static bool reads_script(const char *name)
{
    return !strcmp(name, "source") || !strcmp(name, "sys.source");
}

/* TABLE is the name of the file, if the line is known. */
static void tell(const struct kt_met_line *line, struct kt_line_told *out)
{
    *out->file = *out->function = '\0';
    if (!line->name)
        strcpy(out->function, "(top level)");
    else if (kt_r_is_of_type(line->name, KT_R_SYMBOL))
        append_symbol(line->name, out->function, 0);
    else if (kt_r_is_of_type(line->name, KT_R_CALL))
        read_qualified(line->name, out->function);
    if (!*out->function)
        strcpy(out->function, "(function)");
    if (line->table)
        append_text(line->table, out->file, 0);
    out->number = *out->file ? line->first_line : 0;
    out->language = "R";
    out->kind = is_of_program(line->filename) ? KT_LINE_OWN
                : reads_script(out->function) ? KT_LINE_SCRIPT
                : evaluates(out->function)    ? KT_LINE_EVALUATOR
                                              : KT_LINE_LIBRARY;
}

/* --- the functions of a call --------------------------------------------------------------------------------- */

static void meet(struct kt_met_line *line, const struct kt_r_source *at, uint32_t parent)
{
    line->parent = parent;
    if (at->reference) {
        line->at = (uintptr_t)at->reference;
        line->first_line = (int32_t)(at->begin >> 32);
        line->table = at->name;
        line->table_begin = (uintptr_t)at->file;
    }
    kt_line_numbers_meet(line, tell);
}

/* At that place in it. Without a number where the context is not that of a function. */
static struct kt_met_line function_of(const struct kt_r_context *context, const struct kt_r_source *at, uint32_t parent)
{
    struct kt_met_line line = {0};
    const char *function = kt_r_context_closure(context);
    const char *call = function ? kt_r_object_at((const char *)&context->call, KT_R_CALL) : NULL;
    const char *scope = function ? kt_r_object_at(function + KT_R_SCOPE, KT_R_ENVIRONMENT) : NULL;
    const char *name = call ? kt_readable_object(call + KT_R_FIRST, KT_R_OBJECT) : NULL;
    if (!scope || !name)
        return line;
    line.code = (uintptr_t)function;
    line.filename = scope;
    line.name = name;
    meet(&line, at, parent);
    return line;
}

/* What no function makes, the script does. */
static uint32_t top_level(const struct kt_r_source *at, uint32_t parent)
{
    struct kt_met_line line = {.code = (uintptr_t)program_scope, .filename = *program_scope};
    meet(&line, at, parent);
    return line.id;
}

/* --- from context to context --------------------------------------------------------------------------------- */

/* A function that runs, or the script; the statement in it, if that is known. */
struct row {
    const struct kt_r_context *context; /* NULL: the script */
    uint32_t id;                        /* of the function without a line */
    enum kt_line_kind kind;
    struct kt_r_source at;
};

/* Arguments are evaluated when they are used, so a statement may belong to a function further outside. */
struct walk {
    const struct kt_r_context *inner, *next;
    const struct kt_r_context *read; /* statements inside of it were looked at */
    struct kt_r_source statement;    /* the innermost one whose function is not found yet */
    bool is_lost;                    /* it cannot be known: those further outside are others */
    int left;
};

static bool knows_statements;

static const struct kt_r_source nowhere;

static void step(struct walk *walk)
{
    walk->inner = walk->next;
    walk->next = --walk->left > 0 ? kt_r_context_outer(walk->next) : NULL;
}

/* Looks at the contexts up to the next one for a statement, unless there is one. */
static void find_statement(struct walk *walk)
{
    const struct kt_r_context *inner = walk->read;
    while (knows_statements && !walk->is_lost && !walk->statement.reference) {
        walk->statement = kt_r_source_read(kt_r_context_statement_outside(inner));
        if (inner == walk->inner)
            break;
        inner = inner ? kt_r_context_outer(inner) : kt_r_context_at(innermost);
    }
    walk->read = walk->next;
}

/* A function further outside has the statement in it, or the script has. */
static bool is_written_outside(const struct walk *walk)
{
    const struct kt_r_context *context = walk->next;
    for (int i = walk->left; context && i > 0; i--) {
        const struct kt_r_source running = kt_r_source_read(kt_r_context_statement_outside(context));
        if (kt_r_source_contains(&running, &walk->statement))
            return true;
        context = kt_r_context_outer(context);
        const char *closure = context ? kt_r_context_closure(context) : NULL;
        const struct kt_r_source function = closure ? kt_r_source_of_function(closure) : nowhere;
        if (kt_r_source_contains(&function, &walk->statement))
            return true;
    }
    return false;
}

/* The script, where a statement is known that is of no function. */
static bool read_script(struct walk *walk, struct row *out)
{
    find_statement(walk);
    if (!walk->statement.reference)
        return false;
    *out = (struct row){.kind = KT_LINE_OWN, .at = walk->statement};
    walk->statement = nowhere;
    return true;
}

/* Of the argument of local() the compiler makes a function without a name and a reference. */
static bool may_have_statement(const struct kt_met_line *function, const struct kt_r_source *whole)
{
    return whole->reference || !kt_r_is_of_type(function->name, KT_R_SYMBOL);
}

/* False: the statement at hand is of a function that called this one. */
static bool read_function(struct walk *walk, const struct kt_met_line *line, struct row *out)
{
    const bool is_own = line->kind == KT_LINE_OWN;
    const struct kt_r_source whole =
        knows_statements ? kt_r_source_of_function(kt_r_context_closure(walk->next)) : nowhere;
    if (may_have_statement(line, &whole))
        find_statement(walk);
    const bool contains = kt_r_source_contains(&whole, &walk->statement);
    if (is_own && !contains && walk->statement.reference && is_written_outside(walk))
        return false;
    *out = (struct row){walk->next, line->id, line->kind, contains ? walk->statement : nowhere};
    if (contains || is_own) {
        walk->statement = nowhere;
        walk->is_lost = false;
        walk->read = walk->next;
    }
    return true;
}

/* The next function further outside that does more than to run what it was given. */
static bool next_row(struct walk *walk, struct row *out)
{
    bool is_found = false;
    for (; walk->next && !is_found; step(walk)) {
        const struct kt_met_line line = function_of(walk->next, &nowhere, 0);
        if (!line.id || line.kind == KT_LINE_EVALUATOR)
            continue;
        if (line.kind == KT_LINE_SCRIPT) {
            is_found = read_script(walk, out);
            walk->is_lost = !is_found;
        } else {
            is_found = read_function(walk, &line, out);
        }
    }
    if (is_found)
        return true;
    is_found = read_script(walk, out);
    walk->is_lost = true;
    return is_found;
}

/* --- with what called it ------------------------------------------------------------------------------------- */

static uint32_t number_of(const struct row *row, uint32_t parent)
{
    if (!row->context)
        return top_level(&row->at, parent);
    if (!row->at.reference && !parent)
        return row->id;
    return function_of(row->context, &row->at, parent).id;
}

/* With what called ROW, the outermost first. */
static uint32_t path_to(struct row row, struct walk *walk)
{
    struct {
        const struct kt_r_context *context;
        const char *reference;
        uint32_t id;
    } rows[KT_R_MOST_CONTEXTS / 4];
    unsigned count = 0;
    uint32_t parent = 0;
    do {
        rows[count].context = row.context;
        rows[count].reference = row.at.reference;
        rows[count++].id = row.id;
    } while (count < sizeof rows / sizeof *rows && next_row(walk, &row));
    while (count--) {
        row = (struct row){.context = rows[count].context, .id = rows[count].id};
        row.at = rows[count].reference ? kt_r_source_read(rows[count].reference) : nowhere;
        const uint32_t id = number_of(&row, parent);
        parent = id ? id : parent;
    }
    return parent;
}

/* --- a call's line ------------------------------------------------------------------------------------------- */

static bool whole_paths;

static uint32_t read_line(const struct kt_r_context *context)
{
    struct walk walk = {.next = context, .left = KT_R_MOST_CONTEXTS};
    struct row row = {.kind = KT_LINE_EVALUATOR};
    while (row.kind != KT_LINE_OWN && next_row(&walk, &row))
        ;
    if (row.kind == KT_LINE_EVALUATOR)
        return top_level(&nowhere, 0);
    return whole_paths && row.kind == KT_LINE_OWN ? path_to(row, &walk) : number_of(&row, 0);
}

/* Loops make calls in the same chain of contexts. */
enum { CHAINS = 1024 };
static struct {
    uint64_t hash;
    uint32_t id; /* 0: free */
} chains[CHAINS];

static uint32_t read_path(const struct kt_r_context *context)
{
    const uint64_t hash = kt_r_context_hash(context);
    const size_t at = hash % CHAINS;
    if (!chains[at].id || chains[at].hash != hash) {
        chains[at].id = read_line(context);
        chains[at].hash = hash;
    }
    return chains[at].id;
}

uint32_t kt_r_line(void)
{
    const struct kt_r_context *context = pthread_equal(pthread_self(), owner) ? kt_r_context_at(innermost) : NULL;
    if (!context)
        return 0;
    if (KT_UNLIKELY(!knows_statements))
        knows_statements = kt_r_context_knows_statements(context);
    return whole_paths ? read_path(context) : read_line(context);
}

/* --- the start ----------------------------------------------------------------------------------------------- */

void kt_r_find(bool paths)
{
    innermost = kt_scopes_find_first("R_GlobalContext");
    program_scope = kt_scopes_find_first("R_GlobalEnv");
    base_scope = kt_scopes_find_first("R_BaseNamespace");
    owner = pthread_self();
    whole_paths = paths;
    knows_statements = false;
    memset(chains, 0, sizeof chains);
    kt_reads_r = innermost && program_scope && base_scope && kt_system_call(SYS_gettid) == getpid();
    if (kt_reads_r)
        kt_r_context_start();
}
