/* SPDX-License-Identifier: MIT */
/* Scans on the CPU: declarations that scan.c and the scan_*.c files share. */
#ifndef GF_KERNELS_CPU_SCAN_LINES_H
#define GF_KERNELS_CPU_SCAN_LINES_H

#include "kernels/cpu/device/cpu_ops.h"
#include "kernels/cpu/simd/simd_samples.h"
#include "simd_scan.h"

/* A running scan. */
struct gf_cpu_scan {
    struct gf_scan scan;
    const struct gf_cpu_call *call;
    const struct gf_simd_scan *simd;
    struct gf_scan_factors factors;
    struct gf_scan_limits limits;
    bool tree; /* floating-point sum, product or recurrence: the order of operations matters, so the tree is used */
    uint64_t
        overflow; /* atomic: sequence * length + index of the first result that does not fit, otherwise UINT64_MAX */
    struct gf_cpu_stop stop;
};

/* One sequence: elements start ... start + length - 1 of its line. */
struct gf_cpu_sequence {
    uint64_t number; /* as counted in kernels/shared/scan.h */
    uint64_t y, channel;
    uint64_t start, length;
};

#define GF_SCAN_SHORT (GF_SCAN_ROW * GF_SCAN_GROUP) /* the tree of a sequence up to this length is one group */
#define GF_SCAN_SPLIT (64u * GF_SCAN_BLOCK)         /* several threads may share a longer sequence */

/* Runs one pass. RESULT_OVERFLOW, CANCELLED, DEADLINE, NO_MEMORY. In scan_lines.c, like all functions here unless
 * noted. */
enum gf_status gf_cpu_scan_run(const struct gf_cpu_call *call, const struct gf_scan *scan, struct gf_error *err);

/* Sequences along rows or through the whole image, in scan_blocks.c; columns, in scan_columns.c. */
enum gf_status gf_cpu_scan_blocks(struct gf_cpu_scan *run, struct gf_error *err);
void gf_cpu_scan_columns(struct gf_cpu_scan *run);
/* Segments, in scan_segments.c. */
enum gf_status gf_cpu_scan_segments(struct gf_cpu_scan *run, struct gf_error *err);

/* Scans one sequence on this thread, or on all threads of the pool. In scan_blocks.c. */
void gf_cpu_scan_sequence(struct gf_cpu_scan *run, const struct gf_cpu_sequence *sequence);
enum gf_status gf_cpu_scan_split(struct gf_cpu_scan *run, const struct gf_cpu_sequence *sequence, struct gf_error *err);

/* Loads elements of a sequence, in its order, through gf_cpu_scan_prepare, and stores results. */
void gf_cpu_scan_load(const struct gf_cpu_scan *run, const struct gf_cpu_sequence *sequence, uint64_t index, size_t n,
                      union gf_scan_value *x);
void gf_cpu_scan_store(const struct gf_cpu_scan *run, const struct gf_cpu_sequence *sequence, uint64_t index, size_t n,
                       const union gf_scan_value *x);
/* Applies the recurrence's initial result to the first element of a sequence. */
void gf_cpu_scan_begin(const struct gf_scan *scan, union gf_scan_value *x);
/* The initial carry of an exact scan: its init, or the neutral element. */
union gf_scan_value gf_cpu_scan_carry(const struct gf_scan *scan);
/* Scans a whole sequence of 1 to GF_SCAN_SHORT elements in place. */
void gf_cpu_scan_short(struct gf_cpu_scan *run, uint64_t number, union gf_scan_value *x, size_t n);

/* Records a result that does not fit. Any thread. */
void gf_cpu_scan_overflow(struct gf_cpu_scan *run, uint64_t sequence, uint64_t index);
/* Prepares loaded elements: squares them, or multiplies them by the factor b. */
void gf_cpu_scan_prepare(const struct gf_scan *scan, union gf_scan_value *x, size_t n);

#endif
