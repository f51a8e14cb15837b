/* SPDX-License-Identifier: MIT */
/*
 * Counts 8-bit samples by value and makes a histogram or tables from the counts, in one launch of count_bytes.cu.
 * Included by histogram.cu and intensity.cuh, which choose what to make.
 */
#ifndef GF_CUDA_COUNT_BYTES_CUH
#define GF_CUDA_COUNT_BYTES_CUH

#include "bin_outputs.cuh"

namespace gf
{

constexpr uint32_t byte_values = 256;
/* The largest number of bins for which the last block has shared memory. */
constexpr uint32_t few_bins = 4096;

/* The outputs of a histogram of at most few_bins bins. */
struct FewBins {
    BinOutputs to;
    uint32_t dtype;
    bool of_data; /* the bins cover the data; otherwise they are to.bins.given */
};

/* Adds the counts of values to bins: `n` + GF_BINS_EXTRA counters per plane, which must be 0 before. */
struct Fold {
    struct gf_cuda_bins bins;
    uint32_t n, planes, dtype;
    unsigned long long *counts;
};

/* A table of new values per plane, 256 bytes each, for gf_cuda_lookup_bytes. */
struct ByteTables {
    uint8_t *tables;
    uint64_t samples; /* per plane */
    uint32_t planes;
};

/* What the last block makes from the counts. */
struct FinishBytes {
    enum What { histogram, fold, equalize, otsu, contrast } what;
    union {
        FewBins few;
        Fold bins;
        ByteTables tables; /* for equalize, otsu and contrast */
    };
};

/* Counts the first s.planes channels of 8-bit samples. */
cudaError_t count_bytes(const struct gf_cuda_call *call, const struct gf_cuda_samples &s, const FinishBytes &finish);

} // namespace gf

#endif
