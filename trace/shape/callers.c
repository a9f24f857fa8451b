/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Symbolisation on top of libdwfl. Each file is a libdwfl session of its own, reported at bias 0 and asked for
 * addresses in the file: files that were loaded at overlapping addresses one after the other do not conflict, and
 * all processes of a trace share a file and what was found in it.
 */
#include "trace/shape/callers.h"

#include "trace/library/installed.h"
#include "trace/base/memory.h"
#include "trace/shape/inlined.h"
#include "trace/shape/unwind.h"

#include <elfutils/libdwfl.h>
#include <inttypes.h>
#include <search.h>
#include <stdio.h>

struct file {
    char *path;
    char *build_id;
    Dwfl *session;
    Dwfl_Module *module; /* NULL: not there, or not the file that was loaded */
};

struct found {
    const struct file *file;          /* NULL: in no object */
    const struct kt_process *process; /* of a source line that the trace tells; otherwise NULL */
    uint64_t address;                 /* in the file, or the source line */
    struct kt_place *place;           /* owned: of what was inlined there first */
    size_t places;
    char *function; /* of the last one; owned */
};

/* The return addresses on a stack. */
struct way {
    const struct kt_stack *stack;
    size_t count;
    uint64_t address[];
};

/* Of the process whose stack was looked at last. */
struct unwinder {
    const struct kt_process *process;
    struct kt_unwinder *of;
};

struct kt_callers {
    void *files;
    void *found;
    void *ways;
    struct unwinder unwinder;
};

static const Dwfl_Callbacks callbacks = {
    .find_elf = dwfl_build_id_find_elf,
    .find_debuginfo = dwfl_standard_find_debuginfo,
    .section_address = dwfl_offline_section_address,
};

static int compare_files(const void *a, const void *b)
{
    const struct file *x = a;
    const struct file *y = b;
    int order = strcmp(x->path, y->path);
    return order ? order : strcmp(x->build_id, y->build_id);
}

static int compare_found(const void *a, const void *b)
{
    const struct found *x = a;
    const struct found *y = b;
    if (x->file != y->file)
        return x->file < y->file ? -1 : 1;
    if (x->process != y->process)
        return x->process < y->process ? -1 : 1;
    return (x->address > y->address) - (x->address < y->address);
}

struct kt_callers *kt_callers_new(void)
{
    struct kt_callers *callers = kt_zeros(1, sizeof *callers);
    return callers;
}

static void free_file(void *node)
{
    struct file *file = node;
    if (file->session)
        dwfl_end(file->session);
    free(file->path);
    free(file->build_id);
    free(file);
}

static void free_found(void *node)
{
    struct found *found = node;
    free(found->function);
    free(found->place);
    free(found);
}

void kt_callers_free(struct kt_callers *callers)
{
    if (!callers)
        return;
    if (callers->unwinder.of)
        kt_unwinder_free(callers->unwinder.of);
    tdestroy(callers->ways, free);
    tdestroy(callers->found, free_found);
    tdestroy(callers->files, free_file);
    free(callers);
}

static void open_file(struct file *file)
{
    GElf_Addr bias;
    GElf_Addr where;
    const unsigned char *id;
    file->session = dwfl_begin(&callbacks);
    if (!file->session)
        return;
    dwfl_report_begin(file->session);
    Dwfl_Module *module = dwfl_report_elf(file->session, file->path, file->path, -1, 0, true);
    dwfl_report_end(file->session, NULL, NULL);
    if (!module || !dwfl_module_getelf(module, &bias))
        return;
    int bytes = dwfl_module_build_id(module, &id, &where);
    if (kt_is_build_id(id, bytes, file->build_id))
        file->module = module;
}

static const struct file *find_file(struct kt_callers *callers, const struct kt_object *object)
{
    struct file key = {.path = object->path, .build_id = object->build_id};
    struct file **known = tfind(&key, &callers->files, compare_files);
    if (known)
        return *known;
    struct file *file = kt_resize(NULL, 1, sizeof *file);
    *file = (struct file){.path = kt_copy(object->path), .build_id = kt_copy(object->build_id)};
    open_file(file);
    if (!tsearch(file, &callers->files, compare_files))
        abort();
    return file;
}

/* Of the C++ library (Itanium C++ ABI, section 3.4): an owned name, NULL if MANGLED is none. */
extern char *__cxa_demangle(const char *mangled, char *buffer, size_t *length, int *status);

