/* SPDX-License-Identifier: MIT */
/* Runs programs, and tells what a program needs and how a run went. Included by gpufilter/client.h. */
#ifndef GPUFILTER_RUN_H
#define GPUFILTER_RUN_H

#include <stddef.h>

#include "types.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Runs a program and waits for its results. `call` NULL takes every default. On device "cuda:all" each GPU computes a
 * slab of the rows; steps that need all rows at once, and resident buffers, are UNSUPPORTED there.
 *
 * Memory: operands and results in gpufilter_alloc memory are not copied; all others are copied once. A result may
 * overlap operands, in whole or in part: it is stored elsewhere first and copied to its place when the answer is there,
 * so that the request reads its operands as they were, however often it is sent. Two results must not overlap in the
 * same gpufilter_alloc memory, even where only their rows interleave (OVERLAP). Data in ordinary memory goes through
 * the socket at first; from a client's second large run on it is copied through memory shared with the daemon, which
 * the client keeps until the 32 to 64 latest requests have needed less. A result without memory gets shared memory if
 * an operand has it. On failure the contents of results are undefined, and nothing stays allocated.
 *
 * If the connection ends before an answer, the request is sent again (see gpufilter_open). The daemon itself answers
 * DEADLINE; if it stays silent for two more seconds, the call ends with TIMEOUT. After TIMEOUT, CONNECTION_LOST,
 * SHUTDOWN and BAD_REPLY the next call reconnects. After these, after INTERRUPTED, and after a run that was sent more
 * than once (gpufilter_times.attempts), the daemon may still be writing to results in gpufilter_alloc memory: free that
 * memory, do not reuse it.
 *
 * Errors: BAD_REQUEST, UNKNOWN_OP, UNKNOWN_PARAM, BAD_PARAM, BAD_VIEW, BAD_DTYPE, TOO_LARGE, OVERLAP and
 * OUTPUT_TOO_SMALL from the program itself, found before anything is sent (OUTPUT_TOO_SMALL: a result ends beyond its
 * gpufilter_alloc memory); NO_DEVICE, WRONG_DEVICE, DEADLINE, BUSY, QUOTA, DEVICE_LOST, REQUEST_POISON, NO_MEMORY,
 * NO_DEVICE_MEMORY, SHUTDOWN, INTERNAL from the daemon; INTERRUPTED, TIMEOUT, CONNECTION_LOST, NO_DAEMON, BAD_REPLY,
 * FORKED, BAD_ARGUMENT, and for resident buffers NO_SUCH_HANDLE, HANDLE_LOST and DEPENDENCY, from the library.
 */
int gpufilter_run(gpufilter_client *client, const gpufilter_step *steps, uint32_t n_steps,
                  const gpufilter_view *operands, uint32_t n_operands, gpufilter_result *results, uint32_t n_results,
                  const gpufilter_call *call, gpufilter_error *err);

/*
 * Runs a program given as text: steps separated by '|', each an operation's name and name=value pairs, e.g.
 *   gaussian sigma=2 border=reflect101 | box size=5x3
 *   correlate mask='1 2 1; 2 4 2; 1 2 1' normalize=sum
 *   gaussian sigma=1 | gaussian src=#0 sigma=2 | combine other=#1 mode=absdiff
 * Values with blanks, '|' or ';' need single or double quotes. A mask may be given as a matrix, rows separated by ';'.
 *
 * Inputs: the first input of the first step is operand 0, and the first input of a later step is output 0 of the
 * preceding step; if that output is a table (a histogram, a reduction), the input of the preceding step is used
 * instead. Any input may be given by name: @1 is operand 1, #0 is operand 0, #2 is output 0 of step 2, and #2.edges is
 * its output of that name. A further input that is not named is the next unused operand; an optional one may be
 * omitted. Every operand must be an input of a step. Steps are counted from 1 everywhere, operands and results from 0.
 *
 * Results and errors as for gpufilter_run; BAD_REQUEST, UNKNOWN_OP, UNKNOWN_PARAM and BAD_PARAM name the column of the
 * text, from 1.
 */
int gpufilter_run_text(gpufilter_client *client, const char *text, const gpufilter_view *operands, uint32_t n_operands,
                       gpufilter_result *results, uint32_t n_results, const gpufilter_call *call, gpufilter_error *err);

