/* SPDX-License-Identifier: BSD-3-Clause */
#include "trace/verbs/run_clock.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/timex.h>

/* The identity of the kernel's clock is that of its boot. */
static bool read_boot(char *out, size_t size)
{
    FILE *file = fopen("/proc/sys/kernel/random/boot_id", "r");
    bool fine = file && fgets(out, (int)size, file);
    if (file)
        fclose(file);
    if (fine)
        out[strcspn(out, "\n")] = '\0';
    return fine;
}

void kt_run_clock_export(void)
{
    char boot[64];
    char value[96];
    struct timex asked = {.modes = 0}; /* nothing is set */
    int state = adjtimex(&asked);
    bool is_known = state >= 0 && state != TIME_ERROR && !(asked.status & STA_UNSYNC) && asked.maxerror >= 0;
    if (!is_known || !read_boot(boot, sizeof boot)) {
        unsetenv("KTRACE_CLOCK_ERROR");
        return;
    }
    snprintf(value, sizeof value, "%s:%ld", boot, asked.maxerror);
    setenv("KTRACE_CLOCK_ERROR", value, 1);
}
