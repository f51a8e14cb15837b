/* SPDX-License-Identifier: MIT */
/* Work that is split into several launches, so that the host can check for a stop in between. Included by the kernels
 * of region/ and linalg/ and by pyramid.cu, select.cu and histogram2d.cu. */
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

/* Calls launch(range) for units 0 to n - 1, at most `limit` units at a time. Checks for a stop before each call, with
 * the cost of the units in bytes of memory. `what` is for the error text. */
template <class F>
enum gf_status in_parts(struct gf_cuda_call *call, uint64_t n, uint64_t limit, double unit_cost, const char *what,
                        struct gf_error *err, F &&launch)
{
    for (Range range = {}; range.first < n; range.first = range.end) {
        range.end = range.first + (n - range.first < limit ? n - range.first : limit);
        const double cost = unit_cost * static_cast<double>(range.end - range.first);
        enum gf_status status = gf_cuda_throttle(call->exec, call->job, static_cast<uint64_t>(cost), err);
        if (status != GF_OK)
            return status;
        launch(range);
        status = gf_cuda_status(cudaPeekAtLastError(), what, err);
        if (status != GF_OK)
            return status;
    }
    return GF_OK;
}

/* The work units of a kernel: `each` units per block at a time, `bytes` of memory per unit, `what` for the error text,
 * and the `least` units per launch. */
struct Units {
    uint64_t n;
    uint32_t each;
    uint64_t bytes;
    const char *what;
    uint64_t least = 1;
};

/* Calls launch(grid, range) for all work units of a kernel with a grid-stride loop, whose grid may have any size. */
template <class F>
enum gf_status in_launches(struct gf_cuda_call *call, const Units &units, struct gf_error *err, F &&launch)
{
    const uint64_t fit = GF_CUDA_WORK_UNIT_BYTES / units.bytes, limit = fit > units.least ? fit : units.least;
    return in_parts(call, units.n, limit, static_cast<double>(units.bytes), units.what, err, [&](const Range &range) {
        launch(gf_cuda_grid((range.end - range.first + units.each - 1) / units.each), range);
    });
}

} // namespace gf

#endif
