/* SPDX-License-Identifier: MIT */
/* Scans on the CPU: what scan.c, scan_blocks.c and scan_columns.c share. */
#ifndef GF_KERNELS_CPU_SCAN_LINES_H
#define GF_KERNELS_CPU_SCAN_LINES_H

#include "cpu_ops.h"

/* A scan that runs. */
struct gf_cpu_scan {
    struct gf_scan scan;
    const struct gf_cpu_call *call;
    const struct gf_cpu_scan_rows *rows;
    struct gf_scan_factors factors;
    struct gf_scan_limits limits;
    bool tree;         /* f64 sum, product and the recurrence: the order counts */
    uint64_t overflow; /* atomic: sequence * length + index of the first result that does not fit, else UINT64_MAX */
    uint32_t stop;     /* atomic: enum gf_status of a job that has to end */
};

/* Runs one pass. RESULT_OVERFLOW, CANCELLED, DEADLINE, NO_MEMORY. In scan_lines.c, as all without a remark. */
enum gf_status gf_cpu_scan_run(const struct gf_cpu_call *call, const struct gf_scan *scan, struct gf_error *err);

/* Sequences along rows or through the whole image: in scan_blocks.c. Columns: in scan_columns.c. */
enum gf_status gf_cpu_scan_blocks(struct gf_cpu_scan *run, struct gf_error *err);
void gf_cpu_scan_columns(struct gf_cpu_scan *run);

/* True when the job has to end; any thread. */
bool gf_cpu_scan_stopped(struct gf_cpu_scan *run);
/* Notes a result that does not fit; any thread. */
void gf_cpu_scan_overflow(struct gf_cpu_scan *run, uint64_t sequence, uint64_t index);
/* What every loaded element goes through: square, or the factor b. */
void gf_cpu_scan_prepare(const struct gf_scan *scan, union gf_scan_value *x, size_t n);

#endif
