/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/parts/tracegen.h"

#include "tests/parts/table_load.h"

#include <dirent.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* --- files ------------------------------------------------------------------------------------------------- */

static FILE *open_file(const char *directory, const char *name, const char *mode)
{
    char path[2 * KT_GEN_PATH];
    snprintf(path, sizeof path, "%s/%s", directory, name);
    FILE *file = fopen(path, mode);
    if (!file) {
        perror(path);
        abort();
    }
    return file;
}

static void write_all(FILE *file, const void *bytes, size_t count)
{
    bool fine = fwrite(bytes, 1, count, file) == count;
    if (fclose(file) != 0 || !fine)
        abort();
}

unsigned char *kt_gen_read(const char *directory, const char *name, size_t *size)
{
    FILE *file = open_file(directory, name, "r");
    fseek(file, 0, SEEK_END);
    *size = (size_t)ftell(file);
    rewind(file);
    unsigned char *bytes = calloc(*size + 1, 1);
    if (!bytes || fread(bytes, 1, *size, file) != *size)
        abort();
    fclose(file);
    return bytes;
}

static void remove_all(const char *path)
{
    DIR *directory = opendir(path);
    if (!directory)
        return;
    for (const struct dirent *entry = readdir(directory); entry; entry = readdir(directory)) {
        char name[2 * KT_GEN_PATH];
        if (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, ".."))
            continue;
        snprintf(name, sizeof name, "%s/%s", path, entry->d_name);
        if (unlink(name) != 0)
            remove_all(name);
    }
    closedir(directory);
    rmdir(path);
}

/* --- text -------------------------------------------------------------------------------------------------- */

static void write_meta(const struct kt_gen *gen)
{
    FILE *file = open_file(gen->process, "meta", "w");
    fprintf(file,
            "format\tktrace\t%d\t%d\npid\t%" PRIu32 "\nppid\t1\nprogram\t/usr/bin/app\narg\t/usr/bin/app\n"
            "arg\ta\\x09b\ncwd\t/tmp\nhost\tsynthetic\nboot_id\tnone\nstart_time\t1\nbyte_order\tlittle\nclock\ttsc\n"
            "clock_ticks\t%d\nanchor\t%d\t5000000000\t1700000000000000000\ncpus\t2\ncpu_model\tA CPU\n"
            "page_bytes\t4096\noption\tQUIET\t1\n",
            KT_FORMAT_MAJOR, KT_FORMAT_MINOR, gen->pid, KT_GEN_CLOCK_TICKS, KT_GEN_ORIGIN);
    fclose(file);
    file = open_file(gen->process, "definitions", "w");
    fprintf(file, "object\t0\t7f0000000000\t7f0000100000\t7f0000000000\t/usr/lib/libblas.so.3\tabcdef\n"
                  "library\t0\tlibblas.so.3\tOpenBLAS 0.3\t4\t2\n"
                  "object\t1\t400000\t500000\t400000\t/usr/bin/app\t0123\n");
    fclose(file);
}

void kt_gen_begin(struct kt_gen *gen, const char *spec, uint32_t pid)
{
    struct kt_error error = {0};
    const char *place = getenv("TMPDIR");
    *gen = (struct kt_gen){.pid = pid, .chunk_bytes = 4096, .entries = 1};
    if (kt_spec_load(spec, &gen->table, &error) != KT_OK) {
        fprintf(stderr, "%s\n", error.text);
        abort();
    }
    snprintf(gen->trace, sizeof gen->trace, "%.256s/ktrace-test-XXXXXX", place && *place ? place : "/tmp");
    if (!mkdtemp(gen->trace))
        abort();
    snprintf(gen->process, sizeof gen->process, "%.400s/p%" PRIu32, gen->trace, pid);
    if (mkdir(gen->process, 0777) != 0)
        abort();
    write_meta(gen);
}

void kt_gen_nested(const struct kt_gen *gen, const char *mode)
{
    FILE *file = open_file(gen->process, "meta", "a");
    fprintf(file, "option\tNESTED\t%s\n", mode);
    fclose(file);
}

