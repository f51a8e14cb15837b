/* SPDX-License-Identifier: MIT */
/*
 * libgpufilterclient: has gpufilterd process images and arrays, over its Unix socket. Depends on libc alone.
 *
 * The simplest interface is one call per operation, from gpufilter/ops.h:
 *
 *     gpufilter_client *client;
 *     gpufilter_error err;
 *     if (gpufilter_open(NULL, &client, &err) != GPUFILTER_OK) { fprintf(stderr, "%s\n", err.text); return 1; }
 *     gpufilter_view src = {pixels, 1920, 1080, 0, GPUFILTER_U8, 3}, dst = {blurred, 1920, 1080, 0, GPUFILTER_U8, 3};
 *     gpufilter_gaussian_params params = GPUFILTER_GAUSSIAN_INIT;
 *     params.sigma[0] = 3;
 *     if (gpufilter_gaussian(client, &src, &dst, &params, &err) != GPUFILTER_OK) fprintf(stderr, "%s\n", err.text);
 *     gpufilter_close(client);
 *
 * Functions that can fail return a status, GPUFILTER_OK or another number of gpufilter/codes.h, and fill `err`, which
 * may be NULL, on failure only. Results returned through pointers are written on success only.
 *
 * Threads: one client object is used by one thread at a time; different objects are independent. Between calls the
 * library has no thread; within one, data of 2 MiB and more in memory of the program is copied by up to four, on half
 * of the cores at most, and they take no signals. It changes no signal handling. After fork() the child may not use a
 * client of its parent (FORKED), only close it. Every descriptor is close-on-exec.
 *
 * Layout: structs that begin with `struct_size` may grow at their end in later versions. Initialise each with its _INIT
 * macro, which sets that member to the sizeof and all others to their defaults; for members that an earlier header does
 * not have, the library takes the defaults. Without a size a struct is refused (BAD_ARGUMENT). All other structs never
 * change.
 */
#ifndef GPUFILTER_CLIENT_H
#define GPUFILTER_CLIENT_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "codes.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A connection to a daemon, with the memory it shares with it. */
typedef struct gpufilter_client gpufilter_client;

/* Why a call failed. */
typedef struct gpufilter_error {
    uint32_t status;   /* GPUFILTER_E_..., the call's return value */
    uint32_t retry_ms; /* BUSY, QUOTA, SHUTDOWN: when to try again; 0 when the server does not say */
    uint64_t needed;   /* OUTPUT_TOO_SMALL, TOO_LARGE, QUOTA: the bytes that would be needed; else 0 */
    char text[256];    /* a message: the field, its value, the allowed values */
} gpufilter_error;

/* Data and its shape: a picture of interleaved channels, rows from the top, or an array (channels 1, height 1 where it
 * has one dimension). The memory belongs to the caller. */
typedef struct gpufilter_view {
    void *data;        /* first sample; never written to where the view is an operand, see gpufilter_const_view */
    uint64_t width;    /* pixels or elements of a row */
    uint64_t height;   /* rows */
    uint64_t pitch;    /* bytes from row to row, a multiple of the element size; 0: rows without gaps */
    uint32_t dtype;    /* GPUFILTER_U8, ... */
    uint32_t channels; /* 1..4 */
} gpufilter_view;

/* A view of data that is only read: from a pointer to const, without a cast. It is for operands; a result would be
 * written to. (One type serves both, since results become operands.) */
static inline gpufilter_view gpufilter_const_view(const void *data, uint64_t width, uint64_t height, uint64_t pitch,
                                                  uint32_t dtype, uint32_t channels)
{
    gpufilter_view view = {NULL, width, height, pitch, dtype, channels};
    memcpy(&view.data, &data, sizeof(data));
    return view;
}

/* Values of one parameter; a parameter that is not given takes its default. */
typedef struct gpufilter_param {
    uint32_t id;        /* GPUFILTER_GAUSSIAN_SIGMA, ... */
    uint32_t count;     /* how many values, 1..4; 0: as if not given */
    const void *values; /* float or double for numbers with a fraction, uint32_t for whole numbers and enums */
} gpufilter_param;

/* Marks an unset entry of a list parameter (sigma, border_value, ...); all entries after it are unset too. Where only
 * the first entry is set, it applies to all. The _INIT macros of ops.h leave lists unset. None is a value of any
 * list: one is above all ranges, the others are NaN that arithmetic does not produce. */
#define GPUFILTER_UNSET_U32 0xFFFFFFFFu
#define GPUFILTER_UNSET_F32 (__builtin_nanf("0x6766"))
#define GPUFILTER_UNSET_F64 (__builtin_nan("0x6766"))

