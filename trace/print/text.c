/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Widths count characters of UTF-8, not bytes. What is not a terminal is taken to be 80 columns wide, so that output
 * in files and pipes does not depend on the window it was made in.
 */
#include "trace/print/text.h"

#include "trace/base/count.h"
#include "trace/base/error.h"
#include "trace/base/memory.h"
#include "trace/base/now.h"

#include <fnmatch.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum { SHORT = 16, PLAIN_WIDTH = 80, NARROWEST = 8, GAP = 2, BAR = 24 };

/* --- numbers ----------------------------------------------------------------------------------------------- */

/* Three significant digits, without an exponent; VALUE is between 1 and 1000, or small. */
static void three_digits(double value, const char *unit, char *out, size_t size)
{
    double magnitude = fabs(value);
    int decimals = magnitude >= 99.95 ? 0 : magnitude >= 9.995 ? 1 : 2;
    snprintf(out, size, "%.*f %s", decimals, value, unit);
}

char *kt_text_seconds(double seconds, char *out)
{
    static const struct {
        double scale;
        const char *unit;
    } units[] = {{1, "s"}, {1e-3, "ms"}, {1e-6, "us"}, {1e-9, "ns"}};
    size_t i = 0;
    if (!isfinite(seconds) || fabs(seconds) >= 1e12) {
        strcpy(out, "n/a");
        return out;
    }
    if (seconds == 0) {
        strcpy(out, "0 s");
        return out;
    }
    while (i < 3 && fabs(seconds) < 0.9995 * units[i].scale)
        i++;
    three_digits(seconds / units[i].scale, units[i].unit, out, SHORT);
    return out;
}

char *kt_text_rate(double value, const char *unit, char *out, size_t size)
{
    static const char *const prefix[] = {"", "k", "M", "G", "T", "P", "E"};
    char full[64];
    size_t i = 0;
    if (!isfinite(value)) {
        snprintf(out, size, "n/a");
        return out;
    }
    while (i < 6 && fabs(value) >= 999.5) {
        value /= 1000;
        i++;
    }
    snprintf(full, sizeof full, "%s%s", prefix[i], unit);
    three_digits(value, full, out, size);
    return out;
}

char *kt_text_count(double count, char *out)
{
    return kt_count_text(count, out);
}

bool kt_routine_matches(const char *routine, const char *filter)
{
    if (!filter)
        return true;
    char *copy = kt_copy(filter);
    char *rest = copy;
    bool found = false;
    for (char *pattern; !found && (pattern = strsep(&rest, ","));)
        found = fnmatch(pattern, routine, 0) == 0;
    free(copy);
    return found;
}

char *kt_text_index(double index, const char *none, char *out)
{
    enum { SIZE = 16, MOST = 10 };
    if (isnan(index))
        snprintf(out, SIZE, "%s", none);
    else if (fabs(index) > MOST)
        snprintf(out, SIZE, "%s%d", index > 0 ? ">" : "<-", MOST);
    else
        snprintf(out, SIZE, "%.2f", index);
    return out;
}

char *kt_text_percent(double fraction, char *out)
{
    if (!isfinite(fraction))
        snprintf(out, SHORT, "    n/a");
    else if (fabs(fraction) < 1e5)
        snprintf(out, SHORT, "%5.1f %%", 100 * fraction);
    else
        snprintf(out, SHORT, "%.2g %%", 100 * fraction);
    return out;
}

char *kt_text_ratio(double ratio, char *out)
{
    static const struct {
        double below;
        int decimals;
    } steps[] = {{0.00095, 5}, {0.0095, 4}, {1.0995, 3}, {9.995, 2}, {99.95, 1}, {1e6, 0}};
    static const double least = 1e-4; /* others have an exponent */
    size_t i = 0;
    while (i < sizeof steps / sizeof *steps && !(ratio < steps[i].below))
        i++;
    if (!isfinite(ratio))
        snprintf(out, SHORT, "n/a");
    else if (ratio == 1 || ratio == 0)
        snprintf(out, SHORT, "%.0f", ratio);
    else if (ratio < least || i == sizeof steps / sizeof *steps)
        snprintf(out, SHORT, "%.1e", ratio);
    else
        snprintf(out, SHORT, "%.*f", steps[i].decimals, ratio);
    return out;
}

/* --- characters -------------------------------------------------------------------------------------------- */

bool kt_text_ends_with(const char *text, const char *end)
{
    size_t length = strlen(text);
    return length >= strlen(end) && !strcmp(text + length - strlen(end), end);
}

