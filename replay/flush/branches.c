/* SPDX-License-Identifier: BSD-3-Clause */
#include "replay/flush/branches.h"

#include <string.h>
#include <sys/mman.h>

enum { BRANCH_BYTES = 16 };

#if defined(__x86_64__)
/* bt edi, i; jc over the next; a no-op that may be skipped; a no-op as filler */
static void write_branch(unsigned char *at, unsigned i)
{
    static const unsigned char code[BRANCH_BYTES] = {0x0f, 0xba, 0xe7, 0,    0x72, 0x02, 0x66, 0x90,
                                                     0x0f, 0x1f, 0x84, 0x00, 0,    0,    0,    0};
    memcpy(at, code, sizeof code);
    at[3] = i % 32;
}

static void write_return(unsigned char *at)
{
    *at = 0xc3;
}
#elif defined(__aarch64__)
static void write_branch(unsigned char *at, unsigned i)
{
    const uint32_t nop = 0xd503201f;
    const uint32_t code[BRANCH_BYTES / 4] = {0x36000000 | (i % 32) << 19 | 2 << 5, nop, nop, nop}; /* tbz w0, #i, +8 */
    memcpy(at, code, sizeof code);
}

static void write_return(unsigned char *at)
{
    const uint32_t code = 0xd65f03c0;
    memcpy(at, &code, sizeof code);
}
#endif

#if defined(__x86_64__) || defined(__aarch64__)
void kt_branches_make(size_t rows, size_t branches, struct kt_branches *out)
{
    *out = (struct kt_branches){.rows = rows, .row_bytes = (branches + 1) * BRANCH_BYTES};
    out->bytes = rows * out->row_bytes;
    unsigned char *at = mmap(NULL, out->bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (at == MAP_FAILED)
        return;
    for (size_t r = 0; r < rows; r++) {
        for (size_t i = 0; i < branches; i++)
            write_branch(at + r * out->row_bytes + i * BRANCH_BYTES, (unsigned)i);
        write_return(at + r * out->row_bytes + branches * BRANCH_BYTES);
    }
    __builtin___clear_cache((char *)at, (char *)at + out->bytes);
    if (mprotect(at, out->bytes, PROT_READ | PROT_EXEC) == 0)
        out->code = at;
    else
        munmap(at, out->bytes);
}
#else
void kt_branches_make(size_t rows, size_t branches, struct kt_branches *out)
{
    (void)rows;
    (void)branches;
    *out = (struct kt_branches){0};
}
#endif

void kt_branches_free(struct kt_branches *branches)
{
    if (branches->code)
        munmap(branches->code, branches->bytes);
    *branches = (struct kt_branches){0};
}

void kt_branches_run(const struct kt_branches *branches, size_t row, uint32_t directions)
{
    void (*run)(uint32_t directions);
    if (!branches->code)
        return;
    const unsigned char *at = branches->code + row % branches->rows * branches->row_bytes;
    memcpy(&run, &at, sizeof run);
    run(directions);
}
