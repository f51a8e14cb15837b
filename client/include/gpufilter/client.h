/* SPDX-License-Identifier: MIT */
/*
 * libgpufilterclient: sends images and arrays to gpufilterd over its Unix socket to be processed. Depends on libc only.
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
 * Threads: a client object must be used by one thread at a time; different objects are independent. The library has no
 * threads between calls. During a call, up to four threads, on at most half of the cores, copy data of 2 MiB and more
 * that lies in ordinary memory; they block all signals. The library changes no signal handling. After fork() the child
 * may not use a client of its parent (FORKED), only close it. Every descriptor is close-on-exec.
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

/* A connection to a daemon, with the memory that it shares with the daemon. */
typedef struct gpufilter_client gpufilter_client;

/* Why a call failed. */
typedef struct gpufilter_error {
    uint32_t status;   /* GPUFILTER_E_..., the call's return value */
    uint32_t retry_ms; /* BUSY, QUOTA, SHUTDOWN: time before a retry; 0 if the server does not say */
    uint64_t needed;   /* OUTPUT_TOO_SMALL, TOO_LARGE, QUOTA: the bytes needed; otherwise 0 */
    char text[256];    /* a message: the field, its value, the allowed values */
} gpufilter_error;

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

/* Values of one parameter; a parameter that is not given has its default. */
typedef struct gpufilter_param {
    uint32_t id;        /* GPUFILTER_GAUSSIAN_SIGMA, ... */
    uint32_t count;     /* number of values, 1..4; 0: not given */
    const void *values; /* float or double for real numbers, uint32_t for whole numbers and enums */
} gpufilter_param;

/* Marks an unset entry of a list parameter (sigma, border_value, ...); all entries after it must be unset too. If only
 * the first entry is set, it applies to all. The _INIT macros of ops.h leave lists unset. No list can contain these
 * values: the integer is above all ranges, the others are NaNs that arithmetic does not produce. */
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
    uint16_t index; /* 0 for nothing */
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

/* The last step of a program, as gpufilter_result.step. */
#define GPUFILTER_LAST_STEP 0xFFFFFFFFu

/* As view.data of a result: the output stays on the daemon's device, see gpufilter_result. */
#define GPUFILTER_RESIDENT ((void *)1)

/*
 * A requested output and its destination. The same output may be requested twice. view.data selects one of three
 * destinations:
 *
 * With an address, the view must have the shape and type of that output (see gpufilter_infer) and may have any pitch;
 * bytes between rows are not changed.
 *
 * With NULL, the library allocates memory without gaps and fills in the complete view; the caller frees view.data by
 * gpufilter_free.
 *
 * With GPUFILTER_RESIDENT, the output becomes a resident buffer: it stays on the device, and the library fills in a
 * view of it without gaps. view.data is then an address that must not be read or written, but names the buffer. An
 * operand may use the whole buffer or any part of it by pointer arithmetic (view.data + y * pitch + x * pixel, with the
 * pitch of the complete buffer); a result must use the whole buffer and replaces its contents. gpufilter_copy (ops.h)
 * copies data to a resident buffer and back. All resident buffers of a client are on one device: the device of its
 * options, otherwise the device of the first run that makes one; a run that names another device is WRONG_DEVICE.
 * Resident buffers last until gpufilter_free or gpufilter_close, and are lost with the connection or the device
 * (HANDLE_LOST). Masks and lists cannot be resident.
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

/* How to find a daemon, and defaults for calls. */
typedef struct gpufilter_options {
    uint32_t struct_size;
    int32_t autostart;           /* 1: start a private daemon of this user if none is found */
    const char *socket;          /* path of the daemon's socket; NULL: search, see gpufilter_open */
    const char *daemon;          /* gpufilterd to start; NULL: $GPUFILTER_DAEMON, otherwise the installed one, otherwise
                                  * one beside this program, otherwise one in $PATH */
    const char *device;          /* for programs without one; NULL: "auto" */
    int64_t server_uid;          /* the daemon must run as this user (WRONG_SERVER otherwise); -1: any user */
    uint32_t connect_timeout_ms; /* for connecting and greeting, including repeated attempts; 0: 5000 */
    uint32_t deadline_ms;        /* for programs without one; 0: none */
    int32_t only_private;        /* 1: only the private daemon of this user, not the system's; excludes socket */
    uint32_t wait_ms;            /* wait for an absent daemon instead of starting one, see gpufilter_open; 0:
                                  * $GPUFILTER_WAIT (seconds), otherwise 5, and a daemon may be started */
} gpufilter_options;

