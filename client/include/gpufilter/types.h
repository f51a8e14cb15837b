/* SPDX-License-Identifier: MIT */
/* What the calls of the library take and give: errors, data, programs, results. Included by gpufilter/client.h. */
#ifndef GPUFILTER_TYPES_H
#define GPUFILTER_TYPES_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "codes.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A connection to a daemon, with the memory that it shares with the daemon. */
typedef struct gpufilter_client gpufilter_client;

/* Why a call failed. */
typedef struct gpufilter_error {
    int32_t status;    /* GPUFILTER_E_..., the call's return value */
    uint32_t retry_ms; /* BUSY, QUOTA, SHUTDOWN: time before a retry; 0 if the server does not say */
    uint64_t needed;   /* OUTPUT_TOO_SMALL, TOO_LARGE, QUOTA of bytes: the bytes needed, 0 if not known; otherwise 0 */
    char text[256];    /* a message: the field, its value, the allowed values */
} gpufilter_error;

/* ---- Data ---- */

/* Data and its shape: a picture of interleaved channels, rows from the top, or an array (channels 1; height 1 if it has
 * one dimension). The caller owns the memory. Members that are not named in an initialiser are 0, which suits most
 * pictures: {.data = pixels, .width = 640, .height = 480, .dtype = GPUFILTER_U8, .channels = 3}. */
typedef struct gpufilter_view {
    void *data;           /* first sample; never written if the view is an operand, see gpufilter_const_view */
    uint64_t width;       /* pixels or elements of a row */
    uint64_t height;      /* rows */
    uint64_t depth;       /* planes; 0 and 1: one. More are BAD_VIEW in this version */
    uint64_t pitch;       /* bytes from row to row, a multiple of the element size; 0: rows without gaps */
    uint64_t plane_pitch; /* bytes from plane to plane; 0: planes without gaps. Without effect on one plane */
    uint32_t dtype;       /* GPUFILTER_U8, ... */
    uint32_t channels;    /* 1..4 */
    uint32_t alpha;       /* what the last of 2 or 4 channels is: GPUFILTER_VIEW_NO_ALPHA, or _STRAIGHT_ALPHA */
    uint32_t reserved;    /* 0 */
} gpufilter_view;

/* gpufilter_view.alpha. A step that does not set its parameter alpha takes `auto` for a picture with alpha, and
 * `straight` for any other; see Alpha in numerics.md of gpufilterd-doc. Operations pass alpha on to the steps behind
 * them. The library sets the member in views that it fills in. */
#define GPUFILTER_VIEW_NO_ALPHA 0u       /* a sample like the others */
#define GPUFILTER_VIEW_STRAIGHT_ALPHA 1u /* alpha; the colours are not multiplied by it */

/* A view of rows without gaps. */
static inline gpufilter_view gpufilter_tight_view(void *data, uint64_t width, uint64_t height, uint32_t dtype,
                                                  uint32_t channels)
{
    gpufilter_view view = {data, width, height, 0, 0, 0, dtype, channels, 0, 0};
    return view;
}

/* The same of data that is only read, from a pointer to const without a cast. Use it only for operands; a result would
 * be written to. (One type serves both, because results become operands.) */
static inline gpufilter_view gpufilter_const_view(const void *data, uint64_t width, uint64_t height, uint32_t dtype,
                                                  uint32_t channels)
{
    gpufilter_view view = gpufilter_tight_view(NULL, width, height, dtype, channels);
    memcpy(&view.data, &data, sizeof(data));
    return view;
}

/* ---- Programs ---- */

/* Marks an unset entry of a list parameter (sigma, border_value, ...); all entries after it must be unset too. If only
 * the first entry is set, it applies to all. The _INIT macros leave lists unset. No list can contain these values: the
 * integer is above all ranges, and no arithmetic produces these NaNs. */
#define GPUFILTER_UNSET_U32 0xFFFFFFFFu
#define GPUFILTER_UNSET_F32 (__builtin_nanf("0x6766"))
#define GPUFILTER_UNSET_F64 (__builtin_nan("0x6766"))

