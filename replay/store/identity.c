/* SPDX-License-Identifier: BSD-3-Clause */
#include "replay/store/identity.h"

#include "replay/machine/processor.h"
#include "trace/base/memory.h"

#include <ctype.h>
#include <elf.h>
#include <inttypes.h>
#include <limits.h>
#include <link.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

/* --- text that grows --------------------------------------------------------------------------------------- */

/* A stream into memory never fails but for want of memory, and then a tool ends. */
static FILE *open_text(char **text, size_t *size)
{
    FILE *file = open_memstream(text, size);
    if (!file)
        abort();
    return file;
}

static void close_text(FILE *file)
{
    if (fclose(file) != 0)
        abort();
}

/* --- the machine ------------------------------------------------------------------------------------------- */

/* What is behind the colon of a line. */
static const char *value_of(char *line)
{
    char *value = strchr(line, ':') + 1;
    value[strcspn(value, "\n")] = '\0';
    return value + strspn(value, " \t");
}

/* The value behind the first line of /proc/cpuinfo that begins with KEY. */
static bool write_cpu(FILE *out, const char *key)
{
    char line[512];
    bool found = false;
    FILE *file = fopen("/proc/cpuinfo", "re");
    while (file && !found && fgets(line, sizeof line, file)) {
        found = !strncmp(line, key, strlen(key)) && strchr(line, ':');
        if (found)
            fprintf(out, " %s", value_of(line));
    }
    if (file)
        fclose(file);
    return found;
}

char *kt_identity_machine(void)
{
    static const int cache[] = {_SC_LEVEL1_DCACHE_SIZE, _SC_LEVEL1_DCACHE_LINESIZE, _SC_LEVEL2_CACHE_SIZE,
                                _SC_LEVEL3_CACHE_SIZE};
    char *text;
    size_t size;
    struct utsname name;
    FILE *out = open_text(&text, &size);
    fprintf(out, "host %s", uname(&name) == 0 ? name.nodename : "");
    if (!write_cpu(out, "model name") && !write_cpu(out, "CPU part"))
        fprintf(out, " %s", name.machine);
    fprintf(out, " cpus %ld caches", sysconf(_SC_NPROCESSORS_ONLN));
    for (size_t i = 0; i < sizeof cache / sizeof *cache; i++)
        fprintf(out, " %ld", sysconf(cache[i]));
    close_text(out);
    return text;
}

/* --- the library ------------------------------------------------------------------------------------------- */

/* Variables by which these libraries choose code; numbers of threads are set by whoever loads them. */
static bool matters(const char *variable)
{
    static const char *const prefix[] = {"OPENBLAS_", "GOTO_", "MKL_",           "BLIS_",    "OMP_",
                                         "KMP_",      "GOMP_", "GLIBC_TUNABLES", "FLEXIBLAS"};
    const char *equals = strchr(variable, '=');
    if (!equals || (equals - variable > 12 && !strncmp(equals - 12, "_NUM_THREADS", 12)))
        return false;
    for (size_t i = 0; i < sizeof prefix / sizeof *prefix; i++)
        if (!strncmp(variable, prefix[i], strlen(prefix[i])))
            return true;
    return false;
}

