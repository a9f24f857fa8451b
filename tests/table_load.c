/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/table_load.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct kt_table kt_spec_table;

static char *read_all(FILE *file)
{
    size_t room = 4096;
    size_t length = 0;
    char *text = NULL;
    do {
        room *= 2;
        text = realloc(text, room + 1);
        if (!text)
            abort();
        length += fread(text + length, 1, room - length, file);
    } while (length == room);
    text[length] = '\0';
    return text;
}

char *kt_text_load(const char *path, struct kt_error *error)
{
    FILE *file = fopen(path, "r");
    if (!file) {
        kt_fail(error, KT_BAD_INPUT, "%s: cannot be read: %s", path, strerror(errno));
        return NULL;
    }
    char *text = read_all(file);
    if (ferror(file)) {
        kt_fail(error, KT_BAD_INPUT, "%s: cannot be read: %s", path, strerror(errno));
        free(text);
        text = NULL;
    }
    fclose(file);
    return text;
}

enum kt_status kt_table_load(const char *path, struct kt_table *out, struct kt_error *error)
{
    *out = (struct kt_table){0};
    char *text = kt_text_load(path, error);
    if (!text)
        return error->status;
    enum kt_status status = kt_table_parse(text, path, out, error);
    free(text);
    return status;
}

int kt_spec_setup(void **state)
{
    (void)state;
    struct kt_error error = {0};
    return kt_table_load("trace/routines.spec", &kt_spec_table, &error) == KT_OK ? 0 : -1;
}

int kt_spec_teardown(void **state)
{
    (void)state;
    kt_table_free(&kt_spec_table);
    return 0;
}
