/* SPDX-License-Identifier: MIT */
/* Kernels that loop over their units, so that a launch may have any number of blocks, in launches that are cut so that
 * the host can look for a stop in between. Included by those of region and by pyramid.cu. */
#ifndef GF_CUDA_LAUNCHES_CUH
#define GF_CUDA_LAUNCHES_CUH

#include "kernels/cuda/device/cuda_launch.h"
#include "kernels/cuda/device/cuda_status.h"
#include "kernels/cuda/step/cuda_call.h"

namespace gf
{

/* Units [first, end) of a kernel. */
struct Range {
    uint64_t first, end;
};

/* Units of a kernel: `each` for a block at a time, `bytes` of memory for each; what to say where it cannot start; how
 * many a launch has at the least. */
struct Units {
    uint64_t n;
    uint32_t each;
    uint64_t bytes;
    const char *what;
    uint64_t least = 1;
};

/* Calls launch(grid, range) for all units, in as many launches as let the host look for a stop in between. */
template <class F>
enum gf_status in_launches(struct gf_cuda_call *call, const Units &units, struct gf_error *err, F &&launch)
{
    const uint64_t fit = GF_CUDA_WORK_UNIT_BYTES / units.bytes, limit = fit > units.least ? fit : units.least;
    for (Range range = {}; range.first < units.n; range.first = range.end) {
        range.end = range.first + (units.n - range.first < limit ? units.n - range.first : limit);
        const uint64_t n = range.end - range.first;
        const enum gf_status status = gf_cuda_go_on(call->exec, call->job, n * units.bytes, err);
        if (status != GF_OK)
            return status;
        launch(gf_cuda_grid((n + units.each - 1) / units.each), range);
        const cudaError_t error = cudaPeekAtLastError();
        if (error != cudaSuccess)
            return gf_cuda_status(error, units.what, err);
    }
    return GF_OK;
}

} // namespace gf

#endif