/* Ends the call that is waiting on a client, for a user who does not want to wait any longer. May be called by any
 * thread and by a signal handler, at any time while the client is open. gpufilter_run and the other calls that run a
 * program cancel it and return INTERRUPTED, or OK if it was too late. gpufilter_wait returns INTERRUPTED and its
 * requests stay pending. Other calls return INTERRUPTED. Against a daemon that is silent for two seconds the call ends
 * the connection. If no call is waiting, the next one that would wait is ended; a program that goes on with the client
 * repeats that call. An attempt to connect that is in progress, and the start of a daemon (see options.autostart), come
 * to their end first. Returns GPUFILTER_OK, BAD_ARGUMENT for NULL, or FORKED. */
int gpufilter_interrupt(gpufilter_client *client);

/* ---- Without a daemon ---- */

/* Checks a program and stores the shape and type of every requested output, without gaps, in results[i].view, except
 * for results that have memory or name a resident buffer: their views must have that shape and are not changed. Reads
 * no operand data, but the data of an operand must not be NULL. Errors: those that gpufilter_run finds before it sends
 * anything, except for OVERLAP, OUTPUT_TOO_SMALL and the errors of resident buffers, which depend on the client's
 * memory. */
int gpufilter_infer(const gpufilter_step *steps, uint32_t n_steps, const gpufilter_view *operands, uint32_t n_operands,
                    gpufilter_result *results, uint32_t n_results, gpufilter_error *err);
/* The same for a program as text. */
int gpufilter_infer_text(const char *text, const gpufilter_view *operands, uint32_t n_operands,
                         gpufilter_result *results, uint32_t n_results, gpufilter_error *err);

/* A side of a halo on which all pixels are needed. */
#define GPUFILTER_ALL 0xFFFFFFFFu

/* How far around a tile of its result a program reads its operands, see gpufilter_reach. */
typedef struct gpufilter_halo {
    uint32_t struct_size;
    uint32_t left, right;   /* pixels; both GPUFILTER_ALL: whole rows */
    uint32_t above, below;  /* pixels; both GPUFILTER_ALL: whole columns */
    uint32_t before, after; /* planes; 0 in this version */
    uint32_t wrap_x;        /* 1: pixels beyond the left or right edge come from the opposite side */
    uint32_t wrap_y;        /* 1: pixels beyond the top or bottom edge come from the opposite side */
    uint32_t wrap_z;        /* 0 in this version */
    uint64_t tiled;         /* bit i: operand i is cut into tiles; each tile needs the whole of all other operands */
} gpufilter_halo;

#define GPUFILTER_HALO_INIT                                                                                            \
    {                                                                                                                  \
        sizeof(gpufilter_halo), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0                                                           \
    }

/*
 * Finds how far around a tile of its results a program reads its operands, so that a picture can be cut into tiles that
 * are computed anywhere and in any order. Reads no operand data, only the shapes of the whole operands; ignores
 * view.data of results. Fills the members that halo->struct_size covers. Errors: the same as gpufilter_infer.
 *
 * A tile of pixels x0 to x1 - 1 and y0 to y1 - 1 of every requested result has the same bits as in the whole picture if
 * the program runs on columns x0 - left to x1 - 1 + right and rows y0 - above to y1 - 1 + below of every tiled operand,
 * and on the whole of the other operands. The tile begins `left` and `above` pixels from the edge of the result of that
 * run. If these columns or rows exceed the picture's edge, they end there and the border supplies the rest; but with
 * wrap_x or wrap_y set they continue from the opposite side, as if the picture were repeated. If a tiled operand has
 * fewer columns or rows than another one, as after size=valid, its columns or rows end as many earlier.
 *
 * A step that needs a whole row (a scan, a reduction, matmul) or moves pixels along it (flip, pad, crop at) makes left
 * and right GPUFILTER_ALL, and one that needs a whole column makes above and below GPUFILTER_ALL. A step that needs
 * everything (histogram, equalize, threshold without a value, stats, integral, select, label, distance, rotate,
 * transpose, crop to a size) makes all four GPUFILTER_ALL. So do results that differ in size, and two borders along one
 * axis if only one of them is wrap.
 *
 * The halo is never too small. It is too large where weights are 0 (coefficients of a mask, the outer weights of
 * gaussian, unsharp and log beyond about 14 sigma, sharpen amount=0), for inner tiles if the anchor is off-centre and
 * the border reflects, and for steps whose results are not used, because they run too. Integer operations that are
 * refused because the whole might overflow (RESULT_OVERFLOW of convolve1d, matmul, scan) may succeed on tiles; their
 * results are then correct.
 */
int gpufilter_reach(const gpufilter_step *steps, uint32_t n_steps, const gpufilter_view *operands, uint32_t n_operands,
                    const gpufilter_result *results, uint32_t n_results, gpufilter_halo *halo, gpufilter_error *err);
