/* SPDX-License-Identifier: MIT */
/* Launches of kernels with a grid-stride loop over work units. The grid may have any size, and the work is split into
 * several launches, so that the host can check for a stop in between. Included by the kernels of region/, by
 * pyramid.cu and by select.cu. */
#ifndef GF_CUDA_LAUNCHES_CUH
#define GF_CUDA_LAUNCHES_CUH

#include "kernels/cuda/device/cuda_launch.h"
#include "kernels/cuda/device/cuda_status.h"
#include "kernels/cuda/step/cuda_call.h"

namespace gf
{

/* Work units [first, end) of a kernel. */
struct Range {
    uint64_t first, end;
};

/* The work units of a kernel: `each` units per block at a time, `bytes` of memory per unit, `what` for the error text,
 * and the `least` units per launch. */
struct Units {
    uint64_t n;
    uint32_t each;
    uint64_t bytes;
    const char *what;
    uint64_t least = 1;
};

/* Calls launch(grid, range) for all work units, in enough launches for the host to check for a stop in between. */
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
