/* SPDX-License-Identifier: MIT */
/* What the files of match share: the arguments of their kernels, and their launches. Included by match.cu and
 * match_peaks.cu. */
#ifndef GF_CUDA_MATCH_CUH
#define GF_CUDA_MATCH_CUH

#include "kernels/cuda/device/cuda_status.h"
#include "kernels/cuda/step/launches.cuh"
#include "protocol/ops/enums.h"

namespace gf::match
{

using u64 = unsigned long long;

constexpr uint32_t threads = 256;

/* Sums over the template, which template_kernel adds by atomics. */
struct Template {
    u64 sums[GF_MAX_CHANNELS], squares;
};

struct Args {
    const uint8_t *src, *templ;
    size_t pitch, templ_pitch;
    uint32_t src_width, src_height, channels, w, h; /* w, h: of the template */
    uint32_t width, height;                         /* of the scores */
    uint32_t method;
    Template *sums;
    u64 *cross, *squares;  /* per score: window sums times template sums; the window's factor of the root's square */
    u64 *column_squares;   /* per pixel of a row: the sum over the rows under the template */
    uint32_t *column_sums; /* the same per sample */
    char *dst;
    size_t dst_pitch;
    u64 *keys;
    uint64_t n_keys;       /* room for keys */
    float threshold, sign; /* the better score has the greater product with sign */
    uint32_t has_threshold;
    double *found;
    uint32_t rows; /* rows of `found` */
    u64 *count;
};

using Kernel = void(const Args, const Range);

/* Launches all units of a kernel, with at least one unit per multiprocessor in a launch. */
inline enum gf_status start(struct gf_cuda_call *call, Kernel *kernel, const Args &a, uint64_t units, uint32_t each,
                            uint64_t bytes, struct gf_error *err)
{
    const uint64_t least = static_cast<uint64_t>(gf_cuda_units()) * each;
    return in_launches(
        call, {units, each, bytes, "starting to match", least}, err,
        [&](unsigned grid, const Range &range) { kernel<<<grid, threads, 0, call->exec->main>>>(a, range); });
}

/* Makes the table of peaks from the scores. */
enum gf_status start_peaks(struct gf_cuda_call *call, const Args &a, struct gf_error *err);

} // namespace gf::match

#endif