/* As its source has it, if it is one of C++. */
static char *readable_name(const char *name)
{
    enum { LONGEST = 4096 };
    bool is_mangled = !strncmp(name, "_Z", 2) && strlen(name) < LONGEST;
    char *found = is_mangled ? __cxa_demangle(name, NULL, NULL, NULL) : NULL;
    return found ? found : kt_copy(name);
}

/* An owned name; NULL if no known function covers the address: the nearest one would be misleading. */
static char *symbol_name(Dwfl_Module *module, uint64_t address, uint64_t *within)
{
    GElf_Off offset;
    GElf_Sym symbol;
    const char *name = dwfl_module_addrinfo(module, address, &offset, &symbol, NULL, NULL, NULL);
    bool covers = name && offset < symbol.st_size && GELF_ST_TYPE(symbol.st_info) != STT_OBJECT;
    *within = covers ? offset : 0;
    return covers ? readable_name(name) : NULL;
}

static void make_places(struct found *found, size_t places)
{
    found->places = places;
    found->place = kt_resize(NULL, places, sizeof *found->place);
    for (size_t i = 0; i < places; i++)
        found->place[i] = (struct kt_place){.offset = found->address, .object = found->file ? found->file->path : NULL};
}

/* A return address is that of the next instruction, which may be another line's or another function's: look at
 * the byte before it. */
static void look_up(struct found *found)
{
    struct kt_inlined inlined[KT_INLINED_MOST];
    Dwfl_Module *module = found->file->module;
    Dwarf_Addr call = found->address - 1;
    uint64_t within = 0;
    make_places(found, module ? kt_inlined_find(module, call, inlined) : 1);
    for (size_t i = 0; module && i < found->places; i++) {
        found->place[i].function = inlined[i].function;
        found->place[i].file = inlined[i].file;
        found->place[i].line = inlined[i].line;
    }
    struct kt_place *last = &found->place[found->places - 1];
    if (!module || last->function)
        return;
    found->function = symbol_name(module, call, &within);
    last->function = found->function;
    last->within = within ? within + 1 : 0; /* behind the call, as debuggers say it */
}

static struct found key_of(struct kt_callers *callers, const struct kt_process *process, uint64_t site)
{
    bool is_source = site & KT_SITE_IS_SOURCE;
    const struct kt_object *object = site && !is_source ? kt_object_at(process, site - 1) : NULL;
    if (is_source)
        return (struct found){.process = process, .address = site & ~KT_SITE_IS_SOURCE};
    if (!object)
        return (struct found){.address = site};
    return (struct found){.file = find_file(callers, object), .address = site - object->bias};
}

static void take_source(struct found *found)
{
    const struct kt_source_line *source = kt_source_line(found->process, (uint32_t)found->address);
    const bool has_line = source && kt_source_has_line(source);
    make_places(found, 1);
    found->place->object = source && source->is_r ? "R" : "Python";
    if (!source)
        return;
    found->place->function = source->function;
    found->place->file = has_line ? source->file : NULL;
    found->place->line = source->line;
}

static const struct found *find(struct kt_callers *callers, const struct kt_process *process, uint64_t site)
{
    struct found key = key_of(callers, process, site);
    struct found **known = tfind(&key, &callers->found, compare_found);
    if (known)
        return *known;

    struct found *found = kt_resize(NULL, 1, sizeof *found);
    *found = key;
    if (found->file)
        look_up(found);
    else if (found->process)
        take_source(found);
    else
        make_places(found, 1);
    if (!tsearch(found, &callers->found, compare_found))
        abort();
    return found;
}

static const struct kt_stack *stack_at(const struct kt_process *process, uint64_t site)
{
    return site & KT_SITE_IS_SOURCE ? kt_stack_of(process, (uint32_t)site) : NULL;
}

const struct kt_place *kt_callers_find(struct kt_callers *callers, const struct kt_process *process, uint64_t site)
{
    const struct kt_stack *stack = stack_at(process, site);
    return find(callers, process, stack ? stack->caller : site)->place;
}

/* --- paths ---------------------------------------------------------------------------------------------------- */

static int compare_ways(const void *a, const void *b)
{
    const struct kt_stack *x = ((const struct way *)a)->stack;
    const struct kt_stack *y = ((const struct way *)b)->stack;
    return (x > y) - (x < y);
}

static struct kt_unwinder *unwinder_of(struct kt_callers *callers, const struct kt_process *process)
{
    struct unwinder *last = &callers->unwinder;
    if (last->of && last->process == process)
        return last->of;
    if (last->of)
        kt_unwinder_free(last->of);
    *last = (struct unwinder){process, kt_unwinder_new(process)};
    return last->of;
}

