/* SPDX-License-Identifier: MIT */
/*
 * What scan_blocks.cu has a warp do with its 512 elements: bring them from memory into shared memory, from there in
 * rows of 16 per thread into registers, and results the same way back. Every warp has a region of its own, so that
 * nobody else has to wait.
 */
#ifndef GF_CUDA_SCAN_TILE_CUH
#define GF_CUDA_SCAN_TILE_CUH

#include <cuda_pipeline.h>

#include "scan_stretch.cuh"

namespace gf
{

constexpr int vector_bytes = 16;

/* The lane, asked for each time: else what follows from it for every size of elements would be kept from round to
 * round, in more registers than there are. */
__device__ __forceinline__ int this_lane()
{
    int lane;
    asm volatile("mov.u32 %0, %%laneid;" : "=r"(lane));
    return lane;
}

/* Where element 0 of the stretch in the order of memory is, and from each to the next. */
template <bool plain> struct stretch_memory {
    char *line;
    uint64_t first, pitch, width;
    uint32_t step;
    bool folded; /* goes on from row to row of the image */
    bool vectors;

    __device__ __forceinline__ char *at(int m) const
    {
        uint64_t x = first + m, y = 0;
        if (!plain && folded)
            y = divide(x, width, &x);
        return line + y * pitch + x * step;
    }
};

template <bool plain>
__device__ __forceinline__ struct stretch_memory<plain> find_memory(const struct scan_args &args,
                                                                    const struct stretch &s, const void *data,
                                                                    uint64_t pitch, uint32_t size, bool flat) {
    struct stretch_memory<plain> memory;
    memory.line = static_cast<char *>(const_cast<void *>(data)) + s.y * pitch + s.channel * size;
    memory.first = !plain && args.scan.reverse ? s.base + s.length - warp_elements - s.start : s.base + s.start;
    memory.pitch = pitch;
    memory.width = args.scan.width;
    memory.step = plain ? size : args.scan.channels * size;
    memory.folded = !plain && args.scan.axis == GF_AXIS_ALL && !flat;
    memory.vectors = !memory.folded && (plain || args.scan.channels == 1) && s.count == warp_elements &&
                     reinterpret_cast<uintptr_t>(memory.line + memory.first * size) % vector_bytes == 0;
    return memory;
}

/* True where element m in the order of memory is there. */
template <bool plain>
__device__ __forceinline__ bool is_there(const struct scan_args &args, const struct stretch &s, int m)
{
    return (!plain && args.scan.reverse ? warp_elements - 1 - m : m) < s.count;
}

/* The place of a vector of a row in the region: neither rows nor columns of 8 lanes meet in a bank. */
template <int vectors> __device__ __forceinline__ int slot_of(int row, int column)
{
    return row * vectors + (column ^ ((row * vectors / 8) & (vectors - 1)));
}

/* Element m of rows of T in the region. */
template <class T> __device__ __forceinline__ char *place_of(char *region, int m)
{
    const int byte = m % scan_row * static_cast<int>(sizeof(T));
    return region + slot_of<sizeof(T)>(m / scan_row, byte / vector_bytes) * vector_bytes + byte % vector_bytes;
}

/* Starts to bring a stretch of elements of one size into the region. */
template <class T, bool plain>
__device__ __forceinline__ void fetch_stretch(const struct scan_args &args, const struct stretch &s,
                                              const struct stretch_memory<plain> &memory, char *region)
{
    constexpr int vectors = sizeof(T), lanes = 32, batch = 4;
    const int lane = this_lane();
    if (memory.vectors) {
        const char *from = memory.at(0);
#pragma unroll
        for (int k = 0; k < vectors; k++) {
            const int v = k * lanes + lane;
            __pipeline_memcpy_async(region + slot_of<vectors>(v / vectors, v % vectors) * vector_bytes,
                                    from + v * vector_bytes, vector_bytes);
        }
        return;
    }
#pragma unroll 1
    for (int first = lane; first < warp_elements; first += batch * lanes) {
        T x[batch];
#pragma unroll
        for (int k = 0; k < batch; k++) {
            const int m = first + k * lanes;
            x[k] = T{};
            if (is_there<plain>(args, s, m)) {
                if constexpr (sizeof(T) >= 4)
                    __pipeline_memcpy_async(place_of<T>(region, m), memory.at(m), sizeof(T));
                else
                    x[k] = *reinterpret_cast<const T *>(memory.at(m));
            }
        }
        if constexpr (sizeof(T) < 4) {
#pragma unroll
            for (int k = 0; k < batch; k++)
                *reinterpret_cast<T *>(place_of<T>(region, first + k * lanes)) = x[k];
        }
    }
}

/* The row of a thread in the order of memory. */
template <bool plain> __device__ __forceinline__ int memory_row(const struct scan_args &args)
{
    const int lane = this_lane();
    return !plain && args.scan.reverse ? 31 - lane : lane;
}

/* From the order of memory to that of the scan, or back. */
template <bool plain, class V> __device__ __forceinline__ void turn_row(const struct scan_args &args, V (&x)[scan_row])
{
    if (!plain && args.scan.reverse) {
#pragma unroll
        for (int j = 0; j < scan_row / 2; j++) {
            const V v = x[j];
            x[j] = x[scan_row - 1 - j];
            x[scan_row - 1 - j] = v;
        }
    }
}

/* This thread's row, in the order of memory. Elements that are not there have any value. */
template <class T, class V> __device__ __forceinline__ void read_row(const char *region, int row, V (&x)[scan_row])
{
    constexpr int vectors = sizeof(T), per_vector = vector_bytes / sizeof(T);
#pragma unroll
    for (int c = 0; c < vectors; c++) {
        union {
            uint4 vector;
            T values[per_vector];
        } v;
        v.vector = *reinterpret_cast<const uint4 *>(region + slot_of<vectors>(row, c) * vector_bytes);
#pragma unroll
        for (int k = 0; k < per_vector; k++)
            x[c * per_vector + k] = static_cast<V>(v.values[k]);
    }
}

/* Results pass through shared memory in parts of rows: so much of a row at a time. */
__host__ __device__ constexpr uint32_t piece_bytes(uint32_t size)
{
    return size == 8 ? 32 : GF_SCAN_ROW * size;
}

template <class T> struct piece {
    static constexpr int vectors = piece_bytes(sizeof(T)) / vector_bytes;
    static constexpr int elements = piece_bytes(sizeof(T)) / sizeof(T);
    static constexpr int number = scan_row / elements;
};

/* Puts part p of this thread's row into the region. */
template <class T, class V>
__device__ __forceinline__ void write_piece(char *region, int row, int p, const V (&x)[scan_row])
{
    constexpr int per_vector = vector_bytes / sizeof(T);
#pragma unroll
    for (int c = 0; c < piece<T>::vectors; c++) {
        union {
            uint4 vector;
            T values[per_vector];
        } v;
#pragma unroll
        for (int k = 0; k < per_vector; k++)
            v.values[k] = stored<T>(x[p * piece<T>::elements + c * per_vector + k]);
        *reinterpret_cast<uint4 *>(region + slot_of<piece<T>::vectors>(row, c) * vector_bytes) = v.vector;
    }
}

/* Stores part p of all rows; the first element in the order of the scan is somebody else's where `skip` says so. */
template <class T, bool plain>
__device__ __forceinline__ void store_piece(const struct scan_args &args, const struct stretch &s,
                                            const struct stretch_memory<plain> &memory, const char *region, int p,
                                            bool skip)
{
    constexpr int vectors = piece<T>::vectors, elements = piece<T>::elements, lanes = 32;
    const int lane = this_lane(), skipped = skip ? !plain && args.scan.reverse ? warp_elements - 1 : 0 : -1;
    if (memory.vectors && !skip) {
        char *to = memory.at(0) + p * vectors * vector_bytes;
#pragma unroll
        for (int k = 0; k < vectors; k++) {
            const int v = k * lanes + lane, row = v / vectors, column = v % vectors;
            __stcs(reinterpret_cast<uint4 *>(to + row * scan_row * static_cast<int>(sizeof(T)) + column * vector_bytes),
                   *reinterpret_cast<const uint4 *>(region + slot_of<vectors>(row, column) * vector_bytes));
        }
        return;
    }
#pragma unroll 4
    for (int e = lane; e < elements * lanes; e += lanes) {
        const int row = e / elements, byte = e % elements * static_cast<int>(sizeof(T));
        const int m = row * scan_row + p * elements + e % elements;
        if (m != skipped && is_there<plain>(args, s, m))
            *reinterpret_cast<T *>(memory.at(m)) = *reinterpret_cast<const T *>(
                region + slot_of<vectors>(row, byte / vector_bytes) * vector_bytes + byte % vector_bytes);
    }
}

/* The results of a stretch: x[j] is the inclusive one of element j of this thread's row. */
template <class T, bool plain, class V>
__device__ __forceinline__ void store_stretch(const struct scan_args &args, const struct stretch &s, char *region,
                                              V (&x)[scan_row])
{
    const struct stretch_memory<plain> memory =
        find_memory<plain>(args, s, args.scan.dst, args.scan.dst_pitch, sizeof(T), args.dst_flat);
    const int lane = this_lane();
    if (args.scan.exclusive) {
        const V last = x[scan_row - 1], before = __shfl_up_sync(all_lanes, last, 1);
        const int next = !plain && args.scan.reverse ? -1 : warp_elements;
        if (lane == 31 && s.count == warp_elements && s.start + warp_elements < s.length)
            *reinterpret_cast<T *>(memory.at(next)) = stored<T>(last);
#pragma unroll
        for (int j = scan_row - 1; j > 0; j--)
            x[j] = x[j - 1];
        x[0] = lane > 0 ? before : value_of<V>(args.scan.first);
    }
    turn_row<plain>(args, x);
#pragma unroll
    for (int p = 0; p < piece<T>::number; p++) {
        write_piece<T>(region, memory_row<plain>(args), p, x);
        __syncwarp();
        store_piece<T>(args, s, memory, region, p, args.scan.exclusive && s.start > 0);
        __syncwarp();
    }
}

} // namespace gf

#endif
