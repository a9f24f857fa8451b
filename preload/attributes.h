/* SPDX-License-Identifier: BSD-3-Clause */
/* How functions of the shim are compiled, and what the processor is told of conditions. */
#ifndef KT_ATTRIBUTES_H
#define KT_ATTRIBUTES_H

#define KT_EXPORT __attribute__((visibility("default")))
#define KT_HIDDEN __attribute__((visibility("hidden")))
#define KT_COLD   __attribute__((cold, noinline))
/* AddressSanitizer rightly asks why. */
#ifdef __SANITIZE_ADDRESS__
#define KT_READS_DEAD_STACK __attribute__((no_sanitize_address, noinline))
#else
#define KT_READS_DEAD_STACK
#endif
#ifdef __SANITIZE_THREAD__
#define KT_WRITES_UNSEEN __attribute__((no_sanitize_thread, noinline))
#else
#define KT_WRITES_UNSEEN
#endif
#define KT_LIKELY(x)   __builtin_expect(!!(x), 1)
#define KT_UNLIKELY(x) __builtin_expect(!!(x), 0)

#endif
