/* SPDX-License-Identifier: BSD-3-Clause */
#include "trace/library/elf_file.h"

#include <elfutils/libdwelf.h>
#include <fcntl.h>
#include <gelf.h>
#include <stdio.h>
#include <unistd.h>

/* Has READ look at the file; false if that is no ELF file. */
static bool with_file(const char *path, bool (*read)(Elf *elf, char *out, size_t size), char *out, size_t size)
{
    int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    elf_version(EV_CURRENT);
    Elf *elf = file < 0 ? NULL : elf_begin(file, ELF_C_READ_MMAP, NULL);
    bool is_known = elf && read(elf, out, size);
    if (elf)
        elf_end(elf);
    if (file >= 0)
        close(file);
    return is_known;
}

static bool read_build_id(Elf *elf, char *out, size_t size)
{
    const void *id = NULL;
    ssize_t bytes = dwelf_elf_gnu_build_id(elf, &id);
    bool is_known = bytes > 0 && 2 * (size_t)bytes < size;
    for (ssize_t i = 0; is_known && i < bytes; i++)
        snprintf(out + 2 * i, 3, "%02x", ((const unsigned char *)id)[i]);
    return is_known;
}

bool kt_build_id_of(const char *path, char out[KT_BUILD_ID_TEXT])
{
    return with_file(path, read_build_id, out, KT_BUILD_ID_TEXT);
}

static bool find_soname(Elf *elf, Elf_Scn *section, const GElf_Shdr *head, char *out, size_t size)
{
    GElf_Dyn entry;
    Elf_Data *data = elf_getdata(section, NULL);
    for (int i = 0; data && gelf_getdyn(data, i, &entry) && entry.d_tag != DT_NULL; i++) {
        const char *name = entry.d_tag == DT_SONAME ? elf_strptr(elf, head->sh_link, entry.d_un.d_val) : NULL;
        if (name)
            return snprintf(out, size, "%s", name) > 0;
    }
    return false;
}

static bool read_soname(Elf *elf, char *out, size_t size)
{
    GElf_Shdr head;
    for (Elf_Scn *section = elf_nextscn(elf, NULL); section; section = elf_nextscn(elf, section))
        if (gelf_getshdr(section, &head) && head.sh_type == SHT_DYNAMIC)
            return find_soname(elf, section, &head, out, size);
    return false;
}

bool kt_soname_of(const char *path, char *out, size_t size)
{
    return with_file(path, read_soname, out, size);
}