static int compare_text(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static void write_environment(FILE *out)
{
    size_t count = 0;
    char **found = NULL;
    for (char **variable = environ; variable && *variable; variable++)
        if (matters(*variable)) {
            found = kt_room_for_one(found, count, sizeof *found);
            found[count++] = *variable;
        }
    if (count)
        qsort(found, count, sizeof *found, compare_text);
    for (size_t i = 0; i < count; i++)
        fprintf(out, " %s", found[i]);
    free(found);
}

/* What dl_iterate_phdr goes through: objects up to SKIP were there before. */
struct walk {
    FILE *out; /* NULL: only count */
    int objects, skip;
};

static bool write_build_id(FILE *out, const struct dl_phdr_info *info, const ElfW(Phdr) * segment)
{
    const char *at = (const char *)info->dlpi_addr + segment->p_vaddr;
    const char *end = at + segment->p_memsz;
    while (at + sizeof(ElfW(Nhdr)) <= end) {
        const ElfW(Nhdr) *note = (const void *)at;
        const char *name = at + sizeof *note;
        const unsigned char *id = (const unsigned char *)name + (note->n_namesz + 3) / 4 * 4;
        at = (const char *)id + (note->n_descsz + 3) / 4 * 4;
        if (at > end || note->n_type != NT_GNU_BUILD_ID || note->n_namesz != 4 || memcmp(name, "GNU", 4) != 0)
            continue;
        for (unsigned i = 0; i < note->n_descsz; i++)
            fprintf(out, "%02x", id[i]);
        return true;
    }
    return false;
}

static int write_object(struct dl_phdr_info *info, size_t size, void *context)
{
    struct walk *walk = context;
    struct stat about;
    (void)size;
    if (walk->objects++ < walk->skip || !walk->out || !*info->dlpi_name)
        return 0;
    fprintf(walk->out, " %s=", strrchr(info->dlpi_name, '/') ? strrchr(info->dlpi_name, '/') + 1 : info->dlpi_name);
    for (int i = 0; i < info->dlpi_phnum; i++)
        if (info->dlpi_phdr[i].p_type == PT_NOTE && write_build_id(walk->out, info, &info->dlpi_phdr[i]))
            return 0;
    if (stat(info->dlpi_name, &about) == 0)
        fprintf(walk->out, "%s@%lld.%09ld+%lld", info->dlpi_name, (long long)about.st_mtim.tv_sec,
                about.st_mtim.tv_nsec, (long long)about.st_size);
    return 0;
}

/* In the process that is only there for it. */
static _Noreturn void load_and_tell(const struct kt_library *library, int pipe)
{
    struct kt_library copy = *library;
    struct kt_error error = {0};
    struct walk before = {0};
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    signal(SIGINT, SIG_IGN);
    dup2(STDERR_FILENO, STDOUT_FILENO);
    dl_iterate_phdr(write_object, &before);
    FILE *out = fdopen(pipe, "w");
    if (!out || kt_library_load(&copy, &error) != KT_OK)
        _exit(1);
    struct walk walk = {.out = out, .skip = before.objects};
    dl_iterate_phdr(write_object, &walk);
    _exit(fflush(out) == 0 ? 0 : 1);
}

/* Until the other end closes the pipe; false after too long. */
static bool read_all(int pipe, FILE *out)
{
    enum { LOAD_MS = 60000 };
    char bytes[4096];
    struct pollfd poll_fd = {.fd = pipe, .events = POLLIN};
    while (poll(&poll_fd, 1, LOAD_MS) == 1) {
        ssize_t count = read(pipe, bytes, sizeof bytes);
        if (count <= 0)
            return count == 0;
        fwrite(bytes, 1, (size_t)count, out);
    }
    return false;
}

static bool write_objects(FILE *out, const struct kt_library *library)
{
    int pair[2];
    int status = 1;
    if (pipe(pair) != 0)
        return false;
    fflush(NULL);
    pid_t pid = fork();
    if (pid == 0)
        load_and_tell(library, pair[1]);
    close(pair[1]);
    bool all = pid > 0 && read_all(pair[0], out);
    close(pair[0]);
    if (pid > 0 && !all)
        kill(pid, SIGKILL);
    if (pid > 0)
        waitpid(pid, &status, 0);
    return all && status == 0;
}

char *kt_identity_library(const struct kt_library *library)
{
    char *text;
    size_t size;
    FILE *out = open_text(&text, &size);
    bool known = write_objects(out, library);
    write_environment(out);
    close_text(out);
    if (known)
        return text;
    free(text);
    return NULL;
}

int kt_identity_processors(void)
{
    cpu_set_t allowed;
    return sched_getaffinity(0, sizeof allowed, &allowed) == 0 ? CPU_COUNT(&allowed) : 0;
}

/* What the system says of a processor: capacity among all, highest clock in kHz. Nothing where it does not say. */
static void write_kind(FILE *out, int processor)
{
    static const char *const what[] = {"cpu_capacity", "cpufreq/cpuinfo_max_freq"};
    for (size_t i = 0; i < sizeof what / sizeof *what; i++) {
        char path[128];
        unsigned long value;
        snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%d/%s", processor, what[i]);
        FILE *file = fopen(path, "re");
        if (file && fscanf(file, "%lu", &value) == 1)
            fprintf(out, " %s %lu", what[i], value);
        if (file)
            fclose(file);
    }
}

char *kt_identity_setting(const struct kt_library *library, int processor)
{
    char *text;
    size_t size;
    char *objects = kt_identity_library(library);
    if (!objects)
        return NULL;
    char *machine = kt_identity_machine();
    FILE *out = open_text(&text, &size);
    fprintf(out, "ktrace %s method %d | %s", KT_VERSION, KT_TIMING_METHOD, machine);
    if (library->threads == 1)
        write_kind(out, kt_processor_choose(processor));
    fprintf(out, " | allowed %d threads %d int%zu |%s", kt_identity_processors(), library->threads,
            8 * library->int_bytes, objects);
    close_text(out);
    free(machine);
    free(objects);
    return text;
}

/* From the bar before "host NAME" on. */
void kt_identity_make_kind(char *setting)
{
    static const char host[] = "| host ";
    char *at = setting ? strstr(setting, host) : NULL;
    char *name = at ? at + strlen(host) : NULL;
    if (name)
        memmove(at + 2, name + strcspn(name, " "), strlen(name + strcspn(name, " ")) + 1);
}

/* --- a shape ----------------------------------------------------------------------------------------------- */

/* Scalars select code by class, as in trace/shape/shape.c; letters mean the same in both cases. */
static void write_param(FILE *out, const struct kt_call *call, const struct kt_param *p, enum kt_role role)
{
    char text[KT_PARAM_TEXT];
    double imaginary = 0;
    double real = role == KT_SCALAR ? kt_stored_value(call->args, p, &imaginary) : 0;
    bool is_special = imaginary == 0 && (real == 0 || real == 1 || real == -1);
    if (role == KT_SCALAR)
        snprintf(text, sizeof text, is_special ? "%.0f" : "other", real + 0.0);
    else
        kt_param_text(call, p, text);
    if (p->stored == KT_CHAR)
        *text = (char)toupper((unsigned char)*text);
    fprintf(out, " %s=%s", p->name, text);
}

static void write_operands(FILE *out, const struct kt_job *job)
{
    fprintf(out, " |");
    for (int i = 0; i < job->operands; i++) {
        const struct kt_operand *o = &job->operand[i];
        fprintf(out, " %s@%" PRIu64 "+%" PRIu64, o->name, job->address[i], o->hi - o->lo);
    }
}

char *kt_identity_shape(const struct kt_job *job)
{
    char *text;
    size_t size;
    const struct kt_call *call = &job->shape->first;
    const struct kt_symbol *symbol = &call->entry->symbol;
    FILE *out = open_text(&text, &size);
    fprintf(out, "%s %s int%zu info %s", symbol->routine->name, symbol->name, 8 * job->int_bytes,
            job->info ? "other" : "0");
    for (int i = 0; i < symbol->params; i++) {
        const struct kt_param *p = &symbol->param[i];
        enum kt_role role = p->arg < 0 ? KT_OPTION : symbol->routine->arg[p->arg].role;
        if (!kt_stored_is_address(p->stored) && role != KT_INFO)
            write_param(out, call, p, role);
    }
    write_operands(out, job);
    if (job->held)
        fprintf(out, " | held %016" PRIx64, kt_held_number(job->held));
    close_text(out);
    return text;
}

/* --- a context --------------------------------------------------------------------------------------------- */

static void write_placement(FILE *out, const struct kt_placement *placement)
{
    fprintf(out, " | %.2f:", placement->weight);
    for (int i = 0; i < KT_MAX_OPERANDS; i++)
        for (int level = 0; level <= KT_MAX_CACHES; level++)
            if (placement->share[i][level] > 0)
                fprintf(out, " %d@%d=%.2f", i, level, placement->share[i][level]);
}

char *kt_identity_context(const char *name, enum kt_timer_kind timer, enum kt_pages pages,
                          const struct kt_placements_of_shape *placed)
{
    static const char *const in_pages[] = {
        [KT_PAGES_ANY] = "", [KT_PAGES_SMALL] = " in small pages", [KT_PAGES_HUGE] = " in huge pages"};
    char *text;
    size_t size;
    FILE *out = open_text(&text, &size);
    fprintf(out, "%s%s%s%s", name, timer == KT_TIMER_WALL ? "" : " by ",
            timer == KT_TIMER_WALL ? "" : kt_timer_names[timer], in_pages[pages]);
    for (unsigned i = 0; placed && i < placed->count; i++)
        write_placement(out, &placed->placement[i]);
    close_text(out);
    return text;
}
