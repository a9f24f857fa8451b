/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The instruction cache, with code that is made here, one piece in each line. Two curves over the size of the code:
 *
 * - "code": each piece jumps to the next in an order that is random but always the same, so jumps are predicted. Up to
 *   which size it runs at its best rate is what programs experience: a cache of decoded operations is part of it, and
 *   fetching ahead along predicted jumps hides much.
 * - "code fetch": pieces are called in an order that is never the same, so each call waits for its line, and pieces
 * have more operations than a cache of decoded ones takes. Levels of that curve are levels of caches: the end of the
 * first one is the capacity, if it ends anywhere.
 */
#include "model/probe/probe.h"
#include "trace/command/json.h"
#include "trace/base/memory.h"

#include <math.h>
#include <sys/mman.h>

enum { LINE = 64, SMALLEST = 4096, LARGEST = 512 << 10, OCTAVE = 6, POINTS_MAX = 64, CALLS = 2000 };

/* --- code -------------------------------------------------------------------------------------------------- */

#if defined(__x86_64__)
static void put_jump(unsigned char *line, const unsigned char *to)
{
    static const unsigned char nop[8] = {0x0f, 0x1f, 0x84}; /* of 8 bytes, so that 7 of them nearly fill a line */
    size_t at = 0;
    for (; at < 7 * sizeof nop; at += sizeof nop)
        memcpy(line + at, nop, sizeof nop);
    int32_t distance = (int32_t)(to - (line + at + 5));
    line[at] = 0xe9;
    memcpy(line + at + 1, &distance, sizeof distance);
}

static void put_return(unsigned char *line, size_t nops)
{
    memset(line, 0x90, nops);
    line[nops] = 0xc3;
}

enum { NOPS = 40 };
#elif defined(__aarch64__)
static void put_word(unsigned char *line, size_t i, uint32_t word)
{
    memcpy(line + 4 * i, &word, sizeof word);
}

static void put_jump(unsigned char *line, const unsigned char *to)
{
    for (size_t i = 0; i < 7; i++)
        put_word(line, i, 0xd503201f);
    put_word(line, 7, 0x14000000 | ((uint32_t)((to - (line + 28)) / 4) & 0x03ffffff));
}

static void put_return(unsigned char *line, size_t nops)
{
    for (size_t i = 0; i < nops; i++)
        put_word(line, i, 0xd503201f);
    put_word(line, nops, 0xd65f03c0);
}

enum { NOPS = 12 };
#else
static void put_jump(unsigned char *line, const unsigned char *to)
{
    (void)line;
    (void)to;
}

static void put_return(unsigned char *line, size_t nops)
{
    (void)line;
    (void)nops;
}

enum { NOPS = 0 };
#endif

typedef void piece(void);

struct code {
    unsigned char *jumps;   /* LARGEST bytes */
    unsigned char *returns; /* as many */
    size_t lines[POINTS_MAX];
    uint64_t seed;
    uint32_t *order; /* room for as many as there are lines */
    piece **call;    /* room for 2 * (CALLS + as many) */
};

static void mix(uint32_t *order, size_t n, uint64_t *seed)
{
    for (size_t i = 0; i < n; i++) {
        size_t other = (size_t)(kt_any_number(seed) % (i + 1));
        order[i] = order[other];
        order[other] = (uint32_t)i;
    }
}

/* --- samples ----------------------------------------------------------------------------------------------- */

struct run {
    piece *first;
    piece **call;
    size_t times;
};

static void run_jumps(void *context)
{
    const struct run *r = context;
    for (size_t i = 0; i < r->times; i++)
        r->first();
}

static void run_calls(void *context)
{
    const struct run *r = context;
    for (size_t i = 0; i < r->times; i++)
        r->call[i]();
}

static void *at_line(unsigned char *code, size_t line)
{
    return code + line * LINE;
}

static struct kt_lap lap_of_jumps(struct code *code, size_t lines)
{
    struct run run = {.times = 1 + 4 * CALLS / lines};
    mix(code->order, lines, &code->seed);
    for (size_t i = 0; i + 1 < lines; i++)
        put_jump(at_line(code->jumps, code->order[i]), at_line(code->jumps, code->order[i + 1]));
    put_return(at_line(code->jumps, code->order[lines - 1]), NOPS);
    __builtin___clear_cache((char *)code->jumps, (char *)code->jumps + lines * LINE);
    void *first = at_line(code->jumps, code->order[0]);
    memcpy(&run.first, &first, sizeof first);
    run_jumps(&run);
    struct kt_lap lap = kt_lap(run_jumps, &run, 3);
    double pieces = (double)(run.times * lines);
    return (struct kt_lap){lap.ticks / pieces, lap.cycles / pieces};
}

