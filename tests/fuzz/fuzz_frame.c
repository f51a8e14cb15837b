/* SPDX-License-Identifier: MIT */
/*
 * Fuzz target: bytes as a frame. The decoder that front or worker use for its kind decodes the body. An accepted body
 * must survive encoding and decoding unchanged.
 */
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "protocol/wire/gpu_msg.h"
#include "protocol/wire/request.h"
#include "protocol/wire/worker_msg.h"
#include "round_trip.h"

/* A program that decodes must survive its own encoder. */
static void check_run(const uint8_t *body, size_t size, uint64_t payload_len)
{
    static struct gf_program first, second;
    static uint8_t frame[GF_MAX_FRAME_HEAD];
    struct gf_error err;
    if (gf_program_decode(body, size, payload_len, &first, NULL, &err) != GF_OK)
        return;
    struct gf_writer w;
    gf_writer_init(&w, frame, sizeof frame);
    gf_program_encode(&w, &first);
    if (!gf_writer_finish(&w, GF_FRAME_RUN, 1, payload_len, 0) ||
        gf_program_decode(frame + GF_HEADER_SIZE, w.size - GF_HEADER_SIZE, payload_len, &second, NULL, &err) != GF_OK ||
        first.payload_out != second.payload_out || first.n_steps != second.n_steps)
        abort();
}

static enum gf_status decode_hello(const uint8_t *body, size_t size, void *value, struct gf_error *err)
{
    return gf_hello_decode(body, size, value, err);
}

static void encode_hello(struct gf_writer *w, const void *value)
{
    gf_hello_encode(w, value);
}

static enum gf_status decode_arena(const uint8_t *body, size_t size, void *value, struct gf_error *err)
{
    return gf_arena_request_decode(body, size, false, value, err);
}

static void encode_arena(struct gf_writer *w, const void *value)
{
    gf_arena_request_encode(w, value);
}

static enum gf_status decode_drop(const uint8_t *body, size_t size, void *value, struct gf_error *err)
{
    return gf_arena_request_decode(body, size, true, value, err);
}

static enum gf_status decode_free(const uint8_t *body, size_t size, void *value, struct gf_error *err)
{
    return gf_free_request_decode(body, size, value, err);
}

static void encode_free(struct gf_writer *w, const void *value)
{
    gf_free_request_encode(w, *(const uint32_t *)value);
}

static enum gf_status decode_info(const uint8_t *body, size_t size, void *value, struct gf_error *err)
{
    return gf_info_request_decode(body, size, value, err);
}

static void encode_info(struct gf_writer *w, const void *value)
{
    gf_info_request_encode(w, value);
}

static enum gf_status decode_admin(const uint8_t *body, size_t size, void *value, struct gf_error *err)
{
    return gf_admin_request_decode(body, size, value, err);
}

static void encode_admin(struct gf_writer *w, const void *value)
{
    gf_admin_request_encode(w, value);
}

static enum gf_status decode_worker(const uint8_t *body, size_t size, void *value, struct gf_error *err)
{
    return gf_worker_hello_decode(body, size, value, err);
}

static void encode_worker(struct gf_writer *w, const void *value)
{
    gf_worker_hello_encode(w, value);
}

static enum gf_status decode_map(const uint8_t *body, size_t size, void *value, struct gf_error *err)
{
    return gf_worker_map_decode(body, size, false, value, err);
}

static void encode_map(struct gf_writer *w, const void *value)
{
    gf_worker_map_encode(w, value);
}

static enum gf_status decode_unmap(const uint8_t *body, size_t size, void *value, struct gf_error *err)
{
    return gf_worker_map_decode(body, size, true, value, err);
}

static enum gf_status decode_pong(const uint8_t *body, size_t size, void *value, struct gf_error *err)
{
    return gf_worker_pong_decode(body, size, value, err);
}

static void encode_pong(struct gf_writer *w, const void *value)
{
    gf_worker_pong_encode(w, value);
}

static enum gf_status decode_gpu(const uint8_t *body, size_t size, void *value, struct gf_error *err)
{
    return gf_gpu_decode(body, size, value, err);
}

static void encode_gpu(struct gf_writer *w, const void *value)
{
    gf_gpu_encode(w, value);
}

static void decode_body(const struct gf_header *h, const uint8_t *body, size_t size)
{
    static struct gf_worker_hello worker;
    static struct gf_hello hello;
    static struct gf_arena_request arena;
    static struct gf_admin_request admin;
    static struct gf_worker_map map;
    static struct gf_expression_figures figures;
    static struct gf_info_request info;
    static struct gf_gpu_figures gpu;
    static uint32_t number;
    static const struct gf_codec codecs[] = {
        [GF_FRAME_HELLO] = {decode_hello, encode_hello, &hello},
        [GF_FRAME_ARENA] = {decode_arena, encode_arena, &arena},
        [GF_FRAME_ARENA_DROP] = {decode_drop, encode_arena, &arena},
        [GF_FRAME_FREE] = {decode_free, encode_free, &number},
        [GF_FRAME_INFO] = {decode_info, encode_info, &info},
        [GF_FRAME_ADMIN] = {decode_admin, encode_admin, &admin},
        [GF_FRAME_PONG] = {decode_pong, encode_pong, &figures},
        [GF_FRAME_WORKER_HELLO] = {decode_worker, encode_worker, &worker},
        [GF_FRAME_WORKER_MAP] = {decode_map, encode_map, &map},
        [GF_FRAME_WORKER_UNMAP] = {decode_unmap, encode_map, &map},
        [GF_FRAME_WORKER_GPU] = {decode_gpu, encode_gpu, &gpu},
    };
    struct gf_error err = {0};
    if (h->kind == GF_FRAME_RUN)
        check_run(body, size, h->payload_len);
    if (h->kind >= GF_ARRAY_LEN(codecs) || codecs[h->kind].decode == NULL)
        return;
    enum gf_status status = gf_round_trip(&codecs[h->kind], body, size, &err);
    if (status != GF_OK && (err.status != status || err.text[0] == '\0'))
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct gf_header h;
    struct gf_error err;
    if (size < GF_HEADER_SIZE || gf_header_decode(data, &h, &err) != GF_OK)
        return 0;
    if (gf_frame_kind_name(h.kind)[0] == '\0')
        abort();
    size_t left = size - GF_HEADER_SIZE;
    decode_body(&h, data + GF_HEADER_SIZE, h.body_len < left ? h.body_len : left);
    return 0;
}