int kt_gen_entry(struct kt_gen *gen, const char *routine, enum kt_view view)
{
    const struct kt_routine *found = kt_table_find(&gen->table, routine);
    struct kt_symbol *symbol = &gen->symbol[gen->entries];
    if (!found || gen->entries == KT_GEN_ENTRIES || !kt_symbol_make(found, view, symbol))
        abort();
    FILE *file = open_file(gen->process, "definitions", "a");
    fprintf(file, "entry\t%d\t%s\t%s\t%s\t0\t7f0000001000\t%s\n", gen->entries, symbol->name, kt_view_name[view],
            found->name, found->text);
    fclose(file);
    return gen->entries++;
}

/* --- arguments --------------------------------------------------------------------------------------------- */

static void put_complex(unsigned char *at, const char *word, bool is_float)
{
    char *rest;
    double number[2] = {strtod(word, &rest), 0};
    number[1] = *rest == ',' ? strtod(rest + 1, NULL) : 0;
    float narrow[2] = {(float)number[0], (float)number[1]};
    if (is_float)
        memcpy(at, narrow, sizeof narrow);
    else
        memcpy(at, number, sizeof number);
}

static void put_word(unsigned char *args, const struct kt_param *p, const char *word)
{
    unsigned char *at = args + p->offset;
    int32_t enumeration = (int32_t)strtol(word, NULL, 10);
    int64_t integer = strtoll(word, NULL, 10);
    uint64_t address = strtoull(word, NULL, 16);
    double number = strtod(word, NULL);
    float narrow = (float)number;
    if (p->stored == KT_CHAR)
        *at = (unsigned char)*word;
    else if (p->stored == KT_CFLOAT || p->stored == KT_CDOUBLE)
        put_complex(at, word, p->stored == KT_CFLOAT);
    else
        memcpy(at,
               p->stored == KT_ENUM      ? (void *)&enumeration
               : p->stored == KT_INT     ? (void *)&integer
               : p->stored == KT_FLOAT   ? (void *)&narrow
               : p->stored == KT_ADDRESS ? (void *)&address
                                         : (void *)&number,
               kt_stored_bytes(p->stored));
}

static void put_args(unsigned char *args, const struct kt_symbol *symbol, const char *text)
{
    char *copy = strdup(text);
    char *rest = copy;
    for (int i = 0; i < symbol->params; i++) {
        char *word = strsep(&rest, " ");
        if (!word) {
            fprintf(stderr, "tracegen: %s takes %d arguments, not '%s'\n", symbol->name, symbol->params, text);
            abort();
        }
        put_word(args, &symbol->param[i], word);
    }
    free(copy);
}

/* What the call returned is no part of its begin. */
static int64_t take_info(unsigned char *args, const struct kt_symbol *symbol)
{
    int64_t info = 0;
    for (int i = 0; i < symbol->params; i++) {
        const struct kt_param *p = &symbol->param[i];
        if (p->arg < 0 || symbol->routine->arg[p->arg].role != KT_INFO)
            continue;
        memcpy(&info, args + p->offset, sizeof info);
        memset(args + p->offset, 0, sizeof info);
    }
    return info;
}

/* --- chunks ------------------------------------------------------------------------------------------------ */

static void begin_chunk(const struct kt_gen *gen, struct kt_gen_stream *s)
{
    struct kt_chunk head = {.byte_order = KT_BYTE_ORDER,
                            .major = KT_FORMAT_MAJOR,
                            .minor = KT_FORMAT_MINOR,
                            .header_bytes = sizeof head,
                            .index = s->chunks++,
                            .chunk_bytes = gen->chunk_bytes,
                            .pid = gen->pid,
                            .tid = s->tid,
                            .calls = s->calls,
                            .ended = s->ended,
                            .passed = s->passed,
                            .used_bytes = sizeof head};
    memcpy(head.magic, KT_CHUNK_MAGIC, sizeof head.magic);
    /* chunk K begins K tenths of a second after the first anchor */
    head.anchor.ticks = KT_GEN_ORIGIN + (uint64_t)head.index * KT_GEN_HZ / 10;
    head.anchor.monotonic_ns = 5000000000u + (uint64_t)head.index * 100000000u;
    s->bytes = realloc(s->bytes, s->size + gen->chunk_bytes);
    if (!s->bytes)
        abort();
    memset(s->bytes + s->size, 0, gen->chunk_bytes);
    memcpy(s->bytes + s->size, &head, sizeof head);
    s->chunk = s->size;
    s->at = s->size + sizeof head;
    s->size += gen->chunk_bytes;
    s->last = head.anchor.ticks;
    memset(s->context, 0, sizeof s->context);
}

