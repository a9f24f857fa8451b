/* SPDX-License-Identifier: BSD-3-Clause */
/* Marks are letters of ASCII, so that a page means the same in a pipe, without colour and in any locale. */
#include "trace/print/screen.h"

#include "trace/print/text.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NARROWEST = 60, WHERE = 30, WHAT = 22, FINDING_LINES = 2 };

/* COLUMNS, where that is less than a page. */
static int page_width(void)
{
    const char *columns = getenv("COLUMNS");
    int width = columns ? atoi(columns) : 0;
    if (width <= 0 || width > KT_SCREEN_WIDTH)
        return KT_SCREEN_WIDTH;
    return width < NARROWEST ? NARROWEST : width;
}

/* So many bytes of TEXT have no more than WIDTH characters of UTF-8. */
static int bytes_of(const char *text, int width)
{
    int bytes = 0;
    for (; text[bytes]; bytes++) {
        bool begins = ((unsigned char)text[bytes] & 0xc0) != 0x80;
        if (begins && width-- == 0)
            break;
    }
    return bytes;
}

void kt_screen_line(const char *format, ...)
{
    char text[KT_SCREEN_TEXT];
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    kt_text_clean(text);
    int length = bytes_of(text, page_width());
    bool is_cut = strspn(text + length, " ") < strlen(text + length);
    if (is_cut)
        length = bytes_of(text, page_width() - 2);
    while (length > 0 && text[length - 1] == ' ')
        length--;
    printf("%.*s%s\n", length, text, is_cut ? ".." : "");
}

const char *kt_screen_percent(double part, char *out)
{
    kt_text_percent(part, out);
    return out + strspn(out, " ");
}

static int characters_of(const char *text)
{
    int characters = 0;
    for (; *text; text++)
        characters += ((unsigned char)*text & 0xc0) != 0x80;
    return characters;
}

/* TEXT in exactly WIDTH characters; a longer one ends in "..". */
static void fit(const char *text, int width, char *out, size_t size)
{
    char clean[KT_SCREEN_TEXT];
    snprintf(clean, sizeof clean, "%s", text);
    kt_text_clean(clean);
    bool cut = clean[bytes_of(clean, width)] != '\0';
    int used = snprintf(out, size, "%.*s%s", bytes_of(clean, cut ? width - 2 : width), clean, cut ? ".." : "");
    for (int characters = characters_of(out); characters < width && (size_t)used + 1 < size; characters++)
        out[used++] = ' ';
    out[used] = '\0';
}

/* Of the first of two texts beside each other: one that is too long for its column takes what the other leaves. */
static int first_width(const char *first, const char *second, int usual, int both)
{
    int most = characters_of(first);
    int rest = both - characters_of(second);
    int least = most < rest ? most : rest;
    most = most < rest ? rest : most;
    return usual < least ? least : usual > most ? most : usual;
}

static void print_row(const char *where, const char *what, const char *calls, const char *seconds, const char *share)
{
    char cell[2][4 * KT_SCREEN_WIDTH];
    int usual = WHERE - (KT_SCREEN_WIDTH - page_width());
    int width = first_width(where, what, usual, usual + WHAT);
    fit(where, width, cell[0], sizeof cell[0]);
    fit(what, usual + WHAT - width, cell[1], sizeof cell[1]);
    kt_screen_line("%s %s %8s %8s %7s", cell[0], cell[1], calls, seconds, share);
}

void kt_screen_head(void)
{
    print_row("where", "what", "calls", "time", "of BLAS");
}

void kt_screen_place(const char *where, const char *what, double calls, double seconds, double share)
{
    char text[3][16];
    print_row(where, what, kt_text_count(calls, text[0]), kt_text_seconds(seconds, text[1]),
              kt_screen_percent(share, text[2]));
}

int kt_screen_list(const char *const *item, size_t count)
{
    int lines = 1;
    int column = 1;
    printf(" ");
    for (size_t i = 0; i < count; i++) {
        char clean[KT_SCREEN_TEXT];
        snprintf(clean, sizeof clean, "%s%s", item[i], i + 1 < count ? "," : "");
        int width = 1 + characters_of(kt_text_clean(clean));
        if (i && column + width > page_width()) {
            printf("\n ");
            lines++;
            column = 1;
        }
        printf(" %s", clean);
        column += width;
    }
    printf("\n");
    return lines;
}

/* --- bars ---------------------------------------------------------------------------------------------------- */

void kt_screen_bar(const double *part, const char *mark, int parts, const char *text)
{
    double until = 0;
    int filled = 0;
    printf("  |");
    for (int p = 0; p < parts; p++) {
        until += fmax(part[p], 0); /* of NAN, too */
        int end = (int)fmin(round(until * KT_SCREEN_BAR), KT_SCREEN_BAR);
        for (; filled < end; filled++)
            putchar(mark[p]);
    }
    printf("%*s|%.*s\n", KT_SCREEN_BAR - filled, "", page_width() - KT_SCREEN_BAR - 4, text);
}

/* --- sentences ----------------------------------------------------------------------------------------------- */

/* Does the first WORD of the text go behind so many columns? The last line has room for two dots, unless it has it for
 * all that is left. */
static bool has_room(const char *text, size_t word, size_t column, bool is_last)
{
    size_t width = (size_t)page_width();
    bool is_end = column + 1 + strlen(text) <= width;
    return column == 1 || is_end || column + 1 + word + (is_last ? strlen(" ..") : 0) <= width;
}

void kt_screen_finding(const char *said)
{
    char clean[KT_SCREEN_TEXT];
    const char *text = clean;
    size_t column = 1;
    int lines = 1;
    snprintf(clean, sizeof clean, "%s", said);
    kt_text_clean(clean);
    printf("-");
    while (*text) {
        size_t word = strcspn(text, " ");
        size_t most = (size_t)page_width() - 2;
        if (!has_room(text, word, column, lines == FINDING_LINES)) {
            if (lines++ == FINDING_LINES) {
                printf(" ..");
                break;
            }
            printf("\n ");
            column = 1;
        }
        printf(" %.*s", bytes_of(text, (int)(word < most ? word : most)), text);
        column += 1 + word;
        text += word + strspn(text + word, " ");
    }
    printf("\n");
}

void kt_screen_add(struct kt_screen_findings *findings, const char *format, ...)
{
    va_list args;
    if (findings->count == KT_SCREEN_FINDINGS)
        return;
    va_start(args, format);
    vsnprintf(findings->text[findings->count++], KT_SCREEN_TEXT, format, args);
    va_end(args);
}

void kt_screen_print_findings(const struct kt_screen_findings *findings)
{
    for (int i = 0; i < findings->count; i++)
        kt_screen_finding(findings->text[i]);
}
