/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * For tests that judge how long something took. What a sanitizer does is in every time, so such a test has nothing to
 * say in a sanitized build. Include it behind cmocka.h.
 */
#ifndef KT_TESTS_UNIT_TIMING_H
#define KT_TESTS_UNIT_TIMING_H

#ifdef __has_feature /* clang's way to tell */
#define KT_HAS_SANITIZER (__has_feature(address_sanitizer) || __has_feature(thread_sanitizer))
#elif defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define KT_HAS_SANITIZER 1
#else
#define KT_HAS_SANITIZER 0
#endif

/* The first line of such a test. */
#define judges_times()        \
    do {                      \
        if (KT_HAS_SANITIZER) \
            skip();           \
    } while (0)

#endif
