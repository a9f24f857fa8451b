/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The results of several processes that each replayed a share of the shapes (replay/setup/share.h), put together.
 * Each leaves its document beside the trace; whoever leaves the last one makes the whole of them. Shares of unlike
 * nodes, libraries, contexts or options, or of an earlier trace of the same name, are never put together.
 */
#ifndef KT_GATHERED_H
#define KT_GATHERED_H

#include "replay/setup/share.h"
#include "trace/read/reader.h"

#include <jansson.h>

/* Keeps DOCUMENT, which is to hold the whole if this was the last share; otherwise says which are missing, and returns
 * false. */
bool kt_gathered_add(const struct kt_trace *trace, const struct kt_share *share, json_t **document,
                     struct kt_error *error);

/* Brings shares of replays together that lie beside copies of one trace, the MERGED one, and makes the whole of them if
 * there are all. What is beside other traces stays there: it is not of all calls. */
void kt_gathered_merge(char *const *path, size_t paths, const char *merged);

/* The whole of so many documents, in their order. */
json_t *kt_gathered_whole(json_t *const *part, size_t parts);

/* The same for all documents that may be put together: eight digits. RECORDED: when the trace was. */
void kt_gathered_kind(const json_t *document, const char *recorded, char out[9]);

#endif
