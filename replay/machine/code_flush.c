/* SPDX-License-Identifier: BSD-3-Clause */
#include "replay/machine/code_flush.h"

#include "replay/machine/cache.h"
#include "replay/machine/crew.h"
#include "replay/random.h"

#include <fcntl.h>
#include <link.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { PAGE = 4096 };

/* --- branches ---------------------------------------------------------------------------------------------- */

/* More than predictors hold, each in a place of its own, and more pages than the instruction TLB holds. */
enum { BRANCHES = 32768, BRANCH_BYTES = 16 };

#if defined(__x86_64__)
/* bt edi, i; jc over the next; a no-op that may be skipped; a no-op as filler */
static void write_branch(unsigned char *at, unsigned i)
{
    static const unsigned char code[BRANCH_BYTES] = {0x0f, 0xba, 0xe7, 0,    0x72, 0x02, 0x66, 0x90,
                                                     0x0f, 0x1f, 0x84, 0x00, 0,    0,    0,    0};
    memcpy(at, code, sizeof code);
    at[3] = i % 32;
}

static size_t write_return(unsigned char *at)
{
    *at = 0xc3;
    return 1;
}
#elif defined(__aarch64__)
static void write_branch(unsigned char *at, unsigned i)
{
    const uint32_t nop = 0xd503201f;
    const uint32_t code[BRANCH_BYTES / 4] = {0x36000000 | (i % 32) << 19 | 2 << 5, nop, nop, nop}; /* tbz w0, #i, +8 */
    memcpy(at, code, sizeof code);
}

static size_t write_return(unsigned char *at)
{
    const uint32_t code = 0xd65f03c0;
    memcpy(at, &code, sizeof code);
    return sizeof code;
}
#endif

#if defined(__x86_64__) || defined(__aarch64__)
static unsigned char *make_branches(size_t bytes)
{
    unsigned char *at = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (at == MAP_FAILED)
        return NULL;
    for (unsigned i = 0; i < BRANCHES; i++)
        write_branch(at + (size_t)i * BRANCH_BYTES, i);
    size_t last = (size_t)BRANCHES * BRANCH_BYTES;
    __builtin___clear_cache((char *)at, (char *)at + last + write_return(at + last));
    if (mprotect(at, bytes, PROT_READ | PROT_EXEC) == 0)
        return at;
    munmap(at, bytes);
    return NULL;
}
#else
static unsigned char *make_branches(size_t bytes)
{
    (void)bytes;
    return NULL;
}
#endif

static void run_branches(void *argument)
{
    const struct kt_code_flush *flush = argument;
    void (*run)(uint32_t directions);
    if (!flush->branches)
        return;
    memcpy(&run, &flush->branches, sizeof run);
    run(flush->directions);
}

/* --- pages ------------------------------------------------------------------------------------------------- */

/* Four times as many as the TLB of today's processors hold. As they are never written they are all one page of
 * memory, of which each access reads another line. */
enum { PAGES = 8192 };

static void touch_pages(void *argument)
{
    const struct kt_code_flush *flush = argument;
    uint64_t lines = PAGE / kt_line_bytes();
    for (uint64_t i = 0; flush->pages && i < PAGES; i++)
        (void)*(volatile unsigned char *)(flush->pages + i * PAGE + i % lines * kt_line_bytes());
}

/* --- libraries --------------------------------------------------------------------------------------------- */

/* Bit 63 of a page's entry: it is in memory, in our page table. */
static bool is_there(const uint64_t *entry)
{
    return *entry >> 63;
}

static void flush_pages(int pagemap, uint64_t lo, uint64_t hi)
{
    enum { BATCH = 512 };
    uint64_t entry[BATCH];
    for (uint64_t at = lo; at < hi;) {
        uint64_t count = (hi - at + PAGE - 1) / PAGE;
        count = count < BATCH ? count : BATCH;
        ssize_t got = pread(pagemap, entry, count * sizeof *entry, (off_t)(at / PAGE * sizeof *entry));
        for (uint64_t i = 0; i < count; i++, at += PAGE)
            if (got < (ssize_t)((i + 1) * sizeof *entry) || is_there(&entry[i]))
                kt_lines_flush(at, at + PAGE < hi ? at + PAGE : hi);
    }
}

/* The segments of a library; neither ours, which comes first and has no name, nor the kernel's, which is no file. */
static int flush_object(struct dl_phdr_info *info, size_t size, void *argument)
{
    const struct kt_code_flush *flush = argument;
    (void)size;
    if (!strchr(info->dlpi_name, '/'))
        return 0;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *p = &info->dlpi_phdr[i];
        uint64_t lo = info->dlpi_addr + p->p_vaddr;
        if (p->p_type == PT_LOAD && p->p_flags & PF_R)
            flush_pages(flush->pagemap, lo - lo % PAGE, lo + p->p_memsz);
    }
    return 0;
}

/* --- all of it --------------------------------------------------------------------------------------------- */

void kt_code_flush_open(struct kt_code_flush *out)
{
    *out = (struct kt_code_flush){.branches_bytes = (size_t)BRANCHES * BRANCH_BYTES + PAGE, .state = 1};
    out->branches = make_branches(out->branches_bytes);
    out->pages = mmap(NULL, (size_t)PAGES * PAGE, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (out->pages == MAP_FAILED)
        out->pages = NULL;
    else
        madvise(out->pages, (size_t)PAGES * PAGE, MADV_NOHUGEPAGE);
    out->pagemap = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
}

void kt_code_flush_close(struct kt_code_flush *flush)
{
    if (flush->branches)
        munmap(flush->branches, flush->branches_bytes);
    if (flush->pages)
        munmap(flush->pages, (size_t)PAGES * PAGE);
    if (flush->pagemap >= 0)
        close(flush->pagemap);
    *flush = (struct kt_code_flush){.pagemap = -1};
}

/* Translations of the pages that are flushed come into the TLB, so that is last. */
void kt_code_flush_run(struct kt_code_flush *flush, struct kt_crew *crew)
{
    flush->directions = (uint32_t)kt_random(&flush->state);
    kt_crew_run(crew, run_branches, flush);
    dl_iterate_phdr(flush_object, flush);
    kt_lines_flushed();
    kt_crew_run(crew, touch_pages, flush);
}
