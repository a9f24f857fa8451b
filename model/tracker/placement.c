/* SPDX-License-Identifier: BSD-3-Clause */
#include "model/tracker/placement.h"

kt_placements_source *kt_placements;