#define GPUFILTER_OPTIONS_INIT                                                                                         \
    {                                                                                                                  \
        sizeof(gpufilter_options), 0, NULL, NULL, NULL, -1, 0, 0, 0, 0                                                 \
    }

/* Times of a run, in nanoseconds. */
typedef struct gpufilter_times {
    uint32_t struct_size;
    uint32_t n_copied;      /* operands and results that the library copied; 0 if all were in gpufilter_alloc memory */
    uint64_t queue_ns;      /* from the request being read to its start on the device */
    uint64_t copy_in_ns;    /* to the device */
    uint64_t kernel_ns;     /* computing */
    uint64_t copy_out_ns;   /* from the device */
    uint64_t total_ns;      /* in the daemon: from the request being read to the answer */
    uint64_t round_trip_ns; /* in this process: the whole call, or from gpufilter_submit until the answer was read */
    char device[72];        /* device that ran it: "cpu", "cuda:0" */
    char why[160];          /* why it ran on that device: "cuda:0 0.31 ms, cpu 2.1 ms"; "" if the daemon does not say */
} gpufilter_times;

#define GPUFILTER_TIMES_INIT                                                                                           \
    {                                                                                                                  \
        sizeof(gpufilter_times), 0, 0, 0, 0, 0, 0, 0, "", ""                                                           \
    }

/* A side of a halo on which all pixels are needed. */
#define GPUFILTER_ALL 0xFFFFFFFFu

/* How far around a tile of its result a program reads its operands, see gpufilter_reach. */
typedef struct gpufilter_halo {
    uint32_t struct_size;
    uint32_t left, right;  /* pixels; both GPUFILTER_ALL: whole rows */
    uint32_t above, below; /* pixels; both GPUFILTER_ALL: whole columns */
    uint32_t wrap_x;       /* 1: pixels beyond the left or right edge come from the opposite side */
    uint32_t wrap_y;       /* 1: pixels beyond the top or bottom edge come from the opposite side */
    uint32_t reserved;     /* 0 */
    uint64_t tiled;        /* a bit for each operand that is cut into tiles; each tile needs the whole of the other
                            * operands */
} gpufilter_halo;

#define GPUFILTER_HALO_INIT                                                                                            \
    {                                                                                                                  \
        sizeof(gpufilter_halo), 0, 0, 0, 0, 0, 0, 0, 0                                                                 \
    }

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

#define GPUFILTER_NO_STEP 0xFFFFFFFFu

/* One span of time of a run. Spans of the device may overlap. The struct may grow at its end, see
 * gpufilter_last_spans. */
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
    uint32_t status;       /* GPUFILTER_OK, or why the request failed */
    uint64_t id;           /* of the request; 0: there is no answer yet */
    void *context;         /* the context passed to gpufilter_submit */
    gpufilter_error error; /* if the request failed; otherwise all 0 */
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
    GPUFILTER_DEVICE_RESTARTING = 3, /* its worker died; a new one is starting */
    GPUFILTER_DEVICE_ASIDE = 4,      /* died too often; see the daemon's log */
    GPUFILTER_DEVICE_ABSENT = 5,     /* configured, but not present */
    GPUFILTER_DEVICE_IDLE = 6        /* its memory is released; the next request takes some seconds to start it */
};

/* One device of the daemon. The struct may grow at its end, see gpufilter_devices. */
typedef struct gpufilter_device {
    char name[72];   /* "cpu", "cuda:0": a value for gpufilter_program.device */
    char title[72];  /* the manufacturer's name for it */
    char uuid[72];   /* "" for the CPU */
    char detail[72]; /* driver, instruction set */
    uint64_t memory; /* bytes */
    uint32_t units;  /* processor cores, multiprocessors */
    uint32_t state;  /* enum gpufilter_device_state */
} gpufilter_device;

