/* SPDX-License-Identifier: MIT */
/* The check of ops that refuse integers whose sums of products may overflow. Called by matmul.cu and conv1d.cu. */
#include <type_traits>

#include "kernels/cuda/device/cuda_launch.h"
#include "kernels/cuda/device/cuda_status.h"
#include "kernels/cuda/device/dispatch.cuh"
#include "kernels/cuda/device/sync.cuh"
#include "kernels/cuda/device/warp_reduce.cuh"
#include "kernels/cuda/memory/cuda_pool.h"
#include "kernels/cuda/step/cuda_ops.h"
#include "max_magnitude.h"

namespace
{

constexpr int threads = 256;
constexpr unsigned search_blocks = 1024;

template <class In> __device__ __forceinline__ unsigned magnitude_of(In v)
{
    if constexpr (std::is_signed_v<In>)
        return v < 0 ? 0u - static_cast<unsigned>(v) : static_cast<unsigned>(v);
    else
        return v;
}

/* Returns the greatest magnitude of the samples of this thread. */
template <class In>
__device__ __forceinline__ unsigned own_max_magnitude(const char *data, uint64_t pitch, uint64_t width, uint64_t height)
{
    const uint64_t stride = static_cast<uint64_t>(gridDim.x) * threads;
    const uint64_t across = (width + threads - 1) / threads * threads;
    unsigned highest = 0;
    for (uint64_t i = static_cast<uint64_t>(blockIdx.x) * threads + threadIdx.x; i < across * height; i += stride) {
        const uint64_t y = i / across, x = i % across;
        const unsigned m = x < width ? magnitude_of(reinterpret_cast<const In *>(data + y * pitch)[x]) : 0;
        highest = max(highest, m);
    }
    return highest;
}

/* Computes the greatest magnitude of rows of `width` samples, by atomicMax. */
__global__ void __launch_bounds__(threads)
    max_magnitude_kernel(const char *data, uint32_t dtype, uint64_t pitch, uint64_t width, uint64_t height,
                         unsigned long long *max_magnitude)
{
    unsigned highest = 0;
    gf_dispatch_any(dtype, [&](auto zero) {
        using In = decltype(zero);
        if constexpr (std::is_integral_v<In> && sizeof(In) <= sizeof(uint32_t))
            highest = own_max_magnitude<In>(data, pitch, width, height);
    });
    highest = gf_warp_max(highest); /* all lanes are here: the dtype is uniform */
    if (threadIdx.x % 32 == 0)
        gf_atomic_max(max_magnitude, static_cast<unsigned long long>(highest));
}

__global__ void refuse_kernel(const unsigned long long *max_magnitude, uint64_t min_magnitude, uint64_t limit,
                              uint64_t *fault)
{
    const unsigned long long product =
        max(max_magnitude[0], static_cast<unsigned long long>(min_magnitude)) * max_magnitude[1];
    if (product > limit)
        gf_atomic_min(reinterpret_cast<unsigned long long *>(fault), product);
}

void search(const struct gf_cuda_image *image, unsigned long long *word, cudaStream_t stream)
{
    const struct gf_view *v = &image->view;
    max_magnitude_kernel<<<gf_cuda_grid(search_blocks), threads, 0, stream>>>(
        static_cast<const char *>(image->data), v->dtype, v->pitch, v->width * v->channels, v->height, word);
}

} // namespace

extern "C" enum gf_status gf_cuda_refuse_products(struct gf_cuda_call *call, uint64_t min_magnitude, uint64_t limit,
                                                  gf_cuda_fault_fn *explain, struct gf_error *err)
{
    cudaStream_t stream = call->exec->main;
    void *max_magnitude = nullptr;
    uint64_t *fault = nullptr;
    enum gf_status status = gf_cuda_fault_word(call, explain, &fault, err);
    if (status == GF_OK)
        status = gf_cuda_alloc(call->exec, 2 * sizeof(unsigned long long), &max_magnitude, err);
    if (status != GF_OK)
        return status;
    auto *words = static_cast<unsigned long long *>(max_magnitude);
    cudaError_t error = cudaMemsetAsync(words, 0, 2 * sizeof(*words), stream);
    for (int i = 0; i < 2; i++)
        search(call->image[i], words + i, stream);
    refuse_kernel<<<1, 1, 0, stream>>>(words, min_magnitude, limit, fault);
    if (error == cudaSuccess)
        error = cudaPeekAtLastError();
    gf_cuda_free(call->exec, max_magnitude);
    return gf_cuda_status(error, "looking for the greatest magnitudes", err);
}