/* Where an input of a step comes from; NOTHING is for optional inputs. */
#define GPUFILTER_FROM_OPERAND 0
#define GPUFILTER_FROM_STEP 1
#define GPUFILTER_FROM_NOTHING 2

typedef struct gpufilter_ref {
    uint8_t from;   /* GPUFILTER_FROM_...: operand `index`, output `output` of the earlier step `index`, or nothing */
    uint8_t output; /* 0 unless from a step */
    uint16_t index; /* 0 for nothing */
} gpufilter_ref;

/* One operation of a program. */
typedef struct gpufilter_step {
    uint32_t op;                   /* GPUFILTER_OP_GAUSSIAN, ... */
    uint32_t n_inputs;             /* in the operation's order; those left out at the end may be missing */
    const gpufilter_ref *inputs;   /* e.g. picture, then mask */
    const gpufilter_param *params; /* NULL when n_params is 0 */
    uint32_t n_params;
} gpufilter_step;

/* A program: 1 to 64 steps, each on operands or on outputs of earlier steps. */
typedef struct gpufilter_program {
    uint32_t struct_size;
    uint32_t n_steps;
    const gpufilter_step *steps;
    const char *device;   /* "auto", "cpu", "cuda:0", a device's UUID or "cuda:all", see gpufilter_run; NULL: as
                           * the client was opened with */
    uint32_t deadline_ms; /* the answer is wanted within; 0: as the client was opened with */
} gpufilter_program;

#define GPUFILTER_PROGRAM_INIT                                                                                         \
    {                                                                                                                  \
        sizeof(gpufilter_program), 0, NULL, NULL, 0                                                                    \
    }

/* The last step of a program, as gpufilter_result.step. */
#define GPUFILTER_LAST_STEP 0xFFFFFFFFu

/* As view.data of a result: the output stays on the daemon's device, see gpufilter_result. */
#define GPUFILTER_RESIDENT ((void *)1)

/* A requested output and its destination. With view.data set, the view must have the shape and type of that output (see
 * gpufilter_infer) and may have any pitch; bytes between rows are not changed. With view.data NULL the library
 * allocates memory without gaps and fills in the complete view; the caller frees view.data by gpufilter_free. The same
 * output may be requested twice. With view.data GPUFILTER_RESIDENT the output becomes a resident buffer: it stays on
 * the device, and the library fills in a view of it without gaps. view.data is then an address that must not be read or
 * written, but names the buffer: in operands, all of it or any part of it by pointer arithmetic (view.data + y * pitch
 * + x * pixel, with the pitch of the complete buffer); in results, all of it, and its contents are replaced.
 * gpufilter_copy (ops.h) copies data to a resident buffer and back. All resident buffers of a client are on one device:
 * that of its options, else of the first run that makes one; a run that names another is WRONG_DEVICE. They last until
 * gpufilter_free or gpufilter_close, and are lost with the connection or the device (HANDLE_LOST). Masks and lists
 * cannot be resident. */
typedef struct gpufilter_result {
    gpufilter_view view;
    uint32_t step;   /* of the program, from 0, or GPUFILTER_LAST_STEP */
    uint32_t output; /* of that step, from 0 */
} gpufilter_result;

/* Output 0 of the last step, into memory of the library. */
#define GPUFILTER_RESULT_INIT                                                                                          \
    {                                                                                                                  \
        {NULL, 0, 0, 0, 0, 0}, GPUFILTER_LAST_STEP, 0                                                                  \
    }

/* How to find a daemon, and defaults for calls. */
typedef struct gpufilter_options {
    uint32_t struct_size;
    int32_t autostart;           /* 1: start a private daemon of this user when none is found */
    const char *socket;          /* path of the daemon's socket; NULL: search, see gpufilter_open */
    const char *daemon;          /* gpufilterd to start; NULL: $GPUFILTER_DAEMON, else the installed one, else
                                  * one beside this program, else one in $PATH */
    const char *device;          /* for programs without one; NULL: "auto" */
    int64_t server_uid;          /* the daemon must run as this user (WRONG_SERVER otherwise); -1: as any */
    uint32_t connect_timeout_ms; /* for connecting and greeting, attempts that are repeated included; 0: 5000 */
    uint32_t deadline_ms;        /* for programs without one; 0: none */
    int32_t only_private;        /* 1: the private daemon of this user, past the system's; not with socket */
    uint32_t wait_ms;            /* for a daemon that is not there, instead of starting one, see gpufilter_open;
                                  * 0: $GPUFILTER_WAIT (seconds), else 5, and one may be started */
} gpufilter_options;

