/* SPDX-License-Identifier: MIT */
/*
 * Messages between front and worker over SOCK_SEQPACKET, one frame per message, no payload: the worker's HELLO, then
 * MAP and UNMAP of memory by key, FREE of buffers by key, and the client protocol's RUN, CANCEL, PING, RESULT, ERROR,
 * and PONG with a body. In a RUN to a worker every operand and result has a key, either of shared memory, which may be
 * a staging segment, or of a resident buffer, and the user is named; the id is the front's job number. A key has 64
 * bits and never comes again.
 */
#ifndef GF_PROTOCOL_WORKER_MSG_H
#define GF_PROTOCOL_WORKER_MSG_H

#include "response.h"

#ifdef __cplusplus
extern "C" {
#endif

#define GF_WORKER_MAX_OPS 256u

/* The id of a PING says what it asks for. 0: a sign of life of the process. This bit: to run a kernel. Otherwise:
 * whether the RUN with this number makes progress; the worker sends a PONG only if the job has checked for cancellation
 * since the last such PING. A job that never checks hangs and would not notice a CANCEL either. */
#define GF_WORKER_PROBE (1ull << 63)

struct gf_op_row {
    uint32_t op;     /* id */
    uint32_t dtypes; /* bit set for input 0 */
};

/* The first message of a worker, sent when its device is warm. If there is no device, an ERROR with id 0 says why
 * instead. Later an ERROR with id 0 says why the worker is about to end; SHUTDOWN: because it was told to. */
struct gf_worker_hello {
    struct gf_device_entry device;
    uint32_t pid;
    uint32_t slots; /* RUNs that it runs at once */
    uint32_t n_rows;
    struct gf_op_row rows[GF_WORKER_MAX_OPS];
};

void gf_worker_hello_encode(struct gf_writer *w, const struct gf_worker_hello *hello);
enum gf_status gf_worker_hello_decode(const uint8_t *body, size_t size, struct gf_worker_hello *ret,
                                      struct gf_error *err);

/* ERROR to a RUN, with TIMES: what the request took of the device before it ended. The rest of the body is decoded by
 * gf_error_decode. False if there is no TIMES. */
void gf_worker_error_encode(struct gf_writer *w, const struct gf_error *error, const struct gf_stage_times *times);
bool gf_worker_error_times(const uint8_t *body, size_t size, struct gf_stage_times *ret);

/* MAP carries one descriptor, which the worker maps shared for reading and writing. UNMAP follows after the last RUN
 * that names the key has been answered. */
struct gf_worker_map {
    uint64_t key;
    uint64_t size; /* bytes; 0 in UNMAP */
    bool staging;  /* the front's own memory: pinned at once, not at its second use */
    bool unpinned; /* an arena that must not be pinned */
};

void gf_worker_map_encode(struct gf_writer *w, const struct gf_worker_map *map);
enum gf_status gf_worker_map_decode(const uint8_t *body, size_t size, bool unmap, struct gf_worker_map *ret,
                                    struct gf_error *err);

/* FREE to a worker: the keys of at most this many resident buffers that no RUN names any more. */
#define GF_WORKER_MAX_FREE 256u

void gf_worker_free_encode(struct gf_writer *w, const uint64_t *keys, uint32_t n);
/* Returns the number of keys in *ret_n. */
enum gf_status gf_worker_free_decode(const uint8_t *body, size_t size, uint64_t keys[GF_WORKER_MAX_FREE],
                                     uint32_t *ret_n, struct gf_error *err);

/* Figures about expressions in a GPU worker. */
enum gf_expression_figure {
    /* Totals since its start. */
    GF_KERNELS_COMPILED,
    GF_KERNELS_FROM_FILES,
    GF_KERNELS_FAILED,
    GF_RUNS_COMPILED,
    GF_RUNS_INTERPRETED,
    GF_N_EXPRESSION_COUNTS,
    /* Current values. */
    GF_KERNELS_LOADED = GF_N_EXPRESSION_COUNTS,
    GF_KERNELS_WAITING,
    GF_COMPILER_OFF, /* 0 or 1 */
    GF_N_EXPRESSION_FIGURES
};

/* How long the compiler of a GPU worker took for each of the users, up to this many. */
#define GF_MAX_COMPILE_TIMES 64u
struct gf_compile_times {
    uint32_t n;
    struct gf_compile_time {
        uint64_t user, ns;
    } of[GF_MAX_COMPILE_TIMES];
};

struct gf_expression_figures {
    uint64_t of[GF_N_EXPRESSION_FIGURES];
    char why_off[GF_ERROR_TEXT];   /* the compiler is off for all users; empty if it is not */
    struct gf_compile_times times; /* since the last figures: each moment is told once */
};

/* The body of a worker's PONG. An empty body means zeros. */
void gf_worker_pong_encode(struct gf_writer *w, const struct gf_expression_figures *figures);
enum gf_status gf_worker_pong_decode(const uint8_t *body, size_t size, struct gf_expression_figures *ret,
                                     struct gf_error *err);

/* Exit codes of a worker, which tell its supervisor whether to restart it. */
enum gf_worker_exit {
    GF_WORKER_EXIT_OK = 0,           /* the front closed the socket */
    GF_WORKER_EXIT_USAGE = 64,       /* wrong arguments: no restart */
    GF_WORKER_EXIT_NO_DEVICE = 69,   /* there is no such device, or this build or driver cannot use it: look again */
    GF_WORKER_EXIT_DEVICE_LOST = 70, /* sticky error: restart with back-off, set aside after some */
    GF_WORKER_EXIT_NOT_READY = 72,   /* the system is not ready for the device: restart with back-off, for ever */
    GF_WORKER_EXIT_NO_FRONT = 75     /* cannot reach the front, or was refused: restart with back-off */
};

#ifdef __cplusplus
}
#endif
#endif
