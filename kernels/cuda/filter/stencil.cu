/* SPDX-License-Identifier: MIT */
/* Built-in 3 x 3 masks over any samples. Planned by mask_plan.c for sharpen, emboss, laplacian, sobel, scharr and
 * prewitt, where no kernel over stored samples exists. */
#include "stencil.cuh"

extern "C" cudaError_t gf_cuda_stencil_launch(const struct gf_cuda_filter_pass *pass, struct gf_cuda_row_chunk rows,
                                              cudaStream_t stream)
{
    return pass->stencil.n_chains == 2 ? gf::launch_stencil_of(pass, pass->stencil.gradient, rows, stream)
                                       : gf::launch_stencil_of(pass, pass->stencil.chains[0], rows, stream);
}
