/* SPDX-License-Identifier: BSD-3-Clause */
#include "replay/random.h"
#include "replay/sequence/recorded.h"
#include "trace/memory.h"

/* Windows long enough for caches to be in their state after a tenth, but many, so that they meet all phases of a
 * program. */
enum { LEAST_WINDOW = 500, MOST_WINDOWS = 40, LEAD_PART = 10, SHORT_LEAD = 50 };

static size_t before(size_t place, size_t calls)
{
    return place > calls ? place - calls : 0;
}

static int compare_windows(const void *a, const void *b)
{
    const struct kt_window *x = a;
    const struct kt_window *y = b;
    return (x->first > y->first) - (x->first < y->first);
}

/* Where windows meet they become one, in which the calls of both count. */
static size_t join(struct kt_window *window, size_t count)
{
    size_t joined = 0;
    qsort(window, count, sizeof *window, compare_windows);
    for (size_t i = 0; i < count; i++) {
        struct kt_window *last = joined ? &window[joined - 1] : NULL;
        if (!last || window[i].first > last->end)
            window[joined++] = window[i];
        else if (window[i].end > last->end)
            last->end = window[i].end;
    }
    return joined;
}

size_t kt_windows_choose(size_t calls, size_t keep, const size_t *must_have, size_t must_haves, struct kt_window **out)
{
    uint64_t state = 1;
    if (keep >= calls) {
        *out = kt_resize(NULL, 1, sizeof **out);
        **out = (struct kt_window){0, 0, calls};
        return 1;
    }
    size_t windows = keep / LEAST_WINDOW < MOST_WINDOWS ? keep / LEAST_WINDOW : MOST_WINDOWS;
    windows = windows ? windows : 1;
    size_t length = keep / windows ? keep / windows : 1;
    *out = kt_resize(NULL, windows + must_haves, sizeof **out);
    for (size_t i = 0; i < windows; i++) {
        size_t lo = calls / windows * i;
        size_t first = lo + kt_random(&state) % (calls / windows - length + 1);
        (*out)[i] = (struct kt_window){first, first ? first + length / LEAD_PART : 0, first + length};
    }
    for (size_t i = 0; i < must_haves; i++)
        (*out)[windows + i] = (struct kt_window){before(must_have[i], SHORT_LEAD), must_have[i], must_have[i] + 1};
    return join(*out, windows + must_haves);
}
