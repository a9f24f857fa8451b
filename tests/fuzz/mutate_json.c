/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Changes values of a JSON document, most often so that it stays one: another value of the document in its place, a
 * word, none, or the value twice. Keys count as values.
 */
#include "tests/fuzz/mutate.h"

#include <stdbool.h>
#include <string.h>

enum { LONGEST = 2048 };

struct value {
    size_t at, length;
};

static const char *const words[] = {
    "null",
    "true",
    "0",
    "1",
    "-1",
    "2",
    "3",
    "5",
    "64",
    "65536",
    "2147483648",
    "4294967296",
    "1099511627777",
    "9223372036854775807",
    "-9223372036854775808",
    "0.5",
    "-0.0",
    "1e-320",
    "1e308",
    "-1e308",
    "\"\"",
    "\"x\"",
    "\"%s%n\"",
    "\"\\u001b[2J\"",
    "\"\\u009b1m\\n\"",
    "\"a name that is longer than any that a routine or an option could ever have had\"",
    "[]",
    "[0]",
    "[[]]",
    "{}",
    "{\"\": 0}"};

static size_t end_of_string(const unsigned char *bytes, size_t size, size_t at)
{
    for (at++; at < size && bytes[at] != '"'; at++)
        at += bytes[at] == '\\';
    return at < size ? at + 1 : size;
}

/* Behind the bracket that closes the one at AT. */
static size_t end_of_list(const unsigned char *bytes, size_t size, size_t at)
{
    int depth = 0;
    while (at < size) {
        if (bytes[at] == '"') {
            at = end_of_string(bytes, size, at);
            continue;
        }
        depth += bytes[at] == '[' || bytes[at] == '{';
        depth -= bytes[at] == ']' || bytes[at] == '}';
        at++;
        if (depth <= 0)
            return at;
    }
    return size;
}

static struct value value_at(const unsigned char *bytes, size_t size, size_t at)
{
    size_t end = at;
    if (bytes[at] == '"')
        end = end_of_string(bytes, size, at);
    else if (bytes[at] == '[' || bytes[at] == '{')
        end = end_of_list(bytes, size, at);
    else
        while (end < size && !(bytes[end] && strchr(",]}: \n", bytes[end])))
            end++;
    return (struct value){at, end - at};
}

/* The value that begins at or behind a random place, behind what separates values. */
static struct value pick(const unsigned char *bytes, size_t size, uint64_t *random)
{
    size_t at = kt_draw(random, size);
    while (at < size && !(bytes[at] && strchr("[{,:", bytes[at])))
        at++;
    while (at < size && bytes[at] && strchr("[{,: \n", bytes[at]) && kt_draw(random, 8))
        at++;
    return at < size ? value_at(bytes, size, at) : (struct value){0, size};
}

/* With the comma behind it. */
static size_t remove_value(unsigned char *bytes, size_t size, size_t room, struct value value)
{
    size_t end = value.at + value.length;
    value.length += end < size && bytes[end] == ',';
    return kt_mutate_replace(bytes, size, room, value.at, value.length, "", 0);
}

/* The value, a comma and the value again. */
static size_t repeat(unsigned char *bytes, size_t size, size_t room, struct value value)
{
    char text[LONGEST + 1];
    if (value.length > LONGEST)
        return size;
    memcpy(text, bytes + value.at, value.length);
    text[value.length] = ',';
    return kt_mutate_replace(bytes, size, room, value.at, 0, text, value.length + 1);
}

size_t kt_mutate_json(unsigned char *bytes, size_t size, size_t room, uint64_t *random)
{
    if (size == 0)
        return kt_mutate_replace(bytes, 0, room, 0, 0, "{}", 2);
    struct value value = pick(bytes, size, random);
    struct value other = pick(bytes, size, random);
    const char *word = words[kt_draw(random, sizeof words / sizeof *words)];
    switch (kt_draw(random, 10)) {
    case 0:
    case 1:
    case 2:
    case 3:
        return kt_mutate_replace(bytes, size, room, value.at, value.length, word, strlen(word));
    case 4:
    case 5:
        return other.length <= LONGEST
                   ? kt_mutate_replace(bytes, size, room, value.at, value.length, bytes + other.at, other.length)
                   : size;
    case 6:
        return remove_value(bytes, size, room, value);
    case 7:
        return repeat(bytes, size, room, value);
    default:
        return kt_mutate_bytes(bytes, size, room, random);
    }
}
