/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Bringing operands into a context: the sizes of caches, the rule that finds how much to read, which lines a step is
 * about, and whether what a plan promises is true: loads of what is in a cache, was evicted from it, or is in memory
 * take as long as they should.
 */
#include "ktrace/clock.h"
#include "replay/machine/cache.h"
#include "replay/machine/caches.h"
#include "replay/flush/crew.h"
#include "replay/machine/pages.h"
#include "replay/machine/processor.h"
#include "trace/base/random.h"
#include "replay/measure/stage.h"
#include "trace/base/memory.h"

#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/stat.h>

#include <cmocka.h>

#include "tests/unit/timing.h"

/* --- sizes ------------------------------------------------------------------------------------------------- */

static void write_index(const char *root, int index, const char *const text[4])
{
    static const char *const name[] = {"type", "level", "size", "shared_cpu_list"};
    char path[512];
    snprintf(path, sizeof path, "%s/index%d", root, index);
    assert_int_equal(mkdir(path, 0700), 0);
    for (int i = 0; i < 4; i++) {
        snprintf(path, sizeof path, "%s/index%d/%s", root, index, name[i]);
        FILE *file = fopen(path, "w");
        assert_non_null(file);
        fprintf(file, "%s\n", text[i]);
        fclose(file);
    }
}

static void caches_as_the_system_lists_them(void **state)
{
    (void)state;
    char root[] = "/tmp/ktrace-caches.XXXXXX";
    struct kt_caches caches;
    assert_non_null(mkdtemp(root));
    write_index(root, 0, (const char *const[]){"Data", "1", "48K", "0,64"});
    write_index(root, 1, (const char *const[]){"Instruction", "1", "32K", "0,64"});
    write_index(root, 2, (const char *const[]){"Unified", "2", "2048K", "0,64"});
    write_index(root, 3, (const char *const[]){"Unified", "3", "105M", "0-31,64-95"});
    assert_true(kt_caches_read(root, &caches));
    assert_int_equal(caches.count, 3);
    assert_int_equal(caches.cache[0].bytes, 48 << 10);
    assert_int_equal(caches.cache[0].shared, 2);
    assert_int_equal(caches.cache[1].bytes, 2 << 20);
    assert_int_equal(caches.cache[2].bytes, 105 << 20);
    assert_int_equal(caches.cache[2].shared, 64);
    char command[100];
    snprintf(command, sizeof command, "rm -r %s", root);
    assert_int_equal(system(command), 0);
}

static void caches_of_this_machine(void **state)
{
    (void)state;
    struct kt_caches caches;
    assert_false(kt_caches_read("/nowhere", &caches));
    assert_int_equal(caches.count, 2);
    kt_caches_read(NULL, &caches);
    assert_in_range(caches.count, 1, KT_MAX_CACHES);
    for (unsigned i = 1; i < caches.count; i++)
        assert_true(caches.cache[i].bytes > caches.cache[i - 1].bytes);
}

/* --- the rule of the calibration --------------------------------------------------------------------------- */

static void choose_where_times_stop_rising(void **state)
{
    (void)state;
    const double step[] = {5, 7, 14, 15, 15, 15};
    assert_false(kt_sweep_is_flat(step, 0));
    assert_false(kt_sweep_is_flat(step, 1));
    assert_false(kt_sweep_is_flat(step, 4)); /* who knows whether it goes on */
    assert_true(kt_sweep_is_flat(step, 5));
    assert_int_equal(kt_sweep_choose(step, 5), 2);
    const double at_once[] = {15, 15, 14.8};
    assert_true(kt_sweep_is_flat(at_once, 3));
    assert_int_equal(kt_sweep_choose(at_once, 3), 0);
    const double slowly[] = {5, 6, 7, 8.5, 10, 12, 14.5};
    assert_false(kt_sweep_is_flat(slowly, 7));
    assert_int_equal(kt_sweep_choose(slowly, 7), 6);
    const double noisy[] = {5, 14, 11, 14.5, 15};
    assert_false(kt_sweep_is_flat(noisy, 3));
    assert_true(kt_sweep_is_flat(noisy, 5));
    assert_int_equal(kt_sweep_choose(noisy, 5), 1);
}

