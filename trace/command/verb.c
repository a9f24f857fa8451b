/* SPDX-License-Identifier: BSD-3-Clause */
#include "trace/command/verb.h"

#include "trace/print/text.h"

#include <getopt.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { MAX_OPTIONS = 24 };

#define JSON_OPTION(verb)                                                      \
    {                                                                          \
        verb, "json", 'j', false, NULL, "one JSON document on standard output" \
    }

#define CSV_OPTION(verb)                                                        \
    {                                                                           \
        verb, "csv", 'c', false, NULL, "all rows of one table, comma-separated" \
    }

/* Of verbs that time calls again. */
#define THREADS_OPTION(verb)                                                     \
    {                                                                            \
        verb, "threads", 't', false, "N", "of the library; default: as recorded" \
    }
#define LEVEL_OPTION(verb)                                                               \
    {                                                                                    \
        verb, "level", 'l', false, "outermost|leaves",                                   \
            "calls of the application (default), or those recorded that contain no call" \
    }
#define ROUTINE_OPTION(verb)                                                            \
    {                                                                                   \
        verb, "routine", 'r', false, "LIST", "only these routines, such as dgemm,*gesv" \
    }

#define MODELS_OPTION(verb)                                                                         \
    {                                                                                               \
        verb, "models", 'm', false, "FILE", "of models; default ktrace/models/LIB.json in ~/.cache" \
    }

/* Of those that predict, and of those that predict algorithms. */
#define PREDICTION_OPTIONS(verb)                                                                                     \
    {verb,  "blas", 'B',                                                                                             \
     false, "LIB",  "whose models: a path, a soname or a short name; default: as recorded, or openblas"},            \
        {verb, "models", 'F', false, "FILE", "of models; default ktrace/models/LIB.json in ~/.cache"},               \
        {verb, "force", 'f', false, NULL, "also those of another machine, or of another build of the library"},      \
        {verb,  "combine",     'C',                                                                                  \
         false, "paper|level", "warm and cold by what is in any cache (default), or all levels by their latencies"}, \
        {verb, "cache", 'c', false, "BYTES", "of the largest cache; default: as probed, or as the system says"},     \
    {                                                                                                                \
        verb, "json", 'j', false, NULL, "one JSON document on standard output"                                       \
    }
#define ALGORITHM_OPTIONS(verb, rounds, seconds)                                                        \
    {verb, "n", 'n', false, "LIST", "columns, such as 1000 or 100:3000:100"},                           \
        {verb, "m", 'm', false, "N", "rows; default as many as columns"},                               \
        {verb, "set", 'S', false, "NAME=NUMBER", "another parameter of the algorithm, such as nx=0"},   \
        {verb, "measure", 'M', false, NULL, "run it, too, on that library: predicted beside measured"}, \
        {verb, "rounds", 'R', false, "N", "of measuring; default " rounds},                             \
    {                                                                                                   \
        verb, "budget", 's', false, "SECONDS", "for measuring, each size; default " seconds             \
    }

/* Where operands are when a call is timed. */
#define CONTEXTS                                                                                              \
    "warm, cold, allcold (code too), coldcode, l1, l2, l3 (evicted from that cache), tracked, or by operand " \
    "A=cold,B=warm"

