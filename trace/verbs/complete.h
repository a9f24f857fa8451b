/* SPDX-License-Identifier: BSD-3-Clause */
/* What shells complete in a command line of ktrace (packaging/completion). */
#ifndef KT_COMPLETE_H
#define KT_COMPLETE_H

/* Prints, one a line, what the last word may become. WORD: those behind "ktrace". Nothing is printed where any file
 * may be named, or anything else that is not known here. */
void kt_complete(int words, char **word);

#endif
