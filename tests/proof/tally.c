/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/proof/tally.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* Calls with small sizes come first in most programs, and show little; in all PROOF_CALLS. */
static const int most_of_magnitude[PROOF_MAGNITUDES] = {8, 12, 28, 28, 24, 28};

bool proof_state_open(const char *path, const struct kt_table *table, struct proof_state *out)
{
    size_t bytes = table->count * sizeof *out->record;
    int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    bool sized = fd >= 0 && ftruncate(fd, (off_t)bytes) == 0;
    void *memory = sized ? mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0) : MAP_FAILED;
    if (fd >= 0)
        close(fd);
    if (memory == MAP_FAILED)
        return false;
    *out = (struct proof_state){memory, table->count, 1};
    for (size_t i = 0; i < table->count; i++)
        memcpy(out->record[i].name, table->routine[i].name, KT_NAME);
    return true;
}

struct proof_record *proof_state_find(const struct proof_state *state, const char *routine)
{
    for (size_t i = 0; i < state->count; i++)
        if (!strcmp(state->record[i].name, routine))
            return &state->record[i];
    return NULL;
}

/* Where an end of an operand that is missing did not show yet, all calls are of use. */
static int part_of(const struct proof_state *state, const struct proof_record *record)
{
    bool is_shown = record->possible && record->noticed == record->possible;
    return is_shown ? state->part : 1;
}

bool proof_state_is_full(const struct proof_state *state, const struct proof_record *record)
{
    return record->seen >= (unsigned)(PROOF_CALLS / part_of(state, record));
}

bool proof_state_claim(const struct proof_state *state, struct proof_record *record, struct proof_seen call,
                       bool chosen)
{
    int options = 0;
    int sizes = 0;
    int all = 0;
    unsigned seen = record->seen < PROOF_CALLS ? record->seen : PROOF_CALLS;
    for (unsigned i = 0; i < seen; i++) {
        const struct proof_seen *s = &record->call[i];
        if (s->call == call.call)
            return false;
        if (s->magnitude != call.magnitude)
            continue;
        options += s->options == call.options;
        sizes += s->sizes == call.sizes;
        all++;
    }
    bool known = options >= PROOF_ALIKE && sizes >= PROOF_ALIKE;
    if ((known && !chosen) || all >= most_of_magnitude[call.magnitude] / part_of(state, record))
        return false;
    unsigned mine = __atomic_fetch_add(&record->seen, 1, __ATOMIC_RELAXED);
    if (mine < PROOF_CALLS)
        record->call[mine] = call;
    return mine < PROOF_CALLS;
}