/* One operation of a program. A program is an array of 1 to 64 steps, each on operands or on outputs of earlier steps.
 *
 *     gpufilter_gaussian_params fine = GPUFILTER_GAUSSIAN_INIT, coarse = GPUFILTER_GAUSSIAN_INIT;
 *     gpufilter_combine_params difference = GPUFILTER_COMBINE_INIT;
 *     fine.sigma[0] = 1, coarse.sigma[0] = 2, difference.mode = GPUFILTER_COMBINE_MODE_ABSDIFF;
 *     const gpufilter_step steps[] = {{&fine, NULL}, {&coarse, "src=@0"}, {&difference, "src=#1 other=#2"}};
 */
typedef struct gpufilter_step {
    const void *params; /* the operation's struct of gpufilter/ops.h, made by its _INIT macro, which also says which
                         * operation it is. Views in it must be NULL: inputs are named here, outputs by results */
    const char *inputs; /* the inputs that are named, "src=#1 other=@2", as gpufilter_run_text has them; NULL: none */
} gpufilter_step;

/* How to run a program: defaults of the client for one call. */
typedef struct gpufilter_call {
    uint32_t struct_size;
    uint32_t deadline_ms;    /* time limit for the answer; 0: the client's default */
    const char *device;      /* "auto", "cpu", "cuda:0", a device's UUID or "cuda:all", see gpufilter_run; NULL: the
                              * client's default */
    uint32_t flags;          /* GPUFILTER_CALL_... */
    uint32_t reserved;       /* 0 */
    const char *traceparent; /* the caller's span, in the form of W3C Trace Context, version 00, as in
                              * "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01": lines of the daemon's log
                              * about the request name it; NULL: $TRACEPARENT of when the client was opened, if it is
                              * set */
} gpufilter_call;

#define GPUFILTER_CALL_INIT                                                                                            \
    {                                                                                                                  \
        sizeof(gpufilter_call), 0, NULL, 0, 0, NULL                                                                    \
    }

/* Steps that work sample by sample are not fused with neighbouring steps. The results have the same bits either way;
 * this serves to compare time and memory. gpufilter_times.why says which steps were fused. */
#define GPUFILTER_CALL_UNFUSED 1u
/* Records spans for gpufilter_last_spans. It costs some microseconds per run, and on a GPU some per row chunk. */
#define GPUFILTER_CALL_TRACE 2u

/* ---- Results ---- */

/* As view.data of a result: the output stays on the daemon's device, see gpufilter_result. */
#define GPUFILTER_RESIDENT ((void *)1)

/*
 * A requested output and its destination. The same output may be requested twice, and any output may be left out.
 * view.data selects one of three destinations:
 *
 * An address: the output is stored there. The view must have the shape and type of the output (see gpufilter_infer) and
 * may have any pitch; bytes between rows are not changed. The library does not change the view: a pitch of 0 stays 0,
 * so that the view can be used again for a picture of another width.
 *
 * NULL: the library allocates memory without gaps and fills in the complete view. The caller frees view.data by
 * gpufilter_free.
 *
 * GPUFILTER_RESIDENT: the output becomes a resident buffer, which stays on the device. The library fills in a view of
 * it without gaps, whose data is an address that names the buffer and must not be read or written. An operand may be
 * the whole buffer or any part of it, found by pointer arithmetic (view.data + y * pitch + x * pixel, with the pitch of
 * the complete buffer). A result must be the whole buffer, and replaces its contents. gpufilter_copy (ops.h) copies
 * data to a resident buffer and back. Masks and lists cannot be resident. A buffer that was freed, or belongs to
 * another client, is NO_SUCH_HANDLE; no later buffer and no memory has its address. Where pointers have 32 bits,
 * resident buffers are UNSUPPORTED.
 *
 * All resident buffers of a client are on one device: the device of its options, otherwise the device of the first run
 * that makes one. A run that names another device is WRONG_DEVICE. Resident buffers last until gpufilter_free or
 * gpufilter_close, and are lost with the connection or the device (HANDLE_LOST).
 */
typedef struct gpufilter_result {
    gpufilter_view view;
    const char *output; /* "#2.edges": output `edges` of step 2, counted from 1; "#2": its first output; "edges": an
                         * output of the last step; NULL: its first output */
} gpufilter_result;

/* The first output of the last step, into memory allocated by the library. */
#define GPUFILTER_RESULT_INIT                                                                                          \
    {                                                                                                                  \
        {NULL, 0, 0, 0, 0, 0, 0, 0, 0, 0}, NULL                                                                        \
    }

#ifdef __cplusplus
}
#endif
#endif