static const struct kt_verb_option options[] = {
    {"run", "output", 'o', true, "DIR", "where the trace goes: a new or empty directory; default ktrace.PROGRAM.PID"},
    {"run", "mode", 'm', false, "full|profile", "record every call, or add them up by shape in constant memory"},
    {"run", "nested", 'n', false, "sample|all|none",
     "calls made within other calls: recorded in a sample of these (default), in all, or in none"},
    {"run", "stacks", 'S', false, "lines|paths|off",
     "of Python programs: the line that makes each call (default), also what called its function, or neither"},
    {"run", "blas", 'b', false, "LIB", "the program really runs on that library: a path, a soname or a short name"},
    {"run", "lapack", 'l', false, "LIB", "where routines come from that the library of --blas lacks"},
    {"run", "block-size", 'B', false, "LIST",
     "dgeqrf=48,dgetrf=96:128: other block sizes of LAPACK's own routines, and the rest to do without blocks"},
    {"report", "top", 't', false, "N", "rows of each table; default 15"},
    {"report", "by", 'b', false, "routine|shape|caller|line|path|region|thread|process|counter|rank|part",
     "only that table"},
    CSV_OPTION("report"),
    JSON_OPTION("report"),
    {"replay", "context", 'c', false, "LIST", "sequence, " CONTEXTS "; default warm,cold,tracked"},
    {"replay", "gaps", 'g', false, "none|idle|traffic|code",
     "sequence: what happens between calls for as long as it took in the program; default idle"},
    {"replay", "blas", 'b', false, "LIB", "a path, a soname or a short name; default: what was recorded"},
    {"replay", "budget", 's', false, "SECONDS", "time for the samples; default 20"},
    THREADS_OPTION("replay"),
    LEVEL_OPTION("replay"),
    ROUTINE_OPTION("replay"),
    {"replay", "store", 'S', false, "FILE|none", "times that are known; default ktrace/store.sqlite in ~/.cache"},
    {"replay", "fresh", 'f', false, NULL, "measure also what is in the store"},
    JSON_OPTION("replay"),
    {"replay", "timer", 'T', false, "wall|cpu|sets",
     "cpu: processor time, where others take the processor; sets: many short cold calls at once"},
    {"replay", "pages", 'p', false, "huge|small", "that operands are in; default: as the system does"},
    {"replay", "align", 'a', false, "N", "operands begin at multiples of N bytes; default: as recorded"},
    {"replay", "misalign", 'm', false, "N", "operands begin at no multiples of N bytes"},
    {"compare", "blas", 'b', false, "LIB",
     "a path, a soname or a short name; default: all that are installed, besides what was recorded"},
    {"compare", "lapack", 'L', false, "LIB", "where routines come from that a library of --blas lacks"},
    {"compare", "context", 'c', false, "CONTEXT", "sequence, " CONTEXTS "; default sequence"},
    {"compare", "gaps", 'g', false, "none|idle|traffic|code",
     "what happens between calls for as long as it took in the program; default code"},
    {"compare", "budget", 's', false, "SECONDS", "time for the samples, and for checking results; default 60"},
    {"compare", "check", 'k', false, "yes|no|only",
     "are the results right? default yes; only: nothing is timed, and NaN, Inf, subnormal and huge contents are tried"},
    {"compare", "threads", 't', false, "LIST", "numbers of threads of each library, such as 1,2; default: as recorded"},
    LEVEL_OPTION("compare"),
    ROUTINE_OPTION("compare"),
    {"compare", "store", 'S', false, "FILE|none", "times that are known; default ktrace/store.sqlite in ~/.cache"},
    {"compare", "fresh", 'f', false, NULL, "measure also what is in the store"},
    {"compare", "plot", 'P', false, "FILE.svg|png|pdf", "bars of the routines with intervals (needs gnuplot)"},
    {"compare", "verify", 'v', false, NULL,
     "really run COMMAND on each library, and set that beside what is predicted"},
    {"compare", "runs", 'n', false, "N",
     "of --verify, on each library; default 6, the fewest that have a 95 % interval"},
    JSON_OPTION("compare"),
    {"diff", "margin", 'm', false, "PERCENT", "smaller changes of a shape do not count; default 3"},
    {"diff", "absolute", 'a', false, NULL, "also what all shapes have in common counts as change, not as drift"},
    {"diff", "results", 'r', false, NULL,
     "not times: the first call whose inputs agree and whose outputs differ (KTRACE_CHECKSUM=in,out)"},
    {"diff", "top", 't', false, "N", "rows of each table; default 15"},
    JSON_OPTION("diff"),
    {"model build", "blas", 'b', false, "LIB", "a path, a soname or a short name; default: as recorded, or openblas"},
    {"model build", "budget", 's', false, "SECONDS", "time for the samples; default 120"},
    THREADS_OPTION("model build"),
    ROUTINE_OPTION("model build"),
    {"model build", "level", 'l', false, "outermost|leaves|both",
     "calls of the application, those recorded that contain no call, or both (default)"},
    {"model build", "context", 'c', false, "LIST", "warm, cold, l1, l2, l3; default warm,cold"},
    {"model build", "domain", 'd', false, "LO:HI,...",
     "of each size, the last one of all others; default: as in the trace"},
    {"model build", "samples", 'n', false, "LIST",
     "degree=3, oversampling=1, bound=5 (% of the worst sample), smallest=32, multiple=8, rounds=10, processes=2, "
     "heldout=8"},
    {"model build", "algorithm", 'A', false, "NAME",
     "the kernels of that algorithm, file or operation (cholesky, lu, qr, trinv)"},
    {"model build", "n", 'N', false, "LIST", "with --algorithm: columns, such as 100:1000:50"},
    {"model build", "m", 'M', false, "N", "with --algorithm: rows; default as many as columns"},
    {"model build", "b", 'B', false, "LIST", "with --algorithm: sizes of blocks; default: the algorithm's"},
    MODELS_OPTION("model build"),
    {"model build", "fresh", 'f', false, NULL, "forget what is known instead of going on from there"},
    JSON_OPTION("model build"),
    {"model show", "blas", 'b', false, "LIB", "whose models: a path, a soname or a short name; default openblas"},
    {"model show", "threads", 't', false, "N",
     "models of the library with that many threads; default: its own number, or 1"},
    ROUTINE_OPTION("model show"),
    MODELS_OPTION("model show"),
    {"model show", "force", 'F', false, NULL, "also those of another machine, or of another build of the library"},
    {"model show", "plot", 'p', false, "FILE.svg|png|pdf", "the regions of the domain with their errors"},
    JSON_OPTION("model show"),
    PREDICTION_OPTIONS("model predict"),
    LEVEL_OPTION("model predict"),
    {"model predict", "top", 't', false, "N", "rows of the table; default 15"},
    {"model predict", "pace", 'P', false, NULL,
     "of a trace: time some of its kernels again: how fast is the machine now?"},
    {"model predict", "algorithm", 'a', false, "FILE", "in place of a trace: a file or a name, such as dpotrf"},
    ALGORITHM_OPTIONS("model predict", "300, of --pace 24", "10, of --pace for all"),
    {"model predict", "b", 'b', false, "N", "size of blocks; default: the algorithm's"},
    {"model predict", "output", 'o', true, "DIR", "plot of predicted, all warm, all cold and measured times"},
    PREDICTION_OPTIONS("model tune"),
    {"model tune", "algorithm", 'a', false, "FILE", "what the routine does; default: as LAPACK 3.11 does it"},
    ALGORITHM_OPTIONS("model tune", "21", "20"),
    {"model tune", "b", 'b', false, "LIST", "block sizes to choose from; default 1 (none) and 8:256:8"},
    {"model tune", "output", 'o', true, "DIR", "plot of time against the block size"},
    PREDICTION_OPTIONS("model rank"),
    {"model rank", "algorithm", 'a', false, "FILE", "one of those to be compared, like the arguments"},
    ALGORITHM_OPTIONS("model rank", "21", "20"),
    {"model rank", "b", 'b', false, "LIST", "size of blocks, of several the best; default: of each its own"},
    {"model calls", "n", 'n', false, "N", "columns; default: the algorithm's"},
    {"model calls", "m", 'm', false, "N", "rows; default as many as columns"},
    {"model calls", "b", 'b', false, "N", "size of blocks; default: the algorithm's"},
    {"model calls", "set", 'S', false, "NAME=NUMBER", "another parameter of the algorithm, such as nx=0"},
    {"model calls", "json", 'j', false, NULL, "one JSON object a line, with the memory that each operand covers"},
    {"repro", "shape", 's', false, "N", "the first call of the shape of that number, as report prints it"},
    {"repro", "call", 'c', false, "N", "the call of that number, as dump prints it"},
    {"repro", "at-most", 'a', false, "SECONDS",
     "the program fails if it has not ended by then: a regression test of a hang"},
    {"repro", "routine", 'r', false, "NAME", "the slowest call of that routine, such as dgesv"},
    {"probe", "quick", 'q', false, NULL, "only what replays need: clocks, operations, caches, bandwidth; below 10 s"},
    {"probe", "show", 's', false, NULL,
     "what was measured before, instead of measuring; compared with what the system and hwloc say"},
    {"probe", "output", 'o', true, "DIR", "plots of all curves with the steps found, SVG and PNG (needs gnuplot)"},
    JSON_OPTION("probe"),
    {"roofline", "output", 'o', true, "FILE", "a picture: FILE.svg, .png or .pdf; its script and data (CSV) beside it"},
    {"roofline", "machine", 'm', false, "FILE",
     "what `ktrace probe --json` printed on the machine of the trace; repeat it for several traces"},
    {"roofline", "kernel", 'k', false, "ROUTINE", "instead of a trace: a BLAS routine, timed here for square operands"},
    {"roofline", "n", 'n', false, "FROM:TO[:COUNT]", "their sizes, default 16:1000:12"},
    {"roofline", "states", 's', false, "LIST",
     "where data and code are at the start: warm, cold (data), coldcode, allcold (both), all; default warm,cold"},
    {"roofline", "blas", 'b', false, "LIB",
     "of the kernel: a path, a soname or a short name; repeat it to compare; default libblas.so.3"},
    {"roofline", "budget", 'S', false, "SECONDS", "for timing the kernel; default 20"},
    {"roofline", "tracked", 'T', false, NULL, "follow all calls through a model of the caches: what came from memory"},
    {"roofline", "plot", 'p', false, "roofline|boxes|waterfall",
     "what the picture shows: points under roofs, times of the calls of each shape, or what time is made of"},
    {"roofline", "events", 'e', false, NULL,
     "what this machine can count, as KTRACE_EVENTS takes it, instead of a trace"},
    {"roofline", "validate", 'v', false, NULL,
     "instead of a trace: kernels of known bytes and operations, expected against found, to trust counters and roofs"},
    {"roofline", "top", 't', false, "N", "shapes with a number of their own; default 20"},
    JSON_OPTION("roofline"),
    {"info", "libraries", 'l', false, NULL,
     "the BLAS libraries of this machine, or those named: versions, kernels, integers, threads"},
    JSON_OPTION("info"),
    {"dump", "json", 'j', false, NULL, "one JSON object a line, with the memory that each operand covers"},
    {"merge", "output", 'o', true, "DIR", "a new or empty directory; default ktrace.merged"},
    {"merge", "copy", 'c', false, NULL, "copy the files; default: hard links, copies only where there cannot be any"},
    JSON_OPTION("merge"),
    JSON_OPTION("score"),
    {"pack", "output", 'o', true, "FILE", "default TRACE.tar.zst"},
    {"pack", "remove", 'r', false, NULL, "remove the directory when the file has been verified"},
    JSON_OPTION("pack"),
    {"export", "output", 'o', true, "FILE", "default: standard output, but for a database"},
    {"export", "format", 'f', false, "csv|sqlite|perfetto|folded|speedscope|pprof",
     "default: as FILE ends (.csv, .sqlite, .json, .folded, .speedscope.json, .pprof), or csv"},
    {"export", "outermost", 'O', false, NULL, "only the calls that the program made itself"},
    ROUTINE_OPTION("export"),
    JSON_OPTION("export"),
    JSON_OPTION("check"),
    JSON_OPTION("control"),
    JSON_OPTION("env"),
    {0},
};