static const struct way *find_way(struct kt_callers *callers, const struct kt_process *process,
                                  const struct kt_stack *stack)
{
    struct way key = {.stack = stack};
    struct way **known = tfind(&key, &callers->ways, compare_ways);
    if (known)
        return *known;
    uint64_t address[KT_UNWIND_MOST];
    size_t count = stack->addresses < KT_UNWIND_MOST ? stack->addresses : KT_UNWIND_MOST;
    if (count)
        memcpy(address, stack->address, count * sizeof *address);
    else
        count = kt_unwind(unwinder_of(callers, process), stack, address);
    struct way *way = kt_resize(NULL, sizeof *way + count * sizeof *address, 1);
    *way = (struct way){stack, count};
    memcpy(way->address, address, count * sizeof *address);
    if (!tsearch(way, &callers->ways, compare_ways))
        abort();
    return way;
}

/* What calls main() is the same in all programs. False: the path ends here. */
static bool add_places(const struct found *found, const struct kt_place *out[KT_PATH_PLACES], size_t *count)
{
    for (size_t i = 0; i < found->places; i++) {
        if (*count == KT_PATH_PLACES)
            return false;
        out[(*count)++] = &found->place[i];
    }
    const char *last = found->place[found->places - 1].function;
    return !last || strcmp(last, "main") != 0;
}

/* The line that the function of SITE, a line, was called from; 0: not told. */
static uint64_t outer_line(const struct kt_process *process, uint64_t site)
{
    const struct kt_source_line *source =
        site & KT_SITE_IS_SOURCE ? kt_source_line(process, (uint32_t)(site & ~KT_SITE_IS_SOURCE)) : NULL;
    return source && source->parent ? KT_SITE_IS_SOURCE | source->parent : 0;
}

bool kt_callers_know_path(const struct kt_process *process, uint64_t site)
{
    return stack_at(process, site) || outer_line(process, site);
}

size_t kt_callers_path(struct kt_callers *callers, const struct kt_process *process, uint64_t site,
                       const struct kt_place *out[KT_PATH_PLACES])
{
    size_t places = 0;
    const struct kt_stack *stack = stack_at(process, site);
    if (stack) {
        const struct way *way = find_way(callers, process, stack);
        for (size_t i = 0; i < way->count && add_places(find(callers, process, way->address[i]), out, &places);)
            i++;
        return places;
    }
    do
        add_places(find(callers, process, site), out, &places);
    while ((site = outer_line(process, site)) && places < KT_PATH_PLACES);
    return places;
}

void kt_place_function(const struct kt_place *place, char *out, size_t size)
{
    if (place->function)
        snprintf(out, size, "%s", place->function);
    else
        snprintf(out, size, "%s0x%" PRIx64, place->object ? "+" : "", place->offset);
}

void kt_place_instruction(const struct kt_place *place, char *out, size_t size)
{
    kt_place_function(place, out, size);
    size_t length = strlen(out);
    if (place->within && !place->file)
        snprintf(out + length, size - length, "+0x%" PRIx64, place->within);
}

void kt_place_text(const struct kt_place *place, char *out, size_t size)
{
    char function[256];
    kt_place_function(place, function, sizeof function);
    if (!place->object && !place->function && !place->offset)
        snprintf(out, size, "places are not told");
    else if (place->file)
        snprintf(out, size, "%s:%d%s%s", kt_base_name(place->file), place->line, place->function ? " " : "",
                 place->function ? function : "");
    else
        snprintf(out, size, "%s in %s", function, place->object ? kt_base_name(place->object) : "unknown");
}

static int compare_text(const char *a, const char *b)
{
    return strcmp(a ? a : "", b ? b : "");
}

int kt_place_compare(const struct kt_place *x, const struct kt_place *y)
{
    int order = compare_text(x->object, y->object);
    if (order == 0)
        order = compare_text(x->function, y->function);
    if (order == 0)
        order = compare_text(x->file, y->file);
    if (order == 0)
        order = x->line - y->line;
    if (order == 0 && !x->function)
        order = (x->offset > y->offset) - (x->offset < y->offset);
    return order;
}

int kt_place_compare_lines(const struct kt_place *x, const struct kt_place *y)
{
    if (!x->file || !y->file) {
        int order = (x->file != NULL) - (y->file != NULL);
        if (order == 0)
            order = compare_text(x->object, y->object);
        return order ? order : (x->offset > y->offset) - (x->offset < y->offset);
    }
    int order = strcmp(x->file, y->file);
    if (order == 0)
        order = (x->line > y->line) - (x->line < y->line);
    return order ? order : compare_text(x->function, y->function);
}