/* One order to bring the code in, another that is timed, once: a second time it would be known. */
static struct kt_lap lap_of_calls(struct code *code, size_t lines)
{
    size_t n = lines < CALLS ? CALLS / lines * lines : lines;
    for (size_t i = 0; i < 2 * n; i += lines) {
        mix(code->order, lines, &code->seed);
        for (size_t k = 0; k < lines; k++) {
            void *to = at_line(code->returns, code->order[k]);
            memcpy(&code->call[i + k], &to, sizeof to);
        }
    }
    struct run run = {.call = code->call, .times = n};
    run_calls(&run);
    run.call += n;
    struct kt_lap lap = kt_lap(run_calls, &run, 1);
    return (struct kt_lap){lap.ticks / (double)n, lap.cycles / (double)n};
}

static struct kt_lap lap_of(void *context, size_t item)
{
    struct code *code = context;
    return item % 2 ? lap_of_calls(code, code->lines[item / 2]) : lap_of_jumps(code, code->lines[item / 2]);
}

/* --- answers ----------------------------------------------------------------------------------------------- */

/* The last size that costs no more than a quarter more than the cheapest; Y is monotone. */
static double effective(const double *x, const double *y, size_t n)
{
    double last = x[0];
    for (size_t i = 0; i < n && y[i] <= 1.25 * y[0]; i++)
        last = x[i];
    return last;
}

/* The middle between the first level and the next, if one follows soon. */
static double capacity(const double *x, const double *y, size_t n, double *confidence)
{
    struct kt_segment level[POINTS_MAX];
    size_t levels = kt_levels(y, n, 0, 4, 1.1, level);
    *confidence = 0;
    if (levels < 2)
        return 0;
    double low = x[level[0].last];
    double high = x[level[1].first];
    *confidence = 0.9 * exp(-3 * fmax(0, log(high / low) - 0.13));
    return *confidence > 0.6 ? sqrt(low * high) : 0;
}

static void answer(struct kt_probe *probe, const double *x, double *jumps, double *calls, size_t n)
{
    double confidence;
    kt_enforce_monotone(jumps, n);
    kt_enforce_monotone(calls, n);
    double fast = effective(x, jumps, n);
    double bytes = capacity(x, calls, n, &confidence);
    kt_probe_curve(probe, "code", "bytes", "cycles per line", x, jumps, n, &fast, 1);
    kt_probe_curve(probe, "code fetch", "bytes", "cycles per line", x, calls, n, &bytes, bytes > 0);
    if (!(bytes > 0))
        kt_probe_not_determined(probe, "instruction cache",
                                "the cost of a line of code rises gradually: a cache of decoded operations and what "
                                "else runs on the core share in it");
    json_object_set_new(probe->answer, "instruction_cache",
                        json_pack("{s:o, s:f, s:f}", "bytes", bytes > 0 ? json_real(round(bytes)) : json_null(),
                                  "effective_bytes", fast, "confidence", bytes > 0 ? confidence : 0));
}

static void measure(struct kt_probe *probe, struct code *code)
{
    struct kt_lap lap[2 * POINTS_MAX];
    double x[POINTS_MAX];
    double jumps[POINTS_MAX];
    double calls[POINTS_MAX];
    size_t n = 0;
    for (double bytes = SMALLEST; bytes < LARGEST && n < POINTS_MAX; bytes *= exp2(1.0 / OCTAVE))
        code->lines[n++] = (size_t)bytes / LINE;
    for (size_t line = 0; line < LARGEST / LINE; line++)
        put_return(at_line(code->returns, line), NOPS);
    __builtin___clear_cache((char *)code->returns, (char *)code->returns + LARGEST);
    kt_laps(2 * n, 60, 1.5, lap_of, code, lap);
    for (size_t i = 0; i < n; i++) {
        x[i] = (double)(code->lines[i] * LINE);
        jumps[i] = lap[2 * i].cycles;
        calls[i] = lap[2 * i + 1].cycles;
    }
    answer(probe, x, jumps, calls, n);
}

void kt_probe_code(struct kt_probe *probe)
{
    size_t lines = LARGEST / LINE;
    void *memory = mmap(NULL, 2 * LARGEST, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED || !NOPS) {
        kt_probe_not_determined(probe, "instruction cache",
                                NOPS ? "the system does not let code be made"
                                     : "there is no code for this kind of processor");
        return;
    }
    struct code code = {.jumps = memory, .returns = (unsigned char *)memory + LARGEST, .seed = 1};
    code.order = kt_resize(NULL, lines, sizeof *code.order);
    code.call = kt_resize(NULL, 2 * (CALLS + lines), sizeof *code.call);
    measure(probe, &code);
    free(code.order);
    free(code.call);
    munmap(memory, 2 * LARGEST);
}
