/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Functions that no exported name leads to: the program looked them up in a particular library, or the dynamic linker
 * bound them past us. Each gets a spare slot, and its stub is handed out instead.
 */
#ifndef KT_REDIRECT_H
#define KT_REDIRECT_H

#include "preload/binding.h"

/*
 * What to hand out in place of TARGET, a function that was found by the name of slot NAMED: a stub through which its
 * calls are recorded, whoever makes them, the same one every time; OTHERWISE if there is none left. Runs no code of the
 * library, which may not be initialised yet.
 */
KT_HIDDEN void *kt_redirect_stub(const struct kt_slot *named, void *target, void *otherwise);

#endif
