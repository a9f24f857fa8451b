/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A library whose constructor makes a call while another thread makes its first one: the linker's lock is held. Linked
 * to stay loaded, as the thread may get on only when dlopen() has returned. -DJOIN: the constructor waits for the
 * thread.
 */
#include <pthread.h>
#include <unistd.h>

double ddot_(const int *n, const double *x, const int *incx, const double *y, const int *incy);
double module_dot(void);

double module_dot(void)
{
    static const double x[1] = {1};
    static const int one = 1;
    return ddot_(&one, x, &one, x, &one);
}

static void *thread(void *unused)
{
    (void)unused;
    module_dot();
    return NULL;
}

__attribute__((constructor)) static void call_early(void)
{
    pthread_t id;
    if (pthread_create(&id, NULL, thread, NULL) != 0)
        return;
#ifdef JOIN
    pthread_join(id, NULL);
#else
    pthread_detach(id);
    usleep(100000);
#endif
    module_dot();
}
