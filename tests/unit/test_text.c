/* SPDX-License-Identifier: BSD-3-Clause */
#include "trace/base/plain.h"
#include "trace/print/text.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static void seconds_have_three_digits(void **state)
{
    (void)state;
    static const struct {
        double seconds;
        const char *text;
    } cases[] = {{1.234e-3, "1.23 ms"},
                 {45.62e-6, "45.6 us"},
                 {12, "12.0 s"},
                 {0.1, "100 ms"},
                 {0, "0 s"},
                 {1e-9, "1.00 ns"},
                 {2e-12, "0.00 ns"},
                 {999.4e-6, "999 us"},
                 {999.6e-6, "1.00 ms"},
                 {3600, "3600 s"},
                 {-5e-3, "-5.00 ms"},
                 {NAN, "n/a"},
                 {INFINITY, "n/a"},
                 {1e300, "n/a"},
                 {9.999e-3, "10.0 ms"},
                 {99.99e-3, "100 ms"},
                 {1, "1.00 s"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[16];
        assert_string_equal(kt_text_seconds(cases[i].seconds, text), cases[i].text);
    }
}

static void rates_have_a_prefix(void **state)
{
    (void)state;
    char text[32];
    assert_string_equal(kt_text_rate(12.34e9, "B/s", text, sizeof text), "12.3 GB/s");
    assert_string_equal(kt_text_rate(5e9, "flop/s", text, sizeof text), "5.00 Gflop/s");
    assert_string_equal(kt_text_rate(999.6, "B", text, sizeof text), "1.00 kB");
    assert_string_equal(kt_text_rate(0.5, "B", text, sizeof text), "0.50 B");
    assert_string_equal(kt_text_rate(NAN, "B", text, sizeof text), "n/a");
    assert_string_equal(kt_text_rate(12.34e9, "flop/s", text, 6), "12.3 ");
}

static void counts_are_grouped(void **state)
{
    (void)state;
    char text[16];
    assert_string_equal(kt_text_count(0, text), "0");
    assert_string_equal(kt_text_count(999, text), "999");
    assert_string_equal(kt_text_count(12345, text), "12,345");
    assert_string_equal(kt_text_count(99999999999.0, text), "99,999,999,999");
    assert_string_equal(kt_text_count(-99999999999.0, text), "-99,999,999,999");
    assert_string_equal(kt_text_count(1e11, text), "1e+11");
    assert_string_equal(kt_text_count(NAN, text), "n/a");
}

static void ratios_have_significant_digits(void **state)
{
    (void)state;
    static const struct {
        double ratio;
        const char *text;
    } known[] = {{1, "1"},
                 {0, "0"},
                 {1.004, "1.004"},
                 {1.0996, "1.10"},
                 {1.3449, "1.34"},
                 {9.996, "10.0"},
                 {99.96, "100"},
                 {54321, "54321"},
                 {1e7, "1.0e+07"},
                 {0.9996, "1.000"},
                 {0.968, "0.968"},
                 {0.0123, "0.012"},
                 {0.00951, "0.010"},
                 {0.0041, "0.0041"},
                 {0.000949, "0.00095"},
                 {0.00012, "0.00012"},
                 {1.2e-5, "1.2e-05"},
                 {NAN, "n/a"},
                 {INFINITY, "n/a"}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        char text[16];
        assert_string_equal(kt_text_ratio(known[i].ratio, text), known[i].text);
    }
}

static void percents_line_up(void **state)
{
    (void)state;
    char text[16];
    assert_string_equal(kt_text_percent(0.123, text), " 12.3 %");
    assert_string_equal(kt_text_percent(1, text), "100.0 %");
    assert_string_equal(kt_text_percent(NAN, text), "    n/a");
    assert_string_equal(kt_text_percent(1e300, text), "1e+302 %");
}

static void control_characters_are_replaced(void **state)
{
    (void)state;
    char text[] = "a\033[31mb\n\t\x7f\xc2\x9b\xc3\xa4";
    char alone[] = "\x9b"
                   "31m\xe2\x82\xac\r\n"; /* of a character set of single bytes */
    assert_string_equal(kt_text_clean(text), "a?[31mb???\xc2\xa0\xc3\xa4");
    assert_string_equal(kt_text_clean(alone), "?31m\xe2\x82\xac??");
}

/* Newlines and tabs are layout; a character may be cut into two pieces. */
static void what_is_printed_stays_plain(void **state)
{
    (void)state;
    struct kt_plain plain = {0};
    char first[] = "\033[1mhead\033[0m\r\n\t\033[2J\xc2";
    char second[] = "\x9b\xc3\xa4";
    kt_plain_clean(&plain, first, strlen(first));
    kt_plain_clean(&plain, second, strlen(second));
    assert_string_equal(first, "\033[1mhead\033[0m\r\n\t?[2J\xc2");
    assert_string_equal(second, "\xa0\xc3\xa4");
}

/* What PRINT writes to standard output, which is no terminal then. */
static void captured(void (*print)(void), char *out, size_t size)
{
    FILE *file = tmpfile();
    assert_non_null(file);
    fflush(stdout);
    int saved = dup(STDOUT_FILENO);
    dup2(fileno(file), STDOUT_FILENO);
    print();
    fflush(stdout);
    dup2(saved, STDOUT_FILENO);
    close(saved);
    rewind(file);
    out[fread(out, 1, size - 1, file)] = '\0';
    fclose(file);
}

enum { LINES = 40000 };

/* Of a length that puts each byte of a line to the end of a buffer somewhere. */
static void print_lines(void)
{
    FILE *before = stdout;
    kt_plain_begin();
    for (int i = 0; i < LINES; i++)
        printf("\033[1m%d\033[0m\r\n", i % 10);
    fclose(stdout);
    stdout = before;
}

/* Wherever a buffer ends. */
static void sequences_stay_whole(void **state)
{
    (void)state;
    static char text[LINES * 11 + 1];
    captured(print_lines, text, sizeof text);
    for (int i = 0; i < LINES; i++) {
        char line[12];
        snprintf(line, sizeof line, "\033[1m%d\033[0m\r\n", i % 10);
        assert_memory_equal(text + (size_t)i * 11, line, 11);
    }
}

static void print_small_table(void)
{
    static const struct kt_column columns[] = {{"name", false, true}, {"time", true, false}, {"what", false, false}};
    struct kt_text_table *table = kt_text_table_new(columns, 3);
    kt_text_table_row(table, (const char *const[]){"dgemm", "1 s", "x"});
    kt_text_table_row(table, (const char *const[]){"b\303\266s\n", "1000 s", "longer"});
    kt_text_table_print(table);
    kt_text_table_free(table);
}

static void tables_are_aligned(void **state)
{
    (void)state;
    char text[1000];
    captured(print_small_table, text, sizeof text);
    assert_string_equal(text, "name     time  what\n"
                              "dgemm     1 s  x\n"
                              "b\303\266s?   1000 s  longer\n");
}

static void print_wide_table(void)
{
    static const struct kt_column columns[] = {{"path", false, true}, {"n", true, false}, {"shape", false, true}};
    char path[200];
    char shape[61];
    memset(path, 'p', sizeof path - 1);
    memset(shape, 's', sizeof shape - 1);
    path[sizeof path - 1] = shape[sizeof shape - 1] = '\0';
    struct kt_text_table *table = kt_text_table_new(columns, 3);
    kt_text_table_row(table, (const char *const[]){path, "12", shape});
    kt_text_table_print(table);
    kt_text_table_free(table);
}

static void wide_tables_shrink_to_80_columns(void **state)
{
    (void)state;
    char text[1000];
    captured(print_wide_table, text, sizeof text);
    char *second = strchr(text, '\n') + 1;
    assert_int_equal(strcspn(second, "\n"), 80);
    assert_non_null(strstr(second, "pp..  12  ss"));
}

static void print_heading(void)
{
    kt_heading("\303\226l");
}

static void headings_are_underlined(void **state)
{
    (void)state;
    char text[100];
    captured(print_heading, text, sizeof text);
    assert_string_equal(text, "\303\226l\n--\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(seconds_have_three_digits),
        cmocka_unit_test(rates_have_a_prefix),
        cmocka_unit_test(counts_are_grouped),
        cmocka_unit_test(percents_line_up),
        cmocka_unit_test(ratios_have_significant_digits),
        cmocka_unit_test(control_characters_are_replaced),
        cmocka_unit_test(what_is_printed_stays_plain),
        cmocka_unit_test(sequences_stay_whole),
        cmocka_unit_test(tables_are_aligned),
        cmocka_unit_test(wide_tables_shrink_to_80_columns),
        cmocka_unit_test(headings_are_underlined),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
