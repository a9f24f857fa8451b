/* SPDX-License-Identifier: BSD-3-Clause */
#include "preload/events.h"

#include "preload/counters.h"
#include "preload/define.h"
#include "preload/line.h"
#include "preload/linker_own.h"
#include "preload/notice.h"
#include "preload/settings.h"
#include "preload/slow.h"

#include <dlfcn.h>
#include <errno.h>
#include <string.h>

static const char separators[] = ", ";

struct kt_wanted kt_wanted[KT_MAX_EVENTS];
unsigned kt_event_count;

/* --- libpfm4 ----------------------------------------------------------------------------------------------- */

/* What its headers say, which need not be there when we are built. */
enum { PFM_SUCCESS = 0, PFM_OS_PERF_EVENT = 1, PFM_PLM0 = 1, PFM_PLM3 = 8 };

struct encoding { /* pfm_perf_encode_arg_t */
    struct perf_event_attr *attr;
    char **full_name;
    size_t size;
    int index, cpu, flags, padding;
};
_Static_assert(sizeof(void *) != 8 || sizeof(struct encoding) == 40, "libpfm4 checks the size");

static struct {
    int (*initialize)(void);
    int (*encode)(const char *text, int privilege_levels, int os, void *encoding);
    const char *(*error_text)(int code);
} pfm;

static bool load_library(void)
{
    void *library = kt_linker_own_open("libpfm.so.4", RTLD_NOW | RTLD_LOCAL);
    if (!library)
        return false;
    pfm.initialize = (int (*)(void))kt_linker_own_find(library, "pfm_initialize");
    pfm.encode = (int (*)(const char *, int, int, void *))kt_linker_own_find(library, "pfm_get_os_event_encoding");
    pfm.error_text = (const char *(*)(int))kt_linker_own_find(library, "pfm_strerror");
    return pfm.initialize && pfm.encode && pfm.error_text && pfm.initialize() == PFM_SUCCESS;
}

/* In user and kernel mode, unless the name says otherwise. What else can be asked for is for sampling. */
static void find_code(struct kt_wanted *event)
{
    event->code.size = sizeof event->code;
    struct encoding encoding = {.attr = &event->code, .size = sizeof encoding};
    int code = pfm.encode(event->name, PFM_PLM0 | PFM_PLM3, PFM_OS_PERF_EVENT, &encoding);
    if (code != PFM_SUCCESS) {
        strncpy(event->why, pfm.error_text(code), sizeof event->why - 1);
        atomic_fetch_or(&event->facts, 1u << KT_FACT_NO_CODE);
        return;
    }
    event->code.sample_period = 0;
    event->code.disabled = 0;
    event->code.inherit = 0;
    event->code.read_format = PERF_FORMAT_GROUP | PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
}

static void find_codes(void)
{
    bool loaded = load_library();
    for (unsigned i = 0; i < kt_event_count; i++)
        if (loaded)
            find_code(&kt_wanted[i]);
        else
            atomic_fetch_or(&kt_wanted[i].facts, 1u << KT_FACT_NO_LIBRARY);
}

/* --- the events that are wanted ---------------------------------------------------------------------------- */

static bool add_event(const char *name, size_t length)
{
    struct kt_wanted *event = &kt_wanted[kt_event_count];
    if (kt_event_count == KT_MAX_EVENTS || length >= sizeof event->name)
        return false;
    memcpy(event->name, name, length);
    kt_event_count++;
    return true;
}

void kt_events_start(void)
{
    int saved = errno;
    for (const char *at = kt_option.EVENTS; *at; at += strcspn(at, separators)) {
        at += strspn(at, separators);
        size_t length = strcspn(at, separators);
        if (length && !add_event(at, length)) {
            kt_notice("KTRACE_EVENTS: not counted from here on: ", at, " (eight events of 95 characters fit)");
            break;
        }
    }
    if (kt_event_count) {
        find_codes();
        kt_counters_start();
    }
    errno = saved;
}

/* --- what is known of them --------------------------------------------------------------------------------- */

enum meaning { KT_GOOD, KT_NOTE, KT_SCALE, KT_GAP, KT_MISS };

static const struct {
    enum meaning meaning;
    int error;
    const char *text;
} fact_of[] = {
#define KT_FACT_ROW(name, meaning, error, text) {meaning, error, text},
    KT_FACTS(KT_FACT_ROW)
#undef KT_FACT_ROW
};
enum { FACTS = sizeof fact_of / sizeof *fact_of };
_Static_assert(FACTS <= 32, "facts are bits");

