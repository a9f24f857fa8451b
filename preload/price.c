/* SPDX-License-Identifier: BSD-3-Clause */
#include "preload/price.h"

uint64_t kt_prices[KT_PRICE_COUNT];

uint64_t kt_price_of_call(void)
{
    return (kt_prices[KT_PRICE_COMPILED] + kt_prices[KT_PRICE_TRAMPOLINE]) / (2 * KT_PRICE_FRACTIONS);
}

void kt_price_fields(struct kt_line *line)
{
    static const char *const name[] = {
#define KT_PRICE_NAME(name, text) text,
        KT_PRICES(KT_PRICE_NAME)
#undef KT_PRICE_NAME
    };
    for (int i = 0; i < KT_PRICE_COUNT; i++) {
        kt_line_raw(line, name[i]);
        kt_line_raw(line, "\t");
        kt_line_unsigned(line, kt_prices[i] / KT_PRICE_FRACTIONS, 10);
        kt_line_raw(line, ".");
        kt_line_unsigned(line, kt_prices[i] % KT_PRICE_FRACTIONS, 10);
        kt_line_raw(line, "\n");
    }
}
