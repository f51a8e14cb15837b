/* SPDX-License-Identifier: MIT */
/* Built-in 3 x 3 masks over any samples. Planned by mask_plan.c for sharpen, emboss, laplacian, sobel, scharr and
 * prewitt, where no kernel over stored samples exists. */
#include "stencil.cuh"

extern "C" cudaError_t gf_cuda_stencil_launch(const struct gf_cuda_filter_pass *pass, struct gf_cuda_row_chunk rows,
                                              cudaStream_t stream)
{
    const struct gf_cuda_stencil &stencil = pass->stencil;
    if (stencil.what == GF_CUDA_MAGNITUDE)
        return gf::launch_stencil_of(pass, stencil.gradient, rows, stream);
    if (stencil.what == GF_CUDA_TAPS)
        return gf::launch_stencil_of(pass, stencil.chains[0], rows, stream);
    const gf::slope slope = {stencil.gradient, stencil.what == GF_CUDA_ACROSS};
    return gf::launch_stencil_of(pass, slope, rows, stream);
}