/* The same for a program as text. */
int gpufilter_reach_text(const char *text, const gpufilter_view *operands, uint32_t n_operands,
                         const gpufilter_result *results, uint32_t n_results, gpufilter_halo *halo,
                         gpufilter_error *err);

/* Every number and name of this library's interface as JSON: statuses, types, enums with the numbers of their words,
 * operations with inputs, outputs and parameters, and attributes of the protocol. The key `format` is 1 and grows if a
 * key changes its meaning; keys may be added. The same text is in the file ops.json of the installed library, and
 * ops.schema.json beside it describes the keys. Static text; NULL if there is no memory to make it. */
const char *gpufilter_ops_json(void);

/* ---- Times ---- */

/* Times of a run, in nanoseconds. */
typedef struct gpufilter_times {
    uint32_t struct_size;
    uint32_t n_copied;      /* operands and results that the library copied; 0 if all were in gpufilter_alloc memory
                             * and no result overlapped an operand */
    uint64_t queue_ns;      /* from the request being read to its start on the device */
    uint64_t copy_in_ns;    /* to the device */
    uint64_t kernel_ns;     /* computing */
    uint64_t copy_out_ns;   /* from the device */
    uint64_t total_ns;      /* in the daemon: from the request being read to the answer */
    uint64_t round_trip_ns; /* in this process: the whole call, or from gpufilter_submit until the answer was read */
    uint32_t attempts;      /* how often the request was sent: 1, and 1 more for each connection lost with it */
    uint32_t reserved;      /* 0 */
    char device[72];        /* device that ran it: "cpu", "cuda:0" */
    char why[160];          /* why it ran on that device: "cuda:0 0.31 ms, cpu 2.1 ms"; "" if the daemon does not say */
} gpufilter_times;

#define GPUFILTER_TIMES_INIT                                                                                           \
    {                                                                                                                  \
        sizeof(gpufilter_times), 0, 0, 0, 0, 0, 0, 0, 0, 0, "", ""                                                     \
    }

/* The times of the latest successful run, or of the latest answer taken. Fills the members that times->struct_size
 * covers. BAD_ARGUMENT if nothing has run yet. */
int gpufilter_last_times(gpufilter_client *client, gpufilter_times *times, gpufilter_error *err);

/* Names the latest request whose answer was taken, whether it succeeded or failed, as the daemon's log does: node,
 * number of the connection there, number of the request, "node1/523/17". "" before the first, after a call of
 * gpufilter_run that sent nothing, or if the daemon does not say. Owned by the client; the next call may change it. */
const char *gpufilter_last_request(const gpufilter_client *client);

/* The kind of a span. Later versions may add kinds. */
enum gpufilter_stage {
    GPUFILTER_STAGE_QUEUE = 1,    /* in the daemon: from the request being read to its start on the device */
    GPUFILTER_STAGE_COPY_IN = 2,  /* to the device */
    GPUFILTER_STAGE_KERNEL = 3,   /* computing */
    GPUFILTER_STAGE_COPY_OUT = 4, /* from the device */
    GPUFILTER_STAGE_PREPARE = 64, /* in this process: allocating memory, copying to memory shared with the daemon */
    GPUFILTER_STAGE_SEND = 65,    /* the request, with operands that go through the socket */
    GPUFILTER_STAGE_WAIT = 66,
    GPUFILTER_STAGE_RECEIVE = 67, /* results that come through the socket */
    GPUFILTER_STAGE_DELIVER = 68  /* copying from memory shared with the daemon */
};

/* One span of time of a run. Spans of the device may overlap. The struct may grow at its end, see
 * gpufilter_last_spans. */
typedef struct gpufilter_span {
    uint32_t stage;    /* enum gpufilter_stage */
    uint32_t step;     /* of the program, from 1; 0: of none */
    uint64_t begin_ns; /* on CLOCK_MONOTONIC */
    uint64_t length_ns;
} gpufilter_span;

/* Copies up to `room` spans of the run of gpufilter_last_times and stores the total number: first the spans of this
 * process, then the daemon's, each roughly in order of their begin; none if the run had no GPUFILTER_CALL_TRACE.
 * span_size is sizeof(gpufilter_span). Error: BAD_ARGUMENT. */
int gpufilter_last_spans(gpufilter_client *client, gpufilter_span *spans, size_t span_size, uint32_t room,
                         uint32_t *ret_n, gpufilter_error *err);

#ifdef __cplusplus
}
#endif
#endif
