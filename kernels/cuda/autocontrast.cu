/* SPDX-License-Identifier: MIT */
/* Autocontrast on CUDA: the range of each colour, then the map, all on the device. Called through the op's row. */
#include "tones.cuh"

namespace
{

using namespace gf;

/* Whole numbers of 8 bits: a table. */
struct Contrast8 {
    struct Shared {
        uint8_t v[GF_MAX_CHANNELS][256];
    };
    const uint64_t *extremes;
    uint32_t planes;

    __device__ __forceinline__ void prepare(Shared &shared) const
    {
        for (uint32_t i = threadIdx.x; i < planes * 256; i += blockDim.x) {
            const uint32_t c = i / 256, v = i % 256;
            const Range range = range_of(uint8_t{0}, extremes + c * GF_CUDA_EXTREMES);
            const uint32_t lo = static_cast<uint32_t>(range.lo), hi = static_cast<uint32_t>(range.hi);
            const bool change = lo < hi && lo <= v && v <= hi;
            shared.v[c][v] = static_cast<uint8_t>(change ? gf_contrast_entry(v, lo, hi, 255) : v);
        }
    }
    __device__ __forceinline__ uint8_t value(const Shared &shared, uint8_t v, uint32_t c) const
    {
        return shared.v[c][v];
    }
};

struct Contrast16 {
    struct Shared {
        uint32_t lo[GF_MAX_CHANNELS], hi[GF_MAX_CHANNELS];
    };
    const uint64_t *extremes;
    uint32_t planes;

    __device__ __forceinline__ void prepare(Shared &shared) const
    {
        if (threadIdx.x >= planes)
            return;
        const Range range = range_of(uint16_t{0}, extremes + threadIdx.x * GF_CUDA_EXTREMES);
        shared.lo[threadIdx.x] = static_cast<uint32_t>(range.lo);
        shared.hi[threadIdx.x] = static_cast<uint32_t>(range.hi);
    }
    __device__ __forceinline__ uint16_t value(const Shared &shared, uint16_t v, uint32_t c) const
    {
        const uint32_t lo = shared.lo[c], hi = shared.hi[c];
        return lo < hi ? static_cast<uint16_t>(gf_contrast_entry(v, lo, hi, 65535)) : v;
    }
};

struct ContrastF32 {
    struct Shared {
        bool change[GF_MAX_CHANNELS];
        float lo[GF_MAX_CHANNELS], slope[GF_MAX_CHANNELS];
    };
    const uint64_t *extremes;
    uint32_t planes;
    bool propagate;

    __device__ __forceinline__ void prepare(Shared &shared) const
    {
        const uint32_t c = threadIdx.x;
        if (c >= planes)
            return;
        const Range range = range_of(float{0}, extremes + c * GF_CUDA_EXTREMES);
        const float lo = static_cast<float>(range.lo), hi = static_cast<float>(range.hi);
        const bool lost = range.nan && propagate;
        shared.change[c] = lost || (range.any && lo != hi);
        shared.lo[c] = lost ? __int_as_float(0x7FC00000) : lo;
        shared.slope[c] = gf_contrast_slope(lo, hi);
    }
    __device__ __forceinline__ float value(const Shared &shared, float v, uint32_t c) const
    {
        return shared.change[c] ? __fmul_rn(__fsub_rn(v, shared.lo[c]), shared.slope[c]) : v;
    }
};

cudaError_t start(const struct gf_cuda_call *call, const struct gf_cuda_samples &s, uint64_t *extremes,
                  uint64_t *values)
{
    const size_t words = (GF_CUDA_EXTREMES + 256) * s.planes;
    cudaError_t error = cudaMemsetAsync(extremes, 0, words * sizeof(uint64_t), call->lane->main);
    if (error == cudaSuccess && s.dtype == GF_U8) {
        error = gf_cuda_count_bytes(call, &s, values);
        if (error == cudaSuccess)
            error = gf_cuda_extremes_of_bytes(call, &s, values, extremes);
        return error == cudaSuccess ? tone_launch<uint8_t>(call, s, Contrast8{extremes, s.planes}) : error;
    }
    if (error == cudaSuccess)
        error = gf_cuda_find_extremes(call, &s, false, extremes);
    if (error != cudaSuccess)
        return error;
    if (s.dtype == GF_U16)
        return tone_launch<uint16_t>(call, s, Contrast16{extremes, s.planes});
    const bool propagate = call->step->params.autocontrast.nan == GF_NAN_PROPAGATE;
    return tone_launch<float>(call, s, ContrastF32{extremes, s.planes, propagate});
}

} // namespace

extern "C" enum gf_status gf_cuda_autocontrast(struct gf_cuda_call *call, struct gf_error *err)
{
    struct gf_cuda_image *image = call->image[0];
    enum gf_status status = gf_cuda_need(call, image, image->view.height, err);
    if (status == GF_OK)
        status = gf_cuda_go_on(call->lane, call->job, gf_view_bytes(&image->view), err);
    if (status != GF_OK)
        return status;
    const uint32_t planes = tone_channels(image->view.channels, call->step->params.autocontrast.alpha);
    void *data = nullptr;
    status = gf_cuda_take(call->lane, (GF_CUDA_EXTREMES + 256) * planes * sizeof(uint64_t), &data, err);
    if (status != GF_OK)
        return status;
    uint64_t *extremes = static_cast<uint64_t *>(data);
    const cudaError_t error =
        start(call, gf_cuda_samples(image, planes, false), extremes, extremes + GF_CUDA_EXTREMES * planes);
    gf_cuda_give(call->lane, data);
    return gf_cuda_status(error, "stretching contrast", err);
}
