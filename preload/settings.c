/* SPDX-License-Identifier: BSD-3-Clause */
#include "preload/settings.h"

#include "ktrace/options.h"
#include "preload/notice.h"

#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

extern char **environ;

enum { OPTION_BYTES = 4 * PATH_MAX };

struct kt_options kt_option;
char kt_trace[PATH_MAX];
char kt_program[PATH_MAX];
struct kt_launched kt_rank;

static bool is_option_name(const char *name, size_t length)
{
#define KT_OPTION_NAME(option_name, type, fallback, text)                         \
    if (length == sizeof #option_name - 1 && !memcmp(name, #option_name, length)) \
        return true;
    KT_OPTIONS(KT_OPTION_NAME)
#undef KT_OPTION_NAME
    return false;
}

void kt_settings_warn_of_unknown(void)
{
    for (char **variable = environ; variable && *variable; variable++) {
        if (strncmp(*variable, "KTRACE_", 7) != 0)
            continue;
        size_t length = strcspn(*variable + 7, "=");
        char name[64];
        if (is_option_name(*variable + 7, length) || length >= sizeof name)
            continue;
        memcpy(name, *variable + 7, length);
        name[length] = '\0';
        kt_notice("unknown variable KTRACE_", name, " is ignored (ktrace env lists them all)");
    }
}

/* Flags that are neither: the default counts. */
static void warn_of_flag(const char *name, const char **value, const char *fallback)
{
    char text[128];
    if (!strcmp(*value, "0") || !strcmp(*value, "1"))
        return;
    snprintf(text, sizeof text, "KTRACE_%s=%.64s: expected 0 or 1; ", name, *value);
    *value = fallback;
    kt_notice(text, fallback, " is assumed");
}

void kt_settings_warn_of_flags(void)
{
#define KT_WARN_text(name, fallback)
#define KT_WARN_number(name, fallback)
#define KT_WARN_flag(name, fallback)               warn_of_flag(#name, &kt_option.name, fallback);
#define KT_OPTION_WARN(name, type, fallback, text) KT_WARN_##type(name, fallback)
    KT_OPTIONS(KT_OPTION_WARN)
#undef KT_OPTION_WARN
#undef KT_WARN_flag
#undef KT_WARN_number
#undef KT_WARN_text
}

/* A copy, as programs that set their title overwrite the environment in place. */
static const char *option_value(const char *variable, const char *fallback)
{
    static char values[OPTION_BYTES];
    static size_t used;
    const char *value = getenv(variable);
    size_t bytes = value ? strlen(value) + 1 : 0;
    if (bytes <= 1 || bytes > sizeof values - used)
        return fallback;
    char *copy = memcpy(values + used, value, bytes);
    used += bytes;
    return copy;
}

/* The job's name is copied: the environment may change. */
static void read_rank(void)
{
    static char job[128];
    kt_rank = kt_launched();
    if (!kt_rank.job)
        return;
    snprintf(job, sizeof job, "%s", kt_rank.job);
    kt_rank.job = job;
}

void kt_settings_read(void)
{
#define KT_OPTION_READ(name, type, fallback, text) kt_option.name = option_value("KTRACE_" #name, fallback);
    KT_OPTIONS(KT_OPTION_READ)
#undef KT_OPTION_READ
    read_rank();
    kt_notice_start(&kt_option.QUIET);
    ssize_t length = readlink("/proc/self/exe", kt_program, sizeof kt_program - 1);
    kt_program[length > 0 ? length : 0] = '\0';
}

static const char *program_name(void)
{
    const char *slash = strrchr(kt_program, '/');
    return slash ? slash + 1 : kt_program;
}

/* The first of the patterns of LIST from *AT on, which is moved behind it; false at the end. */
static bool next_pattern(const char **at, char pattern[256])
{
    if (!**at)
        return false;
    size_t length = strcspn(*at, ",");
    snprintf(pattern, 256, "%.*s", (int)length, *at);
    *at += length + ((*at)[length] == ',');
    return true;
}

bool kt_settings_select_program(void)
{
    char pattern[256];
    for (const char *at = kt_option.PROGRAMS; next_pattern(&at, pattern);)
        if (fnmatch(pattern, program_name(), 0) == 0)
            return true;
    return false;
}

/* Without a sign or blanks. */
static bool read_number(const char **at, long *out)
{
    char *end;
    if (**at < '0' || **at > '9')
        return false;
    *out = strtol(*at, &end, 10);
    *at = end;
    return true;
}

/* "1/64": the ranks that 64 divides. False: it is none such. */
static bool is_one_in(const char *text, int64_t rank, bool *selected)
{
    long one, of;
    if (!read_number(&text, &one) || one != 1 || *text++ != '/' || !read_number(&text, &of) || of < 1 || *text)
        return false;
    *selected = rank % of == 0;
    return true;
}

/* "0,17,1000-1010". False: it is none such. */
static bool is_listed(const char *text, int64_t rank, bool *selected)
{
    long from, to;
    *selected = false;
    do {
        if (!read_number(&text, &from))
            return false;
        to = from;
        if (*text == '-' && (text++, !read_number(&text, &to) || to < from))
            return false;
        *selected |= rank >= from && rank <= to;
    } while (*text == ',' && text++);
    return *text == '\0';
}

bool kt_settings_select_rank(void)
{
    const char *ranks = kt_option.RANKS;
    bool selected = true;
    if (!strcmp(ranks, "*"))
        return true;
    if (!is_one_in(ranks, kt_rank.rank, &selected) && !is_listed(ranks, kt_rank.rank, &selected)) {
        kt_notice("KTRACE_RANKS=", ranks, ": expected ranks such as 0,17,1000-1010, or 1/64; all are recorded");
        return true;
    }
    return selected || kt_rank.rank < 0;
}

static bool matches(const char *pattern, const char *routine, const char *symbol)
{
    return fnmatch(pattern, routine, 0) == 0 || fnmatch(pattern, symbol, 0) == 0;
}

/* Where all patterns exclude, all others are included. */
bool kt_settings_select_routine(const char *routine, const char *symbol)
{
    static char pattern[256]; /* within a slow path: one at a time */
    bool included = *kt_option.ROUTINES == '!';
    if (!strcmp(kt_option.ROUTINES, "*")) /* fnmatch needs 1.5 KB of stack */
        return true;
    for (const char *at = kt_option.ROUTINES; next_pattern(&at, pattern);) {
        if (*pattern == '!' && matches(pattern + 1, routine, symbol))
            return false;
        included |= *pattern != '!' && matches(pattern, routine, symbol);
    }
    return included;
}

bool kt_settings_is_profile(void)
{
    bool full = !strcmp(kt_option.MODE, "full");
    bool profile = !strcmp(kt_option.MODE, "profile");
    if (!full && !profile)
        kt_notice("KTRACE_MODE=", kt_option.MODE, ": expected full or profile; every call is recorded");
    return profile;
}

/* Which of COUNT words it is; if none, the first, and PROBLEM says so. */
static int choice(const char *name, const char *value, const char *const *word, int count, const char *problem)
{
    for (int i = 0; i < count; i++)
        if (!strcmp(value, word[i]))
            return i;
    kt_notice(name, value, problem);
    return 0;
}

enum kt_nested kt_settings_nested(void)
{
    static const char *const word[] = {
        [KT_NESTED_SAMPLE] = "sample", [KT_NESTED_ALL] = "all", [KT_NESTED_NONE] = "none"};
    return (enum kt_nested)choice("KTRACE_NESTED=", kt_option.NESTED, word, 3,
                                  ": expected sample, all or none; sample is assumed");
}

enum kt_stacks kt_settings_stacks(void)
{
    static const char *const word[] = {
        [KT_STACKS_LINES] = "lines", [KT_STACKS_PATHS] = "paths", [KT_STACKS_OFF] = "off"};
    return (enum kt_stacks)choice("KTRACE_STACKS=", kt_option.STACKS, word, 3,
                                  ": expected lines, paths or off; lines is assumed");
}

/* A number from 1 on, with the text behind it at END; 0: there is none. */
static uint64_t parse_number(const char *text, const char **end)
{
    uint64_t number = 0;
    for (*end = text; **end >= '0' && **end <= '9'; ++*end)
        if (__builtin_mul_overflow(number, 10, &number) || __builtin_add_overflow(number, **end - '0', &number))
            return 0;
    return number;
}

uint64_t kt_settings_interval(void)
{
    const char *end;
    uint64_t interval = parse_number(kt_option.SAMPLE, &end);
    if (!*end && interval)
        return interval;
    kt_notice("KTRACE_SAMPLE=", kt_option.SAMPLE, ": expected a number from 1 on; all calls are recorded");
    return 1;
}

static uint64_t unit_of(const char **at)
{
    static const char units[] = "kMGT";
    const char *unit = **at ? strchr(units, **at) : NULL;
    uint64_t bytes = 1;
    if (!unit)
        return 1;
    ++*at;
    for (const char *u = units; u <= unit; u++)
        bytes *= 1000;
    return bytes;
}

struct kt_limit kt_settings_byte_limit(void)
{
    const struct kt_limit none = {UINT64_MAX, false};
    if (!*kt_option.MAX_BYTES)
        return none;
    const char *at;
    struct kt_limit limit = {parse_number(kt_option.MAX_BYTES, &at), false};
    bool fits = !__builtin_mul_overflow(limit.bytes, unit_of(&at), &limit.bytes);
    limit.keep_last = !strcmp(at, ":last");
    if (fits && limit.bytes && (limit.keep_last || !*at))
        return limit;
    kt_notice("KTRACE_MAX_BYTES=", kt_option.MAX_BYTES,
              ": expected a length such as 500M or 500M:last; there is no limit");
    return none;
}

struct kt_snapshot_rule kt_settings_snapshot(void)
{
    struct kt_snapshot_rule rule = {.bytes = 4000000};
    if (!*kt_option.SNAPSHOT)
        return rule;
    const char *at = kt_option.SNAPSHOT;
    rule.calls = parse_number(at, &at);
    bool good = rule.calls > 0;
    if (good && *at == ',') {
        rule.bytes = parse_number(at + 1, &at);
        good = !__builtin_mul_overflow(rule.bytes, unit_of(&at), &rule.bytes) && rule.bytes;
    }
    if (good && !*at)
        return rule;
    kt_notice("KTRACE_SNAPSHOT=", kt_option.SNAPSHOT,
              ": expected a number of calls, and perhaps bytes of an operand, such as 1 or 2,16M; there are none");
    rule.calls = 0;
    return rule;
}

unsigned kt_settings_checksum(void)
{
    static const char *const word[] = {"", "in", "out", "in,out", "out,in"};
    for (unsigned i = 0; i < sizeof word / sizeof *word; i++)
        if (!strcmp(kt_option.CHECKSUM, word[i]))
            return i < 3 ? i : 3;
    kt_notice("KTRACE_CHECKSUM=", kt_option.CHECKSUM, ": expected in, out or in,out; there are no checksums");
    return 0;
}

static void append(char *out, const char *text)
{
    size_t used = strlen(out);
    snprintf(out + used, PATH_MAX - used, "%s", text);
}

static void append_escape(char *out, char which)
{
    char text[256] = "%";
    if (which == 'p')
        snprintf(text, sizeof text, "%ld", (long)getpid());
    if (which == 'h')
        gethostname(text, sizeof text - 1);
    if (which == 'r')
        snprintf(text, sizeof text, "%lld", (long long)(kt_rank.rank < 0 ? 0 : kt_rank.rank));
    append(out, which == 'x' ? program_name() : text);
}

void kt_settings_expand_trace(void)
{
    kt_trace[0] = '\0';
    if (*kt_option.OUT != '/') {
        if (!getcwd(kt_trace, sizeof kt_trace))
            kt_trace[0] = '\0';
        append(kt_trace, "/");
    }
    for (const char *c = kt_option.OUT; *c; c++) {
        char letter[2] = {*c, '\0'};
        if (*c == '%' && c[1])
            append_escape(kt_trace, *++c);
        else
            append(kt_trace, letter);
    }
}

const char *kt_settings_short_trace(void)
{
    static char cwd[PATH_MAX];
    if (!getcwd(cwd, sizeof cwd))
        return kt_trace;
    size_t length = strlen(cwd);
    return !strncmp(kt_trace, cwd, length) && kt_trace[length] == '/' ? kt_trace + length + 1 : kt_trace;
}

static void remove_us_from(const char *variable)
{
    static char rest[PATH_MAX];
    *rest = 0;
    const char *list = getenv(variable);
    while (list && *list) {
        size_t length = strcspn(list, ": ");
        if (length && !memmem(list, length, "libktrace", 9)) {
            size_t used = strlen(rest);
            snprintf(rest + used, sizeof rest - used, "%s%.*s", used ? ":" : "", (int)length, list);
        }
        list += length + (list[length] != '\0');
    }
    if (*rest)
        setenv(variable, rest, 1);
    else
        unsetenv(variable);
}

void kt_settings_stop_following(void)
{
    remove_us_from("LD_PRELOAD");
    remove_us_from("LD_AUDIT");
}