static void doubts(void **state)
{
    (void)state;
    assert_string_equal(kt_sweep_doubt(&(struct kt_sweep){65536, 5, 14, 250, ""}, false, true), "");
    assert_string_equal(kt_sweep_doubt(&(struct kt_sweep){1 << 26, 60, 250, 250, ""}, true, false), "");
    assert_string_not_equal(kt_sweep_doubt(&(struct kt_sweep){1 << 26, 60, 250, 250, ""}, true, true), "");
    assert_string_not_equal(kt_sweep_doubt(&(struct kt_sweep){1 << 26, 60, 150, 250, ""}, true, false), "");
    assert_string_not_equal(kt_sweep_doubt(&(struct kt_sweep){65536, 5, 6, 250, ""}, false, false), "");
    assert_string_not_equal(kt_sweep_doubt(&(struct kt_sweep){65536, 5, 240, 250, ""}, false, false), "");
    assert_string_not_equal(kt_sweep_doubt(&(struct kt_sweep){0}, false, false), "");
}

/* A limit leaves less to read, and that is said. */
static void calibration_within_a_limit(void **state)
{
    (void)state;
    static struct kt_hierarchy hierarchy;
    kt_caches_read(NULL, &hierarchy.caches);
    hierarchy.caches.count = hierarchy.caches.count > 2 ? 2 : hierarchy.caches.count;
    unsigned last = hierarchy.caches.count - 1;
    kt_hierarchy_calibrate(1u << last, 100000, &hierarchy);
    assert_true(hierarchy.sweep[last].bytes <= 100000);
    assert_non_null(strstr(hierarchy.sweep[last].doubt, "0.1 MB only"));
}

static void some_of_the_last_cache_is_usable(void **state)
{
    (void)state;
    static struct kt_hierarchy hierarchy;
    kt_caches_read(NULL, &hierarchy.caches);
    unsigned last = hierarchy.caches.count - 1;
    uint64_t usable = kt_hierarchy_usable(&hierarchy, 1 << 28);
    print_message("of %.1f MB of the last cache %.1f MB are usable\n", (double)hierarchy.caches.cache[last].bytes / 1e6,
                  (double)usable / 1e6);
    assert_true(usable <= hierarchy.caches.cache[last].bytes);
    assert_true(last == 0 || usable >= hierarchy.caches.cache[last - 1].bytes);
    hierarchy.caches.count = 1;
    assert_int_equal(kt_hierarchy_usable(&hierarchy, 1 << 28), hierarchy.caches.cache[0].bytes);
}

/* --- which lines ------------------------------------------------------------------------------------------- */

enum { MOST_PIECES = 4000 };
static struct {
    uint64_t lo, hi;
} piece[MOST_PIECES];
static int pieces;

static void note(uint64_t lo, uint64_t hi)
{
    assert_true(pieces < MOST_PIECES);
    piece[pieces].lo = lo;
    piece[pieces++].hi = hi;
}

static void walk(const struct kt_operand *o, float from, float to)
{
    pieces = 0;
    kt_step_walk(&(struct kt_step){.kind = KT_TOUCH, .from = from, .to = to}, o, note);
}

static struct kt_operand vector(uint64_t base, int64_t n, int64_t inc)
{
    uint64_t bytes = (uint64_t)((n - 1) * (inc < 0 ? -inc : inc) + 1) * 8;
    return (struct kt_operand){.form = KT_FORM_VECTOR,
                               .base = base,
                               .lo = base,
                               .hi = base + bytes,
                               .rows = n,
                               .cols = 1,
                               .ld = inc,
                               .below = n,
                               .above = n,
                               .elements = (uint64_t)n,
                               .elem = 8};
}

static void parts_of_a_vector(void **state)
{
    (void)state;
    struct kt_operand x = vector(0x10010, 1000, 1);
    walk(&x, 0, 1);
    assert_int_equal(pieces, 1);
    assert_int_equal(piece[0].lo, 0x10000);
    assert_int_equal(piece[0].hi, 0x10010 + 8000);
    walk(&x, 0.25F, 0.5F);
    assert_int_equal(pieces, 1);
    assert_int_equal(piece[0].lo, (0x10010 + 2000) / 64 * 64);
    assert_int_equal(piece[0].hi, 0x10010 + 4000);
    walk(&x, 0.5F, 0.5F);
    assert_int_equal(pieces, 0);
}

/* Elements 16 bytes apart: each line once. */
static void a_line_once(void **state)
{
    (void)state;
    struct kt_operand x = vector(0x20000, 64, 2);
    walk(&x, 0, 1);
    uint64_t done = 0;
    int lines = 0;
    for (int i = 0; i < pieces; i++)
        for (uint64_t at = piece[i].lo; at < piece[i].hi; at += 64, lines++) {
            assert_true(at >= done);
            done = at + 64;
        }
    assert_int_equal(lines, 16);
}

