/* SPDX-License-Identifier: MIT */
/* The arguments of the scan kernels, which the host derives from a gf_scan, and the launchers that take them. Used by
 * scan_blocks.cu and scan_columns.cu. */
#ifndef GF_CUDA_SCAN_ARGS_CUH
#define GF_CUDA_SCAN_ARGS_CUH

#include "kernels/cuda/device/tile_state.h"
#include "kernels/cuda/step/cuda_call.h"
#include "kernels/shared/scan.h"
#include "scan_key.cuh"

namespace gf
{

struct scan_args {
    struct gf_scan scan;
    uint64_t length, sequences;
    uint64_t n_blocks;                /* blocks of a sequence that is not a segment; for columns its row chunks */
    uint64_t per_block;               /* ceil(2^64 / n_blocks); 0: divide */
    uint64_t blocks;                  /* of all sequences that are not packed */
    uint32_t per_warp, rows, by_rows; /* packed sequences per warp; rows of 16 of each; ceil(1024 / rows) */
    const void *offsets;              /* of segments, u32 or u64; or NULL */
    const uint64_t *first_blocks;     /* the blocks before each segment, or NULL */
    uint32_t in_size, out_size;
    bool src_flat, dst_flat;         /* a whole image is contiguous */
    bool narrow;                     /* offsets are u32 */
    void *between;                   /* for columns, per row chunk: its total, then its prefix */
    struct gf_tile_state tile_state; /* of blocks */
    double powers[GF_SCAN_ROW];      /* of the recurrence's a, beginning with a itself */
    int32_t sign_mask;               /* -1: elements are signed integers; otherwise 0 */
    uint32_t sign_bit;               /* of a signed element; otherwise 0 */
    int turned;                      /* -1: keys are complemented, for minima; otherwise 0 */
    int64_t flip;                    /* for extremes of integers: XOR converts an element to its key, and back */
    uint64_t *fault;                 /* the least number of a result that overflows; NULL where none can */
};

/* The offset of a segment, or behind the last one. */
__device__ __forceinline__ uint64_t offset_of(const struct scan_args &args, uint64_t segment)
{
    return args.narrow ? static_cast<const uint32_t *>(args.offsets)[segment]
                       : static_cast<const uint64_t *>(args.offsets)[segment];
}

/* Whether 32-bit keys can hold the elements and the results of a running minimum or maximum. */
__host__ __device__ inline bool has_short_keys(const struct scan_args &args)
{
    return args.in_size <= sizeof(int32_t) && args.out_size <= sizeof(int32_t);
}

/* Converts the values of a running minimum or maximum to keys of type V, and sets the mask that converts elements. */
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

/* The launchers of scans along rows, one file per kind of value: scan_float.cu (also recurrences), scan_int.cu and
 * scan_extremes.cu (any kind). any_short: some sequences have at most 512 elements. args.blocks is the number of blocks
 * of the longer sequences. */
using start_fn = enum gf_status(struct gf_cuda_call *call, const struct scan_args &args, bool any_short,
                                struct gf_error *err);
start_fn start_float_scan, start_int_scan, start_extremes_scan;

/* Raise the shared-memory limits of the kernels of each file. Called by gf_cuda_scan_prepare. */
cudaError_t prepare_float_scans(), prepare_int_scans(), prepare_extremes_scans();

} // namespace gf

#endif
