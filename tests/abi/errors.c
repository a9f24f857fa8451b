/* SPDX-License-Identifier: BSD-3-Clause */
/* A program with error handlers of its own: those of the library must not be called, nor ours stand in the way. */
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

void dpotrf_(const char *uplo, const int *n, double *a, const int *lda, int *info, size_t uplo_length);
void cblas_dscal(int n, double alpha, double *x, int incx);
void xerbla_(const char *name, const int *info, size_t length);
void cblas_xerbla(int place, const char *routine, const char *form, ...);

void xerbla_(const char *name, const int *info, size_t length)
{
    printf("xerbla %.*s %d\n", (int)length, name, *info);
}

void cblas_xerbla(int place, const char *routine, const char *form, ...)
{
    va_list more;
    va_start(more, form);
    printf("cblas_xerbla %s %d: ", routine, place);
    vprintf(form, more);
    va_end(more);
}

int main(void)
{
    double a = 1;
    const int n = 1;
    int info = 0;
    dpotrf_("U", &n, &a, &n, &info, 1);
    cblas_dscal(-7, 2.5, &a, 1);
    return info == -1 ? 0 : 1;
}
