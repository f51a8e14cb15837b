/* SPDX-License-Identifier: MIT */
/* Seeded random numbers for tests (splitmix64): the same sequence on every machine. */
#ifndef GF_TESTS_PRNG_H
#define GF_TESTS_PRNG_H

#include <stdint.h>

struct gf_prng {
    uint64_t state; /* the seed, to begin with */
};

/* 64 random bits. */
uint64_t gf_prng_next(struct gf_prng *prng);
/* One of 0..n-1; n >= 1. */
uint32_t gf_prng_below(struct gf_prng *prng, uint32_t n);
/* One of lo..hi, both included. */
int64_t gf_prng_range(struct gf_prng *prng, int64_t lo, int64_t hi);
/* In [0, 1), a multiple of 2^-24. */
float gf_prng_unit(struct gf_prng *prng);
/* A finite float of any sign and exponent, denormals and zeros among them. */
float gf_prng_float_bits(struct gf_prng *prng);

#endif
