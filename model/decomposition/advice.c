/* SPDX-License-Identifier: BSD-3-Clause */
#include "model/decomposition/advice.h"

#include "trace/print/text.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

const char *const kt_part_name[] = {"bound", "library", "cache", "contention", "residual", "unsplit"};

static const double worth_words = 0.1;  /* of BLAS time */
static const double call_itself = 2e-6; /* seconds: shorter calls are mostly what any call costs */
static const double outliers = 1.5;     /* time of the calls over what it would be if all took the median */
static const double faulty = 0.5;       /* of the residual in page faults */
static const double slowed = 0.5;       /* of the residual by the machine */
static const double disturbed = 0.5;    /* of the time in shapes that were faster in situ than replayed */
enum { FEW_CALLS = 3 };

static struct kt_time time_of(const struct kt_decomposition *d, enum kt_part part)
{
    const struct kt_time time[] = {d->bound, d->library, d->cache, d->contention, d->residual, d->unsplit};
    return time[part];
}

/* NAN: not known. */
static double part_seconds(const struct kt_decomposition *d, enum kt_part part)
{
    return time_of(d, part).value;
}

/* --- words ------------------------------------------------------------------------------------------------- */

struct words {
    const struct kt_advice_case *of;
    const char *trace;
    bool is_reference;
    struct kt_advice *out;
};

__attribute__((format(printf, 2, 3))) static void say(const struct words *w, const char *format, ...)
{
    size_t used = strlen(w->out->text);
    va_list list;
    va_start(list, format);
    vsnprintf(w->out->text + used, KT_ADVICE_TEXT - used, format, list);
    va_end(list);
}

static void say_bound(const struct words *w)
{
    const char *by = w->of->bound_by;
    if (!by || !strcmp(by, "flops"))
        say(w, "this machine does not do these operations faster. Fewer of them, a lower precision, or more cores "
               "would help; no library and no cache");
    else
        say(w,
            "moving the operands (%s) takes that long. Fewer passes over them would help, such as one matrix-matrix "
            "call in place of several matrix-vector calls, or smaller types",
            by);
}

static void say_library(const struct words *w)
{
    char warm[16];
    if (w->is_reference) {
        say(w,
            "the reference library is not made for speed. See what others would do: ktrace compare %s --blas openblas",
            w->trace);
        return;
    }
    if (w->of->warm < call_itself) {
        say(w,
            "a call takes %s, mostly what any call costs. Make fewer and larger calls, or write out operations as "
            "small as these",
            kt_text_seconds(w->of->warm, warm));
        return;
    }
    say(w,
        "with operands in cache a call takes %.1f times its bound. Other libraries: ktrace compare %s; for its "
        "developers: ktrace repro --routine %s %s",
        w->of->warm / w->of->bound, w->trace, w->of->routine, w->trace);
}

static void say_cache(const struct words *w)
{
    say(w, "the operands were not in the caches when the calls began. Make these calls right after what produces "
           "their operands, work in blocks that fit in cache, or join loops over the same data");
}

static bool is_faulty(const struct words *w)
{
    return w->of->parts->fault_seconds > faulty * w->out->seconds;
}

static void say_faults(const struct words *w)
{
    char count[16];
    char each[16];
    const struct kt_decomposition *parts = w->of->parts;
    say(w,
        "the calls met %s page faults, about %s each: the system finds and clears new pages for what they write. Use "
        "result arrays again (out= of NumPy), or have the C library keep freed memory "
        "(GLIBC_TUNABLES=glibc.malloc.mmap_max=0:glibc.malloc.trim_threshold=1073741824)",
        kt_text_count(parts->faults, count), kt_text_seconds(parts->fault_seconds / parts->faults, each));
}

static bool is_slowed(const struct words *w)
{
    return w->of->parts->machine.lo > slowed * w->out->seconds;
}

static void say_slowed(const struct words *w)
{
    char seconds[16];
    say(w,
        "the machine was slower while the program ran than while its calls were replayed, which explains about %s: "
        "other processes or virtual machines, or a lower clock. The program itself has nothing to win here",
        kt_text_seconds(w->of->parts->machine.value, seconds));
}

static void say_contents(const struct words *w)
{
    say(w, "its work depends on what the operands hold, and replays had other contents. KTRACE_SNAPSHOT=1 records them "
           "for another replay");
}

static void say_contention(const struct words *w)
{
    say(w,
        "calls of other threads at the same time take processors, caches and bandwidth from it. Fewer threads of the "
        "library or of the program may be faster: ktrace compare --threads 1,2 %s",
        w->trace);
}

