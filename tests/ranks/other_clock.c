/* SPDX-License-Identifier: BSD-3-Clause */
/* Preloaded: the time of day as the clock of another machine has it, OTHER_CLOCK_NS ahead, and the OTHER_CLOCK_ERROR_US
 * that its kernel says of it; without the latter the kernel says that nobody sets this clock. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/timex.h>
#include <time.h>

int clock_gettime(clockid_t clock, struct timespec *out)
{
    static int (*real)(clockid_t, struct timespec *);
    static int64_t ahead;
    const int64_t second = 1000000000;
    if (!real) {
        const char *text = getenv("OTHER_CLOCK_NS");
        ahead = text ? atoll(text) : 0;
        real = (int (*)(clockid_t, struct timespec *))dlsym(RTLD_NEXT, "clock_gettime");
    }
    int failed = real(clock, out);
    if (failed || clock != CLOCK_REALTIME)
        return failed;
    int64_t ns = (int64_t)out->tv_sec * second + out->tv_nsec + ahead;
    *out = (struct timespec){ns / second, ns % second};
    return 0;
}

int adjtimex(struct timex *out)
{
    const char *text = getenv("OTHER_CLOCK_ERROR_US");
    *out = (struct timex){.status = text ? STA_PLL : STA_UNSYNC, .maxerror = text ? atol(text) : 16000000};
    return text ? TIME_OK : TIME_ERROR;
}