char *kt_text_clean(char *text)
{
    kt_one_line(text);
    return text;
}

static bool starts_character(char c)
{
    return ((unsigned char)c & 0xc0) != 0x80;
}

/* In so many bytes. */
static size_t characters(const char *text, size_t bytes)
{
    size_t width = 0;
    for (size_t i = 0; i < bytes; i++)
        width += starts_character(text[i]);
    return width;
}

static size_t text_width(const char *text)
{
    return characters(text, strlen(text));
}

/* Bytes of the first WIDTH characters. */
static size_t prefix_bytes(const char *text, size_t width)
{
    size_t bytes = 0;
    for (; text[bytes]; bytes++)
        if (starts_character(text[bytes]) && width-- == 0)
            break;
    return bytes;
}

/* --- tables ------------------------------------------------------------------------------------------------ */

struct kt_text_table {
    struct kt_column *column;
    size_t columns;
    char **cell; /* row by row, the heads first */
    size_t rows;
    bool *spare; /* by column: only printed where there is room */
};

struct kt_text_table *kt_text_table_new(const struct kt_column *column, size_t columns)
{
    struct kt_text_table *t = kt_resize(NULL, 1, sizeof *t);
    *t = (struct kt_text_table){.columns = columns};
    t->column = kt_resize(NULL, columns, sizeof *column);
    t->spare = kt_zeros(columns, sizeof *t->spare);
    memcpy(t->column, column, columns * sizeof *column);
    const char **head = kt_resize(NULL, columns, sizeof *head);
    for (size_t i = 0; i < columns; i++)
        head[i] = column[i].head;
    kt_text_table_row(t, head);
    free(head);
    return t;
}

void kt_text_table_row(struct kt_text_table *table, const char *const *cell)
{
    table->cell = kt_room_for_one(table->cell, table->rows, table->columns * sizeof *table->cell);
    for (size_t i = 0; i < table->columns; i++)
        table->cell[table->rows * table->columns + i] = kt_text_clean(kt_copy(cell[i]));
    table->rows++;
}

static size_t line_width(void)
{
    struct winsize window;
    bool known = isatty(STDOUT_FILENO) && ioctl(STDOUT_FILENO, TIOCGWINSZ, &window) == 0 && window.ws_col > 0;
    return known ? window.ws_col : PLAIN_WIDTH;
}

static void natural_widths(const struct kt_text_table *t, size_t *width)
{
    for (size_t i = 0; i < t->rows * t->columns; i++) {
        size_t needed = text_width(t->cell[i]);
        size_t column = i % t->columns;
        width[column] = i < t->columns || needed > width[column] ? needed : width[column];
    }
}

static size_t least_width(const struct kt_text_table *t, size_t column, const size_t *width)
{
    enum { READABLE = 24 };
    return t->column[column].shrink && width[column] > READABLE ? READABLE : width[column];
}

/* Spare columns are left out, from the right, until all that may shrink keeps READABLE characters. */
static void choose_shown(const struct kt_text_table *t, const size_t *width, bool *shown)
{
    size_t needed = 0;
    size_t most = line_width() + GAP;
    for (size_t i = 0; i < t->columns; i++) {
        shown[i] = true;
        needed += GAP + least_width(t, i, width);
    }
    for (size_t i = t->columns; i-- > 0 && needed > most;)
        if (t->spare[i]) {
            shown[i] = false;
            needed -= GAP + least_width(t, i, width);
        }
}

/* Takes columns away from the widest that may shrink, one by one, until the line fits. */
static void shrink_widths(const struct kt_text_table *t, const bool *shown, size_t *width)
{
    size_t total = 0;
    size_t most = line_width() + GAP;
    for (size_t i = 0; i < t->columns; i++)
        total += shown[i] ? GAP + width[i] : 0;
    for (; total > most; total--) {
        size_t widest = t->columns;
        for (size_t i = 0; i < t->columns; i++)
            if (shown[i] && t->column[i].shrink && width[i] > NARROWEST &&
                (widest == t->columns || width[i] > width[widest]))
                widest = i;
        if (widest == t->columns)
            return;
        width[widest]--;
    }
}

static void print_cell(const char *text, size_t width, const struct kt_column *column, bool last)
{
    size_t has = text_width(text);
    int padding = has < width ? (int)(width - has) : 0;
    bool cut = has > width;
    size_t bytes = prefix_bytes(text, cut ? width - 2 : width);
    if (column->right)
        printf("%*s", padding, "");
    printf("%.*s%s", (int)bytes, text, cut ? ".." : "");
    if (!column->right && !last)
        printf("%*s", padding, "");
    printf("%*s", last ? 0 : GAP, "");
}