#define GPUFILTER_OPTIONS_INIT                                                                                         \
    {                                                                                                                  \
        sizeof(gpufilter_options), 0, NULL, NULL, NULL, -1, 0, 0, 0, 0                                                 \
    }

/* How a run went; nanoseconds. */
typedef struct gpufilter_times {
    uint32_t struct_size;
    uint32_t n_copied;      /* operands and results the library copied; 0 where all lay in gpufilter_alloc memory */
    uint64_t queue_ns;      /* from the request read to its start on the device */
    uint64_t copy_in_ns;    /* to the device */
    uint64_t kernel_ns;     /* computing */
    uint64_t copy_out_ns;   /* from the device */
    uint64_t total_ns;      /* in the daemon: from the request read to the answer */
    uint64_t round_trip_ns; /* in this process: the whole call, or from gpufilter_submit to the answer read */
    char device[72];        /* where it ran: "cpu", "cuda:0" */
    char why[160]; /* and why there, in words: "cuda:0 0.31 ms, cpu 2.1 ms"; "" from a daemon that does not say */
} gpufilter_times;

#define GPUFILTER_TIMES_INIT                                                                                           \
    {                                                                                                                  \
        sizeof(gpufilter_times), 0, 0, 0, 0, 0, 0, 0, "", ""                                                           \
    }

/* Sides of a halo on which all pixels are needed. */
#define GPUFILTER_ALL 0xFFFFFFFFu

/* How far around a tile of its result a program looks at its operands, see gpufilter_reach. */
typedef struct gpufilter_halo {
    uint32_t struct_size;
    uint32_t left, right;  /* pixels, or both GPUFILTER_ALL: whole rows */
    uint32_t above, below; /* likewise whole columns */
    uint32_t wrap_x;       /* 1: what lies beyond the left or right edge comes from the opposite side */
    uint32_t wrap_y;       /* likewise above and below */
    uint32_t reserved;     /* 0 */
    uint64_t tiled;        /* a bit for each operand that is cut into tiles; each tile needs all of the others */
} gpufilter_halo;

#define GPUFILTER_HALO_INIT                                                                                            \
    {                                                                                                                  \
        sizeof(gpufilter_halo), 0, 0, 0, 0, 0, 0, 0, 0                                                                 \
    }

/* The kind of a span. Later versions have more. */
enum gpufilter_stage {
    GPUFILTER_STAGE_QUEUE = 1,    /* in the daemon: from the request read to its start on the device */
    GPUFILTER_STAGE_COPY_IN = 2,  /* to the device */
    GPUFILTER_STAGE_KERNEL = 3,   /* computing */
    GPUFILTER_STAGE_COPY_OUT = 4, /* from the device */
    GPUFILTER_STAGE_PREPARE = 64, /* in this process: taking memory, copying to memory shared with the daemon */
    GPUFILTER_STAGE_SEND = 65,    /* the request, with operands that go through the socket */
    GPUFILTER_STAGE_WAIT = 66,
    GPUFILTER_STAGE_RECEIVE = 67, /* results that come through the socket */
    GPUFILTER_STAGE_DELIVER = 68  /* copying from memory shared with the daemon */
};

#define GPUFILTER_NO_STEP 0xFFFFFFFFu

/* One span of time of a run. Spans of the device may overlap. It may grow at its end, see gpufilter_last_spans. */
typedef struct gpufilter_span {
    uint32_t stage;    /* enum gpufilter_stage */
    uint32_t step;     /* of the program, from 0, or GPUFILTER_NO_STEP */
    uint64_t begin_ns; /* on CLOCK_MONOTONIC */
    uint64_t length_ns;
} gpufilter_span;

/* Maximum number of submitted requests whose answers have not been taken. */
#define GPUFILTER_MAX_REQUESTS 1024u

/* The answer to a submitted request. */
typedef struct gpufilter_answer {
    uint32_t struct_size;
    uint32_t status;       /* GPUFILTER_OK, or why it failed */
    uint64_t id;           /* of the request; 0: there is no answer yet */
    void *context;         /* as it was submitted with */
    gpufilter_error error; /* where it failed, else all 0 */
} gpufilter_answer;

#define GPUFILTER_ANSWER_INIT                                                                                          \
    {                                                                                                                  \
        sizeof(gpufilter_answer), 0, 0, NULL,                                                                          \
        {                                                                                                              \
            0, 0, 0, ""                                                                                                \
        }                                                                                                              \
    }

