/* SPDX-License-Identifier: BSD-3-Clause */
#include "trace/verbs/info_machine.h"

#include "trace/command/about.h"
#include "trace/read/processors.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void kt_info_add_meta(json_t *object, const struct kt_process *process, const char *key, bool number)
{
    const char *value = kt_meta(process, key);
    json_t *json = !value ? json_null() : number ? json_integer(strtoll(value, NULL, 10)) : kt_json_text(value);
    json_object_set_new(object, key, json);
}

json_t *kt_info_named_json(const struct kt_process *process, const char *key, const char *prefix)
{
    json_t *object = json_object();
    for (size_t i = 0; i < process->metas; i++) {
        const char *tab = strchr(process->meta[i].value, '\t');
        char name[64];
        if (strcmp(process->meta[i].key, key) != 0 || !tab)
            continue;
        snprintf(name, sizeof name, "%s%.*s", prefix, (int)(tab - process->meta[i].value), process->meta[i].value);
        kt_json_set_named(object, name, kt_json_text(tab + 1));
    }
    return object;
}

json_t *kt_info_machine_json(const struct kt_process *process)
{
    json_t *object = json_object();
    kt_info_add_meta(object, process, "host", false);
    kt_info_add_meta(object, process, "cpu_model", false);
    kt_info_add_meta(object, process, "cpus", true);
    kt_info_add_meta(object, process, "affinity", false);
    kt_info_add_meta(object, process, "cpuset", false);
    struct kt_processors processors;
    kt_processors_recorded(process, &processors);
    json_object_set_new(object, "quota", processors.quota > 0 ? kt_json_number(processors.quota) : json_null());
    json_object_set_new(object, "environment", kt_info_named_json(process, "env", ""));
    kt_info_add_meta(object, process, "page_bytes", true);
    kt_info_add_meta(object, process, "clock", false);
    kt_info_add_meta(object, process, "byte_order", false);
    kt_info_add_meta(object, process, "boot_id", false);
    return object;
}

void kt_info_print_processors(const struct kt_process *process)
{
    struct kt_processors processors;
    char text[64];
    kt_processors_recorded(process, &processors);
    kt_processors_text(&processors, text, sizeof text);
    if (*text)
        kt_about_line("processors", "%s", text);
    for (size_t i = 0; i < process->metas; i++) {
        const char *value = process->meta[i].value;
        int name = (int)strcspn(value, "\t");
        if (!strcmp(process->meta[i].key, "env") && value[name])
            kt_about_line("threads", "%.*s=%s", name, value, value + name + 1);
    }
}
