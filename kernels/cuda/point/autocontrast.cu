/* SPDX-License-Identifier: MIT */
/* Autocontrast on CUDA: finds the range of each channel, then maps the samples. Runs entirely on the device. Called
 * through the op's row. */
#include "intensity.cuh"
#include "kernels/cuda/device/sync.cuh"
#include "kernels/cuda/histogram/sample_keys.cuh"
#include "protocol/ops/params/autocontrast.h"

namespace
{

using namespace gf;

struct Contrast16 {
    struct Shared {
        uint32_t lo[GF_MAX_CHANNELS], hi[GF_MAX_CHANNELS]; /* biased: the type's minimum is 0 */
    };
    const uint64_t *extremes;
    uint32_t planes;
    uint32_t sign; /* from sign_bits() */

    __device__ __forceinline__ void prepare(Shared &shared) const
    {
        if (threadIdx.x >= planes)
            return;
        const uint64_t *own = extremes + threadIdx.x * GF_CUDA_EXTREMES;
        const Range range = sign != 0 ? range_of(int16_t{0}, own) : range_of(uint16_t{0}, own);
        shared.lo[threadIdx.x] = static_cast<uint32_t>(static_cast<int>(range.lo) + static_cast<int>(sign));
        shared.hi[threadIdx.x] = static_cast<uint32_t>(static_cast<int>(range.hi) + static_cast<int>(sign));
    }
    __device__ __forceinline__ uint16_t value(const Shared &shared, uint16_t v, uint32_t c) const
    {
        const uint32_t lo = shared.lo[c], hi = shared.hi[c];
        const uint32_t max = sign != 0 ? 32767 : 65535;
        return lo < hi ? static_cast<uint16_t>(gf_contrast_entry((v ^ sign) - lo, hi - lo, max)) : v;
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

cudaError_t start(const struct gf_cuda_call *call, const struct gf_cuda_samples &s, void *data)
{
    if (s.dtype == GF_U8)
        return intensity_by_tables(call, s, FinishBytes::contrast, data);
    auto *extremes = static_cast<uint64_t *>(data);
    cudaError_t error = cudaMemsetAsync(extremes, 0, GF_CUDA_EXTREMES * s.planes * sizeof(*extremes), call->exec->main);
    if (error == cudaSuccess)
        error = gf_cuda_find_extremes(call, &s, false, extremes);
    if (error != cudaSuccess)
        return error;
    if (s.dtype != GF_F32)
        return intensity_launch<uint16_t>(call, s, Contrast16{extremes, s.planes, sign_bits(s.dtype)});
    const bool propagate = gf_autocontrast_params_get(&call->step->params).nan == GF_NAN_PROPAGATE;
    return intensity_launch<float>(call, s, ContrastF32{extremes, s.planes, propagate});
}

} // namespace

extern "C" enum gf_status gf_cuda_autocontrast(struct gf_cuda_call *call, struct gf_error *err)
{
    struct gf_cuda_image *image = call->image[0];
    enum gf_status status = gf_cuda_require_all(call, image, err);
    if (status != GF_OK)
        return status;
    const uint32_t planes =
        gf_computed_channels(gf_autocontrast_params_get(&call->step->params).alpha, image->view.channels);
    const size_t table = byte_values, extremes = GF_CUDA_EXTREMES * sizeof(uint64_t);
    void *data = nullptr;
    status = gf_cuda_alloc(call->exec, planes * (table > extremes ? table : extremes), &data, err);
    if (status != GF_OK)
        return status;
    const cudaError_t error = start(call, gf_cuda_samples_both(call, planes), data);
    gf_cuda_free(call->exec, data);
    return gf_cuda_status(error, "stretching contrast", err);
}
