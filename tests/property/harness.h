/* SPDX-License-Identifier: MIT */
/* Runs one operation on one device, with random data and memory that lasts for a test. Called by the property programs.
 */
#ifndef GF_TESTS_PROPERTY_HARNESS_H
#define GF_TESTS_PROPERTY_HARNESS_H

#include "kernels/backend.h"
#include "tests/support/prng.h"
#include "tests/unit/unit.h"

/* What random data hold. */
enum property_kind {
    PROPERTY_PLAIN,  /* integers of any bits; floats of moderate size, no −0 */
    PROPERTY_SPECIAL /* floats: NaN, infinities, both zeros and denormals among them */
};

/* The shapes on which every property is tested: rows, columns, one element, more than a block of 4096. */
struct property_size {
    uint64_t width, height;
    uint32_t channels;
};
#define PROPERTY_SIZES 6
extern const struct property_size property_sizes[PROPERTY_SIZES];

/* Opens the device that the program's first argument names, cpu without one; 0 or the exit status: 77 when it is not
 * there. property_close ends it. */
int property_open(int argc, char **argv);
void property_close(void);
/* Bytes of memory that the device has. */
uint64_t property_device_memory(void);
/* cmocka's teardown: frees the memory of the test. */
int property_teardown(void **state);

/* Memory of a shape with `pad` elements after each row, all bytes 0xA5. */
struct gf_buf property_buf(uint32_t dtype, struct property_size size, uint32_t pad);
/* Like property_buf, with random samples that depend on the seed alone. */
struct gf_buf property_random(uint32_t dtype, struct property_size size, enum property_kind kind, uint64_t seed);
/* The same samples with `pad` elements after each row. */
struct gf_buf property_copy(const struct gf_buf *buf, uint32_t pad);

/* Runs an op with its parameters as "name=value ..." and checks that it succeeds. Outputs have `pad` elements after
 * each row. */
void property_run_padded(const char *op, const char *params, const struct gf_buf *in, uint32_t n_in, uint32_t pad,
                         struct gf_buf *ret_out);
/* One output of an op with one input, when no other is asked for. */
struct gf_buf property_run_for(const char *op, const char *params, const struct gf_buf *in, uint8_t output);
/* The first output of an op with one input. */
struct gf_buf property_run(const char *op, const char *params, const struct gf_buf *in);

/* The address of a sample; its value as f64, and, for integers, modulo 2^64. */
void *property_at(const struct gf_buf *buf, uint64_t x, uint64_t y, uint32_t channel);
double property_f64(const struct gf_buf *buf, uint64_t x, uint64_t y, uint32_t channel);
uint64_t property_u64(const struct gf_buf *buf, uint64_t x, uint64_t y, uint32_t channel);
/* Fails the test unless shapes and samples are the same, bit for bit. */
void property_same(const struct gf_buf *a, const struct gf_buf *b, const char *what);

#endif
