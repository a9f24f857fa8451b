/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Variables of the environment that say how many threads libraries and OpenMP start, where these run and how they wait.
 * The recorder writes down those that are set. A replay sets those again that say how threads wait (WAITS); how many
 * there are (NUMBER) and where (PLACES) it is told.
 */
#ifndef KT_VARIABLES_H
#define KT_VARIABLES_H

#define KT_THREAD_VARIABLES(X)              \
    X(OMP_NUM_THREADS, NUMBER)              \
    X(OMP_THREAD_LIMIT, NUMBER)             \
    X(OMP_DYNAMIC, NUMBER)                  \
    X(OMP_NESTED, NUMBER)                   \
    X(OMP_MAX_ACTIVE_LEVELS, NUMBER)        \
    X(OMP_PROC_BIND, PLACES)                \
    X(OMP_PLACES, PLACES)                   \
    X(OMP_WAIT_POLICY, WAITS)               \
    X(GOMP_SPINCOUNT, WAITS)                \
    X(GOMP_CPU_AFFINITY, PLACES)            \
    X(KMP_BLOCKTIME, WAITS)                 \
    X(KMP_LIBRARY, WAITS)                   \
    X(KMP_AFFINITY, PLACES)                 \
    X(OPENBLAS_NUM_THREADS, NUMBER)         \
    X(OPENBLAS_DEFAULT_NUM_THREADS, NUMBER) \
    X(OPENBLAS_THREAD_TIMEOUT, WAITS)       \
    X(OPENBLAS_MAIN_FREE, PLACES)           \
    X(GOTO_NUM_THREADS, NUMBER)             \
    X(GOTOBLAS_MAIN_FREE, PLACES)           \
    X(BLIS_NUM_THREADS, NUMBER)             \
    X(BLIS_JC_NT, NUMBER)                   \
    X(BLIS_IC_NT, NUMBER)                   \
    X(BLIS_JR_NT, NUMBER)                   \
    X(BLIS_IR_NT, NUMBER)                   \
    X(MKL_NUM_THREADS, NUMBER)              \
    X(MKL_DOMAIN_NUM_THREADS, NUMBER)       \
    X(MKL_DYNAMIC, NUMBER)                  \
    X(MKL_THREADING_LAYER, NUMBER)

#endif