const struct kt_verb_option *kt_verb_options(void)
{
    return options;
}

int kt_verb_usage(const char *verb, const char *format, ...)
{
    char text[1024];
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    kt_notice("%s: %s; see 'ktrace help %s'", verb, text, verb);
    return KT_USAGE;
}

int kt_verb_status(int signal)
{
    enum { SIGNALS = 128 };
    return signal ? SIGNALS + signal : KT_OK;
}

int kt_verb_fail(const char *verb, const struct kt_error *error)
{
    kt_notice("%s: %s", verb, error->text);
    return (int)error->status;
}

/* The verb's options as getopt_long takes them: short ones in SHORTS, and LONGS, which must hold MAX_OPTIONS + 1. */
static void convert_options(const char *verb, char *shorts, struct option *longs)
{
    shorts += sprintf(shorts, "%s:", strcmp(verb, "run") ? "" : "+");
    for (const struct kt_verb_option *o = options; o->verb; o++) {
        if (strcmp(o->verb, verb) != 0)
            continue;
        *longs++ = (struct option){o->name, o->value ? required_argument : no_argument, NULL, o->letter};
        if (o->has_short)
            shorts += sprintf(shorts, "%c%s", o->letter, o->value ? ":" : "");
    }
    *longs = (struct option){0};
}