enum gpufilter_device_state {
    GPUFILTER_DEVICE_STARTING = 1,
    GPUFILTER_DEVICE_READY = 2,
    GPUFILTER_DEVICE_RESTARTING = 3, /* its worker died; a new one is coming */
    GPUFILTER_DEVICE_ASIDE = 4,      /* died too often; the daemon's log says more */
    GPUFILTER_DEVICE_ABSENT = 5,     /* configured, but not there */
    GPUFILTER_DEVICE_IDLE = 6        /* its memory is given back; the next request takes some seconds to start it */
};

/* One device of the daemon; it may grow at its end, see gpufilter_devices. */
typedef struct gpufilter_device {
    char name[72];   /* "cpu", "cuda:0": what gpufilter_program.device takes */
    char title[72];  /* what its maker calls it */
    char uuid[72];   /* "" for the CPU */
    char detail[72]; /* driver, instruction set */
    uint64_t memory; /* bytes */
    uint32_t units;  /* processor cores, multiprocessors */
    uint32_t state;  /* enum gpufilter_device_state */
} gpufilter_device;

enum gpufilter_resident_state {
    GPUFILTER_RESIDENT_MAKING = 1, /* its run is not over */
    GPUFILTER_RESIDENT_READY = 2,
    GPUFILTER_RESIDENT_FAILED = 3, /* its run failed */
    GPUFILTER_RESIDENT_LOST = 4    /* its device died */
};

/* One resident buffer of a client; it may grow at its end, see gpufilter_residents. */
typedef struct gpufilter_resident {
    const void *data; /* as in views; NULL for one that the library has no address for (any more) */
    uint64_t width, height;
    uint64_t bytes; /* that it is charged for */
    uint32_t dtype; /* enum gpufilter_dtype */
    uint32_t channels;
    uint32_t state;  /* enum gpufilter_resident_state */
    char device[72]; /* where it is */
} gpufilter_resident;

enum gpufilter_health_state {
    GPUFILTER_HEALTH_STARTING = 1, /* alive, no device has run a kernel yet */
    GPUFILTER_HEALTH_READY = 2,    /* every configured device runs kernels */
    GPUFILTER_HEALTH_DEGRADED = 3  /* some device is missing; the others serve */
};

typedef struct gpufilter_health_info {
    uint32_t struct_size;
    uint32_t state; /* enum gpufilter_health_state */
    char text[256]; /* why */
} gpufilter_health_info;

#define GPUFILTER_HEALTH_INFO_INIT                                                                                     \
    {                                                                                                                  \
        sizeof(gpufilter_health_info), 0, ""                                                                           \
    }

enum gpufilter_metric_kind {
    GPUFILTER_METRIC_COUNTER = 1,  /* only grows, from the start of the daemon on */
    GPUFILTER_METRIC_GAUGE = 2,    /* how it is now */
    GPUFILTER_METRIC_HISTOGRAM = 3 /* counts by size */
};

/* A figure of the daemon. Its unit is in its name: seconds, bytes, else a number of things. */
typedef struct gpufilter_metric {
    char name[128];   /* "gpufilter_device_answers_total": letters, digits and '_' */
    char labels[128]; /* device="cpu",status="OK"; values have no quotes and no backslashes; may be empty */
    char help[128];   /* a sentence, the same for all of this name; may be empty */
    uint32_t kind;    /* enum gpufilter_metric_kind */
    uint32_t n_bins;  /* of a histogram, else 0 */
    double value;     /* of a histogram the sum of all that it counted */
    double bound;     /* bins[0] counts up to here, bins[k] from there to bound * 2^k, the last one all beyond */
    double bins[32];
} gpufilter_metric;

/* ---- Connection ---- */

/*
 * gpufilter_open makes a connection, and so does every later call and request that finds it ended.
 *
 * Attempts: one that ends before the daemon's greeting, or is greeted by SHUTDOWN, is repeated until connect_timeout_ms
 * have passed; one that finds no daemon (no socket, or nobody behind it) until wait_ms have, and then
 * connect_timeout_ms begin anew. Between attempts are pauses of 5 ms that double to 200 ms. What is left of a pause
 * when a call fails is slept by the next one, and a connection that ends without having answered anything is followed
 * by a pause too: a loop of calls that fail does not occupy a processor. gpufilter_submit and gpufilter_poll do not
 * sleep; their requests wait. A deadline ends such waits with DEADLINE.
 *
 * Sending again: a request whose connection ends before its answer, or whose answer is SHUTDOWN, is sent again up to
 * four times, each time on a new connection and within its deadline. It has the same result wherever and however often
 * it runs. So is one that makes or replaces a resident buffer: nothing of a buffer outlives its connection. One that
 * reads a buffer of a connection that has ended gets HANDLE_LOST; that buffer is lost for good, and can be filled anew
 * as a result. A cancelled request is not sent again, and after any other status none is: BUSY and QUOTA say in
 * retry_ms when to come back, and what ended a worker (REQUEST_POISON, DEVICE_LOST) is not to be repeated.
 */

