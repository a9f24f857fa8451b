/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Identifies a linear system x' = A x from measurements, with row-major matrices by the C interface of LAPACK:
 * least squares for A, its stable part by an ordered Schur form, an orthonormal basis of the states by reflectors, and
 * how far the measurements tell the entries apart by singular values. The last call is given what it must refuse.
 * Prints all bits of its results.
 *
 *     cc -O2 lapacke_rowmajor.c -llapacke -llapack -lblas -lm -o lapacke_rowmajor
 */
#include <lapacke.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { STATES = 6, SAMPLES = 200 };

static double state[SAMPLES * STATES], change[SAMPLES * STATES];

static double noise(void)
{
    return rand() / (double)RAND_MAX - 0.5;
}

/* Oscillators in pairs, every second one growing. */
static void measure(void)
{
    for (int i = 0; i < SAMPLES; i++)
        for (int j = 0; j < STATES; j += 2) {
            double t = 0.05 * i * (j + 1);
            double rate = j % 4 == 0 ? -0.1 : 0.1;
            double *x = state + i * STATES + j;
            double *y = change + i * STATES + j;
            x[0] = exp(rate * t) * cos(t) + 1e-3 * noise();
            x[1] = exp(rate * t) * sin(t) + 1e-3 * noise();
            y[0] = (j + 1) * (rate * x[0] - x[1]);
            y[1] = (j + 1) * (rate * x[1] + x[0]);
        }
}

static void print(const char *what, lapack_int info, const double *x, int count)
{
    printf("%s, info %d:", what, (int)info);
    for (int i = 0; i < count; i++)
        printf(" %a", x[i]);
    printf("\n");
}

static lapack_logical is_stable(const double *re, const double *im)
{
    (void)im;
    return *re < 0;
}

/* Leaves the transpose of A in the first rows of the changes. */
static void identify(void)
{
    double copy[SAMPLES * STATES];
    for (int i = 0; i < SAMPLES * STATES; i++)
        copy[i] = state[i];
    lapack_int info = LAPACKE_dgels(LAPACK_ROW_MAJOR, 'N', SAMPLES, STATES, STATES, copy, STATES, change, STATES);
    print("entries", info, change, STATES * STATES);
}

static void find_stable_part(void)
{
    double re[STATES], im[STATES], vectors[STATES * STATES];
    lapack_int stable;
    lapack_int info =
        LAPACKE_dgees(LAPACK_ROW_MAJOR, 'V', 'S', is_stable, STATES, change, STATES, &stable, re, im, vectors, STATES);
    printf("%d stable states\n", (int)stable);
    print("eigenvalues", info, re, STATES);
    print("basis", info, vectors, STATES * STATES);
}

/* An orthonormal basis of the measured states, and one trajectory in it. */
static void orthogonalize(void)
{
    double q[SAMPLES * STATES], scalar[STATES], trajectory[SAMPLES];
    for (int i = 0; i < SAMPLES * STATES; i++)
        q[i] = state[i];
    for (int i = 0; i < SAMPLES; i++)
        trajectory[i] = state[i * STATES];
    lapack_int info = LAPACKE_dgeqrf(LAPACK_ROW_MAJOR, SAMPLES, STATES, q, STATES, scalar);
    print("reflectors", info, scalar, STATES);
    info = LAPACKE_dormqr(LAPACK_ROW_MAJOR, 'L', 'T', SAMPLES, 1, STATES, q, STATES, scalar, trajectory, 1);
    print("coefficients", info, trajectory, STATES);
    info = LAPACKE_dorgqr(LAPACK_ROW_MAJOR, SAMPLES, STATES, STATES, q, STATES, scalar);
    print("orthonormal basis", info, q, STATES * STATES);
}

static void judge(void)
{
    double singular[STATES], rest[STATES];
    lapack_int info = LAPACKE_dgesvd(LAPACK_ROW_MAJOR, 'N', 'N', SAMPLES, STATES, state, STATES, singular, NULL, STATES,
                                     NULL, STATES, rest);
    print("singular values", info, singular, STATES);
}

/* Of a matrix that holds no number, and with a leading dimension that is too small. */
static void be_refused(void)
{
    lapack_int pivots[STATES];
    state[0] = NAN;
    print("not a number", LAPACKE_dgetrf(LAPACK_ROW_MAJOR, STATES, STATES, state, STATES, pivots), NULL, 0);
    print("too narrow", LAPACKE_dgetrf_work(LAPACK_ROW_MAJOR, STATES, STATES, state, STATES - 1, pivots), NULL, 0);
}

int main(void)
{
    srand(4);
    measure();
    identify();
    find_stable_part();
    orthogonalize();
    judge();
    be_refused();
    return 0;
}