int kt_verb_next_option(int argc, char **argv, struct kt_error *error)
{
    char shorts[2 * MAX_OPTIONS + 3];
    struct option longs[MAX_OPTIONS + 1];
    convert_options(argv[0], shorts, longs);
    opterr = 0; /* the message is ours */
    int letter = getopt_long(argc, argv, shorts, longs, NULL);
    if (letter != '?' && letter != ':')
        return letter;
    kt_fail(error, KT_USAGE, letter == ':' ? "%s needs a value" : "unknown option %s", argv[optind - 1]);
    return '?';
}

enum kt_status kt_verb_take_options(int argc, char **argv, kt_option_taker *take, void *out, struct kt_error *error)
{
    optind = 0; /* from the first one on, whatever was parsed before */
    for (int option; (option = kt_verb_next_option(argc, argv, error)) != -1;) {
        if (option == '?')
            return KT_USAGE;
        KT_TRY(take(option, optarg, out, error));
    }
    return KT_OK;
}

static int parse_arguments(int argc, char **argv, bool *json)
{
    struct kt_error error = {0};
    *json = false;
    for (int option; (option = kt_verb_next_option(argc, argv, &error)) != -1;) {
        if (option == '?')
            return kt_verb_usage(argv[0], "%s", error.text);
        if (option != 'j')
            return kt_verb_usage(argv[0], "%s goes without a trace", argv[optind - 1]);
        *json = true;
    }
    return optind < argc ? 0 : kt_verb_usage(argv[0], "which trace?");
}

int kt_verb_open_trace(int argc, char **argv, struct kt_trace *out, bool *json)
{
    struct kt_error error = {0};
    int wrong = parse_arguments(argc, argv, json);
    if (wrong || kt_trace_open_all(argv + optind, (size_t)(argc - optind), out, &error) == KT_OK)
        return wrong;
    kt_trace_close(out);
    return kt_verb_fail(argv[0], &error);
}
