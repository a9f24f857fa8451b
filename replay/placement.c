/* SPDX-License-Identifier: BSD-3-Clause */
#include "replay/placement.h"

kt_placements_source *kt_placements;
