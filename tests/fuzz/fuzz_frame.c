/* SPDX-License-Identifier: MIT */
/* Fuzz target: bytes as a frame, its body through the decoder that its kind has in front or worker. */
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "protocol/request.h"
#include "protocol/worker_msg.h"

/* A program that decodes must survive its own encoder. */
static void check_run(const uint8_t *body, size_t size, uint64_t payload_len)
{
    static struct gf_program first, second;
    static uint8_t frame[GF_MAX_FRAME_HEAD];
    struct gf_error err;
    if (gf_program_decode(body, size, payload_len, &first, &err) != GF_OK)
        return;
    struct gf_writer w;
    gf_writer_init(&w, frame, sizeof frame);
    gf_program_encode(&w, &first);
    if (!gf_writer_finish(&w, GF_FRAME_RUN, 1, payload_len, 0) ||
        gf_program_decode(frame + GF_HEADER_SIZE, w.size - GF_HEADER_SIZE, payload_len, &second, &err) != GF_OK ||
        first.payload_out != second.payload_out || first.n_steps != second.n_steps)
        abort();
}

static void decode_body(const struct gf_header *h, const uint8_t *body, size_t size)
{
    static struct gf_worker_hello worker;
    struct gf_hello hello;
    struct gf_arena_request arena;
    struct gf_worker_map map;
    uint32_t value;
    struct gf_error err;
    switch (h->kind) {
    case GF_FRAME_HELLO:
        gf_hello_decode(body, size, &hello, &err);
        break;
    case GF_FRAME_RUN:
        check_run(body, size, h->payload_len);
        break;
    case GF_FRAME_ARENA:
    case GF_FRAME_ARENA_DROP:
        gf_arena_request_decode(body, size, h->kind == GF_FRAME_ARENA_DROP, &arena, &err);
        break;
    case GF_FRAME_FREE:
        gf_free_request_decode(body, size, &value, &err);
        break;
    case GF_FRAME_INFO:
        gf_info_request_decode(body, size, &value, &err);
        break;
    case GF_FRAME_WORKER_HELLO:
        gf_worker_hello_decode(body, size, &worker, &err);
        break;
    case GF_FRAME_WORKER_MAP:
    case GF_FRAME_WORKER_UNMAP:
        gf_worker_map_decode(body, size, h->kind == GF_FRAME_WORKER_UNMAP, &map, &err);
        break;
    default:
        break;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct gf_header h;
    struct gf_error err;
    if (size < GF_HEADER_SIZE || gf_header_decode(data, &h, &err) != GF_OK)
        return 0;
    size_t left = size - GF_HEADER_SIZE;
    decode_body(&h, data + GF_HEADER_SIZE, h.body_len < left ? h.body_len : left);
    return 0;
}
