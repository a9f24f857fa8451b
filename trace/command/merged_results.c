/* SPDX-License-Identifier: BSD-3-Clause */
#include "trace/command/merged_results.h"

kt_results_merger *kt_merge_results;
kt_stores_merger *kt_merge_stores;
