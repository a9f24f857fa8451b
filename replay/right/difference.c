/* SPDX-License-Identifier: BSD-3-Clause */
#include "replay/right/difference.h"

#include "trace/base/random.h"

#include <float.h>
#include <math.h>
#include <string.h>

static bool is_integer(const struct kt_operand *o)
{
    return o->arg && o->arg->type == KT_I;
}

static double load(const unsigned char *at, size_t bytes)
{
    float single;
    double wide;
    memcpy(&single, at, sizeof single);
    if (bytes == sizeof single)
        return single;
    memcpy(&wide, at, sizeof wide);
    return wide;
}

static void compare_number(const unsigned char *reference, const unsigned char *other, size_t bytes,
                           struct kt_difference *out, int64_t run, int64_t element)
{
    double a = load(reference, bytes);
    double b = load(other, bytes);
    if (!isfinite(a))
        return;
    out->largest = fmax(out->largest, fabs(a));
    double difference = isfinite(b) ? fabs(a - b) : INFINITY;
    if (difference > out->difference) {
        out->difference = difference;
        out->run = run;
        out->element = element;
    }
}

static void compare_element(const struct kt_operand *o, const unsigned char *reference, const unsigned char *other,
                            struct kt_difference *out, int64_t run, int64_t element)
{
    size_t bytes = kt_operand_number_bytes(o);
    if (is_integer(o)) {
        if (!out->integers && memcmp(reference, other, o->elem) != 0) {
            out->integers = true;
            out->run = run;
            out->element = element;
        }
        return;
    }
    for (size_t part = 0; part < o->elem; part += bytes)
        compare_number(reference + part, other + part, bytes, out, run, element);
}

static bool is_filled(const unsigned char *at, size_t bytes, int filling)
{
    for (size_t i = 0; i < bytes; i++)
        if (at[i] != filling)
            return false;
    return true;
}

void kt_difference_find(const struct kt_operand *o, const struct kt_image *reference, const struct kt_image *other,
                        int filling, struct kt_difference *out)
{
    int64_t runs = o->lo == o->hi ? 0 : kt_operand_runs(o);
    *out = (struct kt_difference){0};
    for (int64_t run = 0; run < runs; run++) {
        uint64_t lo, hi;
        kt_operand_run(o, run, &lo, &hi);
        for (int64_t i = 0; lo < hi; i++, lo += o->elem) {
            uint64_t at = lo - reference->start;
            if (!is_filled(reference->byte + at, o->elem, filling))
                compare_element(o, reference->byte + at, other->byte + at, out, run, i);
        }
    }
}

static void change(unsigned char *at, size_t bytes, bool up)
{
    if (bytes == sizeof(float)) {
        float x;
        memcpy(&x, at, sizeof x);
        x *= up ? 1 + FLT_EPSILON : 1 - FLT_EPSILON;
        memcpy(at, &x, sizeof x);
    } else {
        double x;
        memcpy(&x, at, sizeof x);
        x *= up ? 1 + DBL_EPSILON : 1 - DBL_EPSILON;
        memcpy(at, &x, sizeof x);
    }
}

void kt_inputs_change(const struct kt_operand *o, const struct kt_image *image, uint64_t *state)
{
    int64_t runs = o->lo == o->hi || is_integer(o) ? 0 : kt_operand_runs(o);
    size_t bytes = kt_operand_number_bytes(o);
    for (int64_t run = 0; run < runs; run++) {
        uint64_t lo, hi;
        kt_operand_run(o, run, &lo, &hi);
        for (; lo < hi; lo += bytes)
            change(image->byte + (lo - image->start), bytes, kt_random(state) & 1);
    }
}