static struct kt_gen_stream *stream_of(struct kt_gen *gen, uint32_t tid)
{
    for (int i = 0; i < gen->streams; i++)
        if (gen->stream[i].tid == tid)
            return &gen->stream[i];
    if (gen->streams == KT_GEN_STREAMS)
        abort();
    gen->stream[gen->streams].tid = tid;
    return &gen->stream[gen->streams++];
}

static void make_room(const struct kt_gen *gen, struct kt_gen_stream *s, size_t words)
{
    if (s->size - s->at < 8 * words)
        begin_chunk(gen, s);
}

static void put_event(struct kt_gen_stream *s, const uint64_t *word, size_t words)
{
    memcpy(s->bytes + s->at, word, 8 * words);
    s->at += 8 * words;
    ((struct kt_chunk *)(void *)(s->bytes + s->chunk))->used_bytes = s->at - s->chunk;
}

void kt_gen_next_chunk(struct kt_gen *gen, uint32_t tid)
{
    begin_chunk(gen, stream_of(gen, tid));
}

/* --- events ------------------------------------------------------------------------------------------------ */

enum { CALL = 1, WIDE, END, LONG_END, LEAF_END = 7, INSIDE, PASSED, NARROW = 32, MOST_WORDS = 2 + 64 + 8 };

static uint64_t head_of(uint64_t kind, uint64_t words, uint64_t id, uint64_t upper)
{
    return kind + 256 * words + 65536 * id + (upper << 32);
}

/* 0, -1, 1, -2, ... in as few bytes as hold it behind three bits that tell how many they are. */
static size_t put_difference(unsigned char *at, int64_t difference)
{
    uint64_t value = difference < 0 ? 2 * (uint64_t)(-(difference + 1)) + 1 : 2 * (uint64_t)difference;
    size_t bytes = 1;
    while (bytes < 8 && value >> (8 * bytes - 3))
        bytes++;
    if (bytes == 8) {
        at[0] = 7;
        memcpy(at + 1, &value, 8);
        return 9;
    }
    for (size_t i = 0; i < bytes; i++)
        at[i] = (unsigned char)(i ? value >> (8 * i - 3) : value << 3 | (bytes - 1));
    return bytes;
}

/* The event that begins a call of these words; returns its length. */
static size_t encode_call(struct kt_gen_context *context, int entry, const uint64_t *word, size_t words, uint64_t *out)
{
    size_t head = words > NARROW ? 2 : 1;
    size_t bytes = 0;
    uint64_t changed = 0;
    if (context->entry != entry)
        *context = (struct kt_gen_context){.entry = entry};
    for (size_t i = 0; i < words; i++)
        if (word[i] != context->word[i]) {
            changed |= (uint64_t)1 << i;
            bytes += put_difference((unsigned char *)(out + head) + bytes, (int64_t)(word[i] - context->word[i]));
            context->word[i] = word[i];
        }
    size_t length = head + (bytes + 7) / 8;
    out[0] = head_of(head == 2 ? WIDE : CALL, length, (uint64_t)entry, head == 2 ? 0 : changed);
    if (head == 2)
        out[1] = changed;
    return length;
}

/* It belongs to the end before it: there is room for both. */
static void put_passed(struct kt_gen *gen, struct kt_gen_stream *s, uint32_t passed)
{
    uint64_t word = head_of(PASSED, 1, 0, passed);
    if (!passed)
        return;
    put_event(s, &word, 1);
    s->passed += passed;
    gen->passed += passed;
    ((struct kt_chunk *)(void *)(s->bytes + s->chunk))->passed = s->passed;
}

