/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The victim of the kill test: threads that make calls, some of which nest, and count them before and after in a file
 * that is mapped into memory. Arguments: the file, number of threads, calls of each thread (0: until it is killed).
 */
#include "tests/fault/victim.h"
#include "tests/fault/work.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

static struct victim_page *page;
static long limit;

static bool call(unsigned which)
{
    switch (which) {
    case 0:
        return work_dot(3);
    case 1:
        return work_product();
    case 2:
        return work_solve();
    default:
        return work_factor();
    }
}

static void *work(void *number)
{
    unsigned random = 1 + (unsigned)(intptr_t)number;
    struct victim_count *of = page->thread[(intptr_t)number].of;
    atomic_store(&page->thread[(intptr_t)number].tid, (uint32_t)gettid());
    for (long i = 0; !limit || i < limit; i++) {
        random = random * 1664525 + 1013904223;
        unsigned which = random >> 24 & 3;
        atomic_fetch_add_explicit(&of[which].begun, 1, memory_order_relaxed);
        if (!call(which))
            _exit(9);
        atomic_fetch_add_explicit(&of[which].ended, 1, memory_order_relaxed);
    }
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t thread[VICTIM_THREADS];
    int count = argc == 4 ? atoi(argv[2]) : 0;
    int file = open(argv[1], O_RDWR);
    if (file < 0 || count < 1 || count > VICTIM_THREADS)
        return 2;
    page = mmap(NULL, sizeof *page, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    limit = atol(argv[3]);
    if (page == MAP_FAILED)
        return 2;
    for (intptr_t i = 1; i < count; i++)
        pthread_create(&thread[i], NULL, work, (void *)i);
    work(NULL);
    for (int i = 1; i < count; i++)
        pthread_join(thread[i], NULL);
    return 0;
}
