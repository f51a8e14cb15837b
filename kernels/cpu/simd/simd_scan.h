/* SPDX-License-Identifier: MIT */
/* What simd_scan.c takes from simd_scan_io.c and simd_scan_exact.c for one instruction set. */
#ifndef GF_KERNELS_CPU_SIMD_SCAN_H
#define GF_KERNELS_CPU_SIMD_SCAN_H

#include "simd_isa.h"
#include "simd_scan_table.h"

/* Members of struct gf_simd_scan_table. */
void GF_ISA_NAME(gf_cpu_scan_load)(uint32_t dtype, const void *at, ptrdiff_t stride, size_t n, union gf_scan_value *to);
void GF_ISA_NAME(gf_cpu_scan_store)(uint32_t dtype, const union gf_scan_value *from, size_t n, void *at,
                                    ptrdiff_t stride);
size_t GF_ISA_NAME(gf_cpu_scan_run)(uint32_t what, uint32_t dtype, const struct gf_scan_limits *limits,
                                    union gf_scan_value *carry, union gf_scan_value *x, size_t n);
union gf_scan_value GF_ISA_NAME(gf_cpu_scan_fold)(uint32_t what, uint32_t dtype, union gf_scan_value carry,
                                                  const union gf_scan_value *x, size_t n);
size_t GF_ISA_NAME(gf_cpu_scan_run_across)(uint32_t what, uint32_t dtype, const struct gf_scan_limits *limits,
                                           union gf_scan_value *carries, union gf_scan_value *x, size_t n);

/* The whole table, from simd_scan.c. */
extern const struct gf_simd_scan_table GF_ISA_NAME(gf_simd_scan_table);

#endif
