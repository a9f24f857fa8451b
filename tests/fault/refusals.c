/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A process that is refused things. Each argument is done in turn:
 *   callsN     N calls, in this thread      threadN   N calls, in a thread that ends
 *   refuse:WHAT:ERROR   from here on the kernel answers WHAT with ERROR, for all threads:
 *       shared     mappings of files that are shared and can be written to (9p, some FUSE and network file systems)
 *       fallocate  reserving space      space     reserving space and writing with pwrite()
 *       map        any mapping          madvise   advice on memory
 *       thread     making threads       membarrier
 *   limit:NOFILE|FSIZE|AS:N   a resource limit; AS is what is in use and N more
 *   need:N     memory of N bytes, which must be had
 *   fill:PATH  writes to PATH until the disk is full      free:PATH  removes it
 *   lose:DIR   removes a directory and all it holds       lock:DIR   nobody may write to it
 *   next       prints the least free file descriptor
 */
#include "tests/fault/work.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* --- refusals ---------------------------------------------------------------------------------------------- */

#define LOAD(member)       BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, member))
#define ARGUMENT(n)        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[n]))
#define UNLESS(value, n)   BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, 0, n)
#define UNLESS_BIT(bit, n) BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, bit, 0, n)
#define IF_BIT(bit, n)     BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, bit, n, 0)
#define ALLOW              BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)
#define REFUSE(error)      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | (error))

static void install(struct sock_filter *filter, size_t count)
{
    struct sock_fprog program = {.len = (unsigned short)count, .filter = filter};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
        syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &program) != 0) {
        printf("the kernel does not filter system calls\n");
        exit(77);
    }
}

static void refuse_call(unsigned number, unsigned error)
{
    struct sock_filter filter[] = {LOAD(nr), UNLESS(number, 1), REFUSE(error), ALLOW};
    install(filter, sizeof filter / sizeof *filter);
}

/* PROT_WRITE, MAP_SHARED or MAP_SHARED_VALIDATE, not MAP_ANONYMOUS. */
static void refuse_shared(unsigned error)
{
    struct sock_filter filter[] = {LOAD(nr),
                                   UNLESS(SYS_mmap, 6),
                                   ARGUMENT(2),
                                   UNLESS_BIT(PROT_WRITE, 4),
                                   ARGUMENT(3),
                                   IF_BIT(MAP_ANONYMOUS, 2),
                                   UNLESS_BIT(MAP_SHARED, 1),
                                   REFUSE(error),
                                   ALLOW};
    install(filter, sizeof filter / sizeof *filter);
}

/* The newer call's flags are out of a filter's sight: glibc falls back to the older one. */
static void refuse_threads(unsigned error)
{
    struct sock_filter older[] = {
        LOAD(nr), UNLESS(SYS_clone, 3), ARGUMENT(0), UNLESS_BIT(0x10000 /* CLONE_THREAD */, 1), REFUSE(error), ALLOW};
    install(older, sizeof older / sizeof *older);
    refuse_call(SYS_clone3, ENOSYS);
}

static void refuse(const char *what)
{
    static const struct {
        const char *name;
        unsigned number[3];
    } calls[] = {
        {"fallocate", {SYS_fallocate}},           {"space", {SYS_fallocate, SYS_pwrite64, SYS_pwritev}},
        {"map", {SYS_mmap, SYS_mremap, SYS_brk}}, {"madvise", {SYS_madvise}},
        {"membarrier", {SYS_membarrier}},
    };
    const char *colon = strchr(what, ':');
    size_t length = colon ? (size_t)(colon - what) : 0;
    unsigned error = colon ? (unsigned)atoi(colon + 1) : EPERM;
    if (!strncmp(what, "shared:", length + 1))
        refuse_shared(error);
    else if (!strncmp(what, "thread:", length + 1))
        refuse_threads(error);
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
        if (length == strlen(calls[i].name) && !strncmp(what, calls[i].name, length))
            for (int n = 0; n < 3 && (calls[i].number[n] || n == 0); n++)
                refuse_call(calls[i].number[n], error);
}

