/* SPDX-License-Identifier: MIT */
/*
 * One pass of a linear filter: a kernel and all its arguments except the rows and the stream. Planned by filter_plan.c,
 * launched by linear_filter.c row chunk by row chunk. Each launch function lives in the file of its kernel.
 */
#ifndef GF_CUDA_FILTER_PASS_H
#define GF_CUDA_FILTER_PASS_H

#include "filter_args.h"
#include "kernels/cuda/device/cuda_launch.h"

#ifdef __cplusplus
extern "C" {
#endif

#define GF_CUDA_MAX_WEIGHTS 225u /* of a mask passed as a kernel argument */

/* Over stored integers a chain reads each sample as sample * 2^-bits (raw_tile.cuh); the weights compensate. */
#define GF_CUDA_BYTE_BITS 133
#define GF_CUDA_SHORT_BITS 141

/* A mask passed as a kernel argument: square, of side 3 to 15, odd but not 13, anchored in the centre. */
struct gf_cuda_mask {
    int32_t side;
    union {
        float chain[GF_CUDA_MAX_WEIGHTS];  /* row by row */
        int8_t bytes[GF_CUDA_MAX_WEIGHTS]; /* for gf_cuda_mask_bytes_launch */
    } weights;
};

/* Any other mask, and the tile of a block. Output (y, x) reads input (y + ky + shift_y, x + kx + shift_x), in
 * pixels. */
struct gf_cuda_any_mask {
    int32_t width, height, shift_x, shift_y;
    int32_t warps, across, chunk; /* warps of a block; warps side by side; mask rows at a time */
    int32_t pitch;                /* of the tile, in floats */
    int32_t coefs_pitch;          /* of the mask rows, in floats */
    int32_t spans;                /* of a thread, side by side: 1 or 2 */
    const float *coefs;           /* on the device, row by row */
};

/* One chain of a 3 x 3 mask: bit 3 * ky + kx of `present` says whether that element is a tap; `weight` holds the
 * taps. */
struct gf_cuda_chain {
    uint32_t present;
    float weight[9];
};

/* The weights of the differences of a gradient. */
struct gf_cuda_gradient {
    float outer, middle;
};

/* The result of a stencil: one chain of taps, a gradient, or the magnitude of both gradients. */
enum gf_cuda_stencil_what { GF_CUDA_TAPS, GF_CUDA_ACROSS, GF_CUDA_DOWN, GF_CUDA_MAGNITUDE };

struct gf_cuda_stencil {
    enum gf_cuda_stencil_what what;
    struct gf_cuda_chain chains[2];   /* of a gradient the weights of its mask, for integers alone */
    struct gf_cuda_gradient gradient; /* unless the result is one chain of taps */
    int8_t bytes[2][9];               /* for gf_cuda_raw_magnitude_launch */
};

/* Row and column taps in one kernel. */
struct gf_cuda_fused {
    const float *taps_x, *taps_y; /* on the host */
    int32_t n_x, n_y, anchor_x, anchor_y;
    int32_t tile_pitch, quads, raw_pitch, ring_rows; /* as in struct fused_geometry */
    int32_t blocks;                                  /* resident blocks per multiprocessor */
    size_t shared_bytes;                             /* per block */
};

/* One pass of row or column taps, by way of the f32 image `sums`, laid out like the source. */
struct gf_cuda_taps {
    const float *taps; /* on the device */
    int32_t n, anchor;
    float *sums;
    size_t sums_pitch;
    float sums_outside[GF_MAX_CHANNELS]; /* for the columns: the row chain of a constant border */
};

/* A constant border of a box, for the doubling rule in f32 and for integer sums. */
struct gf_cuda_box_outside {
    float f32[GF_MAX_CHANNELS];
    int32_t i32[GF_MAX_CHANNELS];
};

/* Window sums along both axes. `planes` holds 4-byte sums, gf_cuda_box_plane_bytes(width, height) per channel.
 * `transposed` has the same size and is unused where gf_cuda_box_has_columns. */
struct gf_cuda_box {
    int32_t n_x, n_y, anchor_x, anchor_y;
    bool integers; /* exact sums; otherwise the doubling rule in f32 */
    void *planes, *transposed;
    struct gf_cuda_box_outside samples, rows; /* of the image; of its row sums */
};

struct gf_disc_tap;
struct gf_cuda_disc {
    int32_t radius, n;
    float range;
    int32_t chunk, pitch;           /* disc rows at a time, and floats per tile row; set by gf_cuda_bilateral_plan */
    const struct gf_disc_tap *taps; /* on the device, n taps, row by row */
};

/* The operation between the columns and the target, enum gf_filter_after. */
struct gf_cuda_after {
    uint32_t what;
    float amount, threshold; /* for AFTER_UNSHARP */
    const void *add;         /* for AFTER_SUM: an f32 image, laid out like the target */
    size_t add_pitch;
};

/* A second filter, the magnitude of a gradient, that gf_cuda_fused_second_launch applies to the output of the first
 * filter. The target's scale and offset belong to the second filter. */
struct gf_cuda_second {
    struct gf_cuda_pointwise between; /* steps between the filters, with the first filter's store */
    float scale, offset;              /* of the first filter */
    int32_t width, height;            /* of the first filter's output */
    int32_t left, right, top, bottom; /* border's index of the neighbour just outside; -1: the constant */
    float outside;
    struct gf_cuda_gradient gradient;
};

struct gf_cuda_filter_pass;
/* Launches a pass for the given rows: rows of the target, or of the source where the pass is of_source. Reads only the
 * source rows that these rows need. Asynchronous, allocates nothing; returns the launch error. */
typedef cudaError_t gf_cuda_filter_launch_fn(const struct gf_cuda_filter_pass *pass, struct gf_cuda_row_chunk rows,
                                             cudaStream_t stream);

struct gf_cuda_filter_pass {
    gf_cuda_filter_launch_fn *launch;
    bool of_source;
    struct gf_cuda_source src;
    struct gf_cuda_target dst;
    struct gf_cuda_pointwise prologue; /* for gf_cuda_fused_launch and gf_cuda_fused_second_launch */
    struct gf_cuda_after after;        /* for gf_cuda_columns_launch and gf_cuda_fused_launch */
    struct gf_cuda_second second;      /* for gf_cuda_fused_second_launch */
    union {
        struct gf_cuda_mask mask;
        struct gf_cuda_any_mask any_mask;
        struct gf_cuda_stencil stencil;
        struct gf_cuda_fused fused;
        struct gf_cuda_taps taps;
        struct gf_cuda_box box;
        struct gf_cuda_disc disc;
    };
};

/* Masks passed as kernel arguments. The first four read stored samples, where has_raw_kernel() of mask_plan.c allows: a
 * chain per source type, or sums of bytes. gf_cuda_mask_launch reads any samples. */
gf_cuda_filter_launch_fn gf_cuda_mask_u8_launch, gf_cuda_mask_bytes_launch, gf_cuda_mask_u16_launch,
    gf_cuda_mask_f32_launch, gf_cuda_mask_launch;
gf_cuda_filter_launch_fn gf_cuda_any_mask_launch;
/* Stencils: over any samples; a magnitude on a device with inexact_roots; the magnitude over stored bytes. */
gf_cuda_filter_launch_fn gf_cuda_stencil_launch, gf_cuda_whole_roots_launch, gf_cuda_raw_magnitude_launch;
/* Rows and columns in one kernel; rows, by source rows, into sums; columns from the sums. */
gf_cuda_filter_launch_fn gf_cuda_fused_launch, gf_cuda_rows_launch, gf_cuda_columns_launch;
/* Rows and columns in one kernel, followed by a second filter; one channel only. */
gf_cuda_filter_launch_fn gf_cuda_fused_second_launch;
gf_cuda_filter_launch_fn gf_cuda_bilateral_launch;
/* Launches all kernels of a box. */
gf_cuda_filter_launch_fn gf_cuda_box_launch;

/* The part of a plan that depends on the kernel. These functions make no CUDA call. */

/* Choose the kernel of a mask or a stencil and set its weights; the pass's source and target must be set. For a mask
 * that is too large for a kernel argument, only size and shifts are set: gf_cuda_any_mask_plan does the rest. In
 * mask_plan.c. */
struct gf_filter;
void gf_cuda_mask_plan(struct gf_cuda_filter_pass *pass, const struct gf_filter *f);
void gf_cuda_stencil_plan(struct gf_cuda_filter_pass *pass, const struct gf_filter *f, bool inexact_roots);
/* Returns the taps of a filter that is a magnitude. */
struct gf_cuda_gradient gf_cuda_gradient_of(const struct gf_filter *f);
/* Plans the tile of a mask with size and shifts set, for row chunks of `rows` rows. */
void gf_cuda_any_mask_plan(struct gf_cuda_filter_pass *pass, struct gf_cuda_shared_memory shared, int32_t rows);
/* Plan the tile of a fused pass whose taps are set, without and with a second filter. Return false where shared memory
 * is too small. */
bool gf_cuda_fused_plan(struct gf_cuda_filter_pass *pass, struct gf_cuda_shared_memory shared);
bool gf_cuda_fused_second_plan(struct gf_cuda_filter_pass *pass, struct gf_cuda_shared_memory shared);
/* Plans the tile of a disc whose radius is set. */
void gf_cuda_bilateral_plan(struct gf_cuda_filter_pass *pass);
/* Returns the bytes of a plane that is large enough for both orientations. */
size_t gf_cuda_box_plane_bytes(int32_t width, int32_t height);
/* Whether box_columns.cu can sum down the columns, without transposed planes. */
bool gf_cuda_box_has_columns(const struct gf_cuda_box *box);

/* Sums the flat row sums at box.planes down the columns and stores the results, from source row `skip` on. Called by
 * gf_cuda_box_launch. */
cudaError_t gf_cuda_box_columns_launch(const struct gf_cuda_source *src, const struct gf_cuda_target *dst,
                                       const struct gf_cuda_box *box, size_t pitch, int32_t skip, cudaStream_t stream);

/* Compares the roots that gradient.cuh takes in one step with the right ones. Must be called once per device. */
cudaError_t gf_cuda_check_roots(bool *ret_inexact);

/* Raise the shared-memory limits of the kernels that need it. Must be called once per device, before the first
 * launch. */
cudaError_t gf_cuda_mask_prepare(void);
cudaError_t gf_cuda_any_mask_prepare(void);
cudaError_t gf_cuda_fused_prepare(void);
cudaError_t gf_cuda_box_prepare(void);
cudaError_t gf_cuda_box_columns_prepare(void); /* called by gf_cuda_box_prepare */

#ifdef __cplusplus
}
#endif
#endif