static void parts_of_a_matrix(void **state)
{
    (void)state;
    struct kt_operand a = {.form = KT_FORM_MATRIX,
                           .base = 0x40000,
                           .lo = 0x40000,
                           .hi = 0x40000 + (9 * 1024 + 128) * 8,
                           .rows = 128,
                           .cols = 10,
                           .ld = 1024,
                           .below = 128,
                           .above = 128,
                           .elements = 1280,
                           .elem = 8};
    walk(&a, 0, 1);
    assert_int_equal(pieces, 10);
    walk(&a, 0.25F, 0.75F); /* from the middle of the third column to the middle of the eighth */
    assert_int_equal(pieces, 6);
    assert_int_equal(piece[0].lo, 0x40000 + (2 * 1024 + 64) * 8);
    assert_int_equal(piece[0].hi, 0x40000 + (2 * 1024 + 128) * 8);
    assert_int_equal(piece[5].lo, 0x40000 + 7 * 1024 * 8);
    assert_int_equal(piece[5].hi, 0x40000 + (7 * 1024 + 64) * 8);
}

/* --- is it true? ------------------------------------------------------------------------------------------- */

/* An operand whose lines are a chain in random order, so that walking it takes what loads take. */
struct chained {
    struct kt_operand operand;
    void **line[4096];
    size_t lines;
};

static void chain_up(struct chained *c, uint64_t base, uint64_t bytes)
{
    uint64_t state = 7;
    c->operand = vector(base, (int64_t)bytes / 8, 1);
    c->lines = bytes / 64;
    for (size_t i = 0; i < c->lines; i++) {
        size_t j = kt_random(&state) % (i + 1);
        c->line[i] = c->line[j];
        c->line[j] = (void **)(base + i * 64);
    }
    for (size_t i = 0; i < c->lines; i++)
        *c->line[i] = c->line[(i + 1) % c->lines];
}

static double ticks_of_a_load(const struct chained *c)
{
    void **at = c->line[0];
    uint64_t start = kt_clock_start();
    for (size_t i = 0; i < c->lines; i++)
        at = *(void **volatile *)at;
    return (double)(kt_clock_stop() - start) / (double)c->lines;
}

struct machine {
    struct kt_hierarchy hierarchy;
    struct kt_stage *stage;
    unsigned char *area;
    struct chained chained;
};

/* Each cache but the last is swept with more than it holds, or with half of the next: what a calibration finds at this
 * moment makes no difference. The first one is with twice that; others keep lines through several times what they hold.
 */
static void sweep_amply(struct kt_hierarchy *h)
{
    for (unsigned i = 0; i + 1 < h->caches.count; i++) {
        uint64_t most = h->caches.cache[i + 1].bytes / 2;
        uint64_t ample = (i ? 16 : 2) * h->caches.cache[i].bytes;
        h->sweep[i].bytes = ample < most ? ample : most;
    }
}

/* The first LEVELS caches can be told from those behind them: others on the machine leave them to us. */
static bool can_tell(struct machine *m, unsigned levels)
{
    bool doubted = m->hierarchy.caches.count <= levels;
    struct kt_hierarchy measured = {.caches = m->hierarchy.caches};
    if (!doubted)
        kt_hierarchy_calibrate((1u << levels) - 1, 1 << 28, &measured);
    for (unsigned i = 0; i < levels && !doubted; i++)
        doubted = *measured.sweep[i].doubt;
    return !doubted;
}

static void open_machine(struct machine *m, int threads)
{
    struct kt_error error = {0};
    memset(m, 0, sizeof *m);
    kt_caches_read(NULL, &m->hierarchy.caches);
    sweep_amply(&m->hierarchy);
    assert_int_equal(kt_stage_open(&m->hierarchy, threads, &m->stage, &error), KT_OK);
    m->area = kt_pages_map(1 << 20, KT_PAGES_HUGE);
    assert_non_null(m->area);
}

static void close_machine(struct machine *m)
{
    kt_pages_unmap(m->area, 1 << 20);
    kt_stage_close(m->stage);
}

/* --- times of loads ---------------------------------------------------------------------------------------- */

enum { ROUNDS = 320, MOST_CONTEXTS = 4 };

static int compare_doubles(const void *a, const void *b)
{
    return (*(const double *)a > *(const double *)b) - (*(const double *)a < *(const double *)b);
}

/* Ticks of a load: the least, and the lower quartile, of many rounds. */
struct loads {
    double least, usual;
};

static struct loads loads_of(double ticks[ROUNDS])
{
    qsort(ticks, ROUNDS, sizeof *ticks, compare_doubles);
    return (struct loads){ticks[0], ticks[ROUNDS / 4]};
}

