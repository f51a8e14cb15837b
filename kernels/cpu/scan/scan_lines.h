/* SPDX-License-Identifier: MIT */
/* Scans on the CPU: what scan.c and the scan_*.c share. */
#ifndef GF_KERNELS_CPU_SCAN_LINES_H
#define GF_KERNELS_CPU_SCAN_LINES_H

#include "kernels/cpu/device/cpu_ops.h"
#include "kernels/cpu/simd/simd_samples.h"
#include "simd_scan.h"

/* A scan that runs. */
struct gf_cpu_scan {
    struct gf_scan scan;
    const struct gf_cpu_call *call;
    const struct gf_simd_scan *simd;
    struct gf_scan_factors factors;
    struct gf_scan_limits limits;
    bool tree;         /* f64 sum, product and the recurrence: the order counts */
    uint64_t overflow; /* atomic: sequence * length + index of the first result that does not fit, else UINT64_MAX */
    struct gf_cpu_stop stop;
};

/* One sequence: elements start ... start + length - 1 of its line. */
struct gf_cpu_sequence {
    uint64_t number; /* as kernels/shared/scan.h counts */
    uint64_t y, channel;
    uint64_t start, length;
};

#define GF_SCAN_SHORT (GF_SCAN_ROW * GF_SCAN_GROUP) /* sequences up to here have a tree of one group */
#define GF_SCAN_SPLIT (64u * GF_SCAN_BLOCK)         /* longer ones may be computed by several threads */

/* Runs one pass. RESULT_OVERFLOW, CANCELLED, DEADLINE, NO_MEMORY. In scan_lines.c, as all without a remark. */
enum gf_status gf_cpu_scan_run(const struct gf_cpu_call *call, const struct gf_scan *scan, struct gf_error *err);

/* Sequences along rows or through the whole image: in scan_blocks.c. Columns: in scan_columns.c. */
enum gf_status gf_cpu_scan_blocks(struct gf_cpu_scan *run, struct gf_error *err);
void gf_cpu_scan_columns(struct gf_cpu_scan *run);
/* Segments: in scan_segments.c. */
enum gf_status gf_cpu_scan_segments(struct gf_cpu_scan *run, struct gf_error *err);

/* One sequence on this thread, and one with all threads of the pool: in scan_blocks.c. */
void gf_cpu_scan_sequence(struct gf_cpu_scan *run, const struct gf_cpu_sequence *sequence);
enum gf_status gf_cpu_scan_split(struct gf_cpu_scan *run, const struct gf_cpu_sequence *sequence, struct gf_error *err);

/* Elements of a sequence, in its order, from memory (through prepare) and back. */
void gf_cpu_scan_load(const struct gf_cpu_scan *run, const struct gf_cpu_sequence *sequence, uint64_t index, size_t n,
                      union gf_scan_value *x);
void gf_cpu_scan_store(const struct gf_cpu_scan *run, const struct gf_cpu_sequence *sequence, uint64_t index, size_t n,
                       const union gf_scan_value *x);
/* What only the first element of a sequence goes through: the recurrence's initial result. */
void gf_cpu_scan_begin(const struct gf_scan *scan, union gf_scan_value *x);
/* What stands before the first element where the order does not count. */
union gf_scan_value gf_cpu_scan_carry(const struct gf_scan *scan);
/* The elements of a whole sequence of 1 to GF_SCAN_SHORT become its results. */
void gf_cpu_scan_short(struct gf_cpu_scan *run, uint64_t number, union gf_scan_value *x, size_t n);

/* Notes a result that does not fit; any thread. */
void gf_cpu_scan_overflow(struct gf_cpu_scan *run, uint64_t sequence, uint64_t index);
/* What every loaded element goes through: square, or the factor b. */
void gf_cpu_scan_prepare(const struct gf_scan *scan, union gf_scan_value *x, size_t n);

#endif
