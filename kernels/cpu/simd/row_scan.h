/* SPDX-License-Identifier: MIT */
/* What row_scan.c takes from row_scan_io.c and row_scan_exact.c for one instruction set. */
#ifndef GF_KERNELS_CPU_ROW_SCAN_H
#define GF_KERNELS_CPU_ROW_SCAN_H

#include "row_isa.h"
#include "scan_rows.h"

/* Members of struct gf_cpu_scan_rows. */
void GF_ISA_NAME(gf_cpu_scan_load)(uint32_t dtype, const void *at, ptrdiff_t stride, size_t n, union gf_scan_value *to);
void GF_ISA_NAME(gf_cpu_scan_store)(uint32_t dtype, const union gf_scan_value *from, size_t n, void *at,
                                    ptrdiff_t stride);
size_t GF_ISA_NAME(gf_cpu_scan_run)(uint32_t what, uint32_t dtype, const struct gf_scan_limits *limits,
                                    union gf_scan_value *carry, union gf_scan_value *x, size_t n);
union gf_scan_value GF_ISA_NAME(gf_cpu_scan_fold)(uint32_t what, uint32_t dtype, union gf_scan_value carry,
                                                  const union gf_scan_value *x, size_t n);
size_t GF_ISA_NAME(gf_cpu_scan_run_across)(uint32_t what, uint32_t dtype, const struct gf_scan_limits *limits,
                                           union gf_scan_value *carries, union gf_scan_value *x, size_t n);

/* The whole table, from row_scan.c. */
extern const struct gf_cpu_scan_rows GF_ISA_NAME(gf_cpu_scan_rows);

#endif
