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
    uint32_t status;   /* GPUFILTER_E_..., the call's return value */
    uint32_t retry_ms; /* BUSY, QUOTA, SHUTDOWN: time before a retry; 0 if the server does not say */
    uint64_t needed;   /* OUTPUT_TOO_SMALL, TOO_LARGE, QUOTA: the bytes needed; otherwise 0 */
    char text[256];    /* a message: the field, its value, the allowed values */
} gpufilter_error;

/* "OUTPUT_TOO_SMALL", and "output too small"; for other numbers "UNKNOWN" and "unknown status". Static text. */
const char *gpufilter_status_name(uint32_t status);
const char *gpufilter_status_text(uint32_t status);
/* Version of the library, "0.1.0". Static text. */
const char *gpufilter_version(void);

/* ---- Data ---- */

/* Data and its shape: a picture of interleaved channels, rows from the top, or an array (channels 1; height 1 if it has
 * one dimension). The caller owns the memory. */
typedef struct gpufilter_view {
    void *data;        /* first sample; never written if the view is an operand, see gpufilter_const_view */
    uint64_t width;    /* pixels or elements of a row */
    uint64_t height;   /* rows */
    uint64_t pitch;    /* bytes from row to row, a multiple of the element size; 0: rows without gaps */
    uint32_t dtype;    /* GPUFILTER_U8, ... */
    uint32_t channels; /* 1..4 */
} gpufilter_view;

/* A view of data that is only read, made from a pointer to const without a cast. Use it only for operands; a result
 * would be written to. (One type serves both, because results become operands.) */
static inline gpufilter_view gpufilter_const_view(const void *data, uint64_t width, uint64_t height, uint64_t pitch,
                                                  uint32_t dtype, uint32_t channels)
{
    gpufilter_view view = {NULL, width, height, pitch, dtype, channels};
    memcpy(&view.data, &data, sizeof(data));
    return view;
}

/* ---- Programs ---- */

/* Values of one parameter; a parameter that is not given has its default. The size shows a double where a float is
 * wanted, and is refused then (BAD_PARAM). */
typedef struct gpufilter_param {
    uint32_t id;        /* GPUFILTER_GAUSSIAN_SIGMA, ... */
    uint32_t count;     /* number of values, 1..4, or of characters; 0: not given */
    size_t size;        /* bytes of all values: sizeof the variable or array */
    const void *values; /* float or double as the operation's struct of ops.h has it, uint32_t for whole numbers and
                         * enums, char for texts */
} gpufilter_param;

/* Marks an unset entry of a list parameter (sigma, border_value, ...); all entries after it must be unset too. If only
 * the first entry is set, it applies to all. The _INIT macros of ops.h leave lists unset. No list can contain these
 * values: the integer is above all ranges, and no arithmetic produces these NaNs. */
#define GPUFILTER_UNSET_U32 0xFFFFFFFFu
#define GPUFILTER_UNSET_F32 (__builtin_nanf("0x6766"))
#define GPUFILTER_UNSET_F64 (__builtin_nan("0x6766"))

/* The source of a step's input; NOTHING is for optional inputs. */
#define GPUFILTER_FROM_OPERAND 0
#define GPUFILTER_FROM_STEP 1
#define GPUFILTER_FROM_NOTHING 2

typedef struct gpufilter_ref {
    uint8_t from;   /* GPUFILTER_FROM_...: operand `index`, output `output` of the earlier step `index`, or nothing */
    uint8_t output; /* 0 unless from a step */
    uint16_t index; /* from 0; 0 for nothing */
} gpufilter_ref;

/* One operation of a program. */
typedef struct gpufilter_step {
    uint32_t op;                   /* GPUFILTER_OP_GAUSSIAN, ... */
    uint32_t n_inputs;             /* in the operation's order; omitted inputs at the end may be missing */
    const gpufilter_ref *inputs;   /* e.g. picture, then mask */
    const gpufilter_param *params; /* NULL if n_params is 0 */
    uint32_t n_params;
} gpufilter_step;

/* A program: 1 to 64 steps, each on operands or on outputs of earlier steps. */
typedef struct gpufilter_program {
    uint32_t struct_size;
    uint32_t n_steps;
    const gpufilter_step *steps;
    const char *device;   /* "auto", "cpu", "cuda:0", a device's UUID or "cuda:all", see gpufilter_run; NULL: the
                           * client's default */
    uint32_t deadline_ms; /* time limit for the answer; 0: the client's default */
} gpufilter_program;

#define GPUFILTER_PROGRAM_INIT                                                                                         \
    {                                                                                                                  \
        sizeof(gpufilter_program), 0, NULL, NULL, 0                                                                    \
    }

/* ---- Results ---- */

/* The last step of a program, as gpufilter_result.step. */
#define GPUFILTER_LAST_STEP 0xFFFFFFFFu

/* As view.data of a result: the output stays on the daemon's device, see gpufilter_result. */
#define GPUFILTER_RESIDENT ((void *)1)

/*
 * A requested output and its destination. The same output may be requested twice. view.data selects one of three
 * destinations:
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
    uint32_t step;   /* of the program, from 0, or GPUFILTER_LAST_STEP */
    uint32_t output; /* of that step, from 0 */
} gpufilter_result;

/* Output 0 of the last step, into memory allocated by the library. */
#define GPUFILTER_RESULT_INIT                                                                                          \
    {                                                                                                                  \
        {NULL, 0, 0, 0, 0, 0}, GPUFILTER_LAST_STEP, 0                                                                  \
    }

#ifdef __cplusplus
}
#endif
#endif
