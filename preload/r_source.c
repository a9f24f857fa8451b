/* SPDX-License-Identifier: BSD-3-Clause */
#include "preload/r_source.h"

#include "preload/r_object.h"
#include "preload/scopes.h"

/* R's own variables: names of attributes. */
static const char *const *source_symbol;
static const char *const *file_symbol;
static const char *const *class_symbol;

/* --- the name of a file -------------------------------------------------------------------------------------- */

/* R never frees symbols. */
static bool is_filename(const char *at)
{
    static const char *known;
    const char *symbol = kt_readable_pointer(at);
    if (symbol == known)
        return known != NULL;
    symbol = kt_r_object_at(at, KT_R_SYMBOL);
    const char *text = symbol ? kt_r_object_at(symbol + KT_R_NAME, KT_R_TEXT) : NULL;
    if (!text || !kt_r_is_text(text, "filename"))
        return false;
    known = symbol;
    return true;
}

/* What of a chain of a table is the file's name. */
static const char *name_in_chain(const char *at)
{
    enum { MOST = 32 };
    const char *pair = kt_r_object_at(at, KT_R_PAIRS);
    for (int i = 0; pair && i < MOST; i++) {
        if (is_filename(pair + KT_R_TAG)) {
            const char *texts = kt_r_vector_at(pair + KT_R_FIRST, KT_R_TEXTS);
            const char *first = texts ? kt_r_element(texts, 0, sizeof(char *)) : NULL;
            return first ? kt_r_object_at(first, KT_R_TEXT) : NULL;
        }
        pair = kt_r_object_at(pair + KT_R_REST, KT_R_PAIRS);
    }
    return NULL;
}

/* Tables of one length have the name in the same place: the next search begins there. */
static const char *name_of(const char *file)
{
    enum { MOST = 1000 };
    static size_t place;
    const char *table = kt_r_vector_at(file + KT_R_TABLE, KT_R_LIST);
    const size_t chains = table ? kt_r_length(table) : 0;
    if (!chains || chains > MOST || !kt_readable(table + KT_R_BYTES, chains * sizeof(char *)))
        return NULL;
    for (size_t i = 0; i < chains; i++) {
        const size_t at = (place + i) % chains;
        const char *name = name_in_chain(table + KT_R_BYTES + at * sizeof(char *));
        if (name) {
            place = at;
            return kt_r_length(name) ? name : NULL;
        }
    }
    return NULL;
}

/* --- references ---------------------------------------------------------------------------------------------- */

static struct kt_r_source read_at(const char *at)
{
    enum { FIRST_LINE, FIRST_BYTE, LAST_LINE, LAST_BYTE, NUMBERS };
    struct kt_r_source none = {0}, source = {0};
    const char *reference = kt_r_vector_at(at, KT_R_INTEGERS);
    if (!reference || kt_r_length(reference) < NUMBERS || !kt_readable(reference, KT_R_BYTES + NUMBERS * 4))
        return none;
    const char *attribute = kt_r_attribute(reference, *file_symbol);
    source.file = attribute ? kt_r_object_at(attribute, KT_R_ENVIRONMENT) : NULL;
    if (!source.file)
        return none;
    uint32_t numbers[NUMBERS];
    memcpy(numbers, reference + KT_R_BYTES, sizeof numbers);
    source.reference = reference;
    source.begin = (uint64_t)numbers[FIRST_LINE] << 32 | numbers[FIRST_BYTE];
    source.end = (uint64_t)numbers[LAST_LINE] << 32 | numbers[LAST_BYTE];
    return source;
}

struct kt_r_source kt_r_source_read(const char *reference)
{
    struct kt_r_source none = {0}, source = read_at((const char *)&reference);
    source.name = source.file ? name_of(source.file) : NULL;
    return source.name ? source : none;
}

struct kt_r_source kt_r_source_of_function(const char *closure)
{
    const char *attribute = kt_r_attribute(closure, *source_symbol);
    struct kt_r_source none = {0};
    return attribute ? read_at(attribute) : none;
}

/* --- bytecode ------------------------------------------------------------------------------------------------ */

static bool is_index(const char *integers)
{
    const char *attribute = kt_r_attribute(integers, *class_symbol);
    const char *classes = attribute ? kt_r_vector_at(attribute, KT_R_TEXTS) : NULL;
    const char *first = classes ? kt_r_element(classes, 0, sizeof(char *)) : NULL;
    const char *text = first ? kt_r_object_at(first, KT_R_TEXT) : NULL;
    return text && kt_r_is_text(text, "srcrefsIndex");
}

/* It is among the last of the constants. */
static const char *index_among(const char *constants)
{
    enum { LAST = 4 };
    const size_t count = kt_r_length(constants);
    for (size_t i = 1; i <= LAST && i <= count; i++) {
        const char *at = kt_r_element(constants, count - i, sizeof(char *));
        const char *integers = at ? kt_r_vector_at(at, KT_R_INTEGERS) : NULL;
        if (integers && is_index(integers))
            return integers;
    }
    return NULL;
}

const char *kt_r_source_of_bytecode(const char *bytecode, size_t n)
{
    const char *constants = kt_r_vector_at(bytecode + KT_R_REST, KT_R_LIST);
    const char *index = constants ? index_among(constants) : NULL;
    const char *at = index ? kt_r_element(index, n, sizeof(int32_t)) : NULL;
    int32_t i;
    if (!at)
        return NULL;
    memcpy(&i, at, sizeof i);
    at = i >= 0 ? kt_r_element(constants, (size_t)i, sizeof(char *)) : NULL;
    return at ? kt_readable_pointer(at) : NULL;
}

/* --- the start ----------------------------------------------------------------------------------------------- */

bool kt_r_source_find(void)
{
    source_symbol = kt_scopes_find_first("R_SrcrefSymbol");
    file_symbol = kt_scopes_find_first("R_SrcfileSymbol");
    class_symbol = kt_scopes_find_first("R_ClassSymbol");
    return source_symbol && file_symbol && class_symbol;
}
