/* SPDX-License-Identifier: BSD-3-Clause */
#include "trace/build_id.h"

#include <elfutils/libdwelf.h>
#include <fcntl.h>
#include <libelf.h>
#include <stdio.h>
#include <unistd.h>

bool kt_build_id_of(const char *path, char out[KT_BUILD_ID_TEXT])
{
    enum { MOST = (KT_BUILD_ID_TEXT - 1) / 2 };
    const void *id = NULL;
    int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    elf_version(EV_CURRENT);
    Elf *elf = file < 0 ? NULL : elf_begin(file, ELF_C_READ_MMAP, NULL);
    ssize_t bytes = elf ? dwelf_elf_gnu_build_id(elf, &id) : 0;
    bool is_known = bytes > 0 && bytes <= MOST;
    for (ssize_t i = 0; is_known && i < bytes; i++)
        snprintf(out + 2 * i, 3, "%02x", ((const unsigned char *)id)[i]);
    if (elf)
        elf_end(elf);
    if (file >= 0)
        close(file);
    return is_known;
}