static void say_residual(const struct words *w)
{
    double expected = w->of->calls * w->of->median;
    if (is_slowed(w))
        say_slowed(w);
    else if (is_faulty(w))
        say_faults(w);
    else if (w->of->calls <= FEW_CALLS)
        say(w, "what happens only once: the first touch of a result's pages, loading code. Use arrays again instead of "
               "allocating new ones");
    else if (w->of->contents_made)
        say_contents(w);
    else if (w->of->calls_total > outliers * expected)
        say(w, "some calls take much longer than the others: page faults or other processes. KTRACE_EVENTS="
               "perf::PAGE-FAULTS,perf::CONTEXT-SWITCHES tells which");
    else
        say(w, "all calls take longer than in a replay: memory shared with other threads, page faults, a lower clock. "
               "KTRACE_EVENTS=perf::PAGE-FAULTS,perf::CONTEXT-SWITCHES tells some of it");
}

static void say_unsplit(const struct words *w)
{
    char most[16];
    if (is_slowed(w)) {
        say_slowed(w);
        return;
    }
    if (is_faulty(w)) {
        say_faults(w);
        return;
    }
    if (w->of->contents_made) {
        say_contents(w);
        return;
    }
    say(w, "longer than with operands in cache");
    if (w->of->parts->cache_most < w->out->seconds)
        say(w, ", of which caches explain at most %s", kt_text_seconds(fmax(w->of->parts->cache_most, 0), most));
    say(w, ". A replay with --context warm,cold,tracked tells caches from all else");
}

static void say_what(const struct words *w)
{
    static void (*const what[])(const struct words *) = {say_bound,      say_library,  say_cache,
                                                         say_contention, say_residual, say_unsplit};
    static const char *const name[] = {"bound by the hardware",      "library", "cache", "contention", "residual",
                                       "cache and residual together"};
    char seconds[16];
    char share[16];
    const struct kt_advice_case *of = w->of;
    kt_text_percent(w->out->share, share);
    say(w, "%s (%s of BLAS time) in %s, %s", kt_text_seconds(w->out->seconds, seconds), share + strspn(share, " "),
        of->routine, name[w->out->part]);
    if (of->heaviest < 0.999 * of->seconds) {
        kt_text_percent(of->heaviest / of->seconds, share);
        say(w, ", %s of its time in %s", share + strspn(share, " "), of->shape);
    } else {
        say(w, ", all in %s", of->shape);
    }
    say(w, ": ");
    what[w->out->part](w);
    say(w, ".");
}

/* --- choice ------------------------------------------------------------------------------------------------ */

/* Keeps the largest, in order; of equal ones the first. */
static int insert(struct kt_advice *out, int count, const struct kt_advice *advice, size_t of, size_t *case_of)
{
    int at = count < KT_MOST_ADVICE ? count : KT_MOST_ADVICE;
    while (at > 0 && out[at - 1].seconds < advice->seconds)
        at--;
    if (at == KT_MOST_ADVICE)
        return count;
    int kept = count < KT_MOST_ADVICE ? count + 1 : count;
    for (int i = kept - 1; i > at; i--) {
        out[i] = out[i - 1];
        case_of[i] = case_of[i - 1];
    }
    out[at] = *advice;
    case_of[at] = of;
    return kept;
}

/*
 * Nothing is said of a part that may be nothing, nor of what replays tell where most of the program was faster than
 * they: they met the machine in another state. A library is not measured by a bound that knows no operations, but
 * for the reference library and for calls of nothing no bound is needed.
 */
static bool is_sound(const struct kt_advice_case *of, enum kt_part part, bool is_reference)
{
    const struct kt_time time = time_of(of->parts, part);
    bool is_doubtful = of->parts->odd[KT_ODD_INSITU] > disturbed * of->parts->insitu;
    double lo = time.lo + (part == KT_PART_LIBRARY ? of->parts->undivided : 0);
    if (!(time.value > 0) || lo <= 0 || kt_decomposition_is_unclear(of->parts) ||
        (part <= KT_PART_CACHE && is_doubtful))
        return false;
    return part != KT_PART_LIBRARY || is_reference || of->flops_known || of->warm < call_itself;
}

int kt_advice_find(const struct kt_advice_case *of, size_t count, double seconds, bool is_reference, const char *trace,
                   struct kt_advice out[KT_MOST_ADVICE])
{
    size_t case_of[KT_MOST_ADVICE];
    int found = 0;
    for (size_t i = 0; i < count; i++)
        for (int part = 0; part < KT_PARTS; part++) {
            double of_part = part_seconds(of[i].parts, (enum kt_part)part);
            struct kt_advice advice = {of[i].routine, (enum kt_part)part, of_part, of_part / seconds, ""};
            if (seconds > 0 && is_sound(&of[i], (enum kt_part)part, is_reference))
                found = insert(out, found, &advice, i, case_of);
        }
    while (found > 1 && out[found - 1].share < worth_words)
        found--;
    for (int i = 0; i < found; i++) {
        struct words words = {&of[case_of[i]], trace, is_reference, &out[i]};
        say_what(&words);
    }
    return found;
}