enum gpufilter_resident_state {
    GPUFILTER_RESIDENT_MAKING = 1, /* its run has not ended */
    GPUFILTER_RESIDENT_READY = 2,
    GPUFILTER_RESIDENT_FAILED = 3, /* its run failed */
    GPUFILTER_RESIDENT_LOST = 4    /* its device died */
};

/* One resident buffer of a client. The struct may grow at its end, see gpufilter_residents. */
typedef struct gpufilter_resident {
    const void *data; /* as in views; NULL if the library has no address for it (any more) */
    uint64_t width, height;
    uint64_t bytes; /* charged bytes */
    uint32_t dtype; /* enum gpufilter_dtype */
    uint32_t channels;
    uint32_t state;  /* enum gpufilter_resident_state */
    char device[72]; /* device that holds it */
} gpufilter_resident;

enum gpufilter_health_state {
    GPUFILTER_HEALTH_STARTING = 1, /* alive, but no device has run a kernel yet */
    GPUFILTER_HEALTH_READY = 2,    /* every configured device runs kernels */
    GPUFILTER_HEALTH_DEGRADED = 3  /* a device is missing; the others serve requests */
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
    GPUFILTER_METRIC_COUNTER = 1,  /* only increases, from the start of the daemon */
    GPUFILTER_METRIC_GAUGE = 2,    /* the current value */
    GPUFILTER_METRIC_HISTOGRAM = 3 /* counts by size */
};

/* A metric of the daemon. Its unit is in its name, seconds or bytes; otherwise it is a count. */
typedef struct gpufilter_metric {
    char name[128];   /* "gpufilter_device_answers_total": letters, digits and '_' */
    char labels[128]; /* device="cpu",status="OK"; values contain no quotes or backslashes; may be empty */
    char help[128];   /* one sentence, the same for all values of this name; may be empty */
    uint32_t kind;    /* enum gpufilter_metric_kind */
    uint32_t n_bins;  /* of a histogram, otherwise 0 */
    double value;     /* for a histogram, the sum of the observations */
    double bound;     /* bins[0] counts up to this, bins[k] from there to bound * 2^k, the last one everything above */
    double bins[32];
} gpufilter_metric;

/* ---- Connection ---- */

/*
 * gpufilter_open makes a connection, and so does every later call and request whose connection has ended.
 *
 * Attempts: an attempt that ends before the daemon's greeting, or is greeted by SHUTDOWN, is repeated until
 * connect_timeout_ms have passed. An attempt that finds no daemon (no socket, or nothing listens on it) is repeated
 * until wait_ms have passed; after that connect_timeout_ms begins anew. The pauses between attempts start at 5 ms and
 * double up to 200 ms. If a call fails during a pause, the next call sleeps for the rest of it, and a connection that
 * ends without having answered anything is followed by a pause too, so that a loop of failing calls does not occupy a
 * processor. gpufilter_submit and gpufilter_poll never sleep; their requests wait instead. A deadline ends such a wait
 * with DEADLINE.
 *
 * Sending again: a request whose connection ends before its answer, or whose answer is SHUTDOWN, is sent again up to
 * four times, each time on a new connection and within its deadline. This is safe, because a request has the same
 * result wherever and however often it runs. It also applies to a request that makes or replaces a resident buffer,
 * because no buffer outlives its connection. A request that reads a buffer of an ended connection gets HANDLE_LOST; the
 * contents are lost for good, but the buffer can be filled again as a result. A cancelled request is not sent again,
 * nor is a request that got any other status: for BUSY and QUOTA, retry_ms says when to retry, and a request that ended
 * a worker (REQUEST_POISON, DEVICE_LOST) must not be repeated.
 */

