/* SPDX-License-Identifier: BSD-3-Clause */
#include "replay/setup/known_placements.h"

#include "replay/setup/recall.h"
#include "trace/shape/fingerprint.h"
#include "trace/base/memory.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

/* What takes more is followed again rather than crowd out results. */
enum { MOST_BYTES = 16 << 20 };

/* --- bytes ------------------------------------------------------------------------------------------------- */

/* Of a shape: its number of placements, and how many operands of each are told. */
struct shape_head {
    uint16_t placements, operands;
};

static bool is_placed(const struct kt_placement *placement, int operand)
{
    for (int level = 0; level <= KT_MAX_CACHES; level++)
        if (placement->share[operand][level] != 0)
            return true;
    return false;
}

static uint16_t operands_of(const struct kt_placements_of_shape *of)
{
    int most = 0;
    for (unsigned i = 0; i < of->count; i++)
        for (int operand = most; operand < KT_MAX_OPERANDS; operand++)
            most = is_placed(&of->placement[i], operand) ? operand + 1 : most;
    return (uint16_t)most;
}

static size_t share_bytes(struct shape_head head)
{
    return head.operands * sizeof *((struct kt_placement *)NULL)->share;
}

static size_t bytes_of(struct shape_head head)
{
    return head.placements * (sizeof(double) + share_bytes(head));
}

static unsigned char *put(unsigned char *at, const void *from, size_t size)
{
    return (unsigned char *)memcpy(at, from, size) + size;
}

static const unsigned char *get(const unsigned char *at, void *to, size_t size)
{
    memcpy(to, at, size);
    return at + size;
}

void *kt_placements_pack(const struct kt_placements_of_shape *placed, size_t count, size_t *size)
{
    size_t room = 0;
    for (size_t i = 0; i < count; i++)
        room += sizeof(struct shape_head) +
                bytes_of((struct shape_head){(uint16_t)placed[i].count, operands_of(&placed[i])});
    unsigned char *bytes = kt_resize(NULL, room, 1);
    unsigned char *at = bytes;
    for (size_t i = 0; i < count; i++) {
        struct shape_head head = {(uint16_t)placed[i].count, operands_of(&placed[i])};
        at = put(at, &head, sizeof head);
        for (unsigned p = 0; p < placed[i].count; p++) {
            at = put(at, &placed[i].placement[p].weight, sizeof(double));
            at = put(at, placed[i].placement[p].share, share_bytes(head));
        }
    }
    *size = room;
    return bytes;
}

static bool is_sound(const struct kt_placement *placement)
{
    for (int operand = 0; operand < KT_MAX_OPERANDS; operand++)
        for (int level = 0; level <= KT_MAX_CACHES; level++)
            if (!(placement->share[operand][level] >= 0 && placement->share[operand][level] <= 1.001F))
                return false;
    return placement->weight > 0 && placement->weight <= 1.001;
}

/* Returns what is behind the shape, NULL if it cannot be one. */
static const unsigned char *unpack_shape(const unsigned char *at, const unsigned char *end,
                                         struct kt_placements_of_shape *out)
{
    struct shape_head head;
    if ((size_t)(end - at) < sizeof head)
        return NULL;
    at = get(at, &head, sizeof head);
    if (head.placements > KT_MOST_PLACEMENTS || head.operands > KT_MAX_OPERANDS || (size_t)(end - at) < bytes_of(head))
        return NULL;
    out->count = head.placements;
    for (unsigned p = 0; p < out->count; p++) {
        at = get(at, &out->placement[p].weight, sizeof(double));
        at = get(at, out->placement[p].share, share_bytes(head));
        if (!is_sound(&out->placement[p]))
            return NULL;
    }
    return at;
}

bool kt_placements_unpack(const void *bytes, size_t size, size_t count, struct kt_placements_of_shape *out)
{
    const unsigned char *at = bytes;
    const unsigned char *end = at + size;
    for (size_t i = 0; i < count && at; i++)
        at = unpack_shape(at, end, &out[i]);
    return at == end;
}

/* --- the store --------------------------------------------------------------------------------------------- */

static void make_name(const struct kt_setup *setup, enum kt_level level, char *out, size_t size)
{
    char fingerprint[KT_FINGERPRINT];
    const struct kt_caches *caches = &setup->hierarchy.caches;
    kt_trace_fingerprint(&setup->trace, fingerprint);
    snprintf(out, size, "placements method %d trace %s level %d line %" PRIu64, KT_PLACING_METHOD, fingerprint,
             (int)level, caches->line);
    for (unsigned i = 0; i < caches->count; i++) {
        size_t used = strlen(out);
        snprintf(out + used, size - used, " %" PRIu64 "/%u", caches->cache[i].bytes, caches->cache[i].shared);
    }
}

static bool recall_them(struct kt_recall *recall, const char *name, struct kt_setup *setup)
{
    size_t size = 0;
    size_t count = setup->shapes.count;
    void *bytes = kt_recall_bytes(recall, true, name, &size);
    bool known = bytes && kt_placements_unpack(bytes, size, count, setup->placed);
    free(bytes);
    if (!known)
        memset(setup->placed, 0, count * sizeof *setup->placed);
    return known;
}

static void keep_them(struct kt_recall *recall, const char *name, const struct kt_setup *setup)
{
    size_t size;
    void *bytes = kt_placements_pack(setup->placed, setup->shapes.count, &size);
    if (size <= MOST_BYTES)
        kt_recall_set_fact(recall, true, name, bytes, size);
    free(bytes);
}

enum kt_status kt_known_placements(struct kt_recall *recall, const struct kt_replay_options *options,
                                   struct kt_setup *setup, struct kt_error *error)
{
    char name[256] = "";
    if (recall && recall->store)
        make_name(setup, options->level, name, sizeof name);
    if (*name && !options->fresh && recall_them(recall, name, setup))
        return KT_OK;
    KT_TRY(
        kt_placements(&setup->trace, options->level, &setup->shapes, &setup->hierarchy.caches, setup->placed, error));
    if (*name)
        keep_them(recall, name, setup);
    return KT_OK;
}