/* Connects to a daemon. `options` NULL takes every default. The socket is options->socket, else $GPUFILTER_SOCKET, else
 * the first of these that accepts: the system's, /run/gpufilter/gpufilterd.sock, and the private one,
 * $XDG_RUNTIME_DIR/gpufilter/gpufilterd-1.sock or, without that variable, gpufilterd-1.sock in /tmp/gpufilter-UID, a
 * directory of this user alone (gpufilter-UID.XXXXXX where another user took that name). Where none answers and
 * options->autostart is 1, a private daemon is started there (within 30 s), unless a daemon was set up (a socket was
 * named, or the system's is there) or is waited for, or $GPUFILTER_AUTOSTART is 0; it ends by itself after five minutes
 * without a connection, and its messages are in gpufilterd.log beside the socket. With options->wait_ms above 0, or
 * $GPUFILTER_WAIT (seconds, 0..86400) where that is 0, a daemon that is not there is waited for, here and in later
 * calls. A system socket that this user may not use is NOT_PERMITTED: no private daemon replaces it without a request.
 * With options->only_private 1, or $GPUFILTER_PRIVATE=1 where the options name neither, only the private daemon is
 * used. The caller closes the client by gpufilter_close. Errors: NO_DAEMON (the text lists the paths tried), TIMEOUT,
 * START_FAILED (with the daemon's own message), NOT_PERMITTED (this user may not use the socket, and the text names its
 * group; or the private directory is not this user's alone), WRONG_SERVER, BAD_VERSION, BAD_REPLY, CONNECTION_LOST,
 * RESOURCE_FDS, BAD_ARGUMENT (also: variables with a wrong value, or that contradict each other), NO_MEMORY, and any
 * status with which the daemon refuses. */
int gpufilter_open(const gpufilter_options *options, gpufilter_client **ret_client, gpufilter_error *err);

/* Ends the connection and frees the client and all memory that gpufilter_alloc, gpufilter_run and gpufilter_submit
 * allocated. Pending requests get no answer, and this process does not touch their memory again. NULL is allowed;
 * returns NULL. */
gpufilter_client *gpufilter_close(gpufilter_client *client);

/* Path of the socket the client is connected to; belongs to the client. */
const char *gpufilter_socket(const gpufilter_client *client);
/* Name and version of the daemon, "gpufilterd 0.1.0"; belongs to the client. */
const char *gpufilter_server(const gpufilter_client *client);

/* ---- Work ---- */

/* Runs a program and waits for its results. A step's ref {0, 0, k} refers to operands[k]. On device "cuda:all" each GPU
 * computes a slab of the rows; steps that need all rows at once, and resident buffers, are UNSUPPORTED there. Operands
 * and results in gpufilter_alloc memory are not copied; others are copied once. A result may not overlap an operand or
 * another result that it shares gpufilter_alloc memory with (OVERLAP). If the connection ends before an answer, the
 * request is sent again (see Connection). The daemon answers DEADLINE by itself; if it is silent for two seconds more,
 * the call ends with TIMEOUT. After TIMEOUT, CONNECTION_LOST, SHUTDOWN and BAD_REPLY the next call reconnects, and the
 * daemon may still be writing to results in gpufilter_alloc memory: free that, do not reuse it. On
 * failure the contents of results are undefined, and nothing stays allocated. Data in ordinary memory goes through the
 * socket at first; from a client's second large run on it is copied through memory shared with the daemon, which the
 * client keeps. A result without memory gets shared memory if an operand has it. Errors: BAD_REQUEST, UNKNOWN_OP,
 * UNKNOWN_PARAM, BAD_PARAM, BAD_VIEW, BAD_DTYPE, TOO_LARGE and OUTPUT_TOO_SMALL from the program itself, found before
 * anything is sent; NO_DEVICE, DEADLINE, BUSY, QUOTA, DEVICE_LOST, REQUEST_POISON, NO_MEMORY, NO_DEVICE_MEMORY,
 * SHUTDOWN, INTERNAL from the daemon; TIMEOUT, CONNECTION_LOST, NO_DAEMON, BAD_REPLY, FORKED, BAD_ARGUMENT from the
 * library. */
