/* SPDX-License-Identifier: BSD-3-Clause */
#include "preload/r.h"

#include "preload/line_numbers.h"
#include "preload/readable.h"
#include "preload/scopes.h"
#include "preload/system.h"

#include <pthread.h>
#include <setjmp.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

bool kt_reads_r;

/* --- where things lie ---------------------------------------------------------------------------------------- */

/* RCNTXT, as far as it is looked at. */
struct context {
    struct context *outer;
    int flag;
    sigjmp_buf jump;
    int protected, depth;
    const char *promises, *function, *parent, *call;
};

/* Types of objects, in the low bits of their first word. */
enum { SYMBOL = 1, PAIRS = 2, CLOSURE = 3, ENVIRONMENT = 4, CALL = 6, TEXT = 9, TYPE_BITS = 5 };

/* In an object, behind its head: a symbol's text; a pair's first and rest; a closure's environment; an environment's
 * enclosing one; a text's bytes, and how many. */
enum { HEAD = 32, NAME = 32, FIRST = 32, REST = 40, SCOPE = 48, ENCLOSING = 40, LENGTH = 32, BYTES = 48, OBJECT = 56 };

enum { IS_FUNCTION = 4, MOST_CONTEXTS = 200, MOST_SCOPES = 64 };

/* R's own variables. */
static const struct context *const *innermost;
static const char *const *program_scope; /* the scope of scripts */
static const char *const *base_scope;    /* that of R's own package, which encloses those of all packages */
static pthread_t owner;

static bool is_of_type(const char *object, unsigned type)
{
    uint32_t head;
    memcpy(&head, object, sizeof head);
    return (head & ((1u << TYPE_BITS) - 1)) == type;
}

/* The object that the pointer at AT points to, if it is of that type. */
static const char *object_at(const char *at, unsigned type)
{
    const char *object = kt_readable_object(at, OBJECT);
    return object && is_of_type(object, type) ? object : NULL;
}

/* --- what a function is called ------------------------------------------------------------------------------- */

static size_t append_symbol(const char *symbol, char out[KT_LINE_TEXT], size_t length)
{
    const char *text = symbol ? object_at(symbol + NAME, TEXT) : NULL;
    size_t bytes;
    if (!text)
        return length;
    memcpy(&bytes, text + LENGTH, sizeof bytes);
    if (bytes >= KT_LINE_TEXT - length || !kt_readable(text + BYTES, bytes + 1))
        return length;
    memcpy(out + length, text + BYTES, bytes);
    out[length + bytes] = '\0';
    return length + bytes;
}

/* package::function, which is a call of `::` with two symbols. */
static void read_qualified(const char *call, char out[KT_LINE_TEXT])
{
    const char *first = object_at(call + REST, PAIRS);
    const char *second = first ? object_at(first + REST, PAIRS) : NULL;
    if (!second || !object_at(first + FIRST, SYMBOL) || !object_at(second + FIRST, SYMBOL))
        return;
    size_t length = append_symbol(object_at(first + FIRST, SYMBOL), out, 0);
    length = append_symbol(object_at(call + FIRST, SYMBOL), out, length);
    append_symbol(object_at(second + FIRST, SYMBOL), out, length);
}

/* --- whose it is --------------------------------------------------------------------------------------------- */

/* Packages' functions are made in scopes that R's own encloses; those of the program, and what these make, are not. */
static bool is_of_program(const char *scope)
{
    for (int i = 0; scope && scope != *base_scope && i < MOST_SCOPES; i++) {
        if (scope == *program_scope)
            return true;
        scope = object_at(scope + ENCLOSING, ENVIRONMENT);
    }
    return false;
}

/* Functions of R that run what the program gives them: who wrote eval(f()) calls f. */
static bool evaluates(const char *name)
{
    static const char *const names[] = {"source",
                                        "sys.source",
                                        "withVisible",
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

static void tell(const struct kt_met_line *line, struct kt_line_told *out)
{
    out->number = 0;
    *out->file = *out->function = '\0';
    if (!line->name)
        strcpy(out->function, "(top level)");
    else if (is_of_type(line->name, SYMBOL))
        append_symbol(line->name, out->function, 0);
    else if (is_of_type(line->name, CALL))
        read_qualified(line->name, out->function);
    if (!*out->function)
        strcpy(out->function, "(function)");
    out->kind = is_of_program(line->filename) ? KT_LINE_OWN
                : evaluates(out->function)    ? KT_LINE_EVALUATOR
                                              : KT_LINE_LIBRARY;
}

/* --- the functions of a call --------------------------------------------------------------------------------- */

/* Without a number where the context is not that of a function. */
static struct kt_met_line function_of(const struct context *context, uint32_t parent)
{
    struct kt_met_line line = {.parent = parent};
    if (!(context->flag & IS_FUNCTION))
        return line;
    const char *function = object_at((const char *)&context->function, CLOSURE);
    const char *call = object_at((const char *)&context->call, CALL);
    const char *scope = function ? object_at(function + SCOPE, ENVIRONMENT) : NULL;
    const char *name = call ? kt_readable_object(call + FIRST, OBJECT) : NULL;
    if (!scope || !name)
        return line;
    line.code = (uintptr_t)function;
    line.filename = scope;
    line.name = name;
    kt_line_numbers_meet(&line, tell);
    return line;
}

/* What no function makes, the script does. */
static uint32_t top_level(void)
{
    struct kt_met_line line = {.code = (uintptr_t)program_scope, .filename = *program_scope};
    kt_line_numbers_meet(&line, tell);
    return line.id;
}

static const struct context *context_at(const struct context *const *at)
{
    return (const struct context *)(const void *)kt_readable_object((const char *)at, sizeof(struct context));
}

static const struct context *outer(const struct context *context)
{
    return context_at((const struct context *const *)&context->outer);
}

/* With the functions that called it, the outermost first. */
static uint32_t path_to(const struct context *context)
{
    const struct context *above[MOST_CONTEXTS / 4];
    unsigned count = 0;
    uint32_t parent = 0;
    for (; context && count < sizeof above / sizeof *above; context = outer(context))
        above[count++] = context;
    while (count) {
        struct kt_met_line line = function_of(above[--count], parent);
        parent = line.id && line.kind != KT_LINE_EVALUATOR ? line.id : parent;
    }
    return parent;
}

static bool whole_paths;

uint32_t kt_r_line(void)
{
    const struct context *context = pthread_equal(pthread_self(), owner) ? context_at(innermost) : NULL;
    const struct context *found = NULL;
    uint32_t id = 0;
    if (!context)
        return 0;
    for (unsigned i = 0; context && i < MOST_CONTEXTS; i++, context = outer(context)) {
        struct kt_met_line line = function_of(context, 0);
        if (!line.id || line.kind == KT_LINE_EVALUATOR)
            continue;
        found = context;
        id = line.id;
        if (line.kind == KT_LINE_OWN)
            break;
    }
    if (!found)
        return top_level();
    return whole_paths ? path_to(found) : id;
}

/* --- the start ----------------------------------------------------------------------------------------------- */

void kt_r_find(bool paths)
{
    innermost = kt_scopes_find_first("R_GlobalContext");
    program_scope = kt_scopes_find_first("R_GlobalEnv");
    base_scope = kt_scopes_find_first("R_BaseNamespace");
    owner = pthread_self();
    whole_paths = paths;
    kt_reads_r = innermost && program_scope && base_scope && kt_system_call(SYS_gettid) == getpid();
}
