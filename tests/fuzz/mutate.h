/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Damage that knows the format: what it leaves whole lets the rest reach further into the reader than random bytes do.
 */
#ifndef KT_FUZZ_MUTATE_H
#define KT_FUZZ_MUTATE_H

#include <stddef.h>
#include <stdint.h>

/* Random numbers; the same state gives the same ones. Never 0. */
uint64_t kt_draw(uint64_t *random, uint64_t below);

/* All change SIZE bytes in a buffer with more ROOM and return the new size, which may be 0. */
size_t kt_mutate_text(unsigned char *bytes, size_t size, size_t room, uint64_t *random);
size_t kt_mutate_spec(unsigned char *bytes, size_t size, size_t room, uint64_t *random);
size_t kt_mutate_stream(unsigned char *bytes, size_t size, size_t room, uint64_t *random);
size_t kt_mutate_profile(unsigned char *bytes, size_t size, size_t room, uint64_t *random);

size_t kt_mutate_json(unsigned char *bytes, size_t size, size_t room, uint64_t *random);

/* Replaces LENGTH bytes at AT by others, which may lie in the same buffer; no change if there is no room. */
size_t kt_mutate_replace(unsigned char *bytes, size_t size, size_t room, size_t at, size_t length, const void *by,
                         size_t by_length);
/* A number near one that is the limit of something. */
uint64_t kt_mutate_limit(uint64_t *random);

/* Anything at all. */
size_t kt_mutate_bytes(unsigned char *bytes, size_t size, size_t room, uint64_t *random);

typedef size_t kt_mutator(unsigned char *bytes, size_t size, size_t room, uint64_t *random);
/* That file of an input. */
size_t kt_mutate_file(unsigned char *data, size_t size, size_t room, uint64_t *random, int file, kt_mutator *mutator);

/* Files FIRST to LAST of an input (tests/fuzz/input.h), rarely whether they are there. */
size_t kt_mutate_input(unsigned char *data, size_t size, size_t room, unsigned seed, int first, int last);

#endif