/*
 * Connects to a daemon. `options` NULL means all defaults. The caller closes the client by gpufilter_close.
 *
 * The socket is options->socket, otherwise $GPUFILTER_SOCKET, otherwise the first of the following that accepts: the
 * system's socket, /run/gpufilter/gpufilterd.sock, and the private one, $XDG_RUNTIME_DIR/gpufilter/gpufilterd-1.sock
 * or, without that variable, gpufilterd-1.sock in /tmp/gpufilter-UID, a directory that only this user can access
 * (gpufilter-UID.XXXXXX if another user took that name). A system socket that this user may not use is NOT_PERMITTED: a
 * private daemon replaces it only on request. With options->only_private 1, or with $GPUFILTER_PRIVATE=1 if the options
 * name neither a socket nor only_private, only the private daemon is used.
 *
 * If no daemon answers and options->autostart is 1, a private daemon is started (within 30 s), unless a daemon was set
 * up (a socket was named, or the system's exists), the call waits for a daemon, or $GPUFILTER_AUTOSTART is 0. The
 * private daemon ends by itself after five minutes without a connection, and its messages are in gpufilterd.log beside
 * the socket. With options->wait_ms above 0, or $GPUFILTER_WAIT (seconds, 0..86400) if that is 0, this call and later
 * calls wait for an absent daemon.
 *
 * Errors: NO_DAEMON (the text lists the paths tried), TIMEOUT, START_FAILED (with the daemon's own message),
 * NOT_PERMITTED (this user may not use the socket, and the text names its group; or the private directory is accessible
 * to other users), WRONG_SERVER, BAD_VERSION, BAD_REPLY, CONNECTION_LOST, RESOURCE_FDS, BAD_ARGUMENT (also for
 * variables with a wrong value, or that contradict each other), NO_MEMORY, and any status with which the daemon
 * refuses.
 */
int gpufilter_open(const gpufilter_options *options, gpufilter_client **ret_client, gpufilter_error *err);

/* Ends the connection and frees the client and all memory that gpufilter_alloc, gpufilter_run and gpufilter_submit
 * allocated. Pending requests get no answer, and this process does not access their memory again. Accepts NULL; returns
 * NULL. */
gpufilter_client *gpufilter_close(gpufilter_client *client);

/* Path of the socket that the client is connected to; owned by the client. */
const char *gpufilter_socket(const gpufilter_client *client);
/* Name and version of the daemon, "gpufilterd 0.1.0"; owned by the client. */
const char *gpufilter_server(const gpufilter_client *client);
/* The daemon's revision of an operation, which is given by its name, such as "gaussian". It is 1 at first and grows
 * whenever a defined bit of the operation's results changes, so daemons of equal revisions give equal bits. 0 for a
 * name that this library does not know. A daemon that lacks the operation answers 1 here, and UNKNOWN_OP to a run. */
uint32_t gpufilter_revision(const gpufilter_client *client, const char *op);

/* ---- Work ---- */

/*
 * Runs a program and waits for its results. A step's ref {0, 0, k} refers to operands[k]. On device "cuda:all" each GPU
 * computes a slab of the rows; steps that need all rows at once, and resident buffers, are UNSUPPORTED there.
 *
 * Memory: operands and results in gpufilter_alloc memory are not copied; others are copied once. A result must not
 * overlap an operand or another result in the same gpufilter_alloc memory (OVERLAP). Data in ordinary memory goes
 * through the socket at first; from a client's second large run on it is copied through memory shared with the daemon,
 * which the client keeps. A result without memory gets shared memory if an operand has it. On failure the contents of
 * results are undefined, and nothing stays allocated.
 *
 * If the connection ends before an answer, the request is sent again (see Connection). The daemon itself answers
 * DEADLINE; if it stays silent for two more seconds, the call ends with TIMEOUT. After TIMEOUT, CONNECTION_LOST,
 * SHUTDOWN and BAD_REPLY the next call reconnects, and the daemon may still be writing to results in gpufilter_alloc
 * memory: free that memory, do not reuse it.
 *
 * Errors: BAD_REQUEST, UNKNOWN_OP, UNKNOWN_PARAM, BAD_PARAM, BAD_VIEW, BAD_DTYPE, TOO_LARGE and OUTPUT_TOO_SMALL from
 * the program itself, found before anything is sent; NO_DEVICE, DEADLINE, BUSY, QUOTA, DEVICE_LOST, REQUEST_POISON,
 * NO_MEMORY, NO_DEVICE_MEMORY, SHUTDOWN, INTERNAL from the daemon; TIMEOUT, CONNECTION_LOST, NO_DAEMON, BAD_REPLY,
 * FORKED, BAD_ARGUMENT from the library.
 */