static void put_inside(struct kt_gen_stream *s)
{
    uint64_t word = head_of(INSIDE, 1, 0, s->inside);
    if (s->inside)
        put_event(s, &word, 1);
    s->inside = 0;
}

static void end_call(struct kt_gen *gen, struct kt_gen_stream *s)
{
    const struct kt_gen_open *open = &s->open[--s->opens];
    const struct kt_gen_call *call = &open->call;
    const struct kt_gen_more *more = &open->more;
    bool is_long = open->info || more->migrated || more->faults || more->counters || call->ticks >> 32;
    uint64_t faults = more->faults ? (uint64_t)(more->faults - 1) << 32 | (uint64_t)1 << 31 : 0;
    uint64_t word[5 + KT_GEN_COUNTERS] = {0, KT_GEN_ORIGIN + call->start, call->ticks,
                                          (more->migrated ? 3 : 1) | faults, (uint64_t)open->info};
    if (!call->ticks)
        return;
    memcpy(word + 5, more->counter, sizeof more->counter);
    size_t words = is_long ? 5 + more->counters : 2;
    word[0] = head_of(is_long ? LONG_END : END, words, call->depth, is_long ? 0 : call->ticks);
    uint64_t gap = word[1] - s->last;
    bool is_leaf = open->behind == s->at && !is_long && (gap | call->ticks) < (uint64_t)1 << 28;
    if (is_leaf)
        word[0] = LEAF_END + (call->ticks << 8) + (gap << 36);
    make_room(gen, s, (is_leaf ? 1 : words) + (more->passed > 0));
    put_event(s, word, is_leaf ? 1 : words);
    put_passed(gen, s, more->passed);
    s->last = KT_GEN_ORIGIN + call->start + call->ticks;
    s->ended++;
    gen->calls++;
}

static void end_calls(struct kt_gen *gen, struct kt_gen_stream *s, unsigned depth, uint64_t now)
{
    while (s->opens) {
        const struct kt_gen_call *last = &s->open[s->opens - 1].call;
        if (last->depth < depth && (!last->ticks || last->start + last->ticks > now))
            return;
        end_call(gen, s);
    }
}

void kt_gen_event(struct kt_gen *gen, uint32_t tid, const uint64_t *word, size_t words)
{
    struct kt_gen_stream *s = stream_of(gen, tid);
    end_calls(gen, s, 0, UINT64_MAX);
    make_room(gen, s, words);
    put_event(s, word, words);
}

/* Both events of a call that no other is nested in are in the same chunk. */
void kt_gen_call(struct kt_gen *gen, const struct kt_gen_call *call)
{
    const struct kt_symbol *symbol = &gen->symbol[call->entry];
    struct kt_gen_stream *s = stream_of(gen, call->tid);
    uint64_t word[64] = {call->depth | 1u << 16, 0x401234};
    uint64_t event[MOST_WORDS] = {0};
    size_t words = 2 + symbol->arg_bytes / 8u;
    if (words > 63 || s->opens == KT_GEN_DEPTH)
        abort();
    put_args((unsigned char *)(word + 2), symbol, call->args);
    int64_t info = take_info((unsigned char *)(word + 2), symbol);
    end_calls(gen, s, call->depth, call->start);
    make_room(gen, s, 4 + words + (words + 7) / 8 + 5 + KT_GEN_COUNTERS); /* the most it can take */
    put_inside(s);
    put_event(s, event, encode_call(&s->context[call->entry % 128], call->entry, word, words, event));
    s->calls++;
    s->open[s->opens++] = (struct kt_gen_open){.call = *call, .info = info, .behind = s->at};
}

void kt_gen_more(struct kt_gen *gen, uint32_t tid, const struct kt_gen_more *more)
{
    struct kt_gen_stream *s = stream_of(gen, tid);
    s->open[s->opens - 1].more = *more;
}

