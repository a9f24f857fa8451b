/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Inner loops for one width of vectors: replay/machine/peak.c includes this once for each, with
 *
 *     VECTOR_BYTES   width
 *     VECTOR(name)   name with a suffix of its own
 *     VECTOR_TARGET  attribute that lets the compiler use such vectors
 *
 * Twelve chains hide the latency of a multiply-add on any x86 so far (4 cycles, 2 at a time), and fit into 16
 * registers; others do four at a time and have 32 registers for more chains. All loops over chains have to be unrolled:
 * only then are they in registers.
 */
typedef double VECTOR(doubles) __attribute__((vector_size(VECTOR_BYTES)));
typedef float VECTOR(floats) __attribute__((vector_size(VECTOR_BYTES)));
typedef long long VECTOR(words) __attribute__((vector_size(VECTOR_BYTES)));

/* No chain becomes denormal or infinite. */
VECTOR_TARGET static double VECTOR(run_double)(long rounds)
{
    VECTOR(doubles) chain[CHAINS];
    VECTOR(doubles) factor = (VECTOR(doubles)){0} + half;
#pragma GCC unroll 24
    for (int i = 0; i < CHAINS; i++)
        chain[i] = (VECTOR(doubles)){0} + one;
    for (long round = 0; round < rounds; round++)
#pragma GCC unroll 24
        for (int i = 0; i < CHAINS; i++)
            chain[i] = MULTIPLY_ADD(chain[i], factor);
    double sum = 0;
#pragma GCC unroll 24
    for (int i = 0; i < CHAINS; i++)
        sum += chain[i][0];
    return sum;
}

VECTOR_TARGET static double VECTOR(run_single)(long rounds)
{
    VECTOR(floats) chain[CHAINS];
    VECTOR(floats) factor = (VECTOR(floats)){0} + (float)half;
#pragma GCC unroll 24
    for (int i = 0; i < CHAINS; i++)
        chain[i] = (VECTOR(floats)){0} + (float)one;
    for (long round = 0; round < rounds; round++)
#pragma GCC unroll 24
        for (int i = 0; i < CHAINS; i++)
            chain[i] = MULTIPLY_ADD(chain[i], factor);
    float sum = 0;
#pragma GCC unroll 24
    for (int i = 0; i < CHAINS; i++)
        sum += chain[i][0];
    return sum;
}

/* Four streams, as one alone does not keep the prefetchers busy; each is an odd number of lines long, so that they do
 * not meet in one set of a cache. */
VECTOR_TARGET static double VECTOR(run_read)(unsigned char *at, long bytes, long rounds)
{
    VECTOR(words) sum[STREAMS] = {{0}};
    long length = stream_length(bytes);
    for (long round = 0; round < rounds; round++) {
        for (long i = 0; i < length; i += LINE)
#pragma GCC unroll 4
            for (long part = 0; part < LINE; part += VECTOR_BYTES)
#pragma GCC unroll 4
                for (long j = 0; j < STREAMS; j++)
                    sum[j] ^= *(const VECTOR(words) *)(const void *)(at + j * length + i + part);
        FORGET_MEMORY;
    }
    long long all = 0;
    for (int j = 0; j < STREAMS; j++)
        all ^= sum[j][0];
    return (double)all;
}

/* BYTES is a multiple of 1024. No zeros are written: some processors store them twice as fast (a Zen 3 past the
 * caches). */
VECTOR_TARGET static double VECTOR(run_write)(unsigned char *at, long bytes, long rounds)
{
    for (long round = 0; round < rounds; round++) {
        VECTOR(words) value = (VECTOR(words)){0} + (round + 1);
        VECTOR(words) *v = (void *)at;
        for (long i = 0; i < bytes / VECTOR_BYTES; i += UNROLLED)
#pragma GCC unroll 8
            for (long j = 0; j < UNROLLED; j++)
                v[i + j] = value;
        FORGET_MEMORY;
    }
    return 0;
}

VECTOR_TARGET static double VECTOR(run_both)(unsigned char *at, long bytes, long rounds)
{
    for (long round = 0; round < rounds; round++) {
        VECTOR(words) *v = (void *)at;
        for (long i = 0; i < bytes / VECTOR_BYTES; i += UNROLLED)
#pragma GCC unroll 8
            for (long j = 0; j < UNROLLED; j++)
                v[i + j] += 1;
        FORGET_MEMORY;
    }
    return 0;
}

/* Two loads for each store, of three arrays: the best mix where a cache serves two loads and a store at once. */
VECTOR_TARGET static double VECTOR(run_triad)(unsigned char *at, long bytes, long rounds)
{
    long length = third_of(bytes);
    for (long round = 0; round < rounds; round++) {
        VECTOR(words) *to = (void *)at;
        const VECTOR(words) *a = (const void *)(at + length);
        const VECTOR(words) *b = (const void *)(at + 2 * length);
        for (long i = 0; i < length / VECTOR_BYTES; i += LINE / VECTOR_BYTES)
#pragma GCC unroll 4
            for (long j = 0; j < LINE / VECTOR_BYTES; j++)
                to[i + j] = a[i + j] + b[i + j];
        FORGET_MEMORY;
    }
    return 0;
}

static const struct kernels VECTOR(kernels) = {VECTOR_BYTES,     VECTOR(run_single), VECTOR(run_double),
                                               VECTOR(run_read), VECTOR(run_write),  VECTOR(run_both),
                                               VECTOR(run_triad)};

#undef VECTOR_BYTES
#undef VECTOR
#undef VECTOR_TARGET
