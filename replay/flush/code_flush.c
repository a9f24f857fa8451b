/* SPDX-License-Identifier: BSD-3-Clause */
#include "replay/flush/code_flush.h"

#include "replay/machine/cache.h"
#include "replay/flush/crew.h"
#include "trace/base/random.h"

#include <fcntl.h>
#include <link.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { PAGE = 4096 };

/* More than predictors hold, each in a place of its own, and more pages than the instruction TLB holds. */
enum { BRANCHES = 32768 };

static void run_branches(void *argument)
{
    const struct kt_code_flush *flush = argument;
    kt_branches_run(&flush->branches, 0, flush->directions);
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
    *out = (struct kt_code_flush){.state = 1};
    kt_branches_make(1, BRANCHES, &out->branches);
    out->pages = mmap(NULL, (size_t)PAGES * PAGE, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (out->pages == MAP_FAILED)
        out->pages = NULL;
    else
        madvise(out->pages, (size_t)PAGES * PAGE, MADV_NOHUGEPAGE);
    out->pagemap = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
}

void kt_code_flush_close(struct kt_code_flush *flush)
{
    kt_branches_free(&flush->branches);
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
