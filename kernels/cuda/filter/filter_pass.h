/* SPDX-License-Identifier: MIT */
/*
 * One pass of a linear filter: a kernel with all that it is told but the rows and the stream. Planned by filter_plan.c,
 * launched by linear_filter.c row chunk by row chunk; each launch function is in the file of its kernel.
 */
#ifndef GF_CUDA_FILTER_PASS_H
#define GF_CUDA_FILTER_PASS_H

#include "filter_args.h"
#include "kernels/cuda/device/cuda_launch.h"

#ifdef __cplusplus
extern "C" {
#endif

#define GF_CUDA_MAX_WEIGHTS 225u /* of a mask that travels in the launch */

/* Over integers as they are stored a chain takes samples times 2 to minus this, raw_tile.cuh, which the weights make up
 * for. */
#define GF_CUDA_BYTE_BITS 133
#define GF_CUDA_SHORT_BITS 141

/* A mask that travels in the launch: square, 3 to 15 odd but not 13, anchored in the centre. */
struct gf_cuda_mask {
    int32_t side;
    union {
        float chain[GF_CUDA_MAX_WEIGHTS];  /* row by row */
        int8_t bytes[GF_CUDA_MAX_WEIGHTS]; /* of gf_cuda_mask_bytes_launch */
    } weights;
};

/* Any other mask, and the tile of a block. Output (y, x) reads input (y + ky + shift_y, x + kx + shift_x), in pixels.
 */
struct gf_cuda_any_mask {
    int32_t width, height, shift_x, shift_y;
    int32_t warps, across, chunk; /* of a block; those side by side; mask rows at a time */
    int32_t pitch;                /* of the tile, floats */
    int32_t coefs_pitch;          /* of the mask rows, floats */
    int32_t spans;                /* of a thread, side by side: 1 or 2 */
    const float *coefs;           /* on the device, row by row */
};

/* One chain of a 3 x 3 mask: which of its places are taps, bit 3 * ky + kx, and their weights. */
struct gf_cuda_chain {
    uint32_t present;
    float weight[9];
};

/* The two masks of a gradient: magnitudes of their taps, in the outer rows or columns and in the middle one. */
struct gf_cuda_gradient {
    float outer, middle;
};

/* One chain, or the magnitude of two. */
struct gf_cuda_stencil {
    uint32_t n_chains;
    struct gf_cuda_chain chains[2];
    struct gf_cuda_gradient gradient; /* of two */
    int8_t bytes[2][9];               /* of gf_cuda_raw_magnitude_launch */
};

/* Two passes of one-dimensional taps in one kernel. */
struct gf_cuda_fused {
    const float *taps_x, *taps_y; /* on the host */
    int32_t n_x, n_y, anchor_x, anchor_y;
    int32_t tile_pitch, quads, raw_pitch, ring_rows; /* struct fused_geometry */
    int32_t blocks;                                  /* of a multiprocessor at once */
    size_t shared_bytes;                             /* of a block */
};

/* Either pass of one-dimensional taps, through an f32 image `sums`, flat like the source. */
struct gf_cuda_taps {
    const float *taps; /* on the device */
    int32_t n, anchor;
    float *sums;
    size_t sums_pitch;
    float sums_outside[GF_MAX_CHANNELS]; /* columns: the row chain of a constant border */
};

/* Window sums along both axes. planes holds 4-byte sums, gf_cuda_box_plane_bytes(width, height) per channel;
 * transposed, as many, is not needed with gf_cuda_box_has_columns. */
struct gf_cuda_box {
    int32_t n_x, n_y, anchor_x, anchor_y;
    bool integers; /* exact sums; else the doubling rule in f32 */
    void *planes, *transposed;
    float rows_outside[GF_MAX_CHANNELS];       /* row sums of a constant border, doubling rule */
    int32_t outside_int[GF_MAX_CHANNELS];      /* the constant border, where sums are integers */
    int32_t rows_outside_int[GF_MAX_CHANNELS]; /* and its row sums */
};

/* A bilateral filter. */
struct gf_disc_tap;
struct gf_cuda_disc {
    int32_t radius, n;
    float range;
    int32_t chunk, pitch;           /* disc rows at a time, and floats of a row of the tile: gf_cuda_bilateral_plan */
    const struct gf_disc_tap *taps; /* on the device, n of them, row by row */
};

/* What comes between the columns and the target, enum gf_filter_after. */
struct gf_cuda_after {
    uint32_t what;
    float amount, threshold; /* AFTER_UNSHARP */
    const void *add;         /* AFTER_SUM: an f32 image, flat like the target */
    size_t add_pitch;
};

/* The taps of the two masks of a gradient, bit 3 * ky + kx: of sobel, scharr and prewitt. */
#define GF_CUDA_GRADIENT_X 0x16Du
#define GF_CUDA_GRADIENT_Y 0x1C7u

/* A second filter that gf_cuda_fused_second_launch goes on with, over what the first one makes: the magnitude of a
 * gradient. The target's factors are those of the second. */
struct gf_cuda_second {
    struct gf_cuda_pointwise between; /* of the first one, with its store */
    float scale, offset;              /* likewise */
    int32_t width, height;            /* of what it makes */
    int32_t left, right, top, bottom; /* where the border maps what is next to it: column, row; -1: the constant */
    float outside;
    struct gf_cuda_gradient gradient;
};

struct gf_cuda_filter_pass;
/* Launches a pass for some rows: of the target, or of the source where the pass is of_source. Reads only source rows
 * that these need. Asynchronous, allocates nothing; returns the launch error. */
typedef cudaError_t gf_cuda_filter_launch_fn(const struct gf_cuda_filter_pass *pass, struct gf_cuda_row_chunk rows,
                                             cudaStream_t stream);

struct gf_cuda_filter_pass {
    gf_cuda_filter_launch_fn *launch;
    bool of_source;
    struct gf_cuda_source src;
    struct gf_cuda_target dst;
    struct gf_cuda_pointwise prologue; /* of gf_cuda_fused_launch and gf_cuda_fused_second_launch */
    struct gf_cuda_after after;        /* of gf_cuda_columns_launch and gf_cuda_fused_launch */
    struct gf_cuda_second second;      /* of gf_cuda_fused_second_launch */
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

/* Masks in the launch. Over samples as they are stored, for a target as has_raw_kernel() of mask_plan.c says: the chain
 * by the type of the source, or sums of bytes. Over any: gf_cuda_mask_launch. */
gf_cuda_filter_launch_fn gf_cuda_mask_u8_launch, gf_cuda_mask_bytes_launch, gf_cuda_mask_u16_launch,
    gf_cuda_mask_f32_launch, gf_cuda_mask_launch;
gf_cuda_filter_launch_fn gf_cuda_any_mask_launch;
/* Stencils: over any samples; the magnitude over bytes as they are stored. */
gf_cuda_filter_launch_fn gf_cuda_stencil_launch, gf_cuda_raw_magnitude_launch;
/* Two passes in one; the rows, of the source, to sums; the columns from those. */
gf_cuda_filter_launch_fn gf_cuda_fused_launch, gf_cuda_rows_launch, gf_cuda_columns_launch;
/* Two passes in one and a second filter behind them, over one channel. */
gf_cuda_filter_launch_fn gf_cuda_fused_second_launch;
gf_cuda_filter_launch_fn gf_cuda_bilateral_launch;
/* All kernels of a box. */
gf_cuda_filter_launch_fn gf_cuda_box_launch;

/* Parts of the plan that belong to a kernel; no call of CUDA. */

/* Which kernel a mask or a stencil gets, and its weights; source and target of the pass are set. Of a mask that does
 * not travel in the launch only size and shifts are set: gf_cuda_any_mask_plan does the rest. In mask_plan.c. */
struct gf_filter;
void gf_cuda_mask_plan(struct gf_cuda_filter_pass *pass, const struct gf_filter *f);
void gf_cuda_stencil_plan(struct gf_cuda_filter_pass *pass, const struct gf_filter *f);
/* The taps of a filter that is a magnitude. */
struct gf_cuda_gradient gf_cuda_gradient_of(const struct gf_filter *f);
/* The tile of a mask whose size and shifts are set, for row chunks of so many rows. */
void gf_cuda_any_mask_plan(struct gf_cuda_filter_pass *pass, struct gf_cuda_shared_memory shared, int32_t rows);
/* The tile of two passes in one whose taps are set; false where it has no room and there are two kernels. Of one that a
 * second filter follows, likewise. */
bool gf_cuda_fused_plan(struct gf_cuda_filter_pass *pass, struct gf_cuda_shared_memory shared);
bool gf_cuda_fused_second_plan(struct gf_cuda_filter_pass *pass, struct gf_cuda_shared_memory shared);
/* The tile of a disc whose radius is set. */
void gf_cuda_bilateral_plan(struct gf_cuda_filter_pass *pass);
/* Bytes of one plane that serves both orientations. */
size_t gf_cuda_box_plane_bytes(int32_t width, int32_t height);
/* True where sums down the columns need no transposed planes, in box_columns.cu. */
bool gf_cuda_box_has_columns(const struct gf_cuda_box *box);

/* From flat sums of rows at box.planes to the target, from row `skip` of the source on. Called by gf_cuda_box_launch.
 */
cudaError_t gf_cuda_box_columns_launch(const struct gf_cuda_source *src, const struct gf_cuda_target *dst,
                                       const struct gf_cuda_box *box, size_t pitch, int32_t skip, cudaStream_t stream);

/* Raise the shared-memory limits of the kernels that need it; once per device, before the first launch. */
cudaError_t gf_cuda_mask_prepare(void);
cudaError_t gf_cuda_any_mask_prepare(void);
cudaError_t gf_cuda_fused_prepare(void);
cudaError_t gf_cuda_box_prepare(void);
cudaError_t gf_cuda_box_columns_prepare(void); /* called by gf_cuda_box_prepare */

#ifdef __cplusplus
}
#endif
#endif
