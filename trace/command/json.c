/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * JSON strings are UTF-8, but paths and arguments of programs are any bytes: what is not UTF-8 is read as Latin-1.
 */
#include "trace/command/json.h"

#include "trace/base/memory.h"
#include "trace/print/text.h"
#include "trace/print/text_file.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <unistd.h>
#include <sys/stat.h>

json_t *kt_json_number(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}

json_t *kt_json_count(double count)
{
    static const double most = 9e18; /* below 2^63 */
    return count >= 0 && count < most ? json_integer((json_int_t)count) : json_null();
}

/* COUNT Latin-1 characters. */
static json_t *latin1(const char *text, size_t count)
{
    char *utf8 = kt_resize(NULL, 2 * count + 1, 1);
    size_t length = 0;
    for (size_t i = 0; i < count; i++) {
        unsigned char c = (unsigned char)text[i];
        if (c >= 0x80)
            utf8[length++] = (char)(0xc0 | c >> 6);
        utf8[length++] = (char)(c >= 0x80 ? 0x80 | (c & 0x3f) : c);
    }
    json_t *string = json_stringn(utf8, length);
    free(utf8);
    return string;
}

json_t *kt_json_text(const char *text)
{
    json_t *string = json_string(text);
    return string ? string : latin1(text, strlen(text));
}

json_t *kt_json_processor(int processor)
{
    return processor < 0 ? json_null() : json_integer(processor);
}

json_t *kt_json_text_or_null(const char *text)
{
    return text && *text ? kt_json_text(text) : json_null();
}

void kt_json_set_named(json_t *object, const char *key, json_t *value)
{
    char *copy = kt_copy(key);
    json_t *text = kt_json_text(kt_text_clean(copy));
    json_object_set_new(object, json_string_value(text), value);
    json_decref(text);
    free(copy);
}

json_t *kt_json_address(uint64_t address)
{
    return json_sprintf("0x%" PRIx64, address);
}

json_t *kt_json_stat(const struct kt_stat *stat)
{
    json_t *object = json_object();
    json_object_set_new(object, "best", kt_json_number(stat->best));
    json_object_set_new(object, "min", kt_json_number(stat->min));
    json_object_set_new(object, "median", kt_json_number(stat->median));
    json_object_set_new(object, "lo", kt_json_number(stat->lo));
    json_object_set_new(object, "hi", kt_json_number(stat->hi));
    json_object_set_new(object, "n", json_integer((json_int_t)stat->n));
    if (stat->resolution > 0)
        json_object_set_new(object, "resolution", kt_json_number(stat->resolution));
    return object;
}

static json_t *stored(const unsigned char *args, const struct kt_param *p)
{
    int64_t integer;
    double imaginary;
    double real;
    switch (p->stored) {
    case KT_CHAR:
        return latin1((const char *)args + p->offset, 1);
    case KT_ADDRESS:
    case KT_CODE:
        return kt_json_address(kt_stored_address(args, p));
    case KT_ENUM:
        return json_integer((json_int_t)kt_stored_value(args, p, NULL));
    case KT_INT:
        memcpy(&integer, args + p->offset, sizeof integer);
        return json_integer(integer);
    case KT_CFLOAT:
    case KT_CDOUBLE:
        real = kt_stored_value(args, p, &imaginary);
        return json_pack("[o,o]", kt_json_number(real), kt_json_number(imaginary));
    default:
        return kt_json_number(kt_stored_value(args, p, NULL));
    }
}

json_t *kt_json_args(const struct kt_call *call, bool addresses)
{
    const struct kt_symbol *symbol = &call->entry->symbol;
    json_t *object = json_object();
    for (int i = 0; i < symbol->params; i++) {
        const struct kt_param *p = &symbol->param[i];
        bool info = p->arg >= 0 && symbol->routine->arg[p->arg].role == KT_INFO;
        if (!info && (addresses || !kt_stored_is_address(p->stored)))
            json_object_set_new(object, p->name, stored(call->args, p));
    }
    return object;
}

static void print(json_t *document, size_t flags)
{
    if (json_dumpf(document, stdout, flags) != 0 && !ferror(stdout))
        kt_notice("the result cannot be written as JSON and is cut off");
    putchar('\n');
    json_decref(document);
}

void kt_json_print(json_t *document)
{
    print(document, JSON_INDENT(2));
}

void kt_json_print_line(json_t *document)
{
    print(document, JSON_COMPACT);
}

static enum kt_status not_json(const char *path, const json_error_t *cause, struct kt_error *error)
{
    return kt_fail(error, KT_BAD_INPUT, "%s:%d: not JSON: %s", path, cause->line, cause->text);
}

enum kt_status kt_json_take(const char *path, const void *bytes, size_t size, json_t **out, struct kt_error *error)
{
    json_error_t cause;
    *out = json_loadb(bytes, size, 0, &cause);
    return *out ? KT_OK : not_json(path, &cause, error);
}

enum kt_status kt_json_load(const char *path, json_t **out, struct kt_error *error)
{
    json_error_t cause;
    FILE *file = fopen(path, "r");
    *out = NULL;
    if (!file)
        return kt_fail(error, errno == ENOENT ? KT_BAD_INPUT : KT_SYSTEM, "%s: %s", path, strerror(errno));
    *out = json_loadf(file, 0, &cause);
    fclose(file);
    return *out ? KT_OK : not_json(path, &cause, error);
}

enum kt_status kt_json_companion(const struct kt_files *files, const char *name, char *path, size_t size, json_t **out,
                                 struct kt_error *error)
{
    size_t bytes;
    struct stat st;
    *out = NULL;
    kt_files_companion(files, name, path, size);
    const unsigned char *packed = kt_files_view(files, name, &bytes);
    if (stat(path, &st) == 0 && S_ISREG(st.st_mode))
        return kt_json_load(path, out, error);
    return packed ? kt_json_take(path, packed, bytes, out, error) : KT_OK;
}

enum kt_status kt_json_save(json_t *document, const char *path, struct kt_error *error)
{
    struct kt_text_file text;
    enum kt_status status = kt_text_file_begin(&text, path, error);
    if (status == KT_OK) {
        bool is_json = json_dumpf(document, text.file, JSON_INDENT(2)) == 0;
        putc('\n', text.file);
        status = kt_text_file_end(&text, error);
        if (status == KT_OK && !is_json)
            status = kt_fail(error, KT_SYSTEM, "%s: the result cannot be written as JSON", path);
    }
    json_decref(document);
    return status;
}