int gpufilter_run(gpufilter_client *client, const gpufilter_program *program, const gpufilter_view *operands,
                  uint32_t n_operands, gpufilter_result *results, uint32_t n_results, gpufilter_error *err);

/*
 * Runs a program given as text: steps separated by '|', each an operation's name and name=value pairs, e.g.
 *   gaussian sigma=2 border=reflect101 | box size=5x3
 *   correlate mask='1 2 1; 2 4 2; 1 2 1' normalize=sum
 *   gaussian sigma=1 | gaussian src=#0 sigma=2 | combine other=#1 mode=absdiff
 * Values with blanks, '|' or ';' need single or double quotes. The picture flows through the steps: the first input of
 * the first step is operand 0, and the first input of a later step is output 0 of the preceding step. After a step
 * whose result is a table (a histogram, a reduction), it is that step's input instead. Every input may be given by
 * name: @1 is operand 1, #2 is output 0 of step 2, #2.edges is its output of that name, and #0 is operand 0. The text
 * and error messages count steps from 1; results and structs count from 0. A mask may be given as a matrix, rows
 * separated by ';'. A further input that is not named is the next unused operand; an optional one may be omitted.
 * Results and errors as for gpufilter_run; BAD_REQUEST, UNKNOWN_OP, UNKNOWN_PARAM and BAD_PARAM name the column of the
 * text, from 1.
 */
int gpufilter_run_text(gpufilter_client *client, const char *text, const gpufilter_view *operands, uint32_t n_operands,
                       gpufilter_result *results, uint32_t n_results, gpufilter_error *err);

/* Checks a program without a daemon and stores the shape and type of every requested output, without gaps, in
 * results[i].view. It reads no operand data and does not change view.data of results. Errors: every error that
 * gpufilter_run finds before it sends anything. */
int gpufilter_infer(const gpufilter_program *program, const gpufilter_view *operands, uint32_t n_operands,
                    gpufilter_result *results, uint32_t n_results, gpufilter_error *err);
/* The same for a program as text. */
int gpufilter_infer_text(const char *text, const gpufilter_view *operands, uint32_t n_operands,
                         gpufilter_result *results, uint32_t n_results, gpufilter_error *err);

/*
 * How far around a tile a program reads its operands, so that a picture can be cut into tiles that are computed
 * anywhere and in any order. The function needs no daemon and reads no operand data, only the shapes of the whole
 * operands; it ignores view.data of results. Fills the members that halo->struct_size covers. Errors: the
 * same as gpufilter_infer.
 *
 * Pixels x0 to x1 - 1 and y0 to y1 - 1 of every requested result have the same bits as in the whole picture if the
 * program runs on columns x0 - left to x1 - 1 + right and rows y0 - above to y1 - 1 + below of every tiled operand and
 * on the whole of the other operands. In the tile's result they begin `left` and `above` pixels from its edge. If these
 * columns or rows exceed the picture's edge, the tile ends there and the border supplies the rest; but with wrap_x or
 * wrap_y set they continue from the opposite side, as if the picture were repeated. If a tiled operand has fewer
 * columns or rows than another one, as after size=valid, its tile ends as many earlier than the other's.
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
int gpufilter_reach(const gpufilter_program *program, const gpufilter_view *operands, uint32_t n_operands,
                    const gpufilter_result *results, uint32_t n_results, gpufilter_halo *halo, gpufilter_error *err);
/* The same for a program as text. */
int gpufilter_reach_text(const char *text, const gpufilter_view *operands, uint32_t n_operands,
                         const gpufilter_result *results, uint32_t n_results, gpufilter_halo *halo,
                         gpufilter_error *err);

/* For the calls of ops.h: copies a caller's parameter struct over `ret` of `size` bytes, which holds the defaults, as
 * far as its struct_size covers. `name` is the name of its type, for the error: BAD_ARGUMENT. */
int gpufilter_take_params(void *ret, size_t size, const void *params, const char *name, gpufilter_error *err);

/* The times of the latest successful run, or of the latest answer taken. Fills the members that times->struct_size
 * covers. BAD_ARGUMENT if nothing has run yet. */
