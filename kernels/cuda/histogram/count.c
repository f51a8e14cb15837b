/* SPDX-License-Identifier: MIT */
/*
 * Counts samples by bin on CUDA, and chooses where the counters are: in shared memory if they fit (count_shared.cu);
 * there with 16 bits each if they fit that way (count_pairs.cu); there, split among at most max_parts blocks
 * (count_shared.cu); otherwise in global memory (count_global.cu). Counts are integers, so the order of additions does
 * not matter. Called by histogram.cu, threshold.cu and equalize.cu.
 */
#include "count.h"
#include "count_bins.h"
#include "kernels/cuda/device/cuda_launch.h"

static const uint64_t max_parts = 4;
static const size_t static_bytes = 256;               /* static shared memory of the kernels, at most */
static const uint64_t banks = 32;                     /* of shared memory */
static const uint32_t max_met = 8192, min_met = 1024; /* entries of MetTable */

/* The size of an edge in the type that samples are compared in: Edge in bin_search.cuh. */
static uint64_t edge_bytes(uint32_t dtype)
{
    return dtype == GF_F32 || gf_dtype_size(dtype) <= 2 ? sizeof(float) : sizeof(double);
}

/* log2 of the number of copies, at most 5: as many as fit, but no more counters in all than samples. */
static uint32_t replicas(uint64_t counters, uint64_t shared_bytes, uint64_t samples)
{
    uint32_t shift = 0;
    while (shift < 5 && (counters << (shift + 1)) * sizeof(uint32_t) <= shared_bytes &&
           (counters << (shift + 1)) <= samples)
        shift++;
    return shift;
}

/* Lays out `counters` counters of `planes` planes in `shared_bytes` bytes. parts is 0 if that is impossible or too
 * slow. */
static struct gf_cuda_count_layout layout_of(uint64_t counters, uint32_t planes, uint64_t edges, uint64_t samples,
                                             uint64_t shared_bytes)
{
    struct gf_cuda_count_layout layout = {.planes = planes};
    const uint64_t table = gf_round_up(edges, 16),
                   parts = (counters * sizeof(uint32_t) + shared_bytes - 1) / shared_bytes;
    if (parts > max_parts || samples < counters)
        return layout;
    layout.parts = (uint32_t)parts;
    layout.span = (uint32_t)((counters + parts - 1) / parts);
    if (layout.span * sizeof(uint32_t) + table <= shared_bytes)
        layout.table = (uint32_t)table;
    layout.shift = replicas(layout.span, shared_bytes - layout.table, samples);
    return layout;
}

/* The same with 16-bit counters. met is 0 if that is impossible or too slow. */
static struct gf_cuda_count_layout pairs_of(uint64_t counters, uint32_t planes, uint64_t samples, uint64_t shared_bytes)
{
    struct gf_cuda_count_layout layout = {.planes = planes, .parts = 1, .span = (uint32_t)counters};
    const uint64_t words = (counters / 2 + banks) / banks * banks, entry = 2 * sizeof(uint32_t);
    uint32_t met = max_met;
    while (met >= min_met && words * sizeof(uint32_t) + met * entry > shared_bytes)
        met /= 2;
    layout.words = (uint32_t)words;
    if (met >= min_met && samples >= counters && samples <= UINT32_MAX)
        layout.met = met;
    return layout;
}

cudaError_t gf_cuda_count_bins(const struct gf_cuda_call *call, const struct gf_cuda_samples *s,
                               const struct gf_cuda_bins *bins, uint32_t n_bins, bool same, uint64_t *counts)
{
    const uint64_t slots = n_bins + GF_BINS_EXTRA, samples = s->row_samples * s->rows;
    const uint64_t shared_bytes = gf_cuda_shared_memory_max() - static_bytes;
    const uint32_t planes = same ? s->planes : 1, groups[] = {planes, 1};
    const struct gf_cuda_count_layout layout =
        layout_of(slots * planes, planes, (n_bins + 1ull) * edge_bytes(s->dtype), samples, shared_bytes);
    for (int i = 0; i < 2 && layout.parts != 1 && gf_cuda_count_has_pairs(s->dtype); i++) {
        const struct gf_cuda_count_layout pairs = pairs_of(slots * groups[i], groups[i], samples, shared_bytes);
        if (pairs.met != 0)
            return gf_cuda_count_pairs(call, s, bins, &pairs, counts);
    }
    return layout.parts != 0 ? gf_cuda_count_shared(call, s, bins, &layout, counts)
                             : gf_cuda_count_global(call, s, bins, counts);
}

cudaError_t gf_cuda_count_prepare(void)
{
    const int shared_bytes = (int)(gf_cuda_shared_memory_max() - static_bytes);
    cudaError_t error = gf_cuda_count_shared_prepare(shared_bytes);
    if (error == cudaSuccess)
        error = gf_cuda_count_pairs_prepare(shared_bytes);
    return error == cudaSuccess ? gf_cuda_count_bytes_prepare() : error;
}