void kt_gen_inside(struct kt_gen *gen, uint32_t tid, uint32_t weight)
{
    stream_of(gen, tid)->inside = weight;
}

void kt_gen_end(struct kt_gen *gen, bool clean)
{
    for (int i = 0; i < gen->streams; i++) {
        char name[32];
        end_calls(gen, &gen->stream[i], 0, UINT64_MAX);
        snprintf(name, sizeof name, "t%" PRIu32, gen->stream[i].tid);
        write_all(open_file(gen->process, name, "w"), gen->stream[i].bytes, gen->stream[i].size);
    }
    if (!clean)
        return;
    FILE *file = open_file(gen->process, "end", "w");
    fprintf(file, "calls\t%" PRIu64 "\npassed\t%" PRIu64 "\nanchor\t%d\t6000000000\t1700000001000000000\n", gen->calls,
            gen->passed, KT_GEN_ORIGIN + KT_GEN_HZ);
    fclose(file);
}

void kt_gen_remove(struct kt_gen *gen)
{
    remove_all(gen->trace);
    for (int i = 0; i < gen->streams; i++)
        free(gen->stream[i].bytes);
    kt_table_free(&gen->table);
    *gen = (struct kt_gen){0};
}

/* --- damage ------------------------------------------------------------------------------------------------ */

static void copy_file(const char *from, const char *to, const char *name)
{
    size_t size;
    unsigned char *bytes = kt_gen_read(from, name, &size);
    write_all(open_file(to, name, "w"), bytes, size);
    free(bytes);
}

static void replace_line(const char *directory, const char *name, const char *key, const char *line)
{
    size_t size;
    char *text = (char *)kt_gen_read(directory, name, &size);
    FILE *file = open_file(directory, name, "w");
    bool done = false;
    char *rest = text;
    for (char *old = strsep(&rest, "\n"); old && rest; old = strsep(&rest, "\n")) {
        bool hit = !done && !strncmp(old, key, strlen(key)) && old[strlen(key)] == '\t';
        done |= hit;
        if (!hit || line)
            fprintf(file, "%s\n", hit ? line : old);
    }
    fclose(file);
    free(text);
    if (!done)
        abort();
}

void kt_gen_copy_process(const struct kt_gen *gen, uint32_t pid)
{
    char to[KT_GEN_PATH];
    char pid_line[32];
    snprintf(pid_line, sizeof pid_line, "pid\t%" PRIu32, pid);
    snprintf(to, sizeof to, "%.400s/p%" PRIu32, gen->trace, pid);
    DIR *directory = opendir(gen->process);
    if (!directory || mkdir(to, 0777) != 0)
        abort();
    for (const struct dirent *entry = readdir(directory); entry; entry = readdir(directory))
        if (entry->d_name[0] != '.')
            copy_file(gen->process, to, entry->d_name);
    closedir(directory);
    replace_line(to, "meta", "pid", pid_line);
}

void kt_gen_patch(const struct kt_gen *gen, const char *name, long offset, const void *bytes, size_t count)
{
    FILE *file = open_file(gen->process, name, "r+");
    fseek(file, offset, SEEK_SET);
    write_all(file, bytes, count);
}

void kt_gen_cut(const struct kt_gen *gen, const char *name, long size)
{
    char path[2 * KT_GEN_PATH];
    snprintf(path, sizeof path, "%s/%s", gen->process, name);
    if (truncate(path, size) != 0)
        abort();
}

void kt_gen_append(const struct kt_gen *gen, const char *name, const void *bytes, size_t count)
{
    write_all(open_file(gen->process, name, "a"), bytes, count);
}

void kt_gen_delete(const struct kt_gen *gen, const char *name)
{
    char path[2 * KT_GEN_PATH];
    snprintf(path, sizeof path, "%s/%s", gen->process, name);
    if (unlink(path) != 0)
        abort();
}

void kt_gen_replace_line(const struct kt_gen *gen, const char *name, const char *key, const char *line)
{
    replace_line(gen->process, name, key, line);
}