int gpufilter_last_times(const gpufilter_client *client, gpufilter_times *times, gpufilter_error *err);

/* Sets whether later runs record spans for gpufilter_last_spans, 1 or 0. Recording costs some microseconds per run, and
 * on a GPU some per row chunk. BAD_ARGUMENT, FORKED; a daemon that is too old refuses such runs with BAD_REQUEST. */
int gpufilter_trace(gpufilter_client *client, int on, gpufilter_error *err);

/* Sets whether steps that work sample by sample may be fused with neighbouring steps in later runs, 1 (the default) or
 * 0. The results have the same bits either way; 0 serves to compare time and memory. gpufilter_last_times says in `why`
 * which steps were fused. BAD_ARGUMENT, FORKED; a daemon that is too old refuses runs with 0 with BAD_REQUEST. */
int gpufilter_fuse(gpufilter_client *client, int on, gpufilter_error *err);

/* Copies up to `room` spans of the run of gpufilter_last_times and stores the total number: first the spans of this
 * process, then the daemon's, each roughly in order of their begin; none if the run recorded none. span_size is
 * sizeof(gpufilter_span). Error: BAD_ARGUMENT. */
int gpufilter_last_spans(const gpufilter_client *client, gpufilter_span *spans, size_t span_size, uint32_t room,
                         uint32_t *ret_n, gpufilter_error *err);

/* ---- Work without waiting ---- */

/*
 * gpufilter_submit submits a request and returns; gpufilter_poll or gpufilter_wait returns answers, in any order. Each
 * accepted request gets exactly one answer, whatever happens. gpufilter_run combines both. It may be called while
 * requests are pending, like all other functions; its request is queued behind them.
 *
 * Memory: operands and results must stay unchanged at their addresses until the answer is taken. The library and the
 * daemon read and write them at any time until then, even after a cancel. The program, the text, and the arrays of
 * views and results are copied. A request must not read ordinary memory that another request writes before that
 * request's answer, because requests run in any order. Only resident buffers order requests: a request that reads a
 * resident buffer gets the contents submitted last, so that upload, work and download may all be submitted at once. If
 * a request fails, the requests that read its result fail with DEPENDENCY.
 *
 * Work proceeds while the program is in a function of the library, and in the daemon; no thread of the library waits
 * for it. A program that does not wait in gpufilter_wait must call gpufilter_poll whenever gpufilter_fd is readable.
 * The daemon disconnects a client that sends part of a request and then nothing for ten seconds, or leaves answers
 * unread for thirty (SLOW).
 *
 * Limits: the daemon holds one request fewer than it accepts at once, so that it still reads cancels (63 by default);
 * further requests wait in the library in the order of submission. A deadline counts from the submission. With
 * GPUFILTER_MAX_REQUESTS answers not taken, gpufilter_submit is BUSY.
 *
 * Connection: these functions reconnect if the connection has ended, but start no daemon. Unanswered requests are sent
 * again like those of gpufilter_run, in the order of submission, so that a chain of pending requests over resident
 * buffers is rebuilt. If a request's deadline passed two seconds ago and the daemon is silent, the request ends with
 * TIMEOUT and the connection is closed. If there is no daemon, and none appears within wait_ms, all pending requests
 * are answered with NO_DAEMON.
 */

/* Submits the work of gpufilter_run, with the same arguments; never waits. results[i].view is filled in at once: its
 * shape, and its data, which is allocated memory or the address of a resident buffer. The contents are valid after an
 * answer of GPUFILTER_OK; the caller frees them by gpufilter_free whatever the answer is. `context` is returned with
 * the answer; ret_id may be NULL. Ids are never reused. Errors: every error that gpufilter_run finds in the program
 * and its arguments, BUSY, NO_MEMORY, FORKED; no answer follows, and results are unchanged. All other errors arrive as
 * the answer. */
int gpufilter_submit(gpufilter_client *client, const gpufilter_program *program, const gpufilter_view *operands,
                     uint32_t n_operands, gpufilter_result *results, uint32_t n_results, void *context,
                     uint64_t *ret_id, gpufilter_error *err);
