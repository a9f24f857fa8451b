/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A thread makes CALLS calls while another uses descriptors in a way that would meet any of ours:
 *   standard CALLS   0 to 2 are closed, and written to
 *   all CALLS        all are closed from 3 on, and a file is written and read
 *   lowest CALLS     0 is closed, and the next file must get it
 * Tells what went wrong.
 */
#include "tests/fault/work.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

static atomic_bool stop;
static long wrong;

static void write_to_standard(void)
{
    for (int file = 0; file < 3; file++)
        wrong += write(file, "garbage\n", 8) >= 0;
}

static void close_all(void)
{
    static const char text[] = "0123456789";
    char back[64];
    close_range(3, ~0u, 0);
    int file = open("mine.dat", O_CREAT | O_TRUNC | O_RDWR, 0600);
    bool good = write(file, text, 10) == 10;
    usleep(20);
    good &= pread(file, back, sizeof back, 0) == 10 && !memcmp(back, text, 10);
    close(file);
    wrong += !good;
}

static void take_lowest(void)
{
    close(0);
    int file = open("/dev/null", O_RDWR);
    wrong += file != 0;
    if (file > 0) {
        dup2(file, 0);
        close(file);
    }
}

static void *use_descriptors(void *use)
{
    while (!atomic_load(&stop))
        ((void (*)(void))use)();
    return NULL;
}

int main(int argc, char **argv)
{
    if (argc != 3)
        return 2;
    bool standard = !strcmp(argv[1], "standard");
    int told = dup(STDOUT_FILENO);
    if (standard)
        for (int file = 0; file < 3; file++)
            close(file);
    pthread_t other;
    void (*use)(void) = standard ? write_to_standard : !strcmp(argv[1], "all") ? close_all : take_lowest;
    pthread_create(&other, NULL, use_descriptors, (void *)use);
    work_times(atoi(argv[2]));
    atomic_store(&stop, true);
    pthread_join(other, NULL);
    if (standard)
        dup2(told, STDOUT_FILENO);
    printf("%ld wrong\n", wrong);
    return wrong > 0;
}
