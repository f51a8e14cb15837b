/* SPDX-License-Identifier: MIT */
/*
 * Conversions of the elements of many sequences, one thread per element: from samples to keys, and from keys or numbers
 * to results. No thread reads what another thread writes. Called by order.c.
 *
 * Adjacent threads take elements that are adjacent in memory: for columns the samples of a row, for rows and whole
 * pictures the channels of a pixel.
 */
#include "kernels/cuda/device/cuda_launch.h"
#include "kernels/cuda/device/dispatch.cuh"
#include "order_samples.h"
#include "protocol/ops/enums.h"

namespace
{

constexpr uint32_t threads = 256, per_thread = 4;

/* An element of a batch: its sequence, and its index in the sequence. */
struct Element {
    uint32_t sequence, index;
};

/* Returns element t in memory order, where each sequence has `each` elements. */
__device__ __forceinline__ Element element_of(const struct gf_cuda_order_batch &batch, uint32_t t, uint32_t each)
{
    if (batch.lanes == 1 && batch.lines == 1)
        return {0, t};
    const uint32_t pixel = t / batch.lanes, lane = t - pixel * batch.lanes, line = pixel / each;
    return {line * batch.lanes + lane, pixel - line * each};
}

__device__ __forceinline__ char *place_of(const struct gf_cuda_order_lines &lines, uint64_t sequence, uint64_t index)
{
    const size_t pixel = lines.size * lines.channels;
    if (lines.axis == GF_AXIS_COLS)
        return lines.data + index * lines.pitch + sequence * lines.size;
    if (lines.axis == GF_AXIS_ROWS) {
        const uint64_t row = sequence / lines.channels, channel = sequence - row * lines.channels;
        return lines.data + row * lines.pitch + index * pixel + channel * lines.size;
    }
    if (lines.flat)
        return lines.data + index * pixel + sequence * lines.size;
    const uint64_t row = index / lines.width;
    return lines.data + row * lines.pitch + (index - row * lines.width) * pixel + sequence * lines.size;
}

__device__ __forceinline__ uint64_t load(const char *at, uint32_t size)
{
    return gf_dispatch_size(size, [&](auto zero) -> uint64_t { return *reinterpret_cast<const decltype(zero) *>(at); });
}

__device__ __forceinline__ void store(char *at, uint32_t size, uint64_t bits)
{
    gf_dispatch_size(size, [&](auto zero) {
        *reinterpret_cast<decltype(zero) *>(at) = static_cast<decltype(zero)>(bits);
        return 0;
    });
}

/* Returns the bits of a float as keys hold them: f16 as f32, NaN canonical. */
__device__ __forceinline__ uint64_t widened(uint64_t bits, uint32_t size)
{
    if (size != 2)
        return gf_order_stored(bits, size);
    const float wide = __half2float(__ushort_as_half(static_cast<uint16_t>(bits)));
    return gf_order_stored(__float_as_uint(wide), 4);
}

__device__ __forceinline__ uint64_t narrowed(uint64_t bits, uint32_t size)
{
    if (size != 2)
        return bits;
    const float wide = __uint_as_float(static_cast<uint32_t>(bits)); /* exact: the value was a half */
    return gf_order_stored(__half_as_ushort(__float2half_rn(wide)), 2);
}

/* Flips the sign, except of NaN, where the largest come first. It is its own inverse. */
__device__ __forceinline__ uint64_t turned(uint64_t bits, uint32_t size, uint64_t flip)
{
    const uint64_t sign = gf_order_all_ones(size) ^ gf_order_all_ones(size) >> 1;
    return flip == 0 || gf_order_is_nan(bits, size) ? bits : bits ^ sign;
}

template <class Key>
__global__ void __launch_bounds__(threads)
    encode_kernel(const __grid_constant__ struct gf_cuda_order_batch batch, uint32_t n, Key *keys, uint32_t *numbers)
{
    const uint64_t step = static_cast<uint64_t>(gridDim.x) * threads;
    for (uint64_t t = static_cast<uint64_t>(blockIdx.x) * threads + threadIdx.x; t < n; t += step) {
        const Element e = element_of(batch, static_cast<uint32_t>(t), batch.length);
        const uint64_t bits = load(place_of(batch.from, batch.first + e.sequence, e.index), batch.keys.size);
        uint64_t key;
        if (batch.as_floats)
            key = turned(widened(bits, batch.keys.size), sizeof(Key), batch.keys.flip);
        else
            key = gf_order_key(bits, batch.keys.size, batch.keys.is_float, batch.keys.flip);
        if (batch.sequence != 0)
            key |= static_cast<uint64_t>(e.sequence) << batch.sequence;
        keys[t] = static_cast<Key>(key);
        if (batch.numbers != GF_ORDER_KEYS_ALONE)
            numbers[t] = e.index + (batch.numbers == GF_ORDER_POSITIONS ? e.sequence * batch.length : 0);
    }
}

__global__ void __launch_bounds__(threads)
    sequences_kernel(uint32_t length, uint32_t n, const uint32_t *positions, uint32_t *keys)
{
    const uint64_t step = static_cast<uint64_t>(gridDim.x) * threads;
    for (uint64_t t = static_cast<uint64_t>(blockIdx.x) * threads + threadIdx.x; t < n; t += step)
        keys[t] = positions[t] / length;
}

template <class Key>
__global__ void __launch_bounds__(threads)
    decode_kernel(const __grid_constant__ struct gf_cuda_order_batch batch, uint32_t n, const Key *keys)
{
    const uint64_t step = static_cast<uint64_t>(gridDim.x) * threads;
    for (uint64_t t = static_cast<uint64_t>(blockIdx.x) * threads + threadIdx.x; t < n; t += step) {
        const Element e = element_of(batch, static_cast<uint32_t>(t), batch.kept);
        const uint64_t key = keys[e.sequence * batch.length + e.index];
        const uint64_t bits = batch.as_floats ? narrowed(turned(key, sizeof(Key), batch.keys.flip), batch.keys.size)
                                              : key ^ batch.keys.flip; /* the store drops the number of the sequence */
        store(place_of(batch.values, batch.first + e.sequence, e.index), batch.keys.size, bits);
    }
}

__global__ void __launch_bounds__(threads)
    gather_kernel(const __grid_constant__ struct gf_cuda_order_batch batch, uint32_t n, const uint32_t *numbers)
{
    const uint64_t step = static_cast<uint64_t>(gridDim.x) * threads;
    for (uint64_t t = static_cast<uint64_t>(blockIdx.x) * threads + threadIdx.x; t < n; t += step) {
        const Element e = element_of(batch, static_cast<uint32_t>(t), batch.kept);
        const uint64_t sequence = batch.first + e.sequence;
        const uint32_t number = numbers[e.sequence * batch.length + e.index];
        const uint32_t index = number - (batch.numbers == GF_ORDER_POSITIONS ? e.sequence * batch.length : 0);
        if (batch.values.data != nullptr) {
            const uint64_t bits = load(place_of(batch.from, sequence, index), batch.keys.size);
            store(place_of(batch.values, sequence, e.index), batch.keys.size,
                  batch.keys.is_float ? gf_order_stored(bits, batch.keys.size) : bits);
        }
        if (batch.places.data != nullptr)
            store(place_of(batch.places, sequence, e.index), sizeof(uint64_t), index);
    }
}

unsigned grid_for(uint32_t n)
{
    return gf_cuda_grid((n - 1) / (threads * per_thread) + 1);
}

} // namespace

