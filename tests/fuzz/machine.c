/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Machine files: read as roofline and replay do, and shown as `ktrace probe --show` does.
 */
#include "trace/command/machine.h"

#include "model/probe/claims.h"
#include "model/probe/probe_text.h"
#include "model/roofline/roofs.h"
#include "replay/machine/probed.h"
#include "tests/fuzz/document.h"
#include "tests/fuzz/target.h"

static json_t *claims;

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc, (void)argv;
    kt_document_quiet();
    claims = json_pack("[{s:i, s:i, s:i}, {s:i, s:i, s:i}]", "level", 1, "bytes", 32768, "processors", 1, "level", 2,
                       "bytes", 1048576, "processors", 1);
    return 0;
}

static void use(const struct kt_machine *machine)
{
    static const double intensity[] = {0.01, 1, 1000};
    struct kt_roofs roofs;
    struct kt_caches caches = {.cache = {{32768, 1}, {1 << 20, 1}, {1 << 24, 2}}, .count = 3, .line = 64};
    struct kt_peaks peaks;
    volatile double sum = kt_machine_last_cache(machine);
    kt_roofs_choose(machine, &roofs);
    for (size_t i = 0; i < sizeof intensity / sizeof *intensity; i++)
        sum += kt_roofs_highest_limit(&roofs, i & 1, 1 + (int)(i & 1), intensity[i]);
    for (size_t i = 0; i < roofs.count; i++)
        sum += kt_roofs_ridge_at(&roofs, &roofs.roof[i]);
    kt_roofs_raise(&roofs, &roofs);
    kt_probed_caches(machine, &caches);
    kt_probed_peaks(machine, 1, &peaks);
    (void)sum;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    json_t *document;
    struct kt_machine machine;
    struct kt_error error = {0};
    if (!kt_document_take(data, size, &document))
        return 0;
    enum kt_status status = kt_machine_take(document, &machine, &error);
    if (status == KT_OK) {
        use(&machine);
        json_object_set_new(document, "differences", kt_claims_compare(document, claims));
        kt_probe_print(document);
    } else
        kt_document_refused(status, &error);
    json_decref(document);
    return 0;
}