/* Others on the machine push lines farther away, so the nearer place is that of the best round; and by luck a line
 * stays where it was, so the farther one is not. */
static bool is_farther(struct loads far, struct loads near)
{
    return far.usual > 1.5 * near.least;
}

/* Ticks of a load in each of N contexts, which take turns. */
static void time_contexts(struct machine *m, const char *const *context, int n, struct loads *loads)
{
    static struct kt_plans plans[MOST_CONTEXTS];
    static double ticks[MOST_CONTEXTS][ROUNDS];
    for (int c = 0; c < n; c++)
        kt_plans_make(kt_context_find(context[c]), &m->chained.operand, 1, &m->hierarchy.caches, NULL, &plans[c]);
    for (int i = 0; i < ROUNDS; i++)
        for (int c = 0; c < n; c++) {
            kt_stage_set(m->stage, &plans[c].plan[0], &m->chained.operand, &(struct kt_recaller){0});
            ticks[c][i] = ticks_of_a_load(&m->chained);
        }
    for (int c = 0; c < n; c++)
        loads[c] = loads_of(ticks[c]);
    for (int c = 0; c < n; c++)
        print_message("%s %.1f ticks of a load%s", context[c], loads[c].usual, c + 1 < n ? ", " : "\n");
}

/* In order, and each clearly farther than the one before. */
static void each_cache_is_farther(void **state)
{
    static const char *const context[] = {"warm", "l1", "l2", "cold"};
    static struct machine m;
    struct loads loads[4];
    (void)state;
    judges_times();
    open_machine(&m, 1);
    if (!can_tell(&m, 2))
        skip();
    chain_up(&m.chained, (uint64_t)m.area, m.hierarchy.caches.cache[0].bytes / 2);
    time_contexts(&m, context, 4, loads);
    for (int i = 1; i < 4; i++)
        assert_true(is_farther(loads[i], loads[i - 1]));
    close_machine(&m);
}

/* Where between warm and cold the third context is: the median of rounds, in each of which all three meet the same
 * memory. */
static double place_of_third(struct machine *m, const struct kt_plans plans[3])
{
    double place[ROUNDS];
    for (int i = 0; i < ROUNDS; i++) {
        double ticks[3];
        for (int c = 0; c < 3; c++) {
            kt_stage_set(m->stage, &plans[c].plan[0], &m->chained.operand, &(struct kt_recaller){0});
            ticks[c] = ticks_of_a_load(&m->chained);
        }
        place[i] = (ticks[2] - ticks[0]) / (ticks[1] - ticks[0]);
    }
    qsort(place, ROUNDS, sizeof *place, compare_doubles);
    return place[ROUNDS / 2];
}

/* A load of an operand in parts takes the mean of its parts. */
static void parts_are_where_they_should_be(void **state)
{
    static const char *const context[] = {"warm", "cold", "tracked"};
    static struct machine m;
    static struct kt_plans plans[3];
    const struct kt_placements_of_shape placed = {.placement = {{.share = {{0.5F, 0, 0, 0.5F, 0}}, .weight = 1}},
                                                  .count = 1};
    (void)state;
    judges_times();
    open_machine(&m, 1);
    chain_up(&m.chained, (uint64_t)m.area, 16384);
    for (int c = 0; c < 3; c++)
        kt_plans_make(kt_context_find(context[c]), &m.chained.operand, 1, &m.hierarchy.caches, &placed, &plans[c]);
    double place = place_of_third(&m, plans);
    print_message("half in memory: at %.2f of the way from warm to cold\n", place);
    assert_true(place > 0.35 && place < 0.65);
    close_machine(&m);
}

/* Loads of each quarter, the farthest first. */
static void time_quarters(struct machine *m, struct loads loads[4])
{
    static struct chained quarter[4];
    static double ticks[4][ROUNDS];
    static struct kt_plans plans;
    const struct kt_placements_of_shape placed = {.placement = {{.share = {{0.25F, 0.25F, 0.25F, 0.25F}}, .weight = 1}},
                                                  .count = 1};
    m->chained.operand = vector((uint64_t)m->area, 32768 / 8, 1);
    for (int q = 0; q < 4; q++)
        chain_up(&quarter[q], (uint64_t)m->area + (uint64_t)q * 8192, 8192);
    kt_plans_make(kt_context_find("tracked"), &m->chained.operand, 1, &m->hierarchy.caches, &placed, &plans);
    for (int i = 0; i < 4 * ROUNDS; i++) {
        kt_stage_set(m->stage, &plans.plan[0], &m->chained.operand, &(struct kt_recaller){0});
        ticks[i % 4][i / 4] = ticks_of_a_load(&quarter[i % 4]);
    }
    for (int q = 0; q < 4; q++)
        loads[q] = loads_of(ticks[q]);
    print_message("ticks of a load, by quarter: %.1f, %.1f, %.1f, %.1f\n", loads[0].usual, loads[1].usual,
                  loads[2].usual, loads[3].usual);
}

