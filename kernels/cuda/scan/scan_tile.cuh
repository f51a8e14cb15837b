/* SPDX-License-Identifier: MIT */
/*
 * Loads and stores the 512 elements of a warp, for scan_row.cuh: asynchronous copies from global to shared memory, then
 * a row of 16 elements per thread to registers; results take the same way back. Every warp has a region of its own, so
 * that warp barriers suffice.
 */
#ifndef GF_CUDA_SCAN_TILE_CUH
#define GF_CUDA_SCAN_TILE_CUH

#include "kernels/cuda/device/async_copy.cuh"
#include "kernels/cuda/device/sync.cuh"
#include "scan_span.cuh"

namespace gf
{

constexpr unsigned vector_bytes = 16;

template <class T> union vector_of {
    uint4 whole;
    T values[vector_bytes / sizeof(T)];
};

/* Returns the lane, read anew at each use. Otherwise the compiler would keep everything derived from it, for every
 * element size, in more registers than there are. */
__device__ __forceinline__ unsigned this_lane()
{
    unsigned lane;
    asm volatile("mov.u32 %0, %%laneid;" : "=r"(lane));
    return lane;
}

/* Locates the elements of a span, in memory order. */
template <bool plain> struct span_memory {
    char *line;
    uint64_t first, pitch, width;
    uint32_t step;
    bool folded; /* the sequence continues from row to row of the image */
    bool vectors;

    __device__ __forceinline__ char *at(int m) const
    {
        uint64_t x = first + m, y = 0;
        if (!plain && folded)
            y = divide(x, width, &x);
        return line + y * pitch + x * step;
    }
};

template <class Policy>
__device__ __forceinline__ struct span_memory<Policy::plain> find_memory(const struct scan_args &args,
                                                                         const struct span &s, const void *data,
                                                                         uint64_t pitch, uint32_t size, bool flat) {
    constexpr bool plain = Policy::plain;
    struct span_memory<plain> memory;
    memory.line = static_cast<char *>(const_cast<void *>(data)) + s.y * pitch + s.channel * size;
    memory.first = Policy::reversed(args) ? s.base + s.length - warp_elements - s.start : s.base + s.start;
    memory.pitch = pitch;
    memory.width = args.scan.width;
    memory.step = plain ? size : args.scan.channels * size;
    memory.folded = !plain && args.scan.axis == GF_AXIS_ALL && !flat;
    memory.vectors = !memory.folded && (plain || args.scan.channels == 1) && s.count == warp_elements &&
                     reinterpret_cast<uintptr_t>(memory.line + memory.first * size) % vector_bytes == 0;
    return memory;
}

/* Whether element m, in memory order, exists. */
template <class Policy>
__device__ __forceinline__ bool is_there(const struct scan_args &args, const struct span &s, int m)
{
    return (Policy::reversed(args) ? warp_elements - 1 - m : m) < s.count;
}

/*
 * The swizzle of a region that holds rows of `vectors` vectors each: 8 lanes that access a row or a column have no bank
 * conflict. The slot of vector v is v with its low bits XORed by v / 8.
 */
template <unsigned vectors> __device__ __forceinline__ unsigned slot_of(unsigned v)
{
    return v ^ (v / 8 % vectors);
}

/* Returns the slot of vector k * 32 + lane, k constant. The part that is the same for all k is `place`,
 * slot_of(lane). */
template <unsigned vectors> __device__ __forceinline__ unsigned slot_after(unsigned place, unsigned k)
{
    return (place ^ (k * 4 % vectors)) + k * 32;
}

/* Returns the address of element m of rows of T in the region. */
template <class T> __device__ __forceinline__ char *place_of(char *region, unsigned m)
{
    const unsigned byte = m * sizeof(T);
    return region + slot_of<sizeof(T)>(byte / vector_bytes) * vector_bytes + byte % vector_bytes;
}

/* Locates a vector of a warp with several packed sequences, from element `first` of its row `row` on. Returns its
 * address and the number of its existing elements. */
template <class T, bool plain>
__device__ __forceinline__ char *find_vector(const struct scan_args &args, const struct span &s,
                                             const struct span_memory<plain> &memory, unsigned row, unsigned first,
                                             unsigned *ret_count)
{
    constexpr unsigned per_vector = vector_bytes / sizeof(T);
    const int q = static_cast<int>(find_packed(args, row, &row));
    const unsigned at = row * scan_row + first, length = static_cast<unsigned>(args.length);
    *ret_count = q >= s.count || at >= length ? 0 : length - at < per_vector ? length - at : per_vector;
    return memory.line + q * memory.pitch + at * sizeof(T);
}

template <class T> __device__ __forceinline__ bool is_vector(const char *at, unsigned count)
{
    return count == vector_bytes / sizeof(T) && reinterpret_cast<uintptr_t>(at) % vector_bytes == 0;
}

/* Starts copying packed sequences into the region. */
template <class T, bool plain>
__device__ __forceinline__ void fetch_packed(const struct scan_args &args, const struct span &s,
                                             const struct span_memory<plain> &memory, char *region)
{
    constexpr unsigned vectors = sizeof(T), lanes = 32, per_vector = vector_bytes / sizeof(T);
    const unsigned lane = this_lane(), place = slot_of<vectors>(lane);
#pragma unroll
    for (unsigned k = 0; k < vectors; k++) {
        unsigned count;
        const unsigned v = k * lanes + lane;
        const char *from = find_vector<T>(args, s, memory, v / vectors, v % vectors * per_vector, &count);
        char *to = region + slot_after<vectors>(place, k) * vector_bytes;
        if (is_vector<T>(from, count))
            gf_copy_async(to, from, vector_bytes);
        else
#pragma unroll 1
            for (unsigned e = 0; e < count; e++)
                reinterpret_cast<T *>(to)[e] = reinterpret_cast<const T *>(from)[e];
    }
}

/* Starts copying a span of elements of one size into the region. */
template <class T, class Policy>
__device__ __forceinline__ void fetch_span(const struct scan_args &args, bool packed, const struct span &s,
                                           const struct span_memory<Policy::plain> &memory, char *region)
{
    constexpr unsigned vectors = sizeof(T), lanes = 32, batch = 4, all = warp_elements;
    const unsigned lane = this_lane();
    if (packed && args.per_warp > 1) {
        fetch_packed<T>(args, s, memory, region);
        return;
    }
    if (memory.vectors) {
        const char *from = memory.at(0) + lane * vector_bytes;
        const unsigned place = slot_of<vectors>(lane);
#pragma unroll
        for (unsigned k = 0; k < vectors; k++)
            gf_copy_async(region + slot_after<vectors>(place, k) * vector_bytes, from + k * lanes * vector_bytes,
                          vector_bytes);
        return;
    }
#pragma unroll 1
    for (unsigned first = lane; first < all; first += batch * lanes) {
        T x[batch];
#pragma unroll
        for (unsigned k = 0; k < batch; k++) {
            const unsigned m = first + k * lanes;
            x[k] = T{};
            if (is_there<Policy>(args, s, static_cast<int>(m))) {
                if constexpr (sizeof(T) >= 4)
                    gf_copy_async(place_of<T>(region, m), memory.at(static_cast<int>(m)), sizeof(T));
                else
                    x[k] = *reinterpret_cast<const T *>(memory.at(static_cast<int>(m)));
            }
        }
        if constexpr (sizeof(T) < 4) {
#pragma unroll
            for (unsigned k = 0; k < batch; k++)
                *reinterpret_cast<T *>(place_of<T>(region, first + k * lanes)) = x[k];
        }
    }
}

/* Returns the row of a thread in memory order. */
template <class Policy> __device__ __forceinline__ unsigned memory_row(const struct scan_args &args)
{
    const unsigned lane = this_lane();
    return Policy::reversed(args) ? 31 - lane : lane;
}

/* Converts a row from memory order to scan order, or back. */
template <class Policy, class V>
__device__ __forceinline__ void reverse_row(const struct scan_args &args, V (&x)[scan_row])
{
    if (Policy::reversed(args)) {
#pragma unroll
        for (int j = 0; j < scan_row / 2; j++) {
            const V v = x[j];
            x[j] = x[scan_row - 1 - j];
            x[scan_row - 1 - j] = v;
        }
    }
}

/* Turns inclusive results into exclusive ones. `before` is the last result of the row before. */
template <class Op>
__device__ __forceinline__ void shift_row(const Op &op, const struct span &s, typename Op::value before,
                                          typename Op::value (&x)[scan_row])
{
#pragma unroll
    for (int j = scan_row - 1; j > 0; j--)
        x[j] = x[j - 1];
    x[0] = s.row > 0 ? before : Op::of(op.args.scan.first);
}

/* Reads this thread's row, in memory order. Elements that do not exist have arbitrary values. */
template <class T, class Op>
__device__ __forceinline__ void read_row(const Op &op, const char *region, unsigned row,
                                         typename Op::value (&x)[scan_row])
{
    constexpr unsigned vectors = sizeof(T), per_vector = vector_bytes / sizeof(T);
    const char *from = region + row * vectors * vector_bytes;
    const unsigned place = row * vectors / 8 % vectors * vector_bytes;
#pragma unroll
    for (unsigned c = 0; c < vectors; c++) {
        vector_of<T> v;
        v.whole = *reinterpret_cast<const uint4 *>(from + (place ^ (c * vector_bytes)));
#pragma unroll
        for (unsigned k = 0; k < per_vector; k++)
            x[c * per_vector + k] = op.loaded(v.values[k]);
    }
}

/* Results pass through shared memory in units of this many bytes of a row. 8-byte results use larger units where the
 * elements needed as much memory. */
__host__ __device__ constexpr uint32_t store_unit_bytes(uint32_t size, uint32_t in_size)
{
    const uint32_t in = GF_SCAN_ROW * in_size;
    return size < 8 ? GF_SCAN_ROW * size : in < 32 ? 32 : in;
}

template <class T, uint32_t in_size> struct store_unit {
    static constexpr unsigned vectors = store_unit_bytes(sizeof(T), in_size) / vector_bytes;
    static constexpr unsigned elements = store_unit_bytes(sizeof(T), in_size) / sizeof(T);
    static constexpr unsigned number = scan_row / elements;
};

/* Writes unit p of this thread's row into the region. */
template <class Unit, class T>
__device__ __forceinline__ void write_one_unit(char *region, unsigned row, unsigned p, const T (&x)[scan_row])
{
    constexpr unsigned vectors = Unit::vectors, per_vector = vector_bytes / sizeof(T);
    char *to = region + row * vectors * vector_bytes;
    const unsigned place = row * vectors / 8 % vectors * vector_bytes;
#pragma unroll
    for (unsigned c = 0; c < vectors; c++) {
        vector_of<T> v;
#pragma unroll
        for (unsigned k = 0; k < per_vector; k++)
            v.values[k] = x[p * Unit::elements + c * per_vector + k];
        *reinterpret_cast<uint4 *>(to + (place ^ (c * vector_bytes))) = v.whole;
    }
}

/* Stores unit p of all rows of packed sequences. */
template <class Unit, class T, bool plain>
__device__ __forceinline__ void store_packed(const struct scan_args &args, const struct span &s,
                                             const struct span_memory<plain> &memory, const char *region, unsigned p)
{
    constexpr unsigned vectors = Unit::vectors, lanes = 32, per_vector = vector_bytes / sizeof(T);
    const unsigned lane = this_lane(), place = slot_of<vectors>(lane);
#pragma unroll
    for (unsigned k = 0; k < vectors; k++) {
        unsigned count;
        const unsigned v = k * lanes + lane;
        char *to = find_vector<T>(args, s, memory, v / vectors, p * Unit::elements + v % vectors * per_vector, &count);
        const char *from = region + slot_after<vectors>(place, k) * vector_bytes;
        if (is_vector<T>(to, count))
            __stcs(reinterpret_cast<uint4 *>(to), *reinterpret_cast<const uint4 *>(from));
        else
#pragma unroll 1
            for (unsigned e = 0; e < count; e++)
                reinterpret_cast<T *>(to)[e] = reinterpret_cast<const T *>(from)[e];
    }
}

/* Stores unit p of all rows. With `skip` it omits the first element in scan order, which the previous warp stores. */
template <class Policy, class Unit, class T>
__device__ __forceinline__ void store_one_unit(const struct scan_args &args, const struct span &s,
                                               const struct span_memory<Policy::plain> &memory, const char *region,
                                               unsigned p, bool skip)
{
    constexpr unsigned vectors = Unit::vectors, elements = Unit::elements, lanes = 32;
    constexpr unsigned per_vector = vector_bytes / sizeof(T);
    const unsigned lane = this_lane();
    const int skipped = skip ? Policy::reversed(args) ? warp_elements - 1 : 0 : -1;
    if (memory.vectors) {
        const unsigned place = slot_of<vectors>(lane);
        const unsigned first = lane / vectors * scan_row + p * elements + lane % vectors * per_vector;
        char *to = memory.at(0) + first * sizeof(T);
#pragma unroll
        for (unsigned k = 0; k < vectors; k++) {
            const unsigned m = first + k * lanes / vectors * scan_row;
            const uint4 v = *reinterpret_cast<const uint4 *>(region + slot_after<vectors>(place, k) * vector_bytes);
            if (skip && m / per_vector == static_cast<unsigned>(skipped) / per_vector) {
                const T *x = reinterpret_cast<const T *>(&v);
#pragma unroll
                for (unsigned e = 0; e < per_vector; e++)
                    if (static_cast<int>(m + e) != skipped)
                        reinterpret_cast<T *>(to + (m - first) * sizeof(T))[e] = x[e];
            } else {
                __stcs(reinterpret_cast<uint4 *>(to + (m - first) * sizeof(T)), v);
            }
        }
        return;
    }
#pragma unroll 4
    for (unsigned e = lane; e < elements * lanes; e += lanes) {
        const unsigned byte = e * sizeof(T);
        const int m = static_cast<int>(e / elements * scan_row + p * elements + e % elements);
        if (m != skipped && is_there<Policy>(args, s, m))
            *reinterpret_cast<T *>(memory.at(m)) = *reinterpret_cast<const T *>(
                region + slot_of<vectors>(byte / vector_bytes) * vector_bytes + byte % vector_bytes);
    }
}

/* Stores the results of a span: x[j] is the inclusive result of element j of this thread's row. NaN results become
 * canonical; where every result after a NaN is NaN, only rows that end with NaN need the conversion. The first barrier
 * lets all lanes write before any lane reads; the second lets all lanes read before any lane writes the next unit or
 * fetches into the region. */
template <class T, class Policy, uint32_t in_size, bool packed, class Op>
__device__ __forceinline__ void store_span(const Op &op, const struct span &s, char *region,
                                           typename Op::value (&x)[scan_row])
{
    const struct scan_args &args = op.args;
    using Unit = store_unit<T, in_size>;
    const struct span_memory<Policy::plain> memory =
        find_memory<Policy>(args, s, args.scan.dst, args.scan.dst_pitch, sizeof(T), args.dst_flat);
    const unsigned lane = this_lane();
    const T last = op.template rounded<T>(x[scan_row - 1]);
    bool any_nan = !op.keeps_nan() || last != last;
    if (args.scan.exclusive) {
        const typename Op::value before = gf_shuffle_up(x[scan_row - 1], 1);
        const int next = Policy::reversed(args) ? -1 : warp_elements;
        if (lane == 31 && !packed && s.count == warp_elements && s.start + warp_elements < s.length)
            *reinterpret_cast<T *>(memory.at(next)) = canonical(last);
        shift_row(op, s, before, x);
        const T first = op.template rounded<T>(x[0]);
        any_nan |= first != first;
    }
    reverse_row<Policy>(args, x);
    T y[scan_row];
#pragma unroll
    for (int j = 0; j < scan_row; j++)
        y[j] = op.template rounded<T>(x[j]);
    if (std::is_floating_point_v<T> && any_nan) {
#pragma unroll
        for (int j = 0; j < scan_row; j++)
            y[j] = canonical(y[j]);
    }
#pragma unroll
    for (unsigned p = 0; p < Unit::number; p++) {
        write_one_unit<Unit>(region, memory_row<Policy>(args), p, y);
        gf_sync_warp();
        if (packed && args.per_warp > 1)
            store_packed<Unit, T>(args, s, memory, region, p);
        else
            store_one_unit<Policy, Unit, T>(args, s, memory, region, p, args.scan.exclusive && s.start > 0);
        gf_sync_warp();
    }
}

} // namespace gf

#endif
