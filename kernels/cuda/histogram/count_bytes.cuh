/* SPDX-License-Identifier: MIT */
/*
 * Counting samples of 8 bits by value, in one launch of count_bytes.cu that also makes a histogram or tables of the
 * counts. Included by histogram.cu and intensity.cuh, which say what to make.
 */
#ifndef GF_CUDA_COUNT_BYTES_CUH
#define GF_CUDA_COUNT_BYTES_CUH

#include "bin_outputs.cuh"

namespace gf
{

constexpr uint32_t byte_values = 256;
/* Bins that the last block has shared memory for. */
constexpr uint32_t few_bins = 4096;

/* All outputs of a histogram of at most few_bins bins. */
struct FewBins {
    BinOutputs to;
    uint32_t dtype;
    bool of_data; /* the bins cover the data; else to.bins.given are the bins */
};

/* The counts of bins, `n` + GF_BINS_EXTRA per plane, all 0 before. */
struct Fold {
    struct gf_cuda_bins bins;
    uint32_t n, planes, dtype;
    unsigned long long *counts;
};

/* A table of new values per plane, 256 bytes each, for gf_cuda_lookup_bytes. */
struct ByteTables {
    uint8_t *tables;
    uint64_t samples; /* of a plane */
    uint32_t planes;
};

/* What the last block makes of the counts. */
struct FinishBytes {
    enum What { histogram, fold, equalize, otsu, contrast } what;
    union {
        FewBins few;
        Fold bins;
        ByteTables tables; /* of equalize, otsu and contrast */
    };
};

/* Counts the first s.planes channels of samples of 8 bits. */
cudaError_t count_bytes(const struct gf_cuda_call *call, const struct gf_cuda_samples &s, const FinishBytes &finish);

} // namespace gf

#endif
