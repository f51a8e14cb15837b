/* SPDX-License-Identifier: MIT */
/* A body that a decoder accepts must survive encoding and decoding unchanged. Used by the targets of the codecs. */
#ifndef GF_TESTS_FUZZ_THERE_AND_BACK_H
#define GF_TESTS_FUZZ_THERE_AND_BACK_H

#include <string.h>

#include "protocol/wire/frame.h"

/* The decoder and the encoder of one kind of body. */
struct gf_codec {
    enum gf_status (*decode)(const uint8_t *body, size_t size, void *value, struct gf_error *err);
    void (*encode)(struct gf_writer *w, const void *value);
    void *value; /* room for one */
};

static inline size_t gf_encode_once(const struct gf_codec *codec, uint8_t *frame, size_t capacity)
{
    struct gf_writer w;
    gf_writer_init(&w, frame, capacity);
    codec->encode(&w, codec->value);
    if (!gf_writer_finish(&w, GF_FRAME_RUN, 1, 0, 0))
        abort();
    return w.size;
}

/* Decodes, encodes, decodes, encodes: both encodings must be the same bytes. Returns the status of the first decoding.
 */
static inline enum gf_status gf_round_trip(const struct gf_codec *codec, const uint8_t *body, size_t size,
                                           struct gf_error *err)
{
    static uint8_t first[GF_MAX_FRAME_HEAD], second[GF_MAX_FRAME_HEAD];
    struct gf_error error;
    enum gf_status status = codec->decode(body, size, codec->value, err);
    if (status != GF_OK)
        return status;
    size_t n = gf_encode_once(codec, first, sizeof first);
    if (codec->decode(first + GF_HEADER_SIZE, n - GF_HEADER_SIZE, codec->value, &error) != GF_OK ||
        gf_encode_once(codec, second, sizeof second) != n || memcmp(first, second, n) != 0)
        abort();
    return GF_OK;
}

#endif