int gpufilter_run(gpufilter_client *client, const gpufilter_program *program, const gpufilter_view *operands,
                  uint32_t n_operands, gpufilter_result *results, uint32_t n_results, gpufilter_error *err);

/* Runs a program given as text: steps separated by '|', each an operation's name and name=value pairs, e.g.
 *     gaussian sigma=2 border=reflect101 | box size=5x3
 *     correlate mask='1 2 1; 2 4 2; 1 2 1' normalize=sum
 *     gaussian sigma=1 | gaussian src=#0 sigma=2 | combine other=#1 mode=absdiff
 * Values with blanks, '|' or ';' need single or double quotes. The picture flows: the first input of the first step is
 * operand 0, that of a later step is output 0 of the step before; after a step whose result is a table (a histogram, a
 * reduction) it is the input of that step. Every input may be given by name instead: @1 is operand 1, #2 is output 0 of
 * step 2 and #2.edges its output of that name, #0 is operand 0. The text and error messages count steps from 1; results
 * and structs count from 0. A mask may be given as a matrix, rows separated by ';'. A further input that is not named
 * is the next unused operand, or left out if it is optional. Results and errors as gpufilter_run; BAD_REQUEST,
 * UNKNOWN_OP, UNKNOWN_PARAM and BAD_PARAM name the column of the text, from 1. */
int gpufilter_run_text(gpufilter_client *client, const char *text, const gpufilter_view *operands, uint32_t n_operands,
                       gpufilter_result *results, uint32_t n_results, gpufilter_error *err);

/* Checks a program without a daemon and stores the shape and type of every requested output, without gaps, in
 * results[i].view; it reads no data of operands and does not change view.data of results. Errors: those that
 * gpufilter_run finds before anything is sent. */
int gpufilter_infer(const gpufilter_program *program, const gpufilter_view *operands, uint32_t n_operands,
                    gpufilter_result *results, uint32_t n_results, gpufilter_error *err);
/* The same for a program as text. */
int gpufilter_infer_text(const char *text, const gpufilter_view *operands, uint32_t n_operands,
                         gpufilter_result *results, uint32_t n_results, gpufilter_error *err);

/* How far around a tile a program looks, so that a picture may be cut into tiles and computed anywhere, in any order.
 * Pixels x0 to x1 - 1 and y0 to y1 - 1 of every requested result have the bits they have in the whole, if the program
 * runs on columns x0 - left to x1 - 1 + right and rows y0 - above to y1 - 1 + below of every tiled operand and on all
 * of the others; they are then left and above pixels from the edge of what comes out. Where these columns or rows go
 * past the picture's edge the tile ends there, and the border does the rest: but with wrap_x or wrap_y set they go on
 * from the opposite side, as if the picture were repeated. A tiled operand that has fewer columns or rows than another
 * one, after size=valid, ends as many before that one's tile. A step that needs all of a row (a scan, a reduction,
 * matmul) or moves pixels along it (flip, pad, crop at) makes left and right GPUFILTER_ALL, all of a column above and
 * below; one that needs everything (histogram, equalize, threshold without a value, stats, integral, select, label,
 * distance, rotate, transpose, crop to a size) all four. So do two borders along one axis of which
 * one, not both, is wrap, and results that differ in size. Never too few. Too many only where weights are 0:
 * coefficients of a mask, the outer weights of gaussian, unsharp and log beyond about 14 sigma, sharpen amount=0; for
 * the inner tiles, where the anchor is off the centre and the border reflects; of steps whose results nobody wants,
 * which run too; and after the above. Integers that are refused for what the whole may add up to (RESULT_OVERFLOW of
 * convolve1d, matmul, scan) may do in tiles; their results are right then. It needs no daemon and reads no data of
 * operands, only their shapes: those of the whole. view.data of results is not looked at. Fills the members that
 * halo->struct_size covers. Errors: those of gpufilter_infer. */
int gpufilter_reach(const gpufilter_program *program, const gpufilter_view *operands, uint32_t n_operands,
                    const gpufilter_result *results, uint32_t n_results, gpufilter_halo *halo, gpufilter_error *err);
/* The same for a program as text. */
int gpufilter_reach_text(const char *text, const gpufilter_view *operands, uint32_t n_operands,
                         const gpufilter_result *results, uint32_t n_results, gpufilter_halo *halo,
                         gpufilter_error *err);

/* For the calls of ops.h: copies a parameter struct of a caller over `ret` of `size` bytes, which holds the defaults,
 * as far as its struct_size says. `name` is that of its type, for the error: BAD_ARGUMENT. */