extern "C" cudaError_t gf_cuda_order_encode(const struct gf_cuda_order_batch *batch, void *keys, uint32_t *numbers,
                                            cudaStream_t stream)
{
    const uint32_t n = batch->lines * batch->lanes * batch->length;
    return gf_dispatch_size(batch->key_size, [&](auto zero) {
        encode_kernel<<<grid_for(n), threads, 0, stream>>>(*batch, n, static_cast<decltype(zero) *>(keys), numbers);
        return cudaPeekAtLastError();
    });
}

extern "C" cudaError_t gf_cuda_order_sequences(const struct gf_cuda_order_batch *batch, const uint32_t *positions,
                                               uint32_t *keys, cudaStream_t stream)
{
    const uint32_t n = batch->lines * batch->lanes * batch->length;
    sequences_kernel<<<grid_for(n), threads, 0, stream>>>(batch->length, n, positions, keys);
    return cudaPeekAtLastError();
}

extern "C" cudaError_t gf_cuda_order_decode(const struct gf_cuda_order_batch *batch, const void *keys,
                                            cudaStream_t stream)
{
    const uint32_t n = batch->lines * batch->lanes * batch->kept;
    return gf_dispatch_size(batch->key_size, [&](auto zero) {
        decode_kernel<<<grid_for(n), threads, 0, stream>>>(*batch, n, static_cast<const decltype(zero) *>(keys));
        return cudaPeekAtLastError();
    });
}

extern "C" cudaError_t gf_cuda_order_gather(const struct gf_cuda_order_batch *batch, const uint32_t *numbers,
                                            cudaStream_t stream)
{
    const uint32_t n = batch->lines * batch->lanes * batch->kept;
    gather_kernel<<<grid_for(n), threads, 0, stream>>>(*batch, n, numbers);
    return cudaPeekAtLastError();
}
