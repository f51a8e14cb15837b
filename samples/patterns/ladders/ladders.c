/* SPDX-License-Identifier: MIT */
/* All ladders, in the order in which to read them. */
#include "samples/patterns/patterns.h"

extern const struct ladder g_first_steps;
extern const struct ladder g_indexing;
extern const struct ladder g_coalescing;
extern const struct ladder g_bank_conflicts;
extern const struct ladder g_convolution_1d;
extern const struct ladder g_convolution_2d;
extern const struct ladder g_reuse_1d;
extern const struct ladder g_reuse_2d;
extern const struct ladder g_reduction;
extern const struct ladder g_reduction_operators;
extern const struct ladder g_scan;
extern const struct ladder g_scan_uses;
extern const struct ladder g_histogram;
extern const struct ladder g_text_histogram;
extern const struct ladder g_atomics;
extern const struct ladder g_matrix_product;
extern const struct ladder g_blocks;
extern const struct ladder g_uneven_tasks;
extern const struct ladder g_device;

const struct ladder *const g_ladders[] = {
    &g_first_steps,    &g_indexing,  &g_coalescing,   &g_bank_conflicts, &g_convolution_1d,
    &g_convolution_2d, &g_reuse_1d,  &g_reuse_2d,     &g_reduction,      &g_reduction_operators,
    &g_scan,           &g_scan_uses, &g_histogram,    &g_text_histogram, &g_atomics,
    &g_matrix_product, &g_blocks,    &g_uneven_tasks, &g_device};
const size_t g_n_ladders = sizeof(g_ladders) / sizeof(g_ladders[0]);