int gpufilter_take_params(void *ret, size_t size, const void *params, const char *name, gpufilter_error *err);

/* The times of the run that succeeded last, or whose answer was taken last. Fills the members that times->struct_size
 * covers. Error: BAD_ARGUMENT when nothing has run yet. */
int gpufilter_last_times(const gpufilter_client *client, gpufilter_times *times, gpufilter_error *err);

/* Whether later runs record spans for gpufilter_last_spans, 1 or 0. Recording costs some microseconds per run, and on a
 * GPU some for each row chunk. BAD_ARGUMENT, FORKED; a daemon that is too old refuses such runs with BAD_REQUEST. */
int gpufilter_trace(gpufilter_client *client, int on, gpufilter_error *err);

/* Whether later runs may be computed with steps that work sample by sample as one with what is in front of them or
 * behind them, 1 (the default) or 0. The results have the same bits either way; 0 is for comparing time and memory.
 * gpufilter_last_times says in `why` which steps were fused. BAD_ARGUMENT, FORKED; a daemon that is too old refuses
 * runs with 0 with BAD_REQUEST. */
int gpufilter_fuse(gpufilter_client *client, int on, gpufilter_error *err);

/* Copies up to `room` spans of the run of gpufilter_last_times and stores the total number: first those of this
 * process, then those of the daemon, each roughly in order of their begin; none if the run recorded none. span_size is
 * sizeof(gpufilter_span). Error: BAD_ARGUMENT. */
int gpufilter_last_spans(const gpufilter_client *client, gpufilter_span *spans, size_t span_size, uint32_t room,
                         uint32_t *ret_n, gpufilter_error *err);

/* ---- Work without waiting ---- */

/*
 * gpufilter_submit submits a request and returns; gpufilter_poll or gpufilter_wait returns answers, in any order. Each
 * accepted request gets exactly one answer, whatever happens. gpufilter_run combines the two, and may be called, as may
 * all other functions, while requests are pending; its request is queued behind them.
 *
 * Memory: operands and results must stay unchanged at their addresses until the answer is taken: the library and the
 * daemon read and write them at any time until then, after a cancel too. The program, the text, and the arrays of views
 * and results are copied. A request in memory must not read what another one writes before that one's answer: requests
 * run in any order. Only resident buffers order them: a request that reads a resident buffer gets the contents
 * submitted last, so upload, work and download may all be submitted at once. If one fails, those that read its result
 * fail with DEPENDENCY.
 *
 * Work proceeds while the program is in a function of the library, and in the daemon; no thread of the library waits
 * for it. A program that does not wait in gpufilter_wait calls gpufilter_poll whenever gpufilter_fd is readable. The
 * daemon disconnects a client that sends half a request and then nothing for ten seconds, or leaves answers unread for
 * thirty (SLOW).
 *
 * Limits: the daemon holds one request fewer than it takes at once, so that it reads cancels (63 by default); the
 * others wait in the library, in the order of submission; a deadline counts from the submission. Beyond
 * GPUFILTER_MAX_REQUESTS without answers taken, gpufilter_submit is BUSY.
 *
 * Connection: these functions reconnect if the connection has ended, but start no daemon. Unanswered requests are sent
 * again as those of gpufilter_run, in the order of submission, so that a chain over resident buffers that are made and
 * read by pending requests is made anew. A request without an answer for two silent seconds beyond its deadline ends
 * with TIMEOUT and ends the connection. If there is no daemon, and none comes within wait_ms, all pending requests are
 * answered with NO_DAEMON.
 */

/* Submits the work of gpufilter_run, with the same arguments; never waits. results[i].view is filled in at once: its
 * shape, and its data, allocated memory or the address of a resident buffer. The contents are valid after an answer of
 * GPUFILTER_OK; the caller frees them by gpufilter_free whatever the answer is. `context` is returned with the answer;
 * ret_id may be NULL. ids are never reused. Errors: those that gpufilter_run finds in the program and its arguments,
 * BUSY, NO_MEMORY, FORKED: then there will be no answer, and results are unchanged. All other errors come as the
 * answer. */
int gpufilter_submit(gpufilter_client *client, const gpufilter_program *program, const gpufilter_view *operands,
                     uint32_t n_operands, gpufilter_result *results, uint32_t n_results, void *context,
                     uint64_t *ret_id, gpufilter_error *err);
/* The same for a program as text, see gpufilter_run_text. */
int gpufilter_submit_text(gpufilter_client *client, const char *text, const gpufilter_view *operands,
                          uint32_t n_operands, gpufilter_result *results, uint32_t n_results, void *context,
                          uint64_t *ret_id, gpufilter_error *err);