/* The same for a program as text, see gpufilter_run_text. */
int gpufilter_submit_text(gpufilter_client *client, const char *text, const gpufilter_view *operands,
                          uint32_t n_operands, gpufilter_result *results, uint32_t n_results, void *context,
                          uint64_t *ret_id, gpufilter_error *err);

/* Sends and receives as much as possible without waiting and takes the next answer; answer->id is 0 if there is none.
 * Fills the members that answer->struct_size covers. The return value concerns the call, not the request; errors:
 * FORKED, BAD_ARGUMENT. */
int gpufilter_poll(gpufilter_client *client, gpufilter_answer *answer, gpufilter_error *err);

/* Waits for the answer to request `id`, or to any request if id is 0, and takes it; at most timeout_ms, indefinitely if
 * that is negative. answer->id is 0 if no answer arrived in time or nothing is pending. Errors: BAD_ARGUMENT for an id
 * that was not submitted or whose answer was taken, FORKED. */
int gpufilter_wait(gpufilter_client *client, uint64_t id, int32_t timeout_ms, gpufilter_answer *answer,
                   gpufilter_error *err);

/* Cancels a request; never waits. Its answer still arrives: CANCELLED, or the result if it was too late. Errors: as for
 * gpufilter_wait. */
int gpufilter_cancel(gpufilter_client *client, uint64_t id, gpufilter_error *err);

/* Stores a descriptor for poll, epoll etc.: it is readable (POLLIN) as long as gpufilter_poll has work to do: answers,
 * data or a deadline. It stays the same for the life of the client, across connections, and must not be read or closed.
 * Errors: RESOURCE_FDS, FORKED, BAD_ARGUMENT. */
int gpufilter_fd(gpufilter_client *client, int *ret_fd, gpufilter_error *err);

/* ---- Memory ---- */

/* Allocates `size` bytes, page-aligned and not cleared, that the daemon can read and write directly, so that runs copy
 * nothing. On a connection that passes no descriptors it is ordinary memory, and runs copy. It lasts until
 * gpufilter_free or gpufilter_close, also across a reconnect. Errors: NO_MEMORY, BAD_ARGUMENT for size 0, TOO_LARGE,
 * FORKED. */
int gpufilter_alloc(gpufilter_client *client, uint64_t size, void **ret_data, gpufilter_error *err);

/* Frees memory of gpufilter_alloc or of a result that the library allocated, or a resident buffer. A resident buffer
 * may be freed while submitted requests need it; they keep it until their answers. Accepts NULL; other pointers are
 * ignored. */
void gpufilter_free(gpufilter_client *client, void *data);

/* ---- The daemon ---- */

/* Makes a round trip without work; ret_ns may be NULL. Errors: the connection errors of gpufilter_run. */
int gpufilter_ping(gpufilter_client *client, uint64_t *ret_ns, gpufilter_error *err);

/* Copies up to `room` devices and stores the total number. device_size is sizeof(gpufilter_device). Errors: the
 * connection errors of gpufilter_run. */
int gpufilter_devices(gpufilter_client *client, gpufilter_device *devices, size_t device_size, uint32_t room,
                      uint32_t *ret_n, gpufilter_error *err);

/* Whether the daemon can do work. Fills the members that info->struct_size covers. Errors: the connection errors of
 * gpufilter_run. */
int gpufilter_health(gpufilter_client *client, gpufilter_health_info *info, gpufilter_error *err);

/* Copies up to `room` metrics of the daemon and stores the total number, at most 4096. metric_size is
 * sizeof(gpufilter_metric). Values of one name are adjacent. Later daemons may have more metrics; only root and the
 * daemon's own user get metrics of other users. Errors: the connection errors of gpufilter_run, and UNSUPPORTED from a
 * daemon without metrics. */
int gpufilter_metrics(gpufilter_client *client, gpufilter_metric *metrics, size_t metric_size, uint32_t room,
                      uint32_t *ret_n, gpufilter_error *err);

/* Copies up to `room` of this client's resident buffers as the daemon knows them, and stores the total number.
 * resident_size is sizeof(gpufilter_resident). Errors: the connection errors of gpufilter_run, and BAD_REQUEST from a
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
