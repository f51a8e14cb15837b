/* SPDX-License-Identifier: MIT */
/*
 * Answers of a server between structs and bytes: HELLO_REPLY, RESULT, ERROR, INFO_REPLY. DONE, PONG and GOAWAY have no
 * body. Front and worker encode, client library and front decode. Decoders ignore unknown attributes; everything else
 * is checked as if the server were hostile (BAD_REPLY).
 */
#ifndef GF_PROTOCOL_RESPONSE_H
#define GF_PROTOCOL_RESPONSE_H

#include "frame.h"
#include "protocol/ops/program.h"
#include "span.h"

#ifdef __cplusplus
extern "C" {
#endif

enum gf_device_state {
    GF_DEVICE_STARTING = 1,
    GF_DEVICE_READY = 2,
    GF_DEVICE_RESTARTING = 3, /* its worker died; a new one is coming */
    GF_DEVICE_ASIDE = 4,      /* died too often, or the system is not ready for it; see the server's log */
    GF_DEVICE_ABSENT = 5,     /* configured, but not present */
    GF_DEVICE_IDLE = 6        /* its worker has ended after being idle; the next request starts a new one */
};

struct gf_device_entry {
    char name[GF_MAX_DEVICE_NAME + 1];
    char title[GF_MAX_DEVICE_NAME + 1];
    char uuid[GF_MAX_DEVICE_NAME + 1];
    char detail[GF_MAX_DEVICE_NAME + 1];
    uint64_t memory;
    uint32_t units;
    uint32_t state;
};

/* Limits that a server states in HELLO_REPLY; the number in brackets is a client's default for a missing one. */
enum gf_limit {
    GF_LIMIT_MAX_INLINE = 1,  /* payload bytes of one frame, either way [256 MiB] */
    GF_LIMIT_IN_FLIGHT = 2,   /* requests read ahead; further ones wait in the socket [64] */
    GF_LIMIT_ARENAS = 3,      /* arenas of one connection [16] */
    GF_LIMIT_ARENA_BYTES = 4, /* bytes of one connection's arenas [4 GiB] */
    GF_LIMIT_HANDLES = 5,     /* 0: resident buffers are not offered [0] */
    GF_N_LIMITS
};

struct gf_hello_reply {
    uint32_t version;
    char software[GF_MAX_DEVICE_NAME + 1];
    char node[GF_MAX_DEVICE_NAME + 1]; /* name of the server's machine; "": not said */
    uint64_t connection;               /* number of this connection since the server's start; 0: not said */
    bool fd_passing;
    uint64_t limits[GF_N_LIMITS]; /* by enum gf_limit */
    uint32_t revisions[GF_N_OPS]; /* by the op's index; only those above 1 are sent */
    uint32_t n_devices;
    struct gf_device_entry devices[GF_MAX_DEVICES];
};

void gf_hello_reply_encode(struct gf_writer *w, const struct gf_hello_reply *reply);
enum gf_status gf_hello_reply_decode(const uint8_t *body, size_t size, struct gf_hello_reply *ret,
                                     struct gf_error *err);

/* Nanoseconds. queue: from the body being read to the start in a worker; total: from the body being
 * read to the answer. */
struct gf_stage_times {
    uint64_t queue, copy_in, kernel, copy_out, total;
};

struct gf_output {
    struct gf_view view;
    uint64_t offset; /* inline: in the payload of the answer; otherwise as requested */
    uint64_t length; /* bytes written, gf_view_bytes(view) */
};

/* TIMES, of a RESULT and of a worker's ERROR. */
void gf_put_times(struct gf_writer *w, const struct gf_stage_times *times);
enum gf_status gf_attr_times(const struct gf_attr *a, struct gf_stage_times *ret, struct gf_error *err);

#define GF_MAX_WHY 159u

struct gf_run_reply {
    char device[GF_MAX_DEVICE_NAME + 1]; /* device that ran it */
    char why[GF_MAX_WHY + 1];            /* why it ran on that device; may be empty */
    struct gf_stage_times times;
    uint32_t n_spans;     /* 0 unless the request asked for a trace */
    const uint8_t *spans; /* their records; owned by the encoder, after decoding they lie in the body */
    uint32_t n_outputs;   /* one per result, in request order */
    struct gf_output outputs[GF_MAX_RESULTS];
};

/* Writes a span in wire format, GF_RECORD_SPAN bytes. */
void gf_span_store(uint8_t *record, const struct gf_span *span);
/* Span k of a reply. */
struct gf_span gf_run_reply_span(const struct gf_run_reply *reply, uint32_t k);
void gf_run_reply_encode(struct gf_writer *w, const struct gf_run_reply *reply);
enum gf_status gf_run_reply_decode(const uint8_t *body, size_t size, struct gf_run_reply *ret, struct gf_error *err);

/* ERROR: status, text and, unless they are 0, needed bytes and retry time. */
void gf_error_encode(struct gf_writer *w, const struct gf_error *error, uint32_t retry_ms);
enum gf_status gf_error_decode(const uint8_t *body, size_t size, struct gf_error *ret_error, uint32_t *ret_retry_ms,
                               struct gf_error *err);

enum gf_health {
    GF_HEALTH_STARTING = 1, /* alive, but no device has run a kernel yet */
    GF_HEALTH_READY = 2,    /* every configured device runs kernels */
    GF_HEALTH_DEGRADED = 3  /* a device is missing; the others serve requests */
};

/* "ready"; "unknown" for a state of a later version. */
const char *gf_health_word(uint32_t health);

struct gf_info_reply {
    uint32_t topic;
    uint32_t health;          /* GF_TOPIC_HEALTH */
    char text[GF_ERROR_TEXT]; /* GF_TOPIC_HEALTH: the reason */
    uint32_t next;            /* GF_TOPIC_STATS: for the request for the next page; 0: this is the last one. Only
                                 decoded; the writer of metrics encodes it */
    uint32_t n_devices;       /* GF_TOPIC_DEVICES and GF_TOPIC_HEALTH */
    struct gf_device_entry devices[GF_MAX_DEVICES];
};

void gf_info_reply_encode(struct gf_writer *w, const struct gf_info_reply *reply);
enum gf_status gf_info_reply_decode(const uint8_t *body, size_t size, struct gf_info_reply *ret, struct gf_error *err);

#ifdef __cplusplus
}
#endif
#endif