/* Sends and receives as much as possible without waiting and takes the next answer; answer->id is 0 where there is
 * none. Fills the members that answer->struct_size covers. Returns whether the call worked, not the request; errors:
 * FORKED, BAD_ARGUMENT. */
int gpufilter_poll(gpufilter_client *client, gpufilter_answer *answer, gpufilter_error *err);

/* Waits for the answer to request `id`, with 0 for any, and takes it; at most timeout_ms, indefinitely if that is
 * negative. answer->id is 0 if none came in time, or if nothing is pending. Errors: BAD_ARGUMENT for an id that was not
 * submitted or whose answer was taken, FORKED. */
int gpufilter_wait(gpufilter_client *client, uint64_t id, int32_t timeout_ms, gpufilter_answer *answer,
                   gpufilter_error *err);

/* Cancels a request; never waits. Its answer still comes: CANCELLED, or the result if it was too late. Errors: as
 * gpufilter_wait. */
int gpufilter_cancel(gpufilter_client *client, uint64_t id, gpufilter_error *err);

/* Stores a descriptor for poll, epoll and their like: it is readable (POLLIN) as long as gpufilter_poll has work to do:
 * answers, data or a deadline. It stays the same for the life of the client, across connections, and must not be read
 * or closed. Errors: RESOURCE_FDS, FORKED, BAD_ARGUMENT. */
int gpufilter_fd(gpufilter_client *client, int *ret_fd, gpufilter_error *err);

/* ---- Memory ---- */

/* Allocates `size` bytes, aligned to a page, not cleared, that the daemon can read and write directly: runs copy
 * nothing. On a connection that passes no descriptors it is ordinary memory, and runs copy. It lasts until
 * gpufilter_free or gpufilter_close, also across a reconnect. Errors: NO_MEMORY, BAD_ARGUMENT for size 0, TOO_LARGE,
 * FORKED. */
int gpufilter_alloc(gpufilter_client *client, uint64_t size, void **ret_data, gpufilter_error *err);

/* Frees memory of gpufilter_alloc or of a result that the library allocated, or a resident buffer; the latter also
 * while submitted requests need it, which keep it until their answers. NULL is allowed; other pointers are ignored. */
void gpufilter_free(gpufilter_client *client, void *data);

/* ---- The daemon ---- */

/* A round trip without work; ret_ns may be NULL. Errors: as the connection's in gpufilter_run. */
int gpufilter_ping(gpufilter_client *client, uint64_t *ret_ns, gpufilter_error *err);

/* Copies up to `room` devices and stores the total number. device_size is sizeof(gpufilter_device). Errors: as the
 * connection's in gpufilter_run. */
int gpufilter_devices(gpufilter_client *client, gpufilter_device *devices, size_t device_size, uint32_t room,
                      uint32_t *ret_n, gpufilter_error *err);

/* Whether the daemon can do work. Fills the members that info->struct_size covers. Errors: as the connection's in
 * gpufilter_run. */
int gpufilter_health(gpufilter_client *client, gpufilter_health_info *info, gpufilter_error *err);

/* Copies up to `room` figures of the daemon and stores the total number, at most 4096. metric_size is
 * sizeof(gpufilter_metric). Those of one name come one after another. Later daemons have more of them; only root and
 * the daemon's own user get figures of other users. Errors: as the connection's in gpufilter_run, and UNSUPPORTED by a
 * daemon that keeps none. */
int gpufilter_metrics(gpufilter_client *client, gpufilter_metric *metrics, size_t metric_size, uint32_t room,
                      uint32_t *ret_n, gpufilter_error *err);

/* Copies up to `room` of this client's resident buffers as the daemon knows them, and stores the total number.
 * resident_size is sizeof(gpufilter_resident). Errors: as the connection's in gpufilter_run, and BAD_REQUEST by a
 * daemon that cannot list them. */
int gpufilter_residents(gpufilter_client *client, gpufilter_resident *residents, size_t resident_size, uint32_t room,
                        uint32_t *ret_n, gpufilter_error *err);

/* ---- Words ---- */

/* "OUTPUT_TOO_SMALL", and "output too small"; for other numbers "UNKNOWN" and "unknown status". Static text. */
const char *gpufilter_status_name(uint32_t status);
const char *gpufilter_status_text(uint32_t status);
/* Version of the library, "0.1.0". Static text. */
const char *gpufilter_version(void);

#ifdef __cplusplus
}
#endif
#endif
