/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The dynamic linker that the program names lists what it would load (ld.so --list), with all its rules; the first of
 * these files that defines a routine is the BLAS.
 */
#include "trace/library/program_blas.h"

#include "trace/base/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <libelf.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

/* --- files ------------------------------------------------------------------------------------------------- */

/* As execvp does it. */
static bool find_program(const char *command, char path[PATH_MAX])
{
    const char *list = getenv("PATH");
    bool found = false;
    if (strchr(command, '/')) {
        snprintf(path, PATH_MAX, "%s", command);
        return access(path, X_OK) == 0;
    }
    char *copy = kt_copy(list ? list : "/bin:/usr/bin");
    char *rest = copy;
    for (char *part; !found && (part = strsep(&rest, ":"));) {
        snprintf(path, PATH_MAX, "%s/%s", *part ? part : ".", command);
        found = access(path, X_OK) == 0;
    }
    free(copy);
    return found;
}

static Elf *open_elf(const char *path, int *descriptor)
{
    elf_version(EV_CURRENT);
    *descriptor = open(path, O_RDONLY | O_CLOEXEC);
    return *descriptor < 0 ? NULL : elf_begin(*descriptor, ELF_C_READ_MMAP, NULL);
}

static void close_elf(Elf *elf, int descriptor)
{
    elf_end(elf);
    if (descriptor >= 0)
        close(descriptor);
}

/* The dynamic linker that the program asks for; "": none. */
static void find_interpreter(const char *program, char out[PATH_MAX])
{
    int descriptor;
    Elf *elf = open_elf(program, &descriptor);
    size_t heads = 0;
    size_t size = 0;
    const char *bytes = elf ? elf_rawfile(elf, &size) : NULL;
    *out = '\0';
    if (bytes && elf_kind(elf) == ELF_K_ELF && elf_getphdrnum(elf, &heads) != 0)
        heads = 0;
    for (int i = 0; bytes && (size_t)i < heads; i++) {
        GElf_Phdr head;
        if (gelf_getphdr(elf, i, &head) && head.p_type == PT_INTERP && head.p_offset < size &&
            head.p_filesz <= size - head.p_offset)
            snprintf(out, PATH_MAX, "%.*s", (int)(head.p_filesz < PATH_MAX ? head.p_filesz : 0), bytes + head.p_offset);
    }
    close_elf(elf, descriptor);
}

/* --- does a file define a routine? ------------------------------------------------------------------------- */

static bool is_routine(const char *name)
{
    static const char *const routine[] = {"dgemm_", "ddot_", "idamax_", "dgemm_64_", "ddot_64_", "cblas_ddot", "DDOT"};
    for (size_t i = 0; i < sizeof routine / sizeof *routine; i++)
        if (!strcmp(name, routine[i]))
            return true;
    return false;
}

static bool section_defines(Elf *elf, Elf_Scn *section)
{
    GElf_Shdr head;
    if (!gelf_getshdr(section, &head) || head.sh_type != SHT_DYNSYM || head.sh_entsize == 0)
        return false;
    Elf_Data *data = elf_getdata(section, NULL);
    for (int i = 0; data && (GElf_Xword)i < head.sh_size / head.sh_entsize; i++) {
        GElf_Sym symbol;
        const char *name =
            gelf_getsym(data, i, &symbol) && symbol.st_shndx ? elf_strptr(elf, head.sh_link, symbol.st_name) : NULL;
        if (name && is_routine(name))
            return true;
    }
    return false;
}

static bool defines_routine(const char *path)
{
    int descriptor;
    Elf *elf = open_elf(path, &descriptor);
    bool found = false;
    for (Elf_Scn *section = NULL; elf && !found && (section = elf_nextscn(elf, section));)
        found = section_defines(elf, section);
    close_elf(elf, descriptor);
    return found;
}

/* --- the list ---------------------------------------------------------------------------------------------- */

__attribute__((noreturn)) static void list_libraries(const char *interpreter, const char *program, int pipe)
{
    int nowhere = open("/dev/null", O_RDWR | O_CLOEXEC);
    dup2(nowhere, STDIN_FILENO);
    dup2(nowhere, STDERR_FILENO);
    dup2(pipe, STDOUT_FILENO);
    unsetenv("LD_PRELOAD");
    unsetenv("LD_AUDIT");
    execl(interpreter, interpreter, "--list", program, (char *)NULL);
    _exit(127);
}

/* "    libblas.so.3 => /usr/lib/libblas.so.3 (0x00007f..)" */
static bool read_line(char *line, char path[PATH_MAX])
{
    char *from = strstr(line, "=> /");
    char *end = from ? strstr(from, " (0x") : NULL;
    if (!end)
        return false;
    *end = '\0';
    snprintf(path, PATH_MAX, "%s", from + 3);
    return true;
}

static bool read_list(FILE *list, char path[PATH_MAX])
{
    char line[2 * PATH_MAX];
    bool found = false;
    while (fgets(line, sizeof line, list))
        if (!found)
            found = read_line(line, path) && defines_routine(path);
    return found;
}

bool kt_program_blas(const char *command, char path[PATH_MAX])
{
    char program[PATH_MAX];
    char interpreter[PATH_MAX] = "";
    int ends[2];
    if (find_program(command, program))
        find_interpreter(program, interpreter);
    if (!*interpreter || pipe2(ends, O_CLOEXEC) != 0)
        return false;
    pid_t child = fork();
    if (child == 0)
        list_libraries(interpreter, program, ends[1]);
    close(ends[1]);
    FILE *list = fdopen(ends[0], "r");
    bool found = child > 0 && list && read_list(list, path);
    if (list)
        fclose(list);
    while (child > 0 && waitpid(child, NULL, 0) < 0 && errno == EINTR)
        ;
    return found;
}