/* --- limits ------------------------------------------------------------------------------------------------ */

/* All of it, or what may be written and is the process's own. */
static rlim_t bytes_in_use(bool own)
{
    unsigned long pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    if (file && fscanf(file, own ? "%*u %*u %*u %*u %*u %lu" : "%lu", &pages) != 1)
        pages = 0;
    if (file)
        fclose(file);
    return (rlim_t)pages * (rlim_t)sysconf(_SC_PAGESIZE);
}

static void limit(const char *what)
{
    rlim_t value = (rlim_t)atoll(strchr(what, ':') + 1);
    __rlimit_resource_t resource = RLIMIT_NOFILE;
    struct rlimit both;
    if (!strncmp(what, "FSIZE", 5))
        resource = RLIMIT_FSIZE;
    if (!strncmp(what, "AS", 2)) {
        resource = RLIMIT_AS;
        value += bytes_in_use(false);
    }
    if (!strncmp(what, "DATA", 4)) {
        resource = RLIMIT_DATA;
        value += bytes_in_use(true);
    }
    getrlimit(resource, &both);
    both.rlim_cur = value;
    if (setrlimit(resource, &both) != 0)
        perror(what);
}

static void need(size_t bytes)
{
    void *at = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    printf("%zu bytes: %s\n", bytes, at == MAP_FAILED ? strerror(errno) : "fine");
}

/* --- places ------------------------------------------------------------------------------------------------ */

static void fill(const char *path)
{
    static const char block[4096];
    int file = open(path, O_WRONLY | O_CREAT, 0666);
    while (write(file, block, sizeof block) > 0)
        continue;
    close(file);
}

static int remove_one(const char *path, const struct stat *info, int kind, struct FTW *at)
{
    (void)info, (void)kind, (void)at;
    return remove(path);
}

static int lock_one(const char *path, const struct stat *info, int kind, struct FTW *at)
{
    (void)info, (void)at;
    return chmod(path, kind == FTW_D ? 0555 : 0444);
}

/* --- the rest ---------------------------------------------------------------------------------------------- */

static void *thread(void *calls)
{
    work_times((int)(intptr_t)calls);
    return NULL;
}

static void run_thread(int calls)
{
    pthread_t id;
    if (pthread_create(&id, NULL, thread, (void *)(intptr_t)calls) == 0)
        pthread_join(id, NULL);
    else
        puts("no thread");
}

static void print_least_descriptor(void)
{
    int file = dup(0);
    printf("descriptor %d\n", file);
    close(file);
}

static void perform(const char *what)
{
    if (!strncmp(what, "calls", 5))
        work_times(atoi(what + 5));
    else if (!strncmp(what, "thread", 6))
        run_thread(atoi(what + 6));
    else if (!strncmp(what, "refuse:", 7))
        refuse(what + 7);
    else if (!strncmp(what, "limit:", 6))
        limit(what + 6);
    else if (!strncmp(what, "need:", 5))
        need((size_t)atoll(what + 5));
    else if (!strncmp(what, "fill:", 5))
        fill(what + 5);
    else if (!strncmp(what, "free:", 5))
        unlink(what + 5);
    else if (!strncmp(what, "lose:", 5))
        nftw(what + 5, remove_one, 16, FTW_DEPTH | FTW_PHYS);
    else if (!strncmp(what, "lock:", 5))
        nftw(what + 5, lock_one, 16, FTW_PHYS);
    else if (!strcmp(what, "next"))
        print_least_descriptor();
    else
        printf("what is %s?\n", what), exit(99);
}

int main(int argc, char **argv)
{
    static char buffer[4096];
    setvbuf(stdout, buffer, _IOFBF, sizeof buffer); /* so that output needs no memory later */
    for (int i = 1; i < argc; i++)
        perform(argv[i]);
    puts("done");
    return 0;
}