static bool is_any(uint32_t facts, enum meaning meaning)
{
    for (int i = 0; i < FACTS; i++)
        if (facts & 1u << i && fact_of[i].meaning == meaning)
            return true;
    return false;
}

static bool is_counted(uint32_t facts)
{
    return is_any(facts, KT_GOOD) || is_any(facts, KT_SCALE);
}

static const char *status_text(uint32_t facts)
{
    if (is_any(facts, KT_MISS) || is_any(facts, KT_GAP))
        return is_counted(facts) ? "partly" : "n/a";
    if (is_any(facts, KT_SCALE))
        return "scaled";
    return is_any(facts, KT_GOOD) ? "counted" : "unused";
}

static void put_reasons(struct kt_line *line, const struct kt_wanted *event, uint32_t facts)
{
    const char *separator = "";
    for (int i = 0; i < FACTS; i++) {
        if (!(facts & 1u << i) || fact_of[i].meaning == KT_GOOD)
            continue;
        kt_line_raw(line, separator);
        kt_line_raw(line, fact_of[i].text);
        if (i == KT_FACT_NO_CODE)
            kt_line_escaped(line, event->why, strlen(event->why));
        if (i == KT_FACT_OTHER)
            kt_line_unsigned(line, (uint64_t)event->error, 10);
        separator = "; ";
    }
}

static void put_code(struct kt_line *line, const struct perf_event_attr *code)
{
    const uint64_t part[] = {code->type, code->config, code->config1, code->config2};
    for (size_t i = 0; i < sizeof part / sizeof *part; i++) {
        kt_line_raw(line, i ? ":" : "");
        kt_line_unsigned(line, part[i], 16);
    }
}

static void put_event(struct kt_line *line, unsigned id, uint32_t facts)
{
    const struct kt_wanted *event = &kt_wanted[id];
    bool has_code = !(facts & (1u << KT_FACT_NO_CODE | 1u << KT_FACT_NO_LIBRARY));
    kt_line_raw(line, "counter\t");
    kt_line_unsigned(line, id, 10);
    kt_line_raw(line, "\t");
    kt_line_escaped(line, event->name, strlen(event->name));
    kt_line_raw(line, "\t");
    kt_line_raw(line, status_text(facts));
    kt_line_raw(line, "\t");
    put_reasons(line, event, facts);
    kt_line_raw(line, "\t");
    kt_line_unsigned(line, event->empty, 10);
    kt_line_raw(line, "\t");
    if (has_code)
        put_code(line, &event->code);
    kt_line_raw(line, "\n");
}

/* Nobody should have to look for why a number is missing. */
static void notice_if_missing(const struct kt_wanted *event, uint32_t facts)
{
    static struct kt_line reasons; /* within a slow path: one at a time */
    if (is_counted(facts) || !is_any(facts, KT_MISS) || is_any(event->told, KT_MISS))
        return;
    reasons.length = 0;
    put_reasons(&reasons, event, facts);
    reasons.text[reasons.length < sizeof reasons.text ? reasons.length : sizeof reasons.text - 1] = '\0';
    kt_notice(event->name, " is not counted: ", reasons.text);
}

void kt_events_describe(void (*line)(const char *text, size_t length))
{
    static struct kt_line text; /* within a slow path: one at a time */
    for (unsigned i = 0; i < kt_event_count; i++) {
        uint32_t facts = atomic_load(&kt_wanted[i].facts);
        if (facts == kt_wanted[i].told)
            continue;
        text.length = 0;
        put_event(&text, i, facts);
        notice_if_missing(&kt_wanted[i], facts);
        line(text.text, text.length);
        kt_wanted[i].told = facts;
    }
}

static KT_COLD void add_fact(struct kt_wanted *event, enum kt_fact fact)
{
    atomic_fetch_or(&event->facts, 1u << fact);
    if (!kt_slow_begin())
        return; /* whoever is on it tells, or the next who finds something */
    kt_events_describe(kt_define_line);
    kt_slow_end();
}

void kt_events_found(struct kt_wanted *event, enum kt_fact fact)
{
    if (KT_UNLIKELY(!(atomic_load_explicit(&event->facts, memory_order_relaxed) & 1u << fact)))
        add_fact(event, fact);
}

void kt_events_failed(struct kt_wanted *event, int error)
{
    for (int i = 0; i < FACTS; i++)
        if (fact_of[i].error && fact_of[i].error == error) {
            kt_events_found(event, (enum kt_fact)i);
            return;
        }
    event->error = error;
    kt_events_found(event, KT_FACT_OTHER);
}
