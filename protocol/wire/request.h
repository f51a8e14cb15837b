/* SPDX-License-Identifier: MIT */
/*
 * Requests of a client between bytes and validated structs: HELLO, RUN, ARENA, ARENA_DROP, FREE, INFO, ADMIN. CANCEL
 * and PING have no body. The client library encodes, the front does both (it re-encodes a program for a worker), the
 * worker decodes.
 */
#ifndef GF_PROTOCOL_REQUEST_H
#define GF_PROTOCOL_REQUEST_H

#include "frame.h"
#include "protocol/ops/program.h"

#ifdef __cplusplus
extern "C" {
#endif

struct gf_hello {
    uint32_t version_min, version_max;
    char software[GF_MAX_DEVICE_NAME + 1];
    char device[GF_MAX_DEVICE_NAME + 1]; /* device for this connection's handles; default "auto" */
};

enum gf_topic { GF_TOPIC_DEVICES = 1, GF_TOPIC_HEALTH = 2, GF_TOPIC_STATS = 3, GF_TOPIC_HANDLES = 4 };

/* Encoders write attributes after gf_writer_init; the caller finishes the frame. */
void gf_hello_encode(struct gf_writer *w, const struct gf_hello *hello);
enum gf_status gf_hello_decode(const uint8_t *body, size_t size, struct gf_hello *ret, struct gf_error *err);

/* Omits parameters that have their default value, so that a new client works with an old server until it uses a new
 * feature. */
void gf_program_encode(struct gf_writer *w, const struct gf_program *p);
/* Decodes and checks (gf_program_check) the body of a RUN; payload_len is the frame's and must equal the inline layout.
 * The order of attributes is TRACE_CONTEXT, DEVICE, DEADLINE_MS (all optional), operands, steps with their parameters,
 * results. Keeps the nodes of the texts in *parsed, on error too, unless it is NULL. On error *ret is undefined, except
 * for payload_in, the bytes of the inline operands that were right. */
enum gf_status gf_program_decode(const uint8_t *body, size_t size, uint64_t payload_len, struct gf_program *ret,
                                 struct gf_parsed *parsed, struct gf_error *err);

struct gf_arena_request {
    uint32_t arena; /* chosen by the client, unique on its connection */
    uint64_t size;  /* bytes; 0 in ARENA_DROP */
};
void gf_arena_request_encode(struct gf_writer *w, const struct gf_arena_request *a);
/* `drop`: ARENA_DROP has no size. */
enum gf_status gf_arena_request_decode(const uint8_t *body, size_t size, bool drop, struct gf_arena_request *ret,
                                       struct gf_error *err);

void gf_free_request_encode(struct gf_writer *w, uint32_t handle);
enum gf_status gf_free_request_decode(const uint8_t *body, size_t size, uint32_t *ret_handle, struct gf_error *err);

struct gf_info_request {
    uint32_t topic; /* enum gf_topic */
    uint32_t next;  /* GF_TOPIC_STATS: of the answer before; 0: from the beginning */
};
void gf_info_request_encode(struct gf_writer *w, const struct gf_info_request *request);
/* BAD_REQUEST for a topic that does not exist, or has no pages. */
enum gf_status gf_info_request_decode(const uint8_t *body, size_t size, struct gf_info_request *ret,
                                      struct gf_error *err);

enum gf_admin_action { GF_ADMIN_UNBAN = 1 };

struct gf_admin_request {
    uint32_t action;
    uint64_t user;                     /* if name is "" */
    char name[GF_MAX_DEVICE_NAME + 1]; /* of a certificate */
};
void gf_admin_request_encode(struct gf_writer *w, const struct gf_admin_request *a);
/* BAD_REQUEST also for an action that does not exist, and unless the user is given in one way. */
enum gf_status gf_admin_request_decode(const uint8_t *body, size_t size, struct gf_admin_request *ret,
                                       struct gf_error *err);

#ifdef __cplusplus
}
#endif
#endif