/* An operand with a quarter in each level: loads of each quarter usually take longer than of the one behind it at best.
 */
static void each_quarter_in_its_level(void **state)
{
    static struct machine m;
    struct loads loads[4];
    (void)state;
    judges_times();
    open_machine(&m, 1);
    if (m.hierarchy.caches.count != 3 || !can_tell(&m, 2))
        skip();
    time_quarters(&m, loads);
    for (int q = 0; q < 3; q++)
        assert_true(is_farther(loads[q], loads[q + 1]));
    close_machine(&m);
}

/* With a crew the caches of this processor are swept, too. */
static void a_crew_evicts(void **state)
{
    static const char *const context[] = {"warm", "l1"};
    static struct machine m;
    struct loads loads[2];
    (void)state;
    judges_times();
    open_machine(&m, 2);
    if (!can_tell(&m, 1))
        skip();
    chain_up(&m.chained, (uint64_t)m.area, m.hierarchy.caches.cache[0].bytes / 2);
    time_contexts(&m, context, 2, loads);
    assert_true(is_farther(loads[1], loads[0]));
    close_machine(&m);
}

static _Atomic int visited[CPU_SETSIZE];

static void visit(void *argument)
{
    (void)argument;
    visited[sched_getcpu()]++;
}

static void a_crew_is_everywhere(void **state)
{
    (void)state;
    cpu_set_t allowed;
    struct kt_crew *crew = kt_crew_new();
    assert_non_null(crew);
    assert_int_equal(sched_getaffinity(0, sizeof allowed, &allowed), 0);
    for (int i = 0; i < 100; i++)
        kt_crew_run(crew, visit, NULL);
    for (int cpu = 0; cpu < CPU_SETSIZE; cpu++)
        assert_int_equal(visited[cpu], CPU_ISSET(cpu, &allowed) ? 100 : 0);
    kt_crew_free(crew);
}

static void a_processor_that_may_be_used_is_chosen(void **state)
{
    (void)state;
    cpu_set_t allowed;
    cpu_set_t before;
    cpu_set_t now;
    assert_int_equal(sched_getaffinity(0, sizeof allowed, &allowed), 0);
    int last = kt_processor_choose(KT_NO_PROCESSOR);
    assert_true(last >= 0 && CPU_ISSET(last, &allowed));
    for (int cpu = 0; cpu < CPU_SETSIZE; cpu++)
        assert_int_equal(kt_processor_choose(cpu), CPU_ISSET(cpu, &allowed) ? cpu : last);
    assert_int_equal(kt_processor_choose(CPU_SETSIZE), last);
    for (int cpu = 0; cpu <= last; cpu++) {
        if (!CPU_ISSET(cpu, &allowed))
            continue;
        assert_int_equal(kt_processor_pin_for_now(cpu, &before), cpu);
        assert_int_equal(sched_getcpu(), cpu);
        assert_int_equal(sched_getaffinity(0, sizeof now, &now), 0);
        assert_int_equal(CPU_COUNT(&now), 1);
        kt_processor_release(&before);
        assert_int_equal(sched_getaffinity(0, sizeof now, &now), 0);
        assert_true(CPU_EQUAL(&now, &allowed));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(caches_as_the_system_lists_them),
        cmocka_unit_test(caches_of_this_machine),
        cmocka_unit_test(choose_where_times_stop_rising),
        cmocka_unit_test(doubts),
        cmocka_unit_test(calibration_within_a_limit),
        cmocka_unit_test(some_of_the_last_cache_is_usable),
        cmocka_unit_test(parts_of_a_vector),
        cmocka_unit_test(a_line_once),
        cmocka_unit_test(parts_of_a_matrix),
        cmocka_unit_test(each_cache_is_farther),
        cmocka_unit_test(parts_are_where_they_should_be),
        cmocka_unit_test(a_crew_evicts),
        cmocka_unit_test(each_quarter_in_its_level),
        cmocka_unit_test(a_crew_is_everywhere),
        cmocka_unit_test(a_processor_that_may_be_used_is_chosen),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
