/* SPDX-License-Identifier: MIT */
/* The arguments of the kernels of scans, which the host makes of a gf_scan. Used by scan_blocks.cu and scan_columns.cu.
 */
#ifndef GF_CUDA_SCAN_ARGS_CUH
#define GF_CUDA_SCAN_ARGS_CUH

#include "kernels/cuda/device/cuda_device.h"
#include "kernels/shared/scan.h"
#include "scan_key.cuh"

namespace gf
{

struct scan_args {
    struct gf_scan scan;
    uint64_t length, sequences;
    uint64_t n_blocks;                      /* of a sequence that is no segment; for columns its row chunks */
    uint64_t per_block;                     /* ceil(2^64 / n_blocks), 0: divide */
    uint64_t blocks;                        /* of all sequences, without those that are packed */
    uint32_t per_warp, rows, by_rows;       /* packed sequences of a warp, rows of 16 of each, ceil(1024 / rows) */
    const uint64_t *offsets, *first_blocks; /* of segments, and of how many blocks stand before each; else NULL */
    uint32_t in_size, out_size;
    bool src_flat, dst_flat;    /* a whole image is one row */
    void *between;              /* of columns, per row chunk: its total, then what stands before it */
    void *tile_state;           /* of blocks: see find_tile_state() */
    double powers[GF_SCAN_ROW]; /* of the recurrence's a, from the first on */
    int32_t sign_mask;          /* -1: the elements are signed integers; else 0 */
    uint32_t sign_bit;          /* of such an element; else 0 */
    int turned;                 /* -1: keys are turned round, for minima; else 0 */
    int64_t flip;               /* of extremes of integers: the bits that make a key of an element, and back */
    uint64_t *fault;            /* the least result that does not fit; NULL where none can */
};

/* True where keys of 32 bits hold the elements of a running minimum or maximum, and its results. */
__host__ __device__ inline bool has_short_keys(const struct scan_args &args)
{
    return args.in_size <= sizeof(int32_t) && args.out_size <= sizeof(int32_t);
}

/* The keys, of V, of the values that belong to a running minimum or maximum, and what makes keys of elements. */
template <class V> void make_keys(struct scan_args *args)
{
    const bool is_float = gf_dtype_kind(args->scan.out) == GF_KIND_FLOAT, narrow = args->out_size < sizeof(V);
    const uint64_t bits = UINT64_MAX >> (64 - 8 * args->out_size), sign = bits / 2 + 1;
    const bool turns_sign = narrow == (args->sign_mask != 0);
    args->flip = (turns_sign ? static_cast<V>(sign) : V{0}) ^ static_cast<V>(args->turned);
    for (union gf_scan_value *v : {&args->scan.init, &args->scan.first, &args->scan.absent}) {
        if (!is_float)
            v->i = static_cast<V>(static_cast<V>(v->u & bits) ^ static_cast<V>(args->flip));
        else if (args->scan.out == GF_F32)
            v->i = key_of<V>(static_cast<float>(v->f), static_cast<V>(args->turned));
        else if constexpr (sizeof(V) == sizeof(double))
            v->i = key_of<V>(v->f, static_cast<V>(args->turned));
    }
}

inline bool is_flat(const struct gf_scan &scan, uint64_t pitch, uint32_t size)
{
    return scan.height == 1 || pitch == scan.width * scan.channels * size;
}

inline struct scan_args make_args(const struct gf_scan &scan)
{
    struct scan_args args = {};
    args.scan = scan;
    args.length = gf_scan_length(&scan);
    args.sequences = gf_scan_sequences(&scan);
    args.in_size = static_cast<uint32_t>(gf_dtype_size(scan.in));
    args.out_size = static_cast<uint32_t>(gf_dtype_size(scan.out));
    args.src_flat = is_flat(scan, scan.src_pitch, args.in_size);
    args.dst_flat = is_flat(scan, scan.dst_pitch, args.out_size);
    args.turned = scan.what == GF_SCAN_MIN ? -1 : 0;
    if (gf_dtype_kind(scan.in) == GF_KIND_SINT) {
        args.sign_mask = -1;
        args.sign_bit = 1u << (args.in_size < sizeof(uint32_t) ? 8 * args.in_size - 1 : 31);
    }
    if (scan.what == GF_SCAN_MIN || scan.what == GF_SCAN_MAX)
        has_short_keys(args) ? make_keys<int32_t>(&args) : make_keys<int64_t>(&args);
    return args;
}

} // namespace gf

#endif
