/* SPDX-License-Identifier: MIT */
/* Programs for tests: one plain example and any number of random valid ones. */
#ifndef GF_TESTS_PROGRAMS_H
#define GF_TESTS_PROGRAMS_H

#include "prng.h"
#include "protocol/ops/program.h"

/* The worked example of docs/protocol.md, checked: a tight 4x3 u8 image of one channel and a 3x3 mask, correlated with
 * normalize=sum, everything inline. */
void gf_test_program_example(struct gf_program *ret);

/* Pixels and mask of the example as its payload of GF_TEST_EXAMPLE_PAYLOAD bytes, and the 12 samples of its result. */
#define GF_TEST_EXAMPLE_PAYLOAD 100u
void gf_test_example_payload(uint8_t ret[GF_TEST_EXAMPLE_PAYLOAD]);
extern const uint8_t gf_test_example_result[12];

/* Whether steps of one op have the same parameters: texts by their characters, all else bit by bit. */
bool gf_test_params_equal(const struct gf_step *a, const struct gf_step *b);

/* A valid program of up to eight steps over random ops, parameters, shapes and ways, checked. */
void gf_test_program_random(struct gf_prng *prng, struct gf_program *ret);

#endif
