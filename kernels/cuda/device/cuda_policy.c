/* SPDX-License-Identifier: MIT */
/* The policy of cuda_policy.h. */
#include "cuda_policy.h"

/* Measured on an H200 on PCIe 5. It serves every architecture until another is measured. */
const struct gf_cuda_policy gf_policy = {
    .direct_bytes = 256u << 10,
    .overlap_bytes = 2u << 20,
    .quick_bytes = 4u << 20,
    .quick_work = UINT64_C(1) << 29,
    .slab_bytes = 12u << 20,
    .chunk_bytes = 1u << 20,
    .light_chunk = 166e3,
    .heavy_chunk = 250e3,
    .heavy_cost = 125.0,
    .unit_work = 0x1p29,
    .unit_samples = 11u << 10,
};