void kt_text_table_spare(struct kt_text_table *table, size_t column)
{
    table->spare[column] = true;
}

static void print_row(const struct kt_text_table *t, size_t row, const bool *shown, const size_t *width)
{
    size_t last = t->columns - 1;
    while (last > 0 && !shown[last])
        last--;
    for (size_t i = 0; i <= last; i++)
        if (shown[i])
            print_cell(t->cell[row * t->columns + i], width[i], &t->column[i], i == last);
}

void kt_text_table_print(const struct kt_text_table *table)
{
    size_t *width = kt_resize(NULL, table->columns, sizeof *width);
    bool *shown = kt_resize(NULL, table->columns, sizeof *shown);
    bool bold = isatty(STDOUT_FILENO);
    natural_widths(table, width);
    choose_shown(table, width, shown);
    shrink_widths(table, shown, width);
    for (size_t row = 0; row < table->rows; row++) {
        printf("%s", bold && row == 0 ? "\033[1m" : "");
        print_row(table, row, shown, width);
        printf("%s\n", bold && row == 0 ? "\033[0m" : "");
    }
    free(shown);
    free(width);
}

void kt_text_table_free(struct kt_text_table *table)
{
    for (size_t i = 0; i < table->rows * table->columns; i++)
        free(table->cell[i]);
    free(table->cell);
    free(table->column);
    free(table->spare);
    free(table);
}

void kt_text_wrap(size_t column, size_t indent, const char *text)
{
    const size_t most = line_width();
    for (bool first = true; *text; first = false) {
        size_t gap = strspn(text, " ");
        size_t word = strcspn(text + gap, " ");
        size_t width = gap + characters(text + gap, word);
        if (!first && column + width > most) {
            printf("\n%*s", (int)indent, "");
            column = indent;
            width -= gap;
        } else {
            printf("%*s", (int)gap, "");
        }
        printf("%.*s", (int)word, text + gap);
        column += width;
        text += gap + word;
    }
    printf("\n");
}

void kt_text_say(const char *format, ...)
{
    char text[2048];
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    kt_text_wrap(0, 0, kt_text_clean(text));
}

void kt_heading(const char *text)
{
    if (isatty(STDOUT_FILENO)) {
        printf("\033[1m%s\033[0m\n", text);
        return;
    }
    printf("%s\n", text);
    for (size_t i = 0; i < text_width(text); i++)
        putchar('-');
    putchar('\n');
}

/* --- standard error ---------------------------------------------------------------------------------------- */

/* One at a time: a terminal has one last line. */
static struct {
    double began, drawn; /* monotonic seconds; 0: nothing shown */
    const char *whole;   /* NULL: what is shown is no part of anything */
    double from, to;
} progress;

static void draw_progress(const char *label, double part, double elapsed)
{
    char bar[BAR + 1];
    int filled = (int)(part * BAR);
    for (int i = 0; i < BAR; i++)
        bar[i] = i < filled ? '#' : ' ';
    bar[BAR] = '\0';
    fprintf(stderr, "\r%s [%s] %3.0f %%", label, bar, 100 * part);
    if (part > 0.02)
        fprintf(stderr, "  %.0f s left", elapsed * (1 - part) / part);
    fprintf(stderr, "\033[K");
}

void kt_progress(const char *label, double done, double total)
{
    static const double shortest_interval = 0.1;
    double time = kt_now();
    if (progress.began == 0)
        progress.began = time;
    if (!isatty(STDERR_FILENO) || time - progress.drawn < shortest_interval)
        return;
    double part = total > 0 ? fmax(0, fmin(done / total, 1)) : 0;
    if (progress.whole)
        part = progress.from + part * (progress.to - progress.from);
    progress.drawn = time;
    draw_progress(progress.whole ? progress.whole : label, part, time - progress.began);
}

void kt_progress_part(const char *label, double from, double to)
{
    progress.whole = label;
    progress.from = from;
    progress.to = to;
}

void kt_progress_end(void)
{
    if (progress.drawn != 0)
        fprintf(stderr, "\r\033[K");
    progress.drawn = 0;
    if (progress.whole && progress.to < 1)
        return;
    progress.whole = NULL;
    progress.began = 0;
}

void kt_notice(const char *format, ...)
{
    char text[2048];
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    fprintf(stderr, "ktrace: %s\n", kt_text_clean(text));
}
