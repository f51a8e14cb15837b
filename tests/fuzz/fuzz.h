/* SPDX-License-Identifier: MIT */
/* What fuzz targets share: the function that each defines, and the bytes of one run as numbers. */
#ifndef GF_TESTS_FUZZ_H
#define GF_TESTS_FUZZ_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Called by libFuzzer or by replay_main.c. Must return 0 and must not crash, whatever the bytes are. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The bytes of one run, consumed from the front; past their end all bytes are 0. For targets that build structures. */
struct gf_input {
    const uint8_t *data;
    size_t size;
};

static inline const uint8_t *gf_input_bytes(struct gf_input *in, size_t most, size_t *ret_n)
{
    const uint8_t *p = in->data;
    *ret_n = most < in->size ? most : in->size;
    in->data += *ret_n;
    in->size -= *ret_n;
    return p;
}

/* Little-endian, of up to 8 bytes. */
static inline uint64_t gf_input_number(struct gf_input *in, size_t size)
{
    uint64_t v = 0;
    size_t n;
    const uint8_t *p = gf_input_bytes(in, size, &n);
    if (n > 0)
        memcpy(&v, p, n);
    return v;
}

static inline uint8_t gf_input_byte(struct gf_input *in)
{
    return (uint8_t)gf_input_number(in, 1);
}

static inline uint32_t gf_input_below(struct gf_input *in, uint32_t n)
{
    return (uint32_t)(gf_input_number(in, n > 256 ? 4 : 1) % n);
}

/* A size of any magnitude, often next to a power of two or to a limit. A small size takes one byte. */
static inline uint64_t gf_input_size(struct gf_input *in)
{
    uint8_t how = gf_input_byte(in);
    if (how < 160)
        return how;
    if (how < 224)
        return (UINT64_C(1) << (how - 160)) + gf_input_byte(in) - 128;
    return how < 240 ? gf_input_number(in, 4) : gf_input_number(in, 8);
}

#endif
