/* SPDX-License-Identifier: BSD-3-Clause */
/* Markdown, as hosts of repositories show it, of texts that may hold anything. */
#ifndef KT_MARKDOWN_H
#define KT_MARKDOWN_H

#include <stdio.h>

/*
 * TEXT as code. All but letters, digits and a few marks becomes a character reference, which neither Markdown nor HTML
 * takes for anything but its character: a mark of code would end at one in the text, and a cell of a table at a bar.
 * Names in code notify nobody. Control characters and what is no UTF-8 become question marks.
 */
void kt_markdown_code(FILE *file, const char *text);

#endif
